"""What a conflict goes back to: every source, storage or joint whose stroke led there, and nodes that lead nowhere."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from multibond.elements import Se, Sf
from multibond.elements.couplers import Coupler
from multibond.errors import Finding
from multibond.graph.component import Element
from multibond.graph.graph import Bond
from multibond.units import ANY

if TYPE_CHECKING:
    from multibond.structure.propagate import Assignment

Lane = tuple[str, int]
PASSING = ("one", "zero", "wires")
"""What decides nothing by itself and only hands on."""


def first_causes(state: Assignment, lanes: Iterable[Lane], asking: str) -> tuple[str, ...]:
    """The elements that the strokes of some components go back to, and what an element asks for now.

    asking: the element that wants to put one more stroke, for what it knows from its other bonds.
    """
    order = {(name, k): n for n, (name, k, _) in enumerate(state.trail)}
    queue, seen, found = list(lanes), set(lanes), {}
    if _passes(state.graph.elements[asking]):
        queue += [lane for lane in _lanes(state, asking) if lane in order]
    else:
        found[asking] = None
    while queue:
        lane = queue.pop()
        by = state.via.get(lane, "")
        if by and not _passes(state.graph.elements[by]):
            found[by] = None
        for other in _lanes(state, by) if by and _passes(state.graph.elements[by]) else ():
            if other not in seen and order.get(other, len(order)) < order.get(lane, 0):
                seen.add(other)
                queue.append(other)
    return tuple(sorted(found))


def open_end(state: Assignment, causes: Iterable[str], near: Iterable[str]) -> Finding | None:
    """A source that pushes into a node at which nothing else is connected."""
    sources = [path for path in causes if isinstance(state.graph.elements[path], Se | Sf)]
    for path in near:
        bonds = state.graph.bonds_of(path)
        word = state.graph.elements[path].causality
        pushing = [s for s in sources if isinstance(state.graph.elements[s], Sf) == (word == "zero")]
        if len(bonds) == 1 and word in ("one", "zero") and pushing:
            return _leads_nowhere(path, pushing[0], bonds[0], "flow" if word == "zero" else "effort")
    return None


def _leads_nowhere(node: str, source: str, bond: Bond, letter: str) -> Finding:
    what = letter if bond.domain is ANY else str(getattr(bond.domain, letter))
    return Finding(
        f"{source!r} drives its {what} into an open end.",
        f"Nothing else is connected at {node!r}, so that the {what} is zero there.",
        f"Connect {node!r} to something, or remove the source.",
        (source, node),
    )


def _passes(item: Element) -> bool:
    return item.causality in PASSING or isinstance(item, Coupler)


def _lanes(state: Assignment, path: str) -> list[Lane]:
    return [(b.name, k) for b in state.graph.bonds_of(path) for k in range(b.size)]
