"""Sources of zero: a flow that is held at zero moves nothing, an effort of zero drives nothing.

The source goes, with what it holds still; beyond a coupler its zero appears again, until it meets a junction to which a
zero adds nothing (Tiernego & Bos 1985, after Fig. 9).
"""

from __future__ import annotations

from multibond.elements import GY, MGY, MTF, TF, Anchor, C, I, R, Se, Sf
from multibond.graph.component import Element
from multibond.graph.graph import Bond, End, Graph
from multibond.graph.junctions import One, Zero
from multibond.rewrite.edit import Edit, is_zero
from multibond.rewrite.moduli import two_way
from multibond.rewrite.rule import Rewrite

IDLE = (I, C, R, Se, Sf)


def _find(graph: Graph) -> tuple[tuple[str, ...], ...]:
    return tuple((path,) for path, item in graph.of_type((Sf, Se)) if _is_idle(graph, path, item))


def _is_idle(graph: Graph, path: str, item: Element) -> bool:
    value = item.flow if isinstance(item, Sf) else item.effort if isinstance(item, Se) else None
    if item.split or not is_zero(graph, value):
        return False
    place = graph.bonds_of(path)[0].other(path).element
    here = graph.elements[place]
    if not isinstance(here, One | Zero) or len(graph.bonds_of(place)) < 2:
        return False
    if isinstance(here, One) != isinstance(item, Sf):
        return len(graph.bonds_of(place)) > 2
    bonds = [b for b in graph.bonds_of(place) if b.other(place).element != path]
    return all(_may_rest(graph, b.other(place), isinstance(item, Sf)) for b in bonds)


def _may_rest(graph: Graph, end: End, flow: bool) -> bool:
    """Whether a zero that comes to this end can be followed: an idle one-port, a junction, a coupler."""
    item = graph.elements[end.element]
    if isinstance(item, One | Zero):
        return isinstance(item, Zero if flow else One) and len(graph.bonds_of(end.element)) > 2
    if isinstance(item, TF | MTF):
        return end.port == ("a" if flow else "b") or two_way(item) != "none"
    if isinstance(item, GY | MGY):
        return flow
    starts = [v for v in graph.starts.get(end.element, {}).values() if v is not None]
    read = any(e.element == end.element for s in graph.signals for e in s.ends)
    return isinstance(item, IDLE) and not (starts or read or (isinstance(item, Sf if flow else Se)))


def _eliminate(graph: Graph, site: tuple[str, ...]) -> Graph:
    (path,) = site
    edit, item = Edit(graph), graph.elements[path]
    place = graph.bonds_of(path)[0].other(path).element
    if isinstance(graph.elements[place], One) != isinstance(item, Sf):
        edit.drop(path)
        return edit.graph()
    flow = isinstance(item, Sf)
    for bond in graph.bonds_of(place):
        end = bond.other(place)
        if isinstance(graph.elements[end.element], (TF, MTF, GY, MGY)):
            _beyond(edit, graph, end, flow)
        elif end.element == path or not isinstance(graph.elements[end.element], One | Zero):
            edit.drop(end.element)
    edit.drop(place)
    return edit.graph()


def _beyond(edit: Edit, graph: Graph, end: End, flow: bool) -> None:
    """A source of zero in the place of a coupler, on its other side."""
    far: Bond = next(b for b in graph.bonds_of(end.element) if b.end(end.element).port != end.port)
    gyrates = isinstance(graph.elements[end.element], GY | MGY)
    name = end.element.rsplit(".", 1)[-1]
    source = Sf(name, 0.0, size=far.size) if flow != gyrates else Se(name, 0.0, size=far.size)
    edit.drop(end.element)
    own = End(edit.add(edit.free(f"{end.element}_still"), source), "port")
    tail, head = (own, far.head) if far.tail.element == end.element else (far.tail, own)
    edit.bond(tail, head, far)


def without_world(graph: Graph) -> Graph:
    """The graph without the sources that hold the world still, and without what stands still with it."""
    homes = {graph.owner(path) for path, _ in graph.of_type(Anchor)}
    left = [path for path, _ in graph.of_type(Sf) if graph.owner(path) in homes]
    while left:
        path = left.pop(0)
        if path in graph.elements and _is_idle(graph, path, graph.elements[path]):
            before, graph = graph, _eliminate(graph, (path,))
            left += [p for p in graph.elements if p not in before.elements]
    return graph


ZERO = Rewrite("eliminate zero sources", "a source of zero goes, with what it holds still", _find, _eliminate)
