"""Forces that the constraints do not determine: one canonical choice, and which joints it concerns.

Of all forces that give the same motion the one is taken that has the smallest sum of F² + (T/length)² over all joints:
the limit of equally stiff joints.
"""

from __future__ import annotations

import numpy as np

from multibond.elements import Constraint
from multibond.expr import Function
from multibond.lower.system import System


def _constraints(system: System) -> list[str]:
    return [path for path, _ in system.dae.graph.of_type(Constraint)]


def _reactions(system: System) -> Function:
    return system.observer.function([f"{path}.e" for path in _constraints(system)])


def _weights(system: System) -> np.ndarray:
    """Torques count as forces at the length of the mechanism."""
    graph, weights = system.dae.graph, []
    for path in _constraints(system):
        turning = graph.elements[path].role == "rotation"  # type: ignore[attr-defined]
        weights += [1.0 / system.length if turning else 1.0] * graph.bonds_of(path)[0].size
    return np.array(weights)


def _force_space(system: System, reactions: Function, t: float, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Reactions without extra forces, and what each extra force adds."""
    p, count = system.parameters, len(system.reduced.redundancy.dropped)
    columns = []
    for k in range(count + 1):
        z = np.zeros(count)
        if k:
            z[k - 1] = 1.0
        y = system.unknowns(np.array([t]), x[None, :], z[:, None])[:, 0]
        columns.append(np.asarray(reactions(t, x, y, p)).ravel())
    base = columns[0]
    return base, np.array([c - base for c in columns[1:]]).T


def canonical_forces(system: System, times: np.ndarray, x: np.ndarray) -> np.ndarray:
    """The forces in redundant constraints at each time, one column a time."""
    reactions, weights = _reactions(system), _weights(system)
    out = np.zeros((len(system.reduced.redundancy.dropped), times.size))
    for k, (t, state) in enumerate(zip(times, x, strict=True)):
        base, space = _force_space(system, reactions, float(t), state)
        if np.isfinite(space).all() and np.isfinite(base).all():  # at a singular position forces have no value
            out[:, k] = -np.linalg.lstsq(weights[:, None] * space, weights * base, rcond=1e-10)[0]
    return out


def ambiguous_joints(system: System, x: np.ndarray) -> tuple[str, ...]:
    """Joints whose reaction changes with a choice among equivalent forces."""
    if not system.reduced.redundancy.dropped:
        return ()
    _, space = _force_space(system, _reactions(system), 0.0, x)
    joints: list[str] = []
    start = 0
    for path in _constraints(system):
        size = system.dae.graph.bonds_of(path)[0].size
        if np.abs(space[start : start + size]).max() > 1e-9:
            joints.append(path.split(".hold_")[0])
        start += size
    return tuple(dict.fromkeys(joints))
