"""Causality is decided without the sensors, so that attaching one cannot change it; their strokes follow from the rest.

A sensor on the junction that it is made for is left out with its bond; a sensor in a bond leaves one bond in its place.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from multibond.elements.sensors import Sensor
from multibond.graph.graph import Bond, Graph
from multibond.graph.junctions import PowerSensor
from multibond.structure.propagate import HEAD, TAIL

Strokes = dict[str, tuple[int, ...]]
Doubled = dict[tuple[str, int], str]
Restore = Callable[[Strokes, Doubled], None]


def without_sensors(graph: Graph) -> tuple[Graph, list[Restore]]:
    """The graph without sensors, and what has to be added to its strokes, from the last step to the first."""
    restore: list[Restore] = []
    elements, bonds = dict(graph.elements), {b.name: b for b in graph.bonds}
    at: dict[str, list[str]] = {}
    for bond in graph.bonds:
        at.setdefault(bond.tail.element, []).append(bond.name)
        at.setdefault(bond.head.element, []).append(bond.name)
    for path, item in sorted(graph.elements.items()):
        own = [bonds[name] for name in at.get(path, ())]
        if isinstance(item, Sensor) and len(own) == 1 and _fits(graph, item, path, own[0], at):
            del elements[path], bonds[own[0].name]
            at[own[0].other(path).element].remove(own[0].name)
            restore.append(_reading(own[0], path, item.causality == "gives flow"))
        elif isinstance(item, PowerSensor) and len(own) == 2 and own[0].other(path) != own[1].other(path):
            first, second = own
            del elements[path], bonds[second.name]
            bonds[first.name] = _joined(first, second, path)
            at[second.other(path).element].remove(second.name)
            at[second.other(path).element].append(first.name)
            restore.append(_passing(first, second, path))
    if not restore:
        return graph, []
    return graph.with_(elements=elements, bonds=tuple(bonds[b.name] for b in graph.bonds if b.name in bonds)), restore


def _fits(graph: Graph, item: Sensor, path: str, bond: Bond, at: dict[str, list[str]]) -> bool:
    """Whether a sensor is on the junction that it is made for, beside other bonds."""
    junction = bond.other(path).element
    wanted = "zero" if item.causality == "gives flow" else "one"
    return graph.elements[junction].causality == wanted and len(at[junction]) > 1


def _joined(first: Bond, second: Bond, path: str) -> Bond:
    """The bond without the sensor in it, under the name of its first half."""
    outer = second.other(path)
    return replace(first, tail=outer) if first.tail.element == path else replace(first, head=outer)


def _reading(bond: Bond, path: str, gives_flow: bool) -> Restore:
    def restore(strokes: Strokes, doubled: Doubled) -> None:
        strokes[bond.name] = (TAIL if (bond.tail.element == path) == gives_flow else HEAD,) * bond.size

    return restore


def _passing(first: Bond, second: Bond, path: str) -> Restore:
    """The second half of a bond: the sensor hands on what the first half brings."""

    def restore(strokes: Strokes, doubled: Doubled) -> None:
        here = TAIL if first.tail.element == path else HEAD
        there = TAIL if second.tail.element == path else HEAD
        sides = []
        for k, side in enumerate(strokes[first.name]):
            taken = side != here if (first.name, k) not in doubled else doubled[first.name, k] == "effort"
            sides.append(there if taken else TAIL + HEAD - there)
        strokes[second.name] = tuple(sides)

    return restore
