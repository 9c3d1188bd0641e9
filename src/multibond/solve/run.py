"""A run: a compiled system from its start to an end time, in one stretch or from instant to instant."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from multibond.equations.instants import has_instants
from multibond.errors import MultibondError, SimulationError
from multibond.lower.system import System
from multibond.solve.choose import choose_solver
from multibond.solve.contract import NativeModel, Trajectory, integrate
from multibond.solve.guards import Guards, compile_guards
from multibond.solve.hybrid import Machine, Settings, chattering, explain
from multibond.solve.modes import Mode, Values
from multibond.solve.samples import Clock
from multibond.solve.solution import Change, Piece, Solution
from multibond.solve.status import Status

JUST_BEFORE = 2.0**-48
"""How far before a kink the step towards it ends, as a part of the time."""

STUCK = 1e-9
"""A run that ends within this part of its length after a jump did not get away from it."""

InMode = Callable[[System, Mapping[str, str], Sequence[Values]], System]


@dataclass(frozen=True)
class Options:
    """How to run: solver ("auto" to choose), tolerances, length of fixed steps, crossings to record."""

    solver: str = "auto"
    rtol: float = 1e-9
    atol: float = 1e-12
    step: float | None = None
    events: Mapping[str, tuple[float, int]] = field(default_factory=dict)
    progress: Callable[[float], None] | None = None


def run(system: System, until: float, options: Options, in_mode: InMode) -> Solution:
    """Run a system; `in_mode` compiles it in other modes where it changes them."""
    if has_instants(system.dae):
        return _Course(system, until, options, in_mode).run()
    solver, reason = _solver(system, until, options)
    guards = compile_guards(system, options.events) if options.events else None
    trajectory = _stretch(system, guards, 0.0, until, system.x0, solver, options)
    return Solution((Piece(system, trajectory),), tuple(options.events), reason)


def _solver(system: System, until: float, options: Options) -> tuple[str, str]:
    return choose_solver(system, until) if options.solver == "auto" else (options.solver, "as asked for")


def _stretch(
    system: System, guards: Guards | None, t0: float, t1: float, x: np.ndarray, solver: str, options: Options,
    *, resting: tuple[int, ...] = (), first_step: float | None = None, max_step: float = np.inf,
) -> Trajectory:  # fmt: skip
    return integrate(
        native(system, stiff=solver == "rodas5p", guards=guards),
        t0,
        t1,
        x,
        system.parameters,
        method=solver,
        rtol=options.rtol,
        atol=options.atol * system.usual_sizes,
        step=options.step,
        first_step=first_step,
        max_step=max_step,
        directions=guards.directions if guards else None,
        terminal=guards.terminal if guards else None,
        resting=resting,
        progress=options.progress,
    )


def native(system: System, *, stiff: bool = False, guards: Guards | None = None) -> NativeModel:
    """The addresses that an integrator needs."""
    code = system.code
    rhs = code.address("rhs")
    assert rhs is not None
    slopes = system.stiff_code if stiff else None
    return NativeModel(
        n=system.n,
        rhs=rhs,
        work_size=system.work_size,
        work_start=system.code.work_start,
        position_step=code.address("position_step"),
        velocity_step=code.address("velocity_step"),
        keep=(system, guards),
        jacobian=slopes.address("jacobian") if slopes else None,
        partial_t=slopes.address("partial_t") if slopes else None,
        guards=guards.code.address("guards") if guards is not None else None,
        n_guards=len(guards.directions) if guards is not None else 0,
    )


@dataclass
class _Course:
    """A run from instant to instant."""

    system: System
    until: float
    options: Options
    in_mode: InMode
    pieces: list[Piece] = field(default_factory=list)
    changes: list[Change] = field(default_factory=list)
    guards: dict[int, Guards] = field(default_factory=dict)
    solvers: dict[int, str] = field(default_factory=dict)
    longest: dict[int, float] = field(default_factory=dict)
    reason: str = ""

    def run(self) -> Solution:
        """Go from instant to instant until the end; a fault on the way keeps the pieces so far."""
        machine = Machine(
            lambda modes, views: self.in_mode(self.system, modes, views),
            Settings(self.until, self.options.rtol, self.options.atol),
        )
        elements = self.system.dae.graph.elements
        modes = {p: str(vars(e)["mode"]) for p, e in elements.items() if "mode" in e.parameters()}
        self.t = 0.0
        try:
            self._advance(machine, modes)
        except MultibondError as fault:
            error = fault if isinstance(fault, SimulationError) else explain(fault, self.modes, self.t)
            error.run = self._solution() if self.pieces else None
            raise error from None
        return self._solution()

    def _solution(self) -> Solution:
        return Solution(tuple(self.pieces), tuple(self.options.events), self.reason, tuple(self.changes))

    def _advance(self, machine: Machine, modes: dict[str, str]) -> None:
        self.modes = modes
        mode = machine.mode_of(self.system, modes)
        clock = Clock(mode.periods)
        step = 1e-3 * self.until
        x = mode.renew(0.0, self.system.x0, clock.due(0.0)) if clock.periods else self.system.x0
        mode, x = self._settle(machine, mode, step, mode.values(0.0, x) | self.system.stored, {})
        resting: tuple[int, ...] = ()
        while True:
            end = min(self.until, clock.after(self.t))
            trajectory, guards = self._integrate(machine, mode, end, x, resting)
            peep = mode.missed(trajectory)
            if peep is not None:
                trajectory, guards = self._integrate(machine, mode, peep, x, resting)
            if trajectory.status.failed:
                self.pieces.append(Piece(mode.system, trajectory))
                self._refuse_jumps(mode, float(trajectory.t[-1]), resting)
                return
            self.t = float(trajectory.t[-1])
            x = self._keep(mode, trajectory, guards)
            step = float(np.diff(trajectory.t)[-4:].max(initial=0.0)) or step
            if trajectory.status == Status.EVENT:
                middle = 0.5 * (float(trajectory.t[0]) + self.t)
                machine.vantage = mode.values(middle, trajectory.at([middle])[0])
            fired, resting = self._fired(machine, mode, trajectory, guards)
            due = clock.due(self.t) if clock.periods else set()
            if due and self.t < self.until:
                x = mode.renew(self.t, x, due)
                machine.first_step = float(np.diff(trajectory.t).max(initial=0.0)) or None
            if fired or (due and mode.instants.switches):
                mode, x = self._settle(machine, mode, step, mode.values(self.t, x), fired)
            if self.t >= self.until and trajectory.status != Status.EVENT:
                return

    def _refuse_jumps(self, mode: Mode, t: float, resting: tuple[int, ...]) -> None:
        """A run that cannot leave the instant of a jump of a formula says so."""
        first = len(self.options.events) + len(mode.instants.switches)
        paths = sorted({mode.instants.edges[k - first] for k in resting})
        if paths and t - self.t <= STUCK * self.until:
            raise SimulationError(chattering(t, paths, "It jumps there, and from both sides the motion leads back."))

    def _settle(
        self, machine: Machine, mode: Mode, step: float, values: Values, fired: dict[str, str]
    ) -> tuple[Mode, np.ndarray]:
        before = mode.modes
        after, x = machine.settle(self.t, max(step, 1e-12 * self.until), values, dict(before), fired)
        self.modes = after.modes
        changed = [(p, m) for p, m in sorted(after.modes.items()) if m != before[p]]
        self.changes += [Change(self.t, path, new) for path, new in changed]
        return after, x

    def _integrate(
        self, machine: Machine, mode: Mode, end: float, x: np.ndarray, resting: tuple[int, ...]
    ) -> tuple[Trajectory, Guards]:
        key = id(mode.system)
        if key not in self.guards:
            self.guards[key] = compile_guards(mode.system, self.options.events, mode.instants)
            self.solvers[key], reason = _solver(mode.system, self.until, self.options)
            self.reason = self.reason or reason
        first, machine.first_step = machine.first_step, None
        if self.options.step is not None:
            first = None
        guards, solver = self.guards[key], self.solvers[key]
        if key not in self.longest:
            self.longest[key] = mode.longest_step(self.t, self.until, x)
        return _stretch(
            mode.system, guards, self.t, end, x, solver, self.options,
            resting=resting, first_step=first, max_step=self.longest[key],
        ), guards  # fmt: skip

    def _keep(self, mode: Mode, trajectory: Trajectory, guards: Guards) -> np.ndarray:
        """Store a stretch; returns its last state.

        A step that ended at a kink has looked beyond it, so it is done again up to just before the kink.
        """
        first_kink = len(self.options.events) + len(mode.instants.switches)
        kinked = any(e.guard >= first_kink and e.time >= self.t for e in trajectory.events)
        if not kinked or trajectory.t.size < 2 or self.options.step is not None:
            self.pieces.append(Piece(mode.system, trajectory))
            return trajectory.x[-1]
        before, x = float(trajectory.t[-2]), trajectory.x[-2]
        if trajectory.t.size > 2:
            self.pieces.append(Piece(mode.system, trajectory.without_last_step()))
        end = self.t - JUST_BEFORE * max(abs(self.t), self.t - before)
        if end <= before:
            return trajectory.x[-1]
        watched = compile_guards(mode.system, self.options.events) if self.options.events else None
        again = _stretch(mode.system, watched, before, end, x, trajectory.method, self.options, first_step=end - before)
        self.pieces.append(Piece(mode.system, again))
        return again.x[-1]

    def _fired(
        self, machine: Machine, mode: Mode, trajectory: Trajectory, guards: Guards
    ) -> tuple[dict[str, str], tuple[int, ...]]:
        """Switches and kinks that ended a stretch."""
        fired: dict[str, str] = {}
        kinks: list[int] = []
        first, count = len(self.options.events), len(mode.instants.switches)
        for event in trajectory.events:
            if event.time < self.t or not guards.terminal[event.guard]:
                continue
            if event.guard < first + count:
                path, target = mode.instants.switches[event.guard - first]
                fired[path] = target
            else:
                kinks.append(event.guard)
                machine.note(self.t, mode.instants.edges[event.guard - first - count])
        return fired, tuple(kinks)
