"""Which constraint rows say nothing new, and in the user's words which joints they belong to."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from multibond.equations.dae import Dae
from multibond.structure.tree import held_by

TOLERANCE = 1e-8
"""Rows count as dependent when what is new in them is below this fraction of the largest row."""


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
    unknowns. The rank is that of most other positions, so that a start in a singular position loses no row, and a
    position on another branch, in which the machine is assembled otherwise and may be rigid, adds none.
    """
    if not rows:
        return Redundancy((), (), (), 0)
    choices = [_independent(matrix) for matrix in jacobians]
    ranks = sorted(len(chosen) for chosen in choices[1:]) or [0]
    rank = max(len(choices[0]), ranks[len(ranks) // 2])
    best = next(chosen for chosen in choices if len(chosen) == rank)
    dropped = [k for k in range(len(rows)) if k not in best]
    names = tuple(row_name(dae, rows[k]) for k in dropped)
    return Redundancy(tuple(rows[k] for k in sorted(best)), tuple(rows[k] for k in dropped), names, len(best))


def _independent(matrix: np.ndarray) -> list[int]:
    """Rows by largest remainder first (Gram-Schmidt); equal remainders go by the row's number."""
    rest = matrix.copy()
    largest = np.linalg.norm(rest, axis=1).max(initial=0.0)
    chosen: list[int] = []
    while True:
        sizes = np.linalg.norm(rest, axis=1)
        sizes[chosen] = 0.0
        top = sizes.max(initial=0.0)
        if top <= TOLERANCE * largest:
            return chosen
        k = int(np.flatnonzero(sizes >= 0.999 * top)[0])
        chosen.append(k)
        direction = rest[k] / sizes[k]
        for _ in range(2):
            rest -= np.outer(rest @ direction, direction)


def row_name(dae: Dae, index: int) -> str:
    """A multiplier's row in words: joint, held motion and its component, counted from 0, such as "C rotation 0"."""
    place = next(u for u in dae.unknowns if index in u.range)
    what, number = held_by(dae.graph, place.path), index - place.start
    hit = dae.graph.signal_at(place.path, "gap")
    lane = hit[1].select[0] if hit is not None and hit[1].select else number
    return f"{dae.graph.owner(place.path)} {what} {lane}" if what else f"{place.path} {number}"
