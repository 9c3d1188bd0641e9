"""Effort and flow of every bond over a run: as elements name them, else as junctions balance.

An element names the effort and flow at each of its ports, a 1-junction its flow, a 0-junction its effort. What is left
are efforts between two 1-junctions and flows between two 0-junctions, and these follow from the balance of both.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from multibond.graph.graph import Bond, End, Graph
from multibond.lower.system import System
from multibond.solve.solution import Solution
from multibond.view.balance import along

Read = Callable[[list[str]], dict[str, np.ndarray]]
"""Values of variables by name, each with one row a time."""
BLIND = {"e": "one", "f": "zero"}
"""The junction that does not know an effort or flow of its own."""


@dataclass(frozen=True)
class Carried:
    """What a bond carries: effort and flow, one row a time, one column a component."""

    effort: np.ndarray
    flow: np.ndarray

    @property
    def power(self) -> np.ndarray:
        """Power along the half-arrow, all components together  [W]."""
        return (self.effort * self.flow).sum(axis=1)

    def component(self, k: int) -> Carried:
        """One component alone."""
        return Carried(self.effort[:, [k]], self.flow[:, [k]])


def reader(solution: Solution, times: np.ndarray) -> Read:
    """Variables of a run at some times."""

    def read(names: list[str]) -> dict[str, np.ndarray]:
        return _apart(names, [solution.size_of(name) for name in names], solution.values(names, times))

    return read


def origin_reader(solution: Solution, origin: System, times: np.ndarray) -> Read:
    """Variables of the machine as drawn, at the states of a run in minimal coordinates."""

    def read(names: list[str]) -> dict[str, np.ndarray]:
        sizes = [origin.observer.expression(name).numel() for name in names]
        return _apart(names, sizes, solution.as_drawn(names, times))

    return read


def _apart(names: list[str], sizes: list[int], table: np.ndarray) -> dict[str, np.ndarray]:
    columns = np.split(table, np.cumsum(sizes)[:-1], axis=1) if names else []
    return dict(zip(names, columns, strict=True))


def bond_values(graph: Graph, read: Read) -> dict[str, Carried]:
    """Effort and flow of every bond of the graph that was simulated, by the bond's name."""
    names = {(b.name, word): name for b in graph.bonds for word in "ef" if (name := _name(graph, b, word))}
    values = read(sorted(set(names.values())))
    sides = []
    for word in "ef":
        told = {b.name: values[names[b.name, word]] for b in graph.bonds if (b.name, word) in names}
        sides.append(with_balance(graph, told, BLIND[word]))
    return {b.name: Carried(sides[0][b.name], sides[1][b.name]) for b in graph.bonds}


def _name(graph: Graph, bond: Bond, word: str) -> str:
    """The variable that tells a bond's effort or flow; empty where both ends are junctions that do not know it."""
    ends = sorted((bond.tail, bond.head), key=lambda end: end.port == "any")  # elements know both
    knowing = [end for end in ends if graph.elements[end.element].causality != BLIND[word]]
    return f"{_owner(knowing[0])}.{word}" if knowing else ""


def _owner(end: End) -> str:
    return end.element if end.port in ("port", "any") else str(end)


def with_balance(graph: Graph, told: Mapping[str, np.ndarray], kind: str) -> dict[str, np.ndarray]:
    """All efforts (kind "one") or flows ("zero"): those told, and those that balance at the junctions of this kind."""
    groups: dict[int, list[Bond]] = {}
    for bond in graph.bonds:
        if bond.name not in told:
            groups.setdefault(bond.size, []).append(bond)
    found = dict(told)
    for bonds in groups.values():
        ends = {end.element for b in bonds for end in (b.tail, b.head)}
        given = {path: _into(graph, path, told) for path in ends}
        runs = along([(b.tail.element, b.head.element) for b in bonds], given)
        found |= {b.name: value for b, value in zip(bonds, runs, strict=True)}
    return found


def _into(graph: Graph, path: str, told: Mapping[str, np.ndarray]) -> np.ndarray:
    """What the bonds that are told bring into a junction, less what they take out."""
    bonds = graph.bonds_of(path)
    shape = (next(iter(told.values())).shape[0], bonds[0].size)
    return sum((told[b.name] * (1.0 if b.into(path) else -1.0) for b in bonds if b.name in told), np.zeros(shape))
