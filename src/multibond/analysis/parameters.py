"""The independent numbers of a graph: every entry of every parameter, with symmetric fields counted once."""

from __future__ import annotations

from dataclasses import dataclass

import casadi as ca
import numpy as np

from multibond.expr import SX, nonzeros
from multibond.graph.graph import Graph
from multibond.view.laws import parameter_names


@dataclass(frozen=True)
class Entry:
    """One number: its symbol, its value, and its name, which the two halves of a symmetric field share."""

    symbol: SX
    name: str
    value: float


def entries(graph: Graph) -> list[Entry]:
    """All numbers in the order of their paths."""
    found: list[Entry] = []
    for path in sorted(graph.parameters):
        symbols, number = graph.parameters[path]
        names = parameter_names(symbols, path)
        places = list(zip(*symbols.sparsity().get_triplet(), strict=True))
        if _tied(graph, path, number):
            first = dict(zip(places, names, strict=True))
            names = [first[min(r, c), max(r, c)] for r, c in places]
        parts = ca.vertsplit(nonzeros(symbols)) if places else []
        found += [Entry(*e) for e in zip(parts, names, (float(number[p]) for p in places), strict=True)]
    return found


def _tied(graph: Graph, path: str, number: np.ndarray) -> bool:
    """Whether a parameter is symmetric by its nature, as those of storages and resistances are."""
    owner, _, name = path.rpartition(".")
    item = graph.elements.get(owner)
    square = number.shape[0] == number.shape[1] > 1 and np.array_equal(number != 0, (number != 0).T)
    return square and item is not None and name in item.parameters() and item.parameters()[name].sign == "not negative"
