"""What a conflict goes back to: every source, storage or joint whose stroke led there, and nodes that lead nowhere."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np

from multibond.elements import Se, Sf
from multibond.elements.couplers import Coupler
from multibond.errors import Finding
from multibond.graph.component import Element
from multibond.graph.graph import Bond, Graph
from multibond.graph.origin import REFERENCE
from multibond.units import ANY

if TYPE_CHECKING:
    from multibond.structure.propagate import Assignment

Lane = tuple[str, int]
PASSING = ("one", "zero", "wires")
"""What decides nothing by itself and only hands on."""


def first_causes(state: Assignment, lanes: Iterable[Lane], asking: str) -> tuple[str, ...]:
    """The elements that the strokes of some components go back to, and what an element asks for now.

    What only hands on is followed to what it was given; what was given nothing decided itself (one-way couplers).
    What was added for want of a ground is no cause.
    asking: the element that wants to put one more stroke, for what it knows from its other bonds.
    """
    order = {(name, k): n for n, (name, k, _) in enumerate(state.trail)}
    queue, found = list(lanes), set()
    seen = set(queue)
    steps = [(asking, len(order))]
    while steps:
        by, when = steps.pop()
        passes = bool(by) and _passes(state.graph.elements[by])
        earlier = [lane for lane in _lanes(state, by) if order.get(lane, when) < when] if passes else []
        found |= {by} if by and (not earlier or _is_one_way(state, by)) else set()
        queue += [lane for lane in earlier if lane not in seen]
        seen.update(earlier)
        if queue:
            lane = queue.pop()
            steps.append((state.via.get(lane, ""), order.get(lane, 0)))
    return of_the_user(state.graph, sorted(found)) or tuple(sorted(found))


def of_the_user(graph: Graph, paths: Iterable[str]) -> tuple[str, ...]:
    """Elements without the zeros that were added where nothing decides the potentials."""
    return tuple(path for path in paths if graph.origin(path).role != REFERENCE)


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


def _is_one_way(state: Assignment, path: str) -> bool:
    """Whether an element is a coupler whose modulus has no inverse, so that it cannot take what it gives elsewhere."""
    pivots = state.pivots.get(path)
    return pivots is not None and np.linalg.matrix_rank(pivots.modulus) < max(pivots.modulus.shape)


def _lanes(state: Assignment, path: str) -> list[Lane]:
    return [(b.name, k) for b in state.graph.bonds_of(path) for k in range(b.size)]
