"""An independent reference: ordinary differential equations written by hand, integrated by SciPy to 1e-12."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from scipy.integrate import solve_ivp


def by_scipy(rate: Callable[[float, np.ndarray], Sequence[Any]], start: Any, times: np.ndarray) -> np.ndarray:
    """The solution at given times, one row each."""
    span = (float(times[0]), float(times[-1]))
    found = solve_ivp(rate, span, np.ravel(start), t_eval=times, method="DOP853", rtol=1e-12, atol=1e-14)
    assert found.success
    return found.y.T


def close(found: Any, expected: Any, tolerance: float = 1e-9) -> None:
    """Component by component, relative to the largest value of that component (at least one)."""
    found, expected = (np.asarray(v, float).reshape(len(v), -1) for v in (found, expected))
    scale = np.maximum(1.0, np.abs(expected).max(axis=0))
    assert found.shape == expected.shape
    np.testing.assert_array_less(np.abs(found - expected).max(axis=0) / scale, tolerance)
