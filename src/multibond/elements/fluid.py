"""Fluid laws that are not linear: turbulent flow through an opening, a volume of gas. Power counts into the element."""

from __future__ import annotations

from typing import ClassVar

import casadi as ca

from multibond.elements.law import LawWriter
from multibond.elements.oneport import OnePort
from multibond.elements.switches import is_nothing
from multibond.expr import SX, vector
from multibond.graph.component import Number, component, parameter
from multibond.graph.port import Port, SignalPort


@component
class Turbulent(OnePort):
    """Turbulent flow through an opening: f = K sgn(e) √|e|, or e = f |f| / K² where the flow is given.

    coefficient K  [flow/√effort]; laminar: effort below which the flow turns laminar (zero: never), then
    f = K e / (e² + laminar²)^¼. opening: optional signal that multiplies K (1: wide open; below zero counts as shut).

    >>> Turbulent("orifice", 9e-8)
    """

    coefficient: Number = parameter(unit="flow/effort^0.5", sign="positive", shape=None)
    laminar: Number = parameter(default=0.0, unit="effort", sign="not negative", shape=None)

    code: ClassVar[str] = "R"
    power: ClassVar[str] = "lost"

    def ports(self) -> tuple[Port, ...]:
        return (*self.power_ports(), SignalPort("opening", self.size_hint() or 1, "in", optional=True))

    def causality_at(self, port: str, component: int = 0) -> str:
        return "free"

    def law(self, at: LawWriter) -> None:
        size = at.size()
        K, e, f = vector(self.coefficient, size), at.e(), at.f()
        if "opening" in at.signals:
            K = K * ca.fmax(at.signal("opening"), 0.0)
        for k in range(size):
            smooth = SX(0) if is_nothing(self.laminar, k) else vector(self.laminar, size)[k]
            if at.takes_flow("port"):
                at.zero(e[k] - _pressure(f[k] / K[k], smooth))
            else:
                at.zero(f[k] - K[k] * _root(e[k], smooth))


def _root(e: SX, smooth: SX) -> SX:
    """sgn(e) √|e|, rounded off where asked; its infinite slope at zero is read as zero, which only steers a solver."""
    if smooth.is_zero():
        return ca.if_else(e == 0, 0.0, ca.sign(e) * ca.sqrt(ca.fabs(e)))
    return e / ca.sqrt(ca.sqrt(e**2 + smooth**2))


def _pressure(r: SX, smooth: SX) -> SX:
    """The effort whose root is r."""
    if smooth.is_zero():
        return r * ca.fabs(r)
    return r * ca.sqrt(r**2 / 2 + ca.sqrt(r**4 / 4 + smooth**2))


@component
class Gas(OnePort):
    """A gas that is pressed together: e = pressure · (volume / (volume - q))^exponent, q the displacement that entered.

    pressure: that of the gas at q = 0  [effort]; volume: that of the gas at q = 0  [flow·s]; exponent: 1 for slow
    (isothermal), 1.4 for quick (adiabatic) changes of air; start: q at the start.

    >>> Gas("bladder", pressure=5e6, volume=1e-3)
    """

    pressure: Number = parameter(unit="effort", sign="positive")
    volume: Number = parameter(unit="flow.s", sign="positive")
    exponent: Number = parameter(default=1.4, sign="positive")
    start: Number = parameter(default=0.0, unit="flow.s", start=True, shape=None)

    code: ClassVar[str] = "C"
    causality: ClassVar[str] = "prefers effort"

    def ports(self) -> tuple[Port, ...]:
        return self.power_ports(1)

    def states(self, sizes: dict[str, int]) -> dict[str, int]:
        return {"q": 1}

    def law(self, at: LawWriter) -> None:
        q, n = at.state("q"), self.exponent
        at.rate("q", at.f())
        if at.takes_flow("port"):
            left = 1 - q / self.volume
            at.zero(at.e() - self.pressure * left**-n)
        else:
            left = (at.e() / self.pressure) ** (-1 / n)
            at.zero(q - self.volume * (1 - left))
        work = ca.if_else(n == 1, -ca.log(left), (left ** (1 - n) - 1) / (n - 1))
        at.stored(self.pressure * self.volume * work)
