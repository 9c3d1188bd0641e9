"""Signals as expressions: what the blocks and joints of a graph compute, in terms of coordinates and what is measured.

A symbol stands for whatever is no function of other signals: the coordinates of joints, states of blocks, and what
sensors read.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import casadi as ca
import numpy as np

from multibond.elements.law import LawWriter
from multibond.expr import SX, column, nonzeros
from multibond.graph.graph import Graph, Reader
from multibond.graph.port import SignalPort
from multibond.graph.start import start_vector
from multibond.rewrite.edit import number_of
from multibond.structure.givers import signal_givers
from multibond.structure.tree import Tree, span


@dataclass
class Signals:
    """Looks up signals of a graph; `symbols` are those that have been needed so far, by their names.

    held: signals that have another value than their element gives.
    """

    graph: Graph
    tree: Tree
    givers: dict[str, Reader]
    symbols: dict[str, SX] = field(default_factory=dict)
    known: dict[str, SX] = field(default_factory=dict)
    time: SX = field(default_factory=lambda: SX.sym("t"))
    held: dict[str, SX] = field(default_factory=dict)

    def __call__(self, name: str) -> SX:
        """The value of a signal; the signals that it is computed from come first, without recursion in Python."""
        waiting = [name]
        while waiting:
            now = waiting[-1]
            needed = [s for s in self._inputs(now) if s not in self.known]
            if not needed:
                self._write(self.givers[waiting.pop()].element)
            elif len(waiting) > len(self.graph.signals) + 1:
                self.known[now] = self.symbol(now, self._size(now))
            else:
                waiting += needed
        return self.known[name]

    def symbol(self, name: str, size: int) -> SX:
        """The symbol of this name."""
        return self.symbols.setdefault(name, SX.sym(name, size))

    def _size(self, name: str) -> int:
        return next(s.size for s in self.graph.signals if s.name == name)

    def _inputs(self, name: str) -> list[str]:
        giver = self.givers[name].element
        read = [self.graph.signal_at(giver, port) for port in _inlets(self.graph, giver)]
        return [hit[0].name for hit in read if hit is not None and self.givers[hit[0].name].element != giver]

    def _write(self, path: str) -> None:
        """Let an element state its law on symbols, and keep what it gives."""
        item, bonds = self.graph.elements[path], self.graph.bonds_of(path)
        size = {b.end(path).port: b.size for b in bonds}
        signals = {port: value for port in _inlets(self.graph, path) if (value := self._read(path, port)) is not None}
        sizes = {"port": sum(size.values()), **size}
        states = {name: self.symbol(f"{path}.{name}", n) for name, n in item.states(sizes).items()}
        law = LawWriter(
            {port: self.symbol(f"{path}.{port}.e", n) for port, n in size.items()},
            {port: self.symbol(f"{path}.{port}.f", n) for port, n in size.items()},
            signals, states, dict.fromkeys(size, True), time=self.time, role=self.tree.role.get(path, ""),
        )  # fmt: skip
        item.law(law)
        for port, value in law.outputs.items():
            hit = self.graph.signal_at(path, port)
            if hit is not None:
                self.known[hit[0].name] = self.held.get(hit[0].name, ca.vec(value))

    def _read(self, path: str, port: str) -> SX | None:
        hit = self.graph.signal_at(path, port)
        if hit is None or hit[0].name not in self.known:
            return None
        value = self.known[hit[0].name]
        return value if hit[1].select is None else value[list(hit[1].select)]


def signals_of(graph: Graph) -> Signals:
    """The signals of a graph."""
    tree = span(graph)
    return Signals(graph, tree, signal_givers(graph, tree))


def _inlets(graph: Graph, path: str) -> list[str]:
    return [p.name for p in graph.elements[path].ports() if isinstance(p, SignalPort) and p.direction != "out"]


def starts_of(graph: Graph, signals: Signals) -> dict[str, np.ndarray]:
    """The start of everything that has been needed so far, by the names of its symbols; zero where none is given."""
    found: dict[str, np.ndarray] = {}
    for name, symbol in signals.symbols.items():
        path, _, state = name.rpartition(".")
        given = graph.starts.get(path, {})
        value = given.get(state, given.get("state"))
        number = np.zeros(1) if value is None else start_vector(value).values.ravel()
        found[name] = np.broadcast_to(number, (symbol.numel(),)).copy()
    return found


def value_at_start(graph: Graph, signals: Signals, name: str) -> np.ndarray:
    """A signal at the start."""
    value = signals(name)
    known = starts_of(graph, signals)
    symbols = column([signals.symbols[key] for key in known])
    numbers = np.concatenate([np.zeros(0), *known.values()])
    return number_of(graph, ca.substitute(value, symbols, SX(numbers)) if known else value).ravel()


def values_of(graph: Graph, name: str, count: int, seed: int = 11) -> np.ndarray | None:
    """A signal at random values of all that it depends on, one row each; None where some are no numbers."""
    value = signals_of(graph)(name)
    free = [s for s in ca.symvar(value) if s.name() not in _parameters(graph)]
    rng = np.random.default_rng(seed)
    rows = []
    for _ in range(count):
        at = ca.substitute(value, column(free), SX(rng.standard_normal(len(free)))) if free else value
        rows.append(number_of(graph, at).ravel())
    found = np.array(rows)
    return found if np.isfinite(found).all() else None


def _parameters(graph: Graph) -> set[str]:
    return {s.name() for symbols, _ in graph.parameters.values() for s in ca.vertsplit(nonzeros(SX(symbols)))}
