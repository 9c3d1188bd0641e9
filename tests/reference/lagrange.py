"""Mechanisms by hand: minimal coordinates and Lagrange's equations, integrated with SciPy.

Each is told by where its masses are and how its bodies are turned, as closed formulas of its independent coordinates.
Mass matrix and the rest follow by differentiation.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import casadi as ca
import numpy as np
from scipy.integrate import solve_ivp

G = 9.81
SX = ca.SX


@dataclass(frozen=True)
class Told:
    """A mechanism in minimal coordinates.

    points: mass and place of each; turns: moment of inertia and angles about axes at right angles to one another, of
    each body (so that their rates are components of its angular velocity); spring: potential energy; drive: generalised
    forces for coordinates and rates; outputs: coordinates that are compared, their rates follow after them; gravity
    along -y  [m/s²].
    """

    points: list[tuple[float, SX]]
    turns: list[tuple[float, SX]]
    outputs: SX
    spring: SX | float = 0.0
    drive: Callable[[SX, SX], SX] | None = None
    gravity: float = G


def lagrange(tell: Callable[[SX], Told], start: Sequence[float], times: np.ndarray) -> np.ndarray:
    """Outputs and their rates at given times; start: independent coordinates, then their rates."""
    n = len(start) // 2
    q, u = SX.sym("q", n), SX.sym("u", n)
    told = tell(q)
    speeds = [(m, ca.jtimes(place, q, u)) for m, place in (*told.points, *told.turns)]
    kinetic = sum(0.5 * m * ca.sumsqr(v) for m, v in speeds)
    height = sum(m * told.gravity * place[1] for m, place in told.points)
    momentum = ca.gradient(kinetic, u)
    force = ca.gradient(kinetic - height - told.spring, q) - ca.jtimes(momentum, q, u)
    force += told.drive(q, u) if told.drive is not None else 0
    right = ca.vertcat(u, ca.solve(ca.jacobian(momentum, u), force))
    rate = ca.Function("rate", [ca.vertcat(q, u)], [right])
    out = ca.Function("out", [ca.vertcat(q, u)], [ca.vertcat(told.outputs, ca.jtimes(told.outputs, q, u))])
    span, tight = (0.0, float(times[-1])), {"rtol": 1e-13, "atol": 1e-14}
    found = solve_ivp(lambda _, z: np.asarray(rate(z)).ravel(), span, start, "DOP853", times, **tight)
    return np.asarray(out(found.y)).T


def clockwise(angle: SX, x: float, y: float) -> SX:
    """A vector in the plane turned clockwise."""
    c, s = ca.cos(angle), ca.sin(angle)
    return ca.vertcat(c * x + s * y, -s * x + c * y)
