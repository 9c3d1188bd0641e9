"""Second opinions in floating point: all laws of a plan with inputs and outputs, and ranks of ordinary matrices.

Nothing of the first half comes from the engine: matrices of all laws as in `laws.descriptor`, without causality. Ranks
are decided by staircases of orthogonal transformations; one that is in doubt is an error.
"""

from __future__ import annotations

from typing import Any

import casadi as ca
import numpy as np
from scipy.linalg import null_space, schur
from tests.laws.descriptor import Laws
from tests.laws.random_graphs import Plan, Spec

import multibond as mb
from multibond.expr import Function, column
from multibond.lower.system import right_hand_side


class Driven(Laws):
    """The laws of a plan in which some sources are inputs: M w = N x + F u, x' = S w."""

    def __init__(self, plan: Plan, inputs: list[str]) -> None:
        self._inputs: dict[tuple[str, int], int] = {}
        self._chosen = inputs
        super().__init__(plan)
        self.own = len(self.names)
        self.F = np.zeros((len(self.M), len(self._inputs)))
        for k, row in enumerate(self._inputs.values()):
            self.F[row, k] = 1.0
        roots = sorted({self._root(k) for k in range(self.nw)})
        self._column = {root: i for i, root in enumerate(roots)}

    def _source(self, spec: Spec, i: int) -> list[tuple[int, float]]:
        if spec.name in self._chosen:
            self._inputs[spec.name, i] = len(self._rows)
        return []

    def reading(self, name: str, what: str, component: int) -> np.ndarray:
        """The row that reads one effort or flow of a one-port's bond from w."""
        bond = self._ends[name][0][0]
        row = np.zeros(len(self.M))
        row[self._column[self._root(self._first[what, bond] + component)]] = 1.0
        return row

    def pencil(self, s: complex) -> np.ndarray:
        """The matrix of all laws at a complex frequency, unknowns (w, x)."""
        n = self.own
        return np.block([[self.M, -self.N[:, :n]], [-self.S[:n], s * np.eye(n)]])

    def transfer(self, rows: np.ndarray, s: complex) -> np.ndarray:
        """Outputs by inputs at a complex frequency."""
        right = np.vstack([self.F, np.zeros((self.own, self.F.shape[1]))])
        return rows @ np.linalg.solve(self.pencil(s), right)[: len(self.M)]

    def finite(self, rows: np.ndarray, point: float = 1.37) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """A, B, C of the finite modes: eigenvalues of (P(point)⁻¹ E) that are not zero, by an ordered Schur form."""
        m = len(self.M)
        inverse = np.linalg.inv(self.pencil(point))
        T, B, C = inverse[m:, m:], inverse[m:, :m] @ self.F, rows @ inverse[:m, m:]
        V, upper = _ordered(T)
        left, _ = _ordered(T.conj().T)
        B_f = np.linalg.solve(left.conj().T @ V, left.conj().T @ B)
        return point * np.eye(len(upper)) - np.linalg.inv(upper), B_f, C @ V


def _ordered(T: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """A basis of the modes whose eigenvalues are not zero, and what T is on them."""
    most = max(1.0, float(np.abs(np.linalg.eigvals(T)).max(initial=0.0)))
    made: Any = schur(T, output="complex", sort=lambda mu: abs(mu) > 1e-5 * most)
    upper, Q, count = made
    return Q[:, :count], upper[:count, :count]


def staircase(A: np.ndarray, B: np.ndarray) -> int:
    """Dimension of what B reaches through A, by orthogonal steps; refuses where a rank is in doubt."""
    A, B, reached = A.copy(), B.copy(), 0
    scale = max(1.0, float(np.abs(A).max(initial=0.0)), float(np.abs(B).max(initial=0.0)))
    while B.size:
        u, s, _ = np.linalg.svd(B)
        rank = int((s > 1e-8 * scale).sum())
        doubtful = (s > 1e-11 * scale) & (s < 1e-7 * scale)
        assert not doubtful.any(), f"a rank is in doubt: {s / scale}"
        if not rank:
            break
        A = u.conj().T @ A @ u
        A, B, reached = A[rank:, rank:], A[rank:, :rank], reached + rank
    return reached


# -- the compiled system ---------------------------------------------------------------------------------------------


def linearised(model: Any, inputs: list[str], outputs: list[str]) -> tuple[np.ndarray, ...]:
    """A, B, C, D of a compiled linear model with `Input` blocks, on states that hidden conditions leave free."""
    system = mb.compile(model)
    r, p = system.reduced, system.parameters
    assert not r.implicit
    rhs, seen = right_hand_side(r), _outputs(system, outputs)
    u = r.whole.p[[k for name in inputs for k in system.dae.parameter_places[f"{name}.value"].range]]
    hidden = column([r.hidden_positions, r.hidden_flows])
    parts = [ca.jacobian(rhs, r.whole.x), ca.jacobian(rhs, u), ca.jacobian(seen, r.whole.x), ca.jacobian(seen, u)]
    function = Function("l", [r.whole.t, r.whole.x, r.whole.p], [*parts, ca.jacobian(hidden, r.whole.x)])
    A, B, C, D, H = (np.asarray(ca.densify(v)) for v in function(0.0, np.zeros(system.n), p))
    free = null_space(H) if H.size else np.eye(system.n)
    return free.T @ A @ free, free.T @ B, C @ free, D


def _outputs(system: Any, names: list[str]) -> Any:
    r = system.reduced
    value = column([system.observer.expression(name) for name in names])
    return ca.substitute(value, r.whole.y, r.y) if r.y.numel() else value


def markov_order(A: np.ndarray, B: np.ndarray, C: np.ndarray, D: np.ndarray) -> list[list[int | None]]:
    """For every output and input the number of the first of D, CB, CAB, … that is not zero."""
    found: list[list[int | None]] = [[None] * D.shape[1] for _ in range(D.shape[0])]
    scale, term = max(1.0, float(np.abs(A).max(initial=0.0))), B
    for k in range(len(A) + 1):
        value = D if k == 0 else C @ term
        for i, j in zip(*np.nonzero(np.abs(value) > 1e-9 * scale**k), strict=True):
            found[i][j] = k if found[i][j] is None else found[i][j]
        term = A @ term if k else term
    return found
