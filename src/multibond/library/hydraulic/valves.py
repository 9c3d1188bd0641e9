"""What fluid is pressed through: resistances, orifices, valves."""

from __future__ import annotations

from multibond.elements import Diode, Turbulent
from multibond.elements.storage import one_of
from multibond.errors import Finding
from multibond.graph.component import Number, component, parameter
from multibond.graph.expand import Inside
from multibond.graph.port import Port
from multibond.library.drawing import heat_port, input_port, lead, loss, loss_names
from multibond.library.hydraulic.ports import TwoPorts

OIL = 870.0
"""Density of a mineral oil  [kg/m³]."""


@component
class LaminarResistance(TwoPorts):
    """A narrow passage with laminar flow: pressure drop = resistance · flow.

    resistance  [Pa.s/m³]; heating: the loss leaves at the thermal port `heat`.

    >>> LaminarResistance("leak", 2e10)
    """

    resistance: Number = parameter(unit="Pa.s/m^3", sign="not negative")
    heating: bool = parameter(default=False, structural=True, shape="flag")

    def ports(self) -> tuple[Port, ...]:
        return (*super().ports(), *heat_port(self.heating))

    def build(self, inside: Inside) -> None:
        loss(inside, self.path(inside), "resistance", self.heating, resistance=self.resistance)

    def observables(self) -> dict[str, str]:
        return loss_names("resistance", self.heating, "drop", "flow")


@component
class Orifice(TwoPorts):
    """A sharp opening with turbulent flow: flow = K sgn(Δp) √|Δp|, with K = discharge · area · √(2 / density).

    coefficient K  [m³/(s.√Pa)], or area  [m²] with discharge (0.7) and density  [kg/m³]; laminar: pressure drop below
    which the flow turns laminar  [Pa], zero for never.

    >>> Orifice("nozzle", area=1e-5)
    >>> Orifice("nozzle", 9e-8)
    """

    coefficient: Number = parameter(default=None, unit="m^3/s/Pa^0.5", sign="positive")
    area: Number = parameter(default=None, unit="m^2", sign="positive")
    discharge: Number = parameter(default=0.7, sign="positive")
    density: Number = parameter(default=OIL, unit="kg/m^3", sign="positive")
    laminar: Number = parameter(default=0.0, unit="Pa", sign="not negative")

    def faults(self) -> list[Finding]:
        return one_of(self, ("coefficient", "area"))

    def build(self, inside: Inside) -> None:
        K = wide_open(self)
        inside.bond(self.path(inside), inside.add(Turbulent("orifice", K, self.laminar, size=1)))

    def observables(self) -> dict[str, str]:
        return {"drop": "orifice.e", "flow": "orifice.f"}


@component
class Valve(TwoPorts):
    """An orifice that opens and shuts: flow = opening · K sgn(Δp) √|Δp|, as in Orifice.

    coefficient K, wide open  [m³/(s.√Pa)], or area  [m²] with discharge and density  [kg/m³]; laminar: pressure drop
    below which the flow turns laminar  [Pa]; opening: 0 shut to 1 wide open, a number or a formula of the time t; left
    out, the signal `input` gives it.

    >>> Valve("tap", 9e-8, opening=lambda t: mb.clip(t, 0, 1))
    """

    coefficient: Number = parameter(default=None, unit="m^3/s/Pa^0.5", sign="positive")
    area: Number = parameter(default=None, unit="m^2", sign="positive")
    discharge: Number = parameter(default=0.7, sign="positive")
    density: Number = parameter(default=OIL, unit="kg/m^3", sign="positive")
    laminar: Number = parameter(default=0.0, unit="Pa", sign="not negative")
    opening: Number = parameter(default=None, live=True, formula=("t",))

    def faults(self) -> list[Finding]:
        return one_of(self, ("coefficient", "area"))

    def ports(self) -> tuple[Port, ...]:
        return (*super().ports(), *input_port(self.opening))

    def build(self, inside: Inside) -> None:
        orifice = inside.add(Turbulent("orifice", wide_open(self), self.laminar, size=1))
        inside.bond(self.path(inside), orifice)
        lead(inside, self.opening, "opening", orifice.opening)

    def observables(self) -> dict[str, str]:
        return {"drop": "orifice.e", "flow": "orifice.f"}


def wide_open(item: Orifice | Valve) -> Number:
    """The coefficient of an opening."""
    if item.coefficient is not None:
        return item.coefficient
    return item.discharge * item.area * (2 / item.density) ** 0.5


@component
class CheckValve(TwoPorts):
    """Lets fluid pass from port_a to port_b only.

    cracking: pressure drop that opens it  [Pa]; resistance while open  [Pa.s/m³]; leak while shut  [m³/(s.Pa)].

    >>> CheckValve("check")
    """

    cracking: Number = parameter(default=0.0, unit="Pa", sign="not negative")
    resistance: Number = parameter(default=0.0, unit="Pa.s/m^3", sign="not negative")
    leak: Number = parameter(default=0.0, unit="m^3/s/Pa", sign="not negative")

    def build(self, inside: Inside) -> None:
        ball = inside.add(Diode("ball", self.cracking, self.resistance, self.leak, size=1))
        inside.bond(self.path(inside), ball)

    def observables(self) -> dict[str, str]:
        return {"drop": "ball.e", "flow": "ball.f"}


ALL = (LaminarResistance, Orifice, Valve, CheckValve)
