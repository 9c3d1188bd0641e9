"""The ports of hydraulics, and the base of what fluid flows through."""

from __future__ import annotations

from multibond.elements import De, Df
from multibond.graph.component import Element, Part, component
from multibond.graph.expand import Inside
from multibond.graph.port import Port, PowerPort, SignalPort
from multibond.library.drawing import sense, through
from multibond.units import HYDRAULIC


def port(name: str) -> PowerPort:
    """A hydraulic port: all that is joined here has one pressure."""
    return PowerPort(name, 1, HYDRAULIC, common="effort")


@component
class TwoPorts(Part):
    """Base of parts with a flow from port_a to port_b; pressure drops count a above b."""

    def ports(self) -> tuple[Port, ...]:
        return (port("port_a"), port("port_b"))

    def path(self, inside: Inside) -> Element:
        """Draw the path of the fluid; returns its 1-junction."""
        return through(inside, "port_a", "port_b", "flow")


@component
class PressureSensor(Part):
    """Reads the pressure at a port as the signal `pressure`  [Pa].

    >>> PressureSensor("gauge")
    """

    def ports(self) -> tuple[Port, ...]:
        return (port("port"), SignalPort("pressure", 1, "out"))

    def build(self, inside: Inside) -> None:
        sense(inside, De("sensor", size=1), inside.own("port"), "pressure")

    def observables(self) -> dict[str, str]:
        return {"pressure": "sensor.value"}


@component
class FlowSensor(TwoPorts):
    """Reads the flow from port_a to port_b as the signal `flow`  [m³/s], without a pressure drop.

    >>> FlowSensor("meter")
    """

    def ports(self) -> tuple[Port, ...]:
        return (*super().ports(), SignalPort("flow", 1, "out"))

    def build(self, inside: Inside) -> None:
        sense(inside, Df("sensor", size=1), through(inside, "port_a", "port_b", "path"), "flow")

    def observables(self) -> dict[str, str]:
        return {"flow": "sensor.value"}


ALL = (PressureSensor, FlowSensor)
