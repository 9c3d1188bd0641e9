"""Quotients of trigonometric sums, and the equations of loops solved with them (Boudon et al. 2017, appendix 2).

The conditions of a loop, G q̇ = 0, are divided among the dependent velocities by Cramer's rule: numerators and
denominators are sums again, in which what cancels is gone.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from multibond.expr import SX
from multibond.rewrite.trig import ONE, Key, NotTrigonometric, Trig, trig_of

LARGEST = 5
"""More conditions than this are not solved for by Cramer's rule."""
SAME = 1e-9


@dataclass(frozen=True)
class Fraction:
    """whole + above / below."""

    whole: float
    above: Trig
    below: Trig


def reduced(above: Trig, below: Trig) -> Fraction:
    """A quotient without common symbols and numbers, and with its constant part apart."""
    if not above.terms:
        return Fraction(0.0, Trig(), Trig({ONE: 1.0}))
    common = _common([*above.terms, *below.terms])
    lead = next(iter(below.terms.values()))
    above, below = (_divided(part, common).times(1.0 / lead) for part in (above, below))
    shares = [above.terms.get(key, 0.0) / value for key, value in below.terms.items()]
    if below.number is None and shares[0] and all(abs(s - shares[0]) < SAME for s in shares):
        return Fraction(round(shares[0], 12), above - below.times(shares[0]), below)
    return Fraction(0.0, above, below)


def _common(keys: Sequence[Key]) -> dict[str, int]:
    first = dict(keys[0][0])
    return {name: least for name in first if (least := min(dict(m).get(name, 0) for m, _, _ in keys)) > 0}


def _divided(part: Trig, common: Mapping[str, int]) -> Trig:
    terms = {}
    for (monomial, angle, word), value in part.terms.items():
        left = tuple((n, p - common.get(n, 0)) for n, p in monomial if p > common.get(n, 0))
        terms[left, angle, word] = value
    return Trig(terms)


def solved(G: SX, free: Sequence[int], bound: Sequence[int]) -> list[list[Fraction]]:
    """T with q̇_bound = T q̇_free from G q̇ = 0; refuses what is no trigonometric sum, or too large."""
    if len(bound) > LARGEST:
        raise NotTrigonometric
    rows = [[trig_of(SX(G[i, j])) for j in range(G.shape[1])] for i in range(G.shape[0])]
    square = [[row[j] for j in bound] for row in rows]
    below = _determinant(square)
    table = []
    for k in range(len(bound)):
        exchanged = [[[*row[:k], -rows[i][j], *row[k + 1 :]] for i, row in enumerate(square)] for j in free]
        table.append([reduced(_determinant(part), below) for part in exchanged])
    return table


def _determinant(rows: list[list[Trig]]) -> Trig:
    """By the row or column with the most zeros."""
    if not rows:
        return Trig({ONE: 1.0})
    best = min(range(len(rows)), key=lambda i: sum(bool(e.terms) for e in rows[i]))
    total = Trig()
    for j, entry in enumerate(rows[best]):
        if entry.terms:
            minor = [[*row[:j], *row[j + 1 :]] for i, row in enumerate(rows) if i != best]
            total = total + (entry * _determinant(minor)).times((-1.0) ** (best + j))
    return total
