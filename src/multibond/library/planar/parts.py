"""World, bodies and rods in the plane: what is fixed, what has mass, what keeps a distance."""

from __future__ import annotations

from dataclasses import field
from typing import Any

import numpy as np

from multibond.elements import MTF, I, One, PlanarAnchor, PlanarArm, PlanarShift, Se, Sf
from multibond.expr import SX, column, constant, vector
from multibond.graph.component import Number, Part, component, parameter
from multibond.graph.expand import Inside
from multibond.graph.port import PlanarFramePort, Port, PowerPort, SignalPort
from multibond.library.spatial.drawing import is_zero


@component
class Fixed(Part):
    """A frame that stands still in the plane.

    position  [m]; angle  [rad]
    """

    position: Number = parameter(default=(0.0, 0.0), unit="m", shape=(2,))
    angle: Number = parameter(default=0.0, unit="rad")

    def ports(self) -> tuple[Port, ...]:
        return (PlanarFramePort("frame"),)

    def build(self, inside: Inside) -> None:
        hold(inside, PlanarAnchor("pose", self.position, self.angle))


def hold(inside: Inside, pose: PlanarAnchor) -> None:
    """Keep the part's frame at rest in a pose."""
    frame = inside.plane("frame")
    inside.add(pose)
    inside.bond(inside.add(Sf("rest", 0.0, size=3)), frame.plane)
    inside.signal(pose.position, frame.position)
    inside.signal(pose.heading, frame.angle)


@component
class World(Part):
    """The inertial frame of the plane, and gravity.

    gravity: acceleration of free fall  [m/s²], 9.81 along -y where nothing else is said. Bodies in space feel it too
    where there is no spatial World.
    """

    name: str = "world"
    gravity: Number = parameter(default=(0.0, -9.81), unit="m/s^2", shape=(2,))

    def ports(self) -> tuple[Port, ...]:
        return (PlanarFramePort("frame", optional=True),)

    def surroundings(self) -> dict[str, Any]:
        """What every body is told."""
        return {"planar_gravity": self.gravity}

    def build(self, inside: Inside) -> None:
        hold(inside, PlanarAnchor("pose"))


@component
class Body(Part):
    """A rigid body in the plane (Zimmer and Cellier 2006, Fig. 7).

    mass  [kg]; inertia: about the centre of mass  [kg.m²]; centre: position of the centre of mass in the frame  [m].
    Variables: position (of the centre), velocity and momentum (v_x, v_y, ω and what belongs to them, of the centre, in
    world axes), angle; the frame's own origin is `frame.position`.

    >>> Body("foot", mass=1.0, inertia=0.08, centre=(0, -0.5))
    """

    mass: Number = parameter(unit="kg", sign="not negative")
    inertia: Number = parameter(default=0.0, unit="kg.m^2", sign="not negative")
    centre: Number = parameter(default=(0.0, 0.0), unit="m", shape=(2,))

    def ports(self) -> tuple[Port, ...]:
        return (PlanarFramePort("frame", optional=True),)

    def build(self, inside: Inside) -> None:
        hang(inside, self.mass, self.inertia, self.centre)

    def observables(self) -> dict[str, str]:
        place = "frame.position" if is_zero(self.centre) else "centre.position_b"
        return {"position": place, "angle": "frame.angle", "velocity": "mass.f", "momentum": "mass.p"}


def hang(inside: Inside, mass: Any, inertia: Any, centre: Any) -> None:
    """Draw a body's inertia and weight at the end of a lever to its centre."""
    frame = inside.plane("frame")
    v = inside.add(One("v", size=3))
    if is_zero(centre):
        inside.bond(frame.plane, v)
    else:
        place, reach = inside.add(PlanarShift("centre", centre)), inside.add(MTF("reach", 3, 3, inverse="lever"))
        inside.signal(frame.position, place.position_a)
        inside.signal(frame.angle, place.angle_a)
        inside.signal(place.lever, reach.modulus)
        inside.bond(frame.plane, reach)
        inside.bond(reach, v)
    inside.bond(v, inside.add(I("mass", column([mass, mass, inertia]), size=3)))
    gravity = vector(inside.surrounding("planar_gravity", constant(np.zeros(2))), 2)
    if not is_zero(gravity) and not is_zero(mass):
        inside.bond(inside.add(Se("weight", column([gravity * mass, SX(1, 1)]), size=3, role="gravity")), v)


@component
class PointMass(Body):
    """A body without rotational inertia, at the frame's origin.

    mass  [kg]
    """

    inertia: Any = field(default=None, init=False, repr=False)
    centre: Any = field(default=None, init=False, repr=False)

    def build(self, inside: Inside) -> None:
        hang(inside, self.mass, SX(1, 1), None)


@component
class Rod(Part):
    """A massless rigid link: frame_b stands at `vector` from frame_a, turned by `angle` against it.

    vector: in frame_a's axes  [m]; angle  [rad]

    >>> Rod("leg", (0, -0.5))
    """

    vector: Number = parameter(unit="m", shape=(2,))
    angle: Number = parameter(default=0.0, unit="rad")

    def ports(self) -> tuple[Port, ...]:
        return (PlanarFramePort("frame_a", optional=True), PlanarFramePort("frame_b", optional=True))

    def build(self, inside: Inside) -> None:
        a, b = inside.plane("frame_a"), inside.plane("frame_b")
        shift = inside.add(PlanarShift("shift", self.vector, self.angle))
        reach = inside.add(MTF("reach", 3, 3, inverse="lever"))
        inside.bond(a.plane, reach)
        inside.bond(reach, b.plane)
        inside.signal(shift.lever, reach.modulus)
        inside.signal(a.position, shift.position_a)
        inside.signal(a.angle, shift.angle_a)
        inside.signal(b.position, shift.position_b)
        inside.signal(b.angle, shift.angle_b)


@component
class Lever(Part):
    """The transformer of a rod for bare 3-bonds: v_b = v_a + ω × r, same ω, with r the vector turned by `angle`.

    vector: of the rod at the angle zero  [m]. Signals: `angle`  [rad], and `ampl`, a factor that stretches the rod,
    where one is led to it. (Zimmer and Cellier 2006, translational transformer, Figs 7 and 8.)

    >>> Lever("rod", (1.0, -3.0))
    """

    vector: Number = parameter(unit="m", shape=(2,))
    elongation: bool = parameter(default=False, structural=True, shape="flag")

    def ports(self) -> tuple[Port, ...]:
        ampl = (SignalPort("ampl"),) if self.elongation else ()
        return (PowerPort("a", 3), PowerPort("b", 3), SignalPort("angle"), *ampl)

    def build(self, inside: Inside) -> None:
        arm, reach = inside.add(PlanarArm("arm", self.vector)), inside.add(MTF("reach", 3, 3, inverse="lever"))
        inside.signal(inside.own("angle"), arm.angle)
        if self.elongation:
            inside.signal(inside.own("ampl"), arm.ampl)
        inside.signal(arm.lever, reach.modulus)
        inside.bond(inside.own("a"), reach)
        inside.bond(reach, inside.own("b"))
