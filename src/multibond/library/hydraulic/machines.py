"""Between fluid and motion: pump (or motor) and cylinder, ideal but for the fluid in the cylinder's chambers."""

from __future__ import annotations

from multibond.elements import TF, C
from multibond.graph.component import Number, Part, component, parameter
from multibond.graph.expand import Inside
from multibond.graph.port import Port
from multibond.library import rotational, translational
from multibond.library.hydraulic.ports import TwoPorts, port
from multibond.library.hydraulic.volumes import BULK
from multibond.library.spatial.drawing import is_zero


@component
class Pump(TwoPorts):
    """A displacement pump, or a motor: flow from a to b = displacement · speed, torque = displacement · (p_b - p_a).

    displacement: volume for each radian  [m³/rad]. Torque counts into the shaft.

    >>> Pump("gear_pump", 1.6e-6)
    """

    displacement: Number = parameter(unit="m^3/rad")

    def ports(self) -> tuple[Port, ...]:
        return (*super().ports(), rotational.flange("flange"))

    def build(self, inside: Inside) -> None:
        wheels = inside.add(TF("wheels", self.displacement, size=1))
        inside.bond(inside.own("flange"), wheels)
        inside.bond(wheels, self.path(inside))

    def observables(self) -> dict[str, str]:
        return {"torque": "wheels.a.e", "speed": "wheels.a.f", "rise": "wheels.b.e", "flow": "wheels.b.f"}


@component
class Cylinder(Part):
    """A cylinder that pushes a rod out: force = area · p_a - annulus · p_b, flow in at a = area · velocity.

    area of the piston  [m²]; annulus: area on the side of the rod  [m²], zero for a single-acting cylinder without
    port_b; volume_a, volume_b: fluid in the chambers, taken as constant  [m³], zero where it shall not be pressed
    together; bulk: its bulk modulus  [Pa]; pressure_a, pressure_b: start values where there is such a volume  [Pa].

    >>> Cylinder("ram", area=1e-3, annulus=6e-4, volume_a=1e-4, volume_b=1e-4)
    """

    area: Number = parameter(unit="m^2", sign="positive")
    annulus: Number = parameter(default=0.0, unit="m^2", sign="not negative")
    volume_a: Number = parameter(default=0.0, unit="m^3", sign="not negative")
    volume_b: Number = parameter(default=0.0, unit="m^3", sign="not negative")
    bulk: Number = parameter(default=BULK, unit="Pa", sign="positive")
    pressure_a: Number = parameter(default=0.0, unit="Pa", start=True)
    pressure_b: Number = parameter(default=0.0, unit="Pa", start=True)

    def ports(self) -> tuple[Port, ...]:
        both = (port("port_a"),) if is_zero(self.annulus) else (port("port_a"), port("port_b"))
        return (*both, translational.flange("flange"))

    def build(self, inside: Inside) -> None:
        piston = inside.add(TF("piston", 1 / self.area, size=1))
        inside.bond(inside.own("port_a"), piston)
        inside.bond(piston, inside.own("flange"))
        self._chamber(inside, "a", self.volume_a, self.pressure_a)
        if is_zero(self.annulus):
            return
        ring = inside.add(TF("ring", self.annulus, size=1))
        inside.bond(inside.own("flange"), ring)
        inside.bond(ring, inside.own("port_b"))
        self._chamber(inside, "b", self.volume_b, self.pressure_b)

    def _chamber(self, inside: Inside, side: str, volume: Number, pressure: Number) -> None:
        if is_zero(volume):
            return
        fluid = inside.add(C(f"chamber_{side}", volume / self.bulk, size=1))
        inside.bond(inside.own(f"port_{side}"), fluid)
        inside.start(fluid, effort=pressure)

    def observables(self) -> dict[str, str]:
        names = {"velocity": "piston.b.f", "pressure_a": "piston.a.e", "push_a": "piston.b.e", "inflow_a": "piston.a.f"}
        ring = {"pressure_b": "ring.b.e", "push_b": "ring.a.e", "outflow_b": "ring.b.f"}
        return names if is_zero(self.annulus) else names | ring


ALL = (Pump, Cylinder)
