"""Where coordinates stand against their stops at the start."""

from __future__ import annotations

from typing import Any

import casadi as ca
import numpy as np

from multibond.elements import Stop
from multibond.equations.dae import Dae, Whole
from multibond.equations.observe import Observer, observer_of
from multibond.errors import Finding, StartError
from multibond.expr import SX, Function

SLACK = 1e-9
"""A start so little beyond a stop, as a part of its size, counts as at it."""


def require_between_stops(dae: Dae, whole: Whole, x: np.ndarray, p: np.ndarray) -> None:
    """Refuse a start beyond a stop: nothing says how it came there."""
    observer = observer_of(dae, whole)
    found = []
    for path, item in dae.graph.of_type(Stop):
        assert isinstance(item, Stop)
        way = _limit(dae, p, item.lower, -np.inf), _limit(dae, p, item.upper, np.inf)
        for value in _displacement(observer, path, x, p):
            room = SLACK * max(1.0, abs(value))
            if not way[0] - room <= value <= way[1] + room:
                found.append(_beyond(dae.graph.owner(path), value, way))
    if found:
        raise StartError(*found)


def _limit(dae: Dae, p: np.ndarray, value: Any, without: float) -> float:
    return without if value is None else float(np.asarray(dae.number(value, p)).item())


def _displacement(observer: Observer, path: str, x: np.ndarray, p: np.ndarray) -> list[float]:
    """What a stop limits, at a state; nothing where it is not a matter of states."""
    whole, hit = observer.whole, observer.dae.graph.signal_at(path, "displacement")
    names = [f"{path}.q"] if hit is None else [f"{e.element}.{e.port}" for e in hit[0].ends if e.element != path]
    for name in names:
        if name in observer.names:
            value: SX = observer.expression(name)
            if hit is not None and hit[1].select is not None:
                value = value[list(hit[1].select)]
            if ca.depends_on(value, whole.y):
                return []
            return (
                np.asarray(Function("q", [whole.t, whole.x, whole.p], [ca.densify(value)])(0.0, x, p)).ravel().tolist()
            )
    return []


def _beyond(name: str, value: float, way: tuple[float, float]) -> Finding:
    fact = f"It stands at {value:.6g}, and its way is from {way[0]:g} to {way[1]:g}."
    return Finding(f"{name!r} starts beyond its stops.", fact, "Start between them, or move a stop.", (name,))
