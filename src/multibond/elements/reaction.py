"""Chemistry as chemical potential [J/mol] and molar flow [mol/s]: a dissolved species, a reaction by mass action."""

from __future__ import annotations

from typing import ClassVar

import casadi as ca
import numpy as np

from multibond.elements.law import LawWriter
from multibond.elements.oneport import OnePort
from multibond.errors import Finding
from multibond.graph.component import Element, Number, component, parameter
from multibond.graph.port import Port, PowerPort
from multibond.graph.start import start_vector
from multibond.units import CHEMICAL

GAS_CONSTANT = 8.31446261815324
"""[J/(mol·K)], exact since 2019."""
LITRE = 1000.0
"""Standard concentration of one mole in a litre  [mol/m³]."""


@component
class Solute(OnePort):
    """A species in ideal solution: μ = standard + R T ln(n / (volume · 1000 mol/m³)), n its amount.

    volume of the solution  [m³]; standard: μ at one mole a litre  [J/mol]; temperature  [K]; start: amount at the
    start  [mol], greater than zero.

    >>> Solute("A", 1e-3, start=0.2)
    """

    volume: Number = parameter(default=1e-3, unit="m^3", sign="positive")
    standard: Number = parameter(default=0.0, unit="J/mol")
    temperature: Number = parameter(default=298.15, unit="K", sign="positive")
    start: Number = parameter(default=1.0, unit="mol", start=True)

    code: ClassVar[str] = "C"
    causality: ClassVar[str] = "prefers effort"

    def faults(self) -> list[Finding]:
        return no_amount(self, self.start)

    def ports(self) -> tuple[Port, ...]:
        return (PowerPort("port", 1, CHEMICAL, common="effort"),)

    def states(self, sizes: dict[str, int]) -> dict[str, int]:
        return {"q": 1}

    def law(self, at: LawWriter) -> None:
        n, RT, unit = at.state("q"), GAS_CONSTANT * self.temperature, self.volume * LITRE
        at.rate("q", at.f())
        if at.takes_flow("port"):
            at.zero(at.e() - self.standard - RT * ca.log(n / unit))
        else:
            n = unit * ca.exp((at.e() - self.standard) / RT)
            at.zero(at.state("q") - n)
        at.stored(n * (at.e() - RT))


@component
class MassAction(Element):
    """A reaction by mass action: rate = speed · (exp(A_a / R T) - exp(A_b / R T)), in at port a and out at port b.

    A_a and A_b are the affinities of the left and the right side (Marcelin and de Donder). speed: rate at A_a = 0
    without the way back  [mol/s]; temperature  [K].

    >>> MassAction("decay", 1e-3)
    """

    speed: Number = parameter(unit="mol/s", sign="not negative")
    temperature: Number = parameter(default=298.15, unit="K", sign="positive")

    code: ClassVar[str] = "R"
    power: ClassVar[str] = "lost"
    causality: ClassVar[str] = "gives flow"

    def ports(self) -> tuple[Port, ...]:
        return tuple(PowerPort(name, 1, CHEMICAL, common="effort") for name in ("a", "b"))

    def law(self, at: LawWriter) -> None:
        RT = GAS_CONSTANT * self.temperature
        rate = self.speed * (ca.exp(at.e("a") / RT) - ca.exp(at.e("b") / RT))
        at.zero(at.f("a") - rate)
        at.zero(at.f("b") + rate)


def no_amount(item: object, amount: Number) -> list[Finding]:
    """A species of which there is nothing has no chemical potential."""
    if amount is None or np.all(start_vector(amount).values > 0):
        return []
    name = getattr(item, "name", "")
    problem = f"{type(item).__name__} {name!r} starts with an amount of {float(np.min(amount)):g} mol."
    fact = "Where nothing of a species is left, its chemical potential is minus infinity."
    return [Finding(problem, fact, "Give a trace of it, such as 1e-12.", (name,))]
