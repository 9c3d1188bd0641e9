"""Solution: a run, by name. Everything is computed when asked for, from the stored states.

>>> run["hip.angle"](3.2)
>>> run["hip.reaction_force[1]"].values
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping
from dataclasses import astuple, dataclass, field, fields, replace
from functools import cached_property
from typing import Any

import numpy as np

from multibond.arguments import Numbers
from multibond.border import public
from multibond.equations.mechanism import reacting
from multibond.errors import Finding, ParameterError, SimulationError
from multibond.lower.system import System
from multibond.rotation import TURN
from multibond.solve.contract import Event, Statistics, Status, Trajectory
from multibond.solve.hits import Hit
from multibond.solve.origin import original_states, sources
from multibond.solve.reactions import ambiguous_joints
from multibond.solve.reading import Reader, evaluate, reads_silent
from multibond.solve.start_in_turn import as_kept, leaves_out, total, with_turns_of
from multibond.solve.stopped import why_stopped
from multibond.solve.turns import Turned, turning
from multibond.solve.undefined import undefined


@public
@dataclass(frozen=True)
class Variable:
    """One quantity over a run: call it with a time or an array of times."""

    name: str
    solution: Solution

    def __call__(self, time: Numbers) -> Any:
        if isinstance(time, float | int) or np.ndim(time) == 0:
            return self.solution.value(self.name, float(time))
        values = self.solution.values([self.name], time)
        return values[:, 0] if values.shape[1] == 1 else values

    @property
    def t(self) -> np.ndarray:
        """Ends of all steps  [s]."""
        return self.solution.t

    @property
    def values(self) -> np.ndarray:
        """At the ends of all steps."""
        return self(self.t)

    def __repr__(self) -> str:
        return f"Variable {self.name!r} from {self.solution.t[0]:g} s to {self.solution.t[-1]:g} s"


class Reading:
    """A variable of a run, read at one time after another; whatever does not hang on the time is found once."""

    def __init__(self, run: Solution, name: str) -> None:
        owner = sources(run.system, [name])[0]
        own = owner is run.system
        self._run, self._names = run, (name,)
        cut = turning(owner, name) if own else None
        self._joint = None if cut is None else cut.joint
        self._silent = run.closer is not None and own and reads_silent(run.system, name)
        self._plain = own and self._joint is None and not self._silent
        self._index, self._single = slice(None) if cut is None else cut.which, run.size_of(name) == 1
        self._first, self._last = float(run.t[0]), float(run.t[-1])

    def at(self, time: float) -> Any:
        """One number, or an array of components."""
        found = self._found(time)
        return found[0] if self._single else found

    def _found(self, time: float) -> np.ndarray:
        if self._first <= time <= self._last and (self._plain or self._joint is not None):
            piece = self._run.piece_at(time)
            names = self._names if self._joint is None else (f"{self._joint}.q",)
            x = _within(piece.trajectory, np.array([time]))
            found = self._run.reader(piece.system, names).at(time, x[0])
            if self._joint is None:
                return found
            told = self._run.turned(self._joint).told(np.array([time]), found[None, :])[0]
            return np.atleast_1d(told[self._index])
        return self._run.values([*self._names], [time])[0]


@public
@dataclass(frozen=True)
class Crossing:
    """An event: which variable crossed its level, and when."""

    name: str
    time: float
    state: np.ndarray


@public
@dataclass(frozen=True)
class Reaction:
    """Force  [N] and torque  [N.m] of a joint; `unique` where the constraints determine them."""

    force: np.ndarray
    torque: np.ndarray
    unique: bool


def _within(run: Trajectory, times: np.ndarray) -> np.ndarray:
    """States at times of a piece, of which some may lie in the gap that is left between it and the next."""
    return run.at(np.minimum(times, run.t[-1]))


@public
@dataclass(frozen=True)
class Change:
    """A change of mode: when, which element, and the mode after."""

    time: float
    path: str
    mode: str


@public
@dataclass(frozen=True)
class Piece:
    """A stretch of a run without instants: the system in its modes and with its pivots, and its trajectory."""

    system: System
    trajectory: Trajectory


@public
@dataclass(frozen=True)
class Solution:
    """A run of a system: states at the steps, dense between them, every variable by name.

    pieces: one, or several where modes change, signals have kinks, blocks are sampled, or a loop goes on with other
    equations. At an instant between two pieces values are those just after it.
    """

    pieces: tuple[Piece, ...]
    watched: tuple[str, ...] = ()
    reason: str = ""
    """Why the solver was chosen."""
    changes: tuple[Change, ...] = ()
    """Changes of mode, in order of time."""
    closer: Solution | None = None
    """The same run with steps short enough for silent sensors, where they need it: what they gathered is read there."""
    hits: tuple[Hit, ...] = ()
    """Hits on stops, rebounds among them, in order of time."""
    levels: Mapping[str, float] = field(default_factory=dict)
    """Levels of the watched variables."""
    began: System | None = None
    """The system as it was before whole turns were left out of its start, where they were."""

    def __getstate__(self) -> dict[str, Any]:
        """What was recorded; what was found from it is found again."""
        return {item.name: getattr(self, item.name) for item in fields(self)}

    @property
    def system(self) -> System:
        """The system as it begins."""
        return self.pieces[0].system if self.began is None else self.began

    @property
    def trajectory(self) -> Trajectory:
        """The trajectory, the last one where there are several pieces."""
        return self.pieces[-1].trajectory

    @cached_property
    def t(self) -> np.ndarray:
        """Ends of the steps  [s]; an instant between two pieces stands there once."""
        times = np.concatenate([piece.trajectory.t for piece in self.pieces])
        starts = np.cumsum([piece.trajectory.t.size for piece in self.pieces])[:-1]
        return np.delete(times, starts - 1)

    @property
    def status(self) -> Status:
        """How the run ended."""
        return self.trajectory.status

    @property
    def statistics(self) -> Statistics:
        """Work done in all pieces."""
        rows = [astuple(piece.trajectory.statistics) for piece in self.pieces]
        return Statistics(*(int(n) for n in np.sum(rows, axis=0)))

    @property
    def events(self) -> tuple[Crossing, ...]:
        """Crossings of watched variables, in order of time."""
        found = [(p.system, e) for p in self.pieces for e in p.trajectory.events if e.guard < len(self.watched)]
        return tuple(
            Crossing(self.watched[e.guard], e.time, total(system, e.state)) for system, e in found if self._met(e)
        )

    def _met(self, event: Event) -> bool:
        """Whether a crossing is one of the level, and not half turns away from it, as angles at cuts have them too."""
        name, level = self.watched[event.guard], self.levels.get(self.watched[event.guard])
        if level is None or turning(self.system, name) is None:
            return True
        return bool(np.abs(self.value(name, event.time) - level) < TURN / 4.0)

    @property
    def names(self) -> tuple[str, ...]:
        """Everything that can be asked for."""
        own, origin = self.system.observer.names, self.system.origin
        return own if origin is None else tuple(dict.fromkeys((*own, *origin().observer.names)))

    def __getitem__(self, name: str) -> Variable:
        if name not in self._found:
            sources(self.system, [name])[0].observer.expression(name)
            self._found.add(name)
        return Variable(name, self)

    @cached_property
    def _found(self) -> set[str]:
        """Names that were looked up, and are there."""
        return set()

    def _ipython_key_completions_(self) -> list[str]:
        return list(self.names)

    def size_of(self, name: str) -> int:
        """How many components a variable has."""
        return sources(self.system, [name])[0].observer.expression(name).numel()

    def states(self, times: Numbers) -> np.ndarray:
        """States at times, one row each; modes with other states have no common rows: ask for variables by name.

        In minimal coordinates momenta are those of the independent velocities of each piece.
        """
        times = self._within_run(times)
        if len({piece.system.n for piece in self.pieces}) > 1:
            raise SimulationError(
                Finding(
                    "the states of this run have no common form.",
                    "In some of its modes a storage is a state that is none in others.",
                    "Ask for variables by name.",
                )
            )
        out = np.empty((times.size, self.system.n))
        for piece, index in self._by_piece(times):
            out[index] = total(piece.system, _within(piece.trajectory, times[index]))
        if self.closer is not None:
            out[:, self.system.silent] = self.closer.states(times)[:, self.system.silent]
        return out

    def value(self, name: str, time: float) -> Any:
        """A variable at one time: what `values` gives, to the last bit, in less of it."""
        if name not in self._readings:
            self._readings[name] = Reading(self, name)
        return self._readings[name].at(time)

    @cached_property
    def _readings(self) -> dict[str, Reading]:
        return {}

    def reader(self, system: System, names: tuple[str, ...]) -> Reader:
        """Variables of the system of a piece, made ready once."""
        key = id(system), names
        if key not in self._readers:
            self._readers[key] = Reader(system, names)
        return self._readers[key]

    @cached_property
    def _readers(self) -> dict[tuple[int, tuple[str, ...]], Reader]:
        return {}

    def piece_at(self, time: float) -> Piece:
        """The piece that a time belongs to; an instant belongs to the piece after it."""
        return self.pieces[min(max(bisect_right(self._starts, time) - 1, 0), len(self.pieces) - 1)]

    @cached_property
    def _starts(self) -> list[float]:
        return [float(piece.trajectory.t[0]) for piece in self.pieces]

    def _within_run(self, times: Numbers) -> np.ndarray:
        """Times as an array; refuses those that the run does not reach (rounding aside)."""
        wanted = np.atleast_1d(np.asarray(times, float))
        first, last = float(self.t[0]), float(self.t[-1])
        margin = 1e-12 * max(abs(first), abs(last))
        outside = wanted[~((first - margin <= wanted) & (wanted <= last + margin))]
        if outside.size:
            fact = f"It goes from {first:g} s to {last:g} s."
            cure = "Ask for times within it, or simulate for longer."
            raise ParameterError(Finding(f"the run is not known at {outside[0]:g} s.", fact, cure))
        return wanted

    def _by_piece(self, times: np.ndarray) -> list[tuple[Piece, np.ndarray]]:
        """Which times lie in which piece; an instant belongs to the piece after it."""
        starts = np.array([piece.trajectory.t[0] for piece in self.pieces])
        owner = np.clip(np.searchsorted(starts, times, side="right") - 1, 0, len(self.pieces) - 1)
        return [(self.pieces[k], np.flatnonzero(owner == k)) for k in np.unique(owner)]

    def values(self, names: list[str], times: Numbers) -> np.ndarray:
        """Values of several variables at several times, one row a time; angles count their full turns."""
        times = self._within_run(times)
        owners = sources(self.system, names)
        columns, out = 0, self._raw(names, times) if self._all_own(owners) else self._mixed(names, owners, times)
        for name, owner in zip(names, owners, strict=True):
            size = owner.observer.expression(name).numel()
            if self.closer is not None and owner is self.system and reads_silent(self.system, name):
                out[:, columns : columns + size] = self.closer.values([name], times)
            cut = turning(owner, name)
            if cut is not None and owner is self.system:
                told = self.turned(cut.joint).told(times, self._raw([f"{cut.joint}.q"], times))
                out[:, columns : columns + size] = told[:, cut.which].reshape(times.size, size)
            columns += size
        return out

    def turned(self, joint: str) -> Turned:
        """What a cut joint's coordinates become along the run, found once."""
        if joint not in self._turned:
            q, u = (self._raw([f"{joint}.{what}"], self.t) for what in "qf")
            self._turned[joint] = Turned(self.system, joint, self.t, q, u)
        return self._turned[joint]

    @cached_property
    def _turned(self) -> dict[str, Turned]:
        return {}

    def _all_own(self, owners: list[System]) -> bool:
        return all(owner is self.system for owner in owners)

    def _mixed(self, names: list[str], owners: list[System], times: np.ndarray) -> np.ndarray:
        """Variables of the run beside those that only the original machine knows."""
        read = [self._raw if owner is self.system else self.as_drawn for owner in owners]
        return np.hstack([one([name], times) for one, name in zip(read, names, strict=True)])

    def as_drawn(self, names: list[str], times: np.ndarray) -> np.ndarray:
        """Variables of the machine as drawn, in the modes of each piece, where this run is of a rewriting."""
        found = [(index, self._piece_as_drawn(piece, names, times[index])) for piece, index in self._by_piece(times)]
        out = np.empty((times.size, found[0][1].shape[1]))
        for index, values in found:
            out[index] = values
        return out

    def _piece_as_drawn(self, piece: Piece, names: list[str], times: np.ndarray) -> np.ndarray:
        origin, x = self.original(piece, times)
        return evaluate(origin, origin.observer.function(names), times, x)

    def original(self, piece: Piece, times: np.ndarray) -> tuple[System, np.ndarray]:
        """The machine as drawn in the modes of a piece, and its states at times."""
        assert piece.system.origin is not None
        kept, origin = self._machines_of(piece.system)
        return origin, original_states(
            piece.system, origin, lambda name: self._in_piece(replace(piece, system=kept), name, times), times
        )

    def _machines_of(self, system: System) -> tuple[System, System]:
        """A rewriting that tells its angles as it keeps them, and the machine as drawn that keeps them so too."""
        assert system.origin is not None
        origin = system.origin.beside(system)
        if not leaves_out(system):
            return system, origin
        if id(system) not in self._in_turn:
            self._in_turn[id(system)] = as_kept(system), with_turns_of(origin, system)
        return self._in_turn[id(system)]

    @cached_property
    def _in_turn(self) -> dict[int, tuple[System, System]]:
        return {}

    def _in_piece(self, piece: Piece, name: str, times: np.ndarray) -> np.ndarray:
        """A variable along a piece, its end included, which by its time alone belongs to the piece after it."""
        if self.closer is not None and reads_silent(piece.system, name):
            return self.closer.values([name], times)
        return self.reader(piece.system, (name,)).along(times, _within(piece.trajectory, times))

    def _raw(self, names: list[str], times: np.ndarray) -> np.ndarray:
        groups: dict[int, tuple[System, list[np.ndarray], list[np.ndarray]]] = {}
        for piece, index in self._by_piece(times):
            _, where, states = groups.setdefault(id(piece.system), (piece.system, [], []))
            where.append(index)
            states.append(_within(piece.trajectory, times[index]))
        if not groups:
            return np.empty((0, sum(self.size_of(name) for name in names)))
        index = np.concatenate([place for _, where, _ in groups.values() for place in where])
        rows = [
            self.reader(system, tuple(names)).along(times[np.concatenate(where)], np.vstack(states))
            for system, where, states in groups.values()
        ]
        return np.vstack(rows)[np.argsort(index)]

    @cached_property
    def ambiguous(self) -> tuple[str, ...]:
        """Joints whose reactions the constraints do not determine; they follow the rule of equal stiffness."""
        last = self.pieces[-1]
        if last.system.origin is None:
            return ambiguous_joints(last.system, last.trajectory.x[-1])
        origin, x = self.original(last, self.t[-1:])
        return ambiguous_joints(origin, x[0])

    def reactions(self, time: float) -> dict[str, Reaction]:
        """What each joint's side a exerts on its side b at a time: force and torque at b's origin, in a's axes."""
        system = self.system if self.system.origin is None else self.system.origin()
        joints = reacting(system.dae)
        names = [f"{j}.{what}" for j in joints for what in ("reaction_force", "reaction_torque")]
        sizes = [self.size_of(name) for name in names]
        values = np.split(self.values(names, np.array([time], float)).ravel(), np.cumsum(sizes)[:-1])
        pairs = zip(joints, values[::2], values[1::2], strict=True)
        return {j: Reaction(force, torque, j not in self.ambiguous) for j, force, torque in pairs}

    def energy(self) -> Any:
        """The energy audit: what was stored, supplied and lost, balanced by an independent quadrature."""
        from multibond.solve.audit import audit

        return audit(self)

    def audit(self) -> Any:
        """What can be checked of the run: energy, momentum, all constraint rows, whether its states go on as they must.

        It prints itself, names the worst rows and states, and lists what is wrong as `.findings`; `.to_dict()`.

        >>> print(run.audit())
        """
        from multibond.solve.account import account

        return account(self)

    def check(self) -> Solution:
        """Raise if the run did not reach its end, or a law had no value on the way; the error's `run` is this one."""
        fault = why_stopped(self) if self.status.failed else undefined(self)
        if fault is not None:
            error = SimulationError(fault)
            error.run = self
            raise error
        return self

    def __repr__(self) -> str:
        s = self.statistics
        return f"Solution to {self.t[-1]:g} s: {s.accepted} steps, {s.rejected} rejected, {s.evaluations} evaluations"
