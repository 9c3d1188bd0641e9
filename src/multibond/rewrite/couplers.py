"""Couplers: two in a row become one, and a transformer is turned round.

A transformer with f_b = B f_a, read from b to a, is one with B⁻¹: for a rotation that is the transpose. Where a modulus
comes as a signal, a block multiplies the two.
"""

from __future__ import annotations

import numpy as np

from multibond.elements import GY, MGY, MTF, TF
from multibond.errors import CausalityError
from multibond.graph.component import Element
from multibond.graph.graph import Bond, End, Graph
from multibond.rewrite.edit import Edit
from multibond.rewrite.moduli import (
    Modulus,
    declared_way,
    gyrator,
    inverse,
    is_regular,
    modulus_of,
    ports,
    product,
    transformer,
    two_way,
)
from multibond.rewrite.rule import Rewrite
from multibond.rewrite.signals import values_of
from multibond.structure.causality import assign
from multibond.structure.tree import span

TRANSFORMERS, GYRATORS = (TF, MTF), (GY, MGY)
TRIALS = 3


# -- two in a row ------------------------------------------------------------------------------------------------------


def _find_rows(graph: Graph) -> tuple[tuple[str, ...], ...]:
    """Pairs of couplers with one bond from an outlet b to an inlet a, that have one modulus together."""
    found = []
    for bond in graph.bonds:
        ends = {end.port: end.element for end in (bond.tail, bond.head)}
        if set(ends) != {"a", "b"}:
            continue
        first, second = ends["b"], ends["a"]
        if first != second and _composes(graph, first, second):
            found.append((first, second))
    return tuple(sorted(found))


def _composes(graph: Graph, first: str, second: str) -> bool:
    one, two = graph.elements[first], graph.elements[second]
    if not all(isinstance(item, (*TRANSFORMERS, *GYRATORS)) for item in (one, two)):
        return False
    if isinstance(one, TRANSFORMERS) and isinstance(two, TRANSFORMERS):
        return _common(one, two) != ""
    if isinstance(one, TRANSFORMERS):
        return True
    if isinstance(two, TRANSFORMERS):
        return inverse_kind(graph, second) in ("transpose", "divide")
    return is_regular(graph, modulus_of(graph, second))


def _common(one: Element, two: Element) -> str:
    """The inverse of a product: that of its factors where these agree, none where flow passes one of them one way.

    A constant matrix goes with any other constant.
    """
    ways = {declared_way(one), declared_way(two)}
    if len(ways) == 1:
        return ways.pop()
    constant = isinstance(one, TF) and isinstance(two, TF)
    return "none" if "none" in ways or ("auto" in ways and not constant) else "auto" if "auto" in ways else ""


def _compose(graph: Graph, site: tuple[str, ...]) -> Graph:
    first, second = site
    edit = Edit(graph)
    inlet, outlet = ports(graph, first)["a"], ports(graph, second)["b"]
    path, turns, modulus, how = _together(edit, first, second)
    for item in site:
        edit.drop(item)
    if turns:
        transformer(edit, path, modulus, how)
    else:
        gyrator(edit, path, modulus)
    _rebond(edit, inlet, first, End(path, "a"))
    _rebond(edit, outlet, second, End(path, "b"))
    return edit.graph()


def _together(edit: Edit, first: str, second: str) -> tuple[str, bool, Modulus, str]:
    """The path of the new coupler, whether it is a transformer, its modulus and its kind of inverse."""
    graph = edit.old
    one, two = graph.elements[first], graph.elements[second]
    path = edit.free(f"{first}_{second.rsplit('.', 1)[-1]}")
    A, B = modulus_of(graph, first), modulus_of(graph, second)
    if isinstance(one, TRANSFORMERS):
        if isinstance(two, TRANSFORMERS):
            return path, True, product(edit, B, A, path), _common(one, two)
        return path, False, product(edit, A.T, B, path), ""
    if isinstance(two, TRANSFORMERS):
        return path, False, product(edit, A, inverse(edit, B, two_way(two), path), path), ""
    return path, True, product(edit, inverse(edit, B, "solve", path), A.T, path), "none"


def _rebond(edit: Edit, bond: Bond, element: str, end: End) -> None:
    """Draw the bond of an element that was dropped again, to another place."""
    tail, head = (end, bond.head) if bond.tail.element == element else (bond.tail, end)
    edit.bond(tail, head, bond)


# -- turning round -----------------------------------------------------------------------------------------------------


def _find_regular(graph: Graph) -> tuple[tuple[str, ...], ...]:
    return tuple((path,) for path, _ in graph.of_type(TRANSFORMERS) if _may_turn(graph, path))


def _still_there(graph: Graph, site: tuple[str, ...]) -> bool:
    return site[0] in graph.elements


def _may_turn(graph: Graph, path: str) -> bool:
    """Whether there is an inverse, and flow may pass the other way where it passes one way only."""
    if inverse_kind(graph, path) == "none":
        return False
    if two_way(graph.elements[path]) != "none":
        return True
    try:
        turned = _invert(graph, (path,))
        return not assign(turned, span(turned)).doubled
    except CausalityError:
        return False


def inverse_kind(graph: Graph, path: str) -> str:
    """How the modulus of a transformer can be inverted: "none", "transpose", "divide" or "solve".

    A signal counts as a rotation where its entries are one at several random positions, whatever was declared.
    """
    declared, modulus = two_way(graph.elements[path]), modulus_of(graph, path)
    if modulus.value is None and declared == "divide":
        return "none"  # a signal may vanish
    if declared != "none" or modulus.rows != modulus.columns:
        return declared
    if modulus.value is not None:
        return "solve" if is_regular(graph, modulus) else "none"
    if modulus.rows == 1:
        return "none"
    square = (TRIALS, modulus.rows, modulus.columns)
    samples = values_of(graph, modulus.signal, TRIALS)
    if samples is None:
        return "none"
    picked = samples if modulus.select is None else samples[:, list(modulus.select)]
    turned = picked.reshape(square)
    return "transpose" if np.allclose(turned @ turned.swapaxes(1, 2), np.eye(modulus.rows), atol=1e-12) else "none"


def _invert(graph: Graph, site: tuple[str, ...]) -> Graph:
    (path,) = site
    edit, at = Edit(graph), ports(graph, path)
    declared, how = declared_way(graph.elements[path]), inverse_kind(graph, path)
    modulus = inverse(edit, modulus_of(graph, path), how, path)
    turned = edit.free(f"{path}_inverse")
    edit.drop(path)
    transformer(edit, turned, modulus, declared)
    _rebond(edit, at["b"], path, End(turned, "a"))
    _rebond(edit, at["a"], path, End(turned, "b"))
    for old, new in (("a", "b"), ("b", "a")):
        edit.rename(f"{path}.{old}", f"{turned}.{new}")
    return edit.graph()


COMPOSE = Rewrite("compose couplers", "two transformers or gyrators in a row become one", _find_rows, _compose)
INVERT = Rewrite(
    "invert transformers", "a transformer is read from its other side", _find_regular, _invert, False, _still_there
)
