"""Which joints carry the tree and which are cuts: a spanning tree of the frames, rooted at the world.

Frames joined by rods are one rigid group. From the world outwards the joint with the fewest freedoms is taken first (so
that cuts hold as few directions as possible), then joints with given start values, then the nearest to the world, and
only then by name: the order of adding parts never matters. A spatial frame that a planar one carries is reached from
its plane.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from multibond.border import public
from multibond.elements import Embedding, FixedPose, FreeMotion, RigidLink
from multibond.errors import Finding, ModelError
from multibond.graph.graph import Graph
from multibond.graph.natural import natural


@public
@dataclass(frozen=True)
class Tree:
    """The choice: does the pose of each joint and rod go from a to b ("outward"), b to a ("inward"), or is it a "cut".

    order: the joints of the tree from the world outwards. groups: rigid group of each pose, named by its smallest pose.
    """

    role: dict[str, str]
    order: tuple[str, ...]
    cuts: tuple[str, ...]
    groups: dict[str, str]
    floating: tuple[str, ...]
    names: dict[str, str] = field(default_factory=dict)
    """Names of the joints by the paths of their motions."""

    def __str__(self) -> str:
        return f"tree: {self._listed(self.order)}; cut: {self._listed(self.cuts)}"

    def _listed(self, paths: tuple[str, ...]) -> str:
        return ", ".join(self.names.get(path, path) for path in paths) or "none"


def poses(graph: Graph, path: str) -> tuple[str, str]:
    """Names of the positions at sides a and b of a joint or rod; a side that nothing reads has a name of its own."""
    hits = [graph.signal_at(path, f"position_{side}") for side in ("a", "b")]
    a, b = (hit[0].name if hit else f"{path}.position_{side}" for side, hit in zip("ab", hits, strict=True))
    return a, b


def motion_of(graph: Graph, constraint: str) -> str | None:
    """The motion of the joint whose gap a constraint holds; a sensor may give it, which may have been left out."""
    hit = graph.signal_at(constraint, "gap")
    ends = [end.element for end in hit[0].ends] if hit is not None else []
    return next((path for path in ends if isinstance(graph.elements.get(path), FreeMotion)), None)


def held_by(graph: Graph, constraint: str) -> str:
    """What of a joint a constraint holds, by the gap that its motion gives: "rotation", "translation", "driven_1" …"""
    hit = graph.signal_at(constraint, "gap")
    ends = hit[0].ends if hit is not None else ()
    ports = (end.port for end in ends if isinstance(graph.elements.get(end.element), FreeMotion))
    return next((port.removeprefix("gap_") for port in ports), "")


def span(graph: Graph, cut: frozenset[str] = frozenset()) -> Tree:
    """Choose the spanning tree. `cut` names joints (paths of their motions) that must be cuts."""
    rods = {path: poses(graph, path) for path, _ in graph.of_type(RigidLink)}
    joints = {path: poses(graph, path) for path, _ in graph.of_type((FreeMotion, Embedding))}
    _require_one_anchor(graph)
    groups = _rigid_groups(graph, rods, joints)
    depth = {groups[_anchor(graph, path)]: 0 for path, _ in graph.of_type(FixedPose)}
    role: dict[str, str] = {}
    order: list[str] = []
    while True:
        step = _next_joint(graph, joints, groups, depth, role, cut)
        if step is None:
            break
        path, outward = step
        a, b = (groups[p] for p in joints[path])
        role[path] = "outward" if outward else "inward"
        depth[b if outward else a] = depth[a if outward else b] + 1
        order.append(path)
    _require_reached(graph, joints, groups, depth, role)
    order = [path for path in order if not isinstance(graph.elements[path], Embedding)]
    cuts = tuple(path for path in joints if path not in role and not isinstance(graph.elements[path], Embedding))
    role.update(dict.fromkeys(cuts, "cut"))
    floating = tuple(sorted({g for g in groups.values() if g not in depth}))
    role.update(_rod_directions(graph, rods, joints, role))
    closed = sorted(graph.owner(path) for path, way in role.items() if way == "closed")
    if closed:
        raise ModelError(
            Finding(
                "rods form a closed chain without a joint.",
                f"{', '.join(repr(c) for c in closed)} leads to a frame that other rods fix already.",
                "Remove one rod of the chain, or put a joint into it.",
                tuple(closed),
            )
        )
    names = {path: graph.joint(path) for path in (*order, *cuts)}
    return Tree(role, tuple(order), cuts, groups, floating, names)


def _anchor(graph: Graph, path: str) -> str:
    hit = graph.signal_at(path, "position")
    return hit[0].name if hit else path


def _require_one_anchor(graph: Graph) -> None:
    """Two fixed places that are connected to one another would fix a frame twice."""
    anchors: dict[str, str] = {}
    for path, _ in graph.of_type(FixedPose):
        first = anchors.setdefault(_anchor(graph, path), path)
        if first != path:
            names = tuple(graph.owner(p) for p in (first, path))
            fact = f"{names[0]!r} and {names[1]!r} are both fixed, and connected to one another."
            cure = "Connect parts to one of them, or put a joint or a rod between."
            raise ModelError(Finding("a frame is fixed twice.", fact, cure, names))


def _rigid_groups(graph: Graph, rods: dict[str, tuple[str, str]], joints: dict[str, tuple[str, str]]) -> dict[str, str]:
    parent: dict[str, str] = {}

    def find(pose: str) -> str:
        while parent.setdefault(pose, pose) != pose:
            pose = parent[pose]
        return pose

    for path, _ in graph.of_type(FixedPose):
        find(_anchor(graph, path))
    for frame in (*graph.frames, *graph.planes):
        find(frame.position)
    for a, b in (*rods.values(), *joints.values()):
        find(a)
        find(b)
    for a, b in rods.values():
        low, high = sorted((find(a), find(b)))
        parent[high] = low
    return {pose: find(pose) for pose in sorted(parent)}


def _next_joint(
    graph: Graph,
    joints: dict[str, tuple[str, str]],
    groups: dict[str, str],
    depth: dict[str, int],
    role: dict[str, str],
    cut: frozenset[str],
) -> tuple[str, bool] | None:
    """The best joint between what is reached and what is not."""
    best = None
    carried = {groups[b] for path, (_, b) in joints.items() if isinstance(graph.elements[path], Embedding)}
    for path, (a, b) in joints.items():
        inside = (groups[a] in depth, groups[b] in depth)
        if path in role or path in cut or inside[0] == inside[1]:
            continue
        embedding = isinstance(graph.elements[path], Embedding)
        if not (inside[0] if embedding else groups[b if inside[0] else a] not in carried):
            continue
        near = depth[groups[a] if inside[0] else groups[b]]
        key = (
            _freedoms(graph, path),
            not _given(graph, path),
            near,
            natural(path),
        )
        if best is None or key < best[0]:
            best = (key, path, inside[0])
    return None if best is None else (best[1], best[2])


def _freedoms(graph: Graph, path: str) -> int:
    item = graph.elements[path]
    return item.motion.freedoms if isinstance(item, FreeMotion) else 0


def _given(graph: Graph, path: str) -> bool:
    """Whether a joint has a start value."""
    return any(not value.free.all() for value in graph.starts.get(path, {}).values())


def _require_reached(
    graph: Graph,
    joints: dict[str, tuple[str, str]],
    groups: dict[str, str],
    depth: dict[str, int],
    role: dict[str, str],
) -> None:
    """A spatial frame that is carried by a plane, and stands fixed as well, has two poses."""
    twice = [p for p in joints if isinstance(graph.elements[p], Embedding) and p not in role]
    named = [graph.owner(p) for p in twice if groups[joints[p][1]] in depth]
    if named:
        fact = f"{', '.join(repr(name) for name in named)} carries a frame that stands fixed already."
        cure = "Put a joint between the two, or leave one of them out."
        raise ModelError(Finding("a spatial frame has two poses.", fact, cure, tuple(named)))


def _rod_directions(
    graph: Graph, rods: dict[str, tuple[str, str]], joints: dict[str, tuple[str, str]], role: dict[str, str]
) -> dict[str, str]:
    """Lead poses from the world through rods and tree joints; each rod learns its direction."""
    links: dict[str, list[tuple[str, str, str]]] = {}
    for path, (a, b) in (*rods.items(), *((p, joints[p]) for p in joints if role.get(p, "cut") != "cut")):
        links.setdefault(a, []).append((path, b, "outward"))
        links.setdefault(b, []).append((path, a, "inward"))
    reached = [_anchor(graph, path) for path, _ in graph.of_type(FixedPose)]
    seen = set(reached)
    found: dict[str, str] = {}
    for pose in reached:
        for path, other, direction in sorted(links.get(pose, ())):
            if path in rods and path not in found:
                found[path] = direction if other not in seen else "closed"
            if other not in seen:
                seen.add(other)
                reached.append(other)
    return found
