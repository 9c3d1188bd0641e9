"""The balances of a mechanism as numbers: mass and bias of the tree, and what its loops leave independent."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from multibond.border import public
from multibond.equations.consistent import sample_states
from multibond.equations.mechanism import Mechanism, lane_names
from multibond.equations.slopes import Slopes
from multibond.errors import Finding, StructureError
from multibond.expr import Function
from multibond.lower.system import System
from multibond.solve.reading import evaluate
from multibond.solve.states import state_of


class _At(NamedTuple):
    """A point at which the mechanism is looked at: time, state, parameters."""

    t: float
    x: np.ndarray
    p: np.ndarray


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

    @property
    def independent(self) -> tuple[str, ...]:
        """Free motions whose speeds determine all others: all of the tree, or as many as the loops leave free."""
        return tuple(self.mechanism.names[k] for k in self._independent)

    def _at(self, x: Any, u: Any, t: float) -> _At:
        return _At(float(t), state_of(self, x, t=t), self.with_inputs(u))

    def _function(self, key: Any, make: Any) -> Function:
        return self.kept.get(("mechanics", key), make)

    def _evaluate(self, at: _At, function: Function) -> np.ndarray:
        return evaluate(self._with(at.p), function, np.array([at.t]), at.x[None, :])[0]

    def _with(self, p: np.ndarray) -> Balances:
        """The system with other parameters; itself where they are its own, which keeps what it has computed."""
        return self if p is self.parameters else replace(self, parameters=p)

    def _frame(self, at: _At, frame: str) -> list[np.ndarray]:
        function = self._function(("frame", frame), lambda: self.mechanism.frame(frame))
        return [np.asarray(v) for v in function(at.t, at.x, np.zeros(self.dae.ny), at.p)]

    def _actuation(self, at: _At, joints: tuple[str, ...]) -> tuple[list[str], np.ndarray]:
        S = self._function(("S", joints), lambda: self.mechanism.actuation(joints))
        names = [n for j in joints for n in lane_names(j, self.mechanism.speed(j).numel())]
        return names, np.asarray(S(at.t, at.x, np.zeros(self.dae.ny), at.p))

    def _efforts(self, at: _At, rates: np.ndarray) -> np.ndarray:
        """The balances of the tree's motions for given rates, without constraint forces."""
        return self._settled(at, rates)[0][self.mechanism.rates]

    def _settled(self, at: _At, rates: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """All balances and their slopes for given rates, where what else is unknown is solved for."""
        m = self.mechanism
        y = np.zeros(self.dae.ny)
        y[m.rates] = rates
        R, A = (np.asarray(v) for v in m.balance(at.t, at.x, y, at.p))
        for _ in range(30 if m.others else 0):
            step = np.linalg.solve(A[np.ix_(m.others, m.others)], R[m.others, 0])
            y[m.others] -= step
            R, A = (np.asarray(v) for v in m.balance(at.t, at.x, y, at.p))
            if np.abs(step).max() <= 1e-14 * max(1.0, float(np.abs(y).max())):
                break
        return R[:, 0], A

    def _slopes_of_balance(self, at: _At) -> tuple[np.ndarray, np.ndarray]:
        R, A = (np.asarray(v) for v in self.mechanism.balance(at.t, at.x, np.zeros(self.dae.ny), at.p))
        return R[:, 0], A

    def _balance(self, at: _At) -> tuple[np.ndarray, np.ndarray]:
        """M and h in the speeds of the tree."""
        return self._mass(at), self._efforts(at, np.zeros(len(self.mechanism.rates)))

    def _mass(self, at: _At) -> np.ndarray:
        """M in the speeds of the tree, symmetric."""
        m = self.mechanism
        A = self._settled(at, np.zeros(len(m.rates)))[1]
        M = A[np.ix_(m.rates, m.rates)]
        if m.others:
            inner = np.linalg.solve(A[np.ix_(m.others, m.others)], A[np.ix_(m.others, m.rates)])
            M = M - A[np.ix_(m.rates, m.others)] @ inner
        return 0.5 * (M + M.T)

    def _loops(self, at: _At) -> _Loops:
        m, n = self.mechanism, len(self.mechanism.rates)
        if not m.forces:
            return _Loops(np.eye(n), np.zeros(n))
        R, A = self._slopes_of_balance(at)
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
        C = self._slopes_of_balance(_At(0.0, x, self.parameters))[1][np.ix_(m.forces, m.rates)]
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
