"""What a rewritten graph has lost, computed afterwards: the original machine at the states of the run.

Minimal coordinates know no constraint, so no reaction either. Joint coordinates and flows they do know, and these are
the states of the machine as it was drawn: its equations, solved at the same instants, give every force.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from multibond.elements import Motion
from multibond.equations.dae import Place
from multibond.errors import UnknownName
from multibond.lower.system import System


def known(system: System, name: str) -> bool:
    """Whether a system has a variable of this name."""
    try:
        system.observer.expression(name)
    except UnknownName:
        return False
    return True


def original_states(read: Callable[[list[str]], np.ndarray], origin: System) -> np.ndarray:
    """States of the original machine, one row a time; `read` gives variables of the run by name."""
    names = [_name(origin, place) for place in origin.dae.states]
    values = read(names)
    out, start = np.empty((values.shape[0], origin.n)), 0
    for place in origin.dae.states:
        lanes = list(place.lanes) or list(range(place.size))
        size = max(lanes) + 1 if place.lanes else place.size
        out[:, place.start : place.stop] = values[:, [start + k for k in lanes]]
        start += size
    return out


def _name(origin: System, place: Place) -> str:
    flow = place.name == "u" and isinstance(origin.dae.graph.elements[place.path], Motion)
    return f"{place.path}.{'f' if flow else place.name}"


def sources(system: System, names: list[str]) -> list[Any]:
    """For each name the system that knows it: the run's own, or the original one."""
    origin = system.origin
    if origin is None:
        return [system] * len(names)
    return [system if known(system, name) else origin() for name in names]
