"""What a rewritten graph has lost, computed afterwards: the original machine at the states of the run.

Minimal coordinates know no constraint, so no reaction either. Joint coordinates and independent velocities they do
know, and these are the states of the machine as it was drawn: its equations, solved at the same instants, give every
force.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from multibond.elements import FreeMotion, I
from multibond.equations.dae import Place
from multibond.equations.writing import port_sign
from multibond.errors import Finding, ModelError
from multibond.expr import matrix
from multibond.lower.system import System
from multibond.rewrite.minimal_drawing import JUNCTION

Read = Callable[[str], np.ndarray]
"""Values of a variable of the run, one row a time."""


def known(system: System, name: str) -> bool:
    """Whether a system has a variable of this name."""
    return system.observer.knows(name)


def sources(system: System, names: list[str]) -> list[System]:
    """For each name the system that knows it: the run's own, or the original one."""
    origin = system.origin
    if origin is None:
        return [system] * len(names)
    return [system if known(system, name) else origin() for name in names]


def original_states(system: System, origin: System, read: Read, times: np.ndarray) -> np.ndarray:
    """States of the original machine, one row a time; `read` gives variables of the run by name."""
    out = np.empty((times.size, origin.n))
    for place in origin.dae.states:
        out[:, place.start : place.stop] = _state(system, origin, place, read)
    return out


def _state(system: System, origin: System, place: Place, read: Read) -> np.ndarray:
    item = origin.dae.graph.elements[place.path]
    lanes = list(place.lanes or range(place.size))
    word = "f" if place.name == "u" and isinstance(item, FreeMotion) else place.name
    if known(system, f"{place.path}.{word}"):
        return read(f"{place.path}.{word}")[:, lanes]
    if isinstance(item, I) and item.inertia is not None:
        return _momentum(system, origin, place, item, read)[:, lanes]
    fact = "Its state is no state of the rewritten machine."
    cure = "Ask for it in a run by another method."
    raise ModelError(Finding(f"{place.path!r} cannot be told from minimal coordinates.", fact, cure, (place.path,)))


def _momentum(system: System, origin: System, place: Place, item: I, read: Read) -> np.ndarray:
    """The momentum of an inertia whose flow is one of the independent velocities; of one that is zero, the flow."""
    assert system.origin is not None
    path = place.path
    bond = origin.dae.graph.bonds_of(path)[0]
    names = [path] if bond.size == 1 else [f"{path}[{k}]" for k in range(bond.size)]
    places = [system.origin.velocities.index(name) for name in names]
    whole = known(system, f"{JUNCTION}.f")
    flows = [read(f"{JUNCTION}.f")[:, k] if whole else read(f"{JUNCTION}.{k + 1}.f")[:, 0] for k in places]
    inward = port_sign(path, item, bond) * np.column_stack(flows)
    if place.name == "u":
        return inward
    return inward @ origin.dae.number(matrix(item.inertia, bond.size), origin.parameters).T
