"""Marks that methods leave on a graph: motions that only follow a free body, constraints that impose where they can."""

from __future__ import annotations

from typing import Any

from multibond.elements import FreeMotion, I
from multibond.expr import SX
from multibond.graph.component import Element

FOLLOWS = "follows"
"""Role of the motion of a free body: its flow is a state only where no inertia gives it."""
IMPOSED = "zcp"
"""Method of a constraint that imposes its flow, as `Sf 0` would, wherever causality lets it."""


def follows(item: Element) -> bool:
    """Whether a motion belongs to a body that a method set free."""
    return isinstance(item, FreeMotion) and item.role == FOLLOWS


def parasitic(item: Element) -> bool:
    """Whether a spring or damper stands for a constraint: it gives an effort, whatever the flow."""
    return getattr(item, "role", "") == "parasitic"


def massless(item: Element, k: int) -> bool:
    """Whether component k of an inertia is exactly zero: its flow cannot come from a momentum."""
    if not isinstance(item, I) or item.inertia is None:
        return False
    value: Any = SX(item.inertia)
    rows = {int(row) for row in value.sparsity().get_triplet()[0]}
    return k not in rows if value.shape[0] > 1 else not rows
