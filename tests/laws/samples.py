"""Random elements and random values at their ports, for laws that must hold for every element there is."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import MISSING, dataclass, fields
from typing import Any

import casadi as ca
import numpy as np

import multibond as mb
from multibond.elements.law import LawWriter
from multibond.expr import SX, column
from multibond.graph.component import Element, Parameter
from multibond.graph.port import PowerPort, SignalPort

SIZE = 3


SPECIAL = {
    "IC": lambda rng: mb.IC(
        "it", energy="0.5*q[0]**2*(1+p[1]**2)+q[1]*p[0]+p[0]**4", displacements=2, momenta=2, size=SIZE
    ),
    "Diode": lambda rng: mb.Diode("it", 0.0, *rng.uniform(0.5, 2.0, (2, SIZE)), mode=_modes(mb.Diode, rng)),
    "Switch": lambda rng: mb.Switch(
        "it", on_resistance=rng.uniform(0.5, 2.0, SIZE), off_conductance=1.5, mode=_modes(mb.Switch, rng)
    ),
    "Friction": lambda rng: mb.Friction("it", 0.0, viscous=rng.uniform(0.5, 2.0, SIZE), mode=_modes(mb.Friction, rng)),
    "Turbulent": lambda rng: mb.elements.Turbulent("it", rng.uniform(0.5, 2.0, SIZE), laminar=(0.0, 0.5, 1.0)),
    "Gas": lambda rng: mb.elements.Gas("it", pressure=rng.uniform(0.5, 2.0), volume=5.0),
    "Stop": lambda rng: mb.Stop("it", lower=-1.0, upper=1.0, mode=_modes(mb.Stop, rng), size=SIZE),
}


POSITIVE = ("MR", "Gas", "HeatStore", "Radiation", "Solute", "Turbulent", "MassAction")
"""Elements some of whose values (an opening, a temperature, an amount) have no meaning below zero."""


def _modes(cls: type[Any], rng: np.random.Generator) -> str:
    return str(rng.choice(cls.modes))


def sample(cls: type[Element], rng: np.random.Generator) -> Element:
    """An element of a class with random parameters: numbers, vectors or (definite) matrices as they may be."""
    if cls.__name__ in SPECIAL:
        return SPECIAL[cls.__name__](rng)
    values: dict[str, Any] = {}
    for entry in fields(cls):
        about = entry.metadata.get("parameter")
        if about is None or about.start or entry.name == "size":
            continue
        if about.numeric:
            values[entry.name] = _number(about, rng)
        elif about.structural and isinstance(entry.default, int) and about.shape == ():
            values[entry.name] = SIZE
        elif entry.default is MISSING:
            raise TypeError(f"{cls.__name__}.{entry.name}: say how to make a random one")
    return cls("it", size=SIZE, **values)


def _number(about: Parameter, rng: np.random.Generator) -> Any:
    """A value that is a ratio (effort per flow) or has a sign may be a matrix; efforts and flows are vectors."""
    if about.shape == ():
        return rng.uniform(0.5, 2.0)
    field = about.sign or "/" in about.unit
    kind = rng.integers(3 if field else 2) if about.shape is None else 1
    if kind == 0:
        return rng.uniform(0.5, 2.0)
    if kind == 1:
        return rng.uniform(0.5, 2.0, SIZE)
    A = rng.uniform(-1.0, 1.0, (SIZE, SIZE))
    return A @ A.T + 0.5 * np.eye(SIZE) if about.sign else A + 2.0 * np.eye(SIZE)


@dataclass
class Case:
    """An element with its law written on symbols, in one causality and one wiring of its optional signals."""

    item: Element
    ports: tuple[PowerPort, ...]
    law: LawWriter
    given: SX
    wanted: SX
    wired: tuple[str, ...]

    @property
    def admissible(self) -> bool:
        """Whether the law gives what is wanted from what is given."""
        if self.relations.numel() != self.wanted.numel():
            return False
        slope = ca.sparsify(ca.jacobian(self.relations, self.wanted))
        return ca.sprank(slope.sparsity()) == self.wanted.numel() and not ca.depends_on(slope, self.wanted)

    @property
    def relations(self) -> SX:
        """All relations in one column."""
        return column(self.law.relations)

    @property
    def inputs(self) -> SX:
        """Everything that may take any value: given efforts and flows, states, signals."""
        return column([self.given, *self.law.states.values(), *self.law.signals.values()])

    def power(self) -> SX:
        """Power into the element over all its ports."""
        total = SX(0)
        for port in self.ports:
            total += (1 if port.inward else -1) * ca.dot(self.law.e(port.name), self.law.f(port.name))
        return total

    def change_of_energy(self) -> SX:
        """Rate of the stored energy: along the rates of the states, and of a displacement that follows the flow."""
        if self.law.energy is None:
            return SX(0)
        solved = ca.solve(ca.jacobian(self.relations, self.wanted), -self._at_zero())
        energy = ca.substitute(self.law.energy, self.wanted, solved)
        movers = [(self.law.states[name], rate) for name, rate in self.law.rates.items()]
        if "displacement" in self.law.signals:
            movers = [(self.law.signals["displacement"], self.law.f())]
        return sum((ca.jtimes(energy, x, rate) for x, rate in movers), SX(0))

    def _at_zero(self) -> SX:
        return ca.substitute(self.relations, self.wanted, SX.zeros(self.wanted.numel()))

    def numbers(self, expressions: list[SX], rng: np.random.Generator) -> list[np.ndarray]:
        """The expressions at random inputs, with the wanted variables solved from the law."""
        low = 0.1 if type(self.item).__name__ in POSITIVE else -2.0
        values = rng.uniform(low, 2.0, self.inputs.numel())
        linear = ca.Function("a", [self.inputs], [ca.jacobian(self.relations, self.wanted), self._at_zero()])
        matrix, rest = (np.asarray(m) for m in linear(values))
        wanted = -np.linalg.solve(matrix, rest.ravel())
        found = ca.Function("v", [self.inputs, self.wanted], expressions).call([ca.DM(values), ca.DM(wanted)])
        return [np.asarray(v) for v in found]


def cases(item: Element) -> Iterator[Case]:
    """The element in every causality that its law admits, with and without its optional signals."""
    ports = tuple(p for p in item.ports() if isinstance(p, PowerPort))
    inlets = [p for p in item.ports() if isinstance(p, SignalPort) and p.direction == "in"]
    optional = [p.name for p in inlets if p.optional]
    for wired in itertools.chain.from_iterable(itertools.combinations(optional, k) for k in range(len(optional) + 1)):
        for takes_flow in itertools.product((True, False), repeat=len(ports)):
            names = [p.name for p in inlets if not p.optional or p.name in wired]
            case = _case(item, ports, [p for p in inlets if p.name in names], takes_flow, wired)
            if case.admissible:
                yield case


def _case(
    item: Element, ports: tuple[PowerPort, ...], inlets: list[SignalPort], takes_flow: tuple[bool, ...], wired: tuple
) -> Case:
    sizes = {p.name: p.size or SIZE for p in ports}
    e = {name: SX.sym(f"e_{name}", size) for name, size in sizes.items()}
    f = {name: SX.sym(f"f_{name}", size) for name, size in sizes.items()}
    signals = {p.name: SX.sym(p.name, p.size) for p in inlets}
    states = {name: SX.sym(name, size) for name, size in item.states(sizes).items()}
    flow_given = {p.name: flag for p, flag in zip(ports, takes_flow, strict=True)}
    law = LawWriter(e, f, signals, states, flow_given)
    item.law(law)
    law.relations += [law.f()[k] for k in law.held]
    given = column([f[n] if flag else e[n] for n, flag in flow_given.items()])
    wanted = column([e[n] if flag else f[n] for n, flag in flow_given.items()])
    return Case(item, ports, law, given, wanted, wired)
