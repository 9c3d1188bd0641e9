"""Coordinates and speeds of all joints in a state, by the names a user knows."""

from __future__ import annotations

from typing import Any

import numpy as np

from multibond.elements import FreeMotion
from multibond.equations.observe import Observer
from multibond.errors import unknown_name
from multibond.expr import Function, column
from multibond.graph.graph import Graph

GENERAL = (".coordinates", ".speeds")


def household(graph: Graph, target: str) -> list[tuple[str, int | None]]:
    """What the user calls a quantity of a joint: one name, or one for each of its components; the plain path else."""
    named = [(alias, None) for alias, to in graph.aliases.items() if to == target and not alias.endswith(GENERAL)]
    if named:
        return [min(named)]
    parts = sorted((alias, to) for alias, to in graph.aliases.items() if to.startswith(f"{target}["))
    if parts:
        return [(alias, int(to.rpartition("[")[2].rstrip("]"))) for alias, to in parts]
    plain = [alias for alias, to in graph.aliases.items() if to == target]
    return [(min(plain, default=target), None)]


def joint_values(observer: Observer, x: np.ndarray, p: np.ndarray, what: str, t: float = 0.0) -> dict[str, Any]:
    """Coordinates ("q") or speeds ("f") of every joint that moves, by name: a number, or an array of several."""
    graph, whole = observer.dae.graph, observer.whole
    paths = [path for path, item in graph.of_type(FreeMotion) if item.motion.freedoms]
    values = [observer.expression(f"{path}.{what}") for path in paths]
    function = Function("v", [whole.t, whole.x, whole.p], [column(values)])
    flat = np.asarray(function(t, x, p))[:, 0]
    found, start = {}, 0
    for path, value in zip(paths, values, strict=True):
        own = flat[start : start + value.numel()]
        start += value.numel()
        for name, lane in household(graph, f"{path}.{what}"):
            found[name] = float(own[lane or 0]) if lane is not None or own.size == 1 else own
    return found


def value_of(values: dict[str, Any], name: str) -> Any:
    """One of the values by its name."""
    if name not in values:
        raise unknown_name("the mechanism", name, values, offer="Name a coordinate of a joint.")
    return values[name]


def told(values: dict[str, Any]) -> str:
    """Values in one line."""
    return ", ".join(f"{name} = {_number(value)}" for name, value in values.items())


def _number(value: Any) -> str:
    return f"{value:.6g}" if np.ndim(value) == 0 else f"({', '.join(f'{v:.6g}' for v in value)})"
