"""Rings of bodies whose joints all impose zero flow: nothing in them gives the flow that goes round.

Where joints hold all translations (or all rotations) of their two sides against each other, bodies that they join have
one flow in common but for levers. Round a ring it comes back to where it began, whatever it is: a causal loop of gain
one, which the strokes allow and no numbers can solve. So one of the joints has to be a break variable.
"""

from __future__ import annotations

import networkx as nx

from multibond.elements import Constraint, FreeMotion
from multibond.structure.propagate import Assignment
from multibond.structure.tree import motion_of, poses


def closes_ring(state: Assignment, path: str) -> bool:
    """Whether a constraint that imposes a flow joins bodies that others of its kind join already."""
    own = _joined(state, path)
    if own is None:
        return False
    role = state.graph.elements[path].role
    owner = motion_of(state.graph, path)
    alike = [p for p, item in state.graph.of_type(Constraint) if item.role == role]
    others = [p for p in alike if motion_of(state.graph, p) != owner]
    ring = nx.Graph([pair for p in others if (pair := _joined(state, p)) is not None])
    return own[0] in ring and own[1] in ring and nx.has_path(ring, *own)


def _joined(state: Assignment, path: str) -> tuple[str, str] | None:
    """The rigid groups whose flows a constraint makes one, where its joint leaves none of that kind free."""
    owner = motion_of(state.graph, path)
    item = state.graph.elements[owner] if owner is not None else None
    if owner is None or not isinstance(item, FreeMotion):
        return None
    free = item.motion.turns if state.graph.elements[path].role == "rotation" else item.motion.slides
    lanes = [(bond, k) for bond in state.graph.bonds_of(path) for k in range(bond.size)]
    if free or not any(state.gives(bond, path, k) for bond, k in lanes):
        return None
    a, b = (state.tree.groups[pose] for pose in poses(state.graph, owner))
    return a, b
