"""Positions in which constraints lose their hold: found along a run, and told apart from a poor choice of pivots.

The unknowns of a system are found by elimination with pivots that were chosen at its start. Where one of them almost
vanishes, either another order would serve (the system is regular there: it is compiled again with pivots from that
place), or the constraints themselves depend on one another for an instant, as when all hinges of a parallelogram come
into line. There several motions are possible; the one that continues the velocity is smooth (engine: `solve.passage`).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import casadi as ca
import numpy as np

from multibond.equations.consistent import sample_states
from multibond.expr import SX, Function, column
from multibond.lower.system import System
from multibond.structure.tree import held_by

THIN = 1e-3
"""Below this fraction of its usual size the determinant is thin: a bridge begins and ends there."""
DEEP = 1e-4
"""A dip that does not go below this does no harm."""
LOST = 5e-3
"""The least singular value has this fraction of its usual size where constraints depend on one another."""
LOOSE = 0.1
"""So has that of the constraints alone, which falls as the distance where the system's falls as its square."""
SAMPLES, SWEEPS = 8, 4


@dataclass(frozen=True)
class Pivots:
    """The pivots of a system along its motion, in parts of their usual size."""

    system: System
    elsewhere: tuple[np.ndarray, ...] = ()
    """States by which to judge what is usual; without any, states around the start."""

    @cached_property
    def active(self) -> bool:
        """Whether there is anything to watch: constraint forces that a formula gives."""
        r = self.system.reduced
        forces = any(u.kind == "multiplier" for u in r.dae.unknowns)
        return forces and r.factors is not None and not r.implicit and bool(r.factors.pivots)

    @cached_property
    def _function(self) -> Function:
        r = self.system.reduced
        assert r.factors is not None
        sizes = column([1 / ca.fabs(inverse) for inverse in r.factors.inverse])
        return Function("pivots", [r.whole.t, r.whole.x, r.whole.p], [ca.densify(sizes)])

    @cached_property
    def guard(self) -> SX:
        """Rises through zero where the determinant becomes thin."""
        r = self.system.reduced
        assert r.factors is not None
        share = SX(1 / self._usual_product)
        for inverse, usual in zip(r.factors.inverse, self._usual.tolist(), strict=True):
            share = share / (ca.fabs(inverse) * usual)
        return THIN - share

    @cached_property
    def _matrix(self) -> Function:
        r, keep = self.system.reduced, list(self.system.reduced.kept)
        A = ca.jacobian(r.residual[keep], r.whole.y[keep])
        A = ca.substitute(A, r.whole.y, SX.zeros(r.whole.y.numel()))
        return Function("A", [r.whole.t, r.whole.x, r.whole.p], [ca.densify(A)])

    @cached_property
    def usual_states(self) -> tuple[np.ndarray, ...]:
        """States by which to judge what is usual."""
        s = self.system
        return self.elsewhere or (s.x0, *sample_states(s.dae, s.reduced.shape, s.x0, s.parameters, SAMPLES))

    @cached_property
    def _usual(self) -> np.ndarray:
        sizes = self._sizes(np.zeros(len(self.usual_states)), np.array(self.usual_states))
        return np.maximum(np.median(sizes, axis=0), 1e-300)

    @cached_property
    def _usual_product(self) -> float:
        sizes = self._sizes(np.zeros(len(self.usual_states)), np.array(self.usual_states))
        return max(float(np.median((sizes / self._usual).prod(axis=1))), 1e-300)

    def _sizes(self, times: np.ndarray, x: np.ndarray) -> np.ndarray:
        p = np.repeat(self.system.parameters[:, None], times.size, axis=1)
        sizes = np.asarray(self._function.map(times.size)(times[None, :], x.T, p)).T
        return np.where(np.isfinite(sizes), sizes, 0.0)

    def parts(self, times: np.ndarray, x: np.ndarray) -> np.ndarray:
        """The product of all pivots at each of some states, in parts of its usual size.

        It is the determinant: a pivot that is poorly chosen makes up for its smallness by the size of another.
        """
        return (self._sizes(times, x) / self._usual).prod(axis=1) / self._usual_product

    def thinnest(self, time: float, x: np.ndarray) -> str:
        """The joint or element whose pivot is the thinnest."""
        r = self.system.reduced
        assert r.factors is not None
        k = int((self._sizes(np.array([time]), x[None, :])[0] / self._usual).argmin())
        path = r.dae.unknown_place(r.kept[r.factors.pivots[k][1]]).path
        return r.dae.graph.owner(path) if held_by(r.dae.graph, path) else r.dae.graph.joint(path)

    def irregular(self, time: float, x: np.ndarray) -> bool:
        """Whether the equations as chosen have no solution at a state, whatever the pivots."""
        return self._regularity(time, x) < LOST * self._usual_regularity

    def singular(self, time: float, x: np.ndarray) -> bool:
        """Whether that is so for every choice of constraints among redundant ones."""
        if not self.irregular(time, x):
            return False
        return not self._redundant or self._hold(time, x) < LOOSE * self._usual_hold

    @property
    def _redundant(self) -> bool:
        return bool(self.system.reduced.redundancy.dropped)

    @cached_property
    def _usual_regularity(self) -> float:
        return float(np.median([self._regularity(0.0, state) for state in self.usual_states]))

    @cached_property
    def _usual_hold(self) -> float:
        return float(np.median([self._hold(0.0, state) for state in self.usual_states]))

    def _hold(self, time: float, x: np.ndarray) -> float:
        """The least singular value that counts of all constraints, redundant ones included, over the largest."""
        shape, rank = self.system.reduced.shape, self.system.reduced.redundancy.rank
        G = np.asarray(shape.flow_conditions(time, x, self.system.parameters)[1])[:, shape.flows]
        values = np.linalg.svd(G, compute_uv=False)
        return float(values[rank - 1] / values[0])

    def lost(self, time: float, x: np.ndarray) -> bool:
        """Whether constraints have lost their hold at a state."""
        return bool(self.parts(np.array([time]), x[None, :])[0] < THIN) and self.singular(time, x)

    def harmed(self, times: np.ndarray, x: np.ndarray) -> bool:
        """Whether any of the states on a run comes close to where the equations have no solution."""
        return any(self.irregular(float(times[k]), x[k]) for k in deepest(self.parts(times, x)))

    def _regularity(self, time: float, x: np.ndarray) -> float:
        """The least singular value over the largest one, rows and columns scaled as usual."""
        A = np.asarray(self._matrix(time, x, self.system.parameters))
        if not np.isfinite(A).all():
            return 0.0
        rows, columns = self._scales
        values = np.linalg.svd(A * rows[:, None] * columns, compute_uv=False)
        return float(values[-1] / values[0])

    @cached_property
    def _scales(self) -> tuple[np.ndarray, np.ndarray]:
        """Factors of rows and columns that make the largest entries about one at usual states."""
        usual = np.median(
            [np.abs(np.asarray(self._matrix(0.0, x, self.system.parameters))) for x in self.usual_states], axis=0
        )
        rows, columns = np.ones(usual.shape[0]), np.ones(usual.shape[1])
        for _ in range(SWEEPS):
            for axis, scale in ((1, rows), (0, columns)):
                size = (usual * rows[:, None] * columns).max(axis=axis, initial=0.0)
                scale /= np.sqrt(np.where(size > 0, size, 1.0))
        return rows, columns


def deepest(parts: np.ndarray) -> list[int]:
    """The deepest step of every dip that goes deep enough to do harm."""
    found, begin = [], None
    for k, part in enumerate(np.append(parts, np.inf)):
        if part < THIN and begin is None:
            begin = k
        elif part >= THIN and begin is not None:
            low = begin + int(parts[begin:k].argmin())
            found += [low] if parts[low] < DEEP else []
            begin = None
    return found
