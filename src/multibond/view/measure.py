"""What a comparison of methods looks at: the motion of every joint, what every storage holds, every constraint force.

Names differ between forms (vector and scalar bonds, springs in the place of constraints); numbers are put in one order.
"""

from __future__ import annotations

import numpy as np

from multibond.elements import C, Constraint, FreeMotion, I
from multibond.graph.graph import Graph
from multibond.solve.origin import known
from multibond.solve.solution import Solution


def motion_names(graph: Graph) -> list[str]:
    """Variables that every form knows: coordinates and flows of joints; attitudes where a quaternion has two signs."""
    found = []
    for path, item in graph.of_type(FreeMotion):
        kind = item.motion
        if not kind.freedoms:
            continue
        found += [f"{path}.turn", f"{path}.lever"] if kind.quaternion else [f"{path}.q"]
        found.append(f"{path}.f")
    return found


def storage_names(graph: Graph) -> list[str]:
    """Flows of inertias and displacements of compliances that have a state of their own."""
    return [
        f"{path}.{'f' if isinstance(item, I) else 'q'}"
        for path, item in graph.of_type((I, C))
        if not graph.signal_at(path, "displacement")
    ]


def motion(run: Solution, graph: Graph, times: np.ndarray) -> np.ndarray:
    """All that moves, one row a time."""
    names = [name for name in motion_names(graph) if _is_known(run, name)]
    values = [run.values(names, times)] if names else []
    values += [_vector(run, name, times) for name in storage_names(graph) if _is_known(run, name)]
    return np.hstack(values) if values else np.zeros((times.size, 0))


def comparable(run: Solution, graph: Graph) -> tuple[str, ...]:
    """What of the motion a run can tell."""
    return tuple(name for name in (*motion_names(graph), *storage_names(graph)) if _is_known(run, name))


def _is_known(run: Solution, name: str) -> bool:
    path, _, word = name.rpartition(".")
    origin = run.system.origin
    names = (name, f"{path}.1.{word}")
    return any(known(run.system, n) for n in names) or (origin is not None and known(origin(), name))


def constraint_forces(run: Solution, graph: Graph, times: np.ndarray) -> np.ndarray:
    """Efforts of all constraints in the order of their paths, one row a time; springs and dampers stand for them."""
    found = []
    for path, _ in graph.of_type(Constraint):
        if _soft(run, path):
            spring, damper = (_vector(run, f"{path}.parasitic_{word}.e", times) for word in "cr")
            found.append(-spring - damper)
        else:
            found.append(_vector(run, f"{path}.e", times))
    return np.hstack(found) if found else np.zeros((times.size, 0))


def _soft(run: Solution, path: str) -> bool:
    return any(known(run.system, f"{path}.parasitic_c{lane}.e") for lane in ("", ".1"))


def _vector(run: Solution, name: str, times: np.ndarray) -> np.ndarray:
    """A variable of a vector element, or of the scalar ones that it was unfolded into."""
    path, _, word = name.rpartition(".")
    lanes: list[str] = []
    while known(run.system, scalar := f"{path}.{len(lanes) + 1}.{word}"):
        lanes.append(scalar)
    return run.values(lanes or [name], times)
