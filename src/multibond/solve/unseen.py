"""Guards that stand at zero when a stretch begins and rise from there: the integrator sees no change of sign.

Two stops that one body hits in turn come to rest so: the last flights are lower than a rounding of the displacement.
"""

from __future__ import annotations

import numpy as np

from multibond.solve.contract import Trajectory
from multibond.solve.hybrid import CLOSE, LOW_FLIGHT
from multibond.solve.modes import Mode

LOOKS = np.concatenate([[0.0], np.logspace(-12, 0, 145)])
"""Parts of a stretch at which its guards are looked at: close together at its beginning."""
AT_ZERO = 1e-9
"""Guards lower than this at the start are not looked at closely."""


def risen(mode: Mode, run: Trajectory, rtol: float, atol: float) -> tuple[float, dict[str, str]] | None:
    """When a guard has risen unseen, and the change of mode that it asks for; None where none has."""
    if not mode.instants.switches or run.t.size < 2:
        return None
    start, end = float(run.t[0]), float(run.t[-1])
    times = start + (end - start) * LOOKS
    value = mode.guards_along(run, times)
    suspect = (value[0] > -AT_ZERO) & (value.max(axis=0) > 0.0)
    if not suspect.any():
        return None
    least = LOW_FLIGHT * mode.guards(start, run.x[0], float(np.finfo(float).eps), 0.0)[1]
    most = CLOSE * mode.guards(start, run.x[0], rtol, atol)[1]
    found = [(_rise(value[:, j], least[j], most[j]), j) for j in np.flatnonzero(suspect)]
    k, j = min(((k, j) for k, j in found if k), default=(0, 0))
    return (float(times[k]), dict([mode.instants.switches[j]])) if k else None


def _rise(value: np.ndarray, least: float, most: float) -> int:
    """The first look at which a guard has left its zero upwards, if it goes far beyond it; 0 if it does not."""
    above = np.flatnonzero(value > max(value[0], 0.0) + least)
    return int(above[0]) if above.size and value.max() > most else 0
