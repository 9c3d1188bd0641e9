"""Strongly connected components: what can be reached from one another."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import TypeVar

Item = TypeVar("Item", bound=Hashable)


def strong_components(pairs: Iterable[tuple[Item, Item]]) -> list[frozenset[Item]]:
    """Groups of items that lie on common cycles of directed pairs, in the order in which they first appear.

    >>> strong_components([(1, 2), (2, 1), (2, 3)])
    [frozenset({1, 2})]
    """
    import networkx as nx

    graph = nx.DiGraph(list(pairs))
    place = {item: k for k, item in enumerate(graph)}
    groups = (frozenset(group) for group in nx.strongly_connected_components(graph))
    cyclic = [group for group in groups if len(group) > 1 or graph.has_edge(*(2 * tuple(group)))]
    return sorted(cyclic, key=lambda group: min(place[item] for item in group))
