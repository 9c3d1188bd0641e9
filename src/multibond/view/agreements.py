"""Bonds that are given from both ends, as a block diagram needs them: with a box in between in which the two agree."""

from __future__ import annotations

from dataclasses import replace
from typing import ClassVar

from multibond.graph.component import Element, component
from multibond.graph.graph import Bond, End, Graph
from multibond.graph.port import Port, PowerPort
from multibond.structure.causality import Causality
from multibond.structure.propagate import HEAD, TAIL


@component
class Agreement(Element):
    """Stands in a bond whose flow (or effort) both ends give: that the two agree decides the other variable."""

    code: ClassVar[str] = "="

    def ports(self) -> tuple[Port, ...]:
        return (PowerPort("a"), PowerPort("b", inward=False))


def with_agreements(graph: Graph, strokes: Causality) -> tuple[Graph, Causality]:
    """The graph with an `Agreement` in every bond that is given from both ends, and strokes that say it."""
    twice = {name: what for (name, _), what in strokes.doubled.items()}
    elements, bonds, flow_from = dict(graph.elements), [], dict(strokes.flow_from)
    for bond in graph.bonds:
        if bond.name not in twice:
            bonds.append(bond)
            continue
        path = f"{bond.name} ="
        elements[path] = Agreement("agreement", size=bond.size)
        bonds += [replace(bond, head=End(path, "a")), _second(bond, path)]
        outer = (TAIL, HEAD) if twice[bond.name] == "flow" else (HEAD, TAIL)
        flow_from |= {made.name: (side,) * bond.size for made, side in zip(bonds[-2:], outer, strict=True)}
    return graph.with_(elements=elements, bonds=tuple(bonds)), replace(strokes, flow_from=flow_from, doubled={})


def _second(bond: Bond, path: str) -> Bond:
    return replace(bond, name=f"{bond.name} from {bond.head.element}", tail=End(path, "b"))
