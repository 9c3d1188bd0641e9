"""How fast the sources of a machine swing, which no mode of its start tells: a vibrating base, an alternating voltage.

With the states held at their start the rates are looked at along the run. One that swings as sin(ω t) has ω² as the
ratio of its slope's mean square to its variance; a slow ramp has next to none, steps have none, as the run ends a step
at each of these anyhow.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from multibond.equations.buffered import Buffered
from multibond.lower.system import System, model_function, slope
from multibond.solve.eigenmodes import Spectrum

LOOKS = 64
"""Times at which the sources are looked at, spread so that they fall in with no period."""
GOLDEN = 0.5 * (np.sqrt(5.0) - 1.0)
ROUNDING = 1e-24
"""A variance below this part of the mean square is rounding."""


@dataclass(frozen=True)
class Driving:
    """What sources do to each state: how fast they swing  [rad/s], and by how much they move it."""

    rates: np.ndarray
    amplitudes: np.ndarray


def driving(system: System, modes: Spectrum, until: float) -> Driving:
    """How sources drive a system along a run; nothing where they have no value."""
    counted = np.flatnonzero(~system.silent)
    r, x = system.reduced, system.x0
    state = np.concatenate([x, r.y_start if r.implicit else np.zeros(0)])
    still = Driving(np.zeros(counted.size), np.zeros(counted.size))
    changes = system.kept.get("slopes by time", lambda: _slopes_by_time(system))
    if changes is None:
        return still
    times = until * np.modf(GOLDEN * np.arange(1, LOOKS + 1))[0]
    rates = np.array([system.derivative(x, t=t)[counted] for t in times])
    slopes = np.array([changes(t, state, system.parameters)[counted] for t in times])
    if not (np.isfinite(rates).all() and np.isfinite(slopes).all()):
        return still
    spread, moved = rates.var(axis=0), (slopes**2).mean(axis=0)
    swings = spread > ROUNDING * (rates**2).mean(axis=0)
    rate = np.sqrt(np.where(swings, moved / np.where(swings, spread, 1.0), 0.0))
    fastest = float(np.abs(modes.values).max(initial=0.0))
    width = np.sqrt(2.0 * spread)
    return Driving(rate, np.where(rate > 0, width / np.maximum(rate + fastest, 1e-300), 0.0))


def _slopes_by_time(system: System) -> Buffered | None:
    """How fast the rates change with time where states are held; None where time has no say in them."""
    r = system.reduced
    found = slope(r, r.whole.t)
    return Buffered(model_function(r, found)) if found.nnz() else None
