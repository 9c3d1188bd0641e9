"""Linearisation of a system about a state: A, B, C, D with the names of their rows and columns.

The states of loops are more than its freedoms: `minimal` gives A on the directions that the constraints leave free.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any
from weakref import ref

import casadi as ca
import numpy as np

from multibond.border import public
from multibond.equations.buffered import Buffered
from multibond.equations.motion import Motion
from multibond.equations.slopes import Slopes
from multibond.errors import Finding, ModelError, unknown_name
from multibond.expr import SX, Function, column
from multibond.lower.calls import Call, row_of_each
from multibond.lower.system import Code, System, compile_functions
from multibond.solve.calculated import At, Calculated
from multibond.solve.named import Named, named
from multibond.solve.states import state_at, state_of

FREE = 1e-9
"""Singular values of the conditions below this fraction of the largest leave a direction free."""


@public
@dataclass(frozen=True)
class Linear:
    """δx' = A δx + B δu, δy = C δx + D δu; `tangent`: directions of x that the constraints leave free, as columns.

    For an array of states everything has one more axis, before the others.
    """

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
        T, A = self.tangent, np.asarray(self.A)
        back = np.swapaxes(T, -1, -2)
        return back @ A @ T, back @ np.asarray(self.B), np.asarray(self.C) @ T, np.asarray(self.D)

    @cached_property
    def eigenvalues(self) -> np.ndarray:
        """Eigenvalues of the motion that the constraints allow, the least damped first  [1/s]."""
        if not self.tangent.shape[-1]:
            return np.zeros((*self.tangent.shape[:-2], 0))
        values = np.linalg.eigvals(self.minimal[0])
        return np.take_along_axis(values, np.lexsort((np.abs(values.imag), -values.real)), -1)

    def to_dict(self) -> dict[str, Any]:
        """As plain numbers and names."""
        matrices = {name: np.asarray(getattr(self, name)).tolist() for name in "ABCD"}
        values = [[float(v.real), float(v.imag)] for v in self.eigenvalues]
        names = {"states": list(self.states), "inputs": list(self.inputs), "outputs": list(self.outputs)}
        return names | matrices | {"eigenvalues": values}


class Asked:
    """Which slopes are asked for: inputs are parameters by name (or `Input` blocks), outputs any variables."""

    def __init__(self, system: System, *, inputs: Sequence[str] | None = None, outputs: Sequence[str] = ()) -> None:
        found = [(name, system.observer.expression(name)) for name in outputs]
        self.wanted = column([value for _, value in found])
        _require_determined(system, self.wanted, outputs)
        given, self.columns = _inputs(system, inputs)
        self.states, self.inputs = system.state_names, tuple(given)
        self.outputs = tuple(row for name, value in found for row in _lanes(name, value.numel()))

    @property
    def rows(self) -> int:
        """Number of rates and outputs."""
        return len(self.states) + len(self.outputs)

    @property
    def size(self) -> int:
        """How many numbers tell values and all slopes."""
        return self.rows * (1 + len(self.states) + len(self.inputs))

    def linear(self, numbers: np.ndarray, x: np.ndarray, ways: np.ndarray) -> Linear:
        """Values, slopes by states and slopes by inputs, one after the other and row after row, with their names."""
        n, rows, m, before = len(self.states), self.rows, len(self.inputs), numbers.shape[:-1]
        end, axis = rows * (1 + n), len(before)
        by_x, by_u = numbers[..., rows:end].reshape(*before, rows, n), numbers[..., end:].reshape(*before, rows, m)
        return Linear(
            named(by_x[..., :n, :], self.states, self.states, axis),
            named(by_u[..., :n, :], self.states, self.inputs, axis),
            named(by_x[..., n:, :], self.outputs, self.states, axis),
            named(by_u[..., n:, :], self.outputs, self.inputs, axis),
            x,
            numbers[..., :n],
            ways,
        )

    def worked_out(self, system: System, slopes: Slopes, at: At) -> np.ndarray:
        """These numbers by the slopes of the equations themselves, where the unknowns are no formulas."""
        w, key = system.reduced.whole, self.outputs
        both, y = column([w.xdot, self.wanted]), slopes.unknowns(at.x, at.p, at.t)
        value, by_x = slopes.kept(key, both)(at.x, at.p, at.t, y)
        if not self.columns:
            return np.concatenate([value, by_x.ravel()])
        by_u = slopes.kept((key, self.inputs), both, w.p[self.columns])(at.x, at.p, at.t, y)[1]
        return np.concatenate([value, by_x.ravel(), by_u.ravel()])


def linearise(system: System, slopes: Slopes, x: np.ndarray) -> Linear:
    """Linearise about a state, without outputs."""
    asked, at = Asked(system), At(0.0, x, system.parameters)
    return asked.linear(asked.worked_out(system, slopes, at), x, tangent(system, x, system.parameters))


class LinearCall:
    """Linearisation as a call: at one state, or at many with one more axis before all others."""

    def __init__(self, system: System, asked: Asked, call: Call | Calculated) -> None:
        self._system, self._asked, self._call, self._n = ref(system), asked, call, system.n
        self._free = np.eye(system.n) if _conditions(system) is None else None

    def __call__(self, x: Any, u: Any, t: float) -> Linear:
        """A, B, C, D about x."""
        if type(x) is not np.ndarray or x.dtype != float or x.shape[-1:] != (self._n,) or x.ndim > 2:
            x = state_of(self._of, x, t=t)
        return self._asked.linear(self._call(x, u, t, None), x.copy(), self._ways(x, u, t))

    @property
    def _of(self) -> System:
        system = self._system()
        assert system is not None
        return system

    def _ways(self, x: np.ndarray, u: Any, t: float) -> np.ndarray:
        if self._free is not None:
            return self._free.copy() if x.ndim == 1 else np.broadcast_to(self._free, (len(x), *self._free.shape)).copy()
        system = self._of
        if x.ndim == 1:
            return tangent(system, x, system.with_inputs(u), t)
        given = zip(x, row_of_each(u, len(x)), strict=True)
        ways = [tangent(system, row, system.with_inputs(each), t) for row, each in given]
        counts = sorted({way.shape[1] for way in ways})
        if len(counts) > 1:
            fact = f"The constraints leave {counts[0]} in some and {counts[-1]} in others."
            problem = "these states have not the same number of free directions."
            raise ModelError(Finding(problem, fact, "Ask for each of them by itself."))
        return np.array(ways).reshape(len(x), self._n, counts[0] if counts else 0)


def linear_call(system: System, motion: Motion | None, slopes: Slopes, **names: Any) -> LinearCall:
    """The linearisation by given inputs and outputs; native where the unknowns are formulas of the states."""
    asked = Asked(system, **names)
    if motion is None:
        return LinearCall(system, asked, Calculated(system, lambda s, at, _: asked.worked_out(s, slopes, at)))
    r = system.reduced

    def make() -> Code:
        return compile_functions(r, {"f": motion.linear(asked.wanted, asked.columns)})

    code = system.kept.get(("linear", asked.inputs, asked.outputs), make)
    return LinearCall(system, asked, Call(system, code, "f", (asked.size,), state_at))


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
    conditions = _conditions(system)
    if conditions is None:
        return np.eye(system.n)
    _, sizes, ways = np.linalg.svd(conditions(t, x, p).reshape(system.n, -1).T)
    rank = int((sizes > FREE * sizes.max(initial=0.0)).sum())
    return ways[rank:].T


def _conditions(system: System) -> Buffered | None:
    """The slopes of all constraints, column after column; None where there are none."""
    return system.kept.get("slopes of constraints", lambda: _slopes_of_constraints(system))


def _slopes_of_constraints(system: System) -> Buffered | None:
    r, w = system.reduced, system.reduced.whole
    units = [ca.sumsqr(w.x[int(k) : int(k) + 4]) for k in r.shape.quaternions]
    rows = column([w.gap, *units, r.hidden_positions, w.held_flow, r.hidden_flows])
    if not rows.numel():
        return None
    return Buffered(Function("c", [w.t, w.x, w.p], [ca.densify(ca.vec(ca.densify(ca.jacobian(rows, w.x))))]))
