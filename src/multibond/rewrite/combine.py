"""Storages and resistors of one junction become one: inertias of one flow add up, compliances of one effort add up.

Their energies and losses add up too, so every column of the energy audit stays.
"""

from __future__ import annotations

from typing import Any

import casadi as ca
import numpy as np

from multibond.elements import C, G, I, R
from multibond.expr import SX, constant, matrix
from multibond.graph.graph import Graph
from multibond.graph.junctions import One, Zero
from multibond.rewrite.edit import Edit, number_of, with_values
from multibond.rewrite.rule import Rewrite

PARTNERS: dict[type, tuple[type, str]] = {I: (One, "inertia"), C: (Zero, "compliance"), G: (Zero, "conductance")}
"""Which elements add up on which junction, and the parameter that does."""


def _place(graph: Graph, path: str) -> str:
    """The junction at which a one-port stands; nothing where it is bonded to no junction."""
    other = graph.bonds_of(path)[0].other(path).element
    return other if isinstance(graph.elements[other], One | Zero) else ""


def _plain(graph: Graph, path: str, word: str) -> bool:
    """Whether a law is linear and no signal takes part in it."""
    item = graph.elements[path]
    signals = any(end.element == path for s in graph.signals for end in s.ends)
    return getattr(item, word) is not None and not signals and not item.split


def _pairs(graph: Graph, kind: type, word: str, at: type) -> list[tuple[str, ...]]:
    """Neighbours among the elements of one kind and role on one junction."""
    groups: dict[tuple[str, str], list[str]] = {}
    for path, item in graph.of_type(kind):
        if type(item) is kind and _plain(graph, path, word):
            place = _place(graph, path)
            if place and isinstance(graph.elements[place], at):
                groups.setdefault((place, getattr(item, "role", "")), []).append(path)
    return [(group[0], other) for group in groups.values() for other in group[1:2]]


# -- storages ----------------------------------------------------------------------------------------------------------


def _find_storages(graph: Graph) -> tuple[tuple[str, ...], ...]:
    found = [pair for kind in (I, C) for pair in _pairs(graph, kind, PARTNERS[kind][1], PARTNERS[kind][0])]
    return tuple(sorted(pair for pair in found if not any(_guessed(graph, path) for path in pair)))


def _guessed(graph: Graph, path: str) -> bool:
    return any(not value.fixed.all() for value in graph.starts.get(path, {}).values())


def _combine_storages(graph: Graph, site: tuple[str, ...]) -> Graph:
    first = site[0]
    kind = type(graph.elements[first])
    word = PARTNERS[kind][1]
    size = graph.bonds_of(first)[0].size
    laws = _values(graph, site, word)
    common = [value for path, law in zip(site, laws, strict=True) for value in _common(graph, path, law, size)]
    edit, path = _as_one(graph, site, word, added(laws[0], laws[1], size))
    if common:
        edit.starts[path] = {"flow" if kind is I else "effort": common[0]}
    return edit.graph()


def _values(graph: Graph, site: tuple[str, ...], word: str) -> list[Any]:
    """One parameter of each element of a site."""
    return [getattr(graph.elements[path], word) for path in site]


def _as_one(graph: Graph, site: tuple[str, ...], word: str, value: SX) -> tuple[Edit, str]:
    """The graph with one element of a new name in the place of two; its half-arrow is that of the first."""
    first, second = site
    edit = Edit(graph)
    path = edit.free(f"{first}_{second.rsplit('.', 1)[-1]}")
    edit.drop(second)
    edit.starts.pop(first, None)
    edit.elements[first] = with_values(graph.elements[first], **{word: value})
    edit.move(first, path)
    return edit, path


def _common(graph: Graph, path: str, law: Any, size: int) -> list[np.ndarray]:
    """The flow of an inertia, the effort of a compliance, at the start, where one is given."""
    tensor = number_of(graph, matrix(law, size))
    found = []
    for name, value in graph.starts.get(path, {}).items():
        number = np.broadcast_to(np.ravel(np.asarray(value, float)), (size,))
        sign = 1.0 if isinstance(graph.elements[path], C) or graph.bonds_of(path)[0].into(path) else -1.0
        found.append(number if name in ("flow", "effort") else sign * np.linalg.solve(tensor, number))
    return found


def added(a: Any, b: Any, size: int) -> SX:
    """The sum of two numbers, diagonals or matrices, in the simplest form that holds both."""
    a, b = (v if isinstance(v, SX) else constant(v) for v in (a, b))
    plain = a.shape == b.shape or (1 in (a.numel(), b.numel()) and max(a.shape[1], b.shape[1]) == 1)
    return a + b if plain else matrix(a, size) + matrix(b, size)


# -- resistors ---------------------------------------------------------------------------------------------------------


def _find_resistors(graph: Graph) -> tuple[tuple[str, ...], ...]:
    found = _pairs(graph, R, "resistance", One) + _pairs(graph, G, "conductance", Zero)
    return tuple(sorted(found + [pair for pair in _pairs(graph, R, "resistance", Zero) if _regular(graph, pair)]))


def _regular(graph: Graph, pair: tuple[str, ...]) -> bool:
    """Whether two resistances beside each other can be inverted: numbers or diagonals without zeros."""
    values = [number_of(graph, value) for value in _values(graph, pair, "resistance")]
    return all(value.ndim < 2 or value.shape[1] == 1 for value in values) and all(value.all() for value in values)


def _combine_resistors(graph: Graph, site: tuple[str, ...]) -> Graph:
    first = site[0]
    size = graph.bonds_of(first)[0].size
    word = "conductance" if isinstance(graph.elements[first], G) else "resistance"
    values = _values(graph, site, word)
    beside = word == "resistance" and isinstance(graph.elements[_place(graph, first)], Zero)
    a, b = (1 / SX(v) for v in values) if beside else values
    together = 1 / ca.densify(added(a, b, size)) if beside else added(a, b, size)
    return _as_one(graph, site, word, together)[0].graph()


STORAGES = Rewrite(
    "combine storages", "inertias of one flow, compliances of one effort add up", _find_storages, _combine_storages
)
RESISTORS = Rewrite("combine resistors", "resistors of one junction become one", _find_resistors, _combine_resistors)
