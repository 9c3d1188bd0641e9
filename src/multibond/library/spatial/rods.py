"""Rods between joints, as one part: between two balls, and between a Cardan joint and a ball."""

from __future__ import annotations

from typing import Any

import casadi as ca
import numpy as np

from multibond.elements import MTF, Constraint, DirectSum, I, Line, One, Zero
from multibond.elements.kinematics import axes_faults
from multibond.elements.motions import MotionKind
from multibond.errors import Finding
from multibond.expr import SX, constant, vector
from multibond.graph.component import Number, Part, component, parameter
from multibond.graph.expand import Inside
from multibond.graph.port import FramePort, Port
from multibond.library.spatial.bodies import draw_body
from multibond.library.spatial.drawing import is_zero, join, nested, rigid, weigh, word_fault
from multibond.library.spatial.joint import NO_AXES, rows
from multibond.library.spatial.joints import Spherical, Universal

EVEN = np.kron([[2.0, 1.0], [1.0, 2.0]], np.eye(3)) / 6
"""Inertia of a thin rod of mass 1 against the velocities of its ends, which its points share in proportion."""


@component
class SphericalSpherical(Part):
    """A thin rod with a ball at either end: it keeps the distance of both origins, as one constraint along its line.

    length  [m]; mass: of the rod, spread evenly along it  [kg] (it has no spin of its own; a world that pulls to its
    origin pulls on one half at each end). method: of the constraint where it differs from the model's.
    Variables: distance of the ends  [m], force: the tension in the rod  [N].

    >>> SphericalSpherical("coupler", length=0.8)
    """

    length: Number = parameter(unit="m", sign="positive")
    mass: Number = parameter(default=0.0, unit="kg", sign="not negative")
    method: str = parameter(default="", structural=True, shape="word", kw_only=True)

    def faults(self) -> list[Finding]:
        return word_fault(self, "method", ("", "multiplier", "rc"))

    def ports(self) -> tuple[Port, ...]:
        return (FramePort("frame_a"), FramePort("frame_b"))

    def build(self, inside: Inside) -> None:
        a, b = inside.frame("frame_a"), inside.frame("frame_b")
        total, line = inside.add(Zero("relative", size=3)), inside.add(Line("line", self.length))
        project, stretch = inside.add(MTF("project", 1, 3)), inside.add(One("stretch", size=1))
        held = inside.add(Constraint("hold", method=self.method, role="translation", size=1))
        inside.bond(b.translation, total)
        inside.bond(total, a.translation)
        inside.bond(total, project)
        inside.bond(project, stretch)
        inside.bond(held, stretch)
        inside.signal(a.position, line.position_a)
        inside.signal(b.position, line.position_b)
        inside.signal(line.direction, project.modulus)
        inside.signal(line.excess, held.gap)
        if not is_zero(self.mass):
            self._mass(inside)

    def _mass(self, inside: Inside) -> None:
        ends = inside.add(DirectSum("ends", 3, 3))
        for side, part in (("a", ends.part_1), ("b", ends.part_2)):
            frame = inside.frame(f"frame_{side}")
            inside.bond(frame.translation, part)
            weigh(inside, frame.translation, 0.5 * self.mass, frame.position, f"weight_{side}")
        inside.bond(ends, inside.add(I("mass", self.mass * constant(EVEN), size=6)))

    def observables(self) -> dict[str, str]:
        return {"distance": "line.length", "force": "project.b.e"}


def thin(mass: Any, reach: SX) -> SX:
    """Inertia of a thin rod about its middle  [kg.m²]."""
    return mass / 12 * (ca.dot(reach, reach) * SX.eye(3) - reach @ reach.T)


@component
class UniversalSpherical(Part):
    """A rod with a Cardan joint at frame_a and a ball at frame_b; what is fixed to the rod is connected to `frame_rod`.

    vector: the rod, from frame_rod to frame_b, in the axes of frame_rod  [m]; axis: fixed in frame_a, second_axis:
    fixed in the rod, perpendicular to it. angles, speeds: start values of the Cardan joint  [rad, rad/s].
    mass: of the rod, spread evenly along it  [kg].
    Variables: those of both joints, as in `rod.universal.angles` and `rod.ball.reaction_force`.

    >>> UniversalSpherical("steering", vector=(1, 0, 0), axis="z", second_axis="y")
    """

    vector: Number = parameter(unit="m", shape=(3,))
    axis: Number = parameter(default="z", structural=True, shape="axis")
    second_axis: Number = parameter(default="y", structural=True, shape="axis")
    angles: Number = parameter(default=None, unit="rad", start=True)
    speeds: Number = parameter(default=None, unit="rad/s", start=True)
    mass: Number = parameter(default=0.0, unit="kg", sign="not negative")

    def faults(self) -> list[Finding]:
        return axes_faults(self, MotionKind(rows(self.axis, self.second_axis), NO_AXES))

    def ports(self) -> tuple[Port, ...]:
        return (FramePort("frame_a"), FramePort("frame_b"), FramePort("frame_rod", optional=True))

    def build(self, inside: Inside) -> None:
        rod, reach = inside.frame("frame_rod"), vector(self.vector, 3)
        cross = nested(inside, Universal("universal", self.axis, self.second_axis, self.angles, self.speeds))
        ball = nested(inside, Spherical("ball"))
        join(inside, inside.frame("frame_a"), cross.frame("frame_a"))
        join(inside, rod, cross.frame("frame_b"))
        join(inside, inside.frame("frame_b"), ball.frame("frame_b"))
        rigid(inside, rod, ball.frame("frame_a"), reach, ("shift", "through", "tip"))
        if not is_zero(self.mass):
            draw_body(inside, rod, self.mass, thin(self.mass, reach), 0.5 * reach)

    def observables(self) -> dict[str, str]:
        return {"angles": "universal.motion.q", "speeds": "universal.motion.f"}
