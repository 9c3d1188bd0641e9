"""Through positions in which the constraints of a loop lose their hold, on the branch on which the motion came.

There the constraint forces cannot be computed, and two or more branches meet; the motion that continues the velocity is
smooth. Its rates before and behind the position therefore belong to one function of time: a polynomial is fitted to
both at once, its integral across leads to the far side, and what is found there gives the rates once more. It is
accepted where one polynomial fits them all and the far side does not move any more.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.polynomial import chebyshev
from numpy.typing import ArrayLike

from multibond.equations.undetermined import singular_start
from multibond.errors import Finding, SimulationError, StructureError
from multibond.lower.system import System
from multibond.solve.contract import (
    SINGULAR,
    Integrated,
    NativeModel,
    Statistics,
    Status,
    Steps,
    Trajectory,
    Vector,
    integrate,
)
from multibond.structure.tree import held_by

SHORTER, CLEAR = 0.1, 0.7
"""A side may be shorter by this factor where another singular position ends it: this part of the way to it."""
CLOSE = (1e-14, 1e-12)
"""How closely constraints are held beside the way across, in parts of the length: with rounding where that allows."""
LEVELS = (0.05, 0.02, 0.05, 0.01, 0.05, 0.02, 0.005, 0.003)
"""Parts of the usual hold at which the way across begins and ends, tried one after the other, and with each"""
WIDTHS = (4.0, 4.0, 2.0, 4.0, 1.0, 1.0, 2.0, 2.0)
"""over how many times the way across rates are looked at on either side: where less is known, or they meet another."""
NODES, DEGREES, AS_WELL = 12, (4, 6, 8, 10, 12, 14, 16), 3.0
"""Places at which rates are looked at on either side, and degrees of the polynomial through all of them: the lowest
that misses them by no more than so many times what the highest does follows their rounding least."""
FIRST_DEGREE, FIRST_NODES = 10, 16
"""So for the first guess, from one side only."""
ROUNDS = 8
FARTHEST = 4.0
"""The far side lies no farther behind the position than so many times the way to it."""
MISFIT, CHANGE = 1e-4, 1e-7
"""What a polynomial may miss of the rates, and the last change of the far side and what it misses times the way across,
in parts of their sizes."""
SURE = 0.02
"""From this part of the usual hold on rates are known as well as elsewhere."""
DOUBT = 100.0
"""An error of the way across counts so many times where a mismatch is told from it."""
BLIND = 1e-2
"""Combinations of conditions with smaller singular values, in parts of the largest, say nothing there."""
SHARE, LEAST = 0.4, 2e-4
"""Where an instant lies less than the way across before it, the way begins at this part of what is left, no deeper than
at this part of the usual hold."""
SMALL = 1e-3
"""A hold below this part of the usual one belongs to one dip."""
ENOUGH = 1e-12
TIGHT, STIFF = 1e-12, 1e-10
"""Tolerances of the motion on either side, by an explicit solver and by an implicit one."""
EXACT, TOLD = 2e-11, 1e-13
"""A mismatch of lengths below this part of the length is taken for none; it is told of where it is more than this."""


Rates = tuple[Vector, Vector, Vector]
"""Times, rates of all states there, and how much each counts."""


class Crossing(NamedTuple):
    """A singular position that was passed: when  [s], at which joint, about how exactly, with what mismatch  [m]."""

    time: float
    joint: str
    error: float
    mismatch: float

    def is_regular(self, length: float) -> bool:
        """Whether lengths surely miss one another by more than is taken for nothing; an error tells by its square."""
        return self.mismatch > max(EXACT * length, DOUBT * self.error**2)

    @property
    def told(self) -> str:
        """In words."""
        words = f"passed a position in which its loop is singular, to about {max(self.error, 1e-15):.0e}"
        return (
            words
            if self.mismatch <= TOLD
            else f"{words}; its lengths miss one another by {self.mismatch:.0e}, taken for nothing"
        )


@dataclass(frozen=True)
class Fit:
    """Rates of all states as one polynomial of time, and their integral from a state on."""

    begin: float
    x: Vector
    middle: float
    half: float
    coefficients: Vector

    def at(self, times: Vector) -> Vector:
        """States, one row a time."""
        where = (np.append(self.begin, times) - self.middle) / self.half
        whole = chebyshev.chebval(where, self._integral).T
        return self.x + whole[1:] - whole[0]

    @cached_property
    def _integral(self) -> Vector:
        return np.asarray(chebyshev.chebint(self.coefficients, scl=self.half), np.float64)


@dataclass(frozen=True)
class Bridge(Trajectory):
    """The way across a singular position in the place of steps."""

    fit: Fit
    crossing: Crossing
    off: Vector
    """What the far side, put onto the constraints, differs from the polynomial."""
    given: Vector
    """The run-time numbers on the way."""

    @property
    def numbers(self) -> Vector:
        return self.given

    def at(self, times: ArrayLike) -> Vector:
        wanted = np.atleast_1d(np.asarray(times, float))
        share = (wanted - self.t[0]) / (self.fit_end - self.t[0])
        return self.fit.at(wanted) + share[:, None] * self.off

    def up_to_time(self, end: float) -> Bridge:
        """The same way, as far as a time."""
        return replace(self, t=np.array([self.t[0], end]), x=np.vstack([self.x[0], self.at([end])[0]]))

    @property
    def fit_end(self) -> float:
        """Where the way across ends, whether or not this piece of it goes so far."""
        return self.fit.middle + (self.fit.middle - self.fit.begin)


@dataclass(frozen=True)
class Sides:
    """The motion on either side: a system and how it is integrated closely."""

    system: System
    model: NativeModel
    stiff: bool

    def rates(self, t: float, x: Vector) -> Vector:
        """The rates of all states."""
        return self.system.derivative(x, t=t)

    def hold(self, t: float, x: Vector) -> float:
        """The least hold of all groups of loops, in parts of what is usual."""
        found = float(np.min(self.system.hold(t, x) / self.model.holds))
        return found if np.isfinite(found) else 0.0

    def mismatch(self, t: float, x: Vector) -> float:
        """What is left of the conditions that say nothing of a small motion at a state  [m]."""
        shape = self.system.reduced.shape
        value, slope = (np.asarray(v) for v in shape.position_conditions(t, x, self.system.parameters))
        u, sizes, _ = np.linalg.svd(slope[:, shape.positions])
        blind = u[:, int((sizes > BLIND * sizes.max(initial=0.0)).sum()) :]
        return float(np.abs(blind.T @ value).max(initial=0.0))

    def settled(self, t: float, x: Vector) -> Vector | None:
        """The state put onto the constraints, and its speeds; None where that fails."""
        return self.system.settled(t, x)

    def moved(self, begin: float, end: float, x: Vector) -> Integrated | None:
        """The motion from one time to another, followed closely, or less far where a singular position lies before it.

        None where it does not get far.
        """
        rtol = STIFF if self.stiff else TIGHT
        sizes = np.where(self.system.silent, np.inf, 1e-2 * rtol * self.system.usual_sizes)
        for close in CLOSE:
            steps = Steps(
                "rodas5p" if self.stiff else "dop853", rtol, sizes, projection_tolerance=close, max_steps=20_000
            )
            run = integrate(self.model, begin, end, x, self.system.parameters, steps)
            if run.status == Status.DONE and np.isfinite(run.x).all():
                return run
            if run.status == Status.SINGULAR and run.t[-1] - begin > SHORTER * (end - begin):
                return self.moved(begin, begin + CLEAR * float(run.t[-1] - begin), x)
            if run.status != Status.PROJECTION_FAILED:
                break
        return None


def cross(sides: Sides, run: Integrated, past: Trajectory, last: float) -> Bridge | None:
    """From a run that ended where a loop hardly holds: the way from shortly before it to the far side.

    past: the run with what was before it; last: the singular position before this one  [s]. None where lengths do not
    match so well that the position is singular: there the motion is fast but regular.
    """
    tip, joint = float(run.t[-1]), joint_of(sides.system, run.x[-1])
    for level, width in zip(LEVELS, WIDTHS, strict=True):
        begin = _last_above(sides, run, level)
        if begin is None and sides.hold(float(run.t[0]), run.x[0]) > LEAST:  # an instant lies just before
            begin = float(run.t[0]) + SHARE * (tip - float(run.t[0]))
        if begin is not None and begin < tip:
            earliest = max(float(past.t[0]), begin - CLEAR * (begin - last))
            found = _attempt(sides, past, (earliest, begin, tip), level, width, joint)
            if found is not None and found.crossing.is_regular(sides.system.length):
                return None
            if found is not None and found.crossing.error <= CHANGE:
                return found
    raise SimulationError(_not_passed(sides, run, tip, joint))


def require_regular(system: System) -> None:
    """Refuse a start in a singular position, from which more than one motion is possible."""
    if system.usual_hold.size and not (system.hold(0.0, system.x0) > SINGULAR * system.usual_hold).all():
        raise StructureError(singular_start((joint_of(system, system.x0),)))


def joint_of(system: System, x: Vector) -> str:
    """A joint of the group of loops that holds least."""
    group = system.reduced.watched[int(np.argmin(np.nan_to_num(system.hold(0.0, x) / system.usual_hold)))]
    graph = system.dae.graph
    path = system.dae.unknown_place(group[0]).path
    return graph.owner(path) if held_by(graph, path) else graph.joint(path)


def behind_dip(sides: Sides, run: Integrated) -> float:
    """When a run that has met a small hold will have left it behind."""
    tip = float(run.t[-1])
    begin = _last_above(sides, run, SMALL)
    return tip + (tip - (float(run.t[0]) if begin is None else begin))


def _last_above(sides: Sides, run: Integrated, level: float) -> float | None:
    """The last time at which the hold was above a level; None where the run does not go back so far."""
    high = float(run.t[-1])
    for t in run.t[-2::-1].tolist():
        if sides.hold(t, run.at([t])[0]) > level:
            low = t
            break
        high = t
    else:
        return None
    while high - low > 1e-6 * (float(run.t[-1]) - low):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if sides.hold(middle, run.at([middle])[0]) > level else (low, middle)
    return low


def _attempt(
    sides: Sides, run: Trajectory, span: tuple[float, float, float], level: float, width: float, joint: str
) -> Bridge | None:
    earliest, begin, tip = span
    back = min(width * 2.0 * (tip - begin), begin - earliest)
    if back < SHARE * (tip - begin):
        return None
    behind = sides.moved(begin - back, begin, run.at([begin - back])[0])
    if behind is not None and behind.t[-1] < begin:
        return None
    far = _far_side(sides, behind, (begin, tip), level) if behind is not None else None
    if behind is None or far is None:
        return None
    end, x = far
    way = end - begin
    before, size = _rates(sides, behind, begin, -back), np.maximum(1.0, np.abs(behind.x[-1]))
    last, evaluations = np.inf, behind.statistics.evaluations
    for _ in range(ROUNDS):
        ahead = sides.moved(end, end + width * way, x)
        if ahead is None:
            return None
        after = _rates(sides, ahead, end, float(ahead.t[-1]) - end)
        fit, misfit = _fitted(before, after, (begin, end), behind.x[-1])
        there = sides.settled(end, fit.at(np.array([end]))[0])
        if there is None:
            return None
        change, x = float((np.abs(there - x) / size).max()), there
        evaluations += ahead.statistics.evaluations + 2 * NODES
        if change <= ENOUGH or change > 0.5 * last:
            break
        last = change
    accepted = misfit <= MISFIT and min(change, last) <= CHANGE
    error = max(min(change, last), misfit * (end - begin))
    at_tip = sides.mismatch(tip, fit.at(np.array([tip]))[0])
    crossing = Crossing(tip, joint, error if accepted else max(error, 2.0 * CHANGE), at_tip)
    off = x - fit.at(np.array([end]))[0]
    work = Statistics(0, 0, evaluations, 0)
    return Bridge(np.array([begin, end]), np.vstack([behind.x[-1], x]), (), Status.DONE, work, run.method, fit,
                  crossing, off, sides.system.parameters.copy())  # fmt: skip


def _far_side(sides: Sides, behind: Integrated, span: tuple[float, float], level: float) -> tuple[float, Vector] | None:
    """The first time after the position at which the loops hold again, and a first guess of the state there."""
    begin, tip = span
    first = float(behind.t[0])
    middle, half = 0.5 * (first + begin), 0.5 * (begin - first)
    nodes = middle + half * np.cos(np.pi * (np.arange(FIRST_NODES) + 0.5) / FIRST_NODES)
    degree = FIRST_DEGREE if begin - first > tip - begin else 1
    coefficients = chebyshev.chebfit((nodes - middle) / half, behind.at(nodes), degree)
    reach = (tip - begin) * (1.0 if degree > 1 else max(1.0, level / sides.hold(begin, behind.x[-1])))
    for t in tip + reach * np.linspace(0.9, FARTHEST, 32):
        guess = chebyshev.chebval((t - middle) / half, coefficients)
        if sides.hold(t, guess) > 1.02 * level:
            x = sides.settled(t, guess)
            return None if x is None else (float(t), x)
    return None


def _rates(sides: Sides, run: Integrated, begin: float, length: float) -> Rates:
    """Rates of all states on one side, at times that are closest where it begins.

    A rounding of positions counts in rates by the third power of the hold.
    """
    times = begin + 0.5 * length * (1.0 - np.cos(np.pi * (np.arange(NODES) + 0.5) / NODES))
    pairs = list(zip(times.tolist(), run.at(times), strict=True))
    holds = np.array([sides.hold(t, x) for t, x in pairs])
    return times, np.array([sides.rates(t, x) for t, x in pairs]), np.minimum(1.0, holds / SURE) ** 3


def _fitted(before: Rates, after: Rates, span: tuple[float, float], x: Vector) -> tuple[Fit, float]:
    """One polynomial through the rates on both sides, and what it misses of them."""
    times, rates = np.concatenate([before[0], after[0]]), np.vstack([before[1], after[1]])
    weights = np.concatenate([before[2], after[2]])
    middle = 0.5 * (span[0] + span[1])
    half = float(np.abs(times - middle).max())
    where = (times - middle) / half
    fits = (chebyshev.chebfit(where, rates, degree, w=weights, full=True)[0] for degree in DEGREES)
    found = [np.asarray(each, np.float64) for each in fits]
    missed = [np.abs(weights[:, None] * (chebyshev.chebval(where, c).T - rates)).max(initial=0.0) for c in found]
    best = next(k for k, each in enumerate(missed) if each <= AS_WELL * missed[-1])
    size = max(1.0, float(np.abs(rates).max(initial=0.0)))
    return Fit(span[0], x, middle, half, found[best]), float(missed[best]) / size


def _not_passed(sides: Sides, run: Integrated, tip: float, joint: str) -> Finding:
    """What to say where no smooth motion leads through."""
    flows = [k for place in sides.system.dae.states if place.kind == "flow" for k in place.range]
    speed = np.abs(run.x[:, flows])
    slow = float(speed[-1].max(initial=0.0)) < 1e-3 * float(speed.max(initial=0.0)) or run.t.size < 3
    if slow:
        fact = "It comes to rest there, where bars or axes are in line and more than one motion is possible."
        cure = "Give it another start or a drive, or remove the ambiguity with a stop or a spring."
        problem = f"at t = {tip:.6g} s the loop through {joint!r} does not leave a singular position."
        return Finding(problem, fact, cure, (joint,))
    fact = "Continued with its velocity, the mechanism does not meet its constraints on the far side."
    cure = "Look whether the mechanism locks there; a stop or a spring can keep it from this position."
    problem = f"at t = {tip:.6g} s the loop through {joint!r} reaches a singular position that it cannot pass."
    return Finding(problem, fact, cure, (joint,))
