"""What is fixed: the World and places in it, and links without mass that keep a distance and a turn."""

from __future__ import annotations

from typing import Any

import numpy as np

from multibond.elements import TF, Anchor, One, Sf, Shift
from multibond.elements.kinematics import turned
from multibond.errors import Finding
from multibond.expr import SX, constant, vector
from multibond.graph.component import Number, Part, component, parameter
from multibond.graph.expand import Inside
from multibond.graph.port import FramePort, Port
from multibond.library.spatial.drawing import carried, lead_poses, rigid
from multibond.rotation import about

DOWN = (0.0, -9.81, 0.0)


def hold(inside: Inside, at: Any, turn: SX | None) -> None:
    """Draw a frame that does not move."""
    frame, pose = inside.frame("frame"), inside.add(Anchor("pose", at, turn))
    inside.bond(inside.add(Sf("rotation", 0.0, size=3)), frame.rotation)
    inside.bond(inside.add(Sf("translation", 0.0, size=3)), frame.translation)
    inside.signal(pose.attitude, frame.attitude)
    inside.signal(pose.position, frame.position)


@component
class World(Part):
    """The inertial frame, and gravity.

    gravity: acceleration of free fall  [m/s²], 9.81 along -y where nothing else is said; (0, 0, 0) for none.
    mu: in its place a pull towards the origin, mu m / r² on a mass at the distance r  [m³/s²] (the Earth: 3.986e14).

    >>> World(gravity=(0, 0, -9.81))
    >>> World(mu=3.986e14)
    """

    name: str = "world"
    gravity: Number = parameter(default=DOWN, unit="m/s^2", shape=(3,))
    mu: Number = parameter(default=None, unit="m^3/s^2", sign="positive")

    def faults(self) -> list[Finding]:
        if self.mu is None or not np.any(self.gravity) or np.array_equal(self.gravity, DOWN):
            return []
        fact = f"gravity is {self.gravity.tolist()}, and mu is {float(self.mu):g}."
        cure = "Leave out gravity for a pull towards the origin, or mu for a uniform one."
        return [Finding(f"World {self.name!r} has two kinds of gravity.", fact, cure, (self.name,))]

    def ports(self) -> tuple[Port, ...]:
        return (FramePort("frame", optional=True),)

    def surroundings(self) -> dict[str, Any]:
        """What every body is told."""
        return {"gravity": self.gravity} | ({} if self.mu is None else {"mu": self.mu})

    def build(self, inside: Inside) -> None:
        hold(inside, (0.0, 0.0, 0.0), None)


def turn_faults(item: Fixed | FixedRotation) -> list[Finding]:
    """As many angles as there are axes."""
    count = np.size(item.angles) if isinstance(item.angles, np.ndarray) else item.angles.numel()
    if count == len(item.axes) or not np.any(item.angles):
        return []
    fact = f"It has {len(item.axes)} axes and {count} angle{'s' if count > 1 else ''}."
    cure = 'Give one angle for each axis: axes="xyz", angles=(0.1, 0.2, 0.3).'
    return [Finding(f"{type(item).__name__} {item.name!r}: axes and angles do not fit.", fact, cure, (item.name,))]


def turn_of(axes: np.ndarray, angles: Any) -> SX | None:
    """The attitude after turns about axes, each carried along by those before; None for no turn at all."""
    angles = angles if isinstance(angles, SX) else constant(angles)
    if not angles.nnz():
        return None
    found = SX.eye(3)
    for k, axis in enumerate(axes):
        found = found @ about(axis, angles[k])
    return found


@component
class Fixed(Part):
    """A frame that stands still in the world.

    position  [m]; axes, angles: its attitude, by turns about axes one after another  [rad].

    >>> Fixed("wall", (0.3, 0, 0))
    >>> Fixed("slope", (1, 0, 0), axes="zx", angles=(0.5, 0.1))
    """

    position: Number = parameter(default=(0.0, 0.0, 0.0), unit="m", shape=(3,))
    axes: Number = parameter(default="z", structural=True, shape="axes")
    angles: Number = parameter(default=0.0, unit="rad", shape=None)

    def faults(self) -> list[Finding]:
        return turn_faults(self)

    def ports(self) -> tuple[Port, ...]:
        return (FramePort("frame"),)

    def build(self, inside: Inside) -> None:
        hold(inside, self.position, turn_of(self.axes, self.angles))


@component
class Rod(Part):
    """A massless rigid link: frame_b stands at `vector` from frame_a, with the same axes.

    >>> Rod("leg", (0, -0.5, 0))
    """

    vector: Number = parameter(unit="m", shape=(3,))

    def ports(self) -> tuple[Port, ...]:
        return (FramePort("frame_a", optional=True), FramePort("frame_b", optional=True))

    def build(self, inside: Inside) -> None:
        rigid(inside, inside.frame("frame_a"), inside.frame("frame_b"), self.vector, ("shift", "w", "tip"))


@component
class FixedRotation(Part):
    """A massless rigid link that turns the axes: frame_b stands at `vector` from frame_a, in a's axes, and is turned.

    axes, angles: turns about axes one after another, each axis carried along by the turns before  [rad]; vector  [m].

    >>> FixedRotation("elbow", axes="z", angles=1.57)
    >>> FixedRotation("wrist", axes="xyz", angles=(0.1, 0.2, 0.3), vector=(0, 1, 0))
    """

    axes: Number = parameter(default="z", structural=True, shape="axes")
    angles: Number = parameter(default=0.0, unit="rad", shape=None)
    vector: Number = parameter(default=(0.0, 0.0, 0.0), unit="m", shape=(3,))

    def faults(self) -> list[Finding]:
        return turn_faults(self)

    def ports(self) -> tuple[Port, ...]:
        return (FramePort("frame_a", optional=True), FramePort("frame_b", optional=True))

    def build(self, inside: Inside) -> None:
        a, b = inside.frame("frame_a"), inside.frame("frame_b")
        R_AB = turned(turn_of(self.axes, self.angles))
        w = inside.add(One("w", size=3))
        turn = inside.add(TF("turn", R_AB.T, inverse="transpose"))
        inside.bond(a.rotation, w)
        inside.bond(w, turn)
        inside.bond(turn, b.rotation)
        carried(inside, a, "tip", self.vector, b.translation)
        lead_poses(inside, inside.add(Shift("shift", vector(self.vector, 3), R_AB)), a, b)
