"""Dissipation: resistances, with or without the heat they make, and the gyristor. Power counts into the element."""

from __future__ import annotations

from typing import ClassVar

import casadi as ca

from multibond.elements.law import LawWriter
from multibond.elements.oneport import OnePort
from multibond.elements.passivity import active, law_size, picked
from multibond.elements.storage import one_of
from multibond.errors import Finding
from multibond.expr import SX, matrix, square_of
from multibond.graph.component import Element, Number, component, parameter
from multibond.graph.port import Port, PowerPort, SignalPort
from multibond.units import THERMAL


@component
class R(OnePort):
    """Dissipates power: e = R f, power into the element is positive.

    resistance: scalar, vector (diagonal) or matrix (field)  [effort/flow].
    Instead of it a law: effort, a formula of f; or flow, a formula of e. active: the law may also give power.

    >>> R("bearing", 1e-3)
    >>> R("orifice", flow=lambda e: 9e-8 * mb.sign(e) * mb.sqrt(abs(e)))
    """

    resistance: Number = parameter(default=None, unit="effort/flow", sign="not negative", shape=None)
    effort: Number = parameter(default=None, unit="effort", shape="law", formula=("f",))
    flow: Number = parameter(default=None, unit="flow", shape="law", formula=("e",))
    active: bool = parameter(default=False, structural=True, shape="flag")

    code: ClassVar[str] = "R"
    power: ClassVar[str] = "lost"

    def faults(self) -> list[Finding]:
        return _law_faults(self)

    def causality_at(self, port: str, component: int = 0) -> str:
        return _explicit_way(self)

    def law(self, at: LawWriter) -> None:
        if self.resistance is not None:
            at.zero(at.e() - matrix(self.resistance, at.size()) @ at.f())
        elif self.effort is not None:
            at.zero(at.e() - at.value(self.effort, at.size(), f=at.f()))
        else:
            at.zero(at.f() - at.value(self.flow, at.size(), e=at.e()))


@component
class G(OnePort):
    """Conductance: f = G e, an R told by its flow. Zero lets nothing through.

    conductance: scalar, vector (diagonal) or matrix  [flow/effort].

    >>> G("leak", 1e-6)
    """

    conductance: Number = parameter(unit="flow/effort", sign="not negative", shape=None)

    code: ClassVar[str] = "G"
    power: ClassVar[str] = "lost"

    def law(self, at: LawWriter) -> None:
        at.zero(at.f() - matrix(self.conductance, at.size()) @ at.e())


@component
class RS(Element):
    """A resistance that makes heat: e = R f at port a; the lost power leaves at port heat as entropy, T dS/dt = e f.

    resistance: number, vector or matrix  [effort/flow]; or a law: effort, a formula of f; or flow, a formula of e.

    >>> RS("brake", 20.0)
    """

    resistance: Number = parameter(default=None, unit="effort/flow", sign="not negative", shape=None)
    effort: Number = parameter(default=None, unit="effort", shape="law", formula=("f",))
    flow: Number = parameter(default=None, unit="flow", shape="law", formula=("e",))

    code: ClassVar[str] = "RS"
    active: ClassVar[bool] = False

    def faults(self) -> list[Finding]:
        return _law_faults(self)

    def causality_at(self, port: str, component: int = 0) -> str:
        if port == "heat":
            return "gives flow"
        return _explicit_way(self)

    def ports(self) -> tuple[Port, ...]:
        a = PowerPort("a", self.size_hint())
        return (*self.lanes(a), PowerPort("heat", 1, THERMAL, inward=False, common="effort"))

    def law(self, at: LawWriter) -> None:
        size = at.size("a")
        if self.resistance is not None:
            at.zero(at.e("a") - matrix(self.resistance, size) @ at.f("a"))
        elif self.effort is not None:
            at.zero(at.e("a") - at.value(self.effort, size, f=at.f("a")))
        else:
            at.zero(at.f("a") - at.value(self.flow, size, e=at.e("a")))
        at.zero(at.f("heat") - ca.dot(at.e("a"), at.f("a")) / at.e("heat"))


def _law_faults(item: R | RS) -> list[Finding]:
    """What is wrong with a resistance or the law in its place."""
    laws = (("f", item.effort), ("e", item.flow))
    first = one_of(item, ("resistance", "effort", "flow"))
    first = [*first, *(f for name, law in laws for f in picked(item, law, {name: law_size(item, law)}))]
    size = item.size_hint() or 1
    return first or [f for name, law in laws for f in active(item, law, name, size)]


def _explicit_way(item: R | RS) -> str:
    """A resistance may go either way; a law wants what it is a formula for."""
    if item.resistance is not None:
        return "free"
    return "wants effort" if item.effort is not None else "wants flow"


@component
class Gyristor(OnePort):
    """e = G f with any square matrix G: its symmetric part takes power, its skew part only turns it (Tiernego & Bos).

    modulus: the matrix G; left out, the signal `input` of n² entries, row after row, gives it. It appears where an
    inertia is carried over a modulated transformer.
    """

    modulus: Number = parameter(default=None, unit="effort/flow", shape=None)

    code: ClassVar[str] = "GR"
    power: ClassVar[str] = "any"
    causality: ClassVar[str] = "gives effort"

    def faults(self) -> list[Finding]:
        value = self.modulus
        if value is None or isinstance(value, SX) or value.ndim < 2 or value.shape[0] == value.shape[1]:
            return []
        fact = f"It has {value.shape[0]} rows and {value.shape[1]} columns."
        return [Finding(f"the matrix of Gyristor {self.name!r} is not square.", fact, "Give n by n.", (self.name,))]

    def ports(self) -> tuple[Port, ...]:
        entries = (self.size_hint() or 1) ** 2
        return (*self.power_ports(), SignalPort("input", entries, "in", optional=self.modulus is not None))

    def law(self, at: LawWriter) -> None:
        modulated = "input" in at.signals
        modulus = square_of(at.signal("input"), at.size()) if modulated else matrix(self.modulus, at.size())
        at.zero(at.e() - modulus @ at.f())
