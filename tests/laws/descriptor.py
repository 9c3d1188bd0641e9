"""A second opinion on linear graphs: all laws as one descriptor system in dense numbers, with no causality at all.

Unknowns w are the efforts and flows of all bonds, states x are the momenta and displacements of all storages and a
clock (1, sin t, cos t) that drives the sources:  x' = S w + K x,  M w = N x.  Where M is singular the null spaces leave
x' = A x + B y with conditions C x = 0, which are differentiated until y is known. Nothing here comes from the engine.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from scipy.linalg import expm, qr, solve_triangular

from .random_graphs import Plan, Spec, Wire

CLOCK = 3
"""The last states: 1, sin t, cos t."""
BAND = (1e-11, 1e-7)
"""No pivot may lie here, relative to the largest: a rank must be beyond doubt."""


def rank_of(sizes: np.ndarray) -> int:
    """The number of sizes that are not zero; refuses a rank that is in doubt."""
    largest = sizes.max(initial=0.0)
    if largest < BAND[1]:
        return 0
    assert not ((sizes > BAND[0] * largest) & (sizes < BAND[1] * largest)).any(), "a rank is in doubt"
    return int((sizes >= BAND[1] * largest).sum())


def compress(matrix: np.ndarray) -> tuple[int, np.ndarray]:
    """Rank, and an orthogonal matrix whose first columns span the image and whose others vanish from the left."""
    u, s, _ = np.linalg.svd(matrix, full_matrices=True)
    return rank_of(s), u


def split(M: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """A solution operator of M w = r (where there is a solution), and both null spaces: w free, r forbidden."""
    Q, R, order = qr(M, pivoting=True)
    rank = rank_of(np.abs(np.diag(R)))
    n = len(M)
    top = solve_triangular(R[:rank, :rank], np.hstack([Q[:, :rank].T, -R[:rank, rank:]])) if rank else np.zeros((0, n))
    solution, free = np.zeros((n, n)), np.zeros((n, n - rank))
    solution[order[:rank]] = top[:, :n]
    free[order[:rank]] = top[:, n:]
    free[order[rank:]] = np.eye(n - rank)
    return solution, free, Q[:, rank:]


class Laws:
    """The laws of a plan, gathered row by row."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.names = [(s.name, k) for s in plan.specs if s.kind in "IC" for k in range(s.size)]
        self.nx = len(self.names) + CLOCK
        self._place = {name: k for k, name in enumerate(self.names)}
        self._first: dict[tuple[str, int], int] = {}
        self.nw = 0
        for k, wire in enumerate(plan.wires):
            for what in "ef":
                self._first[what, k] = self.nw
                self.nw += wire.size
        self._same = list(range(self.nw))
        self._ends: dict[str, list[tuple[int, Wire]]] = {}
        for k, wire in enumerate(plan.wires):
            for name in {wire.tail, wire.head}:
                self._ends.setdefault(name, []).append((k, wire))
        self._rows: list[tuple[dict[int, float], dict[int, float]]] = []
        self._rates: list[tuple[int, int, float]] = []
        for spec in plan.specs:
            getattr(self, f"_{spec.kind}")(spec)
        self._fill()

    # -- variables -----------------------------------------------------------------------------------------------

    def _root(self, k: int) -> int:
        while self._same[k] != k:
            self._same[k] = self._same[self._same[k]]
            k = self._same[k]
        return k

    def _at(self, spec: Spec, port: str = "") -> list[tuple[int, int, int]]:
        """For each component of a port: effort, flow, and +1 where the half-arrow points into the element."""
        for k, wire in self._ends[spec.name]:
            if (wire.tail, wire.tail_port) == (spec.name, port) or (wire.head, wire.head_port) == (spec.name, port):
                sign = 1 if (wire.head, wire.head_port) == (spec.name, port) else -1
                return [(self._first["e", k] + i, self._first["f", k] + i, sign) for i in range(wire.size)]
        raise LookupError(f"{spec.name}.{port}")

    def _row(self, left: list[tuple[int, float]], right: list[tuple[int, float]] | None = None) -> None:
        """Σ coefficient · w = Σ coefficient · x."""
        self._rows.append((_summed(left), _summed(right or [])))

    # -- laws ----------------------------------------------------------------------------------------------------

    def _junction(self, spec: Spec, common: str, balanced: str) -> None:
        bonds = self._ends[spec.name]
        for i in range(spec.size):
            for (a, _), (b, _) in pairwise(bonds):
                one, other = self._root(self._first[common, a] + i), self._root(self._first[common, b] + i)
                if one == other:
                    self._row([])
                self._same[max(one, other)] = min(one, other)
            self._row([(self._first[balanced, k] + i, 1.0 if wire.head == spec.name else -1.0) for k, wire in bonds])

    def _One(self, spec: Spec) -> None:
        self._junction(spec, "f", "e")

    def _Zero(self, spec: Spec) -> None:
        self._junction(spec, "e", "f")

    def _R(self, spec: Spec) -> None:
        port = self._at(spec)
        for i, law in enumerate(spec.matrix()):
            self._row([(port[i][0], 1.0), *((f, -sign * c) for (_, f, sign), c in zip(port, law, strict=True))])

    def _C(self, spec: Spec) -> None:
        port = self._at(spec)
        for i, law in enumerate(spec.matrix()):
            self._row([(e, c) for (e, _, _), c in zip(port, law, strict=True)], [(self._place[spec.name, i], 1.0)])
            self._rates.append((self._place[spec.name, i], port[i][1], float(port[i][2])))

    def _I(self, spec: Spec) -> None:
        port = self._at(spec)
        for i, law in enumerate(spec.matrix()):
            left = [(f, sign * c) for (_, f, sign), c in zip(port, law, strict=True)]
            self._row(left, [(self._place[spec.name, i], 1.0)])
            self._rates.append((self._place[spec.name, i], port[i][0], 1.0))

    def _Se(self, spec: Spec) -> None:
        for i, (e, _, _) in enumerate(self._at(spec)):
            self._row([(e, 1.0)], self._source(spec, i))

    def _Sf(self, spec: Spec) -> None:
        for i, (_, f, sign) in enumerate(self._at(spec)):
            self._row([(f, -float(sign))], self._source(spec, i))

    def _source(self, spec: Spec, i: int) -> list[tuple[int, float]]:
        """A source gives value · 1 or value · sin t."""
        return [(self.nx - CLOCK + (1 if spec.waves else 0), float(np.broadcast_to(spec.value, spec.size)[i]))]

    def _TF(self, spec: Spec) -> None:
        a, b, B = self._at(spec, "a"), self._at(spec, "b"), spec.matrix()
        for i, (_, f, sign) in enumerate(b):
            self._row([(f, -float(sign)), *((fa, -sa * B[i, j]) for j, (_, fa, sa) in enumerate(a))])
        for j, (e, _, _) in enumerate(a):
            self._row([(e, 1.0), *((eb, -B[i, j]) for i, (eb, _, _) in enumerate(b))])

    def _GY(self, spec: Spec) -> None:
        a, b, G = self._at(spec, "a"), self._at(spec, "b"), spec.matrix()
        for i, (e, _, _) in enumerate(a):
            self._row([(e, 1.0), *((fb, sb * G[i, j]) for j, (_, fb, sb) in enumerate(b))])
        for j, (e, _, _) in enumerate(b):
            self._row([(e, 1.0), *((fa, -sa * G[i, j]) for i, (_, fa, sa) in enumerate(a))])

    def _Sum(self, spec: Spec) -> None:
        parts = [lane for k in range(len(spec.parts)) for lane in self._at(spec, f"part_{k + 1}")]
        self._lead(parts, self._at(spec, "whole"))

    def _Pw(self, spec: Spec) -> None:
        self._lead(self._at(spec, "a"), self._at(spec, "b"))

    def _lead(self, inlet: list[tuple[int, int, int]], outlet: list[tuple[int, int, int]]) -> None:
        for (ea, fa, sa), (eb, fb, sb) in zip(inlet, outlet, strict=True):
            self._row([(ea, 1.0), (eb, -1.0)])
            self._row([(fa, float(sa)), (fb, float(sb))])

    # -- matrices ------------------------------------------------------------------------------------------------

    def _fill(self) -> None:
        roots = sorted({self._root(k) for k in range(self.nw)})
        place = {root: i for i, root in enumerate(roots)}
        column = [place[self._root(k)] for k in range(self.nw)]
        assert len(self._rows) == len(roots), "as many laws as variables"
        self.M, self.N = np.zeros((len(roots), len(roots))), np.zeros((len(roots), self.nx))
        for i, (left, right) in enumerate(self._rows):
            for k, c in left.items():
                self.M[i, column[k]] += c
            for k, c in right.items():
                self.N[i, k] += c
        self.S, self.K = np.zeros((self.nx, len(roots))), np.zeros((self.nx, self.nx))
        for k, variable, c in self._rates:
            self.S[k, column[variable]] += c
        self.K[-2, -1], self.K[-1, -2] = 1.0, -1.0


def _summed(terms: list[tuple[int, float]]) -> dict[int, float]:
    total: dict[int, float] = {}
    for k, c in terms:
        total[k] = total.get(k, 0.0) + c
    return total


@dataclass(frozen=True)
class Descriptor:
    """A linear graph, solved: x' = rate x on the states with conditions x = 0.

    names: element and component of every state; the clock comes last. order: number of independent storages.
    """

    names: list[tuple[str, int]]
    rate: np.ndarray
    conditions: np.ndarray

    @property
    def order(self) -> int:
        """The degree of det(sE - A), without the clock."""
        return len(self.names) - len(self.conditions)

    def consistent(self, x: np.ndarray) -> np.ndarray:
        """Storages moved by the least change to a state that obeys all conditions at time zero."""
        full = np.concatenate([x, [1.0, 0.0, 1.0]])
        own = self.conditions[:, : len(self.names)]
        full[: len(self.names)] -= np.linalg.lstsq(own, self.conditions @ full, rcond=None)[0]
        return full

    def at(self, start: np.ndarray, times: np.ndarray) -> np.ndarray:
        """Storages at equally spaced times from a consistent state, one row each."""
        step = expm(self.rate * (times[1] - times[0]))
        rows = [expm(self.rate * times[0]) @ start]
        for _ in times[1:]:
            rows.append(step @ rows[-1])
        return np.array(rows)[:, : len(self.names)]


def solve(plan: Plan) -> Descriptor | None:
    """Solve a graph; None where its equations are singular (det(sE - A) = 0 for every s, or sources contradict)."""
    laws = Laws(plan)
    solution, free, forbidden = split(laws.M)
    A, B = laws.K + laws.S @ solution @ laws.N, laws.S @ free
    found = _reduce(A, B, forbidden.T @ laws.N, free.shape[1])
    if found is None:
        return None
    rate, conditions = found
    own = conditions[:, : len(laws.names)]
    if len(own) and compress(own)[0] < len(own):
        return None
    return Descriptor(laws.names, rate, conditions)


def _reduce(A: np.ndarray, B: np.ndarray, C: np.ndarray, free: int) -> tuple[np.ndarray, np.ndarray] | None:
    """Differentiate C x = 0 until y of x' = A x + B y is known; returns the rate and all conditions."""
    conditions, active = C, C
    F, G = np.zeros((0, free)), np.zeros((0, A.shape[0]))
    while free:
        active = _normed(active)
        F, G = np.vstack([F, active @ B]), np.vstack([G, active @ A])
        if len(conditions) > len(A) or (len(conditions) and compress(_normed(conditions))[0] < len(conditions)):
            return None
        rank, u = compress(F)
        left, active = u[:, :rank].T, u[:, rank:].T @ G
        F, G = left @ F, left @ G
        if rank == free:
            return A - B @ np.linalg.solve(F, G), conditions
        conditions = np.vstack([conditions, active])
    return A, conditions


def _normed(rows: np.ndarray) -> np.ndarray:
    """Rows scaled to one; rows of nothing stay nothing."""
    size = np.linalg.norm(rows, axis=1, keepdims=True)
    return rows / np.where(size > 1e-9, size, 1.0) * (size > 1e-9)


def singular(plan: Plan, seed: int = 1) -> bool:
    """Whether det(sE - A) vanishes at random s: a check of a refusal that uses no reduction.

    With x eliminated the pencil is s M - N S, up to factors that do not vanish.
    """
    laws, rng = Laws(plan), np.random.default_rng(seed)
    own = len(laws.names)
    for s in rng.uniform(0.5, 2.0, 3):
        pivots = np.abs(np.diag(qr(laws.M - laws.N[:, :own] @ laws.S[:own] / s, mode="r", pivoting=True)[0]))
        if pivots[-1] > 1e-10 * pivots[0]:
            return False
    return True
