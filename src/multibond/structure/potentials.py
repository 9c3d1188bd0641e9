"""Potentials that nothing decides: efforts that may all rise together without any element noticing.

Where junctions, wires and couplers allow efforts that vanish at all other elements, these may be added to every
solution, in all modes: a circuit without ground, the far side of a transformer. The first node by path of each such
part counts as zero. Forces and torques are left out: what nothing decides there is a machine held twice.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass

import numpy as np

from multibond.elements.sensors import Sensor
from multibond.graph.domains import bond_domains
from multibond.graph.graph import Graph
from multibond.graph.junctions import Wires
from multibond.graph.port import SignalPort
from multibond.structure.solvable import ZERO, Structure, passes_on
from multibond.units import DOMAINS

FORCES = ("rotation", "translation")
"""Domains in which efforts are no potentials."""
MOST = 200
"""So many efforts that no law ties to one other are looked at together."""
LISTED = 3
"""Nodes that are named beside the one at zero."""

Place = tuple[str, int]
"""A bond and its component; a node is known by any of its bonds."""
Row = dict[Place, float]


@dataclass(frozen=True)
class Floating:
    """Nodes whose efforts rise together, the first of which counts as zero, in some of its components."""

    node: str
    components: tuple[int, ...]
    others: tuple[str, ...]
    effort: str

    def __str__(self) -> str:
        listed = ", ".join(repr(name) for name in (self.node, *self.others[: LISTED - 1]))
        more = f" and {len(self.others) + 1 - LISTED} more" if len(self.others) >= LISTED else ""
        return f"{self.node} counts as zero: nothing decides the {self.effort} of {listed}{more}"


def floating(graph: Graph) -> tuple[Floating, ...]:
    """The nodes that have to count as zero, one for each freedom of the efforts, in order of path."""
    domains = bond_domains(graph)
    still = {b.name for b in graph.bonds if domains[b.name] in FORCES}
    still |= {b.name for f in (*graph.frames, *graph.planes) for path in f.junctions for b in graph.bonds_of(path)}
    if len(still) == len(graph.bonds):
        return ()
    efforts = _efforts(graph, still)
    nodes = [path for path, item in sorted(graph.elements.items()) if item.causality == "zero"]
    places = {(path, k): (b.name, k) for path in nodes for b in graph.bonds_of(path)[:1] for k in range(b.size)}
    together = _together(efforts, places)
    found: dict[str, tuple[list[int], set[str], str]] = {}
    for (path, k), place in places.items():
        if efforts.may_rise(place):
            if efforts.root(place) not in together:  # a zero before has tied efforts to one another
                together = _together(efforts, places)
            components, others, _ = found.setdefault(path, ([], set(), domains[place[0]]))
            components.append(k)
            others.update(together[efforts.root(place)])
            efforts.set_zero(place)
    return tuple(Floating(p, tuple(k), tuple(sorted(o - {p})), _word(domain)) for p, (k, o, domain) in found.items())


def _together(efforts: _Efforts, places: dict[tuple[str, int], Place]) -> dict[Place, list[str]]:
    """The nodes whose efforts follow one and the same, by that effort."""
    found: dict[Place, list[str]] = {}
    for (path, _), place in places.items():
        found.setdefault(efforts.root(place), []).append(path)
    return found


def _word(domain: str) -> str:
    return f"{DOMAINS[domain].effort if domain in DOMAINS else 'effort'}s"


def _efforts(graph: Graph, still: set[str]) -> _Efforts:
    """What the junction structure says of efforts that vanish at all other elements and on bonds that are still."""
    loose = {path for path in graph.elements if any(b.name not in still for b in graph.bonds_of(path))}
    inner = {path for path in loose if passes_on(graph.elements[path]) and not _is_read(graph, path)}
    ends = {path for path in loose - inner if not _only_reads(graph, path)}
    efforts = _Efforts()
    for name in still | {b.name for path in ends for b in graph.bonds_of(path)}:
        efforts.still.add(name)
    for _, row in Structure(graph, inner).laws:
        efforts.add({(name, k): value for (_, name, k, what), value in row.items() if what == "e"})
    efforts.settle()
    return efforts


def _is_read(graph: Graph, path: str) -> bool:
    """Whether an element tells its effort to others: the zero would matter to them."""
    item = graph.elements[path]
    return isinstance(item, Sensor | Wires) and any(
        end.element != path
        for port in item.ports()
        if isinstance(port, SignalPort) and (hit := graph.signal_at(path, port.name)) is not None
        for end in hit[0].ends
    )


def _only_reads(graph: Graph, path: str) -> bool:
    """A sensor of effort takes no part: whatever it reads is counted from the node at zero."""
    item = graph.elements[path]
    return isinstance(item, Sensor) and item.causality == "gives flow" and not _is_read(graph, path)


class _Efforts:
    """Linear equations among efforts, solved as far as each has two terms left; the rest is asked with numbers."""

    def __init__(self) -> None:
        self.still: set[str] = set()
        self.parent: dict[Place, tuple[Place, float]] = {}
        self.zero: set[Place] = set()
        self.rows: list[Row] = []
        self.users: dict[Place, set[int]] = {}
        self.due: deque[int] = deque()
        self.open: dict[Place, bool] = {}

    def add(self, row: Row) -> None:
        """One more equation: the sum vanishes."""
        if row:
            self.rows.append(row)
            self.due.append(len(self.rows) - 1)
            for place in row:
                self.users.setdefault(self._root(place)[0], set()).add(len(self.rows) - 1)

    def settle(self) -> None:
        """Draw all conclusions of equations with one or two terms."""
        while self.due:
            number = self.due.popleft()
            row = self.rows[number] = self._reduced(self.rows[number])
            if len(row) == 1:
                self._vanish(next(iter(row)))
            elif len(row) == 2:
                self._tie(*row.items())

    def set_zero(self, place: Place) -> None:
        """Let an effort vanish, and all that follows it."""
        self._vanish(self.root(place))
        self.settle()
        self.open.clear()

    def root(self, place: Place) -> Place:
        """The effort that this one follows."""
        return self._root(place)[0]

    def may_rise(self, place: Place) -> bool:
        """Whether the equations leave an effort open."""
        root = self.root(place)
        if root in self.zero:
            return False
        if root not in self.open:
            self.open |= self._look_around(root)
        return self.open[root]

    def _look_around(self, root: Place) -> dict[Place, bool]:
        """By each effort that hangs together with one: whether some solution has it."""
        rows, places = self._around(root)
        if not rows or len(places) > MOST:
            return {root: not rows}
        at = {p: i for i, p in enumerate(places)}
        table = np.zeros((len(rows), len(places)))
        for i, row in enumerate(rows):
            table[i, [at[p] for p in row]] = np.array(list(row.values())) / max(map(abs, row.values()))
        _, sizes, ways = np.linalg.svd(table)
        free = ways[int((sizes > ZERO * sizes[0]).sum()) :]
        return dict(zip(places, (np.abs(free).max(axis=0, initial=0.0) > ZERO).tolist(), strict=True))

    def _around(self, root: Place) -> tuple[list[Row], list[Place]]:
        """The equations of three and more terms that hang together with an effort."""
        places, numbers, queue = {root: None}, {}, [root]
        while queue and len(places) <= MOST:
            for number in sorted(self.users.get(queue.pop(), ())):
                row = self._reduced(self.rows[number])
                numbers[number] = row
                queue += [p for p in row if p not in places]
                places |= dict.fromkeys(row)
        return [row for row in numbers.values() if row], list(places)

    def _root(self, place: Place) -> tuple[Place, float]:
        """The effort that this one follows, and how many times it is that."""
        way, times = [], 1.0
        while place in self.parent:
            way.append(place)
            place = self.parent[place][0]
        if place[0] in self.still:
            self.zero.add(place)
        for step in reversed(way):
            times *= self.parent[step][1]
            self.parent[step] = (place, times)
        return place, times

    def _reduced(self, row: Row) -> Row:
        """An equation among efforts that follow no other and may be other than zero."""
        found: Row = {}
        size: Row = {}
        for place, value in row.items():
            root, times = self._root(place)
            found[root] = found.get(root, 0.0) + value * times
            size[root] = max(size.get(root, 0.0), abs(value * times))
        return {
            root: value for root, value in found.items() if root not in self.zero and abs(value) > ZERO * size[root]
        }

    def _vanish(self, root: Place) -> None:
        self.zero.add(root)
        self.due += sorted(self.users.pop(root, ()))

    def _tie(self, first: tuple[Place, float], second: tuple[Place, float]) -> None:
        """Let one effort follow the other, the one with fewer equations."""
        (a, x), (b, y) = sorted((first, second), key=lambda item: (len(self.users.get(item[0], ())), item[0]))
        moved = self.users.pop(a, set())
        self.parent[a] = (b, -y / x)
        self.users.setdefault(b, set()).update(moved)
        self.due += sorted(moved)
