"""The states of a system by the names a user knows: household names where a part gives one."""

from __future__ import annotations

from multibond.equations.dae import Dae

GENERAL = ("coordinates", "speeds")
"""Words that every joint offers beside its own."""


def state_names(dae: Dae) -> dict[tuple[str, str], str]:
    """By (path, state) the name: ("hip.motion", "q") is `hip.angle`, ("coil", "p") is `coil.p`."""
    household: dict[str, str] = {}
    for alias, target in sorted(dae.graph.aliases.items(), key=lambda pair: _rank(pair[0])):
        household.setdefault(target, alias)
    return {(place.path, place.name): _name(household, place.path, place.name) for place in dae.states}


def _rank(alias: str) -> tuple[bool, int, str]:
    return alias.rpartition(".")[2] in GENERAL, len(alias), alias


def _name(household: dict[str, str], path: str, name: str) -> str:
    """The flow of a joint is its state `u`; a run also knows it as `f`."""
    own = f"{path}.{name}"
    flow = household.get(f"{path}.f") if name == "u" else None
    return household.get(own) or flow or own


def state_entries(dae: Dae) -> list[str]:
    """A name for each number of the state vector: `hip.angle`, `tip.quaternion[2]`."""
    named, found = state_names(dae), []
    for place in dae.states:
        name = named[place.path, place.name]
        some = place.lanes or (range(place.size) if place.size > 1 else ())
        found += [f"{name}[{k}]" for k in some] or [name]
    return found
