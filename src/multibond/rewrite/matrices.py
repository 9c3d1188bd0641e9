"""Matrices of a graph as values: an expression of positions and parameters, its number at the start, its LaTeX."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import casadi as ca
import numpy as np

from multibond.expr import SX, column
from multibond.graph.graph import Graph
from multibond.rewrite.edit import number_of
from multibond.rewrite.matrix_latex import combined, factor, velocity


@dataclass(frozen=True)
class Matrix:
    """A matrix that depends on positions, and where it says so on velocities.

    rows, columns: what they stand for, in the model's names. symbols: by name what it is a function of; start: their
    values at the start. Parameters have the graph's own numbers. shown: its entries in LaTeX, where these are known in
    a better form than the expression has.

    >>> minimal(model).Mb.value
    """

    name: str
    expression: SX
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    symbols: dict[str, SX]
    start: dict[str, np.ndarray]
    graph: Graph
    shown: tuple[tuple[str, ...], ...] = ()

    @property
    def value(self) -> np.ndarray:
        """The number at the start."""
        return self.at({})

    def at(self, values: Mapping[str, Any]) -> np.ndarray:
        """The number at other values of some symbols, given by name; the others are as at the start."""
        known = self.start | {name: np.ravel(np.asarray(v, float)) for name, v in values.items()}
        used = [name for name, symbol in self.symbols.items() if ca.depends_on(self.expression, symbol)]
        symbols = column([self.symbols[name] for name in used])
        numbers = np.concatenate([np.zeros(0), *(known[name] for name in used)])
        found = ca.substitute(self.expression, symbols, SX(numbers)) if used else self.expression
        return number_of(self.graph, found).reshape(self.expression.shape)

    def part(self, name: str, expression: SX, rows: tuple[str, ...], columns: tuple[str, ...]) -> Matrix:
        """Another matrix of the same symbols."""
        return replace(self, name=name, expression=expression, rows=rows, columns=columns, shown=())

    def with_symbols(self, more: dict[str, SX]) -> Matrix:
        """The matrix with further symbols, zero at the start."""
        rest = {name: np.zeros(symbol.numel()) for name, symbol in more.items()}
        return replace(self, symbols={**self.symbols, **more}, start={**self.start, **rest})

    @property
    def entries(self) -> tuple[tuple[str, ...], ...]:
        """Every entry in LaTeX; sums of the angles of parallel axes are written as such."""
        rows, columns = range(len(self.rows)), range(len(self.columns))
        return self.shown or tuple(tuple(combined(SX(self.expression[i, j])) for j in columns) for i in rows)

    def latex(self) -> str:
        """The matrix in LaTeX, entry by entry."""
        body = r" \\ ".join(" & ".join(row) for row in self.entries)
        return rf"{self.name} = \begin{{bmatrix}} {body} \end{{bmatrix}}"

    def equations(self) -> tuple[str, ...]:
        """What it says of velocities, row by row: one velocity from the others, in LaTeX.

        >>> minimal(slider_crank).T.equations()
        """
        lines = []
        for row, texts in zip(self.rows, self.entries, strict=True):
            terms = [
                factor(text) + velocity(name) for name, text in zip(self.columns, texts, strict=True) if text != "0"
            ]
            lines.append(f"{velocity(row)} = {' + '.join(terms) or '0'}")
        return tuple(lines)

    def __str__(self) -> str:
        table = np.array2string(self.value, precision=6, suppress_small=True)
        return f"{self.name}: {', '.join(self.rows)} from {', '.join(self.columns)}\n{table}"
