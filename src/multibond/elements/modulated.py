"""Resistances that a signal sets. Power counts into the element."""

from __future__ import annotations

from typing import ClassVar

from multibond.elements.law import LawWriter
from multibond.elements.oneport import OnePort
from multibond.graph.component import component
from multibond.graph.port import Port, SignalPort


@component
class MR(OnePort):
    """A resistance that a signal gives: e = r f, component by component; r must not be negative.

    >>> MR("slider")
    """

    code: ClassVar[str] = "MR"
    power: ClassVar[str] = "lost"
    causality: ClassVar[str] = "free"

    def ports(self) -> tuple[Port, ...]:
        return (*self.power_ports(), SignalPort("resistance", self.size_hint() or 1, "in", sign="not negative"))

    def law(self, at: LawWriter) -> None:
        at.zero(at.e() - at.signal("resistance") * at.f())
