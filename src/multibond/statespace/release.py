"""Which joints a state space opens: bodies with inertia move freely, the joints between them are constraints.

The unknown constraint effort of an opened joint stands as a source at the 0-junction of its relative flow (Wang, Tao &
Liu, Figs 2 and 5). A rigid group without inertia of its own keeps the joint that leads to it: its flow must then come
from an inertia at the joint's flange, as that of Wang's first body does, which only turns about one axis.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from multibond.elements import FixedPose, FreeMotion, I
from multibond.errors import unknown_name
from multibond.graph.graph import Graph
from multibond.rewrite.floating import loose_joints, release_all
from multibond.structure.tree import Tree, poses, span


@dataclass(frozen=True)
class Released:
    """The graph with free bodies, its tree, and the joints (paths of their motions) that keep their coordinates."""

    graph: Graph
    tree: Tree
    kept: frozenset[str]

    def holds(self, constraint: str) -> bool:
        """Whether a constraint belongs to a joint that is kept: it gives the flow zero and is no unknown."""
        hit = self.graph.signal_at(constraint, "gap")
        return hit is not None and any(end.element in self.kept for end in hit[0].ends)


def release(graph: Graph, tree: Tree, keep: Sequence[str] = ()) -> Released:
    """Free every rigid group that has mass and inertia; `keep` names joints that stay closed."""
    joints = [path for path, _ in graph.of_type(FreeMotion)]
    known = {graph.joint(path): path for path in joints}
    for name in keep:
        if name not in known:
            raise unknown_name("the model", name, known, offer="Name joints.")
    wanted = {known[name] for name in keep}
    leads = {path: tree.groups[poses(graph, path)[tree.role[path] == "outward"]] for path in tree.order}
    heavy = _heavy(graph, tree) - {leads[path] for path in wanted | loose_joints(graph) if path in leads}
    kept = frozenset(path for path, group in leads.items() if group not in heavy)
    fixed = {tree.groups[_position(graph, path)] for path, _ in graph.of_type(FixedPose)}
    few = {pose: group for pose, group in tree.groups.items() if group in heavy | fixed}
    freed = release_all(graph, replace(tree, groups=few)) if heavy else graph
    return Released(freed, span(freed, frozenset(joints) - kept), kept)


def _heavy(graph: Graph, tree: Tree) -> set[str]:
    """Groups that turn an inertia of their own."""
    return {tree.groups[frame.position] for frame in graph.frames if _turns_inertia(graph, frame.rotation)}


def _turns_inertia(graph: Graph, junction: str) -> bool:
    """Whether an inertia hangs on a 1-junction, or on one that shares its flow."""
    seen, waiting = {junction}, [junction]
    while waiting:
        here = waiting.pop()
        for bond in graph.bonds_of(here):
            other = bond.other(here).element
            item = graph.elements[other]
            if isinstance(item, I):
                return True
            if item.causality == "one" and other not in seen:
                seen.add(other)
                waiting.append(other)
    return False


def _position(graph: Graph, anchor: str) -> str:
    hit = graph.signal_at(anchor, "position")
    assert hit is not None
    return hit[0].name
