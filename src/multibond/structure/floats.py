"""Marks that methods leave on a graph: motions that only follow a free body, constraints that impose where they can."""

from __future__ import annotations

from typing import Any

import numpy as np

from multibond.elements import FreeMotion, I
from multibond.elements.oneport import OnePort
from multibond.expr import SX
from multibond.graph.component import Element
from multibond.graph.graph import Graph
from multibond.structure.pivots import numeric

FOLLOWS = "follows"
"""Role of the motion of a free body: its flow is a state only where no inertia gives it."""
ROUNDING = 1e-12
"""A principal moment below this part of the largest is none."""
IMPOSED = "zcp"
"""Method of a constraint that imposes its flow, as `Sf 0` would, wherever causality lets it."""


def follows(item: Element) -> bool:
    """Whether a motion belongs to a body that a method set free."""
    return isinstance(item, FreeMotion) and item.role == FOLLOWS


def parasitic(item: Element) -> bool:
    """Whether a spring or damper stands for a constraint: it gives an effort, whatever the flow."""
    return isinstance(item, OnePort) and item.role == "parasitic"


def massless(graph: Graph, path: str, k: int) -> bool:
    """Whether component k of an inertia is exactly zero, or the tensor singular: no momentum tells its flow."""
    item = graph.elements[path]
    if not isinstance(item, I) or item.inertia is None:
        return False
    value: Any = SX(item.inertia)
    rows, columns = value.sparsity().get_triplet()
    if value.shape[0] == 1:
        return not rows
    full = value.shape[0] == value.shape[1] and any(i != j for i, j in zip(rows, columns, strict=True))
    return k not in rows or (full and _singular(numeric(graph, value)))


def _singular(tensor: np.ndarray) -> bool:
    """A thin rod across the axes has moments that are not zero, and none about itself."""
    sizes = np.linalg.svd(tensor, compute_uv=False)
    return bool(sizes[-1] <= ROUNDING * sizes[0])
