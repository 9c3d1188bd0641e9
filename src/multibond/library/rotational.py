"""Rotation about one axis: inertia, spring, damper, a fixed point. Flanges share their angular velocity."""

from __future__ import annotations

from multibond.elements import C, I, One, R, Se, Sf, Zero
from multibond.graph.component import Element, Number, Part, component, parameter
from multibond.graph.expand import Inside
from multibond.graph.port import Port, PowerPort
from multibond.units import ROTATION


def flange(name: str) -> PowerPort:
    """A rotational flange."""
    return PowerPort(name, 1, ROTATION)


def between_flanges(inside: Inside) -> Element:
    """Draw the relative rotation of flange_b against flange_a; returns its 1-junction."""
    relative = inside.add(Zero("relative", size=1))
    twist = inside.add(One("twist", size=1))
    inside.bond(inside.own("flange_b"), relative)
    inside.bond(relative, inside.own("flange_a"))
    inside.bond(relative, twist)
    return twist


@component
class Inertia(Part):
    """A flywheel: torque = inertia · d(speed)/dt.

    inertia  [kg.m²]; speed: start value  [rad/s].
    """

    inertia: Number = parameter(unit="kg.m^2", sign="not negative")
    speed: Number = parameter(default=None, unit="rad/s", start=True)

    def ports(self) -> tuple[Port, ...]:
        return (flange("flange"),)

    def build(self, inside: Inside) -> None:
        rotor = inside.add(I("rotor", self.inertia, size=1))
        inside.bond(inside.own("flange"), rotor)
        if self.speed is not None:
            inside.start(rotor, flow=self.speed)

    def observables(self) -> dict[str, str]:
        return {"speed": "rotor.f", "torque": "rotor.e"}


@component
class Spring(Part):
    """A torsion spring between two flanges: torque = stiffness · twist.

    stiffness  [N.m/rad]; twist: of flange_b against flange_a at the start, beyond rest  [rad].
    """

    stiffness: Number = parameter(unit="N.m/rad", sign="positive")
    twist: Number = parameter(default=0.0, unit="rad", start=True)

    def ports(self) -> tuple[Port, ...]:
        return (flange("flange_a"), flange("flange_b"))

    def build(self, inside: Inside) -> None:
        spring = inside.add(C("spring", 1 / self.stiffness, size=1))
        inside.bond(between_flanges(inside), spring)
        inside.start(spring, state=self.twist)

    def observables(self) -> dict[str, str]:
        return {"twist": "spring.q", "torque": "spring.e"}


@component
class Damper(Part):
    """A rotational damper between two flanges: torque = damping · relative speed.

    damping  [N.m.s/rad].
    """

    damping: Number = parameter(unit="N.m.s/rad", sign="not negative")

    def ports(self) -> tuple[Port, ...]:
        return (flange("flange_a"), flange("flange_b"))

    def build(self, inside: Inside) -> None:
        inside.bond(between_flanges(inside), inside.add(R("damper", self.damping, size=1)))

    def observables(self) -> dict[str, str]:
        return {"torque": "damper.e", "speed": "damper.f"}


@component
class Fixed(Part):
    """A flange that does not turn."""

    def ports(self) -> tuple[Port, ...]:
        return (flange("flange"),)

    def build(self, inside: Inside) -> None:
        inside.bond(inside.add(Sf("wall", 0.0, size=1)), inside.own("flange"))


@component
class Torque(Part):
    """A given torque on a flange.

    torque  [N.m].
    """

    torque: Number = parameter(default=0.0, unit="N.m", live=True)

    def ports(self) -> tuple[Port, ...]:
        return (flange("flange"),)

    def build(self, inside: Inside) -> None:
        inside.bond(inside.add(Se("torque", self.torque, size=1)), inside.own("flange"))


@component
class Speed(Part):
    """Drives a flange at a given speed, whatever torque that takes.

    speed  [rad/s].
    """

    speed: Number = parameter(unit="rad/s", live=True)

    def ports(self) -> tuple[Port, ...]:
        return (flange("flange"),)

    def build(self, inside: Inside) -> None:
        inside.bond(inside.add(Sf("drive", self.speed, size=1)), inside.own("flange"))

    def observables(self) -> dict[str, str]:
        return {"torque": "drive.e"}


ALL = (Inertia, Spring, Damper, Fixed, Torque, Speed)
