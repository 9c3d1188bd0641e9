"""Through positions in which constraints lose their hold: a bridge that continues the motion as it came.

Near such a position the constraint forces cannot be computed, and the two or more branches of the mechanism meet. The
motion that continues the velocity is smooth there, so a polynomial through the states before leads across; on the far
side the state is put back onto the constraints, and the integrator goes on.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

import numpy as np
from numpy.polynomial import chebyshev
from numpy.typing import ArrayLike

from multibond.equations.undetermined import singular_start
from multibond.errors import Finding, SimulationError
from multibond.expr import Function
from multibond.lower.system import System
from multibond.solve.contract import Event, Integrated, Statistics, Trajectory, Vector
from multibond.solve.guards import Guards, compile_guards
from multibond.solve.singular import DEEP, THIN, Pivots
from multibond.solve.solution import Change, Piece, Solution, evaluate
from multibond.solve.status import Status
from multibond.solve.stretch import InMode, Options, stretch

DEGREE = 9
"""Degree of the polynomial."""
BEHIND = 24.0
"""It is fitted over a time this many times as long as the way across, where there is so much."""
LEAST_BEHIND = 1.5
FURTHER = 6
"""So often the far end is moved on until the constraints hold again."""
OFF = 1e-5
"""A bridge whose far end is farther than this from the constraints leads nowhere."""
NODES, PLACES = 24, 33
"""Places at which it is fitted, and at which watched variables are looked at."""
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

    The time to the middle follows from the size of the pivot and its rate. None where it does not close in.
    """
    t_in = float(run.t[-1])
    h = 1e-2 * min(t_in - float(run.t[0]), float(np.diff(run.t)[-4:].max()))
    before, now = pivots.parts(np.array([t_in - h, t_in]), run.at([t_in - h, t_in]))
    way = 4.0 * now * h / (before - now) if before > now else np.inf
    if not way < (t_in - run.t[0]) / LEAST_BEHIND:
        return None
    span = max(t_in - BEHIND * float(way), float(run.t[0])), t_in
    nodes = 0.5 * (span[0] + span[1]) + 0.5 * (span[1] - span[0]) * np.cos(np.pi * (np.arange(NODES) + 0.5) / NODES)
    coefficients = chebyshev.chebfit((2 * nodes - sum(span)) / (span[1] - span[0]), run.at(nodes), DEGREE)
    return float(way), np.asarray(coefficients, np.float64), span


def cross(pivots: Pivots, run: Integrated) -> Bridge | None:
    """A bridge from the end of a run, where a pivot has become thin; None where the system stays regular."""
    t_in, joint = float(run.t[-1]), pivots.thinnest(float(run.t[-1]), run.x[-1])
    approach = _approach(pivots, run)
    if approach is None:
        if pivots.singular(t_in, run.x[-1]):
            raise _stays(t_in, joint)
        return None
    way, coefficients, span = approach
    middle = np.array([t_in + 0.5 * way])
    if not pivots.singular(float(middle[0]), _polynomial(coefficients, span, middle)[0]):
        return None
    t_out, x = _far_end(pivots, coefficients, span, way, joint)
    settled = _settled(pivots.system, t_out, x)
    if settled is None:
        raise _leads_nowhere(t_in, joint)
    states = np.vstack([run.x[-1], settled])
    nothing = Statistics(0, 0, 0, 0)
    return Bridge(np.array([t_in, t_out]), states, (), Status.DONE, nothing, run.method, coefficients, span)


def _far_end(
    pivots: Pivots, coefficients: Vector, span: tuple[float, float], way: float, joint: str
) -> tuple[float, Vector]:
    """Where the constraints hold again, and the state there."""
    for k in range(FURTHER):
        t_out = span[1] + way * (1.0 + 0.2 * k)
        x = _polynomial(coefficients, span, np.array([t_out]))
        if pivots.parts(np.array([t_out]), x)[0] > 1.5 * THIN:
            return t_out, x[0]
    raise _stays(span[1], joint)


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
class Way:
    """How a run goes on: to the end, with a solver and its longest step; `in_mode` compiles a system once more."""

    until: float
    solver: str
    longest: float
    options: Options
    in_mode: InMode

    def go(self, system: System, guards: Guards | None, t: float, x: Vector, resting: tuple[int, ...]) -> Integrated:
        """Integrate from a time and a state."""
        return stretch(
            system, guards, t, self.until, x, self.solver, self.options, resting=resting, max_step=self.longest
        )


Journey = tuple[tuple[Piece, ...], tuple[Change, ...]]


def travel(system: System, way: Way) -> Journey:
    """From the start to the end: in one stretch, or with bridges where the constraints lose their hold on the way."""
    pivots = Pivots(system)
    if pivots.active and pivots.lost(0.0, system.x0):
        raise SimulationError(singular_start((pivots.thinnest(0.0, system.x0),)))
    guards = compile_guards(system, way.options.events) if way.options.events else None
    run = way.go(system, guards, 0.0, system.x0, ())
    if not pivots.active:
        return (Piece(system, run),), ()
    if pivots.harmed(run.t, run.x):
        return _with_bridges(pivots, way)
    if run.status.failed and pivots.parts(run.t[-1:], run.x[-1:])[0] < DEEP:
        return _with_other_pivots(run, system, way)
    return (Piece(system, run),), ()


def _with_bridges(pivots: Pivots, way: Way) -> Journey:
    system, pieces, changes = pivots.system, [], []
    watched = tuple(way.options.events)
    guards = compile_guards(system, way.options.events, border=pivots.guard)
    t, x, resting = 0.0, system.x0, ()
    while True:
        run = way.go(system, guards, t, x, resting)
        pieces.append(Piece(system, run))
        t, x, resting = float(run.t[-1]), run.x[-1], (len(watched),)
        if run.status != Status.EVENT or t >= way.until:
            return tuple(pieces), tuple(changes)
        try:
            bridge = cross(pivots, run)
        except SimulationError as error:
            error.run = Solution(tuple(pieces), watched, "", tuple(changes))
            raise
        if bridge is not None:
            changes.append(Change(0.5 * float(bridge.t.sum()), pivots.thinnest(t, x), PASSED))
            pieces.append(Piece(system, replace(bridge, events=_crossings(system, bridge, way.options.events))))
            t, x, resting = float(bridge.t[-1]), bridge.x[-1], ()


def _with_other_pivots(run: Integrated, system: System, way: Way) -> Journey:
    """A run that ended where a pivot vanishes, though the system is regular: go on with pivots chosen there."""
    values = {(s.path, s.name): run.x[-1][s.start : s.stop] for s in system.dae.states}
    fresh = way.in_mode(system, {}, [values])
    guards = compile_guards(fresh, way.options.events) if way.options.events else None
    rest = way.go(fresh, guards, float(run.t[-1]), run.x[-1], ())
    done = run.up_to(run.t.size - 1)
    return (Piece(system, done), Piece(fresh, rest)), ()
