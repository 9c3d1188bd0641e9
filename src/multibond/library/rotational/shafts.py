"""What stores, springs back and damps about one axis."""

from __future__ import annotations

from multibond.elements import C, I, Sf
from multibond.elements.storage import one_of
from multibond.errors import Finding
from multibond.graph.component import Number, Part, component, parameter
from multibond.graph.expand import Inside
from multibond.graph.port import Port
from multibond.library.drawing import between_flanges, heat_port, loss, loss_names, spring_and_damper
from multibond.library.rotational.flanges import TwoFlanges, flange


@component
class Inertia(Part):
    """A flywheel: torque = inertia · d(speed)/dt.

    inertia  [kg.m²]; speed: start value  [rad/s].

    >>> Inertia("wheel", 0.2, speed=10.0)
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
        return {"speed": "rotor.f", "torque": "rotor.e", "momentum": "rotor.p"}


@component
class Spring(TwoFlanges):
    """A torsion spring between two flanges: torque = stiffness · twist.

    stiffness  [N.m/rad], or torque: a formula of the twist q; twist: of flange_b against flange_a at the start, beyond
    rest  [rad].

    >>> Spring("shaft", 800.0)
    >>> Spring("hardening", torque=lambda twist: 800 * twist + 5e4 * twist**3)
    """

    stiffness: Number = parameter(default=None, unit="N.m/rad", sign="positive")
    twist: Number = parameter(default=0.0, unit="rad", start=True)
    torque: Number = parameter(default=None, unit="N.m", shape="law", formula=("q",))

    def faults(self) -> list[Finding]:
        return one_of(self, ("stiffness", "torque"))

    def build(self, inside: Inside) -> None:
        compliance = None if self.stiffness is None else 1 / self.stiffness
        spring = inside.add(C("spring", compliance, effort=self.torque, size=1))
        inside.bond(between_flanges(inside), spring)
        inside.start(spring, state=self.twist)

    def observables(self) -> dict[str, str]:
        return {"twist": "spring.q", "torque": "spring.e"}


@component
class Damper(TwoFlanges):
    """A rotational damper between two flanges: torque = damping · relative speed.

    damping  [N.m.s/rad], or torque: a formula of the relative speed f; heating: the loss leaves at port `heat`.

    >>> Damper("bearing", 0.02)
    """

    damping: Number = parameter(default=None, unit="N.m.s/rad", sign="not negative")
    torque: Number = parameter(default=None, unit="N.m", shape="law", formula=("f",))
    heating: bool = parameter(default=False, structural=True, shape="flag")

    def faults(self) -> list[Finding]:
        return one_of(self, ("damping", "torque"))

    def ports(self) -> tuple[Port, ...]:
        return (*super().ports(), *heat_port(self.heating))

    def build(self, inside: Inside) -> None:
        path = between_flanges(inside)
        loss(inside, path, "damper", self.heating, resistance=self.damping, effort=self.torque)

    def observables(self) -> dict[str, str]:
        return loss_names("damper", self.heating, "torque", "speed")


@component
class SpringDamper(TwoFlanges):
    """A torsion spring with a damper beside it: torque = stiffness · twist + damping · relative speed.

    stiffness  [N.m/rad]; damping  [N.m.s/rad]; twist: at the start, beyond rest  [rad].

    >>> SpringDamper("coupling", 500.0, 0.5)
    """

    stiffness: Number = parameter(unit="N.m/rad", sign="positive")
    damping: Number = parameter(unit="N.m.s/rad", sign="not negative")
    twist: Number = parameter(default=0.0, unit="rad", start=True)

    def build(self, inside: Inside) -> None:
        spring_and_damper(inside, self.stiffness, self.damping, self.twist)

    def observables(self) -> dict[str, str]:
        return {"twist": "spring.q", "speed": "damper.f", "spring_torque": "spring.e", "damper_torque": "damper.e"}


@component
class Fixed(Part):
    """A flange that does not turn.

    >>> Fixed("wall")
    """

    def ports(self) -> tuple[Port, ...]:
        return (flange("flange"),)

    def build(self, inside: Inside) -> None:
        inside.bond(inside.add(Sf("wall", 0.0, size=1)), inside.own("flange"))

    def observables(self) -> dict[str, str]:
        return {"torque": "wall.e"}


ALL = (Inertia, Spring, Damper, SpringDamper, Fixed)
