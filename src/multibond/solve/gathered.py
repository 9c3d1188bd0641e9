"""Whether what Dq and Dp have gathered is right, where their states did not decide the steps."""

from __future__ import annotations

import casadi as ca
import numpy as np

from multibond.expr import Function
from multibond.lower.system import System
from multibond.solve.contract import Trajectory
from multibond.solve.reading import evaluate
from multibond.solve.solution import Solution

NODES, WEIGHTS = np.polynomial.legendre.leggauss(7)
LOOSE = 1e3
"""What a step gathers may differ from an independent quadrature by so many tolerances."""


def is_gathered_well(solution: Solution, rtol: float, atol: float) -> bool:
    """Whether the steps, chosen for the other states, were short enough for silent sensors too."""
    pieces = [p for p in solution.pieces if p.system.silent.any() and p.trajectory.t.size > 1]
    largest = max((float(np.abs(p.trajectory.x[:, p.system.silent]).max()) for p in pieces), default=0.0)
    return all(_worst(p.system, p.trajectory) <= LOOSE * (rtol * largest + atol) for p in pieces)


def _worst(system: System, run: Trajectory) -> float:
    """The largest difference between what a step gathered and Gauss' quadrature of its rate."""
    whole, silent, h = system.reduced.whole, np.flatnonzero(system.silent), np.diff(run.t)
    rate = Function("rate", [whole.t, whole.x, whole.y, whole.p], [ca.densify(whole.xdot[list(map(int, silent))])])
    times = (run.t[:-1, None] + 0.5 * h[:, None] * (NODES + 1)).ravel()
    found = evaluate(system, rate, times, run.at(times)).reshape(h.size, NODES.size, silent.size)
    gathered = 0.5 * h[:, None] * np.einsum("sgk,g->sk", found, WEIGHTS)
    difference = np.abs(gathered - np.diff(run.x[:, silent], axis=0))
    return float(np.nan_to_num(difference, nan=np.inf).max())
