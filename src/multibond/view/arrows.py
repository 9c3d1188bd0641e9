"""Signals on a drawing: from who computes them to who reads them, as gently curved arrows."""

from __future__ import annotations

from collections.abc import Mapping

from multibond.errors import MultibondError
from multibond.graph.graph import Graph
from multibond.structure.givers import gives
from multibond.structure.tree import span
from multibond.view.geometry import Box, direction
from multibond.view.layout import Placed
from multibond.view.scene import Arrow

Steps = dict[tuple[str, str], list[str]]


def arrows_of(graph: Graph, placed: Placed, origin: Graph | None = None) -> tuple[Arrow, ...]:
    """The arrows of a graph; of an unfolded one those of the graph it comes from, and those inside one element of it.

    origin: the graph with vector bonds; its elements are groups of the drawing, or elements still.
    """
    where = placed.groups | placed.boxes
    steps = signal_steps(origin or graph, placed.groups)
    if origin is not None:
        inner = signal_steps(graph, {})
        steps |= {s: names for s, names in inner.items() if s[0].rpartition(".")[0] == s[1].rpartition(".")[0]}
    found = [(where[a], where[b], names) for (a, b), names in sorted(steps.items()) if a in where and b in where]
    return tuple(_arrow(a, b, ", ".join(names)) for a, b, names in found)


def signal_steps(graph: Graph, groups: Mapping[str, Box]) -> Steps:
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


def _arrow(tail: Box, head: Box, says: str) -> Arrow:
    """A gently curved arrow from box to box."""
    dx, dy = direction((tail.x, tail.y), (head.x, head.y))
    span_ = ((head.x - tail.x) ** 2 + (head.y - tail.y) ** 2) ** 0.5
    bend = min(0.16 * span_, 40.0)
    control = ((tail.x + head.x) / 2 + bend * dy, (tail.y + head.y) / 2 - bend * dx)
    return Arrow((tail.edge_towards(control), control, head.grown(2.0).edge_towards(control)), says)
