"""What stores, springs back and damps along one line."""

from __future__ import annotations

from typing import Any

from multibond.elements import C, I, Sf
from multibond.elements.storage import one_of
from multibond.errors import Finding
from multibond.graph.component import Number, Part, component, parameter
from multibond.graph.expand import Inside
from multibond.graph.port import Port
from multibond.library.drawing import between_flanges, heat_port, loss, loss_names, spring_and_damper
from multibond.library.translational.flanges import TwoFlanges, flange


def stretch(length: Any, rest: Any) -> Any:
    """How far a spring is stretched at the start; without a length it is at rest."""
    return 0.0 if length is None else length - rest


@component
class Mass(Part):
    """A mass: force = mass · d(velocity)/dt.

    mass  [kg]; velocity: start value  [m/s].

    >>> Mass("cart", 2.0, velocity=1.0)
    """

    mass: Number = parameter(unit="kg", sign="not negative")
    velocity: Number = parameter(default=None, unit="m/s", start=True)

    def ports(self) -> tuple[Port, ...]:
        return (flange("flange"),)

    def build(self, inside: Inside) -> None:
        body = inside.add(I("body", self.mass, size=1))
        inside.bond(inside.own("flange"), body)
        if self.velocity is not None:
            inside.start(body, flow=self.velocity)

    def observables(self) -> dict[str, str]:
        return {"velocity": "body.f", "force": "body.e", "momentum": "body.p"}


@component
class Spring(TwoFlanges):
    """A spring between two flanges: force = stiffness · stretch.

    stiffness  [N/m], or force: a formula of the stretch q; rest: length without force  [m]; length: at the start, from
    flange_a to flange_b  [m], that of rest where it is not given.

    >>> Spring("coil", 100.0, rest=0.3, length=0.5)
    >>> Spring("buffer", force=lambda stretch: 1e5 * mb.minimum(stretch, 0))
    """

    stiffness: Number = parameter(default=None, unit="N/m", sign="positive")
    rest: Number = parameter(default=0.0, unit="m", start=True)
    length: Number = parameter(default=None, unit="m", start=True)
    force: Number = parameter(default=None, unit="N", shape="law", formula=("q",))

    def faults(self) -> list[Finding]:
        return one_of(self, ("stiffness", "force"))

    def build(self, inside: Inside) -> None:
        compliance = None if self.stiffness is None else 1 / self.stiffness
        spring = inside.add(C("spring", compliance, effort=self.force, size=1))
        inside.bond(between_flanges(inside), spring)
        inside.start(spring, state=stretch(self.length, self.rest))

    def observables(self) -> dict[str, str]:
        return {"stretch": "spring.q", "force": "spring.e"}


@component
class Damper(TwoFlanges):
    """A damper between two flanges: force = damping · relative velocity.

    damping  [N.s/m], or force: a formula of the relative velocity f; heating: the loss leaves at the port `heat`.

    >>> Damper("shock", 500.0)
    >>> Damper("drag", force=lambda v: 0.6 * v * abs(v))
    """

    damping: Number = parameter(default=None, unit="N.s/m", sign="not negative")
    force: Number = parameter(default=None, unit="N", shape="law", formula=("f",))
    heating: bool = parameter(default=False, structural=True, shape="flag")

    def faults(self) -> list[Finding]:
        return one_of(self, ("damping", "force"))

    def ports(self) -> tuple[Port, ...]:
        return (*super().ports(), *heat_port(self.heating))

    def build(self, inside: Inside) -> None:
        path = between_flanges(inside)
        loss(inside, path, "damper", self.heating, resistance=self.damping, effort=self.force)

    def observables(self) -> dict[str, str]:
        return loss_names("damper", self.heating, "force", "velocity")


@component
class SpringDamper(TwoFlanges):
    """A spring with a damper beside it: force = stiffness · stretch + damping · relative velocity.

    stiffness  [N/m]; damping  [N.s/m]; rest: length without force  [m]; length: at the start  [m], that of rest where
    it is not given.

    >>> SpringDamper("strut", 2e4, 1500.0)
    """

    stiffness: Number = parameter(unit="N/m", sign="positive")
    damping: Number = parameter(unit="N.s/m", sign="not negative")
    rest: Number = parameter(default=0.0, unit="m", start=True)
    length: Number = parameter(default=None, unit="m", start=True)

    def build(self, inside: Inside) -> None:
        spring_and_damper(inside, self.stiffness, self.damping, stretch(self.length, self.rest))

    def observables(self) -> dict[str, str]:
        return {"stretch": "spring.q", "velocity": "damper.f", "spring_force": "spring.e", "damper_force": "damper.e"}


@component
class Fixed(Part):
    """A flange that does not move.

    >>> Fixed("wall")
    """

    def ports(self) -> tuple[Port, ...]:
        return (flange("flange"),)

    def build(self, inside: Inside) -> None:
        inside.bond(inside.add(Sf("wall", 0.0, size=1)), inside.own("flange"))

    def observables(self) -> dict[str, str]:
        return {"force": "wall.e"}


ALL = (Mass, Spring, Damper, SpringDamper, Fixed)
