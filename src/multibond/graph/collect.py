"""Graph → Model: an opened graph as a model of elements, to be edited, saved, drawn and run like any other."""

from __future__ import annotations

import copy
from dataclasses import replace
from typing import Any

import casadi as ca
import numpy as np

from multibond.expr import SX, column, nonzeros
from multibond.graph.component import Component, Element
from multibond.graph.compound import changed, followed, variables
from multibond.graph.edge import At, PowerBond, SignalLink
from multibond.graph.graph import Graph, Reader, Signal
from multibond.graph.model import Model, Sheet
from multibond.graph.opened_frames import frames_at
from multibond.graph.opening import closed
from multibond.graph.origin import Origin
from multibond.graph.port import SignalPort
from multibond.graph.start import StartVector, start_vector


def collect(graph: Graph, name: str) -> Model:
    """A model of the graph's elements with numbers for parameters. Dots in paths become dashes in names."""
    model = Model(name)
    numbers = _Numbers(graph)
    number = {path: k for k, path in enumerate(graph.elements)}
    components: dict[int, Component] = {}
    for path, item in graph.elements.items():
        components[number[path]] = _settled(item, path, graph, numbers)
    bonds = [
        PowerBond(At(number[b.tail.element], b.tail.port), At(number[b.head.element], b.head.port), b.size)
        for b in graph.bonds
    ]
    links = [link for signal in graph.signals for link in _links(graph, signal, number)]
    origins = {number[path]: _with_numbers(graph.origin(path), numbers) for path in graph.elements}
    origins = {k: origin for k, origin in origins.items() if origin.part}
    names = _names(graph)
    model.sheet = Sheet(
        *(components, (*bonds, *links)),
        next_id=len(components),
        names=names,
        origins=origins,
        frames=frames_at(graph, number),
    )
    return model


def _names(graph: Graph) -> dict[str, str]:
    """Household names of variables that belong to elements, and of signals, which are told at a port that has them."""
    ends = {s.name: f"{e.element}.{e.port}" for s in graph.signals for e in s.ends[::-1] if e.select is None}
    found = {}
    for alias in graph.aliases:
        target = followed(graph.aliases, alias)
        for name in (alias, target) if target in ends else (alias,):
            found[name] = changed(ends.get(target, target), lambda variable: _dashed(graph, variable))
    return {alias: target for alias, target in found.items() if all(variables(target))}


def _dashed(graph: Graph, variable: str) -> str:
    """The variable in the collected model; nothing where its element is not there."""
    path = max((p for p in _parents(variable) if p in graph.elements), key=len, default=None)
    return "" if path is None else path.replace(".", "-") + variable[len(path) :]


def _parents(path: str) -> list[str]:
    parts = path.split(".")
    return [".".join(parts[:k]) for k in range(1, len(parts))]


class _Numbers:
    """Evaluates parameter expressions at the graph's own numbers."""

    def __init__(self, graph: Graph) -> None:
        symbols = [SX(s) for s, _ in graph.parameters.values() if s.nnz()]
        self.symbols = column([nonzeros(s) for s in symbols])
        values = []
        for symbol, value in graph.parameters.values():
            values += [float(value[r, c]) for r, c in zip(*symbol.sparsity().get_triplet(), strict=True)]
        self.values = np.array(values)

    def __call__(self, expression: SX) -> np.ndarray:
        function = ca.Function("n", [self.symbols], [ca.densify(expression)])
        value = np.asarray(function(self.values))
        return (
            value[:, 0] if value.shape[1] == 1 and value.shape[0] > 1 else (value[0, 0] if value.size == 1 else value)
        )


def _with_numbers(origin: Origin, numbers: _Numbers) -> Origin:
    """Where an element comes from, the form of a solid with its sizes as they are."""
    if origin.form is None:
        return origin
    along, *sizes = (np.atleast_1d(numbers(SX(value))).tolist() for value in (origin.form.along, *origin.form.sizes))
    return replace(origin, form=replace(origin.form, along=tuple(along), sizes=tuple(size for (size,) in sizes)))


def _settled(item: Element, path: str, graph: Graph, numbers: _Numbers) -> Element:
    twin = copy.copy(closed(item))
    object.__setattr__(twin, "name", path.replace(".", "-"))
    for name in item.parameters():
        value = getattr(item, name)
        if isinstance(value, SX):
            object.__setattr__(twin, name, np.asarray(numbers(value), float))
    starts = graph.starts.get(path, {})
    for key, value in {} if _says(item, starts) else starts.items():
        field = {"q": "start", "u": "speed", "a": "acceleration", "state": "start"}.get(key)
        start = value.plain() if field is not None else _state_for(twin, value)
        object.__setattr__(twin, field or "start", start)
    return twin


def _says(item: Element, starts: dict[str, Any]) -> bool:
    """Whether an element's own parameters give these start values."""
    own = {key: value for key, value in item.start_values().items() if value is not None}
    return own.keys() == starts.keys() and all(start_vector(own[key]).ravel() == starts[key] for key in own)


def _state_for(item: Any, value: StartVector) -> Any:
    """The state of a storage with a given flow or effort."""
    return StartVector(item.holding(value.values), value.kinds).plain()


def _links(graph: Graph, signal: Signal, number: dict[str, int]) -> list[SignalLink]:
    if not signal.ends:
        return []
    whole = [end for end in signal.ends if end.select is None]
    picked = [end for end in signal.ends if end.select is not None]
    first = next((end for end in whole if _direction(graph, end) == "out"), whole[0])
    rest = [end for end in whole if end is not first]
    links = []
    if rest:
        equality = all(_direction(graph, end) == "either" for end in whole)
        links.append(SignalLink(tuple(At(number[e.element], e.port) for e in (first, *rest)), equality))
    for end in picked:
        assert end.select is not None
        source = At(number[first.element], f"{first.port}[{end.select[0]}]")
        links.append(SignalLink((source, At(number[end.element], end.port))))
    return links


def _direction(graph: Graph, end: Reader) -> str:
    ports = graph.elements[end.element].ports()
    return next(p.direction for p in ports if isinstance(p, SignalPort) and p.name == end.port)
