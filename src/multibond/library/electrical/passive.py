"""Resistor, capacitor, inductor, and coils that share their flux."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

import casadi as ca

from multibond.elements import MR, TF, C, DirectSum, I, blocks
from multibond.elements.storage import one_of
from multibond.errors import Finding
from multibond.expr import SX
from multibond.formula import Formula
from multibond.graph.component import Number, Part, component, parameter
from multibond.graph.expand import Inside
from multibond.graph.port import Port
from multibond.library.drawing import heat_port, input_port, lead, loss, loss_names, through
from multibond.library.electrical.pins import FourPin, TwoPin, pin


@component
class Resistor(TwoPin):
    """v = R i.

    resistance  [ohm], or voltage: a formula of the current f; heating: the loss leaves at the thermal port `heat`.

    >>> Resistor("load", 100.0)
    >>> Resistor("lamp", voltage=lambda i: 3 * i + 2 * i**3)
    """

    resistance: Number = parameter(default=None, unit="ohm", sign="not negative")
    voltage: Number = parameter(default=None, unit="V", shape="law", formula=("f",))
    heating: bool = parameter(default=False, structural=True, shape="flag")

    def faults(self) -> list[Finding]:
        return one_of(self, ("resistance", "voltage"))

    def ports(self) -> tuple[Port, ...]:
        return (*super().ports(), *heat_port(self.heating))

    def build(self, inside: Inside) -> None:
        path = self.path(inside)
        loss(inside, path, "resistor", self.heating, resistance=self.resistance, effort=self.voltage)

    def observables(self) -> dict[str, str]:
        return loss_names("resistor", self.heating, "voltage", "current")


@component
class Capacitor(TwoPin):
    """i = C dv/dt.

    capacitance  [F]; voltage: start value  [V].

    >>> Capacitor("filter", 1e-6, voltage=5.0)
    """

    capacitance: Number = parameter(unit="F", sign="positive")
    voltage: Number = parameter(default=None, unit="V", start=True)

    def build(self, inside: Inside) -> None:
        store = inside.add(C("capacitor", self.capacitance, size=1))
        inside.bond(self.path(inside), store)
        if self.voltage is not None:
            inside.start(store, effort=self.voltage)

    def observables(self) -> dict[str, str]:
        return {"voltage": "capacitor.e", "current": "capacitor.f", "charge": "capacitor.q"}


@component
class Inductor(TwoPin):
    """v = L di/dt.

    inductance  [H]; current: start value  [A].

    >>> Inductor("choke", 2e-3)
    """

    inductance: Number = parameter(unit="H", sign="positive")
    current: Number = parameter(default=None, unit="A", start=True)

    former: ClassVar[Mapping[str, str]] = {"initial_current": "current"}

    def build(self, inside: Inside) -> None:
        coil = inside.add(I("coil", self.inductance, size=1))
        inside.bond(self.path(inside), coil)
        if self.current is not None:
            inside.start(coil, flow=self.current)

    def observables(self) -> dict[str, str]:
        return {"voltage": "coil.e", "current": "coil.f", "flux": "coil.p"}


@component
class MutualInductor(FourPin):
    """Two coils on one core: v₁ = L₁ di₁/dt + M di₂/dt, v₂ = M di₁/dt + L₂ di₂/dt; currents count in at the p pins.

    first, second: inductances L₁, L₂  [H]; mutual M, of either sign, M² < L₁ L₂  [H].

    >>> MutualInductor("core", first=0.1, second=0.4, mutual=0.18)
    """

    first: Number = parameter(unit="H", sign="positive")
    second: Number = parameter(unit="H", sign="positive")
    mutual: Number = parameter(unit="H")

    def faults(self) -> list[Finding]:
        if isinstance(self.mutual, SX) or self.mutual**2 < self.first * self.second:
            return []
        fact = f"mutual² is {float(self.mutual) ** 2:g}, first · second is {float(self.first * self.second):g}."
        problem = f"the coils of MutualInductor {self.name!r} would share more flux than they have."
        return [Finding(problem, fact, "Give less, or take a Transformer.", (self.name,))]

    def build(self, inside: Inside) -> None:
        field = ca.vertcat(ca.horzcat(self.first, self.mutual), ca.horzcat(self.mutual, self.second))
        core = inside.add(I("core", field))
        coils = inside.add(DirectSum("coils", 1, 1))
        inside.bond(through(inside, "pin_p1", "pin_n1", "current_1"), coils.part_1)
        inside.bond(through(inside, "pin_p2", "pin_n2", "current_2"), coils.part_2)
        inside.bond(coils.whole, core)

    def observables(self) -> dict[str, str]:
        return {"current_1": "coils.part_1.f", "current_2": "coils.part_2.f"} | {
            "voltage_1": "coils.part_1.e",
            "voltage_2": "coils.part_2.e",
        }


@component
class Transformer(FourPin):
    """An ideal transformer: v₁ = ratio · v₂, and i₂ = ratio · i₁ leaves at pin_p2 where i₁ enters at pin_p1.

    ratio: windings of the first to the second coil.

    >>> Transformer("mains", 20.0)
    """

    ratio: Number = parameter()

    def build(self, inside: Inside) -> None:
        coils = inside.add(TF("coils", self.ratio, size=1))
        inside.bond(through(inside, "pin_p1", "pin_n1", "current_1"), coils)
        inside.bond(coils, through(inside, "pin_n2", "pin_p2", "current_2"))

    def observables(self) -> dict[str, str]:
        first = {"voltage_1": "coils.a.e", "current_1": "coils.a.f"}
        return first | {"voltage_2": "coils.b.e", "current_2": "coils.b.f"}


@component
class VariableResistor(TwoPin):
    """v = r i, with r from the signal `input`  [ohm], never below zero.

    >>> VariableResistor("ldr")
    """

    def ports(self) -> tuple[Port, ...]:
        return (*super().ports(), *input_port(None))

    def build(self, inside: Inside) -> None:
        resistor = inside.add(MR("resistor", size=1))
        inside.bond(self.path(inside), resistor)
        inside.signal(inside.own("input"), resistor.resistance)

    def observables(self) -> dict[str, str]:
        return {"voltage": "resistor.e", "current": "resistor.f"}


@component
class Potentiometer(Part):
    """A resistor with a slider: resistance · position between pin_n and the slider, the rest between it and pin_p.

    resistance  [ohm]; position: 0 at pin_n to 1 at pin_p, a number or a formula of the time t; left out, the signal
    `input` gives it.

    >>> Potentiometer("volume", 1e4, position=0.3)
    """

    resistance: Number = parameter(unit="ohm", sign="positive")
    position: Number = parameter(default=None, live=True, formula=("t",))

    def faults(self) -> list[Finding]:
        if self.position is None or isinstance(self.position, Formula | SX) or 0.0 <= float(self.position) <= 1.0:
            return []
        fact = f"position is {float(self.position):g}: the slider runs from 0 at pin_n to 1 at pin_p."
        problem = f"Potentiometer {self.name!r} has its slider beyond its ends."
        return [Finding(problem, fact, "Give a position from 0 to 1.", (self.name,))]

    def ports(self) -> tuple[Port, ...]:
        return (pin("pin_p"), pin("pin_n"), pin("pin_slider"), *input_port(self.position))

    def build(self, inside: Inside) -> None:
        upper, lower = inside.add(MR("upper", size=1)), inside.add(MR("lower", size=1))
        inside.bond(through(inside, "pin_p", "pin_slider", "current_upper"), upper)
        inside.bond(through(inside, "pin_slider", "pin_n", "current_lower"), lower)
        whole = inside.add(blocks.Constant("whole", self.resistance))
        part = inside.add(blocks.Gain("part", self.resistance))
        rest = inside.add(blocks.Sum("rest", "+-"))
        lead(inside, self.position, "position", part.u)
        inside.signal(part.y, lower.resistance, rest.u_2)
        inside.signal(whole.y, rest.u_1)
        inside.signal(rest.y, upper.resistance)

    def observables(self) -> dict[str, str]:
        upper = {"voltage_upper": "upper.e", "current_upper": "upper.f"}
        return upper | {"voltage_lower": "lower.e", "current_lower": "lower.f"}


ALL = (Resistor, Capacitor, Inductor, MutualInductor, Transformer, VariableResistor, Potentiometer)
