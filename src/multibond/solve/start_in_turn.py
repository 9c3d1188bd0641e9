"""Runs that start at angles of many turns: whole turns are left out of the start, and told again with the states.

So a run begins with all the digits of the angles, wherever they start, and goes as the one that starts turns before.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from multibond.lower.system import System
from multibond.rotation import TURN, whole_turns, without_turns


def in_turn(system: System) -> System:
    """The system with its start in turn; itself where all angles start within a turn."""
    x, p = system.x0.copy(), system.parameters.copy()
    angles = system.dae.angles
    states, places = [angle.state for angle in angles], [angle.turns for angle in angles]
    turns = whole_turns(x[states])
    if not turns.any():
        return system
    x[states] = [without_turns(angle, n) for angle, n in zip(x[states], turns, strict=True)]
    p[places] += turns
    return replace(system, x0=x, parameters=p)


def total(system: System, x: np.ndarray) -> np.ndarray:
    """States of a run, in the last axis, with the whole turns that its start has left out."""
    found = x.copy()
    for angle in system.dae.angles:
        found[..., angle.state] += TURN * system.parameters[angle.turns]
    return found
