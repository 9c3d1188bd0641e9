"""Groups folded into one box each: parts, sub-models, what was one element. What crosses their borders stays."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from multibond.errors import Finding, ModelError, unknown_name
from multibond.graph.component import Element
from multibond.graph.graph import End, Graph
from multibond.graph.port import Port
from multibond.view.highlight import Lit
from multibond.view.multibonds import Seen, frame_names
from multibond.view.nesting import Folded, Nest, nest

Fold = bool | str | Iterable[str]
"""Which groups are folded: all of them, none, or those of these names."""


def as_fold(given: Any) -> bool | tuple[str, ...]:
    """What is to be folded as it was said, with one name as a list of one."""
    if isinstance(given, bool) or given is None:
        return bool(given)
    names = [given] if isinstance(given, str) else list(given) if isinstance(given, Iterable) else [given]
    wrong = [name for name in names if not isinstance(name, str)]
    if wrong:
        fact = "Groups are folded by the names of parts and sub-models, such as 'arm' or 'arm.elbow'."
        raise ModelError(Finding(f"{wrong[0]!r} is no name of a group.", fact, "Give names, or True for every group."))
    return tuple(names)


def folded(seen: Seen, wanted: bool | tuple[str, ...], kinds: Mapping[str, str]) -> Seen:
    """The graph with groups as boxes; strokes and bonds outside are as they were.

    wanted: names of groups, or True for every group but frames. kinds: types of components by path.
    """
    graph, tree = seen.graph, nest(seen.graph, frame_names(seen))
    groups = tree.names()
    if wanted is True:
        chosen = [g for g in tree.groups if not g.frame]
    else:
        names = tuple(wanted or ())
        for name in names:
            if name not in groups and name not in kinds and name not in graph.elements:
                raise unknown_name("the drawing", name, {*groups, *kinds}, offer="Fold parts and sub-models by name.")
        chosen = _outermost([groups[name] for name in names if name in groups])
    held = {path: group.name for group in chosen for path in (*group.below(), *group.names(), group.name)}
    boxes = {group.name: _box(seen, group, kinds) for group in chosen}
    return replace(
        seen,
        graph=_joined(graph, held, boxes),
        faulty=frozenset(held.get(path, path) for path in seen.faulty),
        whole=graph,
        held=held,
    )


def lit_folded(wanted: Lit, seen: Seen) -> Lit:
    """What is highlighted where groups are folded: what stands inside lights up its box."""
    whole = {b.name: b for b in seen.whole.bonds} if seen.whole else {}
    shown = {b.name for b in seen.graph.bonds}
    elements = {seen.held.get(path, path) for path in wanted.elements}
    elements |= {seen.held[whole[name].tail.element] for name, _ in wanted.components if name not in shown}
    return Lit(frozenset(elements), frozenset(lane for lane in wanted.components if lane[0] in shown))


def _outermost(groups: list[Nest]) -> list[Nest]:
    """Groups that stand in no other one of them, each once."""
    inner = {name for group in groups for name in group.names()}
    return list({group.name: group for group in groups if group.name not in inner}.values())


def _box(seen: Seen, group: Nest, kinds: Mapping[str, str]) -> Folded:
    """The element that stands for a group, without its ports."""
    inside = tuple(seen.graph.elements[path] for path in group.below())
    return Folded(group.name.rpartition(".")[2], group.title, kinds.get(group.name) or _kind(seen, group), inside)


def _kind(seen: Seen, group: Nest) -> str:
    """The type of what is no component: a part within a part, a frame, an element that was unfolded."""
    origin = seen.graph.origin(group.name)
    if group.frame:
        return "frame"
    if origin.part == group.name and origin.kind:
        return origin.kind
    one = seen.origin.elements.get(group.name) if seen.origin else None
    return one.code if one else "group"


def _joined(graph: Graph, held: Mapping[str, str], boxes: Mapping[str, Folded]) -> Graph:
    """The graph with boxes instead of what they hold."""
    sockets: dict[str, dict[str, Port]] = {name: {} for name in boxes}

    def socket(element: str, port: str) -> tuple[str, str]:
        """Where an end is now: at its element, or at a port of the box around it."""
        box = held.get(element)
        if box is None:
            return element, port
        name = f"{element[len(box) + 1 :]}.{port}" if element.startswith(f"{box}.") else f"{element}.{port}"
        found = next((p for p in graph.elements[element].ports() if p.name == port), None)
        if found is not None:
            sockets[box][name] = replace(found, name=name)
        return box, name

    bonds = []
    for bond in graph.bonds:
        around = held.get(bond.tail.element)
        if around is None or around != held.get(bond.head.element):
            tail, head = (End(*socket(end.element, end.port)) for end in (bond.tail, bond.head))
            bonds.append(replace(bond, tail=tail, head=head))
    signals = []
    for signal in graph.signals:
        ends = []
        for end in signal.ends:
            element, port = socket(end.element, end.port)
            ends.append(replace(end, element=element, port=port))
        signals.append(replace(signal, ends=tuple(ends)))
    elements: dict[str, Element] = {p: item for p, item in graph.elements.items() if p not in held}
    elements |= {name: replace(box, sockets=tuple(sockets[name].values())) for name, box in boxes.items()}
    return graph.with_(elements=elements, bonds=tuple(bonds), signals=tuple(signals))
