"""Generic properties of a linear graph: those that hold for almost all values of its parameters.

Every number that an element declares is independent of all others (a number that stands for all components of a vector
is one number, a field is symmetric, a zero stays zero); the signs of junctions are exact. So two paths that cancel
whatever the parameters do cancel here, and two that cancel for special values only do not; a full matrix counts with
full rank, even if the numbers at hand make it singular.

With w the nodes of the causal graph, E w' = A w + B u. About a point s0 that is no eigenvalue, and with
μ = -1/(s - s0), the transfer function is y = D + C (μ - T)⁻¹ B: finite modes are the eigenvalues of T other than zero,
and s → ∞ is μ → 0. Ranks and orders follow from T without ever solving for the states.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import casadi as ca
import numpy as np

from multibond.analysis.arithmetic import evaluate
from multibond.analysis.ends import InputEnd, OutputEnd
from multibond.analysis.parameters import entries
from multibond.analysis.residues import PRIME, Residue, Residues, null_rows, product, rank, solve
from multibond.analysis.signals import DIFFERENTIATED, INTEGRATED, Signals
from multibond.errors import Finding, StructureError
from multibond.expr import SX, column
from multibond.graph.graph import Graph


@dataclass(frozen=True)
class Draw:
    """The system at one draw of random residues: x' and x in the coordinates of the text above."""

    storages: tuple[int, ...]
    T: np.ndarray
    B: np.ndarray
    C: np.ndarray
    D: np.ndarray
    at_zero: np.ndarray
    forced: np.ndarray
    told: np.ndarray

    @property
    def finite(self) -> np.ndarray:
        """A power of T that has lost all modes at infinity."""
        power, steps = self.T, 1
        while steps < len(self.T):
            power, steps = product(power, power), 2 * steps
        return power

    def order(self) -> int:
        """Number of independent storages."""
        return rank(self.finite)

    def reached(self) -> np.ndarray:
        """Columns that span what inputs can bring about, without modes at infinity."""
        return product(self.finite, _krylov(self.T, self.B))

    def seen(self) -> np.ndarray:
        """Rows that span what outputs can tell."""
        return product(_krylov(self.T.T, self.C.T).T, self.finite)

    def unreached(self) -> np.ndarray:
        """Combinations of storages that no input changes, rows."""
        rows = null_rows(self.reached())
        return rows[[k for k in range(len(rows)) if product(rows[k : k + 1], self.finite).any()]]

    def free(self) -> tuple[int, int, int]:
        """Combinations of storages that can rest anywhere: at all, whatever inputs do, unseen by outputs."""
        size, still = len(self.at_zero), self.at_zero
        with_inputs, with_outputs = np.hstack([still, self.forced]), np.vstack([still, self.told])
        return size - rank(still), size - rank(with_inputs), size - rank(with_outputs)

    def valuations(self) -> tuple[np.ndarray, int]:
        """The lowest powers of μ in the numerators (outputs by inputs; -1 where it vanishes) and the denominator."""
        numerators, denominator = _polynomials(self)
        lowest = np.full(self.D.shape, -1)
        for power in range(len(denominator) - 1, -1, -1):
            lowest[numerators[power] != 0] = power
        return lowest, next(k for k, c in enumerate(denominator) if c)


def _krylov(T: np.ndarray, B: np.ndarray) -> np.ndarray:
    blocks = [B]
    for _ in range(len(T) - 1):
        blocks.append(product(T, blocks[-1]))
    return np.hstack(blocks)


def _polynomials(draw: Draw) -> tuple[list[np.ndarray], list[int]]:
    """Coefficients of μ⁰, μ¹, … of det(μ - T) and of its product with the transfer function (Faddeev, LeVerrier)."""
    n, T = len(draw.T), draw.T
    M, denominator = np.eye(n, dtype=np.int64), [1]
    numerators = [draw.D % PRIME]
    for k in range(1, n + 1):
        TM = product(T, M)
        c = -int(np.trace(TM) % PRIME) * pow(k, -1, PRIME) % PRIME
        numerators.append((product(product(draw.C, M), draw.B) + c * draw.D) % PRIME)
        denominator.append(c)
        M = (TM + c * np.eye(n, dtype=np.int64)) % PRIME
    return numerators[::-1], denominator[::-1]


def draws(
    signals: Signals, inputs: Sequence[InputEnd], outputs: Sequence[OutputEnd], seeds: Sequence[int] = (1, 2)
) -> list[Draw]:
    """The system at several draws of its parameters."""
    return [_draw(signals, inputs, outputs, seed) for seed in seeds]


def _draw(signals: Signals, inputs: Sequence[InputEnd], outputs: Sequence[OutputEnd], seed: int) -> Draw:
    kind = Residues(seed)
    symbols, values = random_parameters(signals.graph, kind)
    gains = _matrix(signals.gains, symbols, values, kind)
    reading = ca.jacobian(column([end.value for end in outputs]), signals.symbols) if outputs else SX(0, 1)
    C = _matrix(reading, symbols, values, kind) if outputs else np.zeros((0, len(gains)), np.int64)
    E, A = pencil(signals, gains)
    B = np.zeros((len(gains), len(inputs)), np.int64)
    for k, end in enumerate(inputs):
        B[end.node, k] = end.sign
    storages = tuple(int(k) for k in np.flatnonzero(E.any(axis=0)))
    point = kind.random().value
    found = solve((point * E - A) % PRIME, np.hstack([E[:, storages], B]))
    if found is None:
        raise _singular(signals)
    n, on = len(storages), list(storages)
    CX = product(C, found)
    return Draw(storages, found[on, :n], found[on, n:], CX[:, :n], CX[:, n:], -A % PRIME, B % PRIME, C % PRIME)


def pencil(signals: Signals, gains: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """E and A of E w' = A w: states are integrated, rates of dependent storages differentiated."""
    order = np.array([node.order for node in signals.nodes])
    E, A = np.zeros_like(gains), gains - np.diag(order != INTEGRATED).astype(gains.dtype)
    E[order == INTEGRATED, order == INTEGRATED] = 1
    slopes = order == DIFFERENTIATED
    E[slopes] = -gains[slopes]
    A[slopes] -= gains[slopes]
    return E, A


def random_parameters(graph: Graph, kind: Residues) -> tuple[list[SX], list[Residue]]:
    """A random number for every parameter; symmetric fields stay symmetric."""
    drawn: dict[str, Residue] = {}
    found = entries(graph)
    return [e.symbol for e in found], [drawn.setdefault(e.name, kind.random()) for e in found]


def _matrix(expression: SX, symbols: list[SX], values: list[Residue], kind: Residues) -> np.ndarray:
    matrix = np.zeros(expression.shape, np.int64)
    places = list(zip(*expression.sparsity().get_triplet(), strict=True))
    for (row, col), entry in zip(places, evaluate(expression, symbols, values, kind), strict=True):
        matrix[row, col] = entry.value
    return matrix


def _singular(signals: Signals) -> StructureError:
    doubled = sorted({name for name, _ in signals.causality.doubled})
    fact = f"Driven from both ends: {', '.join(doubled)}." if doubled else "Its laws are not independent."
    return StructureError(
        Finding("the equations of the graph do not determine its motion.", fact, "See what `mb.compile` says of it.")
    )
