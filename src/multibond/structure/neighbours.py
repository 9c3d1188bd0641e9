"""The bonds at an element in an order that neither the order of drawing nor a sensor in a bond can change."""

from __future__ import annotations

from multibond.graph.graph import Bond, Graph
from multibond.graph.junctions import PowerSensor


def neighbours(graph: Graph, path: str) -> list[Bond]:
    """The bonds of an element, ordered by what stands at their other ends; sensors in a bond are looked through."""
    return sorted(graph.bonds_of(path), key=lambda bond: (*_beyond(graph, bond, path), bond.name))


def ends_key(graph: Graph, bond: Bond) -> tuple[str, ...]:
    """What a bond joins, at its tail and at its head; sensors in it are looked through."""
    return (*_beyond(graph, bond, bond.head.element), *_beyond(graph, bond, bond.tail.element))


def _beyond(graph: Graph, bond: Bond, path: str) -> tuple[str, str]:
    """The element and port at the other end of a bond, behind all sensors."""
    end = bond.other(path)
    while isinstance(graph.elements[end.element], PowerSensor):
        onward = [b for b in graph.bonds_of(end.element) if b.end(end.element).port != end.port]
        if len(onward) != 1 or onward[0].other(end.element).element == path:
            break
        end = onward[0].other(end.element)
    return end.element, end.port
