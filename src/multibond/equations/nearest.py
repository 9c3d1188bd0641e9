"""The point nearest to what is wished among those that obey conditions: one search for every stage of a start.

Conditions come first (Newton's method, least change), then wishes in their order: each is met as nearly as possible
(least squares, damped Gauss-Newton along the conditions) while all before it stay as near as they have come.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

Values = Callable[[np.ndarray], tuple[np.ndarray, np.ndarray]]
"""Values of expressions at a point (zero where they hold), and their slopes, one row each."""

LARGEST = 0.5
"""No step changes a coordinate by more  [rad or m]."""
MET = 1e-14
"""A wish that is missed by less is met."""
RANK = 1e-9
"""Singular values below this fraction of the largest are none."""
ROUNDS = 60


@dataclass(frozen=True)
class Freedom:
    """Which unknowns may move, how far at once, and what brings those of fixed length back to it, in place."""

    free: np.ndarray
    largest: np.ndarray | float
    normal: Callable[[np.ndarray], None]

    @cached_property
    def _most(self) -> np.ndarray | float:
        """How far each free unknown may move at once."""
        return self.largest[self.free] if isinstance(self.largest, np.ndarray) else self.largest

    def moved(self, z: np.ndarray, step: np.ndarray) -> np.ndarray:
        """The point a step of the free unknowns away, or less where that is too far."""
        z = z.copy()
        z[self.free] += step / max(1.0, float((np.abs(step) / self._most).max(initial=0.0)))
        self.normal(z)
        return z


def close(conditions: Values, z: np.ndarray, freedom: Freedom, steps: int = 60) -> tuple[np.ndarray, float]:
    """Least change of the free unknowns until all conditions hold; returns the remaining error."""
    free = freedom.free
    z, error = z.copy(), np.inf
    for step in range(steps + 1):
        value, slope = conditions(z)
        error = float(np.abs(value).max(initial=0.0))
        if not (np.isfinite(value).all() and np.isfinite(slope).all()):
            return z, np.inf
        if error < 1e-14 or step == steps or not free.size or not value.size:
            break
        move = np.linalg.lstsq(slope[:, free], value, rcond=1e-10)[0]
        if np.abs(move).max() <= 1e-16 * max(1.0, float(np.abs(z).max())):
            break
        z = freedom.moved(z, -move)
    return z, error


def nearest(conditions: Values, wishes: Sequence[Values], z: np.ndarray, freedom: Freedom) -> np.ndarray:
    """From a point at which the conditions hold: that at which the first wish is met best, then the second, …"""
    held = conditions
    for wish in wishes:
        if not wish(z)[0].size:
            continue
        if not _ways(held(z)[1][:, freedom.free]).size:
            break
        z = _descend(held, wish, z, freedom)
        held = _both(held, wish, wish(z)[0])
    return z


def _both(first: Values, second: Values, reached: np.ndarray) -> Values:
    """Conditions, and that a wish stays where it is."""

    def values(z: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        (a, A), (b, B) = first(z), second(z)
        return np.concatenate([a, b - reached]), np.vstack([A, B])

    return values


def _descend(held: Values, wish: Values, z: np.ndarray, freedom: Freedom) -> np.ndarray:
    (value, slope), free = wish(z), freedom.free
    damping, allowed = 0.0, max(MET, 2.0 * float(np.abs(held(z)[0]).max(initial=0.0)))
    for _ in range(ROUNDS):
        if np.abs(value).max(initial=0.0) <= MET:
            break
        ways = _ways(held(z)[1][:, free])
        along = slope[:, free] @ ways
        size = float(np.square(along).sum())
        if not ways.size or size <= 1e-24:
            break
        step = ways @ _damped(along, value, damping)
        trial, error = close(held, freedom.moved(z, step), freedom, 15)
        fresh, by = wish(trial)
        if error <= allowed and fresh @ fresh < value @ value:
            gain = 1.0 - (fresh @ fresh) / (value @ value)
            z, value, slope, damping = trial, fresh, by, damping / 10.0
            if gain < 1e-13:
                break
        elif np.abs(step).max(initial=0.0) < 1e-10 or damping > 1e6 * size:
            break
        else:
            damping = max(4.0 * damping, 1e-2 * size)
    return z


def _ways(slope: np.ndarray) -> np.ndarray:
    """Columns: directions in which the conditions do not change."""
    if not slope.size:
        return np.eye(slope.shape[1])
    _, sizes, directions = np.linalg.svd(slope)
    return directions[int((sizes > RANK * sizes[0]).sum()) if sizes[0] else 0 :].T


def _damped(slope: np.ndarray, value: np.ndarray, damping: float) -> np.ndarray:
    n = slope.shape[1]
    rows = np.vstack([slope, np.sqrt(damping) * np.eye(n)]) if damping else slope
    return np.linalg.lstsq(rows, -np.concatenate([value, np.zeros(n if damping else 0)]), rcond=1e-9)[0]


def spread_points(count: int, size: int) -> np.ndarray:
    """Points that fill the cube from -1 to 1 evenly, one row each (additive recurrence, Roberts 2018)."""
    root = 2.0
    for _ in range(40):
        root = (1.0 + root) ** (1.0 / (size + 1))
    steps = root ** -np.arange(1.0, size + 1)
    return 2.0 * ((0.5 + np.outer(np.arange(1, count + 1), steps)) % 1.0) - 1.0
