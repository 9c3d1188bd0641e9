"""Preferred derivative causality: which storages cannot be differentiated away (Sueur and Dauphin-Tanguy, 1991).

The bond-graph rank of the state matrix is the number of storages less those that stay in integral causality where
derivative causality is preferred; with the inputs, sources are dualised (Se becomes Sf) before that is counted.
"""

from __future__ import annotations

import copy
from collections.abc import Sequence
from itertools import combinations

from multibond.errors import CausalityError
from multibond.graph.component import Element
from multibond.graph.graph import Graph
from multibond.structure.causality import Causality, assign
from multibond.structure.tree import Tree

MOST_SOURCES = 4
"""Sources that are dualised in every combination."""
OPPOSITE = {"prefers flow": "prefers effort", "prefers effort": "prefers flow"}
DUAL = {"gives effort": "gives flow", "gives flow": "gives effort"}


def derivative_causality(graph: Graph, tree: Tree, dualised: Sequence[str] = ()) -> Causality | None:
    """The strokes where storages prefer derivative causality; its `dependent` are those that stay integral.

    dualised: sources that give flow instead of effort, or effort instead of flow. None where no strokes are possible.
    """
    elements = {path: _with_word(item, OPPOSITE) for path, item in graph.elements.items()}
    elements |= {path: _with_word(graph.elements[path], DUAL) for path in dualised}
    try:
        return assign(graph.with_(elements=elements), tree)
    except CausalityError:
        return None


def staying_integral(causality: Causality | None) -> tuple[str, ...] | None:
    """Components of storages that stay in integral causality; None where the strokes leave it open."""
    if causality is None or causality.doubled or causality.arbitrary:
        return None
    return tuple(f"{path}[{k}]" if k else path for path, lanes in causality.dependent for k in lanes)


def staying_with_inputs(graph: Graph, tree: Tree, sources: Sequence[str]) -> tuple[str, ...] | None:
    """What stays in integral causality for the best choice of sources to dualise; None where the strokes leave it open.

    Every choice among the first few sources is tried: dualising one that is not needed can cost a storage.
    """
    few = sources[:MOST_SOURCES]
    choices = [chosen for count in range(len(few) + 1) for chosen in combinations(few, count)]
    found = [staying_integral(derivative_causality(graph, tree, chosen)) for chosen in choices]
    return min((names for names in found if names is not None), key=len, default=None)


def _with_word(item: Element, words: dict[str, str]) -> Element:
    """An element with another word for its causality; those whose ports differ stay as they are."""
    if item.causality not in words:
        return item
    twin = copy.copy(item)
    object.__setattr__(twin, "causality", words[item.causality])
    return twin
