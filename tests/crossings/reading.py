"""What is read from a run: poses and velocities of bars, modes, instants. Nothing of the solver's own residuals."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

import multibond as mb

from .building import Draft, frame_of
from .machine import Mechanism, Vector
from .newton import Seen

PLANE = ("angle", "position", "plane.f")
FIRST = {"friction": "forward", "stop": "free", "valve": "off", "relay": "open"}


@dataclass(frozen=True)
class Reading:
    """A run of a mechanism, of which parts may have other names."""

    machine: Mechanism
    run: mb.Run
    renamed: bool = False
    _known: dict[tuple[str, bytes], dict[str, Vector]] = field(default_factory=dict, repr=False)

    @cached_property
    def kinds(self) -> dict[str, tuple[str, ...]]:
        """All names that are read, in groups that are read together."""
        seen: list[str] = []
        for bar in self.machine.bars:
            frame = frame_of(self.machine, bar.name)
            ends = ("attitude", "position", "translation.f", "rotation.f") if self.machine.space else PLANE
            seen += [f"{frame}.{end}" for end in ends]
        for joint in self.machine.joints:
            seen += [f"{joint.name}.coordinates", f"{joint.name}.speeds"]
        seen += ["motor.current"] if self.machine.supply is not None else []
        efforts = [f"{j.name}.reaction_{what}" for j in self.machine.joints for what in ("force", "torque")]
        masses = [f"{bar.name}.mass.e" for bar in self.machine.bars if bar.mass]
        masses += [f"{bar.name}.inertia.e" for bar in self.machine.bars if bar.mass and self.machine.space]
        return {"seen": tuple(seen), "efforts": tuple(efforts), "masses": tuple(masses)}

    @property
    def length(self) -> float:
        """The length by which the program compares torques with forces."""
        system = self.run.system
        return float((system if system.origin is None else system.origin()).length)

    def path(self, name: str) -> str:
        """A name in the run."""
        part, _, rest = name.partition(".")
        return Draft(self.renamed).name(part) + ("." + rest if rest else "")

    def values(self, name: str, t: Vector) -> Vector:
        """A variable at some instants, one row each."""
        kind = next(kind for kind, names in self.kinds.items() if name in names)
        key = kind, t.tobytes()
        if key not in self._known:
            self._known[key] = self._read(self.kinds[kind], t)
        return self._known[key][name]

    def _read(self, names: tuple[str, ...], t: Vector) -> dict[str, Vector]:
        """Variables by name, all read at once."""
        ways = [self._ways(name) for name in names]
        sizes = [sum(self.run.size_of(way) for way in each) for each in ways]
        values = np.split(self.run.values([way for each in ways for way in each], t), np.cumsum(sizes)[:-1], axis=1)
        return dict(zip(names, values, strict=True))

    def _ways(self, name: str) -> list[str]:
        """A variable's name in the run; scalar bonds of a vector count their components."""
        path = self.path(name)
        head, _, last = path.rpartition(".")
        found = [f"{head}.{k}.{last}" for k in range(1, 7) if f"{head}.{k}.{last}" in self._names]
        opened = f"{head.replace('.', '-')}.{last}"
        return [path] if path in self._names else found or [opened if opened in self._names else path]

    @cached_property
    def _names(self) -> set[str]:
        return set(self.run.names)

    def number(self, name: str, t: Vector) -> Vector:
        """A scalar variable at some instants."""
        return self.values(name, t)[:, 0]

    def seen(self, t: Vector) -> Seen:
        """Poses and velocities of all bars."""
        found = [self._pose(bar.name, t) for bar in self.machine.bars]
        names = [bar.name for bar in self.machine.bars]
        return Seen(t, *({name: pose[k] for name, pose in zip(names, found, strict=True)} for k in range(4)))

    def _pose(self, bar: str, t: Vector) -> tuple[Vector, Vector, Vector, Vector]:
        frame, zero = frame_of(self.machine, bar), np.zeros((t.size, 1))
        if self.machine.space:
            R = self.values(f"{frame}.attitude", t).reshape(-1, 3, 3)
            place, speed = self.values(f"{frame}.position", t), self.values(f"{frame}.translation.f", t)
            return place, R, speed, np.einsum("tij,tj->ti", R, self.values(f"{frame}.rotation.f", t))
        angle, flow = self.number(f"{frame}.angle", t), self.values(f"{frame}.plane.f", t)
        c, s, one = np.cos(angle), np.sin(angle), np.ones(t.size)
        R = np.stack([c, -s, 0 * c, s, c, 0 * c, 0 * c, 0 * c, one], 1).reshape(-1, 3, 3)
        place = np.hstack([self.values(f"{frame}.position", t), zero])
        return place, R, np.hstack([flow[:, :2], zero]), np.hstack([zero, zero, flow[:, 2:]])

    def inertial(self, bar: str, t: Vector) -> Vector:
        """What the program says that it takes to accelerate a bar: force, and torque by angular acceleration."""
        effort = self.values(f"{bar}.mass.e", t)
        if self.machine.space:
            R = self.values(f"{bar}.frame.attitude", t).reshape(-1, 3, 3)
            return np.hstack([effort, np.einsum("tij,tj->ti", R, self.values(f"{bar}.inertia.e", t))])
        zero = np.zeros((t.size, 1))
        return np.hstack([effort[:, :2], zero, zero, zero, effort[:, 2:]])

    def same(self, path: str, name: str) -> bool:
        """Whether a path of the run is an element's; an opened model has dashes in the place of dots."""
        return path.replace(".", "-") == self.path(name).replace(".", "-")

    def mode(self, name: str, t: float) -> str:
        """The mode of an element at a time."""
        part, _, element = name.partition(".")
        mode = FIRST[part if part in FIRST else element]
        for change in self.run.changes:
            if change.time <= t and self.same(change.path, name):
                mode = change.mode
        return mode

    def instants(self) -> Vector:
        """When something changed, hit or was sampled, with start and end."""
        end = float(self.run.t[-1])
        found = [0.0, end, *(c.time for c in self.run.changes), *(h.time for h in self.run.hits)]
        if self.machine.controller is not None:
            period = self.machine.controller.period
            found += [k * period for k in range(1, int(end / period) + 1) if k * period < end]
        times = np.unique(found)
        return times[np.concatenate([[True], np.diff(times) > 1e-9 * end])]
