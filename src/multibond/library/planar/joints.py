"""Joints in the plane by their household names. Flange, damping, friction, stops and drives are those of the spatial
joints of the same name; the coordinates are b relative to a, angles counter-clockwise.
"""

from __future__ import annotations

from dataclasses import field
from typing import Any

import numpy as np

from multibond.elements.planes import PlanarKind
from multibond.errors import Finding
from multibond.graph.component import Guess, Number, component, parameter
from multibond.graph.start import joined
from multibond.library.planar.joint import InPlane, sliding, turning
from multibond.library.spatial import joint, joints
from multibond.library.spatial.joint_faults import ToldStart

NOWHERE = (0.0, 0.0)
PLANE = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0))


@component
class Joint(InPlane, joint.Joint):
    """Any joint in the plane: b slides along the axes `slides`, fixed in a, then turns where `turns` says so.

    slides: such as "x", "xy" or [(1, 1)]. coordinates, speeds, accelerations: start values, that of the turn first.
    force: drive on b along each freedom.

    >>> Joint("slot", turns=True, slides="x")
    """

    turns: bool = parameter(default=False, structural=True, shape="flag")
    angles: bool = field(default=False, init=False, repr=False)

    def motion(self) -> PlanarKind:
        return turning(self.slides) if self.turns else sliding(self.slides)


@component
class Revolute(InPlane, joints.Revolute):
    """A hinge: b turns against a.

    angle, speed, acceleration: start values, b against a  [rad, rad/s, rad/s²]; damping  [N.m.s/rad]; torque: drive on
    b  [N.m]; stiffness  [N.m/rad] with its angle `rest`; friction  [N.m]; lower, upper  [rad]; driven: the angle as a
    formula of t.

    >>> Revolute("hip", angle=0.5, damping=0.1)
    """

    axis: Any = field(default=(0.0, 0.0, 1.0), init=False, repr=False)

    def motion(self) -> PlanarKind:
        return turning()


@component
class Prismatic(InPlane, joints.Prismatic):
    """A slider: b moves along `axis`, fixed in a: "x", "y" or two numbers.

    position, speed, acceleration: start values  [m, m/s, m/s²]; damping  [N.s/m]; force: drive on b along the axis
    [N]; stiffness  [N/m] with its position `rest`; friction  [N]; lower, upper  [m]; driven: the position over t.
    """

    def motion(self) -> PlanarKind:
        return sliding(self.axis)


@component
class Telescope(InPlane, joints.Sliding):
    """A rod that changes its length: b stands at `elongation` · vector from a, and moves along it.

    vector: from a to b at the elongation 1, in a's axes  [m]; elongation: at the start, about 1 where nothing is said.
    Its coordinate is the length; speed, acceleration: of the length  [m/s, m/s²]; force: drive on b along it  [N]; the
    rest as for a Prismatic.

    >>> Telescope("boom", (2.0, 1.0), driven="2 + 0.1*sin(t)")
    """

    vector: Number = parameter(unit="m", structural=True, shape=(2,))
    elongation: Number = parameter(default=None, start=True)
    speed: Number = parameter(default=None, unit="m/s", start=True)
    acceleration: Number = parameter(default=None, unit="m/s^2", start=True, kw_only=True)
    force: Number = parameter(default=None, unit="N", live=True, formula=("t",), kw_only=True)

    def faults(self) -> list[Finding]:
        if np.any(self.vector):
            return super().faults()
        problem, cure = f"{type(self).__name__} {self.name!r} has no direction.", "Give the vector from a to b."
        return [Finding(problem, "Its vector is zero.", cure, (self.name,))]

    def motion(self) -> PlanarKind:
        return sliding((*(self.vector / np.linalg.norm(self.vector)), 0.0))

    def told_start(self) -> list[ToldStart]:
        length = float(np.linalg.norm(self.vector))
        return [ToldStart("elongation", 0, 0, self.elongation, length), *super().told_start()]

    def start_values(self) -> dict[str, Any]:
        given, length = self.elongation, float(np.linalg.norm(self.vector))
        start = Guess(1.0) if given is None else given
        return {"q": start * length, "u": self.speed, "a": self.acceleration}

    def drive(self) -> Any:
        return self.force

    def observables(self) -> dict[str, str]:
        return super().observables() | {"length": "motion.q", "speed": "motion.f"}


@component
class Free(InPlane, joint.Moving):
    """No joint at all: b moves freely against a. Gives a free body its start values.

    position, velocity: of b in a's axes  [m, m/s]; angle, angular_velocity  [rad, rad/s]; force: drive on b, a torque
    and two forces  [N.m, N].
    """

    position: Number = parameter(default=None, unit="m", start=True)
    angle: Number = parameter(default=None, unit="rad", start=True)
    velocity: Number = parameter(default=None, unit="m/s", start=True)
    angular_velocity: Number = parameter(default=None, unit="rad/s", start=True)
    force: Number = parameter(default=None, unit="N.m, N", live=True, shape=(3,), formula=("t",), kw_only=True)

    def motion(self) -> PlanarKind:
        return turning(PLANE)

    def start_values(self) -> dict[str, Any]:
        q = [(self.angle, (0.0,)), (self.position, NOWHERE)]
        u = [(self.angular_velocity, (0.0,)), (self.velocity, NOWHERE)]
        return {"q": joined(q), "u": joined(u)}

    def drive(self) -> Any:
        return self.force

    def observables(self) -> dict[str, str]:
        named = {"angle": "motion.q[0]", "position_1": "motion.q[1]", "position_2": "motion.q[2]"}
        return super().observables() | named


@component
class Bushing(Free):
    """A soft joint: springs and dampers along all three relative motions, counted in a's axes.

    stiffness: against the turn and both slides  [N.m/rad, N/m], all positive; damping: one value or three  [N.m.s/rad,
    N.s/m]; rest: angle and position without force  [rad, m]; the others as for `Free`.

    >>> Bushing("mount", stiffness=(50.0, 2e4, 2e4), damping=(1.0, 100.0, 100.0))
    """

    stiffness: Number = parameter(
        default=(1.0, 1.0, 1.0), unit="N.m/rad, N/m", sign="positive", shape=(3,), kw_only=True
    )
    rest: Number = parameter(default=(0.0, 0.0, 0.0), unit="rad, m", shape=(3,), kw_only=True)


@component
class Weld(InPlane, joints.Weld):
    """No motion at all: b is fixed to a. Unlike a plain connection it tells its reaction and can be cut."""

    def motion(self) -> PlanarKind:
        return sliding()


PRESETS = (Revolute, Prismatic, Telescope, Free, Bushing, Weld)
