"""Runs with instants: integrate until something happens, find the modes and the state after it, go on.

At an instant the modes are sought that agree with themselves: a mode is tried, the state goes over into it (with an
impulse where it must), and every guard that then says "leave" changes its element's mode, until none does. A guard at
zero is decided by a look a little ahead. Hits with restitution give back their share of the impulse of compression
(Poisson); when the flights between them have become too short to matter, the contact stays closed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice, product

import numpy as np

from multibond.errors import CausalityError, Finding, MultibondError, SimulationError, StructureError
from multibond.lower.system import System
from multibond.solve.hits import Hit, caught, rebound
from multibond.solve.modes import Jump, Mode, Values

Key = tuple[tuple[str, str], ...]
"""Modes by element, in order."""

MOST_VIEWS = 4
"""So many singular positions are taken into account when the pivots of a mode are chosen."""
MOST_TRIES = 256
"""So many combinations of modes are tried where the guards lead round in a circle."""
CHATTER = 100
"""So many changes of mode within CHATTER_TIME of the run are no longer motion."""
CHATTER_TIME = 1e-10
SHORT_FLIGHT = 1e-11
"""Flights shorter than this part of the run end a sequence of bounces."""
LOW_FLIGHT = 8.0
"""So do flights that rise less than so many roundings of the displacement: they could fall through unseen."""
CLOSE = 1e3
"""A guard within so many tolerances of zero is decided by looking ahead."""
BURST = 1e3
"""A state that grows by this factor within the shortest look ahead has no motion."""
AHEAD = (1e-9, 1e-7, 1e-5, 1e-3)
"""How far to look, in steps of the integrator."""


@dataclass(frozen=True)
class Settings:
    """What a run needs beside the machine."""

    until: float
    rtol: float
    atol: float


@dataclass
class Machine:
    """A model in all the modes it has been in so far; `in_mode` compiles it in another one."""

    in_mode: Callable[[Mapping[str, str], Sequence[Values]], System]
    settings: Settings
    known: dict[Key, Mode] = field(default_factory=dict)
    changes: list[tuple[float, str]] = field(default_factory=list)
    hits: list[Hit] = field(default_factory=list)
    views: dict[Key, list[Values]] = field(default_factory=dict)
    """States at which each set of modes was looked at when it was compiled."""
    vantage: Callable[[], Values] | None = None
    """Gives a state on the way, at which new modes are looked at: instants are often singular positions."""
    faults: dict[Key, MultibondError] = field(default_factory=dict)
    strained: dict[str, None] = field(default_factory=dict)
    """Elements that could not hold their flow in some mode of the present search."""
    small: float = 1.0
    """How many times larger than usual an impulse may be that is not counted, after a flight too low to be seen."""
    first_step: float | None = None
    """Length of the next stretch's first step, where something is expected to happen soon."""

    def mode(self, modes: Mapping[str, str], values: Values) -> Mode:
        """The system in given modes."""
        key = tuple(sorted(modes.items()))
        if key not in self.known:
            seen = self.views.setdefault(key, [] if self.vantage is None else [self.vantage()])
            seen.append(values)
            self.known[key] = Mode(self.in_mode(modes, seen), dict(modes))
        return self.known[key]

    def mode_of(self, system: System, modes: dict[str, str]) -> Mode:
        """A system that is compiled already, in the modes it was compiled for."""
        key = tuple(sorted(modes.items()))
        self.views[key] = []
        return self.known.setdefault(key, Mode(system, modes))

    # -- one instant -----------------------------------------------------------------------------------------------

    def settle(
        self, t: float, step: float, values: Values, modes: dict[str, str], fired: Mapping[str, str]
    ) -> tuple[Mode, np.ndarray]:
        """The modes and the state after an instant, from the energy variables and modes before it; hits are noted."""
        before = self.mode(modes, values)
        now, x, values = self._settled(t, step, values, modes, fired)
        self.hits += caught(before, now, t, values, self.settings.atol)
        return now, x

    def _settled(
        self, t: float, step: float, values: Values, modes: dict[str, str], fired: Mapping[str, str]
    ) -> tuple[Mode, np.ndarray, Values]:
        """The modes and the state after an instant, and the energy variables after its rebounds.

        Each guard is followed where it leads; where that goes round in a circle, all modes of the elements concerned
        are tried one after the other.
        """
        tried: set[Key] = set()
        self.strained = {}
        concerned = dict.fromkeys(self._tied(t, values, modes))
        wrong: Mapping[str, str] | None = fired
        while wrong is not None:
            concerned = dict.fromkeys(wrong) | concerned
            for path, target in wrong.items():
                values, modes = self._enter(t, step, values, modes, path, target)
            now, x, wrong = self._try(t, step, values, modes)
            if now is not None and wrong == {}:
                return now, x, values
            key = tuple(sorted((modes | dict(wrong or {})).items()))
            if key in tried and not (now is not None and _bouncing(now, wrong or {})):
                break
            tried.add(key)
        return *self._search(t, step, values, modes, list(concerned | self.strained)), values

    def _try(
        self, t: float, step: float, values: Values, modes: dict[str, str]
    ) -> tuple[Mode | None, np.ndarray, dict[str, str] | None]:
        """A set of modes: its system, the state in it, and who must leave; None where it has no solution here.

        The pivots of a system were chosen elsewhere and may fail just here, so it is then compiled once more.
        """
        key = tuple(sorted(modes.items()))
        old = key in self.known
        if key in self.faults and len(self.views[key]) >= MOST_VIEWS:
            return None, np.zeros(0), None
        try:
            now = self.mode(modes, values)
            jump = now.jump(t, values)
            wrong = self._wrong(now, t, step, jump)
            if wrong is None and old and not self.strained and len(self.views[key]) < MOST_VIEWS:
                del self.known[key]
                now = self.mode(modes, values)
                jump = now.jump(t, values)
                wrong = self._wrong(now, t, step, jump)
        except (StructureError, CausalityError) as fault:
            self.faults[key] = fault
            return None, np.zeros(0), None
        return now, jump.x, wrong

    def _search(
        self, t: float, step: float, values: Values, modes: dict[str, str], paths: list[str]
    ) -> tuple[Mode, np.ndarray]:
        """Try all modes of some elements, the others as they are."""
        elements = next(iter(self.known.values())).system.dae.graph.elements
        choices = [list(dict.fromkeys([modes[path], *getattr(elements[path], "modes", ())])) for path in paths]
        for fresh in (False, True):
            for combination in islice(product(*choices), MOST_TRIES):
                chosen = modes | dict(zip(paths, combination, strict=True))
                if fresh:
                    self._forget(chosen)
                now, x, wrong = self._try(t, step, values, chosen)
                if now is not None and wrong == {}:
                    return now, x
        if self.faults:
            raise next(iter(self.faults.values()))
        raise SimulationError(_undecided(t, paths))

    def _forget(self, modes: Mapping[str, str]) -> None:
        """Look at a set of modes anew: the singular positions met before say nothing of this one."""
        key = tuple(sorted(modes.items()))
        if self.faults.pop(key, None) is not None:
            self.views.pop(key, None)
            self.known.pop(key, None)

    def _tied(self, t: float, values: Values, modes: Mapping[str, str]) -> list[str]:
        """Elements that might as well leave their modes now: their guards are at zero."""
        before = self.known.get(tuple(sorted(modes.items())))
        if before is None or not before.instants.switches:
            return []
        guards, near = before.guards(t, before.take(values), self.settings.rtol, self.settings.atol)
        switches = before.instants.switches
        return [path for (path, _), tied in zip(switches, np.abs(guards) <= CLOSE * near, strict=True) if tied]

    def _enter(
        self, t: float, step: float, values: Values, modes: dict[str, str], path: str, mode: str
    ) -> tuple[Values, dict[str, str]]:
        """One element goes over; a hit with restitution gives back its share and leaves the mode as it was."""
        self.note(t, path)
        before, after = self.mode(modes, values), modes | {path: mode}
        share = _restitution(before.system, path)
        if not share or mode == modes[path]:
            return values, after
        contact = self.mode(after, values)
        jump = contact.jump(t, values)
        hit = contact.values(t, jump.x)
        back = {name: v + (1.0 + share) * (hit[name] - v) for name, v in values.items()}
        flight, rise = self._flight(before, t, step, path, back)
        if flight < SHORT_FLIGHT * self.settings.until or rise < LOW_FLIGHT * before.rounding(t, values, path, mode):
            return values, after
        self.first_step = 0.25 * flight if np.isfinite(flight) else None
        self.hits += rebound(before, contact, t, path, (values, back), (1.0 + share) * jump.guards)
        return back, modes

    def _flight(self, free: Mode, t: float, step: float, path: str, values: Values) -> tuple[float, float]:
        """Time until the element returns to where it is, at its present acceleration  [s], and how far it gets."""
        x = free.take(values)
        ahead = free.ahead(t, x, 1e-6 * step)
        speed, later = free.flow(path, t, x), free.flow(path, t + 1e-6 * step, ahead)
        slowing = np.where(np.sign(speed) * (later - speed) < 0, np.abs(later - speed) / (1e-6 * step), 0.0)
        with np.errstate(divide="ignore", invalid="ignore"):
            flights = np.where(speed == 0, 0.0, 2.0 * np.abs(speed) / slowing)
        flights = np.where(np.isfinite(flights), flights, np.inf)
        return float(np.max(flights)), float(np.max(np.where(speed == 0, 0.0, 0.25 * np.abs(speed) * flights)))

    def _wrong(self, mode: Mode, t: float, step: float, jump: Jump) -> dict[str, str] | None:
        """Elements whose guards say that they must leave their mode, and for which one; None without a solution."""
        if not mode.instants.switches:
            return {}
        values, near = mode.guards(t, jump.x, self.settings.rtol, self.settings.atol)
        if not (np.isfinite(values).all() and np.isfinite(near).all() and np.isfinite(jump.guards).all()):
            return None
        if not self._goes_on(mode, t, step, jump.x) or not self._holds(mode, t, step, jump.x):
            return None
        least = self.small * mode.impulse_tolerance(jump, self.settings.rtol, self.settings.atol)
        shock = np.abs(jump.guards) > CLOSE * least
        leave = np.where(shock, jump.guards > 0, values > CLOSE * near)
        open_ = ~shock & (np.abs(values) <= CLOSE * near)
        for part in AHEAD:
            if not open_.any():
                break
            later, margin = mode.guards(
                t + part * step, mode.ahead(t, jump.x, part * step), self.settings.rtol, self.settings.atol
            )
            drift = np.abs(later - values)
            clear = open_ & (drift > 1e-3 * np.maximum(margin, near)) & (np.abs(later) > 0.5 * drift)
            leave = np.where(clear, later > 0, leave)
            open_ = open_ & ~clear
        found: dict[str, str] = {}
        for (path, target), flag in zip(mode.instants.switches, leave, strict=True):
            if flag:
                found.setdefault(path, target)
        return found

    def _goes_on(self, mode: Mode, t: float, step: float, x: np.ndarray) -> bool:
        """Whether the motion in a mode begins like one, and not with rates that only a singular position has."""
        rates, sizes = mode.system.derivative(x, t=t), mode.system.usual_sizes
        counted = ~mode.system.silent
        largest, scale = np.abs(rates[counted]).max(initial=0.0), np.abs(x[counted]).max(initial=0.0)
        scale += sizes[counted].max(initial=0.0)
        return bool(largest * AHEAD[0] * step <= BURST * scale)

    def _holds(self, mode: Mode, t: float, step: float, x: np.ndarray) -> bool:
        """Whether all flows that are held at zero in a mode are, and stay so: nothing else gives them."""
        later, rtol, atol = AHEAD[-1] * step, CLOSE * self.settings.rtol, CLOSE * self.settings.atol
        found = mode.strained(t, x, rtol, atol) or mode.strained(t + later, mode.ahead(t, x, later), rtol, atol)
        self.strained |= dict.fromkeys(found)
        return not found

    def note(self, t: float, path: str, told: Callable[[list[str]], Finding] | None = None) -> None:
        """Remember a change of mode, or a kink (`told` otherwise); too many in too short a time are chattering."""
        self.changes.append((t, path))
        recent = self.changes[-CHATTER:]
        if len(recent) == CHATTER and t - recent[0][0] <= CHATTER_TIME * self.settings.until and t > 0:
            paths = sorted({p for _, p in recent})
            raise SimulationError(told(paths) if told else chattering(t, paths))


def _restitution(system: System, path: str) -> float:
    """The share of an impulse that an element gives back; none for most."""
    value = getattr(system.dae.graph.elements[path], "restitution", None)
    return 0.0 if value is None else float(system.dae.number(value, system.parameters).max())


def _bouncing(mode: Mode, wrong: Mapping[str, str]) -> bool:
    return any(_restitution(mode.system, path) for path in wrong)


def _undecided(t: float, paths: list[str]) -> Finding:
    names = ", ".join(repr(p) for p in paths)
    return Finding(
        f"no mode of {names} fits at {t:.6g} s.",
        "Each mode that was tried is left again at once, so laws and state contradict one another.",
        "Let one of them leak (a small resistance or conductance), or give a signal that switches it a hysteresis.",
        tuple(paths),
    )


def chattering(t: float, paths: list[str], fact: str = "", cure: str = "") -> Finding:
    """Elements that go to and fro without time going on."""
    names = ", ".join(repr(p) for p in paths)
    return Finding(
        f"{names} chatter{'s' if len(paths) == 1 else ''} at {t:.6g} s.",
        fact or f"The mode changed {CHATTER} times without time going on, each change undoing the one before.",
        cure or "Give the change a hysteresis, a dead zone or a sample time, or use friction that can stick.",
        tuple(paths),
    )


def explain(fault: MultibondError, modes: Mapping[str, str], t: float) -> SimulationError:
    """A fault of the graph that only shows in some mode, told with that mode."""
    listed = ", ".join(f"{path} {mode!r}" if mode else f"{path} as it began" for path, mode in sorted(modes.items()))
    findings = [
        Finding(f"at {t:.6g} s {f.problem}", f"{f.fact} The modes there: {listed}.", f.cure, f.paths)
        for f in fault.findings
    ]
    return SimulationError(*findings)
