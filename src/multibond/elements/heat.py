"""Heat as temperature [K] and entropy flow [W/K]: a body that stores it, given heat, radiation.

Their product is power, so heat joins the energy balance of all other domains; conduction and losses make entropy.
"""

from __future__ import annotations

from typing import ClassVar

import casadi as ca

from multibond.elements.law import LawWriter
from multibond.elements.oneport import OnePort
from multibond.expr import SX
from multibond.graph.component import Element, Number, component, parameter
from multibond.graph.port import Port, PowerPort, SignalPort
from multibond.units import THERMAL

STEFAN_BOLTZMANN = 5.670374419e-8
"""[W/(m²·K⁴)], CODATA 2018."""


@component
class HeatStore(OnePort):
    """A body of constant heat capacity: T = temperature · exp(S / capacity), S the entropy that entered since.

    capacity  [J/K]; temperature: that at the start  [K]. Its energy is capacity · T.

    >>> HeatStore("block", 500.0, temperature=293.15)
    """

    capacity: Number = parameter(unit="J/K", sign="positive")
    temperature: Number = parameter(default=293.15, unit="K", sign="positive")

    code: ClassVar[str] = "C"
    causality: ClassVar[str] = "prefers effort"

    def ports(self) -> tuple[Port, ...]:
        return (PowerPort("port", 1, THERMAL, common="effort"),)

    def states(self, sizes: dict[str, int]) -> dict[str, int]:
        return {"q": 1}

    def law(self, at: LawWriter) -> None:
        at.rate("q", at.f())
        if at.takes_flow("port"):
            at.zero(at.e() - self.temperature * ca.exp(at.state("q") / self.capacity))
        else:
            at.zero(at.state("q") - self.capacity * ca.log(at.e() / self.temperature))
        at.stored(self.capacity * at.e())


@component
class HeatFlow(OnePort):
    """Source of a given heat: entropy flows out of it at the rate heat / T. Power out of the source is positive.

    heat: a number or a formula of the time t  [W]; left out, the signal `input` gives it.

    >>> HeatFlow("burner", 100.0)
    """

    heat: Number = parameter(default=None, unit="W", live=True, formula=("t",))

    code: ClassVar[str] = "Sf"
    power: ClassVar[str] = "given"
    causality: ClassVar[str] = "gives flow"
    inward: ClassVar[bool] = False

    def ports(self) -> tuple[Port, ...]:
        port = PowerPort("port", 1, THERMAL, inward=False, common="effort")
        return (port,) if self.heat is not None else (port, SignalPort("input", 1, "in"))

    def law(self, at: LawWriter) -> None:
        heat = at.signal("input") if self.heat is None else at.value(self.heat, 1)
        at.zero(at.f() - heat / at.e())


@component
class HeatPath(Element):
    """Base of paths that heat takes from a to b: entropy in at a (P / T_a), and more of it out at b (P / T_b).

    Signal produced: entropy made  [W/K].
    """

    code: ClassVar[str] = "RS"
    causality: ClassVar[str] = "gives flow"

    def ports(self) -> tuple[Port, ...]:
        a = PowerPort("a", 1, THERMAL, common="effort")
        return (a, PowerPort("b", 1, THERMAL, inward=False, common="effort"), SignalPort("produced", 1, "out"))

    def heat(self, a: SX, b: SX) -> SX:
        """The heat that flows between two temperatures  [W]."""
        raise TypeError(f"{type(self).__name__} leads no heat")

    def law(self, at: LawWriter) -> None:
        a, b = at.e("a"), at.e("b")
        heat = self.heat(a, b)
        at.zero(at.f("a") - heat / a)
        at.zero(at.f("b") - heat / b)
        at.give("produced", heat / b - heat / a)


@component
class Conduction(HeatPath):
    """Heat conducted from hot to cold: P = conductance · (T_a - T_b).

    conductance  [W/K].

    >>> Conduction("bar", 0.7)
    """

    conductance: Number = parameter(unit="W/K", sign="not negative")

    def heat(self, a: SX, b: SX) -> SX:
        return self.conductance * (a - b)


@component
class Radiation(HeatPath):
    """Radiation between two surfaces: P = σ · area · (T_a⁴ - T_b⁴).

    area: effective area, emissivities and view factor included  [m²].
    """

    area: Number = parameter(unit="m^2", sign="not negative")

    def heat(self, a: SX, b: SX) -> SX:
        return STEFAN_BOLTZMANN * self.area * (a**4 - b**4)
