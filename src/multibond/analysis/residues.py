"""Whole numbers modulo a prime: ranks without rounding.

A polynomial of the parameters that is not identically zero is zero at random residues with a chance of about its degree
over the prime (Schwartz, Zippel); two draws leave a doubt of about 1e-12. So generic ranks are decided, not estimated.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

PRIME = 67108859
"""The largest prime below 2²⁶: a thousand products of residues still add up without overflow."""


@dataclass(frozen=True)
class Residue:
    """A number modulo the prime."""

    value: int

    def __add__(self, other: Residue) -> Residue:
        return Residue((self.value + other.value) % PRIME)

    def __sub__(self, other: Residue) -> Residue:
        return Residue((self.value - other.value) % PRIME)

    def __mul__(self, other: Residue) -> Residue:
        return Residue(self.value * other.value % PRIME)

    def __truediv__(self, other: Residue) -> Residue:
        return Residue(self.value * pow(other.value, -1, PRIME) % PRIME)

    def __neg__(self) -> Residue:
        return Residue(-self.value % PRIME)


class Residues:
    """Residues as a kind of number; what is not rational becomes a random one, the same for equal arguments."""

    def __init__(self, seed: int) -> None:
        self.rng = np.random.default_rng(seed)
        self._known: dict[Any, Residue] = {}

    def number(self, value: Fraction) -> Residue:
        """A fraction as a residue."""
        return Residue(value.numerator * pow(value.denominator, -1, PRIME) % PRIME)

    def other(self, operation: int, arguments: Sequence[Residue]) -> Residue:
        """A value of its own for a root, a sine and the like."""
        return self._known.setdefault((operation, *arguments), self.random())

    def random(self) -> Residue:
        """Any residue but zero."""
        return Residue(int(self.rng.integers(1, PRIME)))


def product(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """The product of two matrices of residues."""
    return a @ b % PRIME


def echelon(matrix: np.ndarray, columns: int | None = None) -> tuple[np.ndarray, list[int]]:
    """Rows reduced (Gauss, Jordan) in the first columns, and the columns of the pivots."""
    rows, pivots = matrix % PRIME, []
    for column in range(rows.shape[1] if columns is None else columns):
        top = len(pivots)
        hits = np.flatnonzero(rows[top:, column])
        if not hits.size:
            continue
        rows[[top, top + hits[0]]] = rows[[top + hits[0], top]]
        rows[top] = rows[top] * pow(int(rows[top, column]), -1, PRIME) % PRIME
        others = np.flatnonzero(rows[:, column])
        others = others[others != top]
        rows[others] = (rows[others] - rows[others, column][:, None] * rows[top]) % PRIME
        pivots.append(column)
        if len(pivots) == len(rows):
            break
    return rows, pivots


def rank(matrix: np.ndarray) -> int:
    """The rank."""
    return len(echelon(matrix)[1]) if matrix.size else 0


def solve(matrix: np.ndarray, right: np.ndarray) -> np.ndarray | None:
    """The solution of a square system; None where it is singular."""
    n = len(matrix)
    rows, pivots = echelon(np.hstack([matrix, right]), n)
    return rows[:, n:] if len(pivots) == n else None


def null_rows(matrix: np.ndarray) -> np.ndarray:
    """Rows v with v · matrix = 0, reduced so that each has an entry of its own."""
    n, m = matrix.shape
    rows, pivots = echelon(np.hstack([matrix, np.eye(n, dtype=np.int64)]), m)
    left = rows[len(pivots) :, m:]
    return echelon(left)[0]
