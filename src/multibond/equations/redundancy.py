"""Which constraint rows say nothing new, and in the user's words which joints they belong to."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from multibond.equations.dae import Dae
from multibond.structure.tree import held_by

TOLERANCE = 3e-7
"""Singular values below this fraction of the largest are none: where constraints touch, as those of three equal cranks,
a position settled to the last digit leaves them as the root of a rounding."""
ROUNDING = 1e-10
"""What is below this fraction is rounding."""


@dataclass(frozen=True)
class Redundancy:
    """Kept and dropped rows of the multipliers (indices among the unknowns), and what the dropped ones repeat."""

    kept: tuple[int, ...]
    dropped: tuple[int, ...]
    names: tuple[str, ...]
    rank: int

    def __str__(self) -> str:
        return f"{len(self.dropped)} redundant: {', '.join(self.names)}" if self.dropped else "no redundant constraint"


def find_redundancy(dae: Dae, jacobians: list[np.ndarray], rows: list[int]) -> Redundancy:
    """Choose independent rows, from the flow conditions at several assembled positions.

    jacobians: rows of the held flows at each position, the start first. rows: the same rows' numbers among the
    unknowns.
    """
    if not rows:
        return Redundancy((), (), (), 0)
    rank = generic_rank(jacobians)
    choices = [_independent(matrix, rank) for matrix in jacobians]
    best = next(chosen for chosen in choices if len(chosen) == rank)
    dropped = [k for k in range(len(rows)) if k not in best]
    names = tuple(row_name(dae, rows[k]) for k in dropped)
    return Redundancy(tuple(rows[k] for k in sorted(best)), tuple(rows[k] for k in dropped), names, len(best))


def generic_rank(jacobians: Sequence[np.ndarray]) -> int:
    """The rank of most positions, the start being the first; positions whose singular values leave it open count not.

    A start in a singular position loses no row so, and one that is assembled otherwise and rigid adds none. Where all
    positions leave it open, constraints only touch there: then all that is more than rounding counts.
    """
    first, *others = (rank_of(matrix) for matrix in jacobians)
    clear = sorted(rank for rank, is_clear in others if is_clear)
    if not clear:
        clear = sorted(_above(matrix, ROUNDING) for matrix in jacobians[1:]) or [0]
    return max(first[0], clear[len(clear) // 2])


def rank_of(matrix: np.ndarray) -> tuple[int, bool]:
    """The rank, and whether singular values beyond it are no more than rounding."""
    rank = _above(matrix, TOLERANCE)
    return rank, rank == _above(matrix, ROUNDING)


def _above(matrix: np.ndarray, part: float) -> int:
    values = np.linalg.svd(matrix, compute_uv=False)
    return int((values > part * values.max(initial=0.0)).sum())


def _independent(matrix: np.ndarray, rank: int) -> list[int]:
    """Rows by largest remainder first (Gram-Schmidt), no more than `rank`; equal remainders go by the row's number."""
    rest = matrix.copy()
    largest = np.linalg.norm(rest, axis=1).max(initial=0.0)
    chosen: list[int] = []
    while len(chosen) < rank:
        sizes = np.linalg.norm(rest, axis=1)
        sizes[chosen] = 0.0
        top = sizes.max(initial=0.0)
        if top <= ROUNDING * largest:
            break
        k = int(np.flatnonzero(sizes >= 0.999 * top)[0])
        chosen.append(k)
        direction = rest[k] / sizes[k]
        for _ in range(2):
            rest -= np.outer(rest @ direction, direction)
    return chosen


def row_name(dae: Dae, index: int) -> str:
    """A multiplier's row in words: joint, held motion and its component, counted from 0, such as "C rotation 0"."""
    place = next(u for u in dae.unknowns if index in u.range)
    what, number = held_by(dae.graph, place.path), index - place.start
    hit = dae.graph.signal_at(place.path, "gap")
    lane = hit[1].select[0] if hit is not None and hit[1].select else number
    return f"{dae.graph.owner(place.path)} {what} {lane}" if what else f"{place.path} {number}"
