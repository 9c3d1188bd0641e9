"""One stretch of a run: a compiled system integrated between two instants."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from multibond.errors import SimulationError
from multibond.graph.component import Component
from multibond.lower.system import System
from multibond.solve.choose import Choice, choose_solver
from multibond.solve.contract import Angles, BrokenOff, Integrated, Integration, NativeModel, Steps, Trajectory, Watch
from multibond.solve.crossing import Sides, behind_dip, cross
from multibond.solve.crossing_events import with_events
from multibond.solve.guards import Guards
from multibond.solve.joined import ended, joined
from multibond.solve.methods import METHODS
from multibond.solve.status import Status

Rebuild = Callable[[System, Mapping[str, Component], Sequence[dict[tuple[str, str], np.ndarray]]], System]
"""Compiles a system once more, with other elements (modes, independent velocities) or only other pivots, as seen from
given energy variables."""

MANY = 10_000_000
"""Steps after which any stretch ends."""
FINEST = 1e-12
"""Errors of steps add up along a run: a method keeps each to a part of the tolerance, down to the finest."""
LOOKS = 256
"""Times at which the unknowns of a system without states are looked for."""


@dataclass(frozen=True)
class Options:
    """How to run: solver ("auto" to choose), tolerances, length of fixed steps, crossings to record.

    sensors: whether what Dq and Dp gather counts in the error of a step even where nothing reads it.
    """

    solver: str = "auto"
    rtol: float = 1e-9
    atol: float = 1e-12
    step: float | None = None
    events: Mapping[str, tuple[float, int]] = field(default_factory=dict)
    progress: Callable[[float], None] | None = None
    sensors: bool = False


@dataclass(frozen=True)
class Pace:
    """The steps of a stretch: by which solver, how long the first and the longest may be  [s], how many at the most."""

    solver: str
    first: float | None = None
    longest: float = np.inf
    most: int = MANY


def solver_for(system: System, until: float, options: Options) -> Choice:
    """The solver for a run of this length, and why."""
    if options.solver != "auto":
        return Choice(options.solver, "as asked for")
    return choose_solver(system, until, options.rtol, options.atol)


def stretch(
    system: System, span: tuple[float, float], x: np.ndarray, pace: Pace, options: Options,
    guards: Guards | None = None, resting: tuple[int, ...] = (), *, after: Trajectory | None = None,
) -> Trajectory:  # fmt: skip
    """Integrate over a span of time  [s]; `resting` lists guards at which the run stands, which count as zero."""
    return Stretches(system, pace.solver, options, guards).go(span, x, pace, resting)


class Stretches:
    """Stretches of one system by one solver, one after the other."""

    def __init__(self, system: System, solver: str, options: Options, guards: Guards | None) -> None:
        atol = options.atol * system.usual_sizes
        atol = atol if options.sensors else np.where(system.silent, np.inf, atol)
        self._system, self._options = system, options
        self._steps = Steps(solver, _kept(options.rtol, solver), atol, step=options.step)
        self._directions = guards.directions if guards else None
        self._terminal = guards.terminal if guards else None
        self._model = native(system, stiff=METHODS[solver].implicit, guards=guards)
        self._integration = Integration(self._model, self._steps)

    def go(
        self, span: tuple[float, float], x: np.ndarray, pace: Pace, resting: tuple[int, ...] = (),
        *, after: Trajectory | None = None,
    ) -> Trajectory:  # fmt: skip
        """Integrate over a span of time  [s]; `resting` lists guards at which the run stands, which count as zero.

        after: the stretch before, where there is one. Singular positions on the way are crossed.
        Without states nothing limits the steps, so that unknowns found by iteration are looked for often.
        """
        system, options, longest = self._system, self._options, pace.longest
        if not system.n and system.reduced.implicit:
            longest = min(longest, (span[1] - span[0]) / LOOKS)
        steps = replace(self._steps, first_step=pace.first, max_step=longest, max_steps=pace.most)
        watch, p = Watch(self._directions, self._terminal, resting, options.progress), system.parameters
        try:
            run = self._integration.run(*span, x, p, steps, watch, after=after)
            if run.status == Status.TOO_SMALL and steps.rtol < options.rtol:  # a jump, as exactly as the clock can tell
                run = self._integration.run(*span, x, p, replace(steps, rtol=options.rtol), watch, after=after)
            return self._across(run, span[1], steps, watch) if run.status == Status.SINGULAR else run
        except BrokenOff as stop:
            stop.system = system
            raise

    def _across(self, run: Integrated, until: float, steps: Steps, watch: Watch) -> Trajectory:
        """A run that has met a small hold goes on behind it, and behind those that follow."""
        parts: tuple[Trajectory, ...] = ()
        last, system, p = -np.inf, self._system, self._system.parameters
        sides = Sides(system, replace(self._model, guards=None, n_guards=0), METHODS[steps.method].implicit)
        steps, watch = replace(steps, first_step=None), replace(watch, resting=())
        while run.status == Status.SINGULAR:
            try:
                bridge = cross(sides, run, joined((*parts, run)), last)
                last = float(run.t[-1])
            except SimulationError as error:
                error.run = joined((*parts, run))
                raise
            if bridge is not None:
                short = bridge.up_to_time(min(until, float(bridge.t[-1])))
                begun = ended(run, float(bridge.t[0]), bridge.x[0])
                added: tuple[Trajectory, ...] = begun, with_events(short, system, self._model, watch)
            else:  # fast, but regular: it is followed as it is
                end, free = min(until, behind_dip(sides, run)), replace(steps, least_hold=0.0)
                through = self._integration.run(float(run.t[-1]), end, run.x[-1], p, free, watch, after=run)
                added = replace(run, status=Status.DONE), through
            parts = (*parts, *added)
            t, x = float(parts[-1].t[-1]), parts[-1].x[-1]
            if parts[-1].status != Status.DONE or t >= until:
                return joined(parts)
            run = self._integration.run(t, until, x, p, steps, watch, after=parts[-1])
        return joined((*parts, run))


def _kept(rtol: float, solver: str) -> float:
    """The tolerance of one step."""
    return max(METHODS[solver].traits.margin * rtol, min(rtol, FINEST))


def native(system: System, *, stiff: bool = False, guards: Guards | None = None) -> NativeModel:
    """The addresses that an integrator needs."""
    code = system.code
    rhs = code.address("rhs")
    assert rhs is not None
    slopes = system.stiff_code if stiff else None
    return NativeModel(
        n=system.n,
        angles=Angles(tuple(a.state for a in system.dae.angles), tuple(a.turns for a in system.dae.angles)),
        rhs=rhs,
        work_size=system.work_size,
        work_start=system.code.work_start,
        position_step=code.address("position_step"),
        velocity_step=code.address("velocity_step"),
        holds=system.usual_hold,
        keep=(system, guards),
        again=(native, (system,)),
        jacobian=slopes.address("jacobian") if slopes else None,
        partial_t=slopes.address("partial_t") if slopes else None,
        guards=guards.code.address("guards") if guards is not None else None,
        n_guards=len(guards.directions) if guards is not None else 0,
    )
