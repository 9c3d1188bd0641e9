"""Which inertias are masses of bodies, and which frame each is fixed to: told by type and connection, not by name."""

from __future__ import annotations

from typing import Any

from multibond.elements import MTF, TF, I
from multibond.graph.graph import Frame, Graph, PlanarFrame

LEVER = "lever"
"""The way back of a lever in the plane, which passes forces on and adds their moment."""
RIGID = ("transpose", LEVER)
"""Transformers by the way back that they have: a rotation, and the lever of a body in the plane."""


def masses(graph: Graph) -> dict[str, Frame | PlanarFrame]:
    """By the path of each inertia that moves as a body's centre does, the frame that the body is fixed to.

    From the inertia one goes through junctions and rigid transformers of the same part to the velocity of one frame.
    """
    frames = {frame.junctions[-1]: frame for frame in (*graph.frames, *graph.planes)}
    others = {frame.junctions[0] for frame in graph.frames}
    if not frames:
        return {}
    reached = {path: _reached(graph, path, {*frames, *others}) for path, _ in graph.of_type(I)}
    fixed = {path: next(iter(ends)) for path, ends in reached.items() if len(ends) == 1}
    return {path: frames[end] for path, end in fixed.items() if end in frames}


def _reached(graph: Graph, inertia: str, borders: set[str]) -> set[str]:
    """The junctions of frames that are reached from an inertia within its part."""
    part, seen, waiting, found = graph.owner(inertia), {inertia}, [inertia], set()
    while waiting:
        here = waiting.pop()
        for other in (bond.other(here).element for bond in graph.bonds_of(here)):
            if other in borders:
                found.add(other)
            elif other not in seen and graph.owner(other) == part and _passes(graph.elements[other]):
                seen.add(other)
                waiting.append(other)
    return found


def _passes(item: Any) -> bool:
    return item.causality in ("one", "zero") or (isinstance(item, TF | MTF) and item.two_way() in RIGID)
