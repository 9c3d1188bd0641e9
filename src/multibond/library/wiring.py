"""Junctions that only some components of a vector bond take part in (J0Partial and J1Partial of MultiBondLib).

A planar frame of (v_x, v_y, ω) meets a hinge that only lets ω differ, or a slide along x and y: the third bond joins
the chosen components, and nothing happens in the others.
"""

from __future__ import annotations

from typing import Literal

import numpy as np

from multibond.elements import DirectSum, Permutation, Se, Sf
from multibond.errors import Finding
from multibond.graph.component import Element, Number, Part, component, parameter
from multibond.graph.expand import Inside
from multibond.graph.port import Port, PowerPort
from multibond.library import wrapping
from multibond.library.wrapping import FrameBond, FrameBonds, PlanarFrameBond


@component
class Partial(Part):
    """Base of partial junctions: any number of bonds at `whole`; those at `part` join the chosen components only."""

    components: Number = parameter(structural=True, shape=None)
    size: int = parameter(default=3, structural=True)

    def chosen(self) -> list[int]:
        """The components that take part, counted from 0, in their order at `part`."""
        return [int(k) for k in np.ravel(self.components)]

    def faults(self) -> list[Finding]:
        chosen, size = self.chosen(), int(self.size)
        if chosen and len(set(chosen)) == len(chosen) < size and set(chosen) <= set(range(size)):
            return []
        fact = f"It has {size} components, counted from 0, and is told to join {chosen}."
        problem = f"{type(self).__name__} {self.name!r} joins no part of its components."
        return [Finding(problem, fact, "Name some of them, each once.", (self.name,))]

    def meeting(self, common: Literal["flow", "effort"]) -> tuple[Port, ...]:
        """The two ports, of a 1-junction (common flow) or a 0-junction (common effort)."""
        return (
            PowerPort("whole", int(self.size), common=common),
            PowerPort("part", len(self.chosen()), common=common),
        )

    def draw(self, inside: Inside, rest: Element) -> None:
        """Bring the chosen components to the front, lead them to `part` and the others to what ends them."""
        chosen, size = self.chosen(), int(self.size)
        order = [*chosen, *(k for k in range(size) if k not in chosen)]
        turn = inside.add(Permutation("order", order))
        split = inside.add(DirectSum("split", len(chosen), size - len(chosen)))
        inside.bond(inside.own("whole"), turn)
        inside.bond(turn, split.whole)
        inside.bond(split.part_1, inside.own("part"))
        inside.bond(rest, split.part_2)


@component
class PartialZero(Partial):
    """A 0-junction for some components: there the flows at `part` and `whole` balance, elsewhere nothing is added.

    components: those that take part, counted from 0, in their order at `part`; size: components at `whole`.

    >>> PartialZero("hinge", components=(2,))
    """

    def ports(self) -> tuple[Port, ...]:
        return self.meeting("effort")

    def build(self, inside: Inside) -> None:
        self.draw(inside, inside.add(Sf("rest", 0.0, size=int(self.size) - len(self.chosen()))))


@component
class PartialOne(Partial):
    """A 1-junction for some components: there the efforts at `part` and `whole` balance, elsewhere nothing is added.

    components: those that take part, counted from 0, in their order at `part`; size: components at `whole`.

    >>> PartialOne("motor", components=(2,))
    """

    def ports(self) -> tuple[Port, ...]:
        return self.meeting("flow")

    def build(self, inside: Inside) -> None:
        self.draw(inside, inside.add(Se("rest", 0.0, size=int(self.size) - len(self.chosen()))))


ALL = (PartialZero, PartialOne, *wrapping.ALL)

__all__ = ["ALL", "FrameBond", "FrameBonds", "PartialOne", "PartialZero", "PlanarFrameBond"]
