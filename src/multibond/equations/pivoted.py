"""S x = c with pivots chosen at every evaluation, as an opaque function that `lower` writes as a loop.

S is symmetric and positive semidefinite with a rank that is known: elimination with the largest diagonal pivot left
(Cholesky's method with pivoting; Higham 2002, section 10.3) stops at that rank, and unknowns without a pivot are zero.
The function returns x and the last pivot, whose root follows the least singular value of the constraints. A matrix that
is not symmetric takes the largest entry left.
"""

from __future__ import annotations

import re
from functools import cache

import casadi as ca

from multibond.expr import SX, Function

_NAME = re.compile(r"pivoted_(sym|lu)_(\d+)_(\d+)")


@cache
def pivoted(size: int, rank: int) -> Function:
    """(lower triangle of S, row by row; c) → (x, last pivot)."""
    packed, c = SX.sym("s", size * (size + 1) // 2), SX.sym("c", size)
    S = SX(size, size)
    for i in range(size):
        for j in range(i + 1):
            S[i, j] = S[j, i] = packed[i * (i + 1) // 2 + j]
    x, last = _solution(S, c, rank, symmetric=True)
    return Function(f"pivoted_sym_{size}_{rank}", [packed, c], [x, last], {"never_inline": True})


@cache
def pivoted_general(size: int, rank: int) -> Function:
    """(S, row by row; c) → (x, last pivot) for a matrix that is not symmetric."""
    packed, c = SX.sym("s", size * size), SX.sym("c", size)
    x, last = _solution(ca.reshape(packed, size, size).T, c, rank, symmetric=False)
    return Function(f"pivoted_lu_{size}_{rank}", [packed, c], [x, last], {"never_inline": True})


def kind_of(function: Function) -> tuple[str, int, int] | None:
    """How such a function pivots, its size and its rank; None for other functions."""
    found = _NAME.fullmatch(function.name())
    return (found[1], int(found[2]), int(found[3])) if found else None


def _solution(S: SX, c: SX, rank: int, *, symmetric: bool) -> tuple[SX, SX]:
    """Outer products with rows and columns as they stand: a pivot is marked by a vector of zeros and a one."""
    size = c.numel()
    rows_left, columns_left = SX.ones(size), SX.ones(size)
    steps: list[tuple[SX, SX, SX, SX]] = []
    last = SX(1)
    for _ in range(rank):
        if symmetric:
            row = column = _largest(ca.if_else(rows_left, ca.diag(S), -1))
        else:
            sizes = ca.fabs(S) * (rows_left @ columns_left.T)
            here = _largest(ca.vec(sizes))
            mark = ca.reshape(here, size, size)
            row, column = ca.sum2(mark), ca.sum1(mark).T
        below, beside = S @ column, S.T @ row
        last = ca.dot(row, below)
        inverse = 1 / last
        rows_left, columns_left = rows_left - row, columns_left - column
        factor = below * rows_left * inverse
        S = S - factor @ beside.T
        c = c - factor * ca.dot(row, c)
        steps.append((row, column, beside, inverse))
    x = SX.zeros(size)
    for row, column, beside, inverse in reversed(steps):
        x = x + column * ((ca.dot(row, c) - ca.dot(beside, x)) * inverse)
    return ca.densify(x), ca.densify(last)


def _largest(values: SX) -> SX:
    """Zeros, and a one at the place of the largest value; of equal ones the first."""
    best, place = values[0], SX(0)
    for k in range(1, values.numel()):
        better = values[k] > best
        best, place = ca.if_else(better, values[k], best), ca.if_else(better, k, place)
    return ca.vertcat(*[place == k for k in range(values.numel())])
