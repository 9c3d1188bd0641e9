"""Circuits: pins share their voltage. A Ground says where zero volts are.

Two-pin parts carry their current from pin_p to pin_n through a 1-junction.
"""

from __future__ import annotations

from multibond.elements import GY, C, I, One, R, Se
from multibond.graph.component import Element, Number, Part, component, parameter
from multibond.graph.expand import Inside
from multibond.graph.port import Port, PowerPort
from multibond.library.rotational import flange
from multibond.library.spatial.parts import is_zero
from multibond.units import ELECTRICAL


def pin(name: str) -> PowerPort:
    """An electrical pin."""
    return PowerPort(name, 1, ELECTRICAL, common="effort")


@component
class TwoPin(Part):
    """Base of parts with a positive and a negative pin."""

    def ports(self) -> tuple[Port, ...]:
        return (pin("pin_p"), pin("pin_n"))

    def current(self, inside: Inside) -> Element:
        """Draw the path of the current; returns its 1-junction."""
        path = inside.add(One("current", size=1))
        inside.bond(inside.own("pin_p"), path)
        inside.bond(path, inside.own("pin_n"))
        return path


@component
class Resistor(TwoPin):
    """v = R i.

    resistance  [ohm].
    """

    resistance: Number = parameter(unit="ohm", sign="not negative")

    def build(self, inside: Inside) -> None:
        inside.bond(self.current(inside), inside.add(R("resistor", self.resistance, size=1)))

    def observables(self) -> dict[str, str]:
        return {"voltage": "resistor.e", "current": "resistor.f"}


@component
class Capacitor(TwoPin):
    """i = C dv/dt.

    capacitance  [F]; voltage: start value  [V].
    """

    capacitance: Number = parameter(unit="F", sign="positive")
    voltage: Number = parameter(default=None, unit="V", start=True)

    def build(self, inside: Inside) -> None:
        store = inside.add(C("capacitor", self.capacitance, size=1))
        inside.bond(self.current(inside), store)
        if self.voltage is not None:
            inside.start(store, effort=self.voltage)

    def observables(self) -> dict[str, str]:
        return {"voltage": "capacitor.e", "current": "capacitor.f", "charge": "capacitor.q"}


@component
class Inductor(TwoPin):
    """v = L di/dt.

    inductance  [H]; initial_current: start value  [A].
    """

    inductance: Number = parameter(unit="H", sign="positive")
    initial_current: Number = parameter(default=None, unit="A", start=True)

    def build(self, inside: Inside) -> None:
        coil = inside.add(I("coil", self.inductance, size=1))
        inside.bond(self.current(inside), coil)
        if self.initial_current is not None:
            inside.start(coil, flow=self.initial_current)

    def observables(self) -> dict[str, str]:
        return {"voltage": "coil.e", "current": "coil.f", "flux": "coil.p"}


@component
class VoltageSource(TwoPin):
    """Keeps pin_p at `voltage` above pin_n  [V]."""

    voltage: Number = parameter(unit="V", live=True)

    def build(self, inside: Inside) -> None:
        path = inside.add(One("current", size=1))
        inside.bond(inside.own("pin_n"), path)
        inside.bond(path, inside.own("pin_p"))
        inside.bond(inside.add(Se("source", self.voltage, size=1)), path)

    def observables(self) -> dict[str, str]:
        return {"voltage": "source.e", "current": "source.f"}


@component
class Ground(Part):
    """A pin at zero volts."""

    name: str = "ground"

    def ports(self) -> tuple[Port, ...]:
        return (pin("pin"),)

    def build(self, inside: Inside) -> None:
        inside.bond(inside.add(Se("earth", 0.0, size=1)), inside.own("pin"))


@component
class DCMotor(TwoPin):
    """A direct-current motor: winding and coil in series with a gyrator to the shaft (torque = k i, voltage = k ω).

    resistance  [ohm]; inductance  [H]; constant k  [N.m/A]; inertia of the rotor  [kg.m²]; damping of its bearing
    [N.m.s/rad].
    """

    resistance: Number = parameter(unit="ohm", sign="not negative")
    inductance: Number = parameter(unit="H", sign="positive")
    constant: Number = parameter(unit="N.m/A")
    inertia: Number = parameter(default=0.0, unit="kg.m^2", sign="not negative")
    damping: Number = parameter(default=0.0, unit="N.m.s/rad", sign="not negative")

    def ports(self) -> tuple[Port, ...]:
        return (*super().ports(), flange("flange"))

    def build(self, inside: Inside) -> None:
        path = self.current(inside)
        inside.bond(path, inside.add(R("winding", self.resistance, size=1)))
        inside.bond(path, inside.add(I("coil", self.inductance, size=1)))
        gyrator = inside.add(GY("gyrator", self.constant, size=1))
        shaft = inside.add(One("shaft", size=1))
        inside.bond(path, gyrator)
        inside.bond(gyrator, shaft)
        inside.bond(shaft, inside.own("flange"))
        if not is_zero(self.inertia):
            inside.bond(shaft, inside.add(I("rotor", self.inertia, size=1)))
        if not is_zero(self.damping):
            inside.bond(shaft, inside.add(R("bearing", self.damping, size=1)))

    def observables(self) -> dict[str, str]:
        return {"current": "coil.f", "torque": "gyrator.b.e", "speed": "gyrator.b.f"}


ALL = (Resistor, Capacitor, Inductor, VoltageSource, Ground, DCMotor)
