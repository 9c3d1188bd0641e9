"""Which solver fits a system: the explicit method of order 8, or the implicit one where that costs clearly less.

An explicit method follows a mode that has long died out with steps at the border of its stability, where its error
estimate says too little, and what it gives between steps is worse. So the modes of the linearised start are looked at,
creeping and swinging ones alike; from them and from how fast sources swing the steps of both methods are estimated, by
accuracy and by stability, and the operations of each step are counted. Where the explicit method goes, its steps are
kept well inside the border.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from multibond.elements import KINEMATIC, C, Constraint, EulerGyrator, I, Se, Sf
from multibond.elements.couplers import Coupler
from multibond.elements.sensors import Sensor
from multibond.graph.junctions import Junction, Wires
from multibond.lower.system import System
from multibond.solve.driving import driving
from multibond.solve.eigenmodes import Spectrum, is_looked_at, spectrum
from multibond.solve.methods import DEFAULT, METHODS, STIFF
from multibond.solve.outlay import Demand, Outlay, outlay

CLEARLY = 1.5
"""The implicit method is taken where it is estimated to cost so many times less: its code has to be compiled first."""
DEAD = 5.0
"""A mode that decays by fewer e-foldings during the run is alive, and so seen by the error estimate."""


LOSSLESS = (C, I, Se, Sf, Constraint, EulerGyrator, Coupler, Sensor, Junction, Wires, *KINEMATIC)
"""A model of these alone has no mode that decays."""


@dataclass(frozen=True)
class Choice:
    """A solver, the reason for it, and the longest step that it should make  [s]."""

    solver: str
    reason: str
    longest: float = np.inf


def choose_solver(system: System, until: float, rtol: float = 1e-9, atol: float = 1e-12) -> Choice:
    """The solver for a run of a given length and accuracy."""
    losses = system.kept.get("losses", lambda: _loses(system))
    if not losses or not is_looked_at(system):
        return Choice(DEFAULT, "nothing in the model decays, so the explicit method of order 8 is fastest")
    modes = spectrum(system)
    if modes is None:
        return Choice(DEFAULT, "a law has no finite slope at the start, so a method that needs none is taken")
    longest, driven = _longest(modes.values, until), driving(system, modes, until)
    demand = Demand(until, max(rtol, atol), atol * modes.sizes, driven)
    explicit = outlay(DEFAULT, system, modes, demand, longest)
    implicit = outlay(STIFF, system, modes, demand)
    stiff = explicit.steps > implicit.steps and explicit.operations > CLEARLY * implicit.operations
    reason = _reason(modes, explicit, implicit, stiff)
    return Choice(STIFF, reason) if stiff else Choice(DEFAULT, reason, longest)


def _loses(system: System) -> bool:
    return any(not isinstance(item, LOSSLESS) for item in system.dae.graph.elements.values())


def _reason(modes: Spectrum, explicit: Outlay, implicit: Outlay, stiff: bool) -> str:
    fastest = modes.fastest_decay
    decay = -fastest.real if fastest is not None else 0.0
    pair = f", swinging at {fastest.imag:.3g} rad/s" if fastest is not None and fastest.imag else ""
    begin = f"a mode decays at {decay:.3g}/s{pair}" if stiff else f"the fastest decay is {decay:.3g}/s{pair}"
    figures = f"estimated {DEFAULT} {explicit}, {STIFF} {implicit}"
    return f"{begin}, so the run is {'' if stiff else 'not '}stiff ({figures})"


def _longest(modes: np.ndarray, until: float) -> float:
    """The longest step for modes that die out, a power of two so that rounding does not change it  [s]."""
    fastest = float(np.abs(modes[np.real(modes) * until < -DEAD]).max(initial=0.0))
    return float(2.0 ** np.floor(np.log2(METHODS[DEFAULT].traits.reach / fastest))) if fastest > 0 else np.inf
