"""Flows as matrices: every flow of a graph is T q̇, a matrix times the flows that elements give.

The walk follows causality from the givers outwards, as if each were a controlled flow source (Felez; Borutzky): a
1-junction passes T on, a 0-junction adds, a transformer multiplies. Where moduli are signals, blocks of the graph under
change compute T, so that it is known at every instant.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from multibond.elements import MTF, TF, Constraint, Sf
from multibond.elements.blocks import Sum
from multibond.errors import Finding, StructureError
from multibond.expr import SX, constant
from multibond.graph.component import Element
from multibond.graph.graph import Bond, Graph
from multibond.graph.junctions import One, Wires, Zero
from multibond.graph.port import PowerPort
from multibond.rewrite.edit import Edit, is_zero
from multibond.rewrite.moduli import Modulus, as_signal, inverse, modulus_of, product, two_way
from multibond.structure.causality import Causality

STRUCTURE = (One, Zero, TF, MTF, Wires)
Term = tuple[SX, Modulus]


@dataclass
class Flows:
    """T of every bond, found when asked for.

    bases: where the components of each giver begin in q̇, by (element, port); a giver of zeros has none.
    """

    graph: Graph
    strokes: Causality
    edit: Edit
    bases: dict[tuple[str, str], int]
    size: int
    known: dict[str, Modulus] = field(default_factory=dict)

    def __call__(self, bond: Bond) -> Modulus:
        """T of a bond, of as many rows as it has components; what it follows from comes first."""
        waiting = [bond]
        while waiting:
            now = waiting[-1]
            needed = [b for b in self._from(now) if b.name not in self.known]
            if not needed:
                self.known[now.name] = self._value(waiting.pop())
            elif any(b in waiting for b in needed):
                raise StructureError(_cycle(now, [b.name for b in waiting]))
            else:
                waiting.append(needed[0])
        return self.known[bond.name]

    def giver(self, bond: Bond) -> str:
        """The element that gives the flow of a bond, in all its components."""
        ends = {self.strokes.gives_flow(bond, bond.tail.element, k) for k in range(bond.size)}
        if len(ends) > 1 or any((bond.name, k) in self.strokes.doubled for k in range(bond.size)):
            raise StructureError(_mixed(bond))
        return bond.tail.element if True in ends else bond.head.element

    def _from(self, bond: Bond) -> list[Bond]:
        """The bonds from whose flows this one follows."""
        path = self.giver(bond)
        item, others = self.graph.elements[path], [b for b in self.graph.bonds_of(path) if b.name != bond.name]
        if isinstance(item, One):
            return [b for b in others if self.giver(b) != path]
        return others if isinstance(item, Zero | TF | MTF) else self._wired(path, item, bond)

    def _wired(self, path: str, item: Element, bond: Bond) -> list[Bond]:
        return [b for b in self.graph.bonds_of(path) if self.giver(b) != path] if isinstance(item, Wires) else []

    def _value(self, bond: Bond) -> Modulus:
        path = self.giver(bond)
        item = self.graph.elements[path]
        if isinstance(item, One):
            return self.known[self._from(bond)[0].name]
        if isinstance(item, Zero):
            out = -1.0 if bond.into(path) else 1.0
            unit = SX.eye(bond.size)
            terms = [(unit * (out if b.into(path) else -out), self.known[b.name]) for b in self._from(bond)]
            return self.combined(terms, bond.size, path)
        if isinstance(item, TF | MTF):
            return self._transformed(path, bond)
        if isinstance(item, Wires):
            return self._led(path, item, bond)
        return self._given(path, bond)

    def _given(self, path: str, bond: Bond) -> Modulus:
        """A giver's own flow, counted into it where there are several; what it holds at zero moves nothing."""
        start = self.bases.get((path, bond.end(path).port))
        table = np.zeros((bond.size, self.size))
        if start is not None:
            straight = bond.into(path) or len(self.bases) == 1
            table[:, start : start + bond.size] = np.eye(bond.size) * (1 if straight else -1)
        return Modulus(bond.size, self.size, constant(table))

    def _transformed(self, path: str, bond: Bond) -> Modulus:
        (other,) = self._from(bond)
        B, forward = modulus_of(self.graph, path), bond.end(path).port == "b"
        factor = B if forward else inverse(self.edit, B, two_way(self.graph.elements[path]), path)
        sign = self._sign(path, bond) * self._sign(path, other)
        made = self._product(factor, self.known[other.name], path)
        return made if sign > 0 else self.combined([(-SX.eye(bond.size), made)], bond.size, path)

    def _product(self, factor: Modulus, T: Modulus, path: str) -> Modulus:
        if T.value is not None and not T.value.nnz():
            return Modulus(factor.rows, self.size, SX(factor.rows, self.size))
        return product(self.edit, factor, T, f"{path}_T")

    def _led(self, path: str, item: Wires, bond: Bond) -> Modulus:
        """Wires: each component comes from another lane."""
        at = {b.end(path).port: b for b in self.graph.bonds_of(path)}
        terms: dict[str, np.ndarray] = {}
        for pair in item.wires({name: b.size for name, b in at.items()}):
            for (x, i), (y, j) in (pair, pair[::-1]):
                if at[x].name == bond.name:
                    rows = terms.setdefault(y, np.zeros((bond.size, at[y].size)))
                    rows[i, j] = self._sign(path, at[x]) * self._sign(path, at[y])
        return self.combined([(constant(E), self.known[at[y].name]) for y, E in terms.items()], bond.size, path)

    def _sign(self, path: str, bond: Bond) -> int:
        """+1 where the half-arrow agrees with the port's own direction."""
        ports = [p for p in self.graph.elements[path].ports() if isinstance(p, PowerPort)]
        return 1 if bond.into(path) == next(p for p in ports if p.name == bond.end(path).port).inward else -1

    def combined(self, terms: list[Term], rows: int, path: str, columns: int | None = None) -> Modulus:
        """Σ E T over constant matrices E: constants are added at once, signals by a block."""
        columns = self.size if columns is None else columns
        fixed = SX(rows, columns)
        signals: list[tuple[str, Modulus]] = []
        for E, T in terms:
            if T.value is not None:
                fixed += E @ T.value
            elif (E - SX.eye(rows)).is_zero() if E.shape == (rows, rows) else False:
                signals.append(("+", T))
            elif (E + SX.eye(rows)).is_zero() if E.shape == (rows, rows) else False:
                signals.append(("-", T))
            else:
                signals.append(("+", product(self.edit, Modulus(*E.shape, E), T, f"{path}_T")))
        if not signals:
            return Modulus(rows, columns, fixed)
        if not fixed.is_zero():
            signals.append(("+", as_signal(self.edit, Modulus(rows, columns, fixed), f"{path}_T_fixed")))
        return signals[0][1] if [s for s, _ in signals] == ["+"] else self._sum(signals, rows, columns, path)

    def _sum(self, signals: list[tuple[str, Modulus]], rows: int, columns: int, path: str) -> Modulus:
        name = self.edit.free(f"{path}_T_sum")
        entries = rows * columns
        self.edit.add(name, Sum(name.rsplit(".", 1)[-1], "".join(sign for sign, _ in signals), size=entries))
        for k, (_, T) in enumerate(signals):
            self.edit.read(T.signal, name, f"u_{k + 1}", T.select)
        return Modulus(rows, columns, None, self.edit.give(name, "y", entries))


def givers(graph: Graph, strokes: Causality) -> dict[tuple[str, str], int]:
    """Where the flow of each giver begins in q̇, in order of paths and ports; givers of zeros are left out."""
    table: dict[tuple[str, str], int] = {}
    total = 0
    for path, item in sorted(graph.elements.items()):
        bonds = [] if isinstance(item, STRUCTURE) else sorted(graph.bonds_of(path), key=lambda b: b.end(path).port)
        for bond in bonds:
            if strokes.gives_flow(bond, path) and not _still(graph, item):
                table[path, bond.end(path).port] = total
                total += bond.size
    return table


def _still(graph: Graph, item: Element) -> bool:
    """Whether a giver of flow gives none: it holds it at zero."""
    return isinstance(item, Constraint) or (isinstance(item, Sf) and is_zero(graph, item.flow))


def _mixed(bond: Bond) -> Finding:
    return Finding(
        f"the bond {bond.name!r} has no one direction of flow.",
        "Some of its components are given from one end, some from the other.",
        "Unfold the graph first: model.open(depth=3).",
        (bond.tail.element, bond.head.element),
    )


def _cycle(bond: Bond, names: list[str]) -> Finding:
    return Finding(
        f"the flow of bond {bond.name!r} follows from itself.",
        f"A causal cycle runs through {', '.join(names[-4:])}.",
        "Invert a transformer on the way, or open the cycle with a break variable.",
        (bond.tail.element, bond.head.element),
    )
