"""Expressions along a run, and the nodes of an integral over its steps that owes nothing to the integrator."""

from __future__ import annotations

import numpy as np

from multibond.expr import SX, Function, column
from multibond.lower.system import System

NODES, WEIGHTS = np.polynomial.legendre.leggauss(7)


def values_along(system: System, expressions: list[SX], times: np.ndarray, x: np.ndarray) -> np.ndarray:
    """Expressions at many states, one column a time."""
    whole = system.reduced.whole
    function = Function("values", [whole.t, whole.x, whole.y, whole.p], [column(expressions)])
    p = np.repeat(system.parameters[:, None], times.size, axis=1)
    y = system.unknowns(times, x)
    return np.asarray(function.map(times.size)(times[None, :], x.T, y, p))
