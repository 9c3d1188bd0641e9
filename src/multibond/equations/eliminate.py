"""Solve A y = b symbolically: sparse elimination with pivots chosen beforehand from numbers at sample points.

Symmetric matrices with usable diagonal (mass matrices, and those with constraints behind them) take L D Lᵀ on one
triangle; others take L U with off-diagonal pivots (massless links).
"""

from __future__ import annotations

from dataclasses import dataclass

import casadi as ca
import numpy as np

from multibond.expr import SX, column, nonzeros

SMALL = 1e-9
"""Pivots below this fraction of their row count as zero."""
WORTHY = 1e-2
"""A pivot is usable when it reaches this fraction of the best one."""


@dataclass(frozen=True)
class Factors:
    """Pivots in order, and the multipliers: enough to solve for any right-hand side."""

    n: int
    pivots: tuple[tuple[int, int], ...]
    inverse: tuple[SX, ...]
    lower: tuple[dict[int, SX], ...]
    upper: tuple[dict[int, SX], ...]

    @property
    def complete(self) -> bool:
        """Whether every unknown found a pivot."""
        return len(self.pivots) == self.n

    def solve(self, b: SX) -> SX:
        """The solution for a right-hand side; unknowns without pivot are zero."""
        rest = [b[k] for k in range(self.n)]
        for (row, _), below in zip(self.pivots, self.lower, strict=True):
            for other, factor in below.items():
                rest[other] = rest[other] - factor * rest[row]
        y = [SX(0)] * self.n
        for (row, col), inverse, right in zip(self.pivots[::-1], self.inverse[::-1], self.upper[::-1], strict=True):
            total = rest[row]
            for other, value in right.items():
                total = total - value * y[other]
            y[col] = total * inverse
        return column(y)


def factor(A: SX, samples: np.ndarray) -> Factors:
    """Factor A. `samples`: its values at several points, shape (points, n, n)."""
    asymmetry = np.abs(samples - samples.transpose(0, 2, 1)).max(initial=0.0)
    if asymmetry <= 1e-9 * np.abs(samples).max(initial=1.0):
        found = _symmetric(A, samples)
        if found.complete:
            return found
    return _general(A, samples)


def _entries(A: SX) -> list[dict[int, SX]]:
    rows: list[dict[int, SX]] = [{} for _ in range(A.shape[0])]
    values = ca.vertsplit(nonzeros(A)) if A.nnz() else []
    for i, j, value in zip(*A.sparsity().get_triplet(), values, strict=True):
        rows[i][j] = value
    return rows


def _symmetric(A: SX, samples: np.ndarray) -> Factors:
    """L D Lᵀ with diagonal pivots, fewest neighbours first among the usable ones."""
    n = A.shape[0]
    rows = _entries(A)
    for i in range(n):
        for j in [j for j in rows[i] if j > i]:
            rows[j].setdefault(i, rows[i][j])
            rows[i][j] = rows[j][i]
    number = samples.copy()
    left = list(range(n))
    scale = np.abs(samples).max(axis=2).max(axis=0)
    scale[scale == 0] = 1.0
    pivots, inverse, lower, upper = [], [], [], []
    while left:
        k = _diagonal_pivot(rows, number, left, scale)
        if k is None:
            break
        left.remove(k)
        neighbours = [j for j in sorted(rows[k]) if j in left]
        inv = 1 / rows[k][k]
        factors = {j: rows[j][k] * inv for j in neighbours}
        for a, i in enumerate(neighbours):
            for j in neighbours[: a + 1]:
                value = rows[i].get(j, SX(0)) - factors[i] * rows[j][k]
                rows[i][j] = rows[j][i] = value
        number[:, left, :] -= (
            number[:, left, k][:, :, None] / number[:, k, k][:, None, None] * number[:, k, :][:, None, :]
        )
        pivots.append((k, k))
        inverse.append(inv)
        lower.append(factors)
        upper.append({j: rows[j][k] for j in neighbours})
    return Factors(n, tuple(pivots), tuple(inverse), tuple(lower), tuple(upper))


def _diagonal_pivot(rows: list[dict[int, SX]], number: np.ndarray, left: list[int], scale: np.ndarray) -> int | None:
    merit = {k: float(np.abs(number[:, k, k]).min()) / scale[k] for k in left if k in rows[k]}
    usable = [k for k, m in merit.items() if m > 1e-7]
    if not usable:
        return None
    active = set(left)
    return min(usable, key=lambda k: (sum(1 for j in rows[k] if j in active), -k))


def _general(A: SX, samples: np.ndarray) -> Factors:
    """L U with row and column pivots (Markowitz count among numerically usable entries)."""
    n = A.shape[0]
    rows = _entries(A)
    number = samples.copy()
    scale = np.abs(samples).max(axis=2).max(axis=0)
    scale[scale == 0] = 1.0
    left_rows, left_cols = list(range(n)), list(range(n))
    pivots, inverse, lower, upper = [], [], [], []
    while left_rows:
        choice = _markowitz(rows, number, left_rows, left_cols, scale)
        if choice is None:
            break
        i, j = choice
        left_rows.remove(i)
        left_cols.remove(j)
        active = set(left_cols)
        inv = 1 / rows[i][j]
        right = {c: v for c, v in rows[i].items() if c in active}
        factors = {}
        for r in left_rows:
            if j in rows[r]:
                factors[r] = rows[r][j] * inv
                for c, value in right.items():
                    rows[r][c] = rows[r].get(c, SX(0)) - factors[r] * value
        number[:, left_rows, :] -= (
            number[:, left_rows, j][:, :, None] / number[:, i, j][:, None, None] * number[:, i, :][:, None, :]
        )
        pivots.append((i, j))
        inverse.append(inv)
        lower.append(factors)
        upper.append(right)
    return Factors(n, tuple(pivots), tuple(inverse), tuple(lower), tuple(upper))


def _markowitz(
    rows: list[dict[int, SX]], number: np.ndarray, left_rows: list[int], left_cols: list[int], scale: np.ndarray
) -> tuple[int, int] | None:
    size = np.abs(number).min(axis=0) / scale[:, None]
    active = set(left_cols)
    count = {c: sum(1 for r in left_rows if c in rows[r]) for c in left_cols}
    best = None
    for r in left_rows:
        entries = [c for c in rows[r] if c in active]
        for c in entries:
            column_best = max(size[k, c] for k in left_rows)
            if size[r, c] < SMALL or size[r, c] < WORTHY * column_best:
                continue
            key = ((len(entries) - 1) * (count[c] - 1), r != c, -size[r, c])
            if best is None or key < best[0]:
                best = (key, r, c)
    return None if best is None else (best[1], best[2])
