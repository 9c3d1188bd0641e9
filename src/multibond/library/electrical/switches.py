"""Diode and switch: ideal where nothing else is said, in true modes."""

from __future__ import annotations

from multibond import elements
from multibond.graph.component import Number, component, parameter
from multibond.graph.expand import Inside
from multibond.graph.port import Port
from multibond.library.drawing import input_port
from multibond.library.electrical.pins import TwoPin


@component
class Diode(TwoPin):
    """Lets current pass from pin_p to pin_n only.

    threshold: voltage above which it conducts  [V]; on_resistance  [ohm] and off_conductance  [S] make it leak.

    >>> Diode("rectifier")
    """

    threshold: Number = parameter(default=0.0, unit="V", sign="not negative")
    on_resistance: Number = parameter(default=0.0, unit="ohm", sign="not negative")
    off_conductance: Number = parameter(default=0.0, unit="S", sign="not negative")

    def build(self, inside: Inside) -> None:
        diode = elements.Diode("diode", self.threshold, self.on_resistance, self.off_conductance, size=1)
        inside.bond(self.path(inside), inside.add(diode))

    def observables(self) -> dict[str, str]:
        return {"voltage": "diode.e", "current": "diode.f"}


@component
class Switch(TwoPin):
    """Closed while `control` is above 0.5, open below.

    control: a formula of the time t; left out, the signal `input` gives it. on_resistance  [ohm] and off_conductance
    [S] make it leak.

    >>> Switch("relay", lambda t: mb.where(t > 1, 1, 0))
    """

    control: Number = parameter(default=None, shape="law", formula=("t",))
    on_resistance: Number = parameter(default=0.0, unit="ohm", sign="not negative")
    off_conductance: Number = parameter(default=0.0, unit="S", sign="not negative")

    def ports(self) -> tuple[Port, ...]:
        return (*super().ports(), *input_port(self.control))

    def build(self, inside: Inside) -> None:
        switch = elements.Switch("switch", self.control, self.on_resistance, self.off_conductance, size=1)
        inside.bond(self.path(inside), inside.add(switch))
        if self.control is None:
            inside.signal(inside.own("input"), switch.input)

    def observables(self) -> dict[str, str]:
        return {"voltage": "switch.e", "current": "switch.f"}


ALL = (Diode, Switch)
