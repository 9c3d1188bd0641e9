"""Graph → graph: methods and simplifications. `ALL` lists the rewrites that change neither behaviour nor energies.

>>> rewrite.sites(model, "merge junctions")
>>> rewrite.apply(model, "merge junctions").after
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from multibond.errors import Finding, ModelError, unknown_name
from multibond.graph.check import check
from multibond.graph.expand import expand
from multibond.graph.graph import Graph
from multibond.graph.model import Model
from multibond.rewrite.carry import GYRATOR, INERTIA, MASS
from multibond.rewrite.combine import RESISTORS, STORAGES
from multibond.rewrite.couplers import COMPOSE, INVERT
from multibond.rewrite.floating import join_floating
from multibond.rewrite.gyristor import SPLIT
from multibond.rewrite.invert_block import BLOCK
from multibond.rewrite.junctions import CANCEL, MERGE, THROUGH
from multibond.rewrite.minimal_graph import Minimal, minimal_graph
from multibond.rewrite.opening import OPEN
from multibond.rewrite.rule import Rewrite, Rewriting, Site, everywhere, once
from multibond.rewrite.sources import ZERO
from multibond.rewrite.trivial import TRIVIAL
from multibond.rewrite.unfold import unfold
from multibond.rewrite.zero_over import OVER, WIDEN
from multibond.structure.causality import assign
from multibond.structure.tree import span

RULES = (
    *(MERGE, THROUGH, CANCEL, TRIVIAL, COMPOSE, INVERT, BLOCK, STORAGES, RESISTORS),
    *(INERTIA, GYRATOR, SPLIT, MASS, OVER, WIDEN, ZERO, OPEN),
)
ALL: dict[str, Rewrite] = {rule.name: rule for rule in RULES}
"""Every rewrite by its name."""

SHRINKING = (TRIVIAL, MERGE, THROUGH, CANCEL, COMPOSE, STORAGES, RESISTORS)
"""Rewrites that only make a graph smaller."""


def as_graph(model: Model | Graph) -> Graph:
    """The graph of a model, with joints for bodies that float; a graph is taken as it is."""
    if isinstance(model, Graph):
        return model
    check(model)
    return join_floating(expand(model))


def rule_of(name: str) -> Rewrite:
    """A rewrite by its name."""
    if name not in ALL:
        raise unknown_name("the list of rewrites", name, ALL)
    return ALL[name]


def sites(model: Model | Graph, name: str, *, prefer: Mapping[str, str] | None = None) -> tuple[Site, ...]:
    """Where a rewrite applies. prefer: wishes for the strokes, as in `causality`, where these decide.

    >>> rewrite.sites(arm, "carry inertias")
    """
    return rule_of(name).sites(as_graph(model), prefer)


def apply(
    model: Model | Graph, name: str, site: Site | None = None, *, prefer: Mapping[str, str] | None = None
) -> Rewriting:
    """Rewrite at one site, or at one after the other until none is left; the result can be undone.

    `.after` is the new graph, `.model` the same as a model that can be saved, drawn and opened.

    >>> rewrite.apply(arm, "merge junctions").after
    """
    graph, rule = as_graph(model), rule_of(name)
    done = everywhere(rule, graph, prefer) if site is None else once(rule, graph, site, prefer)
    return _of(model, done)


def _of(model: Model | Graph, done: Rewriting) -> Rewriting:
    return done if isinstance(model, Graph) else replace(done, source=model)


def simplify(model: Model | Graph) -> Rewriting:
    """Merge, drop, compose and combine until nothing is left to do."""
    before = now = as_graph(model)
    done: list[Site] = []
    while True:
        passes: list[Site] = []
        for rule in SHRINKING:
            step = everywhere(rule, now)
            now, passes = step.after, [*passes, *step.sites]
        done += passes
        if not passes:
            return _of(model, Rewriting("simplify", tuple(done), before, now))


def unfolded(model: Model | Graph, *, simple: bool = False) -> Graph:
    """The graph with scalar bonds only (Boudon's procedure); simple: merged and dropped where one can.

    >>> rewrite.unfolded(pendulum, simple=True)
    """
    graph = as_graph(model)
    return unfold(graph, assign(graph, span(graph)), simple=simple)


def minimal(model: Model | Graph, *, level: int = 2) -> Minimal:
    """The graph in minimal coordinates, with the matrices T, M_b and T_i as numbers and LaTeX (Boudon et al.).

    level 1 carries all inertias over to the velocities of the joints, level 2 on to the independent ones, so that loops
    need no multipliers; the forces in loops cannot be asked for there.

    >>> rewrite.minimal(slider_crank).T.latex()
    """
    if level not in (1, 2):
        fact = "Levels: 1 (velocities of the joints), 2 (independent velocities)."
        raise ModelError(Finding(f"there is no level {level!r} of minimal coordinates.", fact, "Choose one of these."))
    return minimal_graph(as_graph(model), level)


__all__ = [
    "ALL",
    "SHRINKING",
    "Minimal",
    "Rewrite",
    "Rewriting",
    "Site",
    "apply",
    "as_graph",
    "everywhere",
    "minimal",
    "once",
    "rule_of",
    "simplify",
    "sites",
    "unfolded",
]
