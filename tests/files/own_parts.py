"""An element and a part as a user would write them, in a module of their own."""

from __future__ import annotations

from typing import Any, ClassVar

from multibond.elements import R
from multibond.elements.law import LawWriter
from multibond.elements.oneport import OnePort
from multibond.graph.component import Number, Part, component, parameter
from multibond.graph.port import Port, PowerPort
from multibond.units import ELECTRICAL


@component
class Leak(OnePort):
    """Dissipates power: e = resistance f. resistance  [effort/flow]"""

    resistance: Number = parameter(unit="effort/flow", sign="not negative")

    code: ClassVar[str] = "Leak"

    def law(self, at: LawWriter) -> None:
        at.zero(at.e() - self.resistance * at.f())


@component
class Lamp(Part):
    """A lamp between two pins, drawn as a resistor. resistance  [ohm]"""

    resistance: Number = parameter(default=100.0, unit="ohm", sign="not negative")

    def ports(self) -> tuple[Port, ...]:
        return (PowerPort("a", 1, ELECTRICAL, common="effort"), PowerPort("b", 1, ELECTRICAL, common="effort"))

    def build(self, inside: Any) -> None:
        raise NotImplementedError("this lamp is only drawn")


NOT_A_TYPE = 3
ALL = [R, Lamp]
