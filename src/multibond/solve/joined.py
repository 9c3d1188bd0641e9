"""Several trajectories one after the other as one: a run with the ways across singular positions in it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import astuple, dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from multibond.solve.contract import Event, Integrated, InTurn, Statistics, Trajectory, Vector
from multibond.solve.crossing import Bridge, Crossing
from multibond.solve.solution import Change, Piece
from multibond.solve.status import Status


@dataclass(frozen=True)
class Joined(Trajectory):
    """Parts of which each begins where the one before ends."""

    parts: tuple[Trajectory, ...]

    @property
    def crossings(self) -> tuple[Crossing, ...]:
        """The singular positions that were passed."""
        return tuple(part.crossing for part in self.parts if isinstance(part, Bridge))

    def at(self, times: ArrayLike) -> Vector:
        wanted = np.atleast_1d(np.asarray(times, float))
        starts = np.array([part.t[0] for part in self.parts[1:]])
        which = np.searchsorted(starts, wanted, side="right")
        out = np.empty((wanted.size, self.x.shape[1]))
        for k in np.unique(which):
            out[which == k] = self.parts[k].at(np.minimum(wanted[which == k], self.parts[k].t[-1]))
        return out

    def continued(self, time: float) -> Vector:
        return self.parts[-1].continued(time)

    @property
    def numbers(self) -> Vector:
        return self.parts[0].numbers

    @property
    def end_of_angles(self) -> dict[int, InTurn]:
        return self.parts[-1].end_of_angles

    def up_to(self, step: int) -> Trajectory:
        parts: list[Trajectory] = []
        for part in self.parts:
            last = part.t.size - 1
            parts.append(part if step >= last else part.up_to(step))
            step -= last
            if step <= 0:
                break
        return joined(tuple(parts), Status.EVENT)


def joined(parts: tuple[Trajectory, ...], status: Status | None = None) -> Trajectory:
    """Parts as one trajectory."""
    t = np.concatenate([parts[0].t, *(part.t[1:] for part in parts[1:])])
    x = np.vstack([parts[0].x, *(part.x[1:] for part in parts[1:])])
    events: tuple[Event, ...] = tuple(event for part in parts for event in part.events)
    work = Statistics(*(int(n) for n in np.sum([astuple(part.statistics) for part in parts], axis=0)))
    last = parts[-1]
    return Joined(t, x, events, last.status if status is None else status, work, last.method, parts)


def crossings(pieces: Iterable[Piece]) -> tuple[Change, ...]:
    """The singular positions that were passed on the way, as they are told."""
    runs = (piece.trajectory for piece in pieces if isinstance(piece.trajectory, Joined))
    return tuple(Change(c.time, c.joint, c.told) for run in runs for c in run.crossings)


def ended(run: Integrated, t: float, x: Vector) -> Integrated:
    """A run that ends within one of its steps, at a state that is known more closely."""
    kept = run.t < t
    events = tuple(event for event in run.events if event.time <= t)
    return replace(run, t=np.append(run.t[kept], t), x=np.vstack([run.x[kept], x]), events=events, status=Status.DONE)
