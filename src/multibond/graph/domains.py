"""Which domain each bond belongs to, followed from where it is known through the graph."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from heapq import heappop, heappush

from multibond.graph.component import Part
from multibond.graph.graph import Bond, Graph
from multibond.graph.junctions import DirectSum
from multibond.graph.model import Sheet, Submodel
from multibond.graph.port import PowerPort
from multibond.units import DOMAINS


def bond_domains(graph: Graph, known: Mapping[str, str] | None = None) -> dict[str, str]:
    """The name of each bond's domain, "any" where nothing tells.

    Junctions, storages and couplers that only turn axes (inverse "transpose") have one domain; levers and gyrators
    change it. known: domains of some elements, such as the flanges of parts.
    """
    found: dict[str, str] = {b.name: b.domain.name for b in graph.bonds if b.domain.name != "any"}
    seeds = (
        dict(known or {})
        | {f.rotation: "rotation" for f in graph.frames}
        | {f.translation: "translation" for f in graph.frames}
    )
    for path, domain in sorted(seeds.items()):
        for bond in graph.bonds_of(path):
            found.setdefault(bond.name, domain)
    _spread_all(graph, found)
    return {b.name: found.get(b.name, "any") for b in graph.bonds}


def with_domains(graph: Graph, known: Mapping[str, str] | None = None) -> Graph:
    """The graph with every bond's domain written on it, so that what is made of the bond has it too.

    Entries of a rotation, unfolded, no longer show that they only turn axes: domains are told before.
    """
    told = bond_domains(graph, known)
    by_name = DOMAINS | {b.domain.name: b.domain for b in graph.bonds}
    bonds = tuple(replace(b, domain=by_name.get(told[b.name], b.domain)) for b in graph.bonds)
    return graph.with_(bonds=bonds)


def _spread_all(graph: Graph, found: dict[str, str]) -> None:
    """Spread domains in rounds over the elements in order of path, as far as bonds have changed."""
    due = [(0, path) for path in sorted(graph.elements)]
    waiting = set(due)
    while due:
        turn, path = heappop(due)
        waiting.discard((turn, path))
        for bond in _spread(graph, path, found):
            other = bond.other(path).element
            again = (turn + (other < path), other)
            if again not in waiting:
                waiting.add(again)
                heappush(due, again)


def _spread(graph: Graph, path: str, found: dict[str, str]) -> list[Bond]:
    """Give an element's bonds the domain that one of them has; the bonds for which that was new."""
    item, bonds = graph.elements[path], graph.bonds_of(path)
    if isinstance(item, DirectSum):
        bonds = _sure_of_sum(path, bonds, found)
    elif item.causality == "gyrator" or (
        item.causality == "transformer" and getattr(item, "inverse", "") != "transpose"
    ):
        return []
    have = {found[b.name] for b in bonds if b.name in found}
    fresh = [b for b in bonds if b.name not in found]
    if len(have) != 1 or not fresh:
        return []
    found.update({b.name: next(iter(have)) for b in fresh})
    return fresh


def _sure_of_sum(path: str, bonds: tuple[Bond, ...], found: Mapping[str, str]) -> tuple[Bond, ...]:
    """A whole has its parts' domain only when all have the same."""
    parts = [found.get(b.name) for b in bonds if b.end(path).port != "whole"]
    whole = [b for b in bonds if b.end(path).port == "whole"]
    same = len(parts) > 1 and len(set(parts)) == 1
    return bonds if same or any(b.name in found for b in whole) else ()


def flange_domains(sheet: Sheet, prefix: str = "") -> dict[str, str]:
    """The domains of all flanges and pins, by path."""
    found: dict[str, str] = {}
    for item in sheet.components.values():
        path = f"{prefix}{item.name}"
        if isinstance(item, Submodel):
            found |= flange_domains(item.sheet, f"{path}.")
        elif isinstance(item, Part):
            ports = [p for p in item.ports() if isinstance(p, PowerPort) and p.domain.name != "any"]
            found |= {f"{path}.{p.name}": p.domain.name for p in ports}
    return found
