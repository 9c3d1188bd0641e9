"""Ctrl-C during a run: what there is of it is kept in the error."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from multibond.errors import Interrupted
from multibond.solve.contract import BrokenOff
from multibond.solve.solution import Piece, Solution
from multibond.solve.status import Status


def interrupted(
    stop: KeyboardInterrupt, behind: Sequence[Piece], solution: Callable[[tuple[Piece, ...]], Solution]
) -> Interrupted:
    """The error that has the run so far: the pieces behind it and the steps of the one that was broken off."""
    pieces = tuple(behind)
    if isinstance(stop, BrokenOff) and (stop.trajectory.t.size > 1 or not pieces):
        pieces = (*pieces, Piece(stop.system, stop.trajectory))
    if not pieces:
        return Interrupted("interrupted before the first step of the run.")
    error = Interrupted(f"interrupted at {pieces[-1].trajectory.t[-1]:.6g} s; the error's `run` is the run so far.")
    last = replace(pieces[-1], trajectory=replace(pieces[-1].trajectory, status=Status.INTERRUPTED))
    error.run = solution((*pieces[:-1], last))
    return error
