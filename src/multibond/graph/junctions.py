"""Junctions and wires: where bonds meet, split and change order. They conserve power whatever the number of bonds."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from multibond.errors import Finding
from multibond.graph.component import Element, Number, component, parameter
from multibond.graph.port import Port, PowerPort, SignalPort


@component
class Junction(Element):
    """Base of the two junctions; takes any number of bonds of one size."""

    def ports(self) -> tuple[Port, ...]:
        return (PowerPort("any", self.size),)


@component
class One(Junction):
    """1-junction: all bonds have the same flow, the efforts balance along the half-arrows."""

    code: ClassVar[str] = "1"
    causality: ClassVar[str] = "one"


@component
class Zero(Junction):
    """0-junction: all bonds have the same effort, the flows balance along the half-arrows."""

    code: ClassVar[str] = "0"
    causality: ClassVar[str] = "zero"


Lane = tuple[str, int]
"""A component of a port."""


@component
class Wires(Element):
    """Base of elements that only lead components on: what enters at one lane leaves at another, with the same power."""

    causality: ClassVar[str] = "wires"

    def wires(self, sizes: dict[str, int]) -> tuple[tuple[Lane, Lane], ...]:
        """Pairs of lanes that are one and the same."""
        raise TypeError(f"{type(self).__name__} says no wires")


@component
class DirectSum(Wires):
    """Joins bonds of `first`, `second` (and `more`) components into one: whole = (part_1, part_2, …).

    The parts are inlets, the whole is the outlet; drawn the other way round the same element splits a bond.

    >>> DirectSum("frame", 3, 3)
    >>> DirectSum("scalars", 1, 1, more=(1, 1))
    """

    first: int = parameter(default=1, structural=True, sign="count")
    second: int = parameter(default=1, structural=True, sign="count")
    more: Number = parameter(default=(), structural=True, shape=None, sign="count")

    code: ClassVar[str] = "+"

    def parts(self) -> tuple[int, ...]:
        """Sizes of the parts."""
        return (int(self.first), int(self.second), *(int(n) for n in np.ravel(self.more)))

    def ports(self) -> tuple[Port, ...]:
        sizes = self.parts()
        inlets = (PowerPort(f"part_{k + 1}", n) for k, n in enumerate(sizes))
        return (*inlets, PowerPort("whole", sum(sizes), inward=False))

    def wires(self, sizes: dict[str, int]) -> tuple[tuple[Lane, Lane], ...]:
        lanes = [(f"part_{k + 1}", j) for k, n in enumerate(self.parts()) for j in range(n)]
        return tuple((lane, ("whole", k)) for k, lane in enumerate(lanes))


@component
class Permutation(Wires):
    """Changes the order of components: component k of b is component order[k] of a (counted from 0).

    >>> Permutation("yzx", (1, 2, 0))
    """

    order: Number = parameter(structural=True, shape=None)

    code: ClassVar[str] = "P"

    def faults(self) -> list[Finding]:
        order = [f"{k:g}" for k in np.ravel(self.order)]
        if sorted(order) == sorted(str(k) for k in range(len(order))) and order:
            return []
        problem = f"the order of Permutation {self.name!r} leaves components out."
        fact = f"It is {', '.join(order) or 'empty'}; each of 0 to {max(len(order) - 1, 0)} must appear once."
        return [Finding(problem, fact, "Name every component once.", (self.name,))]

    def ports(self) -> tuple[Port, ...]:
        size = np.ravel(self.order).size
        return (PowerPort("a", size), PowerPort("b", size, inward=False))

    def wires(self, sizes: dict[str, int]) -> tuple[tuple[Lane, Lane], ...]:
        return tuple((("a", int(j)), ("b", k)) for k, j in enumerate(np.ravel(self.order)))


@component
class PowerSensor(Wires):
    """Sits in a bond and reads its power; what enters at a leaves at b unchanged. Signals: power [W], effort, flow."""

    code: ClassVar[str] = "Pw"

    def ports(self) -> tuple[Port, ...]:
        n = self.size or 1
        bonds = self.lanes(PowerPort("a", self.size), PowerPort("b", self.size, inward=False))
        signals = (SignalPort("power", 1, "out"), SignalPort("effort", n, "out"), SignalPort("flow", n, "out"))
        return (*bonds, *signals)

    def wires(self, sizes: dict[str, int]) -> tuple[tuple[Lane, Lane], ...]:
        if self.split:
            return tuple(((f"a_{k + 1}", 0), (f"b_{k + 1}", 0)) for k in range(self.size or 1))
        return tuple((("a", k), ("b", k)) for k in range(sizes["a"]))

    def law(self, at: Any) -> None:
        at.give("power", at.e("a").T @ at.f("a"))
        at.give("effort", at.e("a"))
        at.give("flow", at.f("a"))


def junction_for(port: PowerPort) -> Junction:
    """The junction that joined ports become: common flow makes a 1-junction, common effort a 0-junction."""
    return One("joint", size=port.size) if port.common == "flow" else Zero("joint", size=port.size)
