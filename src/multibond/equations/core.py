"""Constraint forces with rows and pivots chosen at every evaluation: what is decided while a machine runs.

All constraint rows are kept. Rates and variables of loops are eliminated beforehand, with pivots that cannot vanish;
what is left of the constraint rows, S = D G M⁻¹ Gᵀ D, falls into groups of loops that hang together, and each group is
solved by elimination with the largest pivot left, stopped at its generic rank (`equations.pivoted`). D makes usual rows
as long as one and stays as it is: the last pivot then falls to zero where the constraints of the group lose their hold.

Links without mass leave M singular. There M + c GᵀG and h + c Gᵀγ stand in the place of M and h, which changes neither
motion nor forces (Bayo & Avello 1994; García de Jalón & Gutiérrez-López 2013).
"""

from __future__ import annotations

from dataclasses import dataclass

import casadi as ca
import numpy as np

from multibond.equations.eliminate import Factors, Rows, factor
from multibond.equations.pivoted import pivoted, pivoted_general
from multibond.equations.redundancy import generic_rank
from multibond.equations.settle import Samples
from multibond.expr import SX, column, nonzeros

NONE = 1e-9
"""A row shorter than this part of the longest is not made longer."""
ROUNDING = 1e-7
"""An eigenvalue of the wrong sign below this part of the largest entry is rounding."""


@dataclass(frozen=True)
class Group:
    """Rows and unknowns that are solved together, the factors that bring them to a usual size, and their rank.

    sign: what makes their matrix positive where it is symmetric and definite; zero where it is not.
    """

    rows: tuple[int, ...]
    columns: tuple[int, ...]
    row_scale: np.ndarray
    column_scale: np.ndarray
    rank: int
    sign: float


@dataclass(frozen=True)
class Shift:
    """Rows to which multiples of constraint rows are added, so that links without mass get a pivot."""

    rows: tuple[int, ...]
    of: tuple[int, ...]
    factors: SX

    def added(self, value: SX) -> SX:
        """A matrix, or a right-hand side, with the multiples in it."""
        whole = SX(value)
        whole[list(self.rows), :] = whole[list(self.rows), :] + self.factors @ whole[list(self.of), :]
        return whole


@dataclass(frozen=True)
class Solver:
    """Solves A y = b for rates, variables of loops and constraint forces."""

    factors: Factors
    groups: tuple[Group, ...] = ()
    shift: Shift | None = None

    def solve(self, b: SX) -> SX:
        """The solution; forces that are not determined are zero."""
        return self.solution(b)[0]

    def solution(self, b: SX) -> tuple[SX, SX]:
        """The solution and the last pivot of each group."""
        rest = self.factors.forward(self.shift.added(b) if self.shift is not None else b)
        known: dict[int, SX] = {}
        pivots = []
        for group in self.groups:
            forces, pivot = _solved(group, self.factors.schur, rest)
            known |= dict(zip(group.columns, forces, strict=True))
            pivots.append(pivot)
        return self.factors.back(rest, known), column(pivots)


def _solved(group: Group, schur: Rows, rest: list[SX]) -> tuple[list[SX], SX]:
    """The unknowns of a group and its last pivot."""
    sign = group.sign or 1.0
    scales = zip(group.rows, group.row_scale.tolist(), strict=True)
    b = [sign * scale * rest[row] for row, scale in scales]
    size = len(group.rows)
    if not group.rank:
        return [SX(0)] * size, SX(1)

    def entry(i: int, j: int) -> SX:
        scale = sign * float(group.row_scale[i] * group.column_scale[j])
        return scale * schur[group.rows[i]].get(group.columns[j], SX(0))

    if size == 1:
        value = entry(0, 0)
        return [float(group.column_scale[0]) * b[0] / value], value
    if group.sign:
        packed = column([entry(i, j) for i in range(size) for j in range(i + 1)])
        x, pivot = pivoted(size, group.rank).call([ca.densify(packed), ca.densify(column(b))])
    else:
        packed = column([entry(i, j) for i in range(size) for j in range(size)])
        x, pivot = pivoted_general(size, group.rank).call([ca.densify(packed), ca.densify(column(b))])
    return [s * v for s, v in zip(group.column_scale.tolist(), ca.vertsplit(x), strict=True)], pivot


def with_core(A: SX, held: frozenset[int], at: Samples) -> Solver | None:
    """Hold constraint forces back from elimination; None where the rest does not find its pivots without them.

    held: the constraint rows among those of A.
    """
    number = at.numbers(A)
    if not np.isfinite(number).all():
        return None
    shift = _shift(A, number, held)
    if shift is not None:
        A = ca.sparsify(shift.added(A))
        number = at.numbers(A)
    factors = factor(A, at.numbers(nonzeros(A))[:, :, 0], held)
    if factors.open_rows:
        return None
    groups = _groups(factors, number, held)
    return None if groups is None else Solver(factors, groups, shift)


def open_core(A: SX, held: frozenset[int], at: Samples, redundant: int) -> Solver:
    """Hold back constraint forces and all that finds no pivot without them, and solve these as one group."""
    number = at.numbers(A)
    factors = factor(A, at.numbers(nonzeros(A))[:, :, 0], held)
    rows, columns = sorted({*held, *factors.open_rows}), sorted({*held, *factors.open_columns})
    scales = [1.0 / np.maximum(np.median(np.abs(number), axis=0).max(axis=side), NONE) for side in (1, 0)]
    size = len(rows)
    group = Group(tuple(rows), tuple(columns), scales[0][rows], scales[1][columns], size - redundant, 0.0)
    return Solver(factors, (group,))


# -- links without mass ------------------------------------------------------------------------------------------------


def _shift(A: SX, number: np.ndarray, held: frozenset[int]) -> Shift | None:
    """Multiples of constraint rows for the rows of links without mass; None where all links have their pivots."""
    free = [k for k in range(A.shape[0]) if k not in held]
    forces = sorted(held)
    M, G = number[:, free][:, :, free], number[:, forces][:, :, free]
    null = _null(M)
    if not null.shape[1] or not forces:
        return None
    touched = np.abs(G @ null).max(axis=(0, 2)) > NONE * max(1e-300, float(np.abs(G).max()))
    of = [k for k, met in zip(forces, touched, strict=True) if met]
    if not of:
        return None
    G = G[:, touched]
    length = np.median(np.linalg.norm(G, axis=2), axis=0)
    scale = 1.0 / np.maximum(length, NONE * length.max())
    c = _stiffness(M, scale[:, None] * G)
    pattern = np.array(ca.DM(A[free, of].sparsity(), 1)) != 0
    rows = [k for k, met in zip(free, pattern.any(axis=1), strict=True) if met]
    return Shift(tuple(rows), tuple(of), ca.sparsify(A[rows, of] @ ca.diag(ca.DM(c * scale**2))))


def _null(M: np.ndarray) -> np.ndarray:
    """Columns: motions that no inertia resists at any sample."""
    if not M.shape[1]:
        return np.zeros((0, 0))
    size = np.abs(M).max(axis=(0, 2))
    scale = 1.0 / np.sqrt(np.where(size > 0, size, 1.0))
    stacked = (scale[:, None] * M * scale).reshape(-1, M.shape[2])
    _, sizes, ways = np.linalg.svd(stacked)
    return scale[:, None] * ways[int((sizes > NONE * max(sizes[0], 1e-300)).sum()) :].T


def _stiffness(M: np.ndarray, G: np.ndarray) -> float:
    """c for which c σ² is about one: what it adds is as large as what is there."""
    c = float(np.median(np.trace(M, axis1=1, axis2=2) / np.trace(G.transpose(0, 2, 1) @ G, axis1=1, axis2=2)))
    c = c if c > 0 else 1.0
    found = []
    for m, g in zip(M, G, strict=True):
        try:
            share = c * np.linalg.eigvalsh(g @ np.linalg.solve(m + c * g.T @ g, g.T))
        except np.linalg.LinAlgError:
            continue
        share = share[(share > NONE) & (share < 0.999)]
        found += (share / (c * (1.0 - share))).tolist()
    return 1.0 / float(np.median(found)) if found else c


# -- groups ------------------------------------------------------------------------------------------------------------


def _groups(factors: Factors, number: np.ndarray, held: frozenset[int]) -> tuple[Group, ...] | None:
    """The groups of what is left of the constraint rows, each with its rank; rows of zeros belong to none."""
    schur, left = factors.schur, sorted(held)
    free = [k for k in range(factors.n) if k not in held]
    S = _schur(number, free, left)
    if not np.isfinite(S).all():
        return None
    G = number[:, left][:, :, free]
    place = {k: i for i, k in enumerate(left)}
    near = {k: {j for j in schur[k] if j in held} for k in left}
    found, seen = [], set()
    for start in left:
        if start in seen or not near[start]:
            continue
        own, queue = set(), [start]
        while queue:
            k = queue.pop()
            if k not in own:
                own.add(k)
                queue += [j for j in left if j in near[k] or k in near[j]]
        seen |= own
        rows = sorted(own)
        at = [place[k] for k in rows]
        found.append(_group(rows, S[:, at][:, :, at], G[:, at]))
    return tuple(found)


def _schur(number: np.ndarray, free: list[int], left: list[int]) -> np.ndarray:
    """What elimination leaves of the constraint rows, in numbers."""
    E = number[:, left][:, :, left]
    if not free:
        return E
    try:
        inner = np.linalg.solve(number[:, free][:, :, free], number[:, free][:, :, left])
    except np.linalg.LinAlgError:
        return np.full(E.shape, np.nan)
    return E - number[:, left][:, :, free] @ inner


def _group(rows: list[int], S: np.ndarray, G: np.ndarray) -> Group:
    size = np.sqrt(np.median(np.abs(np.diagonal(S, axis1=1, axis2=2)), axis=0))
    size = np.where(size > NONE * size.max(initial=0.0), size, 1.0)
    scale = 1.0 / size
    sign = _sign(scale[:, None] * S * scale)
    rank = generic_rank([scale[:, None] * each for each in G])
    return Group(tuple(rows), tuple(rows), scale, scale, rank, sign)


def _sign(S: np.ndarray) -> float:
    """What makes matrices positive semidefinite; zero where nothing does."""
    size = np.abs(S).max(initial=0.0)
    if np.abs(S - S.transpose(0, 2, 1)).max(initial=0.0) > NONE * size:
        return 0.0
    values = np.linalg.eigvalsh(S)
    if values.min(initial=0.0) > -ROUNDING * size:
        return 1.0
    return -1.0 if values.max(initial=0.0) < ROUNDING * size else 0.0
