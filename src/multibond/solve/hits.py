"""Hits: instants at which a stop throws back what runs into it, or catches it.

A rebound leaves the mode as it was, so changes of mode do not tell of it. Speeds are the flow of the stop just before
and just after its own impulse: where one hit brings about another at the same instant, each is told on its own.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from multibond.border import public
from multibond.elements import Stop
from multibond.solve.modes import Mode, Values


@public
@dataclass(frozen=True)
class Hit:
    """A hit on a stop: when  [s], on which ("leg.stop", "floor[1]" for a component of several), and at which side.

    side: "lower" or "upper". before, after: flow of the stop, the rate of what it limits; after is 0 where it is
    caught. impulse: effort of the stop, integrated over the instant  [effort.s]; positive at "upper", negative at
    "lower".
    """

    time: float
    path: str
    side: str
    before: float
    after: float
    impulse: float


def rebound(
    free: Mode, contact: Mode, t: float, path: str, held: tuple[Values, Values], guards: np.ndarray
) -> list[Hit]:
    """The hit of an element that is free again; held: energy variables before and after; guards: their shocks."""
    closed = _closed(free, contact, path)
    if not closed:
        return []
    before, after = (free.flow(path, t, free.take(values)) for values in held)
    return [
        Hit(t, name, side, float(before[k]), float(after[k]), _impulse(contact, guards, path, k))
        for k, name, side in closed
    ]


def caught(free: Mode, now: Mode, t: float, held: Values, least: float) -> list[Hit]:
    """Hits of elements that are closed from now on and were not; flows up to `least` are rest."""
    found, guards = [], None
    for path in (path for path, mode in sorted(now.modes.items()) if mode != free.modes[path]):
        for k, name, side in _closed(free, now, path):
            before = float(free.flow(path, t, free.take(held))[k])
            if before * _outward(side) > least:
                guards = now.jump(t, held).guards if guards is None else guards
                found.append(Hit(t, name, side, before, 0.0, _impulse(now, guards, path, k)))
    return found


def _outward(side: str) -> float:
    return 1.0 if side == "upper" else -1.0


def _closed(free: Mode, contact: Mode, path: str) -> list[tuple[int, str, str]]:
    """Components of a stop that are free in one mode and held in another: number, name and side."""
    old, new = (mode.system.dae.graph.elements[path] for mode in (free, contact))
    if not (isinstance(old, Stop) and isinstance(new, Stop)):
        return []
    size = contact.system.dae.graph.bonds_of(path)[0].size
    names = [path] if size == 1 else [f"{path}[{k}]" for k in range(size)]
    modes = [(old.mode_of(k), new.mode_of(k)) for k in range(size)]
    return [(k, names[k], after) for k, (before, after) in enumerate(modes) if before == "free" != after]


def _impulse(contact: Mode, guards: np.ndarray, path: str, k: int) -> float:
    """The impulse of a closed component: the guard that would open it is its effort, pulling."""
    item = contact.system.dae.graph.elements[path]
    assert isinstance(item, Stop)
    size = contact.system.dae.graph.bonds_of(path)[0].size
    opening = contact.instants.switches.index((path, item.with_mode(k, "free", size)))
    return -_outward(item.mode_of(k)) * float(guards[opening])
