"""Bodies that nothing joins to the world move freely: give each such group a Free joint.

`release_all` does so for every rigid group, which is what the methods "multiplier" and "rc" start from: all bodies
free, all joints cuts.
"""

from __future__ import annotations

import copy

from multibond.elements import Anchor, I
from multibond.graph.graph import Frame, Graph
from multibond.graph.insert import insert_part, require_world
from multibond.library.spatial import Free
from multibond.structure.floats import FOLLOWS
from multibond.structure.tree import Tree, span


def join_floating(graph: Graph) -> Graph:
    """Insert a Free joint between the world and each group of bodies that no joint reaches."""
    anchors = [path for path, _ in graph.of_type(Anchor)]
    if not graph.frames:
        return graph
    require_world(graph, len(anchors))
    while True:
        tree = span(graph)
        if not tree.floating:
            return graph
        graph = _release(graph, tree, tree.floating[0], anchors[0])


def release_all(graph: Graph, tree: Tree, *, follow: bool = False) -> Graph:
    """Insert a Free joint for every rigid group but the world's own.

    follow: the new motions only follow where the bodies' own inertias give the flow.
    """
    anchors = [path for path, _ in graph.of_type(Anchor)]
    fixed = {tree.groups[_position(graph, path)] for path in anchors}
    for group in sorted(set(tree.groups.values()) - fixed):
        graph = _release(graph, tree, group, anchors[0], follow)
    return graph


def release_floating(graph: Graph, cuts: frozenset[str]) -> Graph:
    """Set free what loses its last way to the world where joints are cut; the new motions follow the bodies."""
    anchors = [path for path, _ in graph.of_type(Anchor)]
    while (tree := span(graph, cuts)).floating:
        graph = _release(graph, tree, tree.floating[0], anchors[0], follow=True)
    return graph


def _position(graph: Graph, anchor: str) -> str:
    hit = graph.signal_at(anchor, "position")
    assert hit is not None
    return hit[0].name


def _release(graph: Graph, tree: Tree, group: str, anchor: str, follow: bool = False) -> Graph:
    world = next(f for f in graph.frames if f.position == _position(graph, anchor))
    frames = [f for f in graph.frames if tree.groups.get(f.position) == group]
    frame = min(frames, key=lambda f: (not _bodies_at(graph, f), f.name))
    owner = min(_bodies_at(graph, frame), default=frame.name)
    made = insert_part(graph, Free("free"), f"{owner}.free", {"frame_a": world, "frame_b": frame})
    return _following(made, f"{owner}.free.motion") if follow else made


def _following(graph: Graph, motion: str) -> Graph:
    """The graph in which a motion gives its flow only where no inertia does."""
    twin = copy.copy(graph.elements[motion])
    object.__setattr__(twin, "role", FOLLOWS)
    return graph.with_(elements=graph.elements | {motion: twin})


def _bodies_at(graph: Graph, frame: Frame) -> list[str]:
    """The parts with mass that are fixed to this very frame."""
    owners = {b.other(frame.translation).element.rsplit(".", 1)[0] for b in graph.bonds_of(frame.translation)}
    return [owner for owner in sorted(owners) if isinstance(graph.elements.get(f"{owner}.mass"), I)]
