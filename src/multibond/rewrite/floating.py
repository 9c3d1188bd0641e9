"""Bodies that nothing joins to the world move freely: give each such group a Free joint, spatial or planar.

`release_all` does so for every rigid group, which is what the methods "multiplier" and "rc" start from: all bodies
free, all joints cuts. Groups that a plane carries into space follow it, and are left alone.
"""

from __future__ import annotations

import copy
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import replace
from itertools import count

import networkx as nx
import numpy as np

from multibond.elements import Anchor, Embedding, FixedPose, FreeMotion, PlanarAnchor
from multibond.errors import Finding, ModelError
from multibond.graph.graph import Frame, Graph, PlanarFrame
from multibond.graph.insert import insert_part
from multibond.graph.natural import natural
from multibond.graph.origin import LOOSE, upwards
from multibond.library.planar import Free as PlanarFree
from multibond.library.spatial import Free, World
from multibond.library.spatial.drawing import is_zero
from multibond.rewrite.edit import number_of
from multibond.rewrite.grounding import ground_floating
from multibond.structure.bodies import masses
from multibond.structure.floats import FOLLOWS
from multibond.structure.tree import Tree, poses, span


def join_floating(graph: Graph) -> Graph:
    """Tie down what floats: a Free joint for each group of bodies that no joint reaches, a zero for potentials."""
    return ground_floating(_join_bodies(graph))


def _join_bodies(graph: Graph) -> Graph:
    """Insert a Free joint between the world and each group of bodies that no joint reaches."""
    if not graph.frames and not graph.planes:
        return graph
    while True:
        tree = span(graph)
        carried, known = _carried(graph, tree), {tree.groups[f.position] for f in (*graph.frames, *graph.planes)}
        floating = [group for group in tree.floating if group in known and group not in carried]
        if not floating:
            return graph
        for group in _middles(graph, tree, floating):
            graph = _release(graph, tree, group)


def release_all(graph: Graph, tree: Tree, *, follow: bool = False) -> Graph:
    """Insert a Free joint for every rigid group but the world's own, what planes carry, and what has one already.

    follow: the motions of these joints only follow where the bodies' own inertias give the flow.
    """
    fixed = {tree.groups[_position(graph, path)] for path, _ in graph.of_type(FixedPose)}
    loose = {path: tree.groups.get(poses(graph, path)[1], "") for path in loose_joints(graph)}
    for group in sorted(set(tree.groups.values()) - fixed - set(loose.values()) - _carried(graph, tree)):
        graph = _release(graph, tree, group, follow)
    for path in loose if follow else ():
        graph = _following(graph, path)
    return graph


def loose_joints(graph: Graph) -> frozenset[str]:
    """Paths of the motions that were added to bodies that nothing holds; they hold nothing, and need no cut."""
    return frozenset(path for path, _ in graph.of_type(FreeMotion) if graph.origin(path).role == LOOSE)


def release_floating(graph: Graph, cuts: frozenset[str]) -> Graph:
    """Set free what loses its last way to the world where joints are cut; the new motions follow the bodies."""
    while True:
        tree = span(graph, cuts)
        carried = _carried(graph, tree)
        floating = [group for group in tree.floating if group not in carried]
        if not floating:
            return graph
        for group in _middles(graph, tree, floating, cuts):
            graph = _release(graph, tree, group, follow=True)


def _middles(graph: Graph, tree: Tree, groups: Sequence[str], cuts: frozenset[str] = frozenset()) -> list[str]:
    """Of those that hang together, the group by which they are held: most joints meet there; the heaviest; by name."""
    meeting = Counter(tree.groups[pose] for path, _ in graph.of_type(FreeMotion) for pose in poses(graph, path))
    weights: defaultdict[str, float] = defaultdict(float)
    for path, frame in masses(graph).items():
        weights[tree.groups[frame.position]] += _weight(graph, path)
    hanging = nx.Graph((tree.groups[a], tree.groups[b]) for a, b in _joined(graph, cuts))
    hanging.add_nodes_from(groups)
    found: dict[int, str] = {}
    cluster = {group: k for k, some in enumerate(nx.connected_components(hanging)) for group in some}
    for group in sorted(groups, key=lambda group: (-meeting[group], -weights[group], natural(group))):
        found.setdefault(cluster[group], group)
    return list(found.values())


def _joined(graph: Graph, cuts: frozenset[str]) -> list[tuple[str, str]]:
    """The two sides of each joint that is not cut, and of what a plane carries."""
    return [poses(graph, path) for path, _ in graph.of_type((FreeMotion, Embedding)) if path not in cuts]


def _weight(graph: Graph, path: str) -> float:
    """The mass that an inertia stands for  [kg]."""
    value = getattr(graph.elements[path], "inertia", None)
    return 0.0 if value is None else float(np.ravel(number_of(graph, value))[0])


def _carried(graph: Graph, tree: Tree) -> set[str]:
    """Groups in space that follow a frame in a plane."""
    return {tree.groups[poses(graph, path)[1]] for path, _ in graph.of_type(Embedding)}


def _position(graph: Graph, anchor: str) -> str:
    hit = graph.signal_at(anchor, "position")
    assert hit is not None
    return hit[0].name


def _world(graph: Graph, planar: bool) -> str | None:
    """The position of the world's own frame, in space or in the plane."""
    kind = PlanarAnchor if planar else Anchor
    items = [(p, item) for p, item in graph.of_type(kind) if isinstance(item, PlanarAnchor | Anchor)]
    turned = ("angle", "turn")
    anchors = [p for p, item in items if is_zero(item.at) and all(is_zero(getattr(item, n, None)) for n in turned)]
    return _position(graph, anchors[0]) if anchors else None


def _release(graph: Graph, tree: Tree, group: str, follow: bool = False) -> Graph:
    frames: Sequence[Frame | PlanarFrame] = [
        f for f in (*graph.frames, *graph.planes) if tree.groups.get(f.position) == group
    ]
    if not frames:
        raise ModelError(_no_frame(graph, tree, group))
    names = {f.name for f in frames}
    bodies = [
        (-_weight(graph, path), natural(graph.owner(path)), graph.owner(path), f)
        for path, f in masses(graph).items()
        if f.name in names
    ]
    first = min(frames, key=lambda f: natural(f.name))
    _, _, owner, frame = min(bodies, key=lambda body: body[:2], default=(0.0, (), first.name, first))
    planar = isinstance(frame, PlanarFrame)
    if _world(graph, planar) is None and not planar and any(graph.of_type(Embedding)):
        graph = _with_origin(graph)
    home = _world(graph, planar)
    if home is None:
        raise ModelError(_no_world(graph.planes if planar else graph.frames, "planar World" if planar else "World"))
    world = next((f for f in (*graph.frames, *graph.planes) if f.position == home), None)
    if world is None:
        raise ModelError(_no_frame(graph, tree, tree.groups[home]))
    joint, path = PlanarFree("free") if planar else Free("free"), _unused(graph, f"{owner}.free")
    made = insert_part(graph, joint, path, {"frame_a": world, "frame_b": frame})
    motion = f"{path}.motion"
    made = made.with_(origins=made.origins | {motion: replace(made.origin(motion), role=LOOSE)})
    return _following(made, motion) if follow else made


def _unused(graph: Graph, path: str) -> str:
    """A path like this one under which nothing stands yet."""
    taken = {p for element in graph.elements for p in upwards(element)}
    return next(p for k in count(1) if (p := path if k == 1 else f"{path}_{k}") not in taken)


def _following(graph: Graph, motion: str) -> Graph:
    """The graph in which a motion gives its flow only where no inertia does."""
    twin = copy.copy(graph.elements[motion])
    object.__setattr__(twin, "role", FOLLOWS)
    return graph.with_(elements=graph.elements | {motion: twin})


def _with_origin(graph: Graph) -> Graph:
    """The graph with a spatial frame at rest, where only the plane has a world."""
    path = _unused(graph, "origin")
    space = insert_part(graph, World("origin"), path, {})
    members = (f"{path}.frame.{member}" for member in ("rotation", "translation", "attitude", "position"))
    return space.with_(frames=(*graph.frames, Frame(f"{path}.frame", *members)))


def _no_frame(graph: Graph, tree: Tree, group: str) -> Finding:
    """Graphs of scalar bonds, graphs drawn by hand and files of old do not tell where their frames are."""
    motions = [path for path, _ in graph.of_type(FreeMotion) if group in {tree.groups[p] for p in poses(graph, path)}]
    names = tuple(dict.fromkeys(graph.joint(path) for path in motions))
    told = f"Where {', '.join(map(repr, names[:3]))} ends" if names else f"At {group!r}"
    return Finding(
        "bodies cannot be set free here.",
        f"{told} the graph tells no frame: it has scalar bonds, is drawn by hand, or comes from an old file.",
        "Use method 'auto' or 'minimal', or open the machine of parts to depth 2.",
        names,
    )


def _no_world(frames: Sequence[Frame | PlanarFrame], kind: str) -> Finding:
    names = ", ".join(repr(f.name) for f in frames[:3])
    return Finding(
        "the mechanism is not in any world.",
        f"Frames such as {names} have no pose to start from.",
        f"Add a {kind} and connect a joint to its frame; free bodies need the {kind} too.",
        tuple(f.name for f in frames),
    )
