"""A course: a compiled system carried from instant to instant, through changes of mode, kinks and samples."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import pairwise

import numpy as np

from multibond.elements import Driver, FreeMotion
from multibond.elements.blocks import Block
from multibond.equations.timed import AHEAD, FREE
from multibond.errors import Finding, MultibondError, SimulationError
from multibond.formula import Formula
from multibond.graph.component import Component, with_mode
from multibond.lower.system import System
from multibond.solve.calendar import Calendar
from multibond.solve.choose import Choice
from multibond.solve.contract import Trajectory
from multibond.solve.crossing import require_regular
from multibond.solve.crowd import Crowd
from multibond.solve.exact import Conditions
from multibond.solve.guards import Guards, compile_guards, guards_for
from multibond.solve.hybrid import CHATTER, CLOSE, Machine, Settings, chattering, explain
from multibond.solve.interrupting import interrupted
from multibond.solve.joined import crossings
from multibond.solve.kinks import Kinks
from multibond.solve.modes import Mode, Values
from multibond.solve.poles import pole_reached
from multibond.solve.solution import Change, Piece, Solution
from multibond.solve.status import Status
from multibond.solve.stretch import Options, Pace, Rebuild, Stretches, solver_for, stretch
from multibond.solve.unseen import risen

JUST_BEFORE = 2.0**-48
"""How far before a kink the step towards it ends, as a part of the time."""

SHORTER = (0.9, 0.999)
"""Parts of the step towards a kink that surely end before it, once it is roughly and once it is well known."""

STUCK = 1e-9
"""A run that ends within this part of its length after a jump did not get away from it."""

SURE = 10
"""So many of the last times that a kink was passed are looked at closely before it counts as holding the motion."""

LEAPS = 6
"""Each try to get past a kink goes four times as far as the one before."""

ULPS = 4
"""The clock moves on by so many of its smallest parts to leave a kink."""
JUMP = 1e-6
"""What changes by this part of itself while the clock leaves a kink jumps there."""

UNSEEN = 1e3
"""So many times larger are impulses that do not count after a flight too low to be seen."""
FALLS, FALL_TIME = 50, 1e-6
"""So many such flights within this part of the run are no motion."""
FACT = "Its formula jumps or is infinitely steep there, and from both sides the motion leads back."
STICK = "Use friction that can stick (a Friction element), or give the law a finite slope there."
BAND = "Give the change a hysteresis (a Relay block with a band between lower and upper), a dead zone or a sample time."

LEAP, LEAST_LEAP = 1e-10, 1e-7
"""How far before and after a kink a path is looked at, as a part of the time, and what counts as a jump of it."""

Kink = tuple[str, int]
"""A kink in a formula: the element's path, and the how-manyth of its kinks; the same in every mode."""


@dataclass
class Course:
    """The way of a system with instants so far: where it is (t, x, mode), the pieces and changes behind it.

    until: the end of the whole way, against which short times are judged  [s].
    """

    system: System
    until: float
    options: Options
    rebuild: Rebuild
    pieces: list[Piece] = field(default_factory=list)
    changes: list[Change] = field(default_factory=list)
    guards: dict[int, Guards] = field(default_factory=dict)
    stretches: dict[int, Stretches] = field(default_factory=dict)
    solvers: dict[int, Choice] = field(default_factory=dict)
    longest: dict[int, float] = field(default_factory=dict)
    kinks: dict[int, Kinks] = field(default_factory=dict)
    known: dict[int, tuple[Mode, Conditions | None]] = field(default_factory=dict)
    """What is known by time, for each mode and the numbers as they are now."""
    clock: tuple[float, float] = FREE
    """Where the clock of conditions stood on the last stretch: the instant at its end is looked at from before."""
    held: dict[Kink, int] = field(default_factory=dict)
    """How many times in a row each kink led the motion straight back."""
    falls: list[float] = field(default_factory=list)
    crowd: Crowd = field(default_factory=Crowd)
    """When guards rose unseen  [s]."""
    reason: str = ""
    last: Trajectory | None = None
    """The stretch behind it."""

    def __post_init__(self) -> None:
        self.machine = Machine(
            self._in_mode,
            Settings(self.until, self.options.rtol, self.options.atol),
        )
        elements = self.system.dae.graph.elements
        modes = {p: str(vars(e)["mode"]) for p, e in elements.items() if "mode" in e.parameters()}
        self.mode = self.machine.mode_of(self.system, modes)
        self.calendar = Calendar(self.mode.periods)
        self.t, self.x, self.step = 0.0, self.system.x0, 1e-3 * self.until
        self.led = _led(self.system)

    def _in_mode(self, modes: Mapping[str, str], views: Sequence[Values]) -> System:
        elements = self.system.dae.graph.elements
        changed = {path: with_mode(elements[path], mode) for path, mode in modes.items()}
        return self.rebuild(self.system, changed, views)

    def run(self) -> Solution:
        """Go from the start to the end; a fault on the way keeps the pieces so far."""
        try:
            require_regular(self.system)
            self.pause(self.system.stored)
            self._set_off()
            self.go(self.until)
        except KeyboardInterrupt as stop:
            raise interrupted(stop, self.pieces, self._of_pieces) from None
        except MultibondError as fault:
            error = fault if isinstance(fault, SimulationError) else explain(fault, self.mode.modes, self.t)
            error.run = self._solution() if self.pieces else None
            raise error from None
        finally:
            self.release()
        return self._solution()

    def _set_off(self) -> None:
        """Leave a kink on which the run begins by a step too short to matter: its formula has no side there."""
        if self.options.step is not None or not self.mode.instants.edges or not self.until:
            return
        on = (self._edges.values(self.t, self.x) == 0) & self._edges.by_state
        if on.any():
            solver = solver_for(self.mode.system, self.until, self.options).solver
            step = self._again(self.t, JUST_BEFORE * self.until, self.x, solver)
            if not step.status.failed and np.isfinite(step.x).all():
                self.pieces.append(Piece(self.mode.system, step))
                self.t, self.x = float(step.t[-1]), step.x[-1]

    def _solution(self) -> Solution:
        return self._of_pieces(tuple(self.pieces))

    def _of_pieces(self, pieces: tuple[Piece, ...]) -> Solution:
        changes = tuple(sorted((*self.changes, *crossings(pieces)), key=lambda change: change.time))
        hits = tuple(self.machine.hits)
        return Solution(pieces, tuple(self.options.events), self.reason, changes, hits=hits)

    def pause(self, stored: Values, *, samples: bool = True) -> None:
        """Stand at an instant: take the samples that are due, and find the modes; stored: energy variables known."""
        self._set_clock(self.clock)
        held = self._held_before(self.t) if self.clock != FREE else {}
        self._set_clock(FREE)
        if samples and self.calendar.reached(self.t):
            self._take_samples(self.calendar.pass_on())
        self._settle(self.mode.values(self.t, self.x) | held | stored, {})

    def renumber(self, changed: np.ndarray) -> None:
        """Some of the parameters are other numbers from now on."""
        new = set(np.flatnonzero(changed).tolist())
        kept = self.known.items()
        self.known = {key: each for key, each in kept if each[1] is None or new.isdisjoint(each[1].reads)}

    def release(self) -> None:
        """Let conditions of the time go with it again: whoever reads variables wants them so."""
        self._set_clock(FREE)

    def _set_clock(self, numbers: tuple[float, float]) -> None:
        """At what time conditions of the time are read, see `equations.timed`."""
        if self.system.dae.clocked:
            self.system.parameters[-2:] = numbers

    def _look_ahead(self) -> None:
        """Let the calendar follow what is known by time in the present mode."""
        key = id(self.mode)
        if key not in self.known:
            self.known[key] = self.mode, self.mode.conditions()
        self.calendar.follow(self.known[key][1], self.t)

    def go(self, end: float) -> None:
        """Go on to a time, from instant to instant."""
        resting: set[Kink] = set()
        self._look_ahead()
        if self.calendar.reached(self.t):
            self._set_clock(self.clock)
            self._pass_instant({}, resting, self.t, end)
        while True:
            stop = self._stop(end)
            trajectory, guards = self._integrate(stop, resting)
            peep = self.mode.missed(trajectory)
            if peep is not None:
                trajectory, guards = self._integrate(peep, resting)
            up = risen(self.mode, trajectory, self.options.rtol, self.options.atol)
            if up is not None:
                trajectory, guards = self._integrate(up[0], resting)
            if trajectory.status.failed:
                self.pieces.append(Piece(self.mode.system, trajectory))
                self._refuse_jumps(float(trajectory.t[-1]), resting)
                return
            self._refuse_pole(trajectory, guards)
            resting = self._pass(trajectory, guards, stop, end, up[1] if up is not None else {})
            if self.t >= end and trajectory.status != Status.EVENT:
                return
            self.crowd.pass_one(self.t, end)

    def _stop(self, end: float) -> float:
        """Where the next stretch ends at the latest: at the next instant known beforehand, or at the end."""
        self._look_ahead()
        stop = min(end, self.calendar.next)
        return end if stop >= end * (1.0 - AHEAD) else stop

    def _refuse_pole(self, trajectory: Trajectory, guards: Guards) -> None:
        """A stretch that ended where the angles of a joint end is the last one."""
        pole = guards.pole_met(trajectory)
        if pole is not None:
            self.pieces.append(Piece(self.mode.system, trajectory))
            raise pole_reached(pole, float(trajectory.t[-1]), trajectory.x[-1])

    def _pass(
        self, trajectory: Trajectory, guards: Guards, stop: float, end: float, unseen: dict[str, str]
    ) -> set[Kink]:
        """Pass the instant at the end of a stretch; returns the kinks at which it stands."""
        self.x = self._keep(trajectory, stop)
        ends = trajectory.t[-5:].tolist()
        self.step = max((b - a for a, b in pairwise(ends)), default=0.0) or self.step
        if trajectory.status == Status.EVENT:
            self.machine.vantage = partial(self.mode.halfway, trajectory)
        fired, resting = self._fired(trajectory, guards)
        fired = unseen | fired
        self._refuse_falling(unseen)
        if resting:
            self._refuse_leaps(sorted({path for path, _ in resting}))
            self._refuse_holding(trajectory, resting)
        if self.calendar.reached(self.t) and self.t < end:
            self.machine.first_step = self.step
        self.machine.small = UNSEEN if unseen else 1.0
        self._pass_instant(fired, resting, float(self.pieces[-1].trajectory.t[-1]), end)
        self.machine.small = 1.0
        return resting

    def _pass_instant(self, fired: dict[str, str], resting: set[Kink], before: float, end: float) -> None:
        """What happens at one instant, in its order: impulses and modes, corners and samples, modes again.

        before: when the motion is still as before it  [s].
        """
        known = self.t < end and self.calendar.reached(self.t)
        held = self._held_before(before) if known or resting else {}
        if known:
            self.t = max(self.t, self.calendar.next)
            due = self.calendar.pass_on()
            self._refuse_leaps(self.led)
        else:
            due = frozenset[float]()
        self._set_clock(FREE)
        if resting:
            self._cross(resting, end)
            self._leave(resting, end)
        if fired:
            self._settle(self.mode.values(self.t, self.x) | held, fired)
            held = self._held_before(self.t) if due else {}
        if due:
            self._take_samples(due)
        if (known and self._may_leave()) or self._jumps(held):
            self._settle(self.mode.values(self.t, self.x) | held, {})

    def _take_samples(self, due: frozenset[float]) -> None:
        if due:
            self.x = self.mode.renew(self.t, self.x, due)

    def _may_leave(self) -> bool:
        """Whether an element might leave its mode now: its guard is not clearly below zero."""
        if not self.mode.instants.switches:
            return False
        guards, near = self.mode.guards(self.t, self.x, self.options.rtol, self.options.atol)
        return not bool((guards < -CLOSE * near).all())

    def _refuse_falling(self, unseen: dict[str, str]) -> None:
        """Guards that rise unseen again and again at one place hold nothing."""
        self.falls += [self.t] if unseen else []
        if unseen and len(self.falls) >= FALLS and self.t - self.falls[-FALLS] < FALL_TIME * self.until:
            raise SimulationError(chattering(self.t, sorted(unseen)))

    def _held_before(self, t: float) -> Values:
        """What dependent storages hold just before an instant: a source or a sample that jumps must push them."""
        if not self.mode.instants.dependents:
            return {}
        names = {(path, state) for path, state, _ in self.mode.instants.dependents}
        values = self.mode.values(t, self.x)
        return {name: values[name] for name in names}

    def _jumps(self, held: Values) -> bool:
        """Whether a dependent storage cannot keep what it holds."""
        if not held:
            return False
        now, rtol, atol = self.mode.values(self.t, self.x), self.options.rtol, self.options.atol
        return any(bool((np.abs(now[name] - v) > rtol * np.abs(v) + atol).any()) for name, v in held.items())

    def _cross(self, resting: set[Kink], end: float) -> None:
        """Move just past the kinks that the states have met, so that the next step begins beyond all of them.

        Where time brings another kink at the same instant, the instant itself is beyond it.
        """
        index = [k for k, kink in enumerate(self._kinks()) if kink in resting and self._edges.by_state[k]]
        if not index or len(index) < len(resting) or self.options.step is not None:
            return
        t, x = float(self.pieces[-1].trajectory.t[-1]), self.x
        rate, before = self.mode.system.derivative(x, t=t), self._edges.values(t, x)[index]
        for wider in 4.0 ** np.arange(LEAPS):
            leap = 2.0 * wider * max(self.t - t, float(np.spacing(t)))
            beyond = self._edges.values(t + leap, x + leap * rate)[index]
            if t + leap < end and (before * beyond < 0).all():
                self.t, self.x = t + leap, x + leap * rate
                return

    def _leave(self, resting: set[Kink], end: float) -> None:
        """Move the clock off a kink that it meets exactly, where the formula has yet its value before the kink."""
        index = [k for k, kink in enumerate(self._kinks()) if kink in resting and self._edges.by_time[k]]
        if not index or (self._edges.values(self.t, self.x)[index] != 0).all():
            return
        later = self.t + ULPS * float(np.spacing(self.t))
        now, then = (self._all_at(t) for t in (self.t, later))
        if later < end and (np.abs(then - now) > JUMP * np.maximum(np.abs(now), np.abs(then))).any():
            self.t = later

    def _all_at(self, t: float) -> np.ndarray:
        """All rates, unknowns and energy variables at a time and the present state."""
        mode = self.mode
        values = [v for _, v in sorted(mode.values(t, self.x).items())]
        return np.concatenate([mode.system.derivative(self.x, t=t), mode.unknowns(t, self.x), *values])

    @property
    def _edges(self) -> Kinks:
        return self.kinks.setdefault(id(self.mode), Kinks(self.mode))

    def _refuse_holding(self, trajectory: Trajectory, resting: set[Kink]) -> None:
        """A kink that leads the motion back again and again, within the integrator's tolerance, says so."""
        tolerance = self.options.rtol * np.abs(self.x) + self.options.atol * self.mode.system.usual_sizes
        middle = 0.5 * float(trajectory.t[0] + trajectory.t[-1])
        for k, kink in enumerate(self._kinks()):
            if kink in resting and self._edges.by_state[k]:
                times = self.held.get(kink, 0)
                back = self._edges.within(k, middle, trajectory.at([middle])[0], tolerance)
                back = back and (times < CHATTER - SURE or self._edges.holds(k, self.t, self.x, tolerance))
                self.held[kink] = times + 1 if back else 0
        stuck = sorted({path for (path, _), times in self.held.items() if times >= CHATTER})
        if stuck:
            raise SimulationError(self._chattering(stuck))

    def _refuse_leaps(self, paths: Sequence[str]) -> None:
        """A given path that jumps would need an infinite speed."""
        elements = self.system.dae.graph.elements
        for path in (path for path in paths if isinstance(elements[path], FreeMotion | Driver)):
            given = _path_of(self.system.dae.plain(elements[path], self.system.parameters))
            if isinstance(given, Formula):
                apart = LEAP * max(self.until, self.t)
                before, after = (np.asarray(given.evaluate({"t": self.t + side * apart}), float) for side in (-1, 1))
                if (np.abs(after - before) > LEAST_LEAP * (1 + np.abs(before))).any():
                    raise SimulationError(_leap(self.system.dae.graph.owner(path), self.t, before, after))

    def _chattering(self, paths: list[str]) -> Finding:
        """A jump of a formula that holds the motion, with the cure that fits its element."""
        elements = self.system.dae.graph.elements
        lost = all(elements[path].power == "lost" for path in paths)
        cure = STICK if lost else BAND if all(isinstance(elements[path], Block) for path in paths) else ""
        return chattering(self.t, paths, FACT, cure)

    def _refuse_jumps(self, t: float, resting: set[Kink]) -> None:
        """A run that cannot leave the instant of a jump of a formula says so."""
        paths = sorted({path for path, _ in resting})
        if paths and t - self.t <= STUCK * self.until:
            raise SimulationError(self._chattering(paths))

    def _settle(self, values: Values, fired: dict[str, str]) -> None:
        """Find the modes and the state in which the run goes on."""
        before = self.mode.modes
        step = max(self.step, 1e-12 * self.until)
        self.mode, self.x = self.machine.settle(self.t, step, values, dict(before), fired)
        changed = [(p, m) for p, m in sorted(self.mode.modes.items()) if m != before[p]]
        self.changes += [Change(self.t, path, new) for path, new in changed]

    def _integrate(self, end: float, resting: set[Kink]) -> tuple[Trajectory, Guards]:
        mode, key = self.mode, id(self.mode.system)
        if key not in self.guards:
            self.guards[key] = compile_guards(mode.system, self.options.events, mode.instants)
            self.solvers[key] = choice = solver_for(mode.system, self.until, self.options)
            self.stretches[key] = Stretches(mode.system, choice.solver, self.options, self.guards[key])
            self.reason = self.reason or self.solvers[key].reason
        first, self.machine.first_step = self.machine.first_step, None
        if self.options.step is not None:
            first = None
        guards, choice = self.guards[key], self.solvers[key]
        if key not in self.longest:
            self.longest[key] = mode.longest_step(self.t, self.until, self.x)
        pace = Pace(choice.solver, first, min(self.longest[key], choice.longest))
        self.clock = (self.calendar.between(self.t, end), 0.0)
        self._set_clock(self.clock)
        standing = self._at_rest(resting)
        try:
            return self.stretches[key].go((self.t, end), self.x, pace, standing, after=self.last), guards
        except SimulationError as error:
            if isinstance(error.run, Trajectory):
                self.pieces.append(Piece(mode.system, error.run))
            raise

    def _kinks(self) -> list[Kink]:
        """The kinks of the present mode, in the order of their guards."""
        edges = self.mode.instants.edges
        return [(path, edges[:k].count(path)) for k, path in enumerate(edges)]

    def _at_rest(self, resting: set[Kink]) -> tuple[int, ...]:
        """The guards of kinks at which the run stands, which must leave zero before they count again."""
        if not resting:
            return ()
        first = len(self.options.events) + len(self.mode.instants.switches)
        return tuple(first + k for k, kink in enumerate(self._kinks()) if kink in resting)

    def _keep(self, trajectory: Trajectory, end: float) -> np.ndarray:
        """Store a stretch and set the clock to its end; returns its last state.

        A step that ended at a kink has looked beyond it, so it is done again up to just before the kink.
        """
        mode, self.last = self.mode, trajectory
        self.t = float(trajectory.t[-1])
        first_kink = len(self.options.events) + len(mode.instants.switches)
        kinked = {e.guard - first_kink for e in trajectory.events if e.guard >= first_kink and e.time >= self.t}
        if not kinked or trajectory.t.size < 2 or self.options.step is not None:
            self.pieces.append(Piece(mode.system, trajectory))
            return trajectory.x[-1]
        before, x = float(trajectory.t[-2]), trajectory.x[-2]
        if trajectory.t.size > 2:
            self.pieces.append(Piece(mode.system, trajectory.without_last_step()))
        if self._edges.by_state[sorted(kinked)].all():
            self.t = min([end, *(self._sharpened(k, before, x, trajectory.method) for k in sorted(kinked))])
        stop = self.t - JUST_BEFORE * max(abs(self.t), self.t - before)
        if stop <= before:
            return trajectory.x[-1]
        self.last = again = self._again(before, stop, x, trajectory.method)
        self.pieces.append(Piece(mode.system, again))
        return again.x[-1]

    def _again(self, before: float, end: float, x: np.ndarray, method: str) -> Trajectory:
        """A step done again, with another end."""
        system, events = self.mode.system, self.options.events
        pace = Pace(method, end - before)
        return stretch(system, (before, end), x, pace, self.options, guards_for(system, events))

    def _sharpened(self, k: int, before: float, x: np.ndarray, method: str) -> float:
        """The instant of a kink, found from steps that end before it and so know nothing of what lies beyond.

        Kinks that time alone moves need none of this: no step can mistake when they come.
        """
        t = self.t
        for part in SHORTER:
            clean = self._again(before, before + part * (t - before), x, method)
            found = None if clean.status.failed else self._edges.crossing(k, clean, t)
            if found is None:
                return t
            t = found
        return t

    def _fired(self, trajectory: Trajectory, guards: Guards) -> tuple[dict[str, str], set[Kink]]:
        """Switches and kinks that ended a stretch."""
        fired: dict[str, str] = {}
        kinks: set[Kink] = set()
        first, count = len(self.options.events), len(self.mode.instants.switches)
        for event in trajectory.events:
            if event.time < trajectory.t[-1] or not guards.terminal[event.guard]:
                continue
            if event.guard < first + count:
                path, target = self.mode.instants.switches[event.guard - first]
                fired[path] = target
            else:
                kink = self._kinks()[event.guard - first - count]
                kinks.add(kink)
                self.machine.note(self.t, kink[0], self._chattering)
        return fired, kinks


def _led(system: System) -> list[str]:
    """Elements whose path is given by a formula of the time."""
    return [p for p, item in sorted(system.dae.graph.elements.items()) if isinstance(_path_of(item), Formula)]


def _path_of(item: Component) -> object:
    """The path that an element gives."""
    return item.path if isinstance(item, FreeMotion) else item.displacement if isinstance(item, Driver) else None


def _leap(name: str, t: float, before: np.ndarray, after: np.ndarray) -> Finding:
    k = int(np.argmax(np.abs(np.ravel(after - before))))
    ends = f"from {np.ravel(before)[k]:.6g} to {np.ravel(after)[k]:.6g}"
    fact = f"It goes {ends} at once, which would take an infinite speed."
    cure = "Give it a ramp or a smooth step; the error's `run` is the run so far."
    return Finding(f"the path of {name!r} jumps at {t:.6g} s.", fact, cure, (name,))
