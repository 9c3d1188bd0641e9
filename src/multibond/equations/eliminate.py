"""Solve A y = b symbolically: sparse elimination with pivots chosen beforehand from numbers at sample points.

What hangs together is eliminated together, block by block. Symmetric blocks with usable diagonal (mass matrices) take
L D Lᵀ on one triangle; others take L U with off-diagonal pivots (loops). Where a block is singular its last rows stay
open: they are the combinations without any unknown. Constraint forces can be held back: what is left of their rows then
stands in `schur`, and `equations.held` solves it with pivots chosen at every evaluation.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import casadi as ca
import numpy as np

from multibond.expr import SX, column, nonzeros

SMALL = 1e-9
"""Pivots below this fraction of their row and column count as zero."""
WORTHY = 1e-2
"""A pivot is usable when it reaches this fraction of the best one."""
USABLE = 1e-7
"""So is a diagonal pivot of a symmetric block that reaches this fraction of its row."""
SWEEPS = 4
"""Scalings of rows and columns in turn, before entries of different units are compared."""

Rows = list[dict[int, SX]]


@dataclass
class Factors:
    """Pivots in order, and the multipliers: enough to solve for any right-hand side.

    open_rows, open_columns: those that found no pivot. vague: open rows whose rest is not zero everywhere.
    block, scale: of each row. schur: what is left of the rows held back and of the open ones, entry by entry.
    """

    n: int
    pivots: list[tuple[int, int]] = field(default_factory=list)
    inverse: list[SX] = field(default_factory=list)
    lower: list[dict[int, SX]] = field(default_factory=list)
    upper: list[dict[int, SX]] = field(default_factory=list)
    open_rows: list[int] = field(default_factory=list)
    open_columns: list[int] = field(default_factory=list)
    vague: list[int] = field(default_factory=list)
    block: dict[int, int] = field(default_factory=dict)
    scale: dict[int, float] = field(default_factory=dict)
    schur: Rows = field(default_factory=list)

    @property
    def complete(self) -> bool:
        """Whether every unknown found a pivot."""
        return len(self.pivots) == self.n

    def solve(self, b: SX) -> SX:
        """The solution for a right-hand side; unknowns without pivot are zero."""
        return self.back(self.forward(b), {})

    def back(self, rest: list[SX], known: dict[int, SX]) -> SX:
        """The solution from what is left of the right-hand side, with unknowns that are known already."""
        y = [known.get(k, SX(0)) for k in range(self.n)]
        for (row, col), inverse, right in zip(self.pivots[::-1], self.inverse[::-1], self.upper[::-1], strict=True):
            total = rest[row]
            for other, value in right.items():
                total = total - value * y[other]
            y[col] = total * inverse
        return column(y)

    def left_over(self, b: SX) -> SX:
        """What is left of the right-hand side in the open rows: there it must vanish."""
        rest = self.forward(b)
        return column([rest[k] for k in self.open_rows])

    def forward(self, b: SX) -> list[SX]:
        """What elimination leaves of the right-hand side in each row."""
        rest = ca.vertsplit(b) if self.n else []
        for (row, _), below in zip(self.pivots, self.lower, strict=True):
            for other, factor in below.items():
                rest[other] = rest[other] - factor * rest[row]
        return rest


def factor(A: SX, numbers: np.ndarray, held: frozenset[int] = frozenset()) -> Factors:
    """Factor A. `numbers`: the values of its nonzeros at several points, shape (points, nonzeros).

    held: rows and columns that are held back: none of them becomes a pivot.
    """
    rows = _entries(A)
    found = Factors(A.shape[0], schur=rows)
    triplets = [np.array(part, int) for part in A.sparsity().get_triplet()]
    for index, (own_rows, own_columns, entries) in enumerate(_blocks(A.shape[0], *triplets)):
        at_row = {r: i for i, r in enumerate(own_rows)}
        at_column = {c: j for j, c in enumerate(own_columns)}
        samples = np.zeros((numbers.shape[0], len(own_rows), len(own_columns)))
        i, j = ([at[int(k)] for k in part[entries]] for at, part in zip((at_row, at_column), triplets, strict=True))
        samples[:, i, j] = numbers[:, entries]
        found.block |= dict.fromkeys(own_rows, index)
        if not (own_rows == own_columns and _symmetric(found, rows, own_rows, samples, held)):
            _general(found, rows, own_rows, own_columns, samples, held)
    return found


def _entries(A: SX) -> Rows:
    rows: Rows = [{} for _ in range(A.shape[0])]
    values = ca.vertsplit(nonzeros(A)) if A.nnz() else []
    for i, j, value in zip(*A.sparsity().get_triplet(), values, strict=True):
        rows[i][j] = value
    return rows


def _blocks(n: int, i: np.ndarray, j: np.ndarray) -> list[tuple[list[int], list[int], np.ndarray]]:
    """Rows, columns and numbers of the entries of everything that hangs together."""
    parent = list(range(2 * n))

    def find(k: int) -> int:
        while parent[k] != k:
            parent[k] = parent[parent[k]]
            k = parent[k]
        return k

    for row, col in zip(i.tolist(), j.tolist(), strict=True):
        parent[max(find(row), find(n + col))] = min(find(row), find(n + col))
    groups: dict[int, tuple[list[int], list[int], list[int]]] = {}
    for k in range(2 * n):
        groups.setdefault(find(k), ([], [], []))[k >= n].append(k % n)
    for entry, row in enumerate(i.tolist()):
        groups[find(row)][2].append(entry)
    return [(rows, columns, np.array(entries, int)) for rows, columns, entries in groups.values()]


# -- symmetric blocks ------------------------------------------------------------------------------------------------


def _symmetric(found: Factors, rows: Rows, own: list[int], samples: np.ndarray, held: frozenset[int]) -> bool:
    """L D Lᵀ with diagonal pivots, fewest neighbours first among the usable ones; false where that does not go."""
    asymmetry = np.abs(samples - samples.transpose(0, 2, 1)).max(initial=0.0)
    if asymmetry > 1e-9 * np.abs(samples).max(initial=1.0):
        return False
    order = _diagonal_order(rows, own, samples.copy(), held)
    if order is None:
        return False
    for i in own:
        for j in list(rows[i]):
            value = rows[max(i, j)].get(min(i, j), rows[i][j])
            rows[i][j] = rows[j][i] = value
    left = set(own)
    for k in order:
        left.remove(k)
        neighbours = [j for j in sorted(rows[k]) if j in left]
        inv = 1 / rows[k][k]
        factors = {j: rows[j][k] * inv for j in neighbours}
        for a, i in enumerate(neighbours):
            for j in neighbours[: a + 1]:
                rows[i][j] = rows[j][i] = rows[i].get(j, SX(0)) - factors[i] * rows[j][k]
        _record(found, (k, k), inv, factors, {j: rows[j][k] for j in neighbours})
    return True


def _diagonal_order(rows: Rows, own: list[int], number: np.ndarray, held: frozenset[int]) -> list[int] | None:
    """The order of the pivots, found on the pattern and the numbers alone."""
    place = {k: i for i, k in enumerate(own)}
    pattern = {k: set(rows[k]) for k in own}
    for k in own:
        for j in list(pattern[k]):
            pattern[j].add(k)
    left, order = [k for k in own if k not in held], []
    scale = np.abs(number[:, :, [place[k] for k in left]]).max(axis=(0, 2), initial=0.0)
    scale[scale == 0] = 1.0
    active = set(own)
    while left:
        merit = {k: np.abs(number[:, place[k], place[k]]).min() / scale[place[k]] for k in left if k in pattern[k]}
        usable = [k for k, m in merit.items() if m > USABLE]
        if not usable:
            return None
        k = min(usable, key=lambda k: (len(pattern[k] & active), -k))
        left.remove(k)
        active.remove(k)
        order.append(k)
        near = sorted(pattern[k] & active)
        at, i = [place[j] for j in near], place[k]
        step = number[:, at, i][:, :, None] / number[:, i, i][:, None, None] * number[:, i, at][:, None, :]
        number[np.ix_(np.arange(number.shape[0]), at, at)] -= step
        for j in near:
            pattern[j].update(near)
    return order


# -- other blocks ----------------------------------------------------------------------------------------------------


def _general(
    found: Factors, rows: Rows, own_rows: list[int], own_columns: list[int], samples: np.ndarray, held: frozenset[int]
) -> None:
    """L U with row and column pivots (Markowitz count among numerically usable entries)."""
    number, scale = _equilibrated(samples)
    found.scale |= dict(zip(own_rows, scale.tolist(), strict=True))
    pattern = np.zeros(number.shape[1:], bool)
    at_column = {c: j for j, c in enumerate(own_columns)}
    for i, r in enumerate(own_rows):
        pattern[i, [at_column[c] for c in rows[r]]] = True
    size = np.abs(number).min(axis=0, initial=np.inf) if number.size else np.zeros(number.shape[1:])
    free_rows, free_columns = np.ones(len(own_rows), bool), np.ones(len(own_columns), bool)
    may_rows, may_columns = (np.array([k not in held for k in own], bool) for own in (own_rows, own_columns))
    while True:
        choice = _markowitz(pattern, size, free_rows & may_rows, free_columns & may_columns)
        if choice is None:
            break
        i, j = choice
        free_rows[i] = free_columns[j] = False
        below, beside = np.flatnonzero(pattern[:, j] & free_rows), np.flatnonzero(pattern[i] & free_columns)
        under, right = [own_rows[k] for k in below], [own_columns[k] for k in beside]
        _eliminate(found, rows, (own_rows[i], own_columns[j]), under, right)
        pattern[np.ix_(below, beside)] = True
        step = number[:, below, j][:, :, None] / number[:, i, j][:, None, None] * number[:, i, beside][:, None, :]
        number[np.ix_(np.arange(number.shape[0]), below, beside)] -= step
        size[np.ix_(below, beside)] = np.abs(number[:, below][:, :, beside]).min(axis=0)
    free_rows, free_columns = free_rows & may_rows, free_columns & may_columns
    rest = np.abs(number[:, free_rows][:, :, free_columns]).max(axis=(0, 2), initial=0.0)
    open_rows = [own_rows[k] for k in np.flatnonzero(free_rows)]
    found.open_rows += open_rows
    found.open_columns += [own_columns[k] for k in np.flatnonzero(free_columns)]
    found.vague += [r for r, left in zip(open_rows, rest, strict=True) if left > SMALL]


def _eliminate(found: Factors, rows: Rows, pivot: tuple[int, int], below: list[int], beside: list[int]) -> None:
    i, j = pivot
    inv = 1 / rows[i][j]
    right = {c: rows[i][c] for c in beside}
    factors = {r: rows[r][j] * inv for r in below}
    for r, multiple in factors.items():
        for c, value in right.items():
            rows[r][c] = rows[r].get(c, SX(0)) - multiple * value
    _record(found, pivot, inv, factors, right)


def _record(found: Factors, pivot: tuple[int, int], inverse: SX, lower: dict[int, SX], upper: dict[int, SX]) -> None:
    found.pivots.append(pivot)
    found.inverse.append(inverse)
    found.lower.append(lower)
    found.upper.append(upper)


def _equilibrated(samples: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Numbers with rows and columns scaled to about one at most places, and the scale of each row."""
    usual = np.median(np.abs(samples), axis=0)
    usual = np.where(usual > 0, usual, np.abs(samples).max(axis=0, initial=0.0))
    rows, columns = np.ones(usual.shape[0]), np.ones(usual.shape[1])
    for _ in range(SWEEPS):
        for axis, scale in ((1, rows), (0, columns)):
            size = (usual * rows[:, None] * columns).max(axis=axis, initial=0.0)
            scale /= np.sqrt(np.where(size > 0, size, 1.0))
    return samples * rows[:, None] * columns, rows


def _markowitz(
    pattern: np.ndarray, size: np.ndarray, free_rows: np.ndarray, free_columns: np.ndarray
) -> tuple[int, int] | None:
    """The usable entry that fills in least; then the diagonal, then the largest."""
    rows, columns = np.flatnonzero(free_rows), np.flatnonzero(free_columns)
    here = pattern[np.ix_(rows, columns)]
    merit = np.where(here, size[np.ix_(rows, columns)], 0.0)
    best = merit.max(axis=0, initial=0.0)
    usable = (merit >= SMALL) & (merit >= WORTHY * best)
    if not usable.any():
        return None
    fill = (here.sum(axis=1)[:, None] - 1) * (here.sum(axis=0) - 1)
    fill = np.where(usable, 2 * fill + (rows[:, None] != columns), np.iinfo(int).max)
    a, b = np.nonzero(fill == fill.min())
    k = int(np.argmax(merit[a, b]))
    return int(rows[a[k]]), int(columns[b[k]])
