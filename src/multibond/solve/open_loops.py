"""Loops that cannot close: the position in which least is left open, and the gap there, in the words of its joint."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import casadi as ca
import numpy as np

from multibond.elements import Motion
from multibond.equations.consistent import Manifold, manifold
from multibond.equations.dae import Dae, Place, Whole
from multibond.expr import SX, Function, column
from multibond.solve.relax import relax
from multibond.structure.tree import held_by, motion_of

EXACT = 1e3
"""How much heavier given coordinates weigh than gaps, so that what is left open are the gaps."""

SPREADS = (0.3, 1.0, 1.0, 2.0)
"""How far from the given position further searches begin: one search may end on a ridge."""

SLIGHT = 1e-4
"""Beside a turn of one radian, a gap of so many metres counts as closed."""


@dataclass(frozen=True)
class Gap:
    """What a joint leaves open: its length  [m], or where it only is turned away, that angle  [rad]."""

    joint: str
    size: float
    unit: str

    def __str__(self) -> str:
        return f"{self.size:.3g} {self.unit}"


def nearest_position(
    dae: Dae, whole: Whole, positions: Sequence[SX], tries: Sequence[np.ndarray], p: np.ndarray, fixed: np.ndarray
) -> np.ndarray:
    """The state with the smallest gaps (least squares) while given values stay, the best of searches from `tries`.

    positions: conditions for given coordinates that are no states; fixed: states that are given.
    """
    shape = manifold(dae, whole, EXACT * column([*positions]))
    free = np.array([k for k in shape.positions if not fixed[k]], int)
    rng, begins = np.random.default_rng(11), [x for x in tries if np.isfinite(x).all()]
    for spread in SPREADS:
        begins.append(begins[0].copy())
        begins[-1][free] += spread * rng.standard_normal(free.size)
    ends = [relax(shape, begin, p, fixed)[0] for begin in begins]
    return min(ends, key=lambda x: _left(shape, x, p))


def _left(shape: Manifold, x: np.ndarray, p: np.ndarray) -> float:
    """The length of all conditions together."""
    return float(np.nan_to_num(np.linalg.norm(np.asarray(shape.position_conditions(0.0, x, p)[0])), nan=math.inf))


def widest_gap(dae: Dae, whole: Whole, x: np.ndarray, p: np.ndarray) -> Gap | None:
    """The joint that is farthest from closed: by the length of its gap, by its angle where all gaps have none."""
    values = np.asarray(Function("g", [whole.t, whole.x, whole.p], [ca.densify(whole.gap)])(0.0, x, p)).ravel()
    squares: dict[str, dict[str, float]] = {"m": {}, "rad": {}}
    first = 0
    for place in (u for u in dae.unknowns if u.kind == "multiplier"):
        rows, first = values[first : first + place.size], first + place.size
        joint, unit = dae.graph.owner(place.path), _unit(dae, place)
        squares[unit][joint] = squares[unit].get(joint, 0.0) + _size(dae, place, rows) ** 2
    found = [_widest(unit, of_joints) for unit, of_joints in squares.items() if of_joints]
    far = [gap for gap in found if gap.unit == "m" and gap.size > SLIGHT * max(other.size for other in found)]
    return (far or sorted(found, key=lambda gap: -gap.size) or [None])[0]


def _widest(unit: str, squares: dict[str, float]) -> Gap:
    joint = max(squares, key=lambda name: squares[name])
    return Gap(joint, math.sqrt(squares[joint]), unit)


def _size(dae: Dae, place: Place, rows: np.ndarray) -> float:
    """The length of what is open; joints in space say the sines of angles."""
    size = float(np.linalg.norm(rows))
    motion = motion_of(dae.graph, place.path)
    sine = (
        held_by(dae.graph, place.path) == "rotation"
        and motion is not None
        and isinstance(dae.graph.elements[motion], Motion)
    )
    return math.asin(min(1.0, size)) if sine else size


def _unit(dae: Dae, place: Place) -> str:
    return "rad" if getattr(dae.graph.elements[place.path], "role", "") == "rotation" else "m"
