"""Causal paths: how what one element gives acts on a variable, and which elements do not act on it at all."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from heapq import heappop, heappush
from itertools import count

from multibond.border import public
from multibond.elements.sensors import Sensor
from multibond.errors import unknown_name
from multibond.graph.graph import Graph
from multibond.structure.causality import Causality
from multibond.structure.dependence import Node
from multibond.structure.signals import Link, SignalGraph, given_by, in_structure, taken_by

MOST_TRIES = 20000
"""So many unfinished paths are looked at before the search for more is given up."""


@public
@dataclass(frozen=True)
class CausalPath:
    """A way that a signal takes through the graph, without passing any variable twice."""

    links: tuple[Link, ...]

    @property
    def nodes(self) -> tuple[Node, ...]:
        """The variables along the path, in order."""
        return (*(link.source for link in self.links), *(link.target for link in self.links[-1:]))

    @property
    def bonds(self) -> tuple[tuple[str, int], ...]:
        """Bonds and components along the path, to be lit up."""
        return tuple(dict.fromkeys((n.name, n.component) for n in self.nodes if n.what != "signal"))

    @property
    def elements(self) -> tuple[str, ...]:
        """The elements along the path, in order."""
        return tuple(dict.fromkeys(link.element for link in self.links if link.element != link.source.name))

    @property
    def order(self) -> int:
        """Integrations less differentiations along the path: how far the output lags behind the input."""
        return -sum(link.order for link in self.links)

    def __str__(self) -> str:
        way = " → ".join(f"{link.element}{_MARKS[link.order]}" for link in self.links)
        return f"{self.order} integration{'' if self.order == 1 else 's'}: {way}"


_MARKS = {-1: " ∫", 0: "", 1: " d/dt"}


def variables_of(graph: Graph, causality: Causality, name: str) -> tuple[list[Node], list[Node]]:
    """What a name stands for, as what it gives and as what is looked at: an element, its .e or .f, or a signal."""
    if name in graph.elements and graph.bonds_of(name):
        given = given_by(graph, causality, name)
        return given, [*given, *taken_by(graph, causality, name)]
    signals = {s.name: [Node(s.name, k, "signal") for k in range(s.size)] for s in graph.signals}
    by_port = {f"{e.element}.{e.port}": s.name for s in graph.signals for e in s.ends}
    alias = graph.aliases.get(name, name)
    for key in (alias, by_port.get(alias, "")):
        if key in signals:
            return signals[key], signals[key]
    path, _, letter = alias.rpartition(".")
    found = _port_variables(graph, path, letter)
    if not found:
        raise unknown_name("the graph", name, _known(graph), offer="Name an element, its .e or .f, or a signal.")
    return found, found


def _port_variables(graph: Graph, path: str, letter: str) -> list[Node]:
    """Efforts (.e) or flows (.f) of an element or a port; .p stands for its flow, .q of a C for its effort."""
    spring = path in graph.elements and graph.elements[path].causality == "prefers effort"
    what = {"e": "effort", "f": "flow", "p": "flow", "q": "effort" if spring else "flow"}.get(letter)
    bonds = graph.bonds_of(path) if what else ()
    if not bonds:
        path, _, port = path.rpartition(".")
        bonds = tuple(b for b in graph.bonds_of(path) if b.end(path).port == port)
    if path in graph.elements and graph.elements[path].causality in ("one", "zero"):
        bonds = bonds if letter == {"one": "f", "zero": "e"}[graph.elements[path].causality] else ()
    return [Node(b.name, k, what) for b in bonds for k in range(b.size)] if what else []


def _known(graph: Graph) -> list[str]:
    return [*graph.elements, *graph.aliases, *(s.name for s in graph.signals)]


def causal_paths(signals: SignalGraph, start: list[Node], end: list[Node], most: int) -> Iterator[CausalPath]:
    """Paths from any of some variables to any of others, short ones first; one for each sequence of elements."""
    distance, tie, tries = _distances(signals, end), count(), 0
    heap: list[tuple[int, int, Node, tuple[Link, ...]]] = []
    for node in sorted(n for n in start if n in distance):
        heappush(heap, (distance[node], next(tie), node, ()))
    seen: set[tuple[str, ...]] = set()
    while heap and most > 0 and tries < MOST_TRIES:
        _, _, node, links = heappop(heap)
        tries += 1
        if node in end and links:
            if (way := _way(links)) not in seen:
                most -= 1
                seen.add(way)
                yield CausalPath(links)
            continue
        passed = {link.source for link in links} | {node, *start}
        for link in signals.links_from(node):
            way = (*_way((*links, link)), *map(str, link.target))
            if link.target in distance and link.target not in passed and way not in seen:
                seen.add(way)
                heappush(heap, (len(links) + 1 + distance[link.target], next(tie), link.target, (*links, link)))


def _way(links: tuple[Link, ...]) -> tuple[str, ...]:
    return tuple(link.element for link in links)


def _distances(signals: SignalGraph, end: list[Node]) -> dict[Node, int]:
    found = dict.fromkeys(end, 0)
    queue = list(found)
    for node in queue:
        for link in signals.links_to(node):
            if link.source not in found:
                found[link.source] = found[node] + 1
                queue.append(link.source)
    return found


def without_path(graph: Graph, causality: Causality, signals: SignalGraph, end: list[Node]) -> tuple[str, ...]:
    """Elements that give nothing from which a causal path leads to the variables; junctions are not counted."""
    acting = signals.upstream(end)
    found = []
    for path in sorted(graph.elements):
        item = graph.elements[path]
        silent = item.causality in ("one", "zero", "wires") or not graph.bonds_of(path)
        if not silent and not acting & _given(graph, causality, signals, path):
            found.append(path)
    return tuple(found)


def _given(graph: Graph, causality: Causality, signals: SignalGraph, path: str) -> set[Node]:
    """What an element gives; a coupler counts by what it passes on, a sensor by its signal (it takes no power)."""
    if in_structure(graph, path) or isinstance(graph.elements[path], Sensor):
        return {link.target for link in signals.links_in(path)}
    return {*given_by(graph, causality, path), *(link.target for link in signals.links_in(path))}
