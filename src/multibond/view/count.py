"""Counting freedoms joint by joint, as in Tables 2 to 4 of Boudon et al. (2017), and the mobility by rank beside it.

>>> print(count(slider_crank))

A stage puts one joint between two bodies. A new body has six freedoms relative to what it is joined to, three in a
plane; the joint that closes a loop finds those of all joints of the loop. The plain count takes every constraint for
independent; the true mobility is the rank of what the constraints say, at several assembled positions.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from multibond import pipeline
from multibond.border import public
from multibond.elements import Constraint, FreeMotion
from multibond.equations.consistent import manifold, sample_states
from multibond.equations.dae import build, inline
from multibond.equations.redundancy import Redundancy, find_redundancy
from multibond.errors import StartError
from multibond.graph.graph import Graph
from multibond.graph.model import Model
from multibond.report import Item, Report, Rows
from multibond.rewrite.floating import join_floating
from multibond.solve.initial import assemble_start, given_start
from multibond.structure.causality import assign
from multibond.structure.tree import Tree, motion_of, span
from multibond.view.stages import Stage, find_bodies, find_stages


@public
@dataclass(frozen=True)
class Count(Report):
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

    def description(self) -> list[Item]:
        """The stages and the balance."""
        if not self.stages:
            return [self.name, "no joints: nothing to count"]
        heads = ["stage", "joint concerned", "relative freedoms", "joint", "type", "constraints", "left"]
        rows = [
            [str(s.number), " and ".join(s.between), self._sum(s), s.joint, s.kind, str(s.constraints), str(s.after)]
            for s in self.stages
        ]
        return [self.name, Rows(rows, heads), *self._balance()]

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
    found_bodies = find_bodies(graph, tree)
    stages = find_stages(graph, found_bodies, _kinds(model))
    loose = _loose(graph)
    constraints = sum(s.constraints for s in stages) + loose
    bodies = tuple(sorted(found_bodies.names[body] for body in found_bodies.moving))
    coordinates = sum(found_bodies.freedoms(body) for body in found_bodies.moving)
    found, freedoms, assembled = _rank(graph, tree)
    naive, mobility = coordinates - constraints, freedoms - found.rank
    name = getattr(model, "name", "graph")
    return Count(
        name, stages, bodies, coordinates, constraints, naive, mobility, mobility - naive, found.names, assembled
    )


def _kinds(model: Model | Graph) -> dict[str, str]:
    """Types of joints by path, in the order in which they were added, where there is a model to tell."""
    return {item.name: type(item).__name__ for item in model.components} if isinstance(model, Model) else {}


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
        x0 = assemble_start(dae, whole, p).x
    except StartError:
        x0, assembled = given_start(dae, whole, p), False
    points: Iterable[np.ndarray] = [x0, *(sample_states(dae, shape, x0, p, 5) if assembled else ())]
    rows = [np.asarray(shape.flow_conditions(0.0, x, p)[1])[:, shape.flows] for x in points]
    multipliers = [k for u in dae.unknowns if u.kind == "multiplier" for k in u.range]
    freedoms = sum(item.motion.freedoms for path, item in graph.of_type(FreeMotion) if path in tree.order)
    return find_redundancy(dae, rows, multipliers), freedoms, assembled
