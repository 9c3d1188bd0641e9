"""What changes motion into motion without loss: lever, rack and pinion."""

from __future__ import annotations

from multibond.elements import TF, One
from multibond.graph.component import Number, Part, component, parameter
from multibond.graph.expand import Inside
from multibond.graph.port import Port
from multibond.library import rotational
from multibond.library.translational.flanges import TwoFlanges, flange


@component
class Lever(TwoFlanges):
    """A lever about a fixed pivot, for small angles: velocity of a flange = its arm · angular velocity.

    arm_a, arm_b: from the pivot to the flanges, of opposite signs where the pivot lies between them  [m].

    >>> Lever("seesaw", arm_a=-0.5, arm_b=1.5)
    """

    arm_a: Number = parameter(unit="m", sign="not zero")
    arm_b: Number = parameter(unit="m", sign="not zero")

    def build(self, inside: Inside) -> None:
        pivot = inside.add(One("pivot", size=1))
        near = inside.add(TF("near", 1 / self.arm_a, size=1))
        far = inside.add(TF("far", self.arm_b, size=1))
        inside.bond(inside.own("flange_a"), near)
        inside.bond(near, pivot)
        inside.bond(pivot, far)
        inside.bond(far, inside.own("flange_b"))

    def observables(self) -> dict[str, str]:
        return {"speed": "near.b.f", "torque": "near.b.e", "force_a": "near.a.e", "force_b": "far.b.e"}


@component
class Rack(Part):
    """A rack on a pinion: velocity of the flange `rack` = radius · speed of the flange `pinion`.

    radius of the pinion, negative where it sits on the other side  [m].

    >>> Rack("feed", 0.02)
    """

    radius: Number = parameter(unit="m", sign="not zero")

    def ports(self) -> tuple[Port, ...]:
        return (rotational.flange("flange_pinion"), flange("flange_rack"))

    def build(self, inside: Inside) -> None:
        teeth = inside.add(TF("teeth", self.radius, size=1))
        inside.bond(inside.own("flange_pinion"), teeth)
        inside.bond(teeth, inside.own("flange_rack"))

    def observables(self) -> dict[str, str]:
        return {"torque": "teeth.a.e", "speed": "teeth.a.f", "force": "teeth.b.e", "velocity": "teeth.b.f"}


ALL = (Lever, Rack)
