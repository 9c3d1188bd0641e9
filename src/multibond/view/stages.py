"""The joints of a mechanism as stages: each joins a body to what is there, or closes a loop.

A body that nothing holds has six freedoms in space and three in a plane. What a plane carries into space is one body
with its planar frame, and so are all frames that stand fixed.
"""

from __future__ import annotations

from dataclasses import dataclass

from multibond.elements import Embedding, FixedPose, FreeMotion, PlanarMotion
from multibond.graph.graph import Graph
from multibond.graph.natural import natural
from multibond.structure.bodies import masses
from multibond.structure.tree import Tree, poses

SPACE, PLANE = 6, 3
"""Freedoms of a body that nothing holds."""


@dataclass(frozen=True)
class Stage:
    """One joint: the bodies that it joins, their relative freedoms before, its constraints, and what is left."""

    number: int
    joint: str
    between: tuple[str, str]
    relative: int
    kind: str
    constraints: int
    after: int
    closes: tuple[str, ...] = ()
    """The joints of the loop that it closes, where it does."""


@dataclass(frozen=True)
class Bodies:
    """Rigid bodies of a mechanism: the one that each pose belongs to, their names, and those that lie in a plane."""

    of: dict[str, str]
    names: dict[str, str]
    flat: frozenset[str]
    fixed: frozenset[str]

    def freedoms(self, body: str) -> int:
        """How many a body has by itself."""
        return PLANE if body in self.flat else SPACE

    @property
    def moving(self) -> list[str]:
        """All but the world."""
        return [body for body in self.names if body not in self.fixed]


def find_bodies(graph: Graph, tree: Tree) -> Bodies:
    """Rigid groups, those joined that a bridge or the world makes one.

    A body has the name of its first part with mass, else of its first part, else of the joints that meet there.
    """
    group = tree.groups
    fixed = [group[hit[0].name] for p, _ in graph.of_type(FixedPose) if (hit := graph.signal_at(p, "position"))]
    same = {group[b]: group[a] for a, b in (poses(graph, path) for path, _ in graph.of_type(Embedding))}
    home = dict.fromkeys(fixed, min(fixed, default=""))
    of = {pose: home.get(root := same.get(g, g), root) for pose, g in group.items()}
    flat = frozenset(of[plane.position] for plane in graph.planes)
    still = frozenset(home.values())
    return Bodies(of, _names(graph, of, still), flat, still)


def _names(graph: Graph, of: dict[str, str], fixed: frozenset[str]) -> dict[str, str]:
    found: dict[str, list[tuple[bool, str]]] = {body: [] for body in of.values()}
    joints: dict[str, set[str]] = {}
    moving = {graph.owner(path) for path, _ in graph.of_type(FreeMotion)}
    heavy = {graph.owner(path) for path in masses(graph)}
    for frame in (*graph.frames, *graph.planes):
        ends = [b.other(side).element for side in frame.junctions for b in graph.bonds_of(side)]
        for part in map(graph.owner, ends):
            if part in moving:
                joints.setdefault(of[frame.position], set()).add(part)
            else:
                found[of[frame.position]].append((part not in heavy, part))
    bare = {body: "-".join(sorted(joints.get(body, {body}))) for body in found}
    return {g: "world" if g in fixed else min(parts, default=(True, bare[g]))[1] for g, parts in found.items()}


def find_stages(graph: Graph, bodies: Bodies, kinds: dict[str, str]) -> tuple[Stage, ...]:
    """Joints from the world outwards along each chain, in the order of adding; each closes a loop or joins a body."""
    links: dict[str, list[tuple[str, str]]] = {}
    order = {name: k for k, name in enumerate(kinds)}
    motions = dict(graph.of_type(FreeMotion))
    for path in sorted(motions, key=lambda p: (order.get(graph.joint(p), len(order)), natural(p))):
        a, b = (bodies.of[pose] for pose in poses(graph, path))
        links.setdefault(a, []).append((path, b))
        links.setdefault(b, []).append((path, a))
    walk = _Walk(graph, motions, bodies, kinds, links)
    names = bodies.names
    for body in sorted(names, key=lambda g: (g not in bodies.fixed, natural(names[g]))):
        walk.go_from(body)
    return tuple(walk.stages)


class _Walk:
    """A walk along the chains of a mechanism that writes a stage for every joint."""

    def __init__(
        self,
        graph: Graph,
        motions: dict[str, FreeMotion],
        bodies: Bodies,
        kinds: dict[str, str],
        links: dict[str, list[tuple[str, str]]],
    ) -> None:
        self.joint = graph.joint
        self.motions, self.bodies, self.kinds, self.links = motions, bodies, kinds, links
        self.way: dict[str, tuple[str, ...]] = {}
        self.stages: list[Stage] = []
        self.done: set[str] = set()

    def go_from(self, start: str) -> None:
        """Walk on from a body, deep before wide, so that a chain is followed to its end."""
        if start not in self.way:
            self.way[start] = ()
        for path, other in self.links.get(start, ()):
            if path in self.done:
                continue
            self.done.add(path)
            new = other not in self.way
            self._stage(path, start, other, None if new else _loop(self.way[start], self.way[other]))
            if new:
                self.way[other] = (*self.way[start], self.joint(path))
                self.go_from(other)

    def _stage(self, path: str, here: str, there: str, loop: tuple[str, ...] | None) -> None:
        item, names = self.motions[path], self.bodies.names
        kind = item.motion
        left = {s.joint: s.after for s in self.stages}
        relative = sum(left[j] for j in loop) if loop is not None else self.bodies.freedoms(there)
        held, joint = (PLANE if isinstance(item, PlanarMotion) else SPACE) - kind.freedoms, self.joint(path)
        told = self.kinds.get(joint) or f"{kind.turns} turns, {kind.slides} slides"
        between = (names[here], names[there])
        number, closes = len(self.stages) + 1, loop or ()
        self.stages.append(Stage(number, joint, between, relative, told, held, relative - held, closes))


def _loop(one: tuple[str, ...], other: tuple[str, ...]) -> tuple[str, ...]:
    """Joints of a loop from the ways of its two ends; what both have in common does not belong to it."""
    shared = next((k for k, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))
    return (*one[shared:], *other[shared:][::-1])
