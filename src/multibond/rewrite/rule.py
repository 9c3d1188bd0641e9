"""What a rewrite is: where it applies, what it makes of a graph there, and a record that can be read and undone."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from multibond.border import public
from multibond.errors import Finding, ModelError
from multibond.graph.collect import collect
from multibond.graph.graph import Graph
from multibond.graph.model import Model


@public
@dataclass(frozen=True)
class Site:
    """One place where a rewrite applies: the elements concerned, the first one giving it its name."""

    rule: str
    elements: tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.rule} at {', '.join(self.elements)}"


@public
@dataclass(frozen=True)
class Rewrite:
    """A rewrite: graph → graph with the same behaviour and the same energies.

    says: what it does, in one line. find: the sites in a graph. change: the graph with one site rewritten.
    repeats: whether what it makes may be rewritten again; one that could go to and fro passes over a graph once.
    still: whether a site that was found before others were rewritten is one yet; left out, all are looked for anew.
    wished: it applies by the strokes, and by those that the user prefers; `find` then takes the wishes too.
    """

    name: str
    says: str
    find: Callable[..., tuple[tuple[str, ...], ...]]
    change: Callable[[Graph, tuple[str, ...]], Graph]
    repeats: bool = True
    still: Callable[[Graph, tuple[str, ...]], bool] | None = None
    wished: bool = False

    def sites(self, graph: Graph, prefer: Mapping[str, str] | None = None) -> tuple[Site, ...]:
        """Where it applies, in order of paths. prefer: wishes for the strokes, as in `causality`."""
        if prefer and not self.wished:
            raise ModelError(_no_wishes(self.name))
        found = self.find(graph, dict(prefer or {})) if self.wished else self.find(graph)
        return tuple(Site(self.name, elements) for elements in found)

    def apply(self, graph: Graph, site: Site) -> Graph:
        """The graph with this one site rewritten."""
        return self.change(graph, site.elements)


@public
@dataclass(frozen=True)
class Rewriting:
    """What was done: the rewrite's name, the sites one after the other, the graph before and after.

    source: the model it began with, where it was one.
    """

    name: str
    sites: tuple[Site, ...]
    before: Graph
    after: Graph
    source: Model | None = field(default=None, repr=False, compare=False)

    @property
    def model(self) -> Model:
        """The graph afterwards as a model, to be saved, drawn, opened and run like any other.

        Dots in paths become dashes in names. It is called as the model was that was rewritten.
        """
        name = "rewritten" if self.source is None else self.source.name
        made = collect(self.after, name)
        own = made if self.source is None else type(self.source)(name, size=made.size)
        own.sheet = made.sheet
        return own

    def undo(self) -> Graph:
        """The graph as it was."""
        return self.before

    def __str__(self) -> str:
        places = "; ".join(", ".join(site.elements) for site in self.sites) or "nowhere"
        sizes = f"{len(self.before.elements)} elements before, {len(self.after.elements)} after"
        return f"{self.name}: {places} ({sizes})"


def everywhere(rule: Rewrite, graph: Graph, prefer: Mapping[str, str] | None = None) -> Rewriting:
    """Rewrite one site after the other: until none is left, or once over those that there are now."""
    now, done, left = graph, [], list(rule.sites(graph, prefer))
    while left:
        site = left.pop(0)
        if rule.still is None or rule.still(now, site.elements):
            now, done = rule.apply(now, site), [*done, site]
            left = left if rule.still is not None else _left(rule, now, left, prefer)
        if not left and rule.repeats:
            left = list(rule.sites(now, prefer))
    return Rewriting(rule.name, tuple(done), graph, now)


def _left(rule: Rewrite, graph: Graph, before: list[Site], prefer: Mapping[str, str] | None) -> list[Site]:
    here = rule.sites(graph, prefer)
    return list(here) if rule.repeats else [site for site in before if site in here]


def once(rule: Rewrite, graph: Graph, site: Site, prefer: Mapping[str, str] | None = None) -> Rewriting:
    """Rewrite at one site, which must be one of this rewrite in this graph."""
    if site not in rule.sites(graph, prefer):
        raise ModelError(_no_site(rule, site))
    return Rewriting(rule.name, (site,), graph, rule.apply(graph, site))


def _no_site(rule: Rewrite, site: Site) -> Finding:
    places = ", ".join(repr(name) for name in site.elements)
    why = f"It is a site of {site.rule!r}." if site.rule != rule.name else "It does not apply there in this graph."
    return Finding(
        f"{rule.name!r} cannot be done at {places}.",
        why,
        f"Take a site from rewrite.sites(model, {rule.name!r}).",
        site.elements,
    )


def _no_wishes(name: str) -> Finding:
    return Finding(
        f"{name!r} takes no wishes for strokes.",
        "Where it applies does not depend on what is preferred.",
        "Leave out prefer.",
    )
