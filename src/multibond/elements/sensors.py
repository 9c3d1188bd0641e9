"""Sensors read a variable and take no power: attaching one changes nothing."""

from __future__ import annotations

from typing import ClassVar

from multibond.elements.law import LawWriter
from multibond.elements.oneport import OnePort
from multibond.graph.component import Number, component, parameter
from multibond.graph.port import Port, SignalPort


@component
class Sensor(OnePort):
    """Base of sensors: a port without power and the signal `value`."""

    def ports(self) -> tuple[Port, ...]:
        return (*self.power_ports(), SignalPort("value", self.size_hint() or 1, "out"))


@component
class Df(Sensor):
    """Reads the flow of a 1-junction; its effort is zero."""

    code: ClassVar[str] = "Df"
    causality: ClassVar[str] = "gives effort"

    def law(self, at: LawWriter) -> None:
        at.zero(at.e())
        at.give("value", at.f())


@component
class De(Sensor):
    """Reads the effort of a 0-junction; its flow is zero."""

    code: ClassVar[str] = "De"
    causality: ClassVar[str] = "gives flow"

    def law(self, at: LawWriter) -> None:
        at.zero(at.f())
        at.give("value", at.e())


@component
class Dq(Sensor):
    """Reads the displacement of a 1-junction: the integral of its flow from `start`."""

    start: Number = parameter(default=0.0, unit="flow.s", start=True, shape=None)

    code: ClassVar[str] = "Dq"
    causality: ClassVar[str] = "gives effort"

    def states(self, sizes: dict[str, int]) -> dict[str, int]:
        return {"q": sizes["port"]}

    def turning_states(self, sizes: dict[str, int]) -> dict[str, int]:
        return self.states(sizes)

    def law(self, at: LawWriter) -> None:
        at.zero(at.e())
        at.rate("q", at.f())
        at.give("value", at.state("q"))


@component
class Dp(Sensor):
    """Reads the momentum passed through a 0-junction: the integral of its effort from `start`."""

    start: Number = parameter(default=0.0, unit="effort.s", start=True, shape=None)

    code: ClassVar[str] = "Dp"
    causality: ClassVar[str] = "gives flow"

    def states(self, sizes: dict[str, int]) -> dict[str, int]:
        return {"p": sizes["port"]}

    def law(self, at: LawWriter) -> None:
        at.zero(at.f())
        at.rate("p", at.e())
        at.give("value", at.state("p"))
