"""The balances of a mechanism as numbers: mass and bias of the tree, and what its loops leave independent."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

import casadi as ca
import numpy as np

from multibond.border import public
from multibond.equations.buffered import Buffered
from multibond.equations.consistent import sample_states
from multibond.equations.mechanism import Mechanism
from multibond.equations.motion import Motion
from multibond.equations.slopes import Slopes
from multibond.errors import Finding, StructureError
from multibond.expr import SX, Function
from multibond.lower.calls import Call
from multibond.lower.system import System, compile_functions
from multibond.solve.calculated import At, Calculated, Value
from multibond.solve.reading import evaluate
from multibond.solve.states import state_at, state_of


class _Loops(NamedTuple):
    """How all speeds of the tree follow from the independent ones: u = N v, u' = N v' + g."""

    N: np.ndarray
    g: np.ndarray


@public
@dataclass(frozen=True, repr=False)
class Balances(System):
    """A system that knows the balances of its joints in a state."""

    @property
    def mechanism(self) -> Mechanism:
        """The balances of the joints, as symbols."""
        return self.kept.get("mechanism", lambda: Mechanism(self.reduced))

    @property
    def slopes(self) -> Slopes:
        """Unknowns and derivatives, as numbers."""
        return self.kept.get("slopes", lambda: Slopes(self.reduced))

    @cached_property
    def independent(self) -> tuple[str, ...]:
        """Free motions whose speeds determine all others: all of the tree, or as many as the loops leave free."""
        return tuple(self.mechanism.names[k] for k in self._independent)

    def _at(self, x: Any, u: Any, t: float) -> At:
        return At(float(t), state_of(self, x, t=t), self.with_inputs(u))

    @property
    def _motion(self) -> Motion:
        """What robotics people ask for, as expressions of the states."""
        return self.kept.get("motion", lambda: Motion(self.mechanism))

    @cached_property
    def _calls(self) -> dict[Any, Call | Calculated]:
        """The calls made so far, by what they give."""
        return {}

    def _code_call(
        self, key: Any, expression: Callable[[], SX], shape: tuple[int, ...], further: SX | None = None
    ) -> Call:
        """A call of a native function, compiled when first needed and kept for all numbers."""
        code = self.kept.get(("native", key), lambda: compile_functions(self.reduced, {"f": expression()}, further))
        count = 0 if further is None else further.numel()
        found = self._calls[key] = Call(self, code, "f", shape, state_at, further=count)
        return found

    def _calculated(self, key: Any, value: Value) -> Calculated:
        """A call that is worked out step by step: loops, whose independent speeds are numbers of the state."""
        found = self._calls[key] = Calculated(self, value)
        return found

    def _function(self, key: Any, make: Callable[[], SX]) -> Buffered:
        """An expression of time, states, unknowns and parameters as a function, kept for all numbers."""
        m = self.mechanism
        made = self.kept.get(("function", key), lambda: Function("f", m.arguments, [ca.densify(ca.vec(make()))]))
        return self.kept.get(("buffered", key), lambda: Buffered(made))

    def _evaluate(self, at: At, function: Function) -> np.ndarray:
        return evaluate(self._with(at.p), function, np.array([at.t]), at.x[None, :])[0]

    def _with(self, p: np.ndarray) -> Balances:
        """The system with other parameters; itself where they are its own, which keeps what it has computed."""
        return self if p is self.parameters else replace(self, parameters=p)

    def _at_rest(self, at: At, key: Any, make: Callable[[], SX]) -> np.ndarray:
        """An expression where no unknown has a value: matrices column after column."""
        return self._function(key, make)(at.t, at.x, np.zeros(self.dae.ny), at.p)

    def _actuation(self, at: At, joints: tuple[str, ...]) -> np.ndarray:
        """How the speeds of joints follow from those of the tree."""
        found = self._at_rest(at, ("S", joints), lambda: self.mechanism.actuation(joints))
        count = len(self.mechanism.speeds)
        return found.reshape(count, found.size // count if count else 0).T

    def mass_at_start(self) -> np.ndarray:
        """M in the independent speeds, worked out without compiling anything."""
        at = At(0.0, self.x0, self.parameters)
        N = self._loops(at).N
        return N.T @ self._mass(at) @ N

    def _efforts(self, at: At, rates: np.ndarray) -> np.ndarray:
        """The balances of the tree's motions for given rates, without constraint forces."""
        return self._settled(at, rates)[0][self.mechanism.rates]

    def _settled(self, at: At, rates: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """All balances and their slopes for given rates, where what else is unknown is solved for."""
        m = self.mechanism
        y = np.zeros(self.dae.ny)
        y[m.rates] = rates
        R, A = self._residuals(at, y)
        for _ in range(30 if m.others else 0):
            step = np.linalg.solve(A[np.ix_(m.others, m.others)], R[m.others])
            y[m.others] -= step
            R, A = self._residuals(at, y)
            if np.abs(step).max() <= 1e-14 * max(1.0, float(np.abs(y).max())):
                break
        return R, A

    def _residuals(self, at: At, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """All balances, and their slopes with respect to all unknowns."""
        balance = self.kept.get("quick balance", lambda: Buffered(self.mechanism.balance))
        found, n = balance(at.t, at.x, y, at.p), self.dae.ny
        return found[:n], found[n:].reshape(n, n).T

    def _balance(self, at: At) -> tuple[np.ndarray, np.ndarray]:
        """M and h in the speeds of the tree."""
        return self._mass(at), self._efforts(at, np.zeros(len(self.mechanism.rates)))

    def _mass(self, at: At) -> np.ndarray:
        """M in the speeds of the tree, symmetric."""
        m = self.mechanism
        A = self._settled(at, np.zeros(len(m.rates)))[1]
        M = A[np.ix_(m.rates, m.rates)]
        if m.others:
            inner = np.linalg.solve(A[np.ix_(m.others, m.others)], A[np.ix_(m.others, m.rates)])
            M = M - A[np.ix_(m.rates, m.others)] @ inner
        return 0.5 * (M + M.T)

    def _loops(self, at: At) -> _Loops:
        m, n = self.mechanism, len(self.mechanism.rates)
        if not m.forces:
            return _Loops(np.eye(n), np.zeros(n))
        R, A = self._residuals(at, np.zeros(self.dae.ny))
        C, c = A[np.ix_(m.forces, m.rates)], R[m.forces]
        own = list(self._independent)
        rest = [k for k in range(n) if k not in own]
        inner = np.linalg.lstsq(C[:, rest], np.column_stack([C[:, own], c]), rcond=1e-11)
        if inner[2] < len(rest):
            raise StructureError(self._dead_point())
        N, g = np.zeros((n, len(own))), np.zeros(n)
        N[own], N[rest], g[rest] = np.eye(len(own)), -inner[0][:, :-1], -inner[0][:, -1]
        return _Loops(N, g)

    @cached_property
    def _independent(self) -> tuple[int, ...]:
        """Motions that determine the others, preferably those with given start values or drives."""
        p, lengths = self.parameters, self.reduced.shape.parameters
        mark = (self.x0.tobytes(), p[self.mechanism.leading].tobytes(), p[lengths].tobytes(), id(self.dae.graph.starts))
        found = self.kept.latest("independent", mark, lambda: (self.dae.graph.starts, self._chosen()))
        return found[1]

    def _chosen(self) -> tuple[int, ...]:
        m, p = self.mechanism, self.parameters
        order = sorted(range(len(m.rates)), key=lambda k: (not self._preferred(m.names[k]), k))
        if not m.forces:
            return tuple(range(len(m.rates)))
        points = [self.x0, *sample_states(self.dae, self.reduced.shape, self.x0, p, 3)]
        found = [self._dependent(x, order[::-1]) for x in points]
        rest = max(found, key=len)
        return tuple(k for k in sorted(order, key=order.index) if k not in rest)

    def _dependent(self, x: np.ndarray, order: list[int]) -> list[int]:
        """Motions that follow from others at a state, taken in an order; clear cases before doubtful ones."""
        m = self.mechanism
        C = self._residuals(At(0.0, x, self.parameters), np.zeros(self.dae.ny))[1][np.ix_(m.forces, m.rates)]
        size, rest, chosen = float(np.abs(C).max(initial=1e-300)), C.copy(), []
        for least in (0.05, 1e-3, 1e-8):
            for k in order:
                norm = float(np.linalg.norm(rest[:, k]))
                if k not in chosen and norm > least * size:
                    chosen.append(k)
                    way = rest[:, k] / norm
                    rest = rest - np.outer(way, way @ rest)
        return chosen

    def _preferred(self, name: str) -> bool:
        joint = name.partition("[")[0]
        path = self.mechanism.motion(joint)
        given = self.dae.graph.starts.get(path, {}).values()
        exact = any(value.fixed.any() for value in given)
        return exact or joint in self.mechanism.powered

    def _dead_point(self) -> Finding:
        names = ", ".join(self.independent)
        fact = f"The speed of {names} does not determine the others here (a dead point)."
        cure = "Look at a state beside it, or ask for of='tree'."
        return Finding("the loops have no independent speeds in this state.", fact, cure, self.independent)
