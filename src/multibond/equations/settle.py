"""Unknowns of residuals that are not linear, in numbers: at the start, and at sample points for ranks and pivots."""

from __future__ import annotations

from dataclasses import dataclass, replace

import casadi as ca
import numpy as np

from multibond.equations.dae import Dae, Whole
from multibond.equations.undetermined import SIGNAL_CURE, of_signals
from multibond.errors import Finding, StructureError
from multibond.expr import SX, Function

STORAGE_CURE = "Check the laws and the start values, or put a storage into the loop."

ITERATIONS = 200
ENOUGH = 1e-9
"""A residual of this size, relative to where the search began, counts as settled."""


@dataclass(frozen=True)
class Samples:
    """States and unknowns at which expressions are looked at as numbers; the first is the start."""

    whole: Whole
    x: list[np.ndarray]
    y: list[np.ndarray]
    p: np.ndarray

    def numbers(self, expression: SX, t: float = 0.0) -> np.ndarray:
        """An expression at all samples, shape (samples, rows, columns)."""
        whole = self.whole
        function = Function("n", [whole.t, whole.x, whole.y, whole.p], [ca.densify(expression)])
        return np.array([np.asarray(function(t, x, y, self.p)) for x, y in zip(self.x, self.y, strict=True)])


def settle(dae: Dae, whole: Whole, kept: tuple[int, ...], samples: Samples) -> Samples:
    """The samples with unknowns that make the residual vanish; those without a solution are left out."""
    keep = list(kept)
    residual = whole.residual[keep]
    function = Function(
        "r",
        [whole.t, whole.x, whole.y, whole.p],
        [ca.densify(residual), ca.densify(ca.jacobian(residual, whole.y[keep]))],
    )
    first = _search(function, samples.x[0], np.zeros(dae.ny), keep, samples.p)
    if first is None:
        raise StructureError(_no_solution(dae))
    found = [(samples.x[0], first)]
    for x in samples.x[1:]:
        y = _search(function, x, first, keep, samples.p)
        found += [] if y is None else [(x, y)]
    return replace(samples, x=[x for x, _ in found], y=[y for _, y in found])


def _search(function: Function, x: np.ndarray, guess: np.ndarray, keep: list[int], p: np.ndarray) -> np.ndarray | None:
    """Newton's method with steps shortened until the residual falls, from a guess and a few others."""
    rng = np.random.default_rng(11)
    for spread in (0.0, 1e-3, 1e-1, 1.0, 10.0, 100.0):
        y = guess + spread * rng.standard_normal(guess.size)
        found = _newton(function, x, y, keep, p)
        if found is not None:
            return found
    return None


def _newton(function: Function, x: np.ndarray, y: np.ndarray, keep: list[int], p: np.ndarray) -> np.ndarray | None:
    value, slope = (np.asarray(v) for v in function(0.0, x, y, p))
    if not np.isfinite(value).all():
        return None
    first = size = float(np.abs(value).max(initial=0.0))
    for _ in range(ITERATIONS):
        if not np.isfinite(slope).all():
            return None
        step = np.linalg.lstsq(slope, -value[:, 0], rcond=1e-12)[0]
        for shorter in 0.5 ** np.arange(30):
            trial = y.copy()
            trial[keep] += shorter * step
            value, slope = (np.asarray(v) for v in function(0.0, x, trial, p))
            fresh = float(np.abs(value).max(initial=0.0))
            if np.isfinite(fresh) and (fresh < size or fresh == 0.0):
                break
        else:
            return y if size <= ENOUGH * max(first, 1e-12) else None
        y, size = trial, fresh
        if np.abs(shorter * step).max(initial=0.0) <= 1e-13 * max(1e-300, float(np.abs(y).max())):
            return y
    return y if size <= ENOUGH * max(first, 1e-12) else None


def _no_solution(dae: Dae) -> Finding:
    loops = sorted({u.path for u in dae.unknowns if u.kind == "loop"})
    names = ", ".join(repr(p) for p in loops) or "several elements"
    return Finding(
        f"an algebraic loop through {names} has no solution at the start.",
        "Newton's method found no values that satisfy all laws there at once, from zero and from five other guesses.",
        SIGNAL_CURE if of_signals(dae, tuple(loops)) else STORAGE_CURE,
        tuple(loops),
    )
