"""Does an element keep its word on power? Random values at its ports, the law solved, the power counted.

`check_power` serves a newcomer's element as it serves every element of the house.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import casadi as ca
import numpy as np

from multibond.elements.law import LawWriter
from multibond.errors import Finding, ParameterError
from multibond.expr import SX, Function, column
from multibond.graph.component import Element
from multibond.graph.port import PowerPort, SignalPort

WORST = 1e10
"""A law is not solved where its matrix is worse conditioned than this: there it gives nothing."""
MOST = 10
"""Up to so many components the givers are chosen component by component, where no choice by port will do."""


def check_power(item: Element, *, low: float = -2.0, high: float = 2.0, trials: int = 20, seed: int = 0) -> None:
    """Raise a ParameterError where an element's law breaks its word `power`, at random values and in any causality.

    "kept": power in = rate of the stored energy; "lost": not less than that rate. "given" and "any" promise nothing.
    low, high: the range of the random efforts, flows, states and signals.

    >>> check_power(R("bearing", 1e-3))
    """
    rng = np.random.default_rng(seed)
    found = list(cases(item))
    if not found:
        fact = "Of no choice of given efforts and flows do its relations give the others."
        what = f"the law of {type(item).__name__} {item.name!r} admits no causality."
        raise ParameterError(Finding(what, fact, "State one relation for each component of each port.", (item.name,)))
    for case, _ in itertools.product(found, range(trials)):
        power, change = case.balance(rng, low, high)
        excess, margin = power - change, 1e-10 * max(1.0, abs(power), abs(change))
        if (item.power == "kept" and abs(excess) > margin) or (item.power == "lost" and excess < -margin):
            raise ParameterError(_broken_word(item, power, change))


def _broken_word(item: Element, power: float, change: float) -> Finding:
    kind = f"{type(item).__name__} {item.name!r}"
    made = "makes" if power < change else "loses"
    return Finding(
        f"{kind} {made} power, against its word {item.power!r}.",
        f"Somewhere it takes {power:.6g} W while what it stores changes by {change:.6g} W.",
        'Correct the signs of its law or of its ports, or say power = "lost", "given" or "any".',
        (item.name,),
    )


@dataclass
class Case:
    """An element with its law written on symbols, in one causality and one wiring of its optional signals."""

    item: Element
    ports: tuple[PowerPort, ...]
    law: LawWriter
    given: SX
    wanted: SX

    @property
    def relations(self) -> SX:
        """All relations in one column."""
        return column([*self.law.relations, *(self.law.f()[k] for k in self.law.held)])

    @property
    def admissible(self) -> bool:
        """Whether the law gives what is wanted from what is given."""
        if self.relations.numel() != self.wanted.numel():
            return False
        slope = ca.sparsify(ca.jacobian(self.relations, self.wanted))
        if ca.sprank(slope.sparsity()) < self.wanted.numel() or ca.depends_on(slope, self.wanted):
            return False
        somewhere = np.random.default_rng(1).uniform(0.1, 2.0, self.inputs.numel())
        value = np.asarray(Function("slope", [self.inputs], [ca.densify(slope)])(somewhere))
        return bool(np.linalg.cond(value) < WORST)

    @property
    def inputs(self) -> SX:
        """Everything that may take any value: given efforts and flows, states, signals."""
        return column([self.given, *self.law.states.values(), *self.law.signals.values()])

    def power(self) -> SX:
        """Power into the element over all its ports."""
        powers = [(1 if p.inward else -1) * ca.dot(self.law.e(p.name), self.law.f(p.name)) for p in self.ports]
        return sum(powers, SX(0))

    def change_of_energy(self) -> SX:
        """Rate of the stored energy: along the rates of the states, and of a displacement that follows the flow."""
        if self.law.energy is None:
            return SX(0)
        energy = ca.substitute(self.law.energy, self.wanted, self._solved)
        movers = [(self.law.states[name], rate) for name, rate in self.law.rates.items()]
        if "displacement" in self.law.signals:
            movers = [(self.law.signals["displacement"], self.law.f())]
        return sum((ca.jtimes(energy, x, rate) for x, rate in movers), SX(0))

    @cached_property
    def _solved(self) -> SX:
        at_zero = ca.substitute(self.relations, self.wanted, SX.zeros(self.wanted.numel()))
        return ca.solve(ca.jacobian(self.relations, self.wanted), -at_zero)

    def numbers(self, expressions: list[SX], rng: np.random.Generator, low: float, high: float) -> list[np.ndarray]:
        """Expressions at random inputs, with the wanted variables solved from the law."""
        values = ca.DM(rng.uniform(low, high, self.inputs.numel()))
        solved = [ca.substitute(expression, self.wanted, self._solved) for expression in expressions]
        return [np.asarray(v) for v in Function("found", [self.inputs], solved).call([values])]

    def balance(self, rng: np.random.Generator, low: float, high: float) -> tuple[float, float]:
        """Power in and rate of the stored energy at random values  [W]."""
        values = rng.uniform(low, high, self.inputs.numel())
        power, change = self._balance.call([ca.DM(values)])
        return float(power), float(change)

    @cached_property
    def _balance(self) -> Function:
        both = [ca.substitute(v, self.wanted, self._solved) for v in (self.power(), self.change_of_energy())]
        return Function("balance", [self.inputs], both)


def cases(item: Element) -> Iterator[Case]:
    """The element in every causality that its law admits, with and without its optional signals."""
    ports = tuple(p for p in item.ports() if isinstance(p, PowerPort))
    inlets = [p for p in item.ports() if isinstance(p, SignalPort) and p.direction == "in"]
    optional = [p for p in inlets if p.optional]
    choices = itertools.chain.from_iterable(itertools.combinations(optional, k) for k in range(len(optional) + 1))
    for wired in choices:
        read = [p for p in inlets if not p.optional or p in wired]
        found = (list(_admissible(item, ports, read, flags)) for flags in _flags(item, ports))
        yield from next((some for some in found if some), [])


def ways(item: Element) -> Iterator[Case]:
    """The element's law as it stands with all flows given and with all efforts given, every signal read."""
    ports = tuple(p for p in item.ports() if isinstance(p, PowerPort))
    read = [p for p in item.ports() if isinstance(p, SignalPort) and p.direction != "out"]
    lanes = sum(_size(item, p) for p in ports)
    for takes_flow in (True, False) if lanes else (True,):
        yield _case(item, ports, read, (takes_flow,) * lanes, SX.sym("t"))


def _flags(item: Element, ports: tuple[PowerPort, ...]) -> Iterator[list[tuple[bool, ...]]]:
    """Which flows are given: all choices by port, then all by component where these are not too many."""
    sizes = [_size(item, p) for p in ports]
    whole = itertools.product((True, False), repeat=len(ports))
    yield [tuple(flag for flag, size in zip(flags, sizes, strict=True) for _ in range(size)) for flags in whole]
    yield list(itertools.product((True, False), repeat=sum(sizes))) if sum(sizes) <= MOST else []


def _size(item: Element, port: PowerPort) -> int:
    return port.size or item.size_hint() or 1


def _admissible(
    item: Element, ports: tuple[PowerPort, ...], inlets: list[SignalPort], choices: list[tuple[bool, ...]]
) -> Iterator[Case]:
    for takes_flow in choices:
        case = _case(item, ports, inlets, takes_flow)
        if case.admissible:
            yield case


def _case(
    item: Element,
    ports: tuple[PowerPort, ...],
    inlets: list[SignalPort],
    takes_flow: tuple[bool, ...],
    time: SX | None = None,
) -> Case:
    sizes = {p.name: _size(item, p) for p in ports}
    e = {name: SX.sym(f"e_{name}", size) for name, size in sizes.items()}
    f = {name: SX.sym(f"f_{name}", size) for name, size in sizes.items()}
    signals = {p.name: SX.sym(p.name, p.size) for p in inlets}
    states = {name: SX.sym(name, size) for name, size in item.states(sizes).items()}
    lanes = [(name, k) for name, size in sizes.items() for k in range(size)]
    flow_given = {name: flag for (name, k), flag in zip(lanes, takes_flow, strict=True) if k == 0}
    law = LawWriter(e, f, signals, states, flow_given, SX(0) if time is None else time)
    item.law(law)
    given = column([(f if flag else e)[n][k] for (n, k), flag in zip(lanes, takes_flow, strict=True)])
    wanted = column([(e if flag else f)[n][k] for (n, k), flag in zip(lanes, takes_flow, strict=True)])
    return Case(item, ports, law, given, wanted)
