"""Expressions along a run, and the nodes of an integral over its steps that owes nothing to the integrator."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from multibond.expr import SX, Function, column
from multibond.lower.system import System
from multibond.solve.contract import Trajectory

NODES, WEIGHTS = np.polynomial.legendre.leggauss(7)


def values_along(
    system: System, expressions: list[SX], times: np.ndarray, x: np.ndarray, p: np.ndarray | None = None
) -> np.ndarray:
    """Expressions at many states, one column a time; p: the numbers at each, where they are not those of the system."""
    whole = system.reduced.whole
    function = Function("values", [whole.t, whole.x, whole.y, whole.p], [column(expressions)])
    p = np.repeat(system.parameters[:, None], times.size, axis=1) if p is None else p
    y = system.unknowns(times, x, p)
    return np.asarray(function.map(times.size)(times[None, :], x.T, y, p))


def numbers_within(runs: Sequence[Trajectory]) -> np.ndarray:
    """The numbers with which stretches were integrated, one column for each end of their steps.

    At the instants between stretches these tell the side on which a stretch stands.
    """
    return np.hstack([np.repeat(run.numbers[:, None], run.t.size, axis=1) for run in runs])
