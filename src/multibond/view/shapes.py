"""The shapes that stand for parts of a machine: few kinds, each with its points fixed to frames."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from multibond.graph.origin import Form
from multibond.view.machine import Between, Machine, Mass
from multibond.view.solids import panels

BODIES = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#555555")
TRIAD = (("x", "#c0392b"), ("y", "#1e8449"), ("z", "#2255bb"))
INK, ROD, RAIL, SPRING, SOFT = "#1a1a1a", "#7a8699", "#94a3b8", "#8a5a00", "#5b6472"
WORLD = -1
"""Number of the frame of points that stand still."""

Point = tuple[float, float, float]
HERE: Point = (0.0, 0.0, 0.0)


@dataclass(frozen=True)
class Shape:
    """Something to paint: points, each in the axes of its frame  [m].

    kind: "line", "face" (filled), "panel" (of a solid, seen from one side and shaded), "ball" (of a radius), "coil",
    "damper", "arrow", "word" (text beside a point) or "trail" (where a point has been). width  [pixels]; shift: of a
    word  [pixels]; pieces: into which a line is cut to be sorted by depth; layer: "machine", "names", "trails" or
    "frames", which can be left out.
    """

    kind: str
    frames: tuple[int, ...]
    points: tuple[Point, ...]
    colour: str = INK
    width: float = 1.5
    radius: float = 0.0
    text: str = ""
    shift: tuple[float, float] = (0.0, 0.0)
    pieces: int = 1
    layer: str = "machine"


def shapes_of(machine: Machine, radius: float, axes: np.ndarray) -> tuple[Shape, ...]:
    """All shapes of a machine whose motion has a radius; axes: right, up and back of the eye."""
    r = 0.05 * radius
    colours = _body_colours(machine)
    count = 2 if machine.planar else 3  # the third axis of a plane points at the eye
    found = [*_world(radius, count), *(s for k in machine.fixed for s in _ground(machine.place(k)[0], r, axes))]
    solid = {body.name for body in machine.bodies if body.form is not None}
    for rod in (rod for rod in machine.rods if rod.name not in solid):
        found.append(_link(rod, colours.get(rod.ends[0], ROD)))
    for line in machine.lines:
        found.append(_along(line, r))
    for joint in machine.joints:
        found += _joint(machine, joint, r)
    heaviest = max((b.mass for b in machine.bodies), default=1.0)
    for k, body in enumerate(machine.bodies):
        found += _body(body, BODIES[k % len(BODIES)], 1.2 * r * max((body.mass / heaviest) ** (1 / 3), 0.4))
    return (*found, *_triads(machine, 2.4 * r, count), *_names(machine))


def _body_colours(machine: Machine) -> dict[int, str]:
    """Colours of frames that are fixed to a body, by rods or at once: those of the body."""
    group = list(range(len(machine.names)))
    for rod in machine.rods:
        a, b = (group[k] for k in rod.ends)
        group = [a if g == b else g for g in group]
    own: dict[int, str] = {}
    for k, body in enumerate(machine.bodies):
        own.setdefault(group[body.frame], BODIES[k % len(BODIES)])
    return {k: own[g] for k, g in enumerate(group) if g in own}


# -- parts -------------------------------------------------------------------------------------------------------------


def _link(rod: Between, colour: str) -> Shape:
    return Shape("line", rod.ends, (HERE, HERE), colour, 6.0, pieces=8)


def _along(line: Between, r: float) -> Shape:
    if line.kind == "rod":
        return _link(line, ROD)
    kind = {"spring": "coil", "damper": "damper"}.get(line.kind, "line")
    return Shape(kind, line.ends, (HERE, HERE), SPRING, 1.6, radius=0.5 * r)


def _body(body: Mass, colour: str, radius: float) -> list[Shape]:
    centre: Any = tuple(body.centre)
    if body.form is not None:
        return _solid(body, body.form, colour)
    arm = Shape("line", (body.frame, body.frame), (HERE, centre), colour, 5.0, pieces=8)
    ball = Shape("ball", (body.frame,), (centre,), colour, 1.0, radius=radius)
    trail = Shape("trail", (body.frame,), (centre,), colour, 2.0, layer="trails")
    return [trail, *([arm] if any(centre) else []), ball]


def _solid(body: Mass, form: Form, colour: str) -> list[Shape]:
    """A body as large as it is: panels, or a ball."""
    centre: Any = tuple(body.centre)
    trail = Shape("trail", (body.frame,), (centre,), colour, 2.0, layer="trails")
    if form.kind == "sphere":
        return [trail, Shape("ball", (body.frame,), (centre,), colour, 1.0, radius=0.5 * form.sizes[0])]
    edge = 1.0 if form.kind == "box" else 0.0
    sides = [np.asarray(body.centre) + corners for corners in panels(form)]
    return [trail, *(Shape("panel", (body.frame,) * len(c), _points(list(c)), colour, edge) for c in sides)]


def _joint(machine: Machine, joint: Between, r: float) -> list[Shape]:
    a, b = joint.ends
    axis = np.array(joint.axis)
    u, v = across(axis)
    if joint.kind == "prismatic":
        low, high = _travel(machine, joint)
        w = 1.1 * r
        box = [1.6 * w * i * axis + w * j * v for i, j in ((1, 1), (1, -1), (-1, -1), (-1, 1))]
        return [
            _fixed_line(a, [(low - 2 * r) * axis, (high + 2 * r) * axis], RAIL, 3.0),
            Shape("face", (b,) * 4, _points(box), INK, 1.5),
        ]
    if joint.kind == "revolute":
        turns = np.linspace(0.0, 2 * np.pi, 25)[:-1]
        ring = [0.6 * r * (np.cos(t) * u + np.sin(t) * v) for t in turns]
        return [
            _fixed_line(b, [-1.2 * r * axis, 1.2 * r * axis], INK, 2.5),
            Shape("face", (b,) * 24, _points(ring), INK, 1.6),
        ]
    return [Shape("ball", (b,), (HERE,), "#ffffff", 1.0, radius=0.6 * r)] if joint.kind == "ball" else []


def _travel(machine: Machine, joint: Between) -> tuple[float, float]:
    """How far b slides along the axis of a joint over the run  [m]."""
    a, b = joint.ends
    axis = machine.attitudes[:, a] @ np.array(joint.axis)
    way = np.sum((machine.positions[:, b] - machine.positions[:, a]) * axis, axis=1)
    return float(min(way.min(), 0.0)), float(max(way.max(), 0.0))


def across(axis: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Two unit vectors across an axis and each other."""
    other = np.array([1.0, 0.0, 0.0]) if abs(axis[0]) < 0.8 else np.array([0.0, 1.0, 0.0])
    u = np.cross(axis, other)
    u /= np.linalg.norm(u)
    return u, np.cross(axis, u)


# -- the world ---------------------------------------------------------------------------------------------------------


def _world(radius: float, count: int) -> Iterator[Shape]:
    """The first axes of the world, at its origin."""
    for k, (name, colour) in enumerate(TRIAD[:count]):
        tip = 0.2 * radius * np.eye(3)[k]
        yield Shape("arrow", (WORLD, WORLD), _points([np.zeros(3), tip]), colour, 1.4)
        yield Shape("word", (WORLD,), _points([tip]), colour, text=name, shift=(5.0, -4.0))


def _ground(at: np.ndarray, r: float, axes: np.ndarray) -> Iterator[Shape]:
    """Hatching under a frame that stands still, square to the eye's axes."""
    right, up = axes[0], axes[1]
    feet = [at + (k - 1.5) * 0.8 * r * right - 0.9 * r * up for k in range(4)]
    yield _fixed_line(WORLD, [feet[0], feet[3]], INK, 2.0)
    for foot in feet:
        yield _fixed_line(WORLD, [foot, foot - 0.5 * r * (right + up)], INK, 1.0)


def _triads(machine: Machine, length: float, count: int) -> Iterator[Shape]:
    """The axes of every frame, and its name to the left; names of frames at one place stand below one another."""
    for k, dy in enumerate(_stacked([machine.place(n) for n in range(len(machine.names))], 13.0)):
        for axis, (_, colour) in zip(length * np.eye(3)[:count], TRIAD[:count], strict=True):
            yield Shape("arrow", (k, k), _points([np.zeros(3), axis]), colour, 1.6, layer="frames")
        yield Shape("word", (k,), (HERE,), SOFT, text=machine.names[k], shift=(-9.0, 16.0 + dy), layer="frames")


def _names(machine: Machine) -> Iterator[Shape]:
    """Names of bodies above their centres, of joints below them."""
    bodies, joints = machine.bodies, [j for j in machine.joints if j.kind != "free"]
    for body, dy in zip(bodies, _stacked([machine.place(b.frame, b.centre) for b in bodies], -14.0), strict=True):
        centre: Any = tuple(body.centre)
        yield Shape("word", (body.frame,), (centre,), INK, text=body.name, shift=(10.0, -12.0 + dy), layer="names")
    for joint, dy in zip(joints, _stacked([machine.place(j.ends[1]) for j in joints], 14.0), strict=True):
        yield Shape("word", (joint.ends[1],), (HERE,), SOFT, text=joint.name, shift=(9.0, 19.0 + dy), layer="names")


def _stacked(ways: list[np.ndarray], step: float) -> list[float]:
    """For things that move along ways, how far each is shifted so that those at one place do not overlap."""
    found: list[float] = []
    for k, way in enumerate(ways):
        size = 1e-6 + 1e-3 * float(np.abs(way).max())
        found.append(step * sum(bool(np.abs(way - other).max() < size) for other in ways[:k]))
    return found


def _fixed_line(frame: int, points: list[np.ndarray], colour: str, width: float) -> Shape:
    return Shape("line", (frame,) * len(points), _points(points), colour, width)


def _points(points: list[np.ndarray]) -> Any:
    return tuple(tuple(float(x) for x in point) for point in points)
