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


def leaves_out(system: System) -> bool:
    """Whether turns are left out of the start of a system."""
    return bool(system.parameters[system.dae.turns].any())


def as_kept(system: System) -> System:
    """The system whose variables tell angles as its states keep them, without the turns that are left out."""
    p = system.parameters.copy()
    p[system.dae.turns] = 0.0
    return replace(system, parameters=p)


def with_turns_of(system: System, other: System) -> System:
    """A system that leaves out the turns which another does of the angles that both have as states."""
    known = {_name(other, angle.state): other.parameters[angle.turns] for angle in other.dae.angles}
    p = system.parameters.copy()
    for angle in system.dae.angles:
        p[angle.turns] = known.get(_name(system, angle.state), 0.0)
    return replace(system, parameters=p)


def _name(system: System, state: int) -> tuple[str, str, int]:
    """Path, state and component."""
    place = next(place for place in system.dae.states if state in place.range)
    return place.path, place.name, (place.lanes or range(place.size))[state - place.start]
