"""Rates and unknowns of a reduced system as numbers, with their exact derivatives.

The unknowns y solve R(t, x, y, p) = 0; by the implicit function theorem dy/dx = -R_y⁻¹ R_x, so that no expression for
the solved unknowns has to be differentiated. Forces in redundant constraints are zero here.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import casadi as ca
import numpy as np

from multibond.equations.reduce import Reduced
from multibond.expr import SX, Function

STEPS = 50


@dataclass(frozen=True)
class Slopes:
    """Numbers of a reduced system: unknowns, rates, and derivatives of any expression of (t, x, y, p)."""

    r: Reduced

    @property
    def keep(self) -> list[int]:
        """The unknowns that are solved for."""
        return list(self.r.kept)

    @cached_property
    def residual(self) -> SX:
        """The rows that determine them."""
        rows = self.r.residual if self.r.residual.numel() else self.r.whole.residual
        return rows[self.keep] if self.keep else SX(0, 1)

    @cached_property
    def _solve(self) -> Function:
        w, R = self.r.whole, self.residual
        slope = ca.jacobian(R, w.y[self.keep]) if self.keep else SX(0, 0)
        return Function("R", [w.t, w.x, w.y, w.p], [ca.densify(R), ca.densify(slope)])

    def unknowns(self, x: np.ndarray, p: np.ndarray, t: float = 0.0) -> np.ndarray:
        """The unknowns at a state; NaN where they have no value."""
        y = np.zeros(self.r.dae.ny)
        if self.r.implicit:
            y[:] = self.r.y_start
        last = np.inf
        for _ in range(STEPS if self.keep else 0):
            value, slope = (np.asarray(v) for v in self._solve(t, x, y, p))
            step = solved(slope, -value[:, 0], self.r.deficit)
            y[self.keep] += step
            size = float(np.abs(step).max())
            if not size < last or size <= 1e-15 * float(np.abs(y).max()):
                break
            last = size
        return y

    @cached_property
    def rates(self) -> Function:
        """(t, x, y, p) → rates of all states."""
        w = self.r.whole
        return Function("rates", [w.t, w.x, w.y, w.p], [ca.densify(w.xdot)])

    @cached_property
    def _made(self) -> dict[Any, Derivative]:
        return {}

    def kept(self, key: Any, expression: SX, of: SX | None = None) -> Derivative:
        """As `derivative`, made once for each key."""
        if key not in self._made:
            self._made[key] = self.derivative(expression, of)
        return self._made[key]

    def derivative(self, expression: SX, of: SX | None = None) -> Derivative:
        """An expression of (t, x, y, p) and its derivative, through the unknowns too, with respect to x or others."""
        w = self.r.whole
        of = w.x if of is None else of
        dR = ca.jacobian(self.residual, of)
        y = w.y[self.keep] if self.keep else SX(0, 1)
        parts = [expression, ca.jacobian(expression, of), ca.jacobian(expression, y), dR, ca.jacobian(self.residual, y)]
        function = Function("d", [w.t, w.x, w.y, w.p], [ca.densify(part) for part in parts])
        return Derivative(self, function)


@dataclass(frozen=True)
class Derivative:
    """An expression with its total derivative, as numbers."""

    slopes: Slopes
    function: Function

    def __call__(
        self, x: np.ndarray, p: np.ndarray, t: float = 0.0, y: np.ndarray | None = None
    ) -> tuple[np.ndarray, np.ndarray]:
        """Value (a vector) and derivative (a matrix) at a state."""
        y = self.slopes.unknowns(x, p, t) if y is None else y
        value, direct, by_y, of_R, R_y = (np.asarray(v) for v in self.function(t, x, y, p))
        if R_y.size:
            direct = direct - by_y @ solved(R_y, of_R, self.slopes.r.deficit)
        return value[:, 0], direct


def solved(A: np.ndarray, b: np.ndarray, deficit: int = 0) -> np.ndarray:
    """Solve A z = b for square A; NaN where A is singular.

    deficit: so many singular values are known to be none; of all solutions the smallest is taken.
    """
    try:
        if not deficit:
            return np.linalg.solve(A, b)
        u, s, v = np.linalg.svd(A)
    except np.linalg.LinAlgError:
        return np.full(b.shape, np.nan)
    rank = s.size - deficit
    inner = (u[:, :rank].T @ b).T / s[:rank]
    return v[:rank].T @ inner.T
