"""Which element stands in which group: parts and frames as a tree of names."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

from multibond.elements import FreeMotion
from multibond.graph.component import Element, component
from multibond.graph.graph import Graph
from multibond.graph.port import Port


@dataclass(frozen=True)
class Nest:
    """A group: its full name, the elements in it by path, the groups in it; the whole drawing has the empty name.

    title: what is written on it, its name without that of the group around it.
    """

    name: str
    elements: tuple[str, ...] = ()
    groups: tuple[Nest, ...] = ()
    frame: bool = False
    title: str = ""

    @property
    def children(self) -> tuple[str, ...]:
        """What stands directly inside: elements by path, groups by their name with a slash."""
        return (*self.elements, *(f"{g.name}/" for g in self.groups))

    def below(self) -> dict[str, str]:
        """For every element inside, at any depth, the child that holds it."""
        held = {path: f"{g.name}/" for g in self.groups for path in g.below()}
        return held | {path: path for path in self.elements}

    def names(self) -> dict[str, Nest]:
        """All groups inside by name, at any depth."""
        found = {g.name: g for g in self.groups}
        for group in self.groups:
            found |= group.names()
        return found


@component
class Folded(Element):
    """A group that a drawing shows as one box. title, kind: what is written on it; inside: the elements it holds."""

    title: str = ""
    kind: str = ""
    inside: tuple[Element, ...] = ()
    sockets: tuple[Port, ...] = ()

    def ports(self) -> tuple[Port, ...]:
        return self.sockets


@dataclass
class _Box:
    elements: list[str] = field(default_factory=list)
    groups: set[str] = field(default_factory=set)


def nest(graph: Graph, frames: Collection[str] | None = None) -> Nest:
    """The groups of a graph: dotted paths tell them; a frame stands beside the parts that meet in it, and so
    does the free joint of a floating body.

    frames: names of frames where the graph itself no longer knows them (unfolded to scalar bonds).
    """
    known = frozenset(frames if frames is not None else (f.name for f in (*graph.frames, *graph.planes)))
    apart = known | {graph.owner(path) for path, item in graph.elements.items() if _floats(graph, path, item)}
    boxes: dict[str, _Box] = {"": _Box()}
    for path in sorted(graph.elements):
        group = path.rpartition(".")[0]
        _ensure(boxes, group, apart)
        boxes[group].elements.append(path)
    return _tree("", boxes, known)


def _floats(graph: Graph, path: str, item: Element) -> bool:
    """Whether an element is the motion of a joint within a part, as a body has it that nothing holds."""
    return isinstance(item, FreeMotion) and graph.origin(path).kind == "Free" and "." in graph.owner(path)


def _ensure(boxes: dict[str, _Box], name: str, apart: Collection[str]) -> None:
    """Make a group and those around it."""
    if name in boxes:
        return
    boxes[name] = _Box()
    around = name.rpartition(".")[0]
    if name in apart:
        around = around.rpartition(".")[0]
    _ensure(boxes, around, apart)
    boxes[around].groups.add(name)


def _tree(name: str, boxes: Mapping[str, _Box], frames: Collection[str], around: str = "") -> Nest:
    groups = tuple(_tree(inner, boxes, frames, name) for inner in sorted(boxes[name].groups))
    return Nest(name, tuple(boxes[name].elements), groups, name in frames, name.removeprefix(f"{around}."))
