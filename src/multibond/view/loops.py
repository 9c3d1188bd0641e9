"""Closed loops of joints: which joints each cut closes a chain with."""

from __future__ import annotations

from dataclasses import dataclass

from multibond.graph.graph import Graph
from multibond.structure.tree import Tree, poses


@dataclass(frozen=True)
class KinematicLoop:
    """One loop: its joints in order along the chain, the cut last."""

    joints: tuple[str, ...]
    cut: str


def kinematic_loops(graph: Graph, tree: Tree) -> tuple[KinematicLoop, ...]:
    """The loop that each cut closes, through the joints of the tree."""
    links: dict[str, list[tuple[str, str]]] = {}
    for path in tree.order:
        a, b = (tree.groups[pose] for pose in poses(graph, path))
        links.setdefault(a, []).append((path, b))
        links.setdefault(b, []).append((path, a))
    found = []
    for cut in tree.cuts:
        a, b = (tree.groups[pose] for pose in poses(graph, cut))
        chain = _way(links, a, b)
        found.append(KinematicLoop(tuple(map(graph.joint, (*chain, cut))), graph.joint(cut)))
    return tuple(found)


def _way(links: dict[str, list[tuple[str, str]]], start: str, end: str) -> list[str]:
    """The joints between two rigid groups; a tree has one way at most."""
    ways: dict[str, list[str]] = {start: []}
    for group in (queue := [start]):
        for path, other in links.get(group, ()):
            if other not in ways:
                ways[other] = [*ways[group], path]
                queue.append(other)
    return ways.get(end, [])
