"""Start: a state that assembles the machine, as near as possible to what the user gave, and what had to be moved.

Given values are exact, guesses and what is not given may move. Positions first (the nearest of the branches on which
all loops close, springs in the place of constraints where none is found), then flows, then accelerations where given.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

import casadi as ca
import numpy as np

from multibond.elements.kinematics import TURNS
from multibond.equations.consistent import Manifold, closing, manifold
from multibond.equations.dae import Dae, Whole
from multibond.equations.household import state_names
from multibond.equations.nearest import Values, close, nearest
from multibond.equations.observe import observer_of
from multibond.equations.reduce import Reduced
from multibond.errors import Finding, StartError
from multibond.expr import SX, Function, column
from multibond.solve.accelerate import TOLERANCE as REACHED
from multibond.solve.accelerate import accelerations, not_reached, reach
from multibond.solve.branches import EQUAL, TOLERANCE, Closed, assembled, wishes_of
from multibond.solve.given import Given, Wish, collect
from multibond.solve.poles import require_no_pole
from multibond.solve.relax import relax
from multibond.solve.search import Unknowns, together
from multibond.solve.start_faults import cannot_meet, cannot_move, no_balance
from multibond.solve.stops import require_between_stops
from multibond.solve.turning_together import TOGETHER, offsets

SET, KEPT = " set to ", " keeps its guess of "


@dataclass(frozen=True)
class Start:
    """A consistent state and, in words, what was moved to get there and what else is to be known of it."""

    x: np.ndarray
    moved: tuple[str, ...]
    stored: dict[tuple[str, str], np.ndarray] = field(default_factory=dict)
    """What dependent storages were said to hold; a machine with modes begins from there with a jump."""
    p: np.ndarray = field(default_factory=lambda: np.zeros(0))
    """All parameters, those that were sought as they were found."""


def assemble_start(dae: Dae, whole: Whole, p: np.ndarray, *, loose: bool = False) -> Start:
    """Positions that close every loop with the given values exact, or say which joints cannot meet."""
    at = Unknowns(dae, whole, collect(dae, whole, p, loose), p)
    found = _assembled(at)
    x, p = at.split(found.z)
    require_no_pole(dae, x)
    return Start(x, (found.rival,) if found.rival else (), p=p)


def relaxed_start(dae: Dae, whole: Whole, p: np.ndarray) -> Start:
    """The start by springs in the place of constraints; speeds as their rates allow, accelerations left out."""
    given = collect(dae, whole, p, False)
    shape = manifold(dae, whole, column(given.positions), column(given.flows))
    x, error = relax(shape, given.x, p, given.fixed)
    if error > TOLERANCE:
        raise StartError(cannot_meet(dae, whole, given, x, p))
    x, error = shape.settle_flows(x, p, given.fixed)
    if error > TOLERANCE * max(1.0, float(np.abs(x).max(initial=0.0))):
        raise StartError(cannot_move(dae, given, error))
    return Start(x, _moved(dae, given, x), p=p)


def given_start(dae: Dae, whole: Whole, p: np.ndarray) -> np.ndarray:
    """The state that was given, joints apart where they do not meet there; what was not given stays at zero."""
    return collect(dae, whole, p, True).x


def find_start(r: Reduced, p: np.ndarray, *, loose: bool = False, near: Start | None = None) -> Start:
    """Find the start state: positions and flows that obey the constraints, hidden conditions included.

    loose: what is given for dependent storages is no condition on the others, because a jump follows.
    near: where the loops are closed already.
    """
    dae, whole = r.dae, r.whole
    near = assemble_start(dae, whole, p, loose=loose) if near is None else near
    at = Unknowns(dae, whole, collect(dae, whole, p, loose), near.p)
    stage = _Stage(r, at, manifold(dae, whole))
    z = stage.flows(stage.positions(at.joined(near.x, near.p)))
    if at.given.accelerations or at.given.guessed_accelerations:
        z = stage.accelerations(z)
    x, p = at.split(z)
    require_no_pole(dae, x)
    require_between_stops(dae, whole, x, p)
    x = _followed(dae, whole, x, p)
    kept = (
        [line for line in near.moved if EQUAL in line]
        if np.allclose(x[stage.shape.positions], near.x[stage.shape.positions])
        else []
    )
    lines = (*_moved(dae, at.given, x), *kept, *offsets(dae, whole, x, p))
    return Start(x, lines, at.given.stored, p)


def _assembled(at: Unknowns) -> Closed:
    """The nearest position; where Newton's method finds none, that to which springs pull."""
    given, shape = at.given, manifold(at.dae, at.whole, column(at.given.positions))
    found = assembled(at, shape.positions)
    for begin in (given.x, found.z[: at.dae.nx]) if found.error > TOLERANCE else ():
        x, error = relax(shape, begin, at.p, given.fixed)
        found = Closed(at.joined(x, at.p), error) if error < found.error else found
    if found.error > TOLERANCE:
        x, p = at.split(found.z)
        raise StartError(cannot_meet(at.dae, at.whole, given, x, p))
    return found


@dataclass(frozen=True)
class _Stage:
    """The stages of a start after the loops are closed: hidden balances, flows, accelerations."""

    r: Reduced
    at: Unknowns
    shape: Manifold

    @cached_property
    def position_rows(self) -> SX:
        """What vanishes in positions that are possible and as given."""
        return column([closing(self.at.dae, self.at.whole), *self.at.given.positions, self.r.hidden_positions])

    @cached_property
    def flow_rows(self) -> SX:
        """What vanishes for flows that are possible and as given."""
        return column([self.at.whole.held_flow, self._solved(self.at.given.flows), self.r.hidden_flows])

    def positions(self, z: np.ndarray) -> np.ndarray:
        """Where massless parts are in balance too."""
        at, given, states = self.at, self.at.given, self.shape.positions
        if not self.r.hidden_positions.numel():
            return z
        held, freedom = at.values(self.position_rows), at.freedom(states)
        z, error = close(held, z, freedom)
        if error > TOLERANCE:
            z = self._relaxed(z)
        wishes = wishes_of(at, states, [at.values(column(given.guessed_positions))], given.other_positions)
        return nearest(held, wishes[:-1], z, freedom)

    def _relaxed(self, z: np.ndarray) -> np.ndarray:
        """Where springs in the place of conditions pull to, if these hold there."""
        at = self.at
        shape = manifold(at.dae, at.whole, column([*at.given.positions, self.r.hidden_positions]))
        x, error = relax(shape, z[: at.dae.nx], at.p, at.given.fixed)
        if error > TOLERANCE:
            raise StartError(no_balance(self.r))
        return at.joined(x, at.p)

    def flows(self, z: np.ndarray) -> np.ndarray:
        """Speeds and storages as their constraints allow."""
        at, given, states = self.at, self.at.given, self.shape.flows
        if at.sought.size:  # a parameter that closes the loops must go on doing so
            states = np.concatenate([self.shape.positions, states])
        held = at.values(column([self.position_rows, self.flow_rows]) if at.sought.size else self.flow_rows)
        freedom = at.freedom(states)
        z, _ = close(held, z, freedom, 30)
        value, slope = held(z)
        error = float((np.abs(value) / np.maximum(1.0, np.abs(slope).max(axis=1, initial=0.0))).max(initial=0.0))
        if error > TOLERANCE * max(1.0, float(np.abs(z).max(initial=0.0))) and not given.loose:
            raise StartError(cannot_move(at.dae, given, error))
        guesses = [at.values(self._solved(given.guessed_flows))]
        return nearest(held, wishes_of(at, states, guesses, self._at_cuts(z)), z, freedom)

    def accelerations(self, z: np.ndarray) -> np.ndarray:
        """The nearest state in which the given accelerations hold too."""
        at, given = self.at, self.at.given
        states = np.concatenate([self.shape.positions, self.shape.flows])
        guesses = [at.values(column([*given.guessed_positions, self._solved(given.guessed_flows)]))]
        guesses += [accelerations(self.r, at, [wish]) for wish in given.guessed_accelerations]
        others = [*given.other_positions, *self._at_cuts(z)]
        wishes, freedom = wishes_of(at, states, guesses, others), at.freedom(states)
        z_found, error = reach(self.conditions(given.accelerations), wishes, z, freedom)
        if error > REACHED:
            alone = [w for w in given.accelerations if reach(self.conditions([w]), (), z, freedom)[1] > REACHED]
            raise StartError(not_reached(given.accelerations, alone, error, given.names, freedom.free.size))
        return z_found

    def conditions(self, wishes: Sequence[Wish]) -> Values:
        """All conditions on a state: positions, flows, given accelerations."""
        rows = self.at.values(column([self.position_rows, self.flow_rows]))
        return together(rows, accelerations(self.r, self.at, wishes)) if wishes else rows

    def _at_cuts(self, z: np.ndarray) -> list[SX]:
        """Speeds at cuts that are not given, as far as formulas of states tell them; none where nothing moves."""
        given, others, flows = self.at.given, column([*self.at.given.other_flows]), self.shape.flows
        moving = given.guessed_flows or given.accelerations or np.any(z[flows]) or np.any(given.x[flows])
        if not moving or not others.numel() or (self._unsolved and ca.depends_on(others, self.r.whole.y)):
            return []
        return [self._solved([others])]

    @property
    def _unsolved(self) -> bool:
        """Whether no formulas of states tell the unknowns of algebraic loops."""
        return self.r.implicit or self.r.solver is None

    def _solved(self, flows: Sequence[SX]) -> SX:
        """Conditions of states alone: what they say of algebraic loops is expressed by the states."""
        r, conditions = self.r, column([*flows])
        if not conditions.numel() or not ca.depends_on(conditions, r.whole.y):
            return conditions
        if self._unsolved:
            told = self.at.given.names
            names = tuple(name.rpartition(".")[0] for name in told)
            fact = "A storage among them follows the others through laws that no formula solves."
            cure = "Give the start of the other storages; this one follows."
            raise StartError(Finding(f"not all of {', '.join(told)} can be given.", fact, cure, names))
        return ca.substitute(conditions, r.whole.y, ca.densify(r.y))


def conditions_at(r: Reduced, p: np.ndarray) -> tuple[Given, Manifold, Values]:
    """What is given, and everything that a start obeys, with its slopes."""
    at = Unknowns(r.dae, r.whole, collect(r.dae, r.whole, p, False), p)
    stage = _Stage(r, at, manifold(r.dae, r.whole))
    return at.given, stage.shape, stage.conditions(at.given.accelerations)


def _followed(dae: Dae, whole: Whole, x: np.ndarray, p: np.ndarray) -> np.ndarray:
    """The state in which what follows the turns of cut joints begins where their coordinates are."""
    places = [place for place in dae.states if place.name == TURNS]
    if not places:
        return x
    observer, x = observer_of(dae, whole), x.copy()
    for place in places:
        q = Function("q", [whole.t, whole.x, whole.p], [observer.expression(f"{place.path}.q")])
        x[place.start : place.stop] = np.asarray(q(0.0, x, p)).ravel()[: place.size]
    return x


def is_of_start(line: str) -> bool:
    """Whether a line tells of the start: what was moved, which branch, which offset."""
    return any(words in line for words in (SET, EQUAL, TOGETHER, KEPT))


def _moved(dae: Dae, given: Given, after: np.ndarray) -> tuple[str, ...]:
    lines, named = [], state_names(dae)
    for place in dae.states:
        index = list(place.range)
        change = np.abs(after[index] - given.x[index]).max(initial=0.0)
        if change > 1e-9 and not given.fixed[index].all():
            numbers = ", ".join(f"{v:.6g}" for v in after[index])
            lines.append(f"{named[place.path, place.name]}{SET}{numbers}")
    return tuple(lines)
