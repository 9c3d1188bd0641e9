"""Which solver fits a system: the default of order 8, or the stiff one where a fast decaying mode would hold it back.

An explicit method follows a mode that has long died out with steps at the border of its stability, where its error
estimate says too little, and what it gives between steps is worse. So the eigenvalues of the linearised start are
looked at: a mode that decays much faster than anything oscillates, and many times over during the run, asks for the
implicit method; where modes die out less often, steps are kept well inside the border.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from multibond.elements import KINEMATIC, C, Constraint, EulerGyrator, I, Se, Sf
from multibond.elements.couplers import Coupler
from multibond.elements.sensors import Sensor
from multibond.graph.junctions import Junction, Wires
from multibond.lower.system import System, model_function, slope

DEFAULT, STIFF = "dop853", "rodas5p"
DECAYS = 400.0
"""A mode that decays by this many e-foldings during the run is worth an implicit method."""
FASTER = 3.0
"""... where it decays so many times faster than the fastest oscillation."""
REACH = 3.0
"""Steps are kept below this, in units of the fastest mode that dies out; the border is at about 6."""
DEAD = 5.0
"""A mode that decays by fewer e-foldings during the run is alive, and so seen by the error estimate."""
LARGEST = 80
"""Systems with more states are not looked at: the eigenvalues would cost more than they tell."""


LOSSLESS = (C, I, Se, Sf, Constraint, EulerGyrator, Coupler, Sensor, Junction, Wires, *KINEMATIC)
"""A model of these alone has no mode that decays."""


@dataclass(frozen=True)
class Choice:
    """A solver, the reason for it, and the longest step that it should make  [s]."""

    solver: str
    reason: str
    longest: float = np.inf


def choose_solver(system: System, until: float) -> Choice:
    """The solver for a run of a given length."""
    losses = any(not isinstance(item, LOSSLESS) for item in system.dae.graph.elements.values())
    counted = np.flatnonzero(~system.silent)
    if not losses or system.reduced.factors is None or not 0 < counted.size <= LARGEST:
        return Choice(DEFAULT, "nothing in the model decays, so the explicit method of order 8 is fastest")
    slopes = _slopes(system, 0.0, system.x0)[np.ix_(counted, counted)]
    if not np.isfinite(slopes).all():
        return Choice(DEFAULT, "a law has no finite slope at the start, so a method that needs none is taken")
    modes: np.ndarray = np.linalg.eigvals(slopes)
    decay, oscillation = _rates(modes)
    if decay * until > DECAYS and decay > FASTER * oscillation:
        return Choice(STIFF, f"a mode decays at {decay:.3g}/s, so the run is stiff")
    reason = f"the fastest decay is {decay:.3g}/s, so the run is not stiff"
    return Choice(DEFAULT, reason, _longest(modes, until))


@dataclass(frozen=True)
class Fastest:
    """The fastest motion of a system: its rate  [1/s], whether it oscillates, and the states that take part most."""

    rate: float
    oscillates: bool
    states: tuple[str, ...]


def fastest_motion(system: System, t: float, x: np.ndarray) -> Fastest | None:
    """The fastest motion about a state; None where nothing tells."""
    if not 0 < system.n <= LARGEST or system.reduced.factors is None or system.reduced.implicit:
        return None
    slopes = _slopes(system, t, x)
    if not np.isfinite(slopes).all():
        return None
    modes, shapes = np.linalg.eig(slopes)
    k = int(np.argmax(np.abs(modes)))
    share = np.abs(shapes[:, k] * np.linalg.pinv(shapes)[k])  # how much a state takes part, whatever its unit
    some = np.argsort(-share, kind="stable")[:2]
    names = tuple(system.state_names[n] for n in some if share[n] > 0.1 * share.max())
    mode = complex(modes[k])
    oscillates = abs(mode.imag) > abs(mode.real)
    return Fastest(abs(mode) if oscillates else mode.real, oscillates, names)


def _slopes(system: System, t: float, x: np.ndarray) -> np.ndarray:
    """Derivatives of the rates with respect to the states."""
    r = system.reduced
    y = r.y_start if r.implicit else np.zeros(0)
    function = model_function(r, slope(r, r.whole.x))
    return np.asarray(function(t, np.concatenate([x, y]), system.parameters))


def _rates(modes: np.ndarray) -> tuple[float, float]:
    """Rates of the fastest well damped and of the fastest other mode  [1/s]."""
    damped = (np.real(modes) < 0) & (np.abs(np.imag(modes)) <= np.abs(np.real(modes)))
    return float(np.abs(modes[damped]).max(initial=0.0)), float(np.abs(modes[~damped]).max(initial=0.0))


def _longest(modes: np.ndarray, until: float) -> float:
    """The longest step for modes that die out, a power of two so that rounding does not change it  [s].

    Where it would make the run much longer than `DECAYS` asks for, steps are left to the error estimate.
    """
    fastest = float(np.abs(modes[np.real(modes) * until < -DEAD]).max(initial=0.0))
    if not 0 < fastest * until <= REACH * DECAYS:
        return np.inf
    return float(2.0 ** np.floor(np.log2(REACH / fastest)))
