"""What a rewrite is: where it applies, what it makes of a graph there, and a record that can be read and undone."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from multibond.graph.graph import Graph


@dataclass(frozen=True)
class Site:
    """One place where a rewrite applies: the elements concerned, the first one giving it its name."""

    rule: str
    elements: tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.rule} at {', '.join(self.elements)}"


@dataclass(frozen=True)
class Rewrite:
    """A rewrite: graph → graph with the same behaviour and the same energies.

    says: what it does, in one line. find: the sites in a graph. change: the graph with one site rewritten.
    repeats: whether what it makes may be rewritten again; one that could go to and fro passes over a graph once.
    still: whether a site that was found before others were rewritten is one yet; left out, all are looked for anew.
    """

    name: str
    says: str
    find: Callable[[Graph], tuple[tuple[str, ...], ...]]
    change: Callable[[Graph, tuple[str, ...]], Graph]
    repeats: bool = True
    still: Callable[[Graph, tuple[str, ...]], bool] | None = None

    def sites(self, graph: Graph) -> tuple[Site, ...]:
        """Where it applies, in order of paths."""
        return tuple(Site(self.name, elements) for elements in self.find(graph))

    def apply(self, graph: Graph, site: Site) -> Graph:
        """The graph with this one site rewritten."""
        return self.change(graph, site.elements)


@dataclass(frozen=True)
class Rewriting:
    """What was done: the rewrite's name, the sites one after the other, the graph before and after."""

    name: str
    sites: tuple[Site, ...]
    before: Graph
    after: Graph

    def undo(self) -> Graph:
        """The graph as it was."""
        return self.before

    def __str__(self) -> str:
        places = "; ".join(", ".join(site.elements) for site in self.sites) or "nowhere"
        sizes = f"{len(self.before.elements)} elements before, {len(self.after.elements)} after"
        return f"{self.name}: {places} ({sizes})"


def everywhere(rule: Rewrite, graph: Graph) -> Rewriting:
    """Rewrite one site after the other: until none is left, or once over those that there are now."""
    now, done, left = graph, [], list(rule.sites(graph))
    while left:
        site = left.pop(0)
        if rule.still is None or rule.still(now, site.elements):
            now, done = rule.apply(now, site), [*done, site]
            left = left if rule.still is not None else _left(rule, now, left)
        if not left and rule.repeats:
            left = list(rule.sites(now))
    return Rewriting(rule.name, tuple(done), graph, now)


def _left(rule: Rewrite, graph: Graph, before: list[Site]) -> list[Site]:
    here = rule.sites(graph)
    return list(here) if rule.repeats else [site for site in before if site in here]


def once(rule: Rewrite, graph: Graph, site: Site) -> Rewriting:
    """Rewrite at one site."""
    return Rewriting(rule.name, (site,), graph, rule.apply(graph, site))
