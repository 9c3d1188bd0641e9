"""Where nothing decides the potentials of a part, its first node counts as zero: a source of no effort stands there.

No current passes it: what one may add to all potentials of such a part changes no power anywhere.
"""

from __future__ import annotations

from dataclasses import replace

from multibond.elements import DirectSum, Se, Sf
from multibond.graph.component import Element
from multibond.graph.graph import Bond, End, Graph
from multibond.graph.origin import REFERENCE
from multibond.structure.potentials import Floating, floating

NAME = "reference"
"""What the source at a node is called."""


def ground_floating(graph: Graph) -> Graph:
    """The graph with a zero at the first node of each part whose potentials nothing decides."""
    found = floating(graph)
    elements, bonds, origins = dict(graph.elements), list(graph.bonds), dict(graph.origins)
    for part in found:
        more, drawn = _zero_at(graph, part)
        elements |= more
        bonds += drawn
        origins |= dict.fromkeys(more, replace(graph.origin(part.node), part=graph.owner(part.node), role=REFERENCE))
    if not found:
        return graph
    drawn = tuple(sorted(bonds, key=lambda b: b.name))
    return graph.with_(elements=dict(sorted(elements.items())), bonds=drawn, origins=origins)


def _zero_at(graph: Graph, part: Floating) -> tuple[dict[str, Element], list[Bond]]:
    """A source of zero effort on the components that nothing decides; the others are left as they are."""
    like, node, path = graph.bonds_of(part.node)[0], End(part.node, "any"), f"{part.node}.{NAME}"
    if len(part.components) == like.size:
        return {path: Se(NAME, 0.0, size=like.size)}, [_bond(End(path, "port"), node, like, like.size)]
    split = f"{path}.split"
    elements: dict[str, Element] = {split: DirectSum("split", 1, 1, more=(1,) * (like.size - 2))}
    bonds = [_bond(End(split, "whole"), node, like, like.size)]
    for k in range(like.size):
        kind, name = (Se if k in part.components else Sf), f"{path}.component_{k}"
        elements[name] = kind(f"component_{k}", 0.0, size=1)
        bonds.append(_bond(End(name, "port"), End(split, f"part_{k + 1}"), like, 1))
    return elements, bonds


def _bond(tail: End, head: End, like: Bond, size: int) -> Bond:
    return Bond(f"{tail.element}->{head.element}", tail, head, size, like.domain)
