"""What changes speed into speed without loss."""

from __future__ import annotations

from multibond.elements import TF, Zero
from multibond.graph.component import Number, Part, component, parameter
from multibond.graph.expand import Inside
from multibond.graph.port import Port
from multibond.library.rotational.flanges import TwoFlanges, flange


@component
class Gear(TwoFlanges):
    """Two wheels without loss: speed of flange_a = ratio · speed of flange_b, torque out at b = ratio · torque in at a.

    ratio: above one it gears down; negative where the wheels turn against one another.

    >>> Gear("reducer", 50.0)
    """

    ratio: Number = parameter(sign="not zero")

    def build(self, inside: Inside) -> None:
        wheels = inside.add(TF("wheels", 1 / self.ratio, size=1))
        inside.bond(inside.own("flange_a"), wheels)
        inside.bond(wheels, inside.own("flange_b"))

    def observables(self) -> dict[str, str]:
        return {
            "speed_a": "wheels.a.f",
            "speed_b": "wheels.b.f",
            "torque_a": "wheels.a.e",
            "torque_b": "wheels.b.e",
        }


@component
class Planetary(Part):
    """A planetary gear: (1 + ratio) · carrier speed = sun speed + ratio · ring speed.

    ratio: teeth of the ring to teeth of the sun. Torques count in at sun and ring, out at the carrier.

    >>> Planetary("hub", 2.5)
    """

    ratio: Number = parameter(sign="positive")

    def ports(self) -> tuple[Port, ...]:
        return (flange("flange_sun"), flange("flange_ring"), flange("flange_carrier"))

    def build(self, inside: Inside) -> None:
        mesh = inside.add(Zero("mesh", size=1))
        ring = inside.add(TF("ring", self.ratio, size=1))
        carrier = inside.add(TF("carrier", 1 / (1 + self.ratio), size=1))
        inside.bond(inside.own("flange_sun"), mesh)
        inside.bond(inside.own("flange_ring"), ring)
        inside.bond(ring, mesh)
        inside.bond(mesh, carrier)
        inside.bond(carrier, inside.own("flange_carrier"))

    def observables(self) -> dict[str, str]:
        return {"sun_torque": "carrier.a.e", "ring_torque": "ring.a.e", "carrier_torque": "carrier.b.e"}


ALL = (Gear, Planetary)
