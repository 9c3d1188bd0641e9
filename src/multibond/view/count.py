"""Counting freedoms joint by joint, as in Tables 2 to 4 of Boudon et al. (2017), and the mobility by rank beside it.

>>> print(count(slider_crank))

A stage puts one joint between two bodies. A new body has six freedoms relative to what it is joined to; the joint that
closes a loop finds those of all joints of the loop. The plain count takes every constraint for independent; the true
mobility is the rank of what the constraints say, at several assembled positions.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from multibond import pipeline
from multibond.elements import Anchor, Constraint, FreeMotion, I, Motion
from multibond.elements.motions import MotionKind
from multibond.equations.consistent import manifold, sample_states
from multibond.equations.dae import build, inline
from multibond.equations.redundancy import Redundancy, find_redundancy
from multibond.errors import StartError
from multibond.graph.graph import Graph
from multibond.graph.model import Model
from multibond.rewrite.floating import join_floating
from multibond.solve.initial import assemble_start, given_start
from multibond.structure.causality import assign
from multibond.structure.tree import Tree, motion_of, poses, span

FREE = 6
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
class Count:
    """The stages and the balance: naive = coordinates - constraints; mobility by rank; redundant constraints."""

    name: str
    stages: tuple[Stage, ...]
    bodies: tuple[str, ...]
    coordinates: int
    constraints: int
    naive: int
    mobility: int
    redundant: int
    repeated: tuple[str, ...]
    assembled: bool

    def __str__(self) -> str:
        if not self.stages:
            return f"{self.name}\nno joints: nothing to count"
        rows = [["stage", "joint concerned", "relative freedoms", "joint", "type", "constraints", "left"]]
        for s in self.stages:
            rows.append(
                [
                    str(s.number),
                    " and ".join(s.between),
                    self._sum(s),
                    s.joint,
                    s.kind,
                    str(s.constraints),
                    str(s.after),
                ]
            )
        widths = [max(len(row[k]) for row in rows) for k in range(7)]
        lines = ["  ".join(t.ljust(w) for t, w in zip(row, widths, strict=True)).rstrip() for row in rows]
        return "\n".join([self.name, *lines, *self._balance()])

    def _sum(self, stage: Stage) -> str:
        if not stage.closes:
            return str(stage.relative)
        left = {s.joint: s.after for s in self.stages}
        return f"{' + '.join(str(left[j]) for j in stage.closes)} = {stage.relative}"

    def _balance(self) -> list[str]:
        told = f": {', '.join(self.repeated)}" if self.repeated else ""
        lines = [
            f"coordinates: {self.coordinates} ({len(self.bodies)} bod{'ies' if len(self.bodies) > 1 else 'y'})",
            f"constraints: {self.constraints}",
            f"plain count: {self.coordinates} - {self.constraints} = {self.naive}",
            f"mobility by rank: {self.mobility}",
            f"redundant constraints: {self.redundant}{told}",
        ]
        return (
            lines if self.assembled else [*lines, "counted where the start values stand: the loops do not close there"]
        )

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON."""
        return asdict(self)


def count(model: Model | Graph) -> Count:
    """Count the freedoms of a mechanism stage by stage, and its mobility by rank."""
    graph = join_floating(pipeline.as_graph(model))
    tree = span(graph)
    names = _bodies(graph, tree)
    stages = _stages(graph, tree, names, _kinds(model))
    loose = _loose(graph)
    constraints = sum(s.constraints for s in stages) + loose
    bodies = tuple(sorted(name for name in names.values() if name != "world"))
    coordinates = FREE * len(bodies)
    found, freedoms, assembled = _rank(graph, tree)
    naive, mobility = coordinates - constraints, freedoms - found.rank
    name = getattr(model, "name", "graph")
    return Count(
        name, stages, bodies, coordinates, constraints, naive, mobility, mobility - naive, found.names, assembled
    )


def _kinds(model: Model | Graph) -> dict[str, str]:
    """Types of joints by path, in the order in which they were added, where there is a model to tell."""
    return {item.name: type(item).__name__ for item in model.components} if isinstance(model, Model) else {}


def _bodies(graph: Graph, tree: Tree) -> dict[str, str]:
    """A name for each rigid group: its first body with mass, else its first part, else the joints that meet there.

    The world's own is "world".
    """
    fixed = {tree.groups[hit[0].name] for p, _ in graph.of_type(Anchor) if (hit := graph.signal_at(p, "position"))}
    found: dict[str, list[tuple[bool, str]]] = {group: [] for group in tree.groups.values()}
    joints: dict[str, set[str]] = {}
    for frame in graph.frames:
        owners = [b.other(side).element for side in (frame.translation, frame.rotation) for b in graph.bonds_of(side)]
        for part in (owner.rpartition(".")[0] for owner in owners):
            if f"{part}.motion" in graph.elements:
                joints.setdefault(tree.groups[frame.position], set()).add(part)
            else:
                heavy = isinstance(graph.elements.get(f"{part}.mass"), I)
                found[tree.groups[frame.position]].append((not heavy, part))
    bare = {group: "-".join(sorted(joints.get(group, {group}))) for group in found}
    return {g: "world" if g in fixed else min(parts, default=(True, bare[g]))[1] for g, parts in found.items()}


def _stages(graph: Graph, tree: Tree, names: dict[str, str], kinds: dict[str, str]) -> tuple[Stage, ...]:
    """Joints from the world outwards along each chain, in the order of adding; each closes a loop or joins a body."""
    links: dict[str, list[tuple[str, str]]] = {}
    order = {name: k for k, name in enumerate(kinds)}
    motions = {path: item.motion for path, item in graph.of_type(Motion)}
    for path in sorted(motions, key=lambda p: (order.get(_joint(p), len(order)), p)):
        a, b = (tree.groups[pose] for pose in poses(graph, path))
        links.setdefault(a, []).append((path, b))
        links.setdefault(b, []).append((path, a))
    walk = _Walk(motions, names, kinds, links)
    for group in sorted(names, key=lambda g: (names[g] != "world", names[g])):
        walk.go_from(group)
    return tuple(walk.stages)


class _Walk:
    """A walk along the chains of a mechanism that writes a stage for every joint."""

    def __init__(
        self,
        motions: dict[str, MotionKind],
        names: dict[str, str],
        kinds: dict[str, str],
        links: dict[str, list[tuple[str, str]]],
    ) -> None:
        self.motions, self.names, self.kinds, self.links = motions, names, kinds, links
        self.way: dict[str, tuple[str, ...]] = {}
        self.stages: list[Stage] = []
        self.done: set[str] = set()

    def go_from(self, start: str) -> None:
        """Walk on from a group, deep before wide, so that a chain is followed to its end."""
        if start not in self.way:
            self.way[start] = ()
        for path, other in self.links.get(start, ()):
            if path in self.done:
                continue
            self.done.add(path)
            new = other not in self.way
            self._stage(path, start, other, () if new else _loop(self.way[start], self.way[other]))
            if new:
                self.way[other] = (*self.way[start], _joint(path))
                self.go_from(other)

    def _stage(self, path: str, here: str, there: str, loop: tuple[str, ...]) -> None:
        kind = self.motions[path]
        left = {s.joint: s.after for s in self.stages}
        relative = sum(left[j] for j in loop) if loop else FREE
        held, joint = FREE - kind.freedoms, _joint(path)
        told = self.kinds.get(joint) or f"{kind.turns} turns, {kind.slides} slides"
        between = (self.names[here], self.names[there])
        self.stages.append(Stage(len(self.stages) + 1, joint, between, relative, told, held, relative - held, loop))


def _loop(one: tuple[str, ...], other: tuple[str, ...]) -> tuple[str, ...]:
    """Joints of a loop from the ways of its two ends; what both have in common does not belong to it."""
    shared = next((k for k, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))
    return (*one[shared:], *other[shared:][::-1])


def _loose(graph: Graph) -> int:
    """Constraints that belong to no joint, such as a rod with a ball at each end or a gear."""
    loose = (path for path, _ in graph.of_type(Constraint) if motion_of(graph, path) is None)
    return sum(bond.size for path in loose for bond in graph.bonds_of(path))


def _rank(graph: Graph, tree: Tree) -> tuple[Redundancy, int, bool]:
    """Independent rows of the loops' constraints, the freedoms of the tree, and whether the loops could be closed."""
    dae = build(graph, tree, assign(graph, tree))
    whole, p = inline(dae), dae.parameter_values
    shape, assembled = manifold(dae, whole), True
    try:
        x0 = assemble_start(dae, whole, p)
    except StartError:
        x0, assembled = given_start(dae, whole, p), False
    points: Iterable[np.ndarray] = [x0, *(sample_states(dae, shape, x0, p, 5) if assembled else ())]
    rows = [np.asarray(shape.flow_conditions(0.0, x, p)[1])[:, shape.flows] for x in points]
    multipliers = [k for u in dae.unknowns if u.kind == "multiplier" for k in u.range]
    freedoms = sum(item.motion.freedoms for path, item in graph.of_type(FreeMotion) if path in tree.order)
    return find_redundancy(dae, rows, multipliers), freedoms, assembled


def _joint(path: str) -> str:
    return path.removesuffix(".motion")
