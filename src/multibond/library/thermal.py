"""Heat with true power bonds: ports share their temperature [K]; entropy flows [W/K] add up to zero where they meet.

Heat is never lost: a conductor takes entropy from the hot side and gives more of it to the cold one, at the same power.
Electrical, mechanical and hydraulic losses arrive here through the `heat` ports of their parts.
"""

from __future__ import annotations

from multibond import elements
from multibond.elements import Conduction, De, HeatFlow, HeatStore
from multibond.graph.component import Number, Part, component, parameter
from multibond.graph.expand import Inside
from multibond.graph.port import Port, PowerPort, SignalPort
from multibond.library.drawing import effort_source, input_port, sense
from multibond.units import THERMAL


def port(name: str) -> PowerPort:
    """A thermal port: all that is joined here has one temperature."""
    return PowerPort(name, 1, THERMAL, common="effort")


@component
class TwoPorts(Part):
    """Base of parts that lead heat from port_a to port_b; signal `produced`: entropy made on the way [W/K]."""

    def ports(self) -> tuple[Port, ...]:
        return (port("port_a"), port("port_b"), SignalPort("produced", 1, "out"))

    def lay(self, inside: Inside, path: Conduction | elements.Radiation) -> None:
        """Lay the path of the heat from port_a to port_b."""
        inside.add(path)
        inside.bond(inside.own("port_a"), path.a)
        inside.bond(path.b, inside.own("port_b"))
        inside.signal(path.produced, inside.own("produced"))

    def observables(self) -> dict[str, str]:
        path = {"temperature_a": "path.a.e", "temperature_b": "path.b.e", "entropy_in": "path.a.f"}
        return path | {"entropy_out": "path.b.f", "entropy_produced": "path.produced"}


@component
class HeatCapacity(Part):
    """A body of one temperature that stores heat: energy = capacity · temperature.

    capacity  [J/K]; temperature: start value  [K]. Its entropy counts from the start.

    >>> HeatCapacity("block", 500.0, temperature=350.0)
    """

    capacity: Number = parameter(unit="J/K", sign="positive")
    temperature: Number = parameter(default=293.15, unit="K", sign="positive")

    def ports(self) -> tuple[Port, ...]:
        return (port("port"),)

    def build(self, inside: Inside) -> None:
        inside.bond(inside.own("port"), inside.add(HeatStore("body", self.capacity, self.temperature)))

    def observables(self) -> dict[str, str]:
        return {"temperature": "body.e", "entropy": "body.q", "entropy_flow": "body.f"}


@component
class Conductor(TwoPorts):
    """Conducts heat: heat flow = conductance · (temperature_a - temperature_b).

    conductance  [W/K].

    >>> Conductor("wall", 2.0)
    """

    conductance: Number = parameter(unit="W/K", sign="not negative")

    def build(self, inside: Inside) -> None:
        self.lay(inside, Conduction("path", self.conductance))


@component
class Radiation(TwoPorts):
    """Radiates heat: heat flow = σ · area · (temperature_a⁴ - temperature_b⁴).

    area: effective area, emissivities and view factor included  [m²].

    >>> Radiation("glow", 0.01)
    """

    area: Number = parameter(unit="m^2", sign="not negative")

    def build(self, inside: Inside) -> None:
        self.lay(inside, elements.Radiation("path", self.area))


@component
class FixedTemperature(Part):
    """Keeps a port at a given temperature, whatever heat that takes.

    temperature: a number or a formula of the time t  [K]; left out, the signal `input` gives it. Entropy flow counts
    out of it.

    >>> FixedTemperature("room", 293.15)
    """

    temperature: Number = parameter(default=None, unit="K", sign="positive", live=True, formula=("t",))

    def ports(self) -> tuple[Port, ...]:
        return (port("port"), *input_port(self.temperature))

    def build(self, inside: Inside) -> None:
        inside.bond(effort_source(inside, "bath", self.temperature), inside.own("port"))

    def observables(self) -> dict[str, str]:
        return {"temperature": "bath.e", "entropy_flow": "bath.f"}


@component
class HeatSource(Part):
    """Pushes a given heat into what is connected, whatever its temperature.

    heat: a number or a formula of the time t  [W]; left out, the signal `input` gives it. Entropy flow counts out of
    it: heat / temperature.

    >>> HeatSource("burner", 100.0)
    """

    heat: Number = parameter(default=None, unit="W", live=True, formula=("t",))

    def ports(self) -> tuple[Port, ...]:
        return (port("port"), *input_port(self.heat))

    def build(self, inside: Inside) -> None:
        source = inside.add(HeatFlow("source", self.heat))
        inside.bond(source, inside.own("port"))
        if self.heat is None:
            inside.signal(inside.own("input"), source.input)

    def observables(self) -> dict[str, str]:
        return {"temperature": "source.e", "entropy_flow": "source.f"}


@component
class TemperatureSensor(Part):
    """Reads the temperature at a port as the signal `temperature`  [K].

    >>> TemperatureSensor("thermometer")
    """

    def ports(self) -> tuple[Port, ...]:
        return (port("port"), SignalPort("temperature", 1, "out"))

    def build(self, inside: Inside) -> None:
        sense(inside, De("sensor", size=1), inside.own("port"), "temperature")

    def observables(self) -> dict[str, str]:
        return {"temperature": "sensor.value"}


ALL = (HeatCapacity, Conductor, Radiation, FixedTemperature, HeatSource, TemperatureSensor)
