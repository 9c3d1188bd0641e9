"""Bodies that nothing joins to the world move freely: give each such group a Free joint.

`release_all` does so for every rigid group, which is what the methods "multiplier" and "rc" start from: all bodies
free, all joints cuts.
"""

from __future__ import annotations

from multibond.elements import Anchor, I
from multibond.graph.graph import Frame, Graph
from multibond.graph.insert import insert_part, require_world
from multibond.library.spatial import Free
from multibond.structure.tree import Tree, span


def join_floating(graph: Graph) -> Graph:
    """Insert a Free joint between the world and each group of bodies that no joint reaches."""
    anchors = _anchors(graph)
    if not graph.frames:
        return graph
    require_world(graph, len(anchors))
    while True:
        tree = span(graph)
        if not tree.floating:
            return graph
        graph = _release(graph, tree, tree.floating[0], anchors[0])


def release_all(graph: Graph, tree: Tree) -> Graph:
    """Insert a Free joint for every rigid group but the world's own."""
    anchors = _anchors(graph)
    fixed = {tree.groups[_position(graph, path)] for path in anchors}
    for group in sorted(set(tree.groups.values()) - fixed):
        graph = _release(graph, tree, group, anchors[0])
    return graph


def _anchors(graph: Graph) -> list[str]:
    """What is fixed, the world itself first: free bodies count their poses from there."""
    found = [(not item.origin, path) for path, item in graph.of_type(Anchor) if isinstance(item, Anchor)]
    return [path for _, path in sorted(found)]


def _position(graph: Graph, anchor: str) -> str:
    hit = graph.signal_at(anchor, "position")
    assert hit is not None
    return hit[0].name


def _release(graph: Graph, tree: Tree, group: str, anchor: str) -> Graph:
    world = next(f for f in graph.frames if f.position == _position(graph, anchor))
    frames = [f for f in graph.frames if tree.groups.get(f.position) == group]
    frame = min(frames, key=lambda f: (not _bodies_at(graph, f), f.name))
    owner = min(_bodies_at(graph, frame), default=frame.name)
    return insert_part(graph, Free("free"), f"{owner}.free", {"frame_a": world, "frame_b": frame})


def _bodies_at(graph: Graph, frame: Frame) -> list[str]:
    """The parts with mass that are fixed to this very frame."""
    owners = {b.other(frame.translation).element.rsplit(".", 1)[0] for b in graph.bonds_of(frame.translation)}
    return [owner for owner in sorted(owners) if isinstance(graph.elements.get(f"{owner}.mass"), I)]
