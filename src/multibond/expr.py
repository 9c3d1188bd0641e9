"""The door to symbols: CasADi `SX`, and the few operations the rest of the house needs.

No other module builds symbolic algorithms of its own; laws use ordinary arithmetic on what they are given,
so the same law serves numbers and symbols.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import casadi as ca
import numpy as np

SX = ca.SX
Function = ca.Function
Expr = Any  # an SX, a float or an array: whatever a law may compute with


def symbol(name: str, rows: int = 1, columns: int = 1) -> SX:
    """A fresh symbolic matrix."""
    return SX.sym(name, rows, columns)


def column(parts: Sequence[Expr]) -> SX:
    """Stack vectors into one column; an empty list gives a column of length zero."""
    return ca.vertcat(*[SX(p) if not isinstance(p, SX) else p for p in parts]) if len(parts) else SX(0, 1)


def constant(value: Any) -> SX:
    """A constant with its zeros left out, so that they vanish from every product."""
    return ca.sparsify(SX(np.asarray(value, float)))


def is_symbolic(value: Any) -> bool:
    """Whether the value is a symbolic expression."""
    return isinstance(value, SX)


def matrix(value: Expr, size: int) -> SX:
    """Read a scalar as a multiple of one, a vector as a diagonal, a matrix as itself."""
    value = value if isinstance(value, SX) else constant(value)
    if value.shape == (1, 1) and size >= 1:
        return value * SX.eye(size)
    if value.shape == (size, 1):
        return ca.diag(value)
    return value


def vector(value: Expr, size: int) -> SX:
    """Read a scalar as a vector of equal entries."""
    value = value if isinstance(value, SX) else constant(value)
    return ca.repmat(value, size, 1) if value.shape == (1, 1) and size > 1 else value


def square(flat: SX) -> SX:
    """Nine entries, row after row, as a 3 by 3 matrix (the form in which rotations travel as signals)."""
    return square_of(flat, 3)


def square_of(entries: SX, size: int) -> SX:
    """size² entries, row after row, as a square matrix."""
    return ca.reshape(entries, size, size).T


def flat(rows: SX) -> SX:
    """A matrix, row after row, as a column."""
    return ca.vec(rows.T)


def section(vector: SX, start: int, stop: int) -> SX:
    """Entries start to stop of a column; an empty section is an empty column, also of a single entry."""
    return vector[start:stop] if stop > start else SX(0, 1)


def nonzeros(value: SX) -> SX:
    """The entries that are not structurally zero, as a column."""
    return ca.vec(SX(value.nz[:]))


def solve_linear(residual: SX, unknown: SX) -> SX:
    """The value of `unknown` that makes `residual`, linear in it, vanish.

    Diagonal systems divide; others use elimination with diagonal pivots in the given order.
    """
    jacobian = ca.jacobian(residual, unknown)
    rest = ca.substitute(residual, unknown, SX.zeros(unknown.numel()))
    if jacobian.sparsity() == ca.Sparsity.diag(unknown.numel()):
        return -rest / ca.diag(jacobian)
    return -ca.solve(jacobian, rest)
