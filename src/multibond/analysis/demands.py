"""What outputs have to follow, and the sources that see to it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from multibond.analysis.measured import Reading, lead, measured, unread
from multibond.analysis.sought import SoughtEffort, SoughtFlow
from multibond.elements import FreeMotion, MSe, Se
from multibond.errors import Finding, ModelError
from multibond.formula import Table, means_formula, read_formula
from multibond.formula.functions import t as TIME
from multibond.graph.graph import Graph
from multibond.graph.port import PortRef
from multibond.lower.system import System


@dataclass(frozen=True)
class Demand:
    """One component of an output and what it has to follow: a formula or number, or a signal of the model."""

    output: Reading
    target: Any = 0.0
    signal: Reading | None = None
    joint: str = ""
    """The motion whose coordinate follows the target, where the output is its speed."""


def demands_of(graph: Graph, given: Mapping[str, Any]) -> tuple[Graph, list[Demand]]:
    """The graph with sensors for all outputs, and what each component of them has to follow."""
    found: list[Demand] = []
    for name, value in given.items():
        graph, outputs = measured(graph, name)
        if isinstance(value, PortRef):
            graph, wanted = measured(graph, str(value))
            _require_fit(name, len(outputs), len(wanted))
            found += [Demand(o, signal=w) for o, w in zip(outputs, wanted, strict=True)]
        else:
            parts = _components(value)
            _require_fit(name, len(outputs), len(parts))
            found += [Demand(o, part) for o, part in zip(outputs, parts, strict=True)]
    return graph, found


def _components(value: Any) -> list[Any]:
    """A given function for each component of an output."""
    if isinstance(value, tuple) and len(value) == 2 and np.ndim(value[0]) == 1 and np.size(value[0]) > 2:
        times, values = np.asarray(value[0], float), np.asarray(value[1], float).reshape(len(value[0]), -1)
        return [Table(times, column, smooth=True, beyond="extend")(TIME) for column in values.T]
    if isinstance(value, list | tuple):
        return [part for one in value for part in _components(one)]
    if means_formula(value):
        return [read_formula(value, ("t",))]
    return np.ravel(np.asarray(value, float)).tolist()


def _require_fit(name: str, size: int, count: int) -> None:
    if size != count:
        fact = f"It has {size} component{'s' if size > 1 else ''}, and {count} {'are' if count > 1 else 'is'} given."
        cure = "Give one function for each component."
        raise ModelError(Finding(f"what is given for {name!r} does not fit.", fact, cure, (name,)))


def sought(graph: Graph, wanted: Sequence[str], demands: Sequence[Demand]) -> Graph:
    """The graph with sought sources in the place of the unknown ones, each led the outputs that it answers for."""
    first = 0
    for path in wanted:
        old, size = graph.elements[path], graph.bonds_of(path)[0].size
        own = demands[first : first + size]
        kind = SoughtEffort if isinstance(old, Se | MSe) else SoughtFlow
        target = own[0].target if size == 1 else [d.target for d in own]
        graph = unread(graph, path)
        rates = tuple(k for k, demand in enumerate(own) if demand.joint)
        graph = graph.with_(elements=graph.elements | {path: kind(old.name, target, rates, size=size)})
        for k, demand in enumerate(own, 1):
            graph = lead(graph, demand.output, path, f"output_{k}")
            if demand.signal is not None:
                graph = lead(graph, demand.signal, path, f"given_{k}")
        first += size
    return graph


def by_speed(graph: Graph, demands: Sequence[Demand], system: System) -> tuple[Graph, list[Demand]]:
    """The same demands with coordinates of joints given by their speeds; they start where the system has them."""
    found: list[Demand] = []
    for demand in demands:
        path = demand.output.element
        place = system.dae.place_of_state(path, "q")
        if place is None or not isinstance(graph.elements[path], FreeMotion) or demand.output.size > 1:
            found.append(demand)
            continue
        graph, (speed,) = measured(graph, f"{path}.f")
        start = {**graph.starts.get(path, {}), "q": system.x0[place.start : place.stop]}
        graph = graph.with_(starts=graph.starts | {path: start})
        found.append(replace(demand, output=replace(speed, name=demand.output.name), joint=path))
    return graph, found
