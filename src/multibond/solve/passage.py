"""Through positions in which constraints lose their hold: a bridge that continues the motion as it came.

Near such a position the constraint forces cannot be computed, and the two or more branches of the mechanism meet. The
motion that continues the velocity is smooth there, so a polynomial through the states before leads across; on the far
side the state is put back onto the constraints, and the integrator goes on.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
from numpy.polynomial import chebyshev
from numpy.typing import ArrayLike

from multibond.errors import Finding, SimulationError
from multibond.expr import Function
from multibond.lower.system import System
from multibond.solve.contract import Event, Integrated, Statistics, Trajectory, Vector
from multibond.solve.guards import Guards, compile_guards
from multibond.solve.reading import evaluate
from multibond.solve.singular import THIN, Pivots
from multibond.solve.solution import Change, Piece, Solution
from multibond.solve.status import Status
from multibond.solve.stretch import Options
from multibond.solve.way import Journey, Way

DEGREE = 9
"""Degree of the polynomial."""
BEHIND = 24.0
"""It is fitted over a time this many times as long as the way across, where there is so much."""
LEAST_BEHIND = 1.5
FURTHER = (1.0, 1.2, 1.5, 2.0, 3.0, 4.0)
"""Ends of the bridge that are tried one after the other, in parts of the way across, until the constraints hold."""
LOOKS_BACK, CLOSE = 4, 0.02
"""How often its rate is looked at, in the end over this part of the way across."""
OFF = 1e-5
"""A bridge whose far end is farther than this from the constraints leads nowhere."""
NODES, PLACES = 24, 33
"""Places at which it is fitted, and at which watched variables are looked at."""
THICK = 0.05
"""A system whose pivots are no thinner than this is taken up again."""
MOST_SYSTEMS = 12
PASSED = "passed a position in which its loop is singular"


@dataclass(frozen=True)
class Bridge(Trajectory):
    """A polynomial in the place of steps."""

    coefficients: Vector
    span: tuple[float, float]

    def at(self, times: ArrayLike) -> Vector:
        wanted = np.atleast_1d(np.asarray(times, float))
        return _polynomial(self.coefficients, self.span, wanted)


def _polynomial(coefficients: Vector, span: tuple[float, float], times: Vector) -> Vector:
    where = (2 * times - (span[0] + span[1])) / (span[1] - span[0])
    return np.asarray(chebyshev.chebval(where, coefficients), np.float64).T


def _approach(pivots: Pivots, run: Integrated) -> tuple[float, Vector, tuple[float, float]] | None:
    """The way across from the end of a run, where a pivot has become thin: its length and a polynomial along it.

    The time to the middle follows from the size of the pivot and its rate, looked at from nearer and nearer. None where
    it does not close in.
    """
    t_in = float(run.t[-1])
    h = 1e-2 * min(t_in - float(run.t[0]), float(np.diff(run.t)[-4:].max()))
    way = np.inf
    for _ in range(LOOKS_BACK):
        before, now = pivots.parts(np.array([t_in - h, t_in]), run.at([t_in - h, t_in]))
        way = 4.0 * now * h / (before - now) if before > now else np.inf
        h = min(h, CLOSE * float(way))
    if not way < (t_in - run.t[0]) / LEAST_BEHIND:
        return None
    span = max(t_in - BEHIND * float(way), float(run.t[0])), t_in
    nodes = 0.5 * (span[0] + span[1]) + 0.5 * (span[1] - span[0]) * np.cos(np.pi * (np.arange(NODES) + 0.5) / NODES)
    coefficients = chebyshev.chebfit((2 * nodes - sum(span)) / (span[1] - span[0]), run.at(nodes), DEGREE)
    return float(way), np.asarray(coefficients, np.float64), span


@dataclass(frozen=True)
class Approach:
    """What lies ahead of a run that ends where a pivot is thin; `way` and polynomial are those of `_approach`."""

    regular: bool
    """Only the pivot is thin: the run may go on as it is."""
    passable: bool = True
    """Another choice among redundant constraints serves; else all of them lose their hold."""
    way: float = 0.0
    coefficients: Vector = field(default_factory=lambda: np.zeros(0))
    span: tuple[float, float] = (0.0, 0.0)


def look_ahead(pivots: Pivots, run: Integrated) -> Approach:
    """What lies ahead of the end of a run, where a pivot has become thin."""
    t, x = float(run.t[-1]), run.x[-1]
    found = _approach(pivots, run)
    if found is None:
        if pivots.singular(t, x):
            raise _stays(t, pivots.thinnest(t, x))
        return Approach(not pivots.irregular(t, x))
    way, coefficients, span = found
    t = span[1] + 0.5 * way
    x = _polynomial(coefficients, span, np.array([t]))[0]
    return Approach(not pivots.irregular(t, x), not pivots.singular(t, x), way, coefficients, span)


def cross(pivots: Pivots, run: Integrated, ahead: Approach) -> Bridge:
    """A bridge from the end of a run across a singular position."""
    t_in, joint = float(run.t[-1]), pivots.thinnest(float(run.t[-1]), run.x[-1])
    found = _far_end(pivots, ahead, joint)
    if found is None:
        raise _leads_nowhere(t_in, joint)
    t_out, settled = found
    states = np.vstack([run.x[-1], settled])
    nothing = Statistics(0, 0, 0, 0)
    times = np.array([t_in, t_out])
    return Bridge(times, states, (), Status.DONE, nothing, run.method, ahead.coefficients, ahead.span)


def _far_end(pivots: Pivots, ahead: Approach, joint: str) -> tuple[float, Vector] | None:
    """Where the constraints hold again, and the state there put back onto them; None where it does not meet them."""
    leaves = False
    for factor in FURTHER:
        t_out = ahead.span[1] + factor * ahead.way
        x = _polynomial(ahead.coefficients, ahead.span, np.array([t_out]))
        if pivots.parts(np.array([t_out]), x)[0] <= 1.5 * THIN:
            continue
        leaves, settled = True, _settled(pivots.system, t_out, x[0])
        if settled is not None:
            return t_out, settled
    if not leaves:
        raise _stays(ahead.span[1], joint)
    return None


def _settled(system: System, t: float, x: Vector) -> Vector | None:
    """A state put back onto the constraints; None where that takes more than a small change."""
    shape, nothing = system.reduced.shape, np.zeros(x.size, bool)
    there, gap = shape.settle_positions(x, system.parameters, nothing, t=t)
    there, _ = shape.settle_flows(there, system.parameters, nothing, t=t)
    near = np.abs(there - x).max() <= OFF * max(1.0, float(np.abs(x).max()))
    return there if gap < 1e-9 and near else None


def _stays(t: float, joint: str) -> SimulationError:
    fact = "It comes to rest there, where bars or axes are in line and more than one motion is possible."
    cure = "Give it another start or a drive, or remove the ambiguity with a stop or a spring."
    problem = f"at t = {t:.6g} s the loop through {joint!r} does not leave a singular position."
    return SimulationError(Finding(problem, fact, cure, (joint,)))


def _leads_nowhere(t: float, joint: str) -> SimulationError:
    fact = "Continued with its velocity, the mechanism does not meet its constraints on the far side."
    cure = "Look whether the mechanism locks there; a stop or a spring can keep it from this position."
    problem = f"at t = {t:.6g} s the loop through {joint!r} reaches a singular position that it cannot pass."
    return SimulationError(Finding(problem, fact, cure, (joint,)))


def _crossings(system: System, bridge: Bridge, events: Mapping[str, tuple[float, int]]) -> tuple[Event, ...]:
    """Crossings of watched variables on a bridge, in order of time."""
    found = []
    for k, (name, (level, direction)) in enumerate(events.items()):
        function = system.observer.function([name])

        def value(times: Vector, function: Function = function, level: float = level) -> Vector:
            return evaluate(system, function, times, bridge.at(times))[:, 0] - level

        grid = np.linspace(float(bridge.t[0]), float(bridge.t[-1]), PLACES)
        signs = np.sign(value(grid))
        for j in np.flatnonzero(signs[1:] * signs[:-1] < 0):
            if direction in (0, signs[j + 1]):
                t = _root(value, float(grid[j]), float(grid[j + 1]))
                found.append(Event(t, k, bridge.at([t])[0]))
    return tuple(sorted(found, key=lambda event: event.time))


def _root(value: Callable[[Vector], Vector], low: float, high: float) -> float:
    rising = value(np.array([low]))[0] < 0
    for _ in range(60):
        middle = 0.5 * (low + high)
        below = (value(np.array([middle]))[0] < 0) == rising
        low, high = (middle, high) if below else (low, middle)
    return high


@dataclass(frozen=True)
class Guarded:
    """A system with a guard that ends a stretch where one of its pivots becomes thin."""

    pivots: Pivots
    options: Options

    @cached_property
    def guards(self) -> Guards:
        """The guards: watched variables, then the pivots."""
        return compile_guards(self.pivots.system, self.options.events, border=self.pivots.guard)

    def at(self, t: float, x: Vector) -> float:
        """The thinnest pivot at a state."""
        return float(self.pivots.parts(np.array([t]), x[None, :])[0])


@dataclass
class Careful:
    """A run that stops wherever a pivot becomes thin: it crosses a singular position, or goes on with other pivots."""

    way: Way
    known: list[Guarded]
    pieces: list[Piece] = field(default_factory=list)
    changes: list[Change] = field(default_factory=list)

    def travel(self) -> Journey:
        """Go from the start to the end."""
        now = self.known[0]
        t, x, resting = 0.0, now.pivots.system.x0, ()
        while True:
            run = self.way.go(now.pivots.system, now.guards, t, x, resting=resting)
            self.pieces.append(Piece(now.pivots.system, run))
            self.way.require_no_pole(now.guards, run, tuple(self.pieces), tuple(self.changes))
            t, x, resting = float(run.t[-1]), run.x[-1], ()
            if run.status != Status.EVENT or t >= self.way.until:
                return tuple(self.pieces), tuple(self.changes)
            try:
                now, t, x = self._go_on(now, run)
            except SimulationError as error:
                error.run = Solution(tuple(self.pieces), tuple(self.way.options.events), "", tuple(self.changes))
                raise
            resting = (len(self.way.options.events),) if now.at(t, x) <= 1.01 * THIN else ()

    def _go_on(self, now: Guarded, run: Integrated) -> tuple[Guarded, float, Vector]:
        """With which system, and from where, a run goes on after a pivot has become thin."""
        t, x, ahead = float(run.t[-1]), run.x[-1], look_ahead(now.pivots, run)
        if ahead.regular:
            return now, t, x
        if ahead.passable:
            return self._other(t, x), t, x
        bridge, system = cross(now.pivots, run, ahead), now.pivots.system
        self.changes.append(Change(0.5 * float(bridge.t.sum()), now.pivots.thinnest(t, x), PASSED))
        self.pieces.append(Piece(system, replace(bridge, events=_crossings(system, bridge, self.way.options.events))))
        return now, float(bridge.t[-1]), bridge.x[-1]

    def _other(self, t: float, x: Vector) -> Guarded:
        """The same system with pivots, and a choice of constraints, that serve here: a known one, or a new one."""
        best = max(self.known, key=lambda each: each.at(t, x))
        if best.at(t, x) >= THICK or len(self.known) >= MOST_SYSTEMS:
            return best
        first = self.known[0].pivots
        fresh = self.way.rebuild(first.system, {}, [first.system.dae.energy_variables(x)])
        fresh = Guarded(Pivots(fresh, first.usual_states), self.way.options)
        self.known.append(fresh)
        return fresh
