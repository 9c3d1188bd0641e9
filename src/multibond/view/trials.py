"""Cures of causal conflicts, tried: whether a multiplier or a transformer turned round really cures."""

from __future__ import annotations

from functools import cache

from multibond import pipeline
from multibond.elements import Constraint, Sf
from multibond.elements.couplers import MTF, TF
from multibond.errors import MultibondError
from multibond.graph.component import Element
from multibond.graph.graph import Graph
from multibond.rewrite.couplers import INVERT, inverse_kind
from multibond.rewrite.edit import is_zero
from multibond.structure.causality import Causality, assign
from multibond.structure.cures import Trials, flip_of
from multibond.structure.tree import Tree, span


def trials_of(graph: Graph, tree: Tree, strokes: Causality) -> Trials:
    """The trials of a graph with conflicts; each element is tried once."""
    before = len(strokes.doubled)

    @cache
    def flip(path: str) -> str:
        return flip_of(graph, tree, strokes, path)

    @cache
    def multiplier(path: str) -> bool:
        return _still(graph, graph.elements[path]) and _holds(graph, tree, strokes, path, before)

    @cache
    def invert(path: str) -> bool:
        return _turned(graph, path, before)

    return Trials(flip, multiplier, invert)


def _still(graph: Graph, item: Element) -> bool:
    """A constraint holds a flow at zero, so only a source of zero can become one."""
    return isinstance(item, Constraint) or (isinstance(item, Sf) and is_zero(graph, item.flow))


def _holds(graph: Graph, tree: Tree, strokes: Causality, path: str, before: int) -> bool:
    """Whether a Constraint in the place of a source cures, and something can give way to it."""
    old = graph.elements[path]
    size = sum(bond.size for bond in graph.bonds_of(path))
    changed = graph.with_(elements=graph.elements | {path: Constraint(old.name, size=size)})
    try:
        if len(assign(changed, tree, strokes.wishes).doubled) >= before:
            return False
        pipeline.compile(changed, form="line", prefer=strokes.wishes)
    except (MultibondError, RuntimeError):  # RuntimeError: the flow to be held is itself an unknown of a loop
        return False
    return True


def _turned(graph: Graph, path: str, before: int) -> bool:
    """Whether a transformer has an inverse, and turned round takes a conflict away."""
    if not isinstance(graph.elements[path], TF | MTF) or inverse_kind(graph, path) == "none":
        return False
    try:
        turned = INVERT.change(graph, (path,))
        return len(assign(turned, span(turned)).doubled) < before
    except MultibondError:
        return False
