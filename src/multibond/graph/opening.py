"""A graph with symbols for the numbers inside its formulas, so that these change without compiling."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np

from multibond.expr import SX
from multibond.formula import Formula
from multibond.formula.opening import form, literal, opened
from multibond.formula.tree import Live
from multibond.graph.component import Component, Element
from multibond.graph.graph import Graph

Kind = TypeVar("Kind", bound=Component)


def with_open_formulas(graph: Graph) -> Graph:
    """The graph with the numbers of formulas among its run-time parameters, by the paths of the elements."""
    parameters, names, elements = dict(graph.parameters), set(graph.opened), dict(graph.elements)
    for path, item in graph.elements.items():
        for name, (value, symbols, numbers) in _opened(item, path).items():
            if elements[path] is item:
                elements[path] = copy.copy(item)
            object.__setattr__(elements[path], name, value)
            parameters[f"{path}.{name}"] = (symbols, np.array(numbers, float).reshape(-1, 1))
            names.add(f"{path}.{name}")
    return graph.with_(elements=elements, parameters=parameters, opened=frozenset(names))


def with_closed_formulas(graph: Graph) -> Graph:
    """The graph with numbers in its formulas, as it was before these were opened."""
    if not graph.opened:
        return graph
    elements = {path: closed(item) for path, item in graph.elements.items()}
    parameters = {path: entry for path, entry in graph.parameters.items() if path not in graph.opened}
    return graph.with_(elements=elements, parameters=parameters, opened=frozenset())


def _opened(item: Element, path: str) -> dict[str, tuple[Any, SX, list[float]]]:
    """An element's formulas that have numbers which may change, by parameter."""
    found: dict[str, tuple[Any, SX, list[float]]] = {}
    for name, about in item.parameters().items():
        value = getattr(item, name)
        if about.formula and isinstance(value, Formula):
            made = opened(value, f"{path}.{name}", about.live)
            if made[2]:
                found[name] = made
    return found


def closed(item: Kind, number_of: Callable[[Live], float] | None = None) -> Kind:
    """The element with numbers in its formulas again, see `literal`."""
    formulas = {name: value for name, value in vars(item).items() if isinstance(value, Formula) and value.live}
    if not formulas:
        return item
    twin = copy.copy(item)
    for name, value in formulas.items():
        object.__setattr__(twin, name, literal(value, number_of))
    return twin


def shape_of(element: Element, prefix: str = "") -> tuple[object, ...]:
    """What makes an element's equations: its class, its structure, and the form of its parameters.

    prefix: what paths in front of names are left out of it.
    """
    values: list[object] = [type(element).__name__]
    for name, about in element.parameters().items():
        value = getattr(element, name)
        if isinstance(value, SX):
            values.append((name, value.shape, str(value.sparsity()), str(value).replace(prefix, "")))
        elif isinstance(value, np.ndarray) and not about.start:
            values.append((name, value.shape, value.tobytes()))
        elif isinstance(value, Formula):
            values.append((name, form(value).replace(prefix, "")))
        elif not about.start:
            values.append((name, str(value)))
    return tuple(values)
