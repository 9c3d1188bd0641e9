"""Signals on a drawing: from who computes them to who reads them, as gently curved arrows around all texts."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping

from multibond.errors import MultibondError
from multibond.graph.graph import Graph
from multibond.structure.givers import gives
from multibond.structure.tree import span
from multibond.view.geometry import Box
from multibond.view.layout import Placed
from multibond.view.scene import Arrow
from multibond.view.signal_ways import Ground, signal_way

Steps = dict[tuple[str, str], list[str]]


def arrows_of(
    graph: Graph,
    placed: Placed,
    origin: Graph | None = None,
    *,
    texts: Iterable[Box] = (),
    held: Mapping[str, str] | None = None,
) -> tuple[Arrow, ...]:
    """The arrows of a graph; of an unfolded one those of the graph it comes from, and those inside one element of it.

    origin: the graph with vector bonds; its elements are groups of the drawing, or elements still. texts: what stands
    beside the elements and must be free. held: the boxes in which things stand that are folded.
    """
    where, held = placed.groups | placed.boxes, held or {}
    steps = signal_steps(origin or graph, {*placed.groups, *held})
    if origin is not None:
        inner = signal_steps(graph, ())
        steps |= {s: names for s, names in inner.items() if s[0].rpartition(".")[0] == s[1].rpartition(".")[0]}
    steps = _between_boxes(steps, held) if held else steps
    found = [(where[a], where[b], names) for (a, b), names in sorted(steps.items()) if a in where and b in where]
    ground = Ground([*placed.boxes.values(), *texts])
    ways = [(signal_way(a, b, ground), names) for a, b, names in found]
    return tuple(Arrow(way.points, ", ".join(names), way.curved) for way, names in ways)


def signal_steps(graph: Graph, groups: Container[str]) -> Steps:
    """From whom to whom signals go, and their names; poses go by way of their frame."""
    try:
        tree = span(graph)
    except MultibondError:
        return {}
    hubs = {name: f.name for f in graph.frames for name in (f.attitude, f.position) if f.name in groups}
    hubs |= {name: f.name for f in graph.planes for name in (f.position, f.angle) if f.name in groups}
    said: Steps = {}
    for signal in graph.signals:
        hub = hubs.get(signal.name)
        givers = [end.element for end in signal.ends if gives(graph, tree, end)]
        readers = [end.element for end in signal.ends if not gives(graph, tree, end)]
        if hub:
            steps = [(g, hub) for g in givers] + [(hub, r) for r in readers]
        else:
            steps = [(g, r) for g in givers for r in readers]
        for step in steps:
            said.setdefault(step, []).append(signal.name)
    return said


def _between_boxes(steps: Steps, held: Mapping[str, str]) -> Steps:
    """The steps between what is seen; those within one box are left out."""
    found: Steps = {}
    for (a, b), names in sorted(steps.items()):
        ends = held.get(a, a), held.get(b, b)
        if ends[0] != ends[1]:
            found[ends] = list(dict.fromkeys([*found.get(ends, ()), *names]))
    return found
