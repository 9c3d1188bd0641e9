"""Start values found so that given accelerations hold: one search on positions, flows and rates of flows at once.

What is fixed stays exact; coordinates, speeds and storages that are not given move as little as possible.
"""

from __future__ import annotations

from collections.abc import Sequence

import casadi as ca
import numpy as np

from multibond.equations.nearest import Freedom, Values, close, nearest, spread_points
from multibond.equations.reduce import Reduced
from multibond.equations.slopes import Slopes
from multibond.errors import Finding
from multibond.expr import column, entries
from multibond.solve.given import Wish
from multibond.solve.search import Unknowns

TOLERANCE = 1e-9
TRIES = 12
FAR = 1e3
"""Beyond this, in its own size, an unknown may be on its way to where accelerations only fade."""


def accelerations(r: Reduced, at: Unknowns, wishes: Sequence[Wish]) -> Values:
    """What vanishes where given accelerations hold, as a part of the largest of them."""
    w = r.whole
    flow, of = column([wish.flow for wish in wishes]), column([w.x, entries(w.p, at.sought)])
    rate = Slopes(r).derivative(ca.jtimes(flow, w.x, w.xdot) + ca.jacobian(flow, w.t), of)
    target = np.concatenate([wish.number for wish in wishes])
    scale = max(1.0, float(np.abs(target).max(initial=0.0)))
    size = np.concatenate([np.ones(at.dae.nx), at.size])

    def values(z: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        value, slope = rate(*at.split(z))
        return (value - target) / scale, slope * size / scale

    return values


def reach(conditions: Values, wishes: Sequence[Values], z: np.ndarray, freedom: Freedom) -> tuple[np.ndarray, float]:
    """The point nearest to what is wished at which all conditions hold, accelerations among them, and what is left."""
    spread = np.concatenate([[0.1, 0.3], np.linspace(0.5, 3.0, TRIES - 2)])[:, None]
    best = _closed(conditions, z, freedom)
    for step in spread * spread_points(TRIES, freedom.free.size):
        if best[1] <= TOLERANCE:
            break
        begin = z.copy()
        begin[freedom.free] += step
        freedom.normal(begin)
        found = _closed(conditions, begin, freedom)
        best = found if found[1] < best[1] else best
    return (nearest(conditions, wishes, best[0], freedom), best[1]) if best[1] <= TOLERANCE else best


def _closed(conditions: Values, z: np.ndarray, freedom: Freedom) -> tuple[np.ndarray, float]:
    """As `close`; nothing where an unknown has gone so far that accelerations only fade (an infinite lever, say).

    There the next step of Newton's method is as long as the way so far, at a solution it is none.
    """
    z, error = close(conditions, z, freedom)
    size = float(np.abs(z[freedom.free]).max(initial=0.0))
    if size <= FAR or not np.isfinite(error):
        return z, error
    value, slope = conditions(z)
    largest = np.abs(slope[:, freedom.free]).max(axis=1)
    rows = largest > 0.0
    scaled = slope[rows][:, freedom.free] / largest[rows, None]
    step = np.linalg.lstsq(scaled, value[rows] / largest[rows], rcond=1e-10)[0]
    return z, np.inf if np.abs(step).max(initial=0.0) > 1e-3 * size else error


def not_reached(
    wishes: Sequence[Wish], alone: Sequence[Wish], error: float, names: Sequence[str], free: int
) -> Finding:
    """What to say where accelerations cannot be had; `alone`: those that cannot be had even without the others."""
    joints = tuple(dict.fromkeys(wish.joint for wish in alone or wishes))
    named = ", ".join(repr(joint) for joint in joints)
    given = f"With {', '.join(names)} as given" if names else "From the guesses"
    fact = f"{given} the nearest start leaves an error of {error:.3g}, with {free} free to move."
    cure = "Give fewer start values, better guesses, or drive the joint; a Guess may be moved."
    return Finding(f"the acceleration at the start of {named} cannot be had.", fact, cure, joints)
