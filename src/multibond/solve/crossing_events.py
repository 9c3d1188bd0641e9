"""Crossings of watched variables, and changes of mode that are asked for, on the way across a singular position."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from dataclasses import replace

import numpy as np

from multibond.lower.system import System
from multibond.solve.contract import Event, NativeModel, Vector, Watch
from multibond.solve.crossing import Bridge
from multibond.solve.status import Status

PLACES = 65
"""Times on the way at which watched variables are looked at."""
HALVINGS = 60


def with_events(bridge: Bridge, system: System, model: NativeModel, watch: Watch) -> Bridge:
    """The bridge with its events; it ends at the first one that ends a run."""
    if model.guards is None or not model.n_guards:
        return bridge
    values = _values(bridge, system, model)
    times = np.linspace(float(bridge.t[0]), float(bridge.t[-1]), PLACES)
    found = np.array([values(t) for t in times.tolist()])
    directions = np.zeros(model.n_guards) if watch.directions is None else np.asarray(watch.directions)
    terminal = np.zeros(model.n_guards, bool) if watch.terminal is None else np.asarray(watch.terminal, bool)
    events = []
    for k in range(model.n_guards):
        signs = np.sign(found[:, k])
        for j in np.flatnonzero(signs[1:] * signs[:-1] < 0):
            if directions[k] in (0, signs[j + 1]):
                t = _root(lambda t, k=k: float(values(t)[k]), float(times[j]), float(times[j + 1]))
                events.append(Event(t, k, bridge.at([t])[0]))
    events.sort(key=lambda event: event.time)
    stops = [event.time for event in events if terminal[event.guard]]
    if not stops:
        return replace(bridge, events=tuple(events))
    kept = tuple(event for event in events if event.time <= stops[0])
    return replace(bridge.up_to_time(stops[0]), events=kept, status=Status.EVENT)


def _values(bridge: Bridge, system: System, model: NativeModel) -> Callable[[float], Vector]:
    """The guards at times on the way."""
    assert model.guards is not None
    native = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * 5)(model.guards)
    work, out, p = system.workspace(), np.zeros(model.n_guards), system.parameters

    def values(t: float) -> Vector:
        clock, x = np.array([t]), np.ascontiguousarray(bridge.at([t])[0])
        native(clock.ctypes.data, x.ctypes.data, p.ctypes.data, out.ctypes.data, work.ctypes.data)
        return out.copy()

    return values


def _root(value: Callable[[float], float], low: float, high: float) -> float:
    rising = value(low) < 0
    for _ in range(HALVINGS):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if (value(middle) < 0) == rising else (low, middle)
    return high
