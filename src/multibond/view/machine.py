"""What moves in a run: frames over time, and the rods, joints, springs and bodies that stand between them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import casadi as ca
import numpy as np

from multibond.elements import Anchor, C, Constraint, FreeMotion, Line, PlanarAnchor, PlanarMotion, R, RigidLink
from multibond.expr import SX
from multibond.graph.graph import Graph
from multibond.graph.origin import Form
from multibond.lower.system import System
from multibond.solve.solution import Solution
from multibond.structure.bodies import masses


@dataclass(frozen=True)
class Between:
    """Something between two frames; kind: "rod", "spring", "damper", "force", or how a joint looks."""

    name: str
    ends: tuple[int, int]
    kind: str = "rod"
    axis: tuple[float, ...] = (0.0, 0.0, 1.0)


@dataclass(frozen=True)
class Mass:
    """A body: its mass  [kg], its centre in the axes of its frame  [m], and its form where it has one."""

    name: str
    frame: int
    centre: tuple[float, ...]
    mass: float
    form: Form | None = None


@dataclass(frozen=True)
class Machine:
    """A mechanism over time: positions (time, frame, 3)  [m] and attitudes R_WB (time, frame, 3, 3) of its frames.

    system: the one that knows the frames; fixed: numbers of the frames that never move; gravity  [m/s²].
    """

    system: System
    times: np.ndarray
    names: tuple[str, ...]
    positions: np.ndarray
    attitudes: np.ndarray
    rods: tuple[Between, ...]
    lines: tuple[Between, ...]
    joints: tuple[Between, ...]
    bodies: tuple[Mass, ...]
    fixed: tuple[int, ...]
    gravity: np.ndarray

    @property
    def graph(self) -> Graph:
        """The graph that has the frames."""
        return self.system.dae.graph

    @property
    def planar(self) -> bool:
        """Whether all of it lies in a plane."""
        return not self.graph.frames

    def place(self, frame: int, point: Any = (0.0, 0.0, 0.0)) -> np.ndarray:
        """Where a point of a frame is over time  [m]."""
        return self.positions[:, frame] + self.attitudes[:, frame] @ np.asarray(point, float)


def machine_of(solution: Solution, times: np.ndarray) -> Machine | None:
    """The mechanism of a run at given times; None for models without frames."""
    system = solution.system
    if not _frames(system.dae.graph) and system.origin is not None:
        system = system.origin()  # minimal coordinates know no frames, the machine as drawn does
    graph = system.dae.graph
    if not _frames(graph):
        return None
    index = {f.position: k for k, f in enumerate(_frames(graph))}
    poses = np.concatenate([_in_space(solution, graph, times), _in_plane(solution, graph, times)], axis=1)
    rods = (_between(graph, path, index) for path, _ in graph.of_type(RigidLink))
    return Machine(
        system,
        times,
        tuple(f.name for f in _frames(graph)),
        poses[..., :3],
        poses[..., 3:].reshape(*poses.shape[:2], 3, 3),
        tuple(rod for rod in rods if -1 not in rod.ends),
        tuple(line for line in _lines(graph, index) if -1 not in line.ends),
        tuple(joint for joint in _joints(graph, index) if -1 not in joint.ends),
        tuple(_bodies(system, index)),
        _fixed(graph, index),
        gravity_of(system),
    )


def gravity_of(system: System) -> np.ndarray:
    """The acceleration of free fall that the world tells  [m/s²], zero where there is none."""
    told = system.dae.graph.surroundings
    given = None if "mu" in told else told.get("gravity", told.get("planar_gravity"))
    numbers = _number(system, given)
    return np.concatenate([numbers, np.zeros(3 - numbers.size)])


def ends_of(graph: Graph, path: str, index: dict[str, int]) -> tuple[int, int]:
    """Numbers of the frames whose positions are led to an element's sides a and b; -1 where there is none."""
    ends = [graph.signal_at(path, f"position_{side}") for side in ("a", "b")]
    a, b = (index.get(end[0].name, -1) if end else -1 for end in ends)
    return a, b


# -- poses -------------------------------------------------------------------------------------------------------------


def _frames(graph: Graph) -> tuple[Any, ...]:
    return (*graph.frames, *graph.planes)


def _in_space(solution: Solution, graph: Graph, times: np.ndarray) -> np.ndarray:
    """Position and attitude of the spatial frames (time, frame, twelve numbers)."""
    names = [name for f in graph.frames for name in (f.position, f.attitude)]
    if not names:
        return np.zeros((times.size, 0, 12))
    return solution.values(names, times).reshape(times.size, len(graph.frames), 12)


def _in_plane(solution: Solution, graph: Graph, times: np.ndarray) -> np.ndarray:
    """The same of the planar frames, which are drawn at z = 0."""
    poses = np.zeros((times.size, len(graph.planes), 12))
    for k, plane in enumerate(graph.planes):
        values = solution.values([plane.position, plane.angle], times)
        c, s = np.cos(values[:, 2]), np.sin(values[:, 2])
        poses[:, k, :2] = values[:, :2]
        poses[:, k, 3:] = np.stack([c, -s, 0 * c, s, c, 0 * c, 0 * c, 0 * c, 0 * c + 1], axis=1)
    return poses


# -- what stands between frames ----------------------------------------------------------------------------------------


def _between(graph: Graph, path: str, index: dict[str, int]) -> Between:
    return Between(graph.owner(path), ends_of(graph, path, index))


def _lines(graph: Graph, index: dict[str, int]) -> Iterator[Between]:
    """What acts along a line: a rod where it is held, a spring where one is there, a damper, or a bare force."""
    looks = ((Constraint, "rod"), (C, "spring"), (R, "damper"))
    for path, _ in graph.of_type(Line):
        part = graph.owner(path)
        inside = [item for other, item in graph.elements.items() if graph.owner(other) == part]
        kind = next((look for cls, look in looks if any(isinstance(item, cls) for item in inside)), "force")
        yield Between(part, ends_of(graph, path, index), kind)


def _joints(graph: Graph, index: dict[str, int]) -> Iterator[Between]:
    for path, item in graph.of_type(FreeMotion):
        if isinstance(item, FreeMotion):
            yield Between(graph.joint(path), ends_of(graph, path, index), _look(item), _axis(item))


def _look(item: FreeMotion) -> str:
    """How a joint is drawn: "revolute" as a pin, "prismatic" as a rail, "free" as nothing, others as a ball."""
    kind = item.motion
    if kind.turns + kind.slides == (3 if isinstance(item, PlanarMotion) else 6) or not kind.freedoms:
        return "free"
    if kind.slides:
        return "prismatic" if kind.slides == 1 else "ball"
    return "revolute" if kind.turns == 1 else "ball"


def _axis(item: FreeMotion) -> tuple[float, ...]:
    axes = [*item.motion.slide_axes, *item.motion.turn_axes]
    return tuple(np.asarray(axes[0], float).tolist()) if axes else (0.0, 0.0, 1.0)


# -- bodies ------------------------------------------------------------------------------------------------------------


def _bodies(system: System, index: dict[str, int]) -> Iterator[Mass]:
    graph = system.dae.graph
    for path, frame in masses(graph).items():
        mass = _number(system, getattr(graph.elements[path], "inertia", None))
        if mass.size:
            part, k = graph.owner(path), index[frame.position]
            form = _form(system, graph.origin(path).form)
            yield Mass(part, k, _centre(system, part, k, index), float(mass[0]), form)


def _centre(system: System, part: str, frame: int, index: dict[str, int]) -> tuple[float, ...]:
    """Where a part says that its mass is: at the end of a shift from its frame to no other."""
    graph, centre = system.dae.graph, np.zeros(3)
    for path, shift in graph.of_type(RigidLink):
        if graph.owner(path) == part and ends_of(graph, path, index) == (frame, -1):
            reach = _number(system, getattr(shift, "vector", None))
            centre[: reach.size] = reach
    return tuple(centre.tolist())


def _form(system: System, form: Form | None) -> Form | None:
    """The form with numbers, as they are in the run."""
    if form is None:
        return None
    given = (np.array(form.along) if isinstance(form.along, tuple) else form.along, *form.sizes)
    along, *sizes = (_number(system, value).tolist() for value in given)
    return replace(form, along=tuple(along), sizes=tuple(size[0] for size in sizes))


def _number(system: System, value: Any) -> np.ndarray:
    """A parameter as it is in the run, flat; nothing where it is no number."""
    if value is None or not isinstance(value, (SX, ca.DM, np.ndarray, float, int)):
        return np.zeros(0)
    return system.dae.number(SX(value), system.parameters).ravel(order="F")


def _fixed(graph: Graph, index: dict[str, int]) -> tuple[int, ...]:
    """Frames whose position an anchor gives."""
    given = [graph.signal_at(path, "position") for path, _ in graph.of_type((Anchor, PlanarAnchor))]
    return tuple(index[end[0].name] for end in given if end and end[0].name in index)
