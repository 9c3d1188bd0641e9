"""Sound in small rooms and short tubes: ports share their sound pressure [Pa]; volume flows [m³/s] add up to zero.

The wave length is taken as long against every part. Air at 20 °C where nothing else is said.
"""

from __future__ import annotations

from multibond.elements import TF, C, De, I, R
from multibond.graph.component import Element, Number, Part, component, parameter
from multibond.graph.expand import Inside
from multibond.graph.port import Port, PowerPort, SignalPort
from multibond.library import translational
from multibond.library.drawing import effort_source, flow_source, input_port, sense, through
from multibond.units import ACOUSTIC

DENSITY = 1.204
"""[kg/m³], air at 20 °C and 101325 Pa."""
SPEED = 343.2
"""Speed of sound in air at 20 °C  [m/s]."""


def port(name: str) -> PowerPort:
    """An acoustic port: all that is joined here has one sound pressure."""
    return PowerPort(name, 1, ACOUSTIC, common="effort")


@component
class TwoPorts(Part):
    """Base of parts with a flow from port_a to port_b; pressure drops count a above b."""

    def ports(self) -> tuple[Port, ...]:
        return (port("port_a"), port("port_b"))

    def path(self, inside: Inside) -> Element:
        """Draw the path of the air; returns its 1-junction."""
        return through(inside, "port_a", "port_b", "flow")


@component
class Tube(TwoPorts):
    """A short tube: its air moves as one mass, pressure drop = density · length / area · d(flow)/dt.

    length, end corrections included  [m]; area  [m²]; density  [kg/m³]; flow_rate: start value  [m³/s].

    >>> Tube("neck", 0.05, 1e-3)
    """

    length: Number = parameter(unit="m", sign="positive")
    area: Number = parameter(unit="m^2", sign="positive")
    density: Number = parameter(default=DENSITY, unit="kg/m^3", sign="positive")
    flow_rate: Number = parameter(default=0.0, unit="m^3/s", start=True)

    def build(self, inside: Inside) -> None:
        mass = inside.add(I("mass", self.density * self.length / self.area, size=1))
        inside.bond(self.path(inside), mass)
        inside.start(mass, flow=self.flow_rate)

    def observables(self) -> dict[str, str]:
        return {"flow": "mass.f", "drop": "mass.e"}


@component
class Cavity(Part):
    """A closed room of air: inflow = volume / (density · speed²) · d(pressure)/dt.

    volume  [m³]; density  [kg/m³]; speed of sound  [m/s]; pressure: start value, above that of the air outside  [Pa].

    >>> Cavity("bottle", 1e-3)
    """

    volume: Number = parameter(unit="m^3", sign="positive")
    density: Number = parameter(default=DENSITY, unit="kg/m^3", sign="positive")
    speed: Number = parameter(default=SPEED, unit="m/s", sign="positive")
    pressure: Number = parameter(default=0.0, unit="Pa", start=True)

    def ports(self) -> tuple[Port, ...]:
        return (port("port"),)

    def build(self, inside: Inside) -> None:
        air = inside.add(C("air", self.volume / (self.density * self.speed**2), size=1))
        inside.bond(inside.own("port"), air)
        inside.start(air, effort=self.pressure)

    def observables(self) -> dict[str, str]:
        return {"pressure": "air.e", "inflow": "air.f"}


@component
class Resistance(TwoPorts):
    """A screen or a narrow slit: pressure drop = resistance · flow.

    resistance  [Pa.s/m³].

    >>> Resistance("felt", 1e5)
    """

    resistance: Number = parameter(unit="Pa.s/m^3", sign="not negative")

    def build(self, inside: Inside) -> None:
        inside.bond(self.path(inside), inside.add(R("screen", self.resistance, size=1)))

    def observables(self) -> dict[str, str]:
        return {"flow": "screen.f", "drop": "screen.e"}


@component
class Pressure(Part):
    """Keeps a port at a given sound pressure; zero for the open air. Flow counts out of it.

    pressure: a number or a formula of the time t  [Pa]; left out, the signal `input` gives it.

    >>> Pressure("outside", 0.0)
    """

    pressure: Number = parameter(default=None, unit="Pa", live=True, formula=("t",))

    def ports(self) -> tuple[Port, ...]:
        return (port("port"), *input_port(self.pressure))

    def build(self, inside: Inside) -> None:
        inside.bond(effort_source(inside, "air", self.pressure), inside.own("port"))

    def observables(self) -> dict[str, str]:
        return {"pressure": "air.e", "flow": "air.f"}


@component
class Flow(Part):
    """Pushes a given flow out of its port, as a small loudspeaker does.

    flow: a number or a formula of the time t  [m³/s]; left out, the signal `input` gives it.

    >>> Flow("speaker", lambda t: 1e-5 * mb.sin(600 * t))
    """

    flow: Number = parameter(default=None, unit="m^3/s", live=True, formula=("t",))

    def ports(self) -> tuple[Port, ...]:
        return (port("port"), *input_port(self.flow))

    def build(self, inside: Inside) -> None:
        inside.bond(flow_source(inside, "source", self.flow), inside.own("port"))

    def observables(self) -> dict[str, str]:
        return {"pressure": "source.e", "flow": "source.f"}


@component
class Piston(Part):
    """A stiff membrane between a flange and a room: flow into the room = area · velocity, force = area · pressure.

    area  [m²]. Force counts into the membrane.

    >>> Piston("cone", 0.02)
    """

    area: Number = parameter(unit="m^2", sign="positive")

    def ports(self) -> tuple[Port, ...]:
        return (translational.flange("flange"), port("port"))

    def build(self, inside: Inside) -> None:
        membrane = inside.add(TF("membrane", self.area, size=1))
        inside.bond(inside.own("flange"), membrane)
        inside.bond(membrane, inside.own("port"))

    def observables(self) -> dict[str, str]:
        return {"force": "membrane.a.e", "velocity": "membrane.a.f", "flow": "membrane.b.f"}


@component
class Microphone(Part):
    """Reads the sound pressure at a port as the signal `pressure`  [Pa].

    >>> Microphone("probe")
    """

    def ports(self) -> tuple[Port, ...]:
        return (port("port"), SignalPort("pressure", 1, "out"))

    def build(self, inside: Inside) -> None:
        sense(inside, De("sensor", size=1), inside.own("port"), "pressure")

    def observables(self) -> dict[str, str]:
        return {"pressure": "sensor.value"}


ALL = (Tube, Cavity, Resistance, Pressure, Flow, Piston, Microphone)
