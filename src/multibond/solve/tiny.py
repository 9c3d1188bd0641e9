"""Inertias that are not zero, and yet so small against the others that rounding outweighs them.

A freedom of inertia zero has its own treatment; one of next to nothing is taken at its word, and the run crawls after a
motion that nobody meant, or follows the rounding of the larger inertias. So it is said, by joint.
"""

from __future__ import annotations

import numpy as np

from multibond.elements import FreeMotion
from multibond.errors import StructureError
from multibond.solve.mechanics import Mechanics

TINY = 1e-8
"""Below this fraction of the largest inertia, rounding (1e-16 of that one) is above the default tolerance of a step."""
NOTHING = 1e-14
"""What elimination leaves of a freedom's own inertia below this fraction is rounding: the freedom has none."""
WORDS = "of the largest inertia here moves with it alone"


def tiny_inertias(system: Mechanics) -> tuple[str, ...]:
    """A line for each joint with a tiny inertia at the start; long trees, which run as loops, are not looked at."""
    if system.reduced.solver is None or not system.mechanism.rates:
        return ()
    try:
        found, names = system.mass_at_start(), system.independent
    except (StructureError, np.linalg.LinAlgError):  # a dead point, or balances that only the whole system decides
        return ()
    size = np.array([_size(system, name) for name in names])
    lines: dict[str, str] = {}
    for k, share in _tiny(found / np.outer(size, size)):
        joint = names[k].partition("[")[0]
        lines[joint] = f"{joint}: only {share:.1g} {WORDS}; make it zero, or larger"
    return tuple(lines.values())


def _size(system: Mechanics, name: str) -> float:
    """The velocity of a freedom's unit speed, for freedoms of different kinds to be compared: a length for turns."""
    joint, _, lane = name.partition("[")
    item = system.dae.graph.elements.get(system.mechanism.motion(joint))
    turns = item.motion.turns if isinstance(item, FreeMotion) else 0
    return system.length if int(lane.rstrip("]") or 0) < turns else 1.0


def _tiny(M: np.ndarray) -> list[tuple[int, float]]:
    """Freedoms whose inertia, when those with more of it have taken theirs, is tiny but not nothing; with its share."""
    rest, left, found = M.copy(), list(range(len(M))), []
    largest = float(np.diag(M).max(initial=0.0))
    while left:
        k = max(left, key=lambda i: rest[i, i])
        value = float(rest[k, k])
        if value <= NOTHING * M[k, k]:
            break
        if value < TINY * largest:
            found.append((k, value / largest))
        left.remove(k)
        rest = rest - np.outer(rest[:, k], rest[k]) / value
    return found
