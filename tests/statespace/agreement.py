"""A state space beside a compiled system of the same model: rates and constraint forces at random states."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

import casadi as ca
import numpy as np

import multibond as mb
from multibond.equations.consistent import manifold, sample_states
from multibond.expr import SX, Function, column
from multibond.lower.system import System
from multibond.statespace.convert import seen_from
from multibond.statespace.space import StateSpace


@cache
def space_of(make: Callable[[], Any]) -> StateSpace:
    """The state space of a model, built once for all tests."""
    return mb.statespace(make())


@dataclass(frozen=True)
class Look:
    """One random state in both forms, and what the compiled system says there: rates of (X, q), constraint forces."""

    t: float
    system_x: np.ndarray
    x: np.ndarray
    rates: np.ndarray
    forces: dict[str, np.ndarray]


def looks(space: StateSpace, system: System, *, count: int = 5, seed: int = 3) -> list[Look]:
    """Random assembled states; the compiled system's rates are carried over by the chain rule."""
    push, r = _push(space, system), system.reduced
    shape = manifold(system.dae, r.whole, r.hidden_positions, r.hidden_flows)
    found, rng = [], np.random.default_rng(seed)
    for x in sample_states(system.dae, shape, system.x0, system.parameters, count, seed=seed):
        t = float(rng.uniform(0.0, 2.0))
        x, _ = shape.settle_flows(x, system.parameters, np.zeros(system.n, bool), t=t)
        rates = np.asarray(push(t, x, system.parameters, system.derivative(x, t=t))).ravel()
        found.append(Look(t, x, space.from_system(system, x, t), rates, _forces(space, system, x, t)))
    assert len(found) == count
    return found


def _push(space: StateSpace, system: System) -> Function:
    r, whole = system.reduced, system.reduced.whole
    X, q = seen_from(space.structure.ground, system.dae, whole)
    state = column([X[space.order.tolist()], q])
    if whole.y.numel():
        y = ca.densify(r.y)
        state = ca.substitute(state, whole.y, y)
    speed = SX.sym("speed", whole.x.numel())
    rate = ca.jtimes(state, whole.x, speed) + ca.jacobian(state, whole.t)
    return Function("push", [whole.t, whole.x, whole.p, speed], [ca.densify(rate)])


def _forces(space: StateSpace, system: System, x: np.ndarray, t: float) -> dict[str, np.ndarray]:
    y = system.unknowns(np.array([t]), x[None])[:, 0]
    paths = space.constraint_forces(space.from_system(system, x, t), t=t)
    look = {path: system.observer.function([f"{path}.e"]) for path in paths}
    return {path: np.asarray(f(t, x, y, system.parameters)).ravel() for path, f in look.items()}


def agree(mine: np.ndarray, other: np.ndarray, tolerance: float) -> None:
    """Component by component, as a fraction of the larger of one and the component."""
    error = np.abs(mine - other) / np.maximum(1.0, np.abs(other))
    assert error.max(initial=0.0) <= tolerance, f"component {int(error.argmax())} is off by {error.max():.2e}"
