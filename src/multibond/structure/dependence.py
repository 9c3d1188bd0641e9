"""What an element gives, from what it takes: read off the pattern of its law, without a number.

Each dependence has an order: -1 where an integration lies between, +1 where a differentiation does, 0 where neither. A
field with components in both causalities has all three (I: f₁ = (∫e₁ - J₁₂ f₂)/J₁₁, e₂ = d(J₂₁ f₁ + J₂₂ f₂)/dt).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import casadi as ca

from multibond.elements import Motion
from multibond.elements.law import LawWriter
from multibond.expr import SX, column
from multibond.graph.component import Element
from multibond.graph.graph import Bond, Graph
from multibond.graph.port import SignalPort
from multibond.structure.causality import Causality
from multibond.structure.tree import Tree

Orders = dict[int, int]
"""By source the order of a dependence; the highest counts where several ways lead from it."""


class Node(NamedTuple):
    """A variable of the causal graph: an effort or flow of a bond's component, or a component of a signal."""

    name: str
    component: int
    what: str

    @property
    def dual(self) -> Node:
        """The other variable of the same bond: the signal that runs back."""
        return Node(self.name, self.component, "flow" if self.what == "effort" else "effort")

    def __str__(self) -> str:
        return f"{self.what} of {self.name}[{self.component}]"


@dataclass(frozen=True)
class Dependence:
    """A variable that an element gives depends on another one, after `order` differentiations (-1: an integral)."""

    source: Node
    target: Node
    order: int


def dependences(graph: Graph, tree: Tree, causality: Causality, path: str) -> list[Dependence]:
    """What every variable that an element gives by its law depends on."""
    sheet = _Sheet(graph, tree, causality, path)
    found = [d for node in sheet.given for d in sheet.given_from_taken(node)]
    return found + [d for port, k in sheet.readings() for d in sheet.reading_from(port, k)]


class _Sheet:
    """An element's law on symbols, and who depends on whom."""

    def __init__(self, graph: Graph, tree: Tree, causality: Causality, path: str) -> None:
        self.graph, self.path = graph, path
        self.item, bonds = graph.elements[path], graph.bonds_of(path)
        self.symbols: list[SX] = []
        self.nodes: list[Node | None] = []
        e = {b.end(path).port: self._new([Node(b.name, k, "effort") for k in range(b.size)]) for b in bonds}
        f = {b.end(path).port: self._new([Node(b.name, k, "flow") for k in range(b.size)]) for b in bonds}
        signals = {port: self._signal(port) for port in _read(graph, path, self.item)}
        self.first: dict[str, int] = {}
        self.states = {n: self._state(n, size) for n, size in self.item.states(_sizes(path, bonds)).items()}
        given = {b.end(path).port: not causality.gives_flow(b, path) for b in bonds}
        role = tree.role.get(path, "cut" if isinstance(self.item, Motion) else "")
        self.law = LawWriter(e, f, signals, self.states, given, SX.sym("t"), role)
        self.item.law(self.law)
        self.derivatives = [(self._known(symbol), value) for value, symbol, _ in self.law.derivatives]
        self.all = column(self.symbols)
        index = {node: k for k, node in enumerate(self.nodes) if node is not None}
        lanes = [(b, k, causality.gives_flow(b, path, k)) for b in bonds for k in range(b.size)]
        self.given = [index[Node(b.name, k, "flow" if flow else "effort")] for b, k, flow in lanes]
        self.orders = self._orders()

    def _new(self, nodes: list[Node] | list[None]) -> SX:
        value = SX.sym("v", len(nodes))
        self.symbols += ca.vertsplit(value) if nodes else []
        self.nodes += nodes
        return value

    def _known(self, symbols: SX) -> int:
        """Take in symbols that the law itself brings; returns where they begin."""
        self.symbols += ca.vertsplit(symbols)
        self.nodes += [None] * symbols.numel()
        return len(self.symbols) - symbols.numel()

    def _state(self, name: str, size: int) -> SX:
        self.first[name] = len(self.symbols)
        return self._new([None] * size)

    def _signal(self, port: str) -> SX:
        hit = self.graph.signal_at(self.path, port)
        assert hit is not None
        signal, reader = hit
        lanes = range(signal.size) if reader.select is None else reader.select
        return self._new([Node(signal.name, k, "signal") for k in lanes])

    def mentions(self, expression: SX) -> list[list[int]]:
        """For each row of an expression the symbols in it."""
        value = ca.vec(SX(expression))
        found: list[list[int]] = [[] for _ in range(value.numel())]
        for row, k in zip(*ca.jacobian_sparsity(value, self.all).get_triplet(), strict=True):
            found[row].append(k)
        return found

    # -- who depends on whom -------------------------------------------------------------------------------------------

    def _orders(self) -> dict[int, Orders]:
        """By variable what it follows from directly: by a relation, by its rate, or as the rate of another."""
        direct: dict[int, Orders] = {}
        for start, value in self.derivatives:
            direct |= {start + k: dict.fromkeys(row, 1) for k, row in enumerate(self.mentions(value))}
        dependent = self._rates(direct)
        relations = self.mentions(column(self.law.relations)) if self.law.relations else []
        wanted = [k for k in self.given if any(k in row for row in relations) and k not in dependent.values()]
        wanted += list(dependent)
        for k, row in _matched(relations, wanted).items():
            direct[k] = {j: 0 for j in row if j != k}
        for state, rate in dependent.items():
            direct[rate] = {state: 1}
        for k in self.given:
            if k not in direct and (order := self._unwritten(k)) is not None:
                direct[k] = {self._across(k): order}
        return direct

    def _rates(self, direct: dict[int, Orders]) -> dict[int, int]:
        """Write down what is integrated; returns the states whose rates the element must give, with these."""
        dependent: dict[int, int] = {}
        for name, rate in self.law.rates.items():
            for k, row in enumerate(self.mentions(rate)):
                given = [] if isinstance(self.item, Motion) else [j for j in row if j in self.given]
                if given and not self.law.held:
                    dependent[self.first[name] + k] = given[0]
                else:
                    direct[self.first[name] + k] = dict.fromkeys(row, -1)
        for name, (value, _) in self.law.updates.items():
            for k, row in enumerate(self.mentions(value)):
                direct[self.first[name] + k] = dict.fromkeys(row, -1)
        return dependent

    def _unwritten(self, k: int) -> int | None:
        """What no relation says: flows of joints and of inertias of zero are states, held flows ask for an effort."""
        node = self.nodes[k]
        if node is None or (self.law.held and node.what == "flow"):
            return None
        if self.law.held:
            return 0
        return -1 if node.what == "flow" and self.item.causality in ("motion", "prefers flow") else None

    def _across(self, k: int) -> int:
        node = self.nodes[k]
        assert node is not None
        return self.nodes.index(node.dual)

    # -- results -------------------------------------------------------------------------------------------------------

    def given_from_taken(self, k: int) -> list[Dependence]:
        """What a given effort or flow depends on outside the element."""
        return self._told(k, self._reach({k: 0}, stop=frozenset()), frozenset(self.given))

    def reading_from(self, port: str, k: int) -> list[Dependence]:
        """What a signal that the element computes depends on; its own given variables may be among it."""
        hit = self.graph.signal_at(self.path, port)
        assert hit is not None
        begin = dict.fromkeys(self.mentions(self.law.outputs[port])[k], 0)
        orders = self._reach(begin, stop=frozenset(self.given)) | {
            j: order for j, order in begin.items() if j in self.given
        }
        return self._told(Node(hit[0].name, k, "signal"), orders, frozenset())

    def readings(self) -> list[tuple[str, int]]:
        """The components of signals that the element computes for others."""
        read = [port for port in self.law.outputs if self.graph.signal_at(self.path, port) is not None]
        return [(port, k) for port in read for k in range(self.law.outputs[port].numel())]

    def _told(self, target: int | Node, orders: Orders, without: frozenset[int]) -> list[Dependence]:
        node = target if isinstance(target, Node) else self.nodes[target]
        assert node is not None
        found = [(self.nodes[j], order) for j, order in sorted(orders.items()) if j not in without]
        return [Dependence(source, node, order) for source, order in found if source is not None]

    def _reach(self, begin: Orders, stop: frozenset[int]) -> Orders:
        """Everything that variables follow from, with the highest order between -1 and 1 of all ways."""
        found, queue = dict(begin), list(begin)
        while queue:
            k = queue.pop()
            for j, step in ({} if k in stop and k in begin else self.orders.get(k, {})).items():
                order = max(-1, min(1, found[k] + step))
                if j not in found or order > found[j]:
                    found[j] = order
                    queue.append(j)
        return found


def _read(graph: Graph, path: str, item: Element) -> list[str]:
    ports = [p.name for p in item.ports() if isinstance(p, SignalPort)]
    return [port for port in ports if graph.signal_at(path, port) is not None]


def _sizes(path: str, bonds: tuple[Bond, ...]) -> dict[str, int]:
    """Sizes by port; "port" for all together, and a port that is split into lanes also has the size of the whole."""
    sizes: dict[str, int] = {"port": sum(b.size for b in bonds)}
    for bond in bonds:
        name = bond.end(path).port
        base, _, lane = name.rpartition("_")
        sizes[name] = bond.size
        if lane.isdigit() and base != "port":
            sizes[base] = sizes.get(base, 0) + bond.size
    return sizes


def _matched(relations: list[list[int]], wanted: list[int]) -> dict[int, list[int]]:
    """For each wanted variable a relation of its own (a maximum matching); what has none depends on all."""
    owner: dict[int, int] = {}

    def place(k: int, seen: set[int]) -> bool:
        for i, row in enumerate(relations):
            if k in row and i not in seen:
                seen.add(i)
                if i not in owner or place(owner[i], seen):
                    owner[i] = k
                    return True
        return False

    lost = [k for k in wanted if not place(k, set())]
    found = {k: relations[i] for i, k in owner.items()}
    return found | {k: sorted({j for row in relations for j in row} - {k}) for k in lost}
