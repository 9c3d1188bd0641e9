"""Start values found so that given accelerations hold: Newton's method on positions, flows and rates of flows at once.

What is fixed stays exact; coordinates, speeds and storages that are not given move as little as possible.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import casadi as ca
import numpy as np

from multibond.equations.consistent import Manifold
from multibond.equations.reduce import Reduced
from multibond.equations.slopes import Slopes
from multibond.errors import Finding
from multibond.expr import SX, column

TOLERANCE = 1e-9
STEPS = 60


@dataclass(frozen=True)
class Wish:
    """A given acceleration: whose, the flow it is the rate of, and its numbers."""

    joint: str
    flow: SX
    number: np.ndarray


@dataclass(frozen=True)
class Reached:
    """The state that was found, and what is left of the worst condition."""

    x: np.ndarray
    error: float


def reach(
    r: Reduced, shape: Manifold, wishes: Sequence[Wish], x: np.ndarray, p: np.ndarray, fixed: np.ndarray
) -> Reached:
    """The state nearest to x in which every wish holds, or the nearest that was found."""
    search = Search(r, shape, wishes, p, fixed)
    rng, best = np.random.default_rng(13), search.newton(x)
    for spread in (0.1, 0.3, 1.0, 1.0, 3.0):
        if best.error <= TOLERANCE:
            break
        guess = x.copy()
        guess[search.free] += spread * rng.standard_normal(search.free.size)
        found = search.newton(guess)
        best = found if found.error < best.error else best
    return best


class Search:
    """Newton's method with least change on all conditions together."""

    def __init__(self, r: Reduced, shape: Manifold, wishes: Sequence[Wish], p: np.ndarray, fixed: np.ndarray) -> None:
        w = r.whole
        flow = column([wish.flow for wish in wishes])
        rate = ca.jtimes(flow, w.x, w.xdot) + ca.jacobian(flow, w.t)
        self.shape, self.p = shape, p
        self.rate = Slopes(r).derivative(rate)
        self.target = np.concatenate([wish.number for wish in wishes])
        self.scale = max(1.0, float(np.abs(self.target).max()))
        self.free = np.array([k for k in (*shape.positions, *shape.flows) if not fixed[k]], int)

    def newton(self, x: np.ndarray) -> Reached:
        """From one guess."""
        x, best = x.copy(), Reached(x, np.inf)
        self.shape._unit(x)
        for _ in range(STEPS):
            value, slope = self.conditions(x)
            if not (np.isfinite(value).all() and np.isfinite(slope).all()):
                break
            error = float(np.abs(value).max(initial=0.0))
            best = Reached(x.copy(), error) if error < best.error else best
            if error < 1e-14 or not self.free.size:
                break
            move = np.linalg.lstsq(slope[:, self.free], value, rcond=1e-11)[0]
            size = float(np.abs(move).max(initial=0.0))
            x[self.free] -= move * min(1.0, 0.5 / size) if size > 0.5 else move
            self.shape._unit(x)
        return best

    def conditions(self, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """All conditions on a state and their slopes: positions, flows, given accelerations."""
        position, by_position = (np.asarray(v) for v in self.shape.position_conditions(0.0, x, self.p))
        flow, by_flow = (np.asarray(v) for v in self.shape.flow_conditions(0.0, x, self.p))
        rate, by_rate = self.rate(x, self.p)
        value = np.concatenate([position[:, 0], flow[:, 0], (rate - self.target) / self.scale])
        return value, np.vstack([by_position, by_flow, by_rate / self.scale])


def not_reached(
    wishes: Sequence[Wish], alone: Sequence[Wish], error: float, names: Sequence[str], free: int
) -> Finding:
    """What to say where accelerations cannot be had; `alone`: those that cannot be had even without the others."""
    joints = tuple(dict.fromkeys(wish.joint for wish in alone or wishes))
    named = ", ".join(repr(joint) for joint in joints)
    given = f"With {', '.join(names)} as given" if names else "From the guesses"
    fact = f"{given} the nearest start leaves an error of {error:.3g}, with {free} free to move."
    cure = "Give fewer start values, better guesses, or drive the joint; a Guess may be moved."
    return Finding(f"the acceleration at the start of {named} cannot be had.", fact, cure, joints)
