"""Junctions: merge those of one kind, drop those that only lead through, take away bonds that cancel.

All bonds of a 1-junction have one flow and their efforts balance (of a 0-junction the reverse), so two of a kind with a
bond between them are one, whatever the half-arrow of that bond.
"""

from __future__ import annotations

from multibond.graph.graph import Bond, Graph
from multibond.graph.junctions import Junction, One
from multibond.rewrite.edit import Edit
from multibond.rewrite.rule import Rewrite


def _junction(graph: Graph, path: str) -> Junction | None:
    item = graph.elements[path]
    return item if isinstance(item, Junction) else None


def _alike(graph: Graph, bond: Bond) -> bool:
    tail, head = _junction(graph, bond.tail.element), _junction(graph, bond.head.element)
    return tail is not None and head is not None and isinstance(tail, One) == isinstance(head, One)


# -- merging -----------------------------------------------------------------------------------------------------------


def _find_pairs(graph: Graph) -> tuple[tuple[str, ...], ...]:
    bounds = {name for f in graph.frames for name in (f.rotation, f.translation)}
    pairs = {(b.tail.element, b.head.element) for b in graph.bonds if _alike(graph, b)}
    order = [sorted(pair, key=lambda path: (path not in bounds, path)) for pair in pairs]
    return tuple(sorted((kept, gone) for kept, gone in order if kept != gone))


def _merge(graph: Graph, site: tuple[str, ...]) -> Graph:
    kept, gone = site
    edit = Edit(graph)
    for bond in edit.bonds_of(gone):
        if bond.other(gone).element in (kept, gone):
            edit.unbond(bond)
        else:
            edit.lead(bond, gone, next(b for b in graph.bonds_of(kept)).end(kept))
    edit.drop(gone)
    return edit.graph()


# -- through-junctions -------------------------------------------------------------------------------------------------


def _find_through(graph: Graph) -> tuple[tuple[str, ...], ...]:
    return tuple((path,) for path, _ in graph.of_type(Junction) if _leads_through(graph, path))


def _leads_through(graph: Graph, path: str) -> bool:
    """Two bonds, the half-arrow goes through, and what they join can be bonded directly."""
    bonds = graph.bonds_of(path)
    if len(bonds) != 2 or bonds[0].into(path) == bonds[1].into(path):
        return False
    ends = {b.other(path).element for b in bonds}
    bounds = {name for f in graph.frames for name in (f.rotation, f.translation)}
    if len(ends) == 1 or path in ends or ends <= bounds:
        return False
    return not all(len(graph.bonds_of(end)) == 1 and _junction(graph, end) is None for end in ends)


def _lead_through(graph: Graph, site: tuple[str, ...]) -> Graph:
    (path,) = site
    edit = Edit(graph)
    first, last = sorted(graph.bonds_of(path), key=lambda b: not b.into(path))
    edit.drop(path)
    edit.bond(first.tail, last.head, first)
    return edit.graph()


# -- bonds that cancel -------------------------------------------------------------------------------------------------


def _find_opposite(graph: Graph) -> tuple[tuple[str, ...], ...]:
    """Bonds from a junction to itself, and pairs of bonds between two junctions with opposite half-arrows."""
    drawn = sorted(graph.bonds, key=lambda b: b.name)
    between = [b for b in drawn if all(_junction(graph, e.element) is not None for e in (b.tail, b.head))]
    loops = [(b.tail.element, b.name) for b in between if b.tail.element == b.head.element]
    pairs = [
        (a.tail.element, a.head.element, a.name, b.name)
        for a in between
        for b in between
        if a.name < b.name and a.tail.element == b.head.element != a.head.element == b.tail.element
    ]
    return (*loops, *pairs)


def _cancel(graph: Graph, site: tuple[str, ...]) -> Graph:
    edit = Edit(graph)
    for name in site:
        if name in edit.bonds:
            edit.unbond(edit.bonds[name])
    for path in site[:2]:
        if path in edit.elements and not edit.bonds_of(path):
            edit.drop(path)
    return edit.graph()


MERGE = Rewrite("merge junctions", "junctions of one kind joined by a bond become one", _find_pairs, _merge)
THROUGH = Rewrite("drop through-junctions", "a junction of two bonds becomes one bond", _find_through, _lead_through)
CANCEL = Rewrite("cancel bonds", "bonds there and back between two junctions vanish", _find_opposite, _cancel)
