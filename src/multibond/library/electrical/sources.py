"""Given voltages and currents, and what reads them."""

from __future__ import annotations

from multibond.elements import De, Df, PowerSensor
from multibond.graph.component import Number, component, parameter
from multibond.graph.expand import Inside
from multibond.graph.port import Port, PortRef, SignalPort
from multibond.library.drawing import effort_source, flow_source, input_port, sense, through
from multibond.library.electrical.pins import TwoPin, pin


@component
class VoltageSource(TwoPin):
    """Keeps pin_p at `voltage` above pin_n; its current counts out of pin_p.

    voltage: a number or a formula of the time t  [V]; left out, the signal `input` gives it.

    >>> VoltageSource("battery", 12.0)
    >>> VoltageSource("mains", lambda t: 325 * mb.sin(2 * mb.pi * 50 * t))
    """

    voltage: Number = parameter(default=None, unit="V", live=True, formula=("t",))

    def ports(self) -> tuple[Port, ...]:
        return (*super().ports(), *input_port(self.voltage))

    def build(self, inside: Inside) -> None:
        path = through(inside, "pin_n", "pin_p", "current")
        inside.bond(effort_source(inside, "source", self.voltage), path)

    def observables(self) -> dict[str, str]:
        return {"voltage": "source.e", "current": "source.f"}


@component
class CurrentSource(TwoPin):
    """Drives a given current out of pin_p, back in at pin_n; its voltage counts p above n.

    current: a number or a formula of the time t  [A]; left out, the signal `input` gives it.

    >>> CurrentSource("photocell", 0.5)
    """

    current: Number = parameter(default=None, unit="A", live=True, formula=("t",))

    def ports(self) -> tuple[Port, ...]:
        return (*super().ports(), *input_port(self.current))

    def build(self, inside: Inside) -> None:
        path = through(inside, "pin_n", "pin_p", "current")
        inside.bond(flow_source(inside, "source", self.current), path)

    def observables(self) -> dict[str, str]:
        return {"voltage": "source.e", "current": "source.f"}


@component
class Voltmeter(TwoPin):
    """Reads the voltage of pin_p above pin_n as the signal `voltage`  [V]; no current passes.

    >>> Voltmeter("probe")
    """

    def ports(self) -> tuple[Port, ...]:
        return (*super().ports(), SignalPort("voltage", 1, "out"))

    def build(self, inside: Inside) -> None:
        sense(inside, De("sensor", size=1), self.path(inside), "voltage")

    def observables(self) -> dict[str, str]:
        return {"voltage": "sensor.value"}


@component
class Ammeter(TwoPin):
    """Reads the current from pin_p to pin_n as the signal `current`  [A]; there is no voltage between them.

    >>> Ammeter("meter")
    """

    def ports(self) -> tuple[Port, ...]:
        return (*super().ports(), SignalPort("current", 1, "out"))

    def build(self, inside: Inside) -> None:
        sense(inside, Df("sensor", size=1), through(inside, "pin_p", "pin_n", "wire"), "current")

    def observables(self) -> dict[str, str]:
        return {"current": "sensor.value"}


@component
class Wattmeter(TwoPin):
    """Reads the power that passes from pin_p to pin_n, against pin_return: signals `power` [W], `voltage` [V].

    It sits in one wire, between p and n; pin_return goes to the other.

    >>> Wattmeter("meter")
    """

    def ports(self) -> tuple[Port, ...]:
        signals = (SignalPort("power", 1, "out"), SignalPort("voltage", 1, "out"))
        return (*super().ports(), pin("pin_return"), *signals)

    def build(self, inside: Inside) -> None:
        sensor = inside.add(PowerSensor("sensor", size=1))
        inside.bond(through(inside, "pin_p", "pin_return", "current_in"), sensor.a)
        inside.bond(sensor.b, through(inside, "pin_return", "pin_n", "current_out"))
        inside.signal(PortRef("sensor", "power"), inside.own("power"))
        inside.signal(sensor.effort, inside.own("voltage"))

    def observables(self) -> dict[str, str]:
        return {"power": "sensor.power", "voltage": "sensor.effort", "current": "sensor.a.f"}


ALL = (VoltageSource, CurrentSource, Voltmeter, Ammeter, Wattmeter)
