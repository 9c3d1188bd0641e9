"""Which of the positions in which a machine closes is its start: the nearest to the guesses, then to what is not given.

Newton's method ends on one branch; searches from points spread over the reach of what is not given find the others.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from multibond.equations.consistent import angle_states, closing, quaternion_starts
from multibond.equations.household import state_entries
from multibond.equations.nearest import Freedom, Values, close, nearest, spread_points
from multibond.expr import SX, column
from multibond.graph.start import FREE, GUESSED
from multibond.solve.search import Unknowns, together
from multibond.solve.turning_together import follow

TOLERANCE = 1e-10
TRIES = 16
ALIKE = 1e-6
"""Distances that differ by less are the same, and so are positions."""
EQUAL = "is equally near"
GUESSES = 1
"""Place of the guesses among wishes."""


@dataclass(frozen=True)
class Closed:
    """Where a machine closes, what is left open, and in words another position that is as near."""

    z: np.ndarray
    error: float
    rival: str = ""


def wishes_of(at: Unknowns, states: np.ndarray, guesses: Sequence[Values], others: Sequence[SX]) -> list[Values]:
    """What is wished, in order: parameters and guesses, flanges that turn together, then what was not given."""
    kinds = at.given.kinds[states]
    guessed = together(at.near(states[kinds == GUESSED]), *guesses)
    rest = together(at.near(states[kinds == FREE]), at.values(column(others)))
    return [at.kept(), guessed, at.values(follow(at.dae, at.whole)), rest]


def assembled(at: Unknowns, states: np.ndarray) -> Closed:
    """The nearest position in which all loops close and fixed coordinates hold."""
    given = at.given
    conditions = at.values(column([closing(at.dae, at.whole), *given.positions]))
    wishes = wishes_of(at, states, [at.values(column(given.guessed_positions))], given.other_positions)
    return _Search(at, conditions, wishes, at.freedom(states), states).run()


@dataclass(frozen=True)
class _Search:
    at: Unknowns
    conditions: Values
    wishes: list[Values]
    freedom: Freedom
    states: np.ndarray

    def run(self) -> Closed:
        """From where everything was given or begins; from elsewhere where that is not the position itself."""
        begin = self.at.joined(self.at.given.x, self.at.p)
        z, error = close(self.conditions, begin, self.freedom)
        told = [self.conditions, *self.wishes[:-1]]
        if all(np.abs(values(begin)[0]).max(initial=0.0) <= TOLERANCE for values in told):
            return Closed(z, error)
        closed = [self._unwound(z)] if error <= TOLERANCE else []
        for point in self._begins(begin):
            trial, left = close(self.conditions, point, self.freedom, 25)
            if left <= TOLERANCE:
                closed.append(self._unwound(trial))
        closed = [z for k, z in enumerate(closed) if all(np.abs(z - known).max() > ALIKE for known in closed[:k])]
        found = [nearest(self.conditions, self.wishes, trial, self.freedom) for trial in closed]
        return self._best(found) if found else Closed(z, error)

    def _begins(self, begin: np.ndarray) -> list[np.ndarray]:
        """Points to search from: what is not given anywhere within its reach, guesses there or beside."""
        if not self.freedom.free.size or not self.conditions(begin)[0].size:
            return []
        reach, kinds = self._reach(begin), np.full(begin.size, GUESSED)
        kinds[: self.at.dae.nx] = self.at.given.kinds
        some = (kinds[self.freedom.free] == FREE).any()
        points = []
        for k, row in enumerate(spread_points(TRIES, self.freedom.free.size)):
            beside = 0.5 * (k % 2) if some else 1.0
            point = begin.copy()
            spread = np.where(kinds == FREE, 1.0, beside)[self.freedom.free]
            point[self.freedom.free] += row * spread * reach[self.freedom.free]
            self.freedom.normal(point)
            points.append(point)
        return points

    def _reach(self, begin: np.ndarray) -> np.ndarray:
        """How far coordinates are spread: angles by half a turn, lengths by twice the gap; parameters not at all."""
        gap = float(np.abs(self.conditions(begin)[0]).max(initial=0.0))
        reach = np.full(begin.size, max(2.0 * gap, 0.1))
        reach[angle_states(self.at.dae)] = np.pi
        for k in quaternion_starts(self.at.dae):
            reach[k : k + 4] = 1.0
        reach[self.at.dae.nx :] = 0.0
        return reach

    @cached_property
    def _free_angles(self) -> list[int]:
        free = set(self.freedom.free.tolist())
        return [k for k in angle_states(self.at.dae) if k in free]

    def _unwound(self, z: np.ndarray) -> np.ndarray:
        """The same position without full turns, quaternions on the side of their guess, where it closes so too."""
        turned, x, angles = z.copy(), self.at.given.x, self._free_angles
        turned[angles] -= 2 * np.pi * np.round((z[angles] - x[angles]) / (2 * np.pi))
        for k in quaternion_starts(self.at.dae):
            if set(range(k, k + 4)) <= set(self.freedom.free.tolist()) and turned[k : k + 4] @ x[k : k + 4] < 0:
                turned[k : k + 4] *= -1.0
        return turned if np.abs(self.conditions(turned)[0]).max(initial=0.0) <= 10 * TOLERANCE else z

    # -- the choice ----------------------------------------------------------------------------------------------------

    def _best(self, found: Sequence[np.ndarray]) -> Closed:
        """The nearest; of those equally near, the one whose coordinates have the larger sum of cubes.

        The choice is the same whatever the parts are called: mirrored positions have opposite sums.
        """
        ranked = [(np.array([np.linalg.norm(wish(z)[0]) for wish in self.wishes]), z) for z in found]
        least = ranked[0][0]
        for far, _ in ranked[1:]:
            least = far if _nearer(far, least) else least
        near = [z for far, z in ranked if not _nearer(least, far)]
        best = max(near, key=lambda z: round(sum(float((wish(z)[0] ** 3).sum()) for wish in self.wishes), 6))
        rivals = [(z, "") for z in near if self._differs(z, best)]
        if least[GUESSES] > ALIKE:  # where guesses are not met they may leave the choice to what is not given
            undecided = [z for far, z in ranked if not _nearer(least[: GUESSES + 1], far[: GUESSES + 1])]
            rivals += [(z, " to what is guessed") for z in undecided if self._differs(z, best)]
        error = float(np.abs(self.conditions(best)[0]).max(initial=0.0))
        return Closed(best, error, self._told(best, *rivals[0]) if rivals else "")

    def _differs(self, a: np.ndarray, b: np.ndarray) -> bool:
        return bool(self._apart(a, b)[self.states].max(initial=0.0) > 1e-4)

    def _apart(self, a: np.ndarray, b: np.ndarray) -> np.ndarray:
        change = np.abs(a - b)
        angles = angle_states(self.at.dae)
        change[angles] = np.abs(np.arctan2(np.sin(change[angles]), np.cos(change[angles])))
        return change

    def _told(self, best: np.ndarray, other: np.ndarray, to: str) -> str:
        names, change = state_entries(self.at.dae), self._apart(best, other)
        index = [int(k) for k in self.states if change[k] > 1e-4]
        here, there = (", ".join(f"{names[k]} = {z[k]:.6g}" for k in index) for z in (best, other))
        return f"of two positions {here} is taken; {there} {EQUAL}{to}"


def _nearer(a: np.ndarray, b: np.ndarray) -> bool:
    """Whether distances are smaller in order."""
    for one, two in zip(a, b, strict=True):
        if abs(one - two) > ALIKE * max(1.0, two):
            return bool(one < two)
    return False
