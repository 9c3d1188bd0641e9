"""Junctions and the direct sum: where bonds meet. They conserve power whatever the number of bonds."""

from __future__ import annotations

from typing import ClassVar

from multibond.graph.component import Element, component, parameter
from multibond.graph.port import Port, PowerPort


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


@component
class DirectSum(Element):
    """Joins a bond of `first` and a bond of `second` components into one: whole = (part_1, part_2).

    The parts are inlets, the whole is the outlet; drawn the other way round the same element splits a bond.
    """

    first: int = parameter(default=1, structural=True)
    second: int = parameter(default=1, structural=True)

    code: ClassVar[str] = "+"
    causality: ClassVar[str] = "sum"

    def ports(self) -> tuple[Port, ...]:
        n, m = int(self.first), int(self.second)
        return (PowerPort("part_1", n), PowerPort("part_2", m), PowerPort("whole", n + m, inward=False))


def junction_for(port: PowerPort) -> Junction:
    """The junction that joined ports become: common flow makes a 1-junction, common effort a 0-junction."""
    return One("joint", size=port.size) if port.common == "flow" else Zero("joint", size=port.size)
