"""States by name: a few coordinates and speeds given, the rest as at the start or as the loops demand."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import numpy as np

from multibond.equations.consistent import manifold
from multibond.equations.observe import resolve
from multibond.errors import Finding, ModelError, StartError, unknown_name
from multibond.expr import column
from multibond.lower.system import System

CLOSED = 1e-9


def state_of(system: System, x: Any = None, *, t: float = 0.0) -> np.ndarray:
    """A state vector from an array, from a mapping by name (the rest as at the start, loops closed), or the start.

    >>> state_of(system, {"O.angle": 1.0, "O.speed": 2.0})
    """
    if x is None:
        return system.x0.copy()
    if isinstance(x, Mapping):
        return _by_name(system, x, t)
    state = np.ascontiguousarray(np.asarray(x, float).ravel())
    if state.size != system.n:
        fact = f"The system has {system.n}: {', '.join(system.state_names[:12])}{' …' if system.n > 12 else ''}."
        raise ModelError(Finding(f"a state of {state.size} numbers does not fit.", fact, "Give one for each state."))
    return state


def state_at(system: System, x: Any, t: float) -> np.ndarray:
    """The same, for calls that give the time too."""
    return state_of(system, x, t=t)


def _by_name(system: System, given: Mapping[str, Any], t: float) -> np.ndarray:
    x, fixed = system.x0.copy(), np.zeros(system.n, bool)
    for name, value in given.items():
        places = state_places(system, name)
        x[places] = np.broadcast_to(np.asarray(value, float), (len(places),))
        fixed[places] = True
    r = system.reduced
    shape = manifold(r.dae, r.whole, column([r.hidden_positions]), column([r.hidden_flows]))
    shape.unit(x, fixed)
    for settle in (shape.settle_positions, shape.settle_flows):
        x, error = settle(x, system.parameters, fixed, t=t)
        if error > CLOSED * max(1.0, float(np.abs(x).max(initial=0.0))):
            names = ", ".join(given)
            fact = f"With {names} as given the nearest state leaves an error of {error:.3g}."
            raise StartError(Finding("the loops do not close in this state.", fact, "Give fewer values.", tuple(given)))
    return x


def state_places(system: System, name: str) -> list[int]:
    """Where a named coordinate, speed or other state lies in the state vector."""
    match = re.fullmatch(r"(.*)\[(\d+)\]", name)
    base, lane = (match.group(1), int(match.group(2))) if match else (name, None)
    target = resolve(system.dae, base)
    found = re.fullmatch(r"(.*)\[(\d+)\]", target)
    if found:
        target, lane = found.group(1), int(found.group(2))
    path, _, word = target.rpartition(".")
    place = system.dae.place_of_state(path, "u" if word == "f" else word) or system.dae.place_of_state(path, word)
    if place is None or (lane is not None and lane >= place.size):
        system.observer.expression(name)
        offer = "It follows from the others: name states, such as the coordinates and speeds of the tree's joints."
        raise unknown_name("the state", name, system.state_names, offer=offer)
    return list(place.range) if lane is None else [place.start + lane]
