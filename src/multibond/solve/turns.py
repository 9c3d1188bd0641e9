"""Angles of cut joints come from poses, within half a turn, and quaternions with either sign.

Here full turns are counted along the run, and signs kept, beginning with the start value where one is given; of the two
sets of three angles that give one attitude, the one on the side of the start is told.
"""

from __future__ import annotations

import numpy as np

from multibond.elements import FreeMotion
from multibond.elements.motions import MotionKind
from multibond.elements.turnings import Sequence
from multibond.equations.observe import resolve
from multibond.expr import SX, Function
from multibond.lower.system import System

TURN = 2 * np.pi


def turning(system: System, name: str) -> str | None:
    """The path of the joint whose coordinates `name` stands for, if it is a cut that turns."""
    target = resolve(system.dae, name)
    path, _, what = target.rpartition(".")
    element = system.dae.graph.elements.get(path)
    turns = isinstance(element, FreeMotion) and element.motion.turning_coordinates
    return path if turns and what == "q" and system.dae.tree.role.get(path) == "cut" else None


def _kind(system: System, joint: str) -> MotionKind:
    element = system.dae.graph.elements[joint]
    assert isinstance(element, FreeMotion)
    return element.motion


def rates(system: System, joint: str, q: np.ndarray, u: np.ndarray) -> np.ndarray:
    """How fast the coordinates of a joint change, one row a time, for coordinates q and free flows u."""
    kind = _kind(system, joint)
    symbols = SX.sym("q", q.shape[1]), SX.sym("u", u.shape[1])
    return np.asarray(Function("rates", [*symbols], [kind.rate(*symbols)]).map(len(q))(q.T, u.T)).T


def angles_among(system: System, joint: str, index: list[int]) -> list[int]:
    """Which of the coordinates with the given numbers are angles, by their place in the list."""
    count = _kind(system, joint).angle_count
    return [place for place, k in enumerate(index) if k < count]


def first_coordinates(system: System, joint: str, read: np.ndarray) -> np.ndarray:
    """Coordinates of a joint at the start as they were given; as they are read where they were not."""
    given = system.dae.graph.starts.get(joint, {}).get("q")
    return read if given is None else np.where(given.free, read, given.values)


def on_side(system: System, joint: str, q: np.ndarray, first: np.ndarray) -> np.ndarray:
    """Coordinates, one row a time; of three angles in turn, of which two sets give any attitude, those like `first`."""
    kind = _kind(system, joint)
    if not isinstance(kind.turning, Sequence) or not q.size:
        return q
    symbols = SX.sym("q", q.shape[1]), SX.sym("near", kind.angle_count)
    near = np.repeat(first[: kind.angle_count, None], len(q), axis=1)
    return np.asarray(Function("side", [*symbols], [kind.nearest(*symbols)]).map(len(q))(q.T, near)).T


def as_told(system: System, name: str) -> SX:
    """The expression of a variable; of angles in turn at a cut, on the side of the start, as they are told."""
    plain, joint = system.observer.expression(name), turning(system, name.partition("[")[0])
    if joint is None or not isinstance(_kind(system, joint).turning, Sequence):
        return plain
    whole, q = system.reduced.whole, system.observer.expression(f"{joint}.q")
    read = Function("q", [whole.t, whole.x, whole.p], [q])(0.0, system.x0, system.parameters)
    kind, first = _kind(system, joint), first_coordinates(system, joint, np.asarray(read).ravel())
    told = kind.nearest(q, SX(first[: kind.angle_count]))
    return told[int(name.partition("[")[2].rstrip("]"))] if "[" in name else told


def is_quaternion(system: System, joint: str) -> bool:
    """Whether the turns of a joint are told by a quaternion."""
    return _kind(system, joint).quaternion


def keep_sign(times: np.ndarray, q: np.ndarray, grid: np.ndarray, ends: np.ndarray, first: np.ndarray) -> np.ndarray:
    """Signs that make quaternions at times follow one another without a jump, beginning next to `first`.

    grid, ends: times of the step ends and quaternions there; within a step the attitude turns by less than half a turn.
    """
    along = np.sum(ends * np.vstack([first, ends[:-1]]), axis=1)
    signs = np.cumprod(np.where(along < 0, -1.0, 1.0))
    k = np.clip(np.searchsorted(grid, times, side="right") - 1, 0, grid.size - 1)
    return np.where(np.sum(q * (signs[:, None] * ends)[k], axis=1) < 0, -1.0, 1.0)


def count_turns(
    times: np.ndarray, angles: np.ndarray, grid: np.ndarray, ends: np.ndarray, speeds: np.ndarray, first: np.ndarray
) -> np.ndarray:
    """Add whole turns: along the steps by the mean speed of each, then within the step from its start.

    grid, ends, speeds: times of the step ends, angles and speeds there (rows by time, columns by angle). first: angles
    at the start with their full turns.
    """
    steps = np.diff(grid)[:, None] * 0.5 * (speeds[1:] + speeds[:-1])
    whole = np.zeros_like(ends) + np.round((first - ends[0]) / TURN)
    whole[1:] += np.cumsum(np.round((steps - np.diff(ends, axis=0)) / TURN), axis=0)
    full = ends + TURN * whole
    k = np.clip(np.searchsorted(grid, times, side="right") - 1, 0, max(grid.size - 2, 0))
    h = np.maximum(np.diff(grid)[k], 1e-300) if grid.size > 1 else np.ones(times.size)
    fraction = ((times - grid[k]) / h)[:, None]
    expected = full[k] + fraction * (full[np.minimum(k + 1, grid.size - 1)] - full[k])
    return angles + TURN * np.round((expected - angles) / TURN)
