"""The causal graph: every effort, flow and signal of a graph with strokes, and which of them follows from which.

Where an element gives a variable, links lead to it from what the element takes. A link integrates (a storage in
integral causality, the state flow of a joint), differentiates (a storage in derivative causality) or does neither
(junctions, couplers, resistors). Links of the junction structure between two bonds come in pairs: where a flow runs one
way, the effort of the same bonds runs back, so every path between ports has its dual.

>>> made = signal_graph(graph, tree, assign(graph, tree))
>>> made.links_from(Node("coil->current", 0, "flow"))
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TypeVar

from multibond.elements import EulerGyrator
from multibond.graph.graph import Graph
from multibond.graph.junctions import Wires
from multibond.structure.causality import Causality
from multibond.structure.dependence import Dependence, Node, dependences
from multibond.structure.tree import Tree

Key = TypeVar("Key")
STRUCTURE = ("one", "zero", "transformer", "gyrator", "wires")
"""Words of elements that make up the junction structure: they pass power on, and neither store nor lose any."""


@dataclass(frozen=True)
class Link:
    """One step of a causal path: `target` follows from `source` in an element.

    order: -1 integrates, +1 differentiates, 0 is algebraic. inner: the step lies in the junction structure, between two
    bonds. At a bond that is given from both ends the bond itself stands for the element: that both agree decides the
    other variable.
    """

    source: Node
    target: Node
    element: str
    order: int = 0
    inner: bool = False

    @property
    def kind(self) -> str:
        """ "integration", "differentiation" or "algebraic"."""
        return {-1: "integration", 0: "algebraic", 1: "differentiation"}[self.order]


@dataclass(frozen=True)
class SignalGraph:
    """Links between variables, in an order that does not depend on how the graph was drawn."""

    links: tuple[Link, ...]

    @cached_property
    def _from(self) -> dict[Node, tuple[Link, ...]]:
        return _table(self.links, lambda link: link.source)

    @cached_property
    def _to(self) -> dict[Node, tuple[Link, ...]]:
        return _table(self.links, lambda link: link.target)

    @cached_property
    def _of(self) -> dict[str, tuple[Link, ...]]:
        return _table(self.links, lambda link: link.element)

    def links_from(self, node: Node) -> tuple[Link, ...]:
        """The links that leave a variable."""
        return self._from.get(node, ())

    def links_to(self, node: Node) -> tuple[Link, ...]:
        """The links that lead to a variable."""
        return self._to.get(node, ())

    def links_in(self, element: str) -> tuple[Link, ...]:
        """The links through an element."""
        return self._of.get(element, ())

    def upstream(self, targets: Iterable[Node]) -> frozenset[Node]:
        """The variables with a causal path to any of the targets, these included."""
        found, queue = set(targets), list(targets)
        while queue:
            for link in self.links_to(queue.pop()):
                if link.source not in found:
                    found.add(link.source)
                    queue.append(link.source)
        return frozenset(found)


def _table(links: tuple[Link, ...], key: Callable[[Link], Key]) -> dict[Key, tuple[Link, ...]]:
    table: dict[Key, list[Link]] = {}
    for link in links:
        table.setdefault(key(link), []).append(link)
    return {name: tuple(found) for name, found in table.items()}


def signal_graph(graph: Graph, tree: Tree, causality: Causality) -> SignalGraph:
    """The causal graph of a graph with strokes."""
    links = [link for path in sorted(graph.elements) for link in _links(graph, tree, causality, path)]
    links += [_agreement(*lane, what) for lane, what in causality.doubled.items()]
    return SignalGraph(tuple(dict.fromkeys(sorted(links, key=lambda link: (link.source, link.target, link.element)))))


def given_by(graph: Graph, causality: Causality, path: str) -> list[Node]:
    """The efforts and flows that an element gives."""
    lanes = [(b, k) for b in graph.bonds_of(path) for k in range(b.size)]
    return [Node(b.name, k, "flow" if causality.gives_flow(b, path, k) else "effort") for b, k in lanes]


def taken_by(graph: Graph, causality: Causality, path: str) -> list[Node]:
    """The efforts and flows that an element takes."""
    return [node.dual for node in given_by(graph, causality, path)]


def in_structure(graph: Graph, path: str) -> bool:
    """Whether an element belongs to the junction structure; the Euler gyrator does, it is a ring of gyrators."""
    item = graph.elements[path]
    return item.causality in STRUCTURE or isinstance(item, EulerGyrator)


def _agreement(name: str, k: int, what: str) -> Link:
    node = Node(name, k, what)
    return Link(node, node.dual, name)


def _links(graph: Graph, tree: Tree, causality: Causality, path: str) -> Iterator[Link]:
    item = graph.elements[path]
    inner = in_structure(graph, path)
    if item.causality in ("one", "zero"):
        pairs = _through_junction(graph, causality, path)
    elif isinstance(item, Wires):
        pairs = _through_wires(graph, causality, path, item)
        pairs += dependences(graph, tree, causality, path) if len(item.ports()) > len(graph.bonds_of(path)) else []
    else:
        pairs = dependences(graph, tree, causality, path)
    for pair in pairs:
        own = inner and "signal" not in (pair.source.what, pair.target.what)
        yield Link(pair.source, pair.target, path, pair.order, own)


def _through_junction(graph: Graph, causality: Causality, path: str) -> list[Dependence]:
    """The common variable from the one bond that brings it, the balanced one from all others."""
    bonds, found = graph.bonds_of(path), []
    for k in range(bonds[0].size if bonds else 0):
        brings_flow = [b for b in bonds if not causality.gives_flow(b, path, k)]
        takes_flow = [b for b in bonds if causality.gives_flow(b, path, k)]
        for a in brings_flow:
            for b in takes_flow:
                found.append(Dependence(Node(a.name, k, "flow"), Node(b.name, k, "flow"), 0))
                found.append(Dependence(Node(b.name, k, "effort"), Node(a.name, k, "effort"), 0))
    return found


def _through_wires(graph: Graph, causality: Causality, path: str, item: Wires) -> list[Dependence]:
    at, found = {b.end(path).port: b for b in graph.bonds_of(path)}, []
    for one, other in item.wires({name: bond.size for name, bond in at.items()}):
        (a, i), (b, j) = (at[one[0]], one[1]), (at[other[0]], other[1])
        if causality.gives_flow(a, path, i):
            (a, i), (b, j) = (b, j), (a, i)
        found.append(Dependence(Node(a.name, i, "flow"), Node(b.name, j, "flow"), 0))
        found.append(Dependence(Node(b.name, j, "effort"), Node(a.name, i, "effort"), 0))
    return found
