"""A matrix coupler whose components go both ways, as scalar bonds: the modulus is first solved for what is given.

With D the block of B that is inverted, f_b = B f_a becomes one matrix from the flows that come in to those that go out,
whatever port they are at; efforts follow by the power balance. A gyrator becomes transformers between components of one
port and gyrators between the two ports. 0-junctions stand where the flow goes out, 1-junctions where it comes in, so
that the strokes stay where they were.
"""

from __future__ import annotations

from collections.abc import Iterator

import casadi as ca

from multibond.elements.couplers import GY, TF, modulus_matrix
from multibond.expr import SX
from multibond.graph.graph import Bond, Graph
from multibond.structure.causality import Causality
from multibond.structure.pivots import Lane, base_of, numeric, pivots_of

LARGE = 5
"""Blocks up to this size are inverted by minors, which divide by the determinant alone."""

ZERO = 1e-14
"""Entries below this part of the largest are rounding."""

Entry = tuple[str, Lane, Lane, SX]
""" "TF" to a lane with flow out from one with flow in, or "GY" between lanes of both ports; these, and its modulus."""


def inverted(graph: Graph, strokes: Causality, path: str) -> tuple[list[int], list[int]]:
    """Rows and columns of the block of a modulus that has to be inverted; empty where flow passes as it was drawn."""
    pivots = pivots_of(graph, path)
    return ([], []) if pivots is None else pivots.block(base_of(graph, path, pivots, strokes.gives_flow))


def entries(graph: Graph, path: str, item: TF | GY, block: tuple[list[int], list[int]]) -> Iterator[Entry]:
    """The scalar couplers between the lanes of a coupler; those whose modulus is zero are left out."""
    at: dict[str, Bond] = {b.end(path).port: b for b in graph.bonds_of(path)}
    parts = _solved(modulus_matrix(item, at["a"].size), *block)
    found = list(_transformers(parts, block) if isinstance(item, TF) else _gyrators(parts, block))
    sizes = [abs(numeric(graph, value).item()) for *_, value in found]
    largest = {kind: max(n for (k, *_), n in zip(found, sizes, strict=True) if k == kind) for kind, *_ in found}
    for (kind, one, other, value), size in zip(found, sizes, strict=True):
        if size > ZERO * largest[kind]:
            yield kind.removeprefix("turned "), one, other, 1 / value if kind.startswith("turned") else value


Parts = tuple[SX, SX, SX, SX, list[int], list[int]]


def _solved(B: SX, rows: list[int], columns: list[int]) -> Parts:
    """D⁻¹, D⁻¹ B[R, C'], B[R', C] D⁻¹ and the complement of D, and the rows and columns that stay."""
    other_rows = [k for k in range(B.shape[0]) if k not in rows]
    other_columns = [k for k in range(B.shape[1]) if k not in columns]
    D = B[rows, columns]
    inverse = ca.inv_minor(D) if len(rows) <= LARGE else ca.inv(D)
    right, left = inverse @ B[rows, other_columns], B[other_rows, columns] @ inverse
    rest = B[other_rows, other_columns] - B[other_rows, columns] @ right
    return inverse, right, left, rest, other_rows, other_columns


def _transformers(parts: Parts, block: tuple[list[int], list[int]]) -> Iterator[Entry]:
    """f_a[C] = D⁻¹ f_b[R] - D⁻¹ B[R, C'] f_a[C'] and f_b[R'] = B[R', C] D⁻¹ f_b[R] + rest f_a[C']."""
    inverse, right, left, rest, other_rows, other_columns = parts
    rows, columns = block
    yield from _table("TF", inverse, "a", columns, "b", rows)
    yield from _table("TF", right, "a", columns, "a", other_columns)
    yield from _table("TF", -left, "b", other_rows, "b", rows)
    yield from _table("TF", rest, "b", other_rows, "a", other_columns)


def _gyrators(parts: Parts, block: tuple[list[int], list[int]]) -> Iterator[Entry]:
    """f_b[C] = D⁻¹ e_a[R] - D⁻¹ G[R, C'] f_b[C'], e_a[R'] = rest f_b[C'] + G[R', C] D⁻¹ e_a[R], and their duals."""
    inverse, right, left, rest, other_rows, other_columns = parts
    rows, columns = block
    yield from _table("turned GY", inverse, "b", columns, "a", rows)
    yield from _table("TF", right, "b", columns, "b", other_columns)
    yield from _table("TF", left.T, "a", rows, "a", other_rows)
    yield from _table("GY", rest, "a", other_rows, "b", other_columns)


def _table(kind: str, table: SX, out: str, rows: list[int], into: str, columns: list[int]) -> Iterator[Entry]:
    """The entries of a matrix: from a lane of its columns to one of its rows."""
    for i, row in enumerate(rows):
        for j, column in enumerate(columns):
            yield kind, (out, row), (into, column), SX(table[i, j])
