"""The causal graph: every effort, flow, state and signal as a node, who gives it, and from what.

A node is w_i = s^-order · d_i(w): order 1 for a state (integrated), -1 for the rate of a dependent storage
(differentiated), 0 for all others. The slopes of d are the gains of the edges. What no assignment gives (the force of a
constraint, a bond that both ends drive) is its own sum with the relation that must vanish: w = w + relation.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property

import casadi as ca

from multibond.equations.assemble import write_cell
from multibond.equations.cellclass import Walk
from multibond.equations.cells import Cell
from multibond.equations.named import named_values
from multibond.expr import SX, column
from multibond.graph.graph import Bond, Graph
from multibond.graph.model import Model
from multibond.pipeline import with_found
from multibond.rewrite.floating import join_floating
from multibond.structure.causality import Causality, assign
from multibond.structure.givers import signal_givers
from multibond.structure.tree import Tree, span

INTEGRATED, PLAIN, DIFFERENTIATED = 1, 0, -1


@dataclass(frozen=True)
class Node:
    """A variable: its name, the element that gives it, and how often what gives it is integrated.

    implicit: the element does not give it; a relation that vanishes determines it (a bond driven from both ends).
    """

    name: str
    owner: str
    order: int = PLAIN
    implicit: bool = False


@dataclass(frozen=True)
class Signals:
    """The causal graph of a model.

    symbols: one for each node; definitions: what gives it, before it is integrated. named: every readable name.
    """

    graph: Graph
    tree: Tree
    causality: Causality
    nodes: tuple[Node, ...]
    symbols: SX
    definitions: SX
    time: SX
    named: dict[str, SX]

    @cached_property
    def gains(self) -> SX:
        """Slopes of all definitions: row = node that is given, column = node that it is given from."""
        return ca.jacobian(self.definitions, self.symbols)

    @cached_property
    def edges(self) -> tuple[tuple[int, int], ...]:
        """All edges as (from, to)."""
        rows, columns = self.gains.sparsity().get_triplet()
        return tuple(sorted(zip(columns, rows, strict=True)))

    @cached_property
    def place(self) -> dict[int, int]:
        """Number of a node by its symbol."""
        return {symbol.element_hash(): k for k, symbol in enumerate(ca.vertsplit(self.symbols))}

    @cached_property
    def states(self) -> tuple[int, ...]:
        """Nodes that are integrated."""
        return tuple(k for k, node in enumerate(self.nodes) if node.order == INTEGRATED)

    def given_by(self, path: str) -> tuple[int, ...]:
        """The nodes that an element gives."""
        return tuple(k for k, node in enumerate(self.nodes) if node.owner == path and not node.implicit)

    def driven(self, nodes: Iterable[int]) -> Signals:
        """The same graph with some nodes given from outside, whatever gave them before."""
        rows = ca.vertsplit(self.definitions)
        for k in nodes:
            rows[k] = SX(0)
        return replace(self, definitions=ca.densify(column(rows)))

    def nonlinear(self) -> tuple[str, ...]:
        """Elements whose gains are no constants."""
        gains, moving = self.gains, column([self.symbols, self.time])
        rows = {r for r, _ in zip(*gains.sparsity().get_triplet(), strict=True)}
        found = {self.nodes[r].owner for r in rows if ca.depends_on(gains[r, :], moving)}
        return tuple(sorted(found))


def signals_of(model: Model | Graph) -> Signals:
    """The causal graph of a model."""
    graph = join_floating(with_found(model)[0])
    tree = span(graph)
    return causal_signals(graph, tree, assign(graph, tree))


def causal_signals(graph: Graph, tree: Tree, causality: Causality) -> Signals:
    """Let every element write what it gives, in one go for the whole graph."""
    givers = signal_givers(graph, tree)
    cell = Cell("", tuple(sorted(graph.elements)), graph.bonds, graph.signals, (), tuple(sorted(graph.parameters)), ())
    walk = write_cell(graph, tree, causality, givers, cell)
    nodes, symbols, definitions = _rows(walk)
    return Signals(
        graph, tree, causality, tuple(nodes), column(symbols), ca.densify(column(definitions)), walk.time,
        named_values(walk),
    )  # fmt: skip


def _rows(walk: Walk) -> tuple[list[Node], list[SX], list[SX]]:
    rows = [*_assigned(walk), *_integrated(walk), *_differentiated(walk), *_implicit(walk)]
    return [r[0] for r in rows], [r[1] for r in rows], [r[2] for r in rows]


Row = tuple[Node, SX, SX]


def _assigned(walk: Walk) -> list[Row]:
    """Efforts, flows and signals, each with the element that gives it."""
    owners = _owners(walk)
    symbols = ca.vertsplit(column(walk.sheet.variables)) if walk.sheet.variables else []
    definitions = ca.vertsplit(column(walk.sheet.definitions)) if walk.sheet.definitions else []
    return [
        (Node(*owners[symbol.element_hash()]), symbol, value)
        for symbol, value in zip(symbols, definitions, strict=True)
    ]


def _owners(walk: Walk) -> dict[int, tuple[str, str]]:
    """By symbol: a name to be read, and the element that gives it."""
    found: dict[int, tuple[str, str]] = {}
    for bond in walk.cell.bonds:
        name = bond_name(walk.graph, bond)
        for end in (bond.tail.element, bond.head.element):
            e, f = walk.sheet.e(bond, end), walk.sheet.f(bond, end)
            for k in range(bond.size):
                given, letter = (f[k], "f") if walk.sheet.gives_flow(bond, end, k) else (e[k], "e")
                found[given.element_hash()] = (_entry(f"{name}.{letter}", k, bond.size), end)
    for name, reader in walk.givers.items():
        parts = ca.vertsplit(walk.sheet.signal[name]) if name in walk.sheet.signal else []
        for k, part in enumerate(parts):
            found[part.element_hash()] = (_entry(f"{reader.element}.{reader.port}", k, len(parts)), reader.element)
    return found


def bond_name(graph: Graph, bond: Bond) -> str:
    """A bond by the element at its end, or by the two junctions it joins."""
    for end in (bond.tail, bond.head):
        if graph.elements[end.element].causality not in ("one", "zero"):
            return end.element if end.port == "port" else f"{end.element}.{end.port}"
    return f"{bond.tail.element}->{bond.head.element}"


def _entry(name: str, k: int, size: int) -> str:
    return f"{name}[{k}]" if size > 1 else name


def _integrated(walk: Walk) -> list[Row]:
    """States: what is integrated is their rate."""
    rows: list[Row] = []
    for k, (slot, symbol) in enumerate(walk.states):
        lanes = slot.lanes or range(slot.size)
        for i, lane in enumerate(lanes):
            name = _entry(f"{slot.element}.{slot.name}", lane, slot.size + (len(slot.lanes) > 0))
            rows.append((Node(name, slot.element, INTEGRATED), symbol[i], walk.rates[k][i]))
    for slot, relation in walk.balances:
        rate = next(walk.rates[k] for k, (s, _) in enumerate(walk.states) if (s.element, s.name) == (slot.element, "u"))
        rows += _kept(slot.element, "u'", rate, relation)
    return rows


def _differentiated(walk: Walk) -> list[Row]:
    """What dependent storages hold, and its rate; other derivatives that a law asks for."""
    rows: list[Row] = []
    for d in walk.dependent:
        name, held = f"{d.element}.{d.state}[{d.component}]", SX.sym("held")
        rows += [(Node(name, d.element), held, d.value), (Node(f"{name}'", d.element, DIFFERENTIATED), d.rate, held)]
    for value, symbol in walk.derivatives:
        for k in range(symbol.numel()):
            held = SX.sym("held")
            rows += [(Node("derivative", ""), held, value[k]), (Node("rate", "", DIFFERENTIATED), symbol[k], held)]
    return rows


def _implicit(walk: Walk) -> list[Row]:
    """Unknowns with relations that vanish: forces of constraints, laws that are not solved, bonds driven twice."""
    rows: list[Row] = []
    for slot, force, flow, _ in walk.multipliers:
        rows += _kept(slot.element, "e", force, flow)
    for law in walk.sheet.implicit:
        rows += _kept(law.path, law.name, law.unknown, law.relation)
    return rows


def _kept(path: str, name: str, unknown: SX, relation: SX) -> list[Row]:
    size = unknown.numel()
    nodes = [Node(_entry(f"{path}.{name}", k, size), path, implicit=True) for k in range(size)]
    return [(node, unknown[k], unknown[k] + relation[k]) for k, node in enumerate(nodes)]
