"""Which solver fits a system: the default of order 8, or the stiff one where a fast decaying mode would hold it back.

An explicit method follows a mode that has long died out with steps at the border of its stability, where its error
estimate says too little. So the eigenvalues of the linearised start are looked at: a mode that decays much faster than
anything oscillates, and many times over during the run, asks for the implicit method.
"""

from __future__ import annotations

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
LARGEST = 80
"""Systems with more states are not looked at: the eigenvalues would cost more than they tell."""


LOSSLESS = (C, I, Se, Sf, Constraint, EulerGyrator, Coupler, Sensor, Junction, Wires, *KINEMATIC)
"""A model of these alone has no mode that decays."""


def choose_solver(system: System, until: float) -> tuple[str, str]:
    """The solver and the reason for it."""
    losses = any(not isinstance(item, LOSSLESS) for item in system.dae.graph.elements.values())
    if not losses or system.reduced.factors is None or not 0 < system.n <= LARGEST:
        return DEFAULT, "nothing in the model decays, so the explicit method of order 8 is fastest"
    slopes = _slopes(system)
    if not np.isfinite(slopes).all():
        return DEFAULT, "a law has no finite slope at the start, so a method that needs none is taken"
    decay, oscillation = _modes(slopes)
    if decay * until > DECAYS and decay > FASTER * oscillation:
        return STIFF, f"a mode decays at {decay:.3g}/s, so the run is stiff"
    return DEFAULT, f"the fastest decay is {decay:.3g}/s, so the run is not stiff"


def _slopes(system: System) -> np.ndarray:
    """Derivatives of the rates with respect to the states, at the start."""
    r = system.reduced
    y = r.y_start if r.implicit else np.zeros(0)
    function = model_function(r, slope(r, r.whole.x))
    return np.asarray(function(0.0, np.concatenate([system.x0, y]), system.parameters))


def _modes(slopes: np.ndarray) -> tuple[float, float]:
    """Rates of the fastest well damped and of the fastest other mode  [1/s]."""
    values = np.linalg.eigvals(slopes)
    damped = (values.real < 0) & (np.abs(values.imag) <= np.abs(values.real))
    return float(np.abs(values[damped]).max(initial=0.0)), float(np.abs(values[~damped]).max(initial=0.0))
