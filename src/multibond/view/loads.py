"""Forces and torques of a run in world axes: what acts on each frame, read from the bonds at its junctions.

Whatever pushes a frame is bonded to the frame's junctions: force in world axes, torque in the frame's own. What a joint
carries is split in two: along its free motions acts what drives, springs and brakes it, the rest is held.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from multibond.elements import (
    Constraint,
    Embedding,
    FixedPose,
    FreeMotion,
    Gravitation,
    I,
    Line,
    One,
    Relative,
    RigidLink,
    Se,
)
from multibond.expr import SX
from multibond.graph.graph import Bond, Frame, Graph, PlanarFrame
from multibond.lower.system import System
from multibond.solve.solution import Solution
from multibond.view.machine import Machine, ends_of

NEGLIGIBLE = 1e-7
"""Loads below this part of the largest one are rounding, and not shown; a torque counts as a force at the machine's
length."""

Terms = tuple[tuple[int, str], ...]
"""Signs and names of efforts whose sum acts on a frame."""


@dataclass(frozen=True)
class Load:
    """A force  [N] or torque  [N.m] on a point of a frame, over time in world axes.

    kind: "force" or "torque"; role: "force" where it is applied, "constraint" where a joint holds; on: number of the
    frame it acts on, at `point` in the frame's axes  [m]; against: of the frame that feels the opposite, at the same
    place; -1 for none.
    """

    name: str
    kind: str
    role: str
    on: int
    values: np.ndarray = field(repr=False)
    point: tuple[float, ...] = (0.0, 0.0, 0.0)
    against: int = -1


@dataclass(frozen=True)
class _Wrench:
    """What a part does to a frame: the terms of its force and torque; joint: path of a free motion in it."""

    part: str
    frame: int
    role: str
    force: Terms
    torque: Terms
    against: int = -1
    joint: str = ""
    point: tuple[float, ...] = (0.0, 0.0, 0.0)


def loads_of(solution: Solution, machine: Machine, roles: Iterable[str]) -> tuple[Load, ...]:
    """All loads of some roles ("force", "constraint") that are not zero throughout."""
    wanted = set(roles)
    if not wanted:
        return ()
    wrenches, weights = tuple(_wrenches(machine)), tuple(_weights(machine))
    reading = _Reading(machine, _values(solution, machine, (*wrenches, *weights)))
    found = [load for wrench in wrenches for load in reading.loads(wrench)] + [reading.weight(w) for w in weights]
    sizes = [_size(load, machine.system.length) for load in found]
    least = NEGLIGIBLE * max(sizes, default=0.0)
    return tuple(load for load, size in zip(found, sizes, strict=True) if load.role in wanted and size > least)


def _size(load: Load, length: float) -> float:
    """The largest value over the run, as a force."""
    most = float(np.linalg.norm(load.values, axis=1).max(initial=0.0))
    return most / length if load.kind == "torque" else most


def _values(solution: Solution, machine: Machine, wrenches: Iterable[_Wrench]) -> dict[str, np.ndarray]:
    """Everything that the wrenches name, read at once; what has no value (at a singular position) counts as zero."""
    names = list(dict.fromkeys(name for w in wrenches for _, name in (*w.force, *w.torque)))
    if not names:
        return {}
    sizes = [machine.system.observer.expression(name).numel() for name in names]
    table = np.nan_to_num(solution.values(names, machine.times), nan=0.0, posinf=0.0, neginf=0.0)
    return dict(zip(names, np.split(table, np.cumsum(sizes)[:-1], axis=1), strict=True))


# -- who acts on which frame -------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Parts:
    """Parts by what they contain."""

    graph: Graph
    index: dict[str, int]

    def having(self, *kinds: type) -> set[str]:
        return {self.graph.owner(path) for path, _ in self.graph.of_type(kinds)}

    @cached_property
    def pairs(self) -> dict[str, tuple[str, int, int]]:
        """Parts whose action and reaction share a point: path of the motion, frame a, frame b."""
        found = (
            (path, ends_of(self.graph, path, self.index)) for path, _ in self.graph.of_type((FreeMotion, Relative))
        )
        return {self.graph.owner(path): (path, *ends) for path, ends in found if -1 not in ends}

    @cached_property
    def silent(self) -> set[str]:
        """Parts that pass loads on within a body, or that hold a frame still."""
        rigid = self.having(RigidLink, I) - self.having(Line) - set(self.pairs)
        return rigid | self.having(FixedPose)

    @cached_property
    def held(self) -> set[str]:
        return self.having(Constraint, Embedding)


def _wrenches(machine: Machine) -> Iterator[_Wrench]:
    graph = machine.graph
    frames = (*graph.frames, *graph.planes)
    junctions = {j for f in frames for j in f.junctions}
    parts = _Parts(graph, {f.position: k for k, f in enumerate(frames)})
    for k, frame in enumerate(frames):
        for part in sorted({graph.owner(b.other(j).element) for j in frame.junctions for b in graph.bonds_of(j)}):
            path, a, b = parts.pairs.get(part, ("", -1, k))
            if part in parts.silent or b != k:
                continue
            turning, moving = (_terms(machine.system, junction, part, junctions) for junction in _both(frame))
            joint = path if isinstance(graph.elements.get(path), FreeMotion) else ""
            yield _Wrench(part, k, "constraint" if part in parts.held else "force", moving, turning, a, joint)


def _weights(machine: Machine) -> Iterator[_Wrench]:
    """The weights of bodies, at their centres of mass."""
    bodies = {body.name: body for body in machine.bodies}
    for path, item in machine.graph.of_type((Se, Gravitation)):
        body = bodies.get(machine.graph.owner(path)) if getattr(item, "role", "") == "gravity" else None
        if body is not None:
            yield _Wrench(body.name, body.frame, "force", ((1, f"{path}.e"),), (), point=body.centre)


def _both(frame: Frame | PlanarFrame) -> tuple[str, str]:
    """The junctions of rotation and translation; one and the same in the plane."""
    return frame.junctions[0], frame.junctions[-1]


def _terms(system: System, junction: str, part: str, frames: set[str]) -> Terms:
    """What a part's bonds at a junction add to its effort."""
    graph, found = system.dae.graph, []
    for bond in graph.bonds_of(junction):
        if graph.owner(bond.other(junction).element) == part:
            sign = 1 if bond.into(junction) else -1
            found += [(sign * s, name) for s, name in _effort(system, bond, bond.other(junction).element, frames)]
    return tuple(found)


def _effort(system: System, bond: Bond, element: str, frames: set[str]) -> Terms:
    """The effort of a bond by the names at one end; at a 1-junction it is what the other bonds leave."""
    graph, end = system.dae.graph, bond.end(element)
    known = next((n for n in (f"{end}.e", f"{element}.e") if system.observer.knows(n)), "")
    if known:
        return ((1, known),)
    if not isinstance(graph.elements[element], One) or element in frames:
        return ()
    own = 1 if bond.into(element) else -1
    found = []
    for other in graph.bonds_of(element):
        if other is not bond:
            sign = -own * (1 if other.into(element) else -1)
            terms = _effort(system, other, other.other(element).element, frames)
            found += [(sign * s, name) for s, name in terms]
    return tuple(found)


# -- their values ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Reading:
    """Turns what wrenches name into loads in world axes."""

    machine: Machine
    values: dict[str, np.ndarray]

    def sum(self, terms: Terms) -> np.ndarray:
        """Values of terms over time."""
        return sum((sign * self.values[name] for sign, name in terms), np.zeros((self.machine.times.size, 3)))

    def world(self, wrench: _Wrench) -> tuple[np.ndarray, np.ndarray]:
        """Force and torque in world axes."""
        spatial = len(self.machine.graph.frames)
        if wrench.frame < spatial:
            torque = self.sum(wrench.torque)
            return self.sum(wrench.force), _turned(self.machine.attitudes[:, wrench.frame], torque)
        plane = self.sum(wrench.force)
        flat = np.zeros_like(plane)
        return np.column_stack([plane[:, :2], flat[:, 0]]), np.column_stack([flat[:, :2], plane[:, 2]])

    def loads(self, wrench: _Wrench) -> list[Load]:
        force, torque = self.world(wrench)
        if not wrench.joint:
            return self._named(wrench, wrench.role, force, torque)
        free_force, free_torque = self._free(wrench, force, torque)
        held = self._named(wrench, "constraint", force - free_force, torque - free_torque)
        return held + self._named(wrench, "force", free_force, free_torque)

    def _named(self, wrench: _Wrench, role: str, force: np.ndarray, torque: np.ndarray) -> list[Load]:
        return [
            Load(wrench.part, kind, role, wrench.frame, values, against=wrench.against)
            for kind, values in (("force", force), ("torque", torque))
        ]

    def _free(self, wrench: _Wrench, force: np.ndarray, torque: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The parts along a joint's free motions; a screw has one, in which a turn brings a slide with it."""
        item = self.machine.graph.elements[wrench.joint]
        assert isinstance(item, FreeMotion)
        kind = item.motion
        R_a, R_b = self.machine.attitudes[:, wrench.against], self.machine.attitudes[:, wrench.frame]
        slides, turns = _carried(R_a, kind.slide_axes), _carried(R_a, kind.turn_axes)
        if kind.turns == 2:
            turns[1] = _carried(R_b, kind.turn_axes)[1]  # the second axis of a Cardan joint turns with b
        if getattr(kind, "lead", None) is not None:
            lead = float(self.machine.system.dae.number(SX(kind.lead), self.machine.system.parameters).item())
            along = np.sum(turns[0] * torque + lead * slides[0] * force, axis=1, keepdims=True)
            return np.zeros_like(force), along * turns[0]
        return _along(slides, force), torque if kind.turns == 3 else _along(turns, torque)

    def weight(self, wrench: _Wrench) -> Load:
        return Load(wrench.part, "force", "force", wrench.frame, self.world(wrench)[0], wrench.point)


def _turned(attitudes: np.ndarray, vectors: np.ndarray) -> np.ndarray:
    return np.einsum("tij,tj->ti", attitudes, vectors)


def _carried(attitudes: np.ndarray, axes: np.ndarray) -> list[np.ndarray]:
    """Axes of a frame over time, in world axes."""
    return [attitudes @ np.asarray(axis, float) for axis in axes]


def _along(axes: list[np.ndarray], vectors: np.ndarray) -> np.ndarray:
    """The part of vectors along perpendicular axes."""
    parts = (np.sum(axis * vectors, axis=1, keepdims=True) * axis for axis in axes)
    return sum(parts, np.zeros_like(vectors))
