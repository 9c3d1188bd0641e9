"""What is asked of a law before it is used: that it picks components it has, and gives no power that is not meant.

A law is tried at sample points from 1e-6 to 1e6 of its variable, so what lies beyond goes unnoticed.
"""

from __future__ import annotations

from typing import Any

import casadi as ca
import numpy as np

from multibond.errors import Finding
from multibond.expr import SX, vector
from multibond.formula import Formula

FARTHEST = 1e6
STEPS = 2.2 ** np.arange(6)
"""The farthest points of a ray, the first as unit: six in a row, so that what only oscillates is not mistaken."""

GROWTH = 1.15
"""The least growth of a slope from one of these points to the next that counts as without end."""


ROUNDING = 1e-18
"""Power that is taken for rounding  [W]."""


def picked(item: Any, law: Any, sizes: dict[str, int]) -> list[Finding]:
    """Components that a law picks and its variables, of given sizes, do not have."""
    if not isinstance(law, Formula):
        return []
    chosen = [(n.arguments[0].data, n.data) for n in law.nodes() if n.kind == "index"]
    wrong = [(name, k) for name, k in chosen if k >= sizes.get(name, k + 1)]
    kind = f"{type(item).__name__} {item.name!r}"
    return [
        Finding(
            f"the law of {kind} speaks of {name}[{k}], which is not there.",
            f"{name} has {_counted(sizes[name])}.",
            f"Use components of {name} that are there, or give the law or the size of {k + 1} components.",
            (item.name,),
        )
        for name, k in dict.fromkeys(wrong)
    ]


def _counted(size: int) -> str:
    return "the component 0 only" if size == 1 else f"the components 0 to {size - 1}"


def law_size(item: Any, law: Any) -> int:
    """How many components a law has that gives its value for each of them: as told, else as many as it gives."""
    start = np.size(getattr(item, "start", 0.0)) if "start" in item.parameters() else 1
    told = item.size or (start if start > 1 else 0)
    return int(told or max((*getattr(law, "shape", ()), 1)))


def active(item: Any, law: Any, name: str, size: int) -> list[Finding]:
    """A resistance whose law gives power somewhere, where that is not said to be meant."""
    if law is None or item.active or law.shape not in ((), (size,)):
        return []
    rng = np.random.default_rng(6)
    points = rng.standard_normal((400, size)) * 10.0 ** rng.uniform(-6, 6, (400, 1))
    for point in points:
        with np.errstate(all="ignore"):
            value = np.asarray(law.evaluate({name: point if size > 1 else point[0]}), float)
            power = float(np.dot(np.broadcast_to(value, (size,)), point))
        if power < -1e-9 * float(np.abs(value).max() * np.abs(point).max()) - ROUNDING:
            return [
                Finding(
                    f"the law of {type(item).__name__} {item.name!r} gives power.",
                    f"With {name} = {np.array2string(point, precision=3)} it takes {power:.3g} W.",
                    "Correct its signs, or say active=True if it is meant to.",
                    (item.name,),
                )
            ]
    return []


def bottomless(item: Any, x: SX, slope: SX, others: SX | None = None) -> list[Finding]:
    """A storage whose energy falls without end, and ever faster, where that is not said to be meant.

    slope: of the energy over the state x; others: further states, which are held at zero. Any energy with a floor
    passes, whatever its hills and hollows, and one that falls steadily passes too: a weight has no floor, but its
    force is bounded.
    """
    if item.active:
        return []
    n = x.numel()
    held = [] if others is None else [others]
    outward = ca.Function("outward", [x, *held], [vector(slope, n)])
    for ray in _rays(n):
        for farthest in FARTHEST / 10.0 ** np.arange(9):
            points = ray[:, None] * (farthest / STEPS[::-1])
            given = [points, *(np.zeros((h.numel(), points.shape[1])) for h in held)]
            rise = ray @ np.asarray(outward(*given))
            if np.isfinite(rise).all():
                break
        if np.isfinite(rise).all() and rise[0] < 0 and (rise[1:] < GROWTH * rise[:-1]).all():
            return [_bottomless(item, str(x[0]).partition("_")[0], points, rise)]
    return []


def _rays(size: int) -> np.ndarray:
    """Directions: along every component, and some across."""
    axes = np.vstack([np.eye(size), -np.eye(size)])
    if size == 1:
        return axes
    across = np.random.default_rng(7).standard_normal((50, size))
    return np.vstack([axes, across / np.linalg.norm(across, axis=1, keepdims=True)])


def _bottomless(item: Any, name: str, points: np.ndarray, rise: np.ndarray) -> Finding:
    near, far = (np.array2string(points[:, k], precision=3) for k in (0, -1))
    return Finding(
        f"the energy of {type(item).__name__} {item.name!r} falls without end.",
        f"Outward from {name} = {near} it falls by {-rise[0]:.3g} a unit, from {far} by {-rise[-1]:.3g}.",
        "Correct its signs, or say active=True if it is meant to.",
        (item.name,),
    )
