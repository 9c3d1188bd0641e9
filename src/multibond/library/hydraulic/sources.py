"""Given pressures and flows."""

from __future__ import annotations

from multibond.graph.component import Number, Part, component, parameter
from multibond.graph.expand import Inside
from multibond.graph.port import Port
from multibond.library.drawing import effort_source, flow_source, input_port
from multibond.library.hydraulic.ports import port


@component
class PressureSource(Part):
    """Keeps a port at a given pressure, whatever flow that takes.

    pressure: a number or a formula of the time t  [Pa]; left out, the signal `input` gives it. Flow counts out of it.

    >>> PressureSource("supply", 5e6)
    """

    pressure: Number = parameter(default=None, unit="Pa", live=True, formula=("t",))

    def ports(self) -> tuple[Port, ...]:
        return (port("port"), *input_port(self.pressure))

    def build(self, inside: Inside) -> None:
        inside.bond(effort_source(inside, "supply", self.pressure), inside.own("port"))

    def observables(self) -> dict[str, str]:
        return {"pressure": "supply.e", "flow": "supply.f"}


@component
class FlowSource(Part):
    """Pushes a given flow out of its port, whatever pressure that takes.

    flow: a number or a formula of the time t  [m³/s]; left out, the signal `input` gives it.

    >>> FlowSource("pump", 2e-4)
    """

    flow: Number = parameter(default=None, unit="m^3/s", live=True, formula=("t",))

    def ports(self) -> tuple[Port, ...]:
        return (port("port"), *input_port(self.flow))

    def build(self, inside: Inside) -> None:
        inside.bond(flow_source(inside, "supply", self.flow), inside.own("port"))

    def observables(self) -> dict[str, str]:
        return {"pressure": "supply.e", "flow": "supply.f"}


@component
class Reservoir(Part):
    """A large open reservoir: its port stays at one pressure. Flow counts out of it.

    pressure  [Pa], zero for that of the air.

    >>> Reservoir("sump")
    """

    pressure: Number = parameter(default=0.0, unit="Pa")

    def ports(self) -> tuple[Port, ...]:
        return (port("port"),)

    def build(self, inside: Inside) -> None:
        inside.bond(effort_source(inside, "level", self.pressure), inside.own("port"))

    def observables(self) -> dict[str, str]:
        return {"flow": "level.f"}


ALL = (PressureSource, FlowSource, Reservoir)
