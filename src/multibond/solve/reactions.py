"""Forces that the constraints do not determine: one canonical choice, and which joints it concerns.

Of all forces that give the same motion the one is taken that has the smallest sum of F² + (T/length)² over all joints:
the limit of equally stiff joints.
"""

from __future__ import annotations

import casadi as ca
import numpy as np

from multibond.elements import Constraint
from multibond.equations.buffered import Buffered
from multibond.expr import SX, Function
from multibond.lower.system import System


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


def _force_space(
    system: System, reactions: Function, times: np.ndarray, x: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Reactions without extra forces (rows by time), and what each extra force adds (time, reaction, force)."""
    count, n = len(system.reduced.redundancy.dropped), times.size
    p = np.repeat(system.parameters[:, None], n, axis=1)
    found = []
    for k in range(count + 1):
        z = np.zeros((count, n))
        if k:
            z[k - 1] = 1.0
        y = system.unknowns(times, x, z)
        found.append(np.asarray(reactions.map(n)(times[None, :], x.T, y, p)).T)
    base = found[0]
    return base, np.stack([f - base for f in found[1:]], axis=2)


def canonical_forces(system: System, times: np.ndarray, x: np.ndarray) -> np.ndarray:
    """The forces in redundant constraints at each time, one column a time."""
    weights = _weights(system)
    base, space = _force_space(system, _reactions(system), times, x)
    out = np.zeros((len(system.reduced.redundancy.dropped), times.size))
    for k in range(times.size):
        if np.isfinite(space[k]).all() and np.isfinite(base[k]).all():  # at a singular position forces have no value
            out[:, k] = _smallest(weights, space[k], base[k])
    return out


class ForceChoice:
    """The same choice at one time after another, in less time."""

    def __init__(self, system: System) -> None:
        self._system, self._weights = system, _weights(system)
        self._count, self._reactions = len(system.reduced.redundancy.dropped), _reactions(system)
        self._spaces = Buffered(self._all_at_once()) if system.explicit else None

    def at(self, time: float, x: np.ndarray) -> np.ndarray:
        """The forces in redundant constraints at a state."""
        if self._spaces is None:
            return canonical_forces(self._system, np.array([time]), x[None, :])[:, 0]
        found = self._spaces(time, x, self._system.parameters).reshape(self._count + 1, -1)
        if not np.isfinite(found).all():  # at a singular position forces have no value
            return np.zeros(self._count)
        return _smallest(self._weights, (found[1:] - found[0]).T, found[0])

    def _all_at_once(self) -> Function:
        """(t, x, p) → reactions without extra forces, then with each of them."""
        r = self._system.reduced
        extra = [SX.zeros(self._count), *ca.horzsplit(SX.eye(self._count))]
        unknowns = Function("y", [r.whole.t, r.whole.x, r.whole.p, r.z], [ca.densify(r.y)])
        at = r.whole.t, r.whole.x, r.whole.p
        found = [self._reactions.call([*at[:2], unknowns.call([*at, ca.densify(z)])[0], at[2]])[0] for z in extra]
        return Function("spaces", [*at], [ca.densify(ca.vertcat(*found))])


def _smallest(weights: np.ndarray, space: np.ndarray, base: np.ndarray) -> np.ndarray:
    """The extra forces that make all weighted reactions smallest."""
    return -np.linalg.lstsq(weights[:, None] * space, weights * base, rcond=1e-10)[0]


def ambiguous_components(system: System, x: np.ndarray) -> np.ndarray:
    """For each component of all constraints, in the order of their paths, whether others may take its force.

    x: several states, one row each; what is ambiguous in any of them counts.
    """
    sizes = [system.dae.graph.bonds_of(path)[0].size for path in _constraints(system)]
    if not system.reduced.redundancy.dropped:
        return np.zeros(sum(sizes), bool)
    _, space = _force_space(system, _reactions(system), np.zeros(x.shape[0]), x)
    return np.asarray((np.abs(space) > 1e-9).any(axis=(0, 2)))


def ambiguous_joints(system: System, x: np.ndarray) -> tuple[str, ...]:
    """Joints whose reaction changes with a choice among equivalent forces."""
    if not system.reduced.redundancy.dropped:
        return ()
    _, spaces = _force_space(system, _reactions(system), np.zeros(1), x[None, :])
    space = spaces[0]
    joints: list[str] = []
    start = 0
    for path in _constraints(system):
        size = system.dae.graph.bonds_of(path)[0].size
        if np.abs(space[start : start + size]).max() > 1e-9:
            joints.append(system.dae.graph.owner(path))
        start += size
    return tuple(dict.fromkeys(joints))
