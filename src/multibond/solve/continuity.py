"""Whether the states of a run go on from step to step as its equations say, and from piece to piece at all.

Within a piece the change of each state over a step is compared with the integral of its rate on the dense output, by a
quadrature of its own and with the equations as assembled. Between pieces speeds and contents go on, or a hit, a change
of mode, a sample or a source that steps is there to explain why not.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from multibond.equations.household import state_entries
from multibond.lower.system import System
from multibond.solve.quadrature import NODES, WEIGHTS, values_along
from multibond.solve.solution import Piece, Solution

SAME = 1e-9
"""Changes of mode and hits within this part of a run belong to an instant."""
KEPT = ("position", "flow", "storage")
"""Kinds of states that go on through an instant that nothing explains."""


@dataclass(frozen=True)
class Jump:
    """Where a state leaves its equations: when  [s], which, by how much, and the same in parts of its largest size."""

    time: float
    name: str
    amount: float
    part: float


def defects(run: Solution) -> tuple[Jump, ...]:
    """For each state the step over which its change differs most from the integral of its rate, the worst first."""
    worst: dict[str, Jump] = {}
    sizes = _sizes(run)
    for piece in run.pieces:
        trajectory, names = piece.trajectory, state_entries(piece.system.dae)
        if trajectory.t.size < 2 or not piece.system.n:
            continue
        left = np.abs(np.diff(trajectory.x, axis=0) - _integrals(piece))
        for k, step in enumerate(np.argmax(left, axis=0)):
            amount = float(left[step, k])
            jump = Jump(float(trajectory.t[step]), names[k], amount, amount / sizes[names[k]])
            worst[names[k]] = max(worst.get(names[k], jump), jump, key=lambda each: each.part)
    return tuple(sorted(worst.values(), key=lambda jump: -jump.part))


def breaks(run: Solution) -> tuple[Jump, ...]:
    """States that jump between two pieces where nothing explains it, the worst first."""
    found, sizes = [], _sizes(run)
    for before, after in zip(run.pieces, run.pieces[1:], strict=False):
        t = float(after.trajectory.t[0])
        if not _explained(run, before, after):
            old, new = _ends(before, -1), _ends(after, 0)
            apart = [(name, abs(new[name] - old[name])) for name in new if name in old]
            found += [Jump(t, name, amount, amount / sizes[name]) for name, amount in apart]
    return tuple(sorted(found, key=lambda jump: -jump.part))


def _explained(run: Solution, before: Piece, after: Piece) -> bool:
    """Whether something happens between two pieces that may make speeds jump."""
    near = SAME * max(float(run.t[-1]), 1e-300)
    first, last = float(before.trajectory.t[-1]) - near, float(after.trajectory.t[0]) + near
    moments = [event.time for event in (*run.hits, *run.changes)]
    return _may_be_pushed(before.system) or any(first <= moment <= last for moment in moments)


def _may_be_pushed(system: System) -> bool:
    """Whether a source or a sample that steps may push storages that follow it."""
    jumps = [kind.jumps for kind in system.dae.classes]
    return any(jump.dependents for jump in jumps) and any(
        jump.edges or jump.updates or jump.timed.levels for jump in jumps
    )


def _ends(piece: Piece, end: int) -> dict[str, float]:
    """States by name at an end of a piece, without what sampled blocks hold, which may jump."""
    dae = piece.system.dae
    sampled = {row.cell.prefix + path for row in dae.rows for path, *_ in dae.classes[row.kind].jumps.updates}
    kept = [k for place in dae.states if place.kind in KEPT and place.path not in sampled for k in place.range]
    names = state_entries(dae)
    return {names[k]: float(piece.trajectory.x[end, k]) for k in kept}


def _sizes(run: Solution) -> dict[str, float]:
    """The largest size of each state over the run; of one that stays small, that in which its tolerance counts."""
    sizes: dict[str, float] = {}
    for piece in run.pieces:
        largest = np.maximum(np.abs(piece.trajectory.x).max(axis=0), 1e-3 * piece.system.usual_sizes)
        for name, size in zip(state_entries(piece.system.dae), largest.tolist(), strict=True):
            sizes[name] = max(sizes.get(name, 0.0), size)
    return sizes


def _integrals(piece: Piece) -> np.ndarray:
    """What the rates of the states amount to over each step."""
    t, system = piece.trajectory.t, piece.system
    h = np.diff(t)
    times = (t[:-1, None] + 0.5 * h[:, None] * (NODES + 1)).ravel()
    rates = values_along(system, [system.reduced.whole.xdot], times, piece.trajectory.at(times))
    return np.einsum("n,skn->sk", WEIGHTS, rates.T.reshape(h.size, NODES.size, system.n).transpose(0, 2, 1)) * (
        0.5 * h[:, None]
    )
