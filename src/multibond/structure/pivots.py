"""Which components of a constant matrix coupler may give what: the bases of its modulus.

A transformer f_b = B f_a has as many conditions on flows as B has rows. Any choice of given flows will do for which the
block of B between the rows whose flow is taken and the columns whose flow is given is square and regular; its transpose
then gives the efforts. A gyrator e_a = G f_b is the same with efforts in the place of flows at its rows. So what a
coupler gives is a base of the matroid of the columns of [1, B], and what follows from some strokes is what all bases
with these strokes have in common (Oxley 2011, sections 1.2 and 3.1).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

import casadi as ca
import numpy as np

from multibond.elements.couplers import GY, TF, Coupler, modulus_matrix
from multibond.expr import SX
from multibond.graph.graph import Bond, Graph

ZERO = 1e-9
"""Singular values below this are rounding, of a modulus scaled to one."""
SWEEPS = 4
"""Scalings of rows and columns in turn, before entries of different units are compared."""

Lane = tuple[str, int]
"""Port and component."""
GivesFlow = Callable[[Bond, str, int], bool]
"""Whether an element gives the flow on a component of a bond."""


class Pivots:
    """The bases of a modulus. Lanes of its rows count where the coupler gives `row_gives`, of its columns the flow.

    rows, columns: the ports; row_gives: "flow" for a transformer (rows are at b), "effort" for a gyrator (at a).
    """

    def __init__(self, modulus: np.ndarray, rows: str, columns: str, row_gives: str) -> None:
        self.modulus, self.rows, self.columns, self.row_gives = _balanced(modulus), rows, columns, row_gives
        self.lanes: tuple[Lane, ...] = tuple(
            (port, k) for port, size in zip((rows, columns), modulus.shape, strict=True) for k in range(size)
        )
        self._ranks: dict[tuple[tuple[int, ...], tuple[int, ...]], int] = {}

    def inside(self, lane: Lane, gives_flow: bool) -> bool:
        """Whether a lane belongs to the base when the coupler gives its flow (or its effort)."""
        return gives_flow == (lane[0] == self.columns or self.row_gives == "flow")

    def gives_flow(self, lane: Lane, inside: bool) -> bool:
        """Whether the coupler gives the flow of a lane that is inside the base (or outside)."""
        return inside == (lane[0] == self.columns or self.row_gives == "flow")

    def independent(self, lanes: Iterable[Lane]) -> bool:
        """Whether some base has all these lanes."""
        own = set(lanes)
        rows = tuple(k for port, k in self.lanes if port == self.rows and (port, k) not in own)
        columns = tuple(k for port, k in self.lanes if port == self.columns and (port, k) in own)
        return self._rank(rows, columns) == len(columns)

    def spanned_without(self, lanes: Iterable[Lane]) -> bool:
        """Whether some base has none of these lanes."""
        out = set(lanes)
        rows = tuple(k for port, k in self.lanes if port == self.rows and (port, k) in out)
        columns = tuple(k for port, k in self.lanes if port == self.columns and (port, k) not in out)
        return self._rank(rows, columns) == len(rows)

    def is_base(self, lanes: Iterable[Lane]) -> bool:
        """Whether these lanes are a base: the block to be inverted is square and regular."""
        own = set(lanes)
        return self.independent(own) and self.spanned_without(set(self.lanes) - own)

    def block(self, lanes: Iterable[Lane]) -> tuple[list[int], list[int]]:
        """Rows and columns of the block that is inverted when these lanes are the base."""
        own = set(lanes)
        rows = [k for port, k in self.lanes if port == self.rows and (port, k) not in own]
        return rows, [k for port, k in self.lanes if port == self.columns and (port, k) in own]

    def _rank(self, rows: tuple[int, ...], columns: tuple[int, ...]) -> int:
        if (rows, columns) not in self._ranks:
            block = self.modulus[np.ix_(rows, columns)]
            sizes = np.linalg.svd(block, compute_uv=False) if block.size else np.zeros(0)
            self._ranks[rows, columns] = int((sizes > ZERO).sum())
        return self._ranks[rows, columns]


def _balanced(modulus: np.ndarray) -> np.ndarray:
    """Rows and columns scaled to about one: no minor becomes zero by that, or ceases to be."""
    scaled = np.array(modulus, float)
    for _ in range(SWEEPS):
        for axis in (1, 0):
            size = np.abs(scaled).max(axis=axis, keepdims=True, initial=0.0)
            scaled = scaled / np.where(size > 0, size, 1.0)
    return scaled


def pivots_of(graph: Graph, path: str, numbers: dict[str, float] | None = None) -> Pivots | None:
    """The bases of a coupler whose causality is decided component by component; None for all others.

    numbers: the parameters' values by the names of their symbols; the graph's own where left out.
    """
    item = graph.elements[path]
    if not isinstance(item, TF | GY) or not item.by_component():
        return None
    at = {b.end(path).port: b for b in graph.bonds_of(path)}
    if len(at) < 2:
        return None
    value = numeric(graph, modulus_matrix(item, at["a"].size), numbers)
    return Pivots(value, "b", "a", "flow") if isinstance(item, TF) else Pivots(value, "a", "b", "effort")


def numeric(graph: Graph, value: SX, numbers: dict[str, float] | None = None) -> np.ndarray:
    """The numbers of an expression of parameters."""
    symbols = ca.symvar(value)
    known = (numbers or parameter_numbers(graph)) if symbols else {}
    function = ca.Function("modulus", [ca.vertcat(*symbols)], [ca.densify(value)])
    return np.asarray(function([known[s.name()] for s in symbols]), float)


def parameter_numbers(graph: Graph) -> dict[str, float]:
    """All parameters' values by the names of their symbols."""
    found: dict[str, float] = {}
    for symbols, value in graph.parameters.values():
        places = zip(*symbols.sparsity().get_triplet(), strict=True)
        found |= {s.name(): float(value[at]) for s, at in zip(ca.symvar(symbols), places, strict=True)}
    return found


def has_pivots(graph: Graph) -> bool:
    """Whether some coupler is decided component by component."""
    return any(isinstance(item, Coupler) and item.by_component() for item in graph.elements.values())


def all_pivots(graph: Graph, numbers: dict[str, float] | None = None) -> dict[str, Pivots]:
    """The bases of every coupler that is decided component by component; numbers as in `pivots_of`."""
    if not has_pivots(graph):
        return {}
    known = numbers or parameter_numbers(graph)
    found = {path: pivots_of(graph, path, known) for path, _ in graph.of_type(Coupler)}
    return {path: pivots for path, pivots in found.items() if pivots is not None}


def base_of(graph: Graph, path: str, pivots: Pivots, gives_flow: GivesFlow) -> list[Lane]:
    """The lanes of the base, from what the coupler gives."""
    at = {b.end(path).port: b for b in graph.bonds_of(path)}
    return [lane for lane in pivots.lanes if pivots.inside(lane, gives_flow(at[lane[0]], path, lane[1]))]


def singular_couplers(graph: Graph, gives_flow: GivesFlow, numbers: dict[str, float]) -> list[str]:
    """Couplers that these numbers of the parameters do not let give what they have to."""
    found = all_pivots(graph, numbers).items()
    return [path for path, pivots in found if not pivots.is_base(base_of(graph, path, pivots, gives_flow))]
