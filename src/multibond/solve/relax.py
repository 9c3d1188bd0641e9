"""Assembly by relaxation: every constraint a spring, every motion damped, until the machine has come together.

It is the method "rc" without masses (Boudon et al., after Rideout): q' = -Jᵀ g, followed by implicit steps that grow
while the gaps fall. Slower than Newton's method, but it always goes downhill.
"""

from __future__ import annotations

import numpy as np

from multibond.equations.consistent import Manifold

STEPS = 400


def relax(shape: Manifold, x: np.ndarray, p: np.ndarray, fixed: np.ndarray) -> tuple[np.ndarray, float]:
    """Let the springs pull from x; what is fixed stays. Returns the state and the largest gap that is left."""
    free = np.array([k for k in shape.positions if not fixed[k]], int)
    value, slope = _gaps(shape, x, p)
    stiffness = 1.0
    for _ in range(STEPS if free.size and value.size else 0):
        J = slope[:, free]
        pull = J.T @ value
        if np.abs(value).max() < 1e-14 or np.abs(pull).max() <= 1e-15 * np.abs(value).max():
            break
        step = np.linalg.lstsq(J.T @ J + stiffness * np.eye(free.size), -pull, rcond=None)[0]
        trial = x.copy()
        trial[free] += step
        shape.unit(trial, fixed)
        fresh, by = _gaps(shape, trial, p)
        if np.isfinite(fresh).all() and fresh @ fresh < value @ value:
            x, value, slope, stiffness = trial, fresh, by, max(stiffness / 5, 1e-16)
        elif stiffness > 1e8:
            break
        else:
            stiffness *= 4
    return x, float(np.abs(value).max(initial=0.0))


def _gaps(shape: Manifold, x: np.ndarray, p: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    value, slope = (np.asarray(v) for v in shape.position_conditions(0.0, x, p))
    return value[:, 0], slope
