"""Linearisation of a system about a state: A, B, C, D with the names of their rows and columns.

The states of loops are more than its freedoms: `minimal` gives A on the directions that the constraints leave free.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import casadi as ca
import numpy as np

from multibond.border import public
from multibond.equations.slopes import Slopes
from multibond.errors import Finding, ModelError, unknown_name
from multibond.expr import SX, Function, column
from multibond.lower.system import System
from multibond.solve.named import Named

FREE = 1e-9
"""Singular values of the conditions below this fraction of the largest leave a direction free."""


@public
@dataclass(frozen=True)
class Linear:
    """δx' = A δx + B δu, δy = C δx + D δu; `tangent`: directions of x that the constraints leave free, as columns."""

    A: Named
    B: Named
    C: Named
    D: Named
    x: np.ndarray
    rate: np.ndarray
    tangent: np.ndarray

    @property
    def states(self) -> tuple[str, ...]:
        """Names of the states."""
        return self.A.names

    @property
    def inputs(self) -> tuple[str, ...]:
        """Names of the inputs."""
        return self.B.columns

    @property
    def outputs(self) -> tuple[str, ...]:
        """Names of the outputs."""
        return self.C.names

    @cached_property
    def minimal(self) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """A, B, C, D in coordinates of the free directions: x = x0 + tangent ξ."""
        T = self.tangent
        return T.T @ self.A @ T, T.T @ np.asarray(self.B), np.asarray(self.C) @ T, np.asarray(self.D)

    @cached_property
    def eigenvalues(self) -> np.ndarray:
        """Eigenvalues of the motion that the constraints allow, the least damped first  [1/s]."""
        values = np.linalg.eigvals(self.minimal[0]) if self.tangent.shape[1] else np.zeros(0)
        return values[np.lexsort((np.abs(values.imag), -values.real))]

    def to_dict(self) -> dict[str, Any]:
        """As plain numbers and names."""
        matrices = {name: np.asarray(getattr(self, name)).tolist() for name in "ABCD"}
        values = [[float(v.real), float(v.imag)] for v in self.eigenvalues]
        names = {"states": list(self.states), "inputs": list(self.inputs), "outputs": list(self.outputs)}
        return names | matrices | {"eigenvalues": values}


def linearise(
    system: System,
    slopes: Slopes,
    x: np.ndarray,
    t: float = 0.0,
    *,
    inputs: Sequence[str] | None = None,
    outputs: Sequence[str] = (),
) -> Linear:
    """Linearise about a state; inputs are parameters by name (or `Input` blocks), outputs any variables."""
    w, p = system.reduced.whole, system.parameters
    names, columns = _inputs(system, inputs)
    wanted = column([system.observer.expression(name) for name in outputs])
    _require_determined(system, wanted, outputs)
    both = column([w.xdot, wanted])
    y = slopes.unknowns(x, p, t)
    key = tuple(outputs)
    value, by_x = slopes.kept(key, both)(x, p, t, y)
    by_u = (
        slopes.kept((key, tuple(names)), both, w.p[columns])(x, p, t, y)[1] if columns else np.zeros((both.numel(), 0))
    )
    n, rows = system.n, [n for name in outputs for n in _lanes(name, system.observer.expression(name).numel())]
    return Linear(
        Named(by_x[:n], system.state_names, system.state_names), Named(by_u[:n], system.state_names, names),
        Named(by_x[n:], rows, system.state_names), Named(by_u[n:], rows, names),
        x, value[:n], tangent(system, x, p, t),
    )  # fmt: skip


def _lanes(name: str, size: int) -> list[str]:
    return [name] if size == 1 else [f"{name}[{k}]" for k in range(size)]


def _inputs(system: System, inputs: Sequence[str] | None) -> tuple[list[str], list[int]]:
    """Names and indices of inputs among the parameters."""
    dae = system.dae
    names, columns = [], []
    for name in system.inputs if inputs is None else inputs:
        place = dae.parameter_places.get(name) or dae.parameter_places.get(f"{name}.value")
        if place is None or not place.size:
            raise unknown_name("the system", name, dae.parameter_places, offer="Name parameters that are not zero.")
        names += _lanes(name, place.size)
        columns += list(place.range)
    return names, columns


def _require_determined(system: System, wanted: SX, outputs: Sequence[str]) -> None:
    """Forces that the constraints do not determine have no derivative."""
    dropped = list(system.reduced.redundancy.dropped)
    if not dropped or not wanted.numel() or not ca.depends_on(wanted, system.reduced.whole.y[dropped]):
        return
    fact = f"Redundant constraints share it: {', '.join(system.reduced.redundancy.names)}."
    cure = "Leave it out, or free a direction of one of these joints."
    raise ModelError(Finding(f"not all of {', '.join(outputs)} can be linearised.", fact, cure))


def tangent(system: System, x: np.ndarray, p: np.ndarray, t: float = 0.0) -> np.ndarray:
    """Orthonormal directions in which a state may change without leaving its constraints, as columns."""
    r = system.reduced
    w = r.whole
    units = [ca.sumsqr(w.x[int(k) : int(k) + 4]) for k in r.shape.quaternions]
    rows = column([w.gap, *units, r.hidden_positions, w.held_flow, r.hidden_flows])
    if not rows.numel():
        return np.eye(system.n)
    slope = Function("c", [w.t, w.x, w.p], [ca.densify(ca.jacobian(rows, w.x))])
    _, sizes, ways = np.linalg.svd(np.asarray(slope(t, x, p)))
    rank = int((sizes > FREE * sizes.max(initial=0.0)).sum())
    return ways[rank:].T
