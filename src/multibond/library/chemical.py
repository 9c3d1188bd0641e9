"""Chemistry with true power bonds: ports share their chemical potential [J/mol]; molar flows [mol/s] add up to zero.

Solutions are ideal and of constant temperature and volume; reactions follow mass action, so every loop of reactions
obeys detailed balance by itself. Concentrations of one mole a litre are the standard state.
"""

from __future__ import annotations

from typing import Any

import casadi as ca
import numpy as np

from multibond.elements import TF, De, MassAction, One, Solute, Zero
from multibond.elements.reaction import GAS_CONSTANT, LITRE, no_amount
from multibond.errors import Finding
from multibond.graph.component import Element, Number, Part, component, parameter
from multibond.graph.expand import Inside
from multibond.graph.port import Port, PowerPort, SignalPort
from multibond.library.drawing import effort_source, flow_source, input_port, sense
from multibond.units import CHEMICAL


def port(name: str) -> PowerPort:
    """A chemical port: all that is joined here has one chemical potential."""
    return PowerPort(name, 1, CHEMICAL, common="effort")


@component
class Species(Part):
    """A species in ideal solution: chemical potential = standard + R T ln(concentration / (1 mol/l)).

    amount: start value, greater than zero  [mol]; volume of the solution  [m³]; standard: potential at one mole a litre
    [J/mol]; temperature  [K].

    >>> Species("A", amount=0.2, volume=1e-3)
    """

    amount: Number = parameter(unit="mol", start=True)
    volume: Number = parameter(default=1e-3, unit="m^3", sign="positive")
    standard: Number = parameter(default=0.0, unit="J/mol")
    temperature: Number = parameter(default=298.15, unit="K", sign="positive")

    def faults(self) -> list[Finding]:
        return no_amount(self, self.amount)

    def ports(self) -> tuple[Port, ...]:
        return (port("port"),)

    def build(self, inside: Inside) -> None:
        store = inside.add(Solute("store", self.volume, self.standard, self.temperature))
        inside.bond(inside.own("port"), store)
        inside.start(store, state=self.amount)

    def observables(self) -> dict[str, str]:
        return {"amount": "store.q", "potential": "store.e", "inflow": "store.f"}


@component
class Reaction(Part):
    """A reaction by mass action, as in 2 A + B ⇌ C: rate = speed · (exp(A_left / R T) - exp(A_right / R T)).

    left, right: how many of each species take part; they give the ports left_1, left_2, … and right_1, right_2, ….
    speed: rate forward where all species on the left have the potential zero  [mol/s]; temperature  [K].

    >>> Reaction("synthesis", left=(2, 1), right=(1,), speed=1e-3)
    """

    speed: Number = parameter(unit="mol/s", sign="not negative")
    left: Number = parameter(default=(1.0,), structural=True, shape=None)
    right: Number = parameter(default=(1.0,), structural=True, shape=None)
    temperature: Number = parameter(default=298.15, unit="K", sign="positive")

    def faults(self) -> list[Finding]:
        counts = np.concatenate([np.ravel(self.left), np.ravel(self.right)])
        if np.size(self.left) and np.size(self.right) and (counts > 0).all():
            return []
        fact = f"left is {np.ravel(self.left).tolist()}, right is {np.ravel(self.right).tolist()}."
        what = f"Reaction {self.name!r} has a side without species."
        return [Finding(what, fact, "Give one positive number for each species of a side.", (self.name,))]

    def ports(self) -> tuple[Port, ...]:
        left = tuple(port(f"left_{k + 1}") for k in range(np.size(self.left)))
        return left + tuple(port(f"right_{k + 1}") for k in range(np.size(self.right)))

    def build(self, inside: Inside) -> None:
        action = inside.add(MassAction("action", self.speed, self.temperature))
        inside.bond(self._side(inside, "left", np.ravel(self.left)), action.a)
        inside.bond(action.b, self._side(inside, "right", np.ravel(self.right)))

    def _side(self, inside: Inside, side: str, counts: np.ndarray) -> Element:
        """The 1-junction of one side's rate; each species takes part as often as it counts."""
        rate = inside.add(One(f"rate_{side}", size=1))
        for k, count in enumerate(counts, start=1):
            times = inside.add(TF(f"{side}_times_{k}", 1 / count if side == "left" else count, size=1))
            if side == "left":
                inside.bond(inside.own(f"left_{k}"), times)
                inside.bond(times, rate)
            else:
                inside.bond(rate, times)
                inside.bond(times, inside.own(f"right_{k}"))
        return rate

    def observables(self) -> dict[str, str]:
        return {"rate": "action.a.f", "affinity_left": "action.a.e", "affinity_right": "action.b.e"}


@component
class Membrane(Part):
    """A membrane that one species diffuses through: flow = permeability · (concentration_a - concentration_b).

    permeability: that of the whole membrane, area included  [m³/s]; standard: potential of the species at one mole a
    litre, the same on both sides  [J/mol]; temperature  [K].

    >>> Membrane("wall", 1e-6)
    """

    permeability: Number = parameter(unit="m^3/s", sign="not negative")
    standard: Number = parameter(default=0.0, unit="J/mol")
    temperature: Number = parameter(default=298.15, unit="K", sign="positive")

    def ports(self) -> tuple[Port, ...]:
        return (port("port_a"), port("port_b"))

    def build(self, inside: Inside) -> None:
        speed = self.permeability * LITRE * ca.exp(-self.standard / (GAS_CONSTANT * self.temperature))
        action = inside.add(MassAction("action", speed, self.temperature))
        inside.bond(inside.own("port_a"), action.a)
        inside.bond(action.b, inside.own("port_b"))

    def observables(self) -> dict[str, str]:
        return {"flow": "action.a.f"}


@component
class DiffusionColumn(Part):
    """A column through which one species diffuses, in equal slices: flow = D · area / length of a slice · difference.

    amounts: start value of each slice, their number is that of the slices  [mol]; length  [m]; area  [m²]; diffusivity
    D  [m²/s]; standard: potential at one mole a litre  [J/mol]; temperature  [K]. The ports are the two end faces, half
    a slice away from the middle of the first and the last slice.

    >>> DiffusionColumn("gel", amounts=(1e-3, 1e-9, 1e-9), length=0.03, area=1e-4, diffusivity=1e-9)
    """

    amounts: Number = parameter(unit="mol", structural=True, shape=None)
    length: Number = parameter(unit="m", sign="positive")
    area: Number = parameter(unit="m^2", sign="positive")
    diffusivity: Number = parameter(unit="m^2/s", sign="not negative")
    standard: Number = parameter(default=0.0, unit="J/mol")
    temperature: Number = parameter(default=298.15, unit="K", sign="positive")

    def faults(self) -> list[Finding]:
        return no_amount(self, self.amounts)

    def ports(self) -> tuple[Port, ...]:
        return (port("port_a"), port("port_b"))

    def build(self, inside: Inside) -> None:
        count = np.size(self.amounts)
        slice_ = self.length / count
        permeability = self.diffusivity * self.area / slice_
        before = None
        for k, amount in enumerate(np.ravel(self.amounts), start=1):
            here = inside.add(Zero(f"slice_{k}", size=1))
            store = inside.add(Solute(f"store_{k}", self.area * slice_, self.standard, self.temperature))
            inside.bond(here, store)
            inside.start(store, state=float(amount))
            self._pass(inside, f"pass_{k - 1}", before or inside.own("port_a"), here, permeability, before is None)
            before = here
        self._pass(inside, f"pass_{count}", before, inside.own("port_b"), permeability, True)

    def _pass(self, inside: Inside, name: str, a: Any, b: Any, permeability: Any, half: bool) -> None:
        """Diffusion between two places, a slice apart, or half a slice where one is an end face."""
        speed = permeability * (2.0 if half else 1.0) * LITRE
        speed = speed * ca.exp(-self.standard / (GAS_CONSTANT * self.temperature))
        action = inside.add(MassAction(name, speed, self.temperature))
        inside.bond(a, action.a)
        inside.bond(action.b, b)

    def observables(self) -> dict[str, str]:
        count = np.size(self.amounts)
        slices = {f"amount_{k}": f"store_{k}.q" for k in range(1, count + 1)}
        return slices | {"flow_a": "pass_0.a.f", "flow_b": f"pass_{count}.b.f"}


@component
class FixedPotential(Part):
    """Keeps a port at a given chemical potential, as a large stock does. Molar flow counts out of it.

    potential: a number or a formula of the time t  [J/mol]; left out, the signal `input` gives it.

    >>> FixedPotential("air", -2500.0)
    """

    potential: Number = parameter(default=None, unit="J/mol", live=True, formula=("t",))

    def ports(self) -> tuple[Port, ...]:
        return (port("port"), *input_port(self.potential))

    def build(self, inside: Inside) -> None:
        inside.bond(effort_source(inside, "stock", self.potential), inside.own("port"))

    def observables(self) -> dict[str, str]:
        return {"potential": "stock.e", "flow": "stock.f"}


@component
class Inflow(Part):
    """Feeds a given molar flow into what is connected.

    flow: a number or a formula of the time t  [mol/s]; left out, the signal `input` gives it.

    >>> Inflow("feed", 1e-3)
    """

    flow: Number = parameter(default=None, unit="mol/s", live=True, formula=("t",))

    def ports(self) -> tuple[Port, ...]:
        return (port("port"), *input_port(self.flow))

    def build(self, inside: Inside) -> None:
        inside.bond(flow_source(inside, "feed", self.flow), inside.own("port"))

    def observables(self) -> dict[str, str]:
        return {"potential": "feed.e", "flow": "feed.f"}


@component
class PotentialSensor(Part):
    """Reads the chemical potential at a port as the signal `potential`  [J/mol].

    >>> PotentialSensor("electrode")
    """

    def ports(self) -> tuple[Port, ...]:
        return (port("port"), SignalPort("potential", 1, "out"))

    def build(self, inside: Inside) -> None:
        sense(inside, De("sensor", size=1), inside.own("port"), "potential")

    def observables(self) -> dict[str, str]:
        return {"potential": "sensor.value"}


ALL = (Species, Reaction, Membrane, DiffusionColumn, FixedPotential, Inflow, PotentialSensor)
