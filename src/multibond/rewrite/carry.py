"""Carry an inertia, or the gyrator beside it, over a transformer (Tiernego & Bos 1985, section V; Boudon, eq. 12).

With v₂ = B v₁ the inertia J behind the transformer is BᵀJB in front of it. A modulus that changes adds the gyristor
BᵀJḂ, whose symmetric part is the power of the changing stored energy: both are one law, `VirtualInertia`. A mass that
comes out of a rotation stays what it is and gets a transport gyrator ω × m v.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from multibond.elements import MTF, TF, EulerGyrator, I
from multibond.elements.carried import Carried, TransformedGyrator, TransportGyrator, VirtualInertia
from multibond.expr import SX, flat, matrix
from multibond.graph.component import Element
from multibond.graph.graph import End, Graph
from multibond.graph.junctions import One
from multibond.rewrite.edit import Edit, number_of, with_values
from multibond.rewrite.moduli import Modulus, modulus_of, ports, two_way
from multibond.rewrite.rule import Rewrite
from multibond.rewrite.signals import signals_of, value_at_start
from multibond.structure.causality import Causality, assign
from multibond.structure.tree import span

Found = tuple[tuple[str, ...], ...]


# -- where -------------------------------------------------------------------------------------------------------------


def transformers_before(graph: Graph, path: str) -> list[str]:
    """Transformers whose outlet b is joined to a one-port, directly or by the 1-junction at which it stands."""
    place = graph.bonds_of(path)[0].other(path)
    if isinstance(graph.elements[place.element], One):
        ends = [b.other(place.element) for b in graph.bonds_of(place.element)]
    else:
        ends = [place]
    return sorted(e.element for e in ends if e.port == "b" and isinstance(graph.elements[e.element], TF | MTF))


def _front(edit: Edit, coupler: str) -> str:
    """The 1-junction at the inlet of a coupler; one is put in where there is none."""
    bond = next(b for b in edit.bonds_of(coupler) if b.end(coupler).port == "a")
    front = bond.other(coupler)
    if isinstance(edit.elements[front.element], One):
        return front.element
    place = edit.add(edit.free(f"{coupler}_front"), One("front", size=bond.size))
    edit.unbond(bond)
    first, last = (front, bond.end(coupler)) if bond.into(coupler) else (bond.end(coupler), front)
    edit.bond(first, End(place, "any"), bond)
    edit.bond(End(place, "any"), last, bond)
    return place


def _sites(graph: Graph, kind: type, fits: Callable[[Causality, str, str], bool]) -> Found:
    """Pairs of a one-port and the transformer over which it can be carried."""
    items = [path for path, item in graph.of_type(kind) if type(item) is kind and not item.split]
    pairs = [(path, t) for path in items for t in transformers_before(graph, path)]
    if not pairs:
        return ()
    strokes = assign(graph, span(graph))
    return tuple(pair for pair in pairs if fits(strokes, *pair))


def _given(graph: Graph, strokes: Causality, path: str) -> str:
    """Whether a one-port gives the flow of all its components ("flow"), of none ("effort"), or of some ("mixed")."""
    bond = graph.bonds_of(path)[0]
    ways = {strokes.gives_flow(bond, path, k) for k in range(bond.size)}
    return "mixed" if len(ways) > 1 else "flow" if True in ways else "effort"


def _forward(graph: Graph, strokes: Causality, coupler: str) -> bool:
    """Whether flow enters a transformer at its inlet a, in all components."""
    bond = ports(graph, coupler)["a"]
    return not any(strokes.gives_flow(bond, coupler, k) for k in range(bond.size))


def _straight(graph: Graph, coupler: str) -> bool:
    """Whether the flow behind is + B times the flow in front, by the half-arrows drawn."""
    at = ports(graph, coupler)
    return at["a"].into(coupler) != at["b"].into(coupler)


# -- inertia -----------------------------------------------------------------------------------------------------------


def _find_inertias(graph: Graph) -> Found:
    def fits(strokes: Causality, path: str, coupler: str) -> bool:
        item: Any = graph.elements[path]
        if item.inertia is None or _given(graph, strokes, path) == "mixed":
            return False
        follows = _given(graph, strokes, path) == "effort" and _forward(graph, strokes, coupler)
        return follows or _leads(graph, strokes, path, coupler)

    return _sites(graph, I, fits)


def _leads(graph: Graph, strokes: Causality, path: str, coupler: str) -> bool:
    """Whether the inertia decides the flow in front too, through a transformer that can be inverted."""
    gives = _given(graph, strokes, path) == "flow" and not _forward(graph, strokes, coupler)
    return gives and two_way(graph.elements[coupler]) != "none"


def _carry_inertia(graph: Graph, site: tuple[str, ...]) -> Graph:
    path, coupler = site
    edit, item = Edit(graph), graph.elements[path]
    assert isinstance(item, I)
    B = modulus_of(graph, coupler)
    leads = _leads(graph, assign(graph, span(graph)), path, coupler)
    if B.value is not None and leads:
        carried: Element = with_values(item, inertia=B.value.T @ matrix(item.inertia, B.rows) @ B.value, size=B.columns)
    else:
        carried = _with_modulus(VirtualInertia(_name(path), 1.0), item, B, independent=leads)
    place = _move(edit, path, coupler, carried, B)
    _start(edit, place, path, coupler, leads)
    return edit.graph()


def _with_modulus(twin: Carried, item: Any, B: Modulus, **values: Any) -> Carried:
    constant = None if B.value is None else flat(B.value)
    return with_values(
        twin, inertia=item.inertia, rows=B.rows, columns=B.columns, transposed=B.transposed, modulus=constant, **values
    )


def _start(edit: Edit, place: str, path: str, coupler: str, in_front: bool) -> None:
    """Let what is carried start with the momentum that is given, behind the transformer or, as Bᵀp, in front of it."""
    graph, B = edit.old, modulus_of(edit.old, coupler)
    p = momentum_of(graph, path)
    if p is None:
        return
    same = _straight(graph, coupler) == graph.bonds_of(path)[0].into(path)
    number = number_of(graph, B.value) if B.value is not None else modulus_at_start(graph, B)
    over = number.reshape(B.rows, B.columns).T @ p if in_front else p
    edit.starts[place] = {"state": over if same else -over}


def momentum_of(graph: Graph, path: str) -> np.ndarray | None:
    """The momentum of an inertia at the start, counted by power into it, where one is given."""
    item, size = graph.elements[path], graph.bonds_of(path)[0].size
    for name, value in graph.starts.get(path, {}).items():
        if value is not None and isinstance(item, I):
            number = np.broadcast_to(np.ravel(np.asarray(value, float)), (size,))
            return number_of(graph, matrix(item.inertia, size)) @ number if name == "flow" else number
    return None


def modulus_at_start(graph: Graph, B: Modulus) -> np.ndarray:
    """The number of a modulus that is a signal, at the start."""
    entries = value_at_start(graph, signals_of(graph), B.signal)
    picked = entries if B.select is None else entries[list(B.select)]
    return picked.reshape(B.columns, B.rows).T if B.transposed else picked.reshape(B.rows, B.columns)


def _move(edit: Edit, path: str, coupler: str, carried: Element, B: Modulus) -> str:
    """Take the one-port from behind the transformer, put what it becomes in front of it; what is then idle goes."""
    graph = edit.old
    front, domain = _front(edit, coupler), ports(graph, coupler)["a"]
    place = edit.free(f"{path}_carried")
    edit.drop(path)
    edit.add(place, with_values(carried, name=_name(place)))
    edit.bond(End(front, "any"), End(place, "port"), domain, B.columns)
    if isinstance(carried, Carried) and B.value is None:
        edit.read(B.signal, place, "modulus", B.select)
    _clear(edit, graph, path, coupler)
    return place


def _clear(edit: Edit, graph: Graph, path: str, coupler: str) -> None:
    """Drop junction and transformer where nothing is left behind them; else it carries less, and says so."""
    end = ports(graph, coupler)["b"].other(coupler).element
    if end == path or len(edit.bonds_of(end)) == 1:
        edit.drop(coupler)
        if end != path:
            edit.drop(end)
        return
    edit.move(coupler, edit.free(f"{coupler}_lighter"))


def _name(path: str) -> str:
    return path.rsplit(".", 1)[-1]


# -- gyrator -----------------------------------------------------------------------------------------------------------


def _find_gyrators(graph: Graph) -> Found:
    def fits(strokes: Causality, path: str, coupler: str) -> bool:
        return _forward(graph, strokes, coupler) and _straight(graph, coupler)

    return _sites(graph, EulerGyrator, fits)


def _carry_gyrator(graph: Graph, site: tuple[str, ...]) -> Graph:
    path, coupler = site
    edit, B = Edit(graph), modulus_of(graph, coupler)
    _move(edit, path, coupler, _with_modulus(TransformedGyrator(_name(path), 1.0), graph.elements[path], B), B)
    return edit.graph()


# -- mass into its moving frame ----------------------------------------------------------------------------------------


def _find_masses(graph: Graph) -> Found:
    def fits(strokes: Causality, path: str, coupler: str) -> bool:
        item: Any = graph.elements[path]
        turns = isinstance(graph.elements[coupler], MTF) and two_way(graph.elements[coupler]) == "transpose"
        return turns and _is_one_mass(item) and _given(graph, strokes, path) != "mixed"

    return _sites(graph, I, fits)


def _is_one_mass(item: I) -> bool:
    """Whether the inertia is the same in all directions."""
    value = item.inertia
    return value is not None and (value.numel() if isinstance(value, SX) else np.size(value)) == 1


def _into_frame(graph: Graph, site: tuple[str, ...]) -> Graph:
    path, coupler = site
    edit, item, B = Edit(graph), graph.elements[path], modulus_of(graph, coupler)
    front, bond = _front(edit, coupler), ports(graph, coupler)["a"]
    gyrator = edit.free(f"{path}_transport")
    edit.add(gyrator, _with_modulus(TransportGyrator(_name(gyrator), 1.0), item, B))
    edit.bond(End(front, "any"), End(gyrator, "port"), bond, B.columns)
    edit.read(B.signal, gyrator, "modulus", B.select)
    place = _move(edit, path, coupler, with_values(item, size=B.columns), B)
    _start(edit, place, path, coupler, True)
    return edit.graph()


INERTIA = Rewrite("carry inertias", "an I behind a transformer becomes BᵀJB in front", _find_inertias, _carry_inertia)
GYRATOR = Rewrite("carry gyrators", "an Euler gyrator is carried over a transformer", _find_gyrators, _carry_gyrator)
MASS = Rewrite("mass into its frame", "a mass is described in the frame that moves", _find_masses, _into_frame)
