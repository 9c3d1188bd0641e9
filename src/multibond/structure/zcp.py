"""Zero-order causal paths: closed causal signal paths with no integration left over (Boudon et al., after Felez).

A closed path is a cycle of the causal graph in which integrations and differentiations cancel. Its *ends* are the ports
of elements outside the junction structure that it runs through. It is **flat** where it runs out and back over the same
bonds: each bond component is passed once as effort and once as flow. It runs **round a mesh** otherwise: with an end
the topological loop is **open** (it could be cut at the port), without one **closed**. So there are four classes:

1. between a storage in integral causality (or the state flow of a joint) and one in derivative causality; flat
2. between two ports with algebraic laws, such as two resistors; flat
3. round a mesh, from one port of an element back to it; open
4. round a mesh, wholly in the junction structure; closed

Between two ports the way back always exists: it is the dual of the way out, as junctions and ideal couplers pass power
on. A closed path through three and more ports is made of such pairs, so one shortest path for each pair of elements
says all. Class 4 is told by one shortest cycle through each variable that lies on none told before. A loop that is
closed by signals (a controlled source) has no dual; it counts by its ends, as class 2 or, with a single one, 3.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property

from multibond.graph.graph import Graph
from multibond.structure.causality import Causality
from multibond.structure.components import strong_components
from multibond.structure.dependence import Node
from multibond.structure.signals import Link, SignalGraph, in_structure

MOST = 1000
"""So many paths of a class are listed; a long chain of bodies has one for every joint and body beyond it."""

Pick = Callable[[Link], bool]
Ways = dict[Node, Link | None]
"""By variable the link by which a search came to it; none where it began."""


@dataclass(frozen=True)
class ZeroOrderPath:
    """A zero-order causal path: its class, the elements at its ends, and its links in order."""

    number: int
    ends: tuple[str, ...]
    links: tuple[Link, ...]

    @property
    def bonds(self) -> tuple[tuple[str, int], ...]:
        """Bonds and components along the path, to be lit up."""
        return tuple(dict.fromkeys((n.name, n.component) for n in self.nodes if n.what != "signal"))

    @property
    def nodes(self) -> tuple[Node, ...]:
        """The variables along the path, in order."""
        return tuple(link.source for link in self.links)

    @property
    def elements(self) -> tuple[str, ...]:
        """Every element along the path; a bond that is given from both ends is none."""
        return tuple(dict.fromkeys(link.element for link in self.links if link.element != link.source.name))

    @property
    def flat(self) -> bool:
        """Whether it runs out and back over the same bonds."""
        return bool(self.nodes) and {n.dual for n in self.nodes if n.what != "signal"} == set(self.nodes)

    @property
    def loop(self) -> str:
        """The topological loop: "flat", "open" or "closed"."""
        return "flat" if self.flat else "open" if self.ends else "closed"

    def __str__(self) -> str:
        half = self.links[: len(self.links) // 2 + 1] if self.flat else self.links
        way = " → ".join(link.element for link in half)
        return f"class {self.number}, {self.loop}, {self.place}: {way}"

    @property
    def place(self) -> str:
        """Where it lies, in words."""
        if not self.ends:
            return "in the junction structure"
        names = [repr(end) for end in self.ends]
        if len(names) == 2 and names[0] == names[1]:
            return f"between two ports of {names[0]}"
        return f"between {', '.join(names[:-1])} and {names[-1]}" if len(names) > 1 else f"at {names[0]}"


def zero_order_paths(graph: Graph, causality: Causality, signals: SignalGraph) -> tuple[ZeroOrderPath, ...]:
    """One shortest zero-order causal path for each pair of ends, and for each loop without ends."""
    return _Search(graph, causality, signals).all


class _Search:
    """The causal graph with its ends marked."""

    def __init__(self, graph: Graph, causality: Causality, signals: SignalGraph) -> None:
        self.signals = signals
        twice = sorted({name for name, _ in causality.doubled})
        self.outside = [p for p in sorted(graph.elements) if graph.bonds_of(p) and not in_structure(graph, p)] + twice

    @cached_property
    def all(self) -> tuple[ZeroOrderPath, ...]:
        """All classes, in order."""
        told = [*self._dependent()[:MOST], *self._algebraic()[:MOST], *self._meshes()[:MOST]]
        return tuple(sorted([*told, *self._others(told)], key=lambda z: (z.number, z.ends, z.nodes)))

    def _elements(self, order: int) -> list[str]:
        """Elements whose law has a dependence of an order between its bonds."""
        return [p for p in self.outside if any(self._at_ports(link) for link in self._own(p, order))]

    def _own(self, path: str, order: int) -> list[Link]:
        return [link for link in self.signals.links_in(path) if link.order == order]

    @staticmethod
    def _at_ports(link: Link) -> bool:
        return "signal" not in (link.source.what, link.target.what)

    def _ways(self, start: Iterable[Node]) -> Ways:
        """Shortest ways through the junction structure: for everything that can be reached the last link to it."""
        ways: Ways = dict.fromkeys(start)
        queue = list(ways)
        for node in queue:
            for link in self.signals.links_from(node):
                if link.inner and link.target not in ways:
                    ways[link.target] = link
                    queue.append(link.target)
        return ways

    # -- between two ports ---------------------------------------------------------------------------------------------

    def _dependent(self) -> list[ZeroOrderPath]:
        """Class 1: from each storage in integral causality to each in derivative causality, and back."""
        late, found = self._elements(1), []
        for path in self._elements(-1):
            found += self._pairs(path, -1, 1, late, 1) if len(found) < MOST else []
        return found

    def _algebraic(self) -> list[ZeroOrderPath]:
        """Classes 2 and 3: from each algebraic port to the others, and to itself."""
        ends, found = self._elements(0), []
        for k, path in enumerate(ends):
            found += self._pairs(path, 0, 0, ends[k:], 2) + self._returns(path) if len(found) < MOST else []
        return found

    def _pairs(self, path: str, here: int, there: int, others: list[str], number: int) -> list[ZeroOrderPath]:
        """Out to other elements and back by the dual way; also between two ports of one element."""
        own = {link.target: link for link in self._own(path, here) if link.source == link.target.dual}
        whole, found = self._ways(own), []
        for other in others:
            turns = {link.source: link for link in self._own(other, there) if link.target == link.source.dual}
            ways = [self._ways([node]) for node in own] if other == path else [whole]
            hits = [(len(way), hit, way) for each in ways for hit, way in _hits(each, turns)]
            if hits:
                _, hit, way = min(hits, key=lambda found: found[:2])
                back = tuple(_dual(link) for link in reversed(way))
                found.append(ZeroOrderPath(number, (path, other), (own[_begin(hit, way)], *way, turns[hit], *back)))
        return found

    def _returns(self, path: str) -> list[ZeroOrderPath]:
        """Class 3: round a mesh and back to the same port; one for each element."""
        found = []
        for link in self._own(path, 0):
            ways = self._ways([link.target]) if link.source == link.target.dual else {}
            found += [ZeroOrderPath(3, (path,), (link, *_way(ways, link.source)))] if link.source in ways else []
        return sorted(found, key=lambda z: len(z.links))[:1]

    # -- without ends --------------------------------------------------------------------------------------------------

    def _meshes(self) -> list[ZeroOrderPath]:
        """Class 4: cycles in the junction structure; the loop of the duals runs the other way round and is the same."""
        inner = [link for link in self.signals.links if link.inner]
        return [ZeroOrderPath(4, (), cycle) for cycle in self._cycles(inner, lambda link: link.inner)]

    def _others(self, told: list[ZeroOrderPath]) -> list[ZeroOrderPath]:
        """Loops that are closed by signals, or across the ports of a field, where none of those told runs through."""
        plain = [link for link in self.signals.links if link.order == 0]
        odd = {link.source for link in plain if not link.inner and link.source != link.target.dual}
        covered = {n for z in told for n in z.nodes} | {link.source for link in plain if link.source not in odd}
        found = []
        for cycle in self._cycles(plain, lambda link: link.order == 0, covered):
            ends = tuple(dict.fromkeys(link.element for link in cycle if not link.inner))
            found.append(ZeroOrderPath(3 if len(ends) == 1 else 2, ends, cycle))
        return found

    def _cycles(self, links: list[Link], pick: Pick, covered: Iterable[Node] = ()) -> list[tuple[Link, ...]]:
        """A shortest cycle, short ones first, through each node on one that is not covered yet, nor its dual."""
        done, found = set(covered), []
        for component in strong_components([(link.source, link.target) for link in links]):
            waiting = [node for node in sorted(component) if node not in done]
            cycles = {node: self._shortest(node, component, pick) for node in waiting}
            for node in sorted(waiting, key=lambda n: len(cycles[n])):
                if node not in done:
                    done |= {n for link in cycles[node] for n in (link.source, link.source.dual)}
                    found.append(cycles[node])
        return found

    def _shortest(self, start: Node, within: frozenset[Node], pick: Pick) -> tuple[Link, ...]:
        ways: Ways = {start: None}
        queue = [start]
        for node in queue:
            for link in self.signals.links_from(node):
                if pick(link) and link.target == start:
                    return (*_way(ways, node), link)
                if pick(link) and link.target in within and link.target not in ways:
                    ways[link.target] = link
                    queue.append(link.target)
        raise AssertionError("a strongly connected node lies on a cycle")


def _way(ways: Ways, end: Node) -> tuple[Link, ...]:
    """The way to a node that was reached."""
    found = []
    while (link := ways[end]) is not None:
        found.append(link)
        end = link.source
    return tuple(reversed(found))


def _hits(ways: Ways, turns: dict[Node, Link]) -> list[tuple[Node, tuple[Link, ...]]]:
    """The ways that lead to a port where the path can turn, other than the one it came from."""
    found = [(node, _way(ways, node)) for node in turns if node in ways]
    return [(node, way) for node, way in found if _begin(node, way).dual != node]


def _begin(hit: Node, way: tuple[Link, ...]) -> Node:
    return way[0].source if way else hit


def _dual(link: Link) -> Link:
    """The same step the other way: of the other variable, through the same element."""
    return Link(link.target.dual, link.source.dual, link.element, link.order, link.inner)
