"""Kinks of formulas as a run passes them: where they lie, and whether one holds the motion.

A formula that jumps can lead the motion back to its jump from both sides, as an ideal relay does. The motion then stays
at the jump (Filippov 1988, §4), and a run can only creep along it from one side to the other.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import casadi as ca
import numpy as np

from multibond.expr import SX, Function
from multibond.lower.system import filled, total_derivative
from multibond.solve.contract import Trajectory
from multibond.solve.modes import Mode

SECANTS = 12
"""Steps of the secant method towards a kink; a few are enough."""
REACHED = 1e-6
"""A kink that comes no nearer than this part of its distance has jumped itself."""
CLOCK = 2.0**-51
"""The resolution of the clock."""
WIDE = 1e3
"""So many tolerances on either side of a kink rates are compared with those one tolerance from it."""
STEEP = 0.02
"""Near it they differ as much where they jump, 0.03 times where they go as a root, 0.001 times where smooth."""


@dataclass(frozen=True)
class Kinks:
    """The kinks of a system in one set of modes, in the order of its table of edges."""

    mode: Mode

    @cached_property
    def _where(self) -> SX:
        r = self.mode.system.reduced
        return filled(r, self.mode.instants.edge_where)

    def _function(self, parts: list[SX]) -> Function:
        whole = self.mode.system.reduced.whole
        return Function("kinks", [whole.t, whole.x, whole.y, whole.p], [ca.densify(e) for e in parts])

    @cached_property
    def _value(self) -> Function:
        return self._function([self._where])

    @cached_property
    def _slopes(self) -> tuple[SX, SX]:
        """How fast time moves the kinks, and how each state does."""
        r, where = self.mode.system.reduced, self.mode.instants.edge_where
        return total_derivative(r, where, r.whole.t), total_derivative(r, where, r.whole.x)

    @cached_property
    def _all(self) -> Function:
        return self._function([self._where, *self._slopes])

    @cached_property
    def by_time(self) -> np.ndarray:
        """Which kinks time moves."""
        return np.array(ca.DM(self._slopes[0].sparsity(), 1)).ravel() != 0

    @cached_property
    def by_state(self) -> np.ndarray:
        """Which kinks the states move."""
        return (np.array(ca.DM(self._slopes[1].sparsity(), 1)) != 0).any(axis=1)

    def _call(self, function: Function, t: float, x: np.ndarray) -> list[np.ndarray]:
        system = self.mode.system
        y = self.mode.unknowns(t, x) if system.reduced.implicit else np.zeros(system.dae.ny)
        return [np.asarray(v) for v in function.call([t, ca.DM(x), ca.DM(y), self.mode.numbers])]

    def values(self, t: float, x: np.ndarray) -> np.ndarray:
        """How far each kink is away; zero at it."""
        return self._call(self._value, t, x)[0].ravel()

    def _look(self, t: float, x: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        value, by_t, by_x = self._call(self._all, t, x)
        return value.ravel(), by_t.ravel(), by_x.reshape(value.size, x.size)

    def crossing(self, k: int, step: Trajectory, guess: float) -> float | None:
        """When a kink is reached, if the motion goes on as in a step that ends before it; None where it is not."""
        end = float(step.t[-1])
        first, last = (float(self.values(float(step.t[j]), step.x[j])[k]) for j in (0, -1))
        if not first * last > 0:
            return None
        a, b, at_a = end, guess, last
        at_b = float(self.values(b, step.continued(b))[k])
        for _ in range(SECANTS):
            if at_b in (0.0, at_a) or abs(b - a) <= CLOCK * abs(b):
                break
            a, b, at_a = b, b - at_b * (b - a) / (at_b - at_a), at_b
            if not end <= b <= guess + (guess - float(step.t[0])):
                return None
            at_b = float(self.values(b, step.continued(b))[k])
        return b if abs(at_b) <= REACHED * abs(last) else None

    def holds(self, k: int, t: float, x: np.ndarray, tolerance: np.ndarray) -> bool:
        """Whether the motion is led back to a kink from both sides by a rate that jumps there, or as good as jumps."""
        value, _, by_x = self._look(t, x)
        away = np.sign(by_x[k]) * tolerance
        reach = float(np.abs(by_x[k]) @ tolerance)
        if not (np.isfinite(reach) and reach > 0):
            return False
        on = x - value[k] / reach * away
        near, far = (self._difference(k, t, on, size * away) for size in (1.0, WIDE))
        return near is not None and far is not None and near < STEEP * far < 0

    def _difference(self, k: int, t: float, x: np.ndarray, away: np.ndarray) -> float | None:
        """The kink's rate on its far side less that on its near side; None where these do not lead back to it."""
        below, above = (self._rate(k, t, x + side * away) for side in (-1.0, 1.0))
        return above - below if below > 0 > above else None

    def _rate(self, k: int, t: float, x: np.ndarray) -> float:
        """How fast the kink comes nearer (below zero) or goes away (above it)."""
        _, by_t, by_x = self._look(t, x)
        return float(by_t[k] + by_x[k] @ self.mode.system.derivative(x, t=t))

    def within(self, k: int, t: float, x: np.ndarray, tolerance: np.ndarray) -> bool:
        """Whether the motion is so near to a kink that an error of the integrator could have brought it there."""
        value, _, by_x = self._look(t, x)
        return bool(np.abs(value[k]) <= WIDE * (np.abs(by_x[k]) @ tolerance))
