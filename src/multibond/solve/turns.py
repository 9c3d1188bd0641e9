"""Angles of cut joints come from poses, within half a turn, and quaternions with either sign.

Here full turns are counted along the run, and signs kept, beginning with the start value where one is given; of the two
sets of three angles that give one attitude, the one on the side of the start is told.
"""

from __future__ import annotations

from functools import cached_property
from typing import NamedTuple

import casadi as ca
import numpy as np

from multibond.elements import FreeMotion
from multibond.elements.motions import MotionKind
from multibond.elements.turnings import Sequence
from multibond.equations.buffered import Buffered
from multibond.equations.observe import resolve
from multibond.expr import SX, Function
from multibond.graph.compound import split_index
from multibond.lower.system import System
from multibond.rotation import TURN


class Cut(NamedTuple):
    """Coordinates of a cut joint that turns: its path, and which of them are meant."""

    joint: str
    which: int | slice


def turning(system: System, name: str) -> Cut | None:
    """The joint whose coordinates `name` stands for, if it is a cut that turns."""
    base, index = split_index(name)
    target, inner = split_index(resolve(system.dae, base))
    path, _, what = target.rpartition(".")
    element = system.dae.graph.elements.get(path)
    turns = isinstance(element, FreeMotion) and element.motion.turning_coordinates
    if not turns or what != "q" or system.dae.tree.role.get(path) != "cut":
        return None
    one = index if inner is None else inner
    return Cut(path, slice(None) if one is None else one)


def crossed(system: System, name: str, level: float) -> SX:
    """What vanishes where a variable crosses a level; of an angle at a cut, there and half turns away from there."""
    value, cut = as_told(system, name), turning(system, name)
    if cut is None or (not isinstance(cut.which, int) and value.numel() > 1):
        return value - level
    kind, k = _kind(system, cut.joint), cut.which if isinstance(cut.which, int) else 0
    return ca.sin(value - level) if k < kind.angle_count and not kind.quaternion else value - level


def _kind(system: System, joint: str) -> MotionKind:
    element = system.dae.graph.elements[joint]
    assert isinstance(element, FreeMotion)
    return element.motion


def _rates(kind: MotionKind, q: np.ndarray, u: np.ndarray) -> np.ndarray:
    """How fast the coordinates of a joint change, one row a time, for coordinates q and free flows u."""
    symbols = SX.sym("q", q.shape[1]), SX.sym("u", u.shape[1])
    return np.asarray(Function("rates", [*symbols], [kind.rate(*symbols)]).map(len(q))(q.T, u.T)).T


def first_coordinates(system: System, joint: str, read: np.ndarray) -> np.ndarray:
    """Coordinates of a joint at the start as they were given; as they are read where they were not."""
    given = system.dae.graph.starts.get(joint, {}).get("q")
    return read if given is None else np.where(given.free, read, given.values)


def on_side(kind: MotionKind, q: np.ndarray, first: np.ndarray) -> np.ndarray:
    """Coordinates, one row a time; of three angles in turn, of which two sets give any attitude, those like `first`."""
    if not isinstance(kind.turning, Sequence) or not q.size:
        return q
    near = np.repeat(first[: kind.angle_count, None], len(q), axis=1)
    return np.asarray(_nearest(kind).map(len(q))(q.T, near)).T


def _nearest(kind: MotionKind) -> Function:
    """Coordinates (as they are read, angles on the wanted side) → the same attitude on that side."""
    symbols = SX.sym("q", kind.coordinates), SX.sym("near", kind.angle_count)
    return Function("side", [*symbols], [kind.nearest(*symbols)])


def as_told(system: System, name: str) -> SX:
    """The expression of a variable; of angles in turn at a cut, on the side of the start, as they are told."""
    plain, first, cut = system.observer.expression(name), side_of(system, name), turning(system, name)
    if cut is None or not first.size:
        return plain
    told = _kind(system, cut.joint).nearest(system.observer.expression(f"{cut.joint}.q"), SX(first))
    return told[cut.which]


def side_of(system: System, name: str) -> np.ndarray:
    """The angles in turn of a cut at the start, on whose side a variable is told; empty for all others."""
    cut = turning(system, name)
    if cut is None or not isinstance(_kind(system, cut.joint).turning, Sequence):
        return np.zeros(0)
    whole, q = system.reduced.whole, system.observer.expression(f"{cut.joint}.q")
    read = Function("q", [whole.t, whole.x, whole.p], [q])(0.0, system.x0, system.parameters)
    return first_coordinates(system, cut.joint, np.asarray(read).ravel())[: _kind(system, cut.joint).angle_count]


class Turned:
    """Coordinates of a cut joint along a run, with their full turns or their quaternion's sign.

    grid: times of the step ends; q, u: coordinates as they are read there, and free flows. Within a step an attitude
    turns by less than half a turn.
    """

    def __init__(self, system: System, joint: str, grid: np.ndarray, q: np.ndarray, u: np.ndarray) -> None:
        self._kind, self._grid = _kind(system, joint), grid
        self._first = first_coordinates(system, joint, q[0])
        ends = on_side(self._kind, q, self._first)
        if self._kind.quaternion:
            self._ends = _keep_signs(ends[:, :4], self._first[:4])
        else:
            own = slice(0, self._kind.angle_count)
            self._ends = _full_turns(grid, ends[:, own], _rates(self._kind, ends, u)[:, own], self._first[own])

    def told(self, times: np.ndarray, q: np.ndarray) -> np.ndarray:
        """Coordinates as they are told, for those that are read, one row a time."""
        later = np.searchsorted(self._grid, times, side="right")
        if self._kind.quaternion:
            signs = np.sum(q[:, :4] * self._ends[np.clip(later - 1, 0, self._grid.size - 1)], axis=1)
            return np.hstack([q[:, :4] * np.where(signs < 0, -1.0, 1.0)[:, None], q[:, 4:]])
        if len(q) == 1 and isinstance(self._kind.turning, Sequence):
            q = self._side(q[0], self._first[: self._kind.angle_count])[None, :]
        else:
            q = on_side(self._kind, q, self._first)
        k, count = np.clip(later - 1, 0, max(self._grid.size - 2, 0)), self._kind.angle_count
        return np.hstack([self._with_turns(times, q[:, :count], k), q[:, count:]])

    def _with_turns(self, times: np.ndarray, angles: np.ndarray, k: np.ndarray) -> np.ndarray:
        """Angles with whole turns added, counted within each step from its start."""
        grid, last = self._grid, self._grid.size - 1
        h = np.maximum(grid[k + 1] - grid[k], 1e-300) if last else np.ones(times.size)
        fraction = ((times - grid[k]) / h)[:, None]
        expected = self._ends[k] + fraction * (self._ends[np.minimum(k + 1, last)] - self._ends[k])
        return angles + TURN * np.round((expected - angles) / TURN)

    @cached_property
    def _side(self) -> Buffered:
        return Buffered(_nearest(self._kind))


def _keep_signs(ends: np.ndarray, first: np.ndarray) -> np.ndarray:
    """Quaternions with the signs that make them follow one another without a jump, beginning next to `first`."""
    along = np.sum(ends * np.vstack([first, ends[:-1]]), axis=1)
    return np.cumprod(np.where(along < 0, -1.0, 1.0))[:, None] * ends


def _full_turns(grid: np.ndarray, ends: np.ndarray, speeds: np.ndarray, first: np.ndarray) -> np.ndarray:
    """Angles at the ends of the steps with whole turns added along the steps by the mean speed of each."""
    steps = np.diff(grid)[:, None] * 0.5 * (speeds[1:] + speeds[:-1])
    whole = np.zeros_like(ends) + np.round((first - ends[0]) / TURN)
    whole[1:] += np.cumsum(np.round((steps - np.diff(ends, axis=0)) / TURN), axis=0)
    return ends + TURN * whole
