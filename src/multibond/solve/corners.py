"""Corners: places where speeds change by a share of themselves while the machine moves less than its position is known.

Constraints are held to about 1e-12 of the machine's length, so at a position where several motions branch off they
cannot be told apart within about the root of that. A smooth motion has one direction there. Where the direction of a
motion turns within so small a way, at a position in which its constraints depend on one another, rounding has chosen
the branch: it has left its own. Hits and stiff springs turn a motion quickly too, but not at such a position.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from multibond.equations.household import state_entries
from multibond.errors import Finding
from multibond.lower.system import System
from multibond.solve.solution import Piece

BLUR = 1e-5
"""Way within which branches cannot be told apart  [rad, or lengths of the machine]."""
TURNED = 0.1
"""The share of the largest speed that must change there."""
LOOSE = 1e-3
"""Constraints depend on one another where their least singular value is below this part of the usual one."""
LOOKS = 24
"""Steps at which the constraints are looked at, within the corner and along the run."""


@dataclass(frozen=True)
class Corner:
    """A corner in the way of a machine: when it begins and ends  [s], which speed changes most there, from and to."""

    time: float
    end: float
    name: str
    before: float
    after: float


def branch_left(corner: Corner) -> Finding:
    """A motion that turned where several branch off."""
    joint = corner.name.rpartition(".")[0]
    return Finding(
        f"the motion leaves its branch at {corner.time:.6g} s, at {joint!r}.",
        f"{corner.name!r} goes from {corner.before:.4g} to {corner.after:.4g} within {corner.end - corner.time:.2g} s, "
        "with no hit: its loop is singular there, and rounding chose how to go on.",
        "Keep it from that position with a stop or a spring, or give it another start.",
        (joint,),
    )


def first_corner(pieces: tuple[Piece, ...]) -> Corner | None:
    """The first corner of a run, over pieces with states in common."""
    begin = 0
    for k in range(1, len(pieces) + 1):
        if k == len(pieces) or pieces[k].system.dae.states != pieces[begin].system.dae.states:
            found = _corner(pieces[begin:k])
            if found is not None:
                return found
            begin = k
    return None


def _corner(pieces: tuple[Piece, ...]) -> Corner | None:
    system = pieces[0].system
    t = np.concatenate([piece.trajectory.t for piece in pieces])
    if not _has_loops(system) or t.size < 3:
        return None
    x = np.vstack([piece.trajectory.x for piece in pieces])
    positions, flows = _places(system, "position"), _places(system, "flow")
    speed = np.abs(x[:, flows]).max(axis=1, initial=0.0)
    way = np.append(0.0, np.cumsum(np.abs(np.diff(x[:, positions], axis=0)).max(axis=1, initial=0.0)))
    blur = BLUR * max(1.0, system.length)
    ends = np.searchsorted(way, way + blur, side="right") - 1
    turned = np.abs(x[ends][:, flows] - x[:, flows])
    floor = 1e-3 * speed.max(initial=0.0)
    share = turned.max(axis=1, initial=0.0) / np.maximum(np.maximum(speed, speed[ends]), floor + 1e-300)
    for k in np.flatnonzero(share > TURNED):
        if _is_loose(pieces, t, x, int(k), int(ends[k])):
            j = int(np.argmax(turned[k]))
            name = state_entries(system.dae)[flows[j]]
            return Corner(float(t[k]), float(t[ends[k]]), name, float(x[k, flows[j]]), float(x[ends[k], flows[j]]))
    return None


def _has_loops(system: System) -> bool:
    return system.reduced.redundancy.rank > 0 and any(s.kind == "flow" for s in system.dae.states)


def _places(system: System, kind: str) -> list[int]:
    return [k for place in system.dae.states if place.kind == kind for k in place.range]


def _is_loose(pieces: tuple[Piece, ...], t: np.ndarray, x: np.ndarray, first: int, last: int) -> bool:
    """Whether the constraints depend on one another somewhere in a stretch of steps, and not usually."""
    system = pieces[0].system
    there = np.unique(np.linspace(first, last, LOOKS).astype(int))
    usual = np.unique(np.linspace(0, t.size - 1, LOOKS).astype(int))
    least = min(hold(system, float(t[k]), x[k]) for k in there)
    return least < LOOSE * float(np.max([hold(system, float(t[k]), x[k]) for k in usual]))


def hold(system: System, t: float, x: np.ndarray) -> float:
    """The least singular value of the constraints that counts, over the largest."""
    shape, rank = system.reduced.shape, system.reduced.redundancy.rank
    G = np.asarray(shape.flow_conditions(t, x, system.parameters)[1])[:, shape.flows]
    values = np.linalg.svd(G, compute_uv=False) if np.isfinite(G).all() else np.zeros(rank)
    return float(values[rank - 1] / values[0]) if values.size >= rank and values[0] > 0 else 0.0
