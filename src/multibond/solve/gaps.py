"""How far the rows of all constraints are from closed along a run, between its steps too, redundant rows included.

Positions and flows are those of the elements' own laws as assembled, before anything was reduced, so that a row that
the reduction left out by mistake shows.
"""

from __future__ import annotations

from dataclasses import dataclass

import casadi as ca
import numpy as np

from multibond.equations.dae import Dae
from multibond.equations.redundancy import row_name
from multibond.expr import Function
from multibond.lower.system import System
from multibond.solve.solution import Piece, Solution

WITHIN = np.array([0.0, 0.21, 0.5, 0.79])
"""Where in each step it is looked."""


@dataclass(frozen=True)
class Gap:
    """The worst of one row over a run: its name, gap  [m or rad], slip (rate of the gap)  [m/s or rad/s], and when."""

    row: str
    gap: float
    slip: float
    time: float


def gaps(run: Solution) -> tuple[Gap, ...]:
    """The rows of all constraints, the worst first; none where the machine has no constraint to hold."""
    found: dict[str, Gap] = {}
    for piece in run.pieces:
        for gap in _of_piece(run, piece):
            old = found.get(gap.row)
            found[gap.row] = gap if old is None or _size(gap) > _size(old) else old
    return tuple(sorted(found.values(), key=lambda gap: (-_size(gap), gap.row)))


def _size(gap: Gap) -> float:
    return max(gap.gap, gap.slip)


def _of_piece(run: Solution, piece: Piece) -> list[Gap]:
    times = looked_at(piece.trajectory.t)
    system, x = piece.system, piece.trajectory.at(times)
    if system.origin is not None:
        system, x = run.original(piece, times)
    names = row_names(system.dae)
    if not names or not times.size:
        return []
    numbers = piece.trajectory.numbers if system is piece.system and system.dae.clocked else system.parameters
    gap, slip = _rows(system, times, x, numbers)
    worst = np.argmax(np.maximum(gap, slip), axis=0)
    return [
        Gap(name, float(gap[:, k].max()), float(slip[:, k].max()), float(times[worst[k]]))
        for k, name in enumerate(names)
    ]


def looked_at(t: np.ndarray) -> np.ndarray:
    """Times within all steps, and their ends."""
    return np.append((t[:-1, None] + np.diff(t)[:, None] * WITHIN).ravel(), t[-1:])


def row_names(dae: Dae) -> list[str]:
    """The rows of all constraints in the user's words."""
    return [row_name(dae, k) for u in dae.unknowns if u.kind == "multiplier" for k in u.range]


def _rows(system: System, times: np.ndarray, x: np.ndarray, numbers: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Gaps and slips of all rows, one line a time; zero gaps where the rows hold flows only."""
    whole = system.reduced.whole
    count = whole.held_flow.numel()
    gap = whole.gap if whole.gap.numel() == count else ca.SX(count, 1)
    function = Function("rows", [whole.t, whole.x, whole.p], [ca.densify(gap), ca.densify(whole.held_flow)])
    p = np.repeat(numbers[:, None], times.size, axis=1)
    found = function.map(times.size)(times[None, :], x.T, p)
    position, flow = (np.abs(np.asarray(v)).T for v in found)
    return position, flow
