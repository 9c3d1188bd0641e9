"""Forces that the constraints do not determine: one canonical choice, and which joints it concerns.

Of all forces that give the same motion the one is taken that has the smallest sum of F² + (T/length)² over all joints:
the limit of equally stiff joints.
"""

from __future__ import annotations

import casadi as ca
import numpy as np

from multibond.elements import Constraint
from multibond.equations.buffered import Buffered
from multibond.expr import Function
from multibond.lower.system import System

SILENT = 1e-12
"""A force whose part in the balances is smaller than this, in parts of the largest, has none."""


def _constraints(system: System) -> list[str]:
    return [path for path, _ in system.dae.graph.of_type(Constraint)]


def _reactions(system: System) -> Function:
    return system.observer.function([f"{path}.e" for path in _constraints(system)])


def _weights(system: System) -> np.ndarray:
    """Torques count as forces at the length of the mechanism."""
    graph, weights = system.dae.graph, []
    for path in _constraints(system):
        turning = getattr(graph.elements[path], "role", "") == "rotation"
        weights += [1.0 / system.length if turning else 1.0] * graph.bonds_of(path)[0].size
    return np.array(weights)


def undetermined(system: System) -> int:
    """How many forces the constraints leave open."""
    r = system.reduced
    return 0 if r.solver is None else r.dae.ny - len(r.kept) + r.deficit


def _forces(system: System) -> list[int]:
    return [k for u in system.dae.unknowns if u.kind == "multiplier" for k in u.range]


def _pushes(system: System) -> Function:
    """(t, x, y, p) → what each constraint force adds to each balance."""
    r = system.reduced
    B = ca.jacobian(r.whole.residual, r.whole.y[_forces(system)])
    return Function("B", [r.whole.t, r.whole.x, r.whole.y, r.whole.p], [ca.densify(ca.vec(B))])


def _ways(pushes: np.ndarray, count: int) -> np.ndarray:
    """Columns: forces that together move nothing."""
    if not np.isfinite(pushes).all():
        return np.full((pushes.shape[1], count), np.nan)
    size = np.linalg.norm(pushes, axis=0)
    scale = 1.0 / np.where(size > SILENT * size.max(initial=0.0), size, 1.0)
    return scale[:, None] * np.linalg.svd(pushes * scale)[2][pushes.shape[1] - count :].T


def _force_space(
    system: System, times: np.ndarray, x: np.ndarray, y: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Reactions (rows by time), what each open force adds (time, reaction, force), and its ways (time, y, force)."""
    count, n, forces = undetermined(system), times.size, _forces(system)
    p = np.repeat(system.parameters[:, None], n, axis=1)
    B = np.asarray(_pushes(system).map(n)(times[None, :], x.T, y, p))
    ways = np.zeros((n, system.dae.ny, count))
    for k in range(n):
        ways[k][forces] = _ways(B[:, k].reshape(len(forces), -1).T, count)
    reactions = _reactions(system).map(n)
    base = np.asarray(reactions(times[None, :], x.T, y, p)).T
    found = [np.asarray(reactions(times[None, :], x.T, y + ways[:, :, k].T, p)).T - base for k in range(count)]
    return base, np.stack(found, axis=2), ways


def canonical_unknowns(system: System, times: np.ndarray, x: np.ndarray) -> np.ndarray:
    """All unknowns at given states, one column a time, with the canonical choice among forces that are left open."""
    y = system.unknowns(times, x)
    if not undetermined(system):
        return y
    weights = _weights(system)
    base, space, ways = _force_space(system, times, x, y)
    for k in range(times.size):
        if np.isfinite(space[k]).all() and np.isfinite(base[k]).all():  # at a singular position forces have no value
            y[:, k] += ways[k] @ _smallest(weights, space[k], base[k])
    return y


class ForceChoice:
    """The same choice at one time after another, in less time."""

    def __init__(self, system: System) -> None:
        self._system, self._weights, self._forces = system, _weights(system), _forces(system)
        self._count = undetermined(system)
        self._pushes, self._reactions = Buffered(_pushes(system)), Buffered(_reactions(system))

    def at(self, time: float, x: np.ndarray) -> np.ndarray:
        """All unknowns at a state."""
        system = self._system
        y, p = system.unknowns_at(time, x).copy(), system.parameters
        B = self._pushes(time, x, y, p)
        ways = np.zeros((system.dae.ny, self._count))
        ways[self._forces] = _ways(B.reshape(len(self._forces), -1).T, self._count)
        base = self._reactions(time, x, y, p).copy()
        space = np.stack([self._reactions(time, x, y + way, p) - base for way in ways.T], axis=1)
        if np.isfinite(space).all() and np.isfinite(base).all():
            y += ways @ _smallest(self._weights, space, base)
        return y


def _smallest(weights: np.ndarray, space: np.ndarray, base: np.ndarray) -> np.ndarray:
    """The extra forces that make all weighted reactions smallest."""
    return -np.linalg.lstsq(weights[:, None] * space, weights * base, rcond=1e-10)[0]


def _added(system: System, x: np.ndarray) -> np.ndarray:
    """What each open force adds to each reaction at several states, one row each."""
    times = np.zeros(x.shape[0])
    return _force_space(system, times, x, np.nan_to_num(system.unknowns(times, x)))[1]


def ambiguous_components(system: System, x: np.ndarray) -> np.ndarray:
    """For each component of all constraints, in the order of their paths, whether others may take its force.

    x: several states, one row each; what is ambiguous in any of them counts.
    """
    sizes = [system.dae.graph.bonds_of(path)[0].size for path in _constraints(system)]
    if not undetermined(system):
        return np.zeros(sum(sizes), bool)
    return np.asarray((np.abs(_added(system, x)) > 1e-9).any(axis=(0, 2)))


def ambiguous_joints(system: System, x: np.ndarray) -> tuple[str, ...]:
    """Joints whose reaction changes with a choice among equivalent forces."""
    if not undetermined(system):
        return ()
    space = _added(system, x[None, :])[0]
    joints: list[str] = []
    start = 0
    for path in _constraints(system):
        size = system.dae.graph.bonds_of(path)[0].size
        if np.abs(space[start : start + size]).max() > 1e-9:
            joints.append(system.dae.graph.owner(path))
        start += size
    return tuple(dict.fromkeys(joints))
