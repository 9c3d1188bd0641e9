"""Causal paths: which nodes lead from an input to an output, and with how many integrations on the way.

The order of a path is the number of its integrations less that of its differentiations. Several paths are disjoint
where no node lies on two of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

from multibond.analysis.signals import Signals

Path = tuple[int, ...]


@dataclass(frozen=True)
class Web:
    """The causal graph as a plain web: successors of every node, and the order that entering a node adds."""

    after: tuple[tuple[int, ...], ...]
    order: tuple[int, ...]

    @cached_property
    def before(self) -> tuple[tuple[int, ...], ...]:
        """Predecessors of every node."""
        found: list[list[int]] = [[] for _ in self.after]
        for node, onward in enumerate(self.after):
            for k in onward:
                found[k].append(node)
        return tuple(tuple(f) for f in found)


def web_of(signals: Signals) -> Web:
    """The web of a causal graph."""
    after: list[list[int]] = [[] for _ in signals.nodes]
    for tail, head in signals.edges:
        if tail != head:
            after[tail].append(head)
    return Web(tuple(tuple(a) for a in after), tuple(node.order for node in signals.nodes))


def reach(links: Sequence[Sequence[int]], start: Iterable[int]) -> set[int]:
    """All nodes that can be come to from some."""
    found, waiting = set(start), list(start)
    while waiting:
        for k in links[waiting.pop()]:
            if k not in found:
                found.add(k)
                waiting.append(k)
    return found


def shortest(web: Web, start: int, ends: Iterable[int]) -> Path | None:
    """The path with the fewest integrations, then the fewest nodes; None where there is none."""
    targets = set(ends) & reach(web.after, [start])
    if not targets:
        return None
    found = _disjoint(web, [start], [sorted(targets)])
    return found[0] if found else None


def order_of(web: Web, path: Path) -> int:
    """Integrations less differentiations on a path."""
    return sum(web.order[k] for k in path[1:])


def disjoint(web: Web, starts: Sequence[int], ends: Sequence[Sequence[int]]) -> list[Path]:
    """As many disjoint paths as there are, of the smallest total order; ends[k] are the nodes that output k reads."""
    return _disjoint(web, starts, ends)


# A flow of one through every node: nodes are split into an entry (2k) and an exit (2k + 1). Each path is found by
# Bellman's method among the arcs that are left, so that earlier paths may be led another way.

Arc = tuple[int, int]
Cost = tuple[int, int]


def _disjoint(web: Web, starts: Sequence[int], ends: Sequence[Sequence[int]]) -> list[Path]:
    source, sink, first = 2 * len(web.after), 2 * len(web.after) + 1, 2 * len(web.after) + 2
    costs: dict[Arc, Cost] = {}
    for node, onward in enumerate(web.after):
        costs[2 * node, 2 * node + 1] = (web.order[node], 1)
        costs.update({(2 * node + 1, 2 * k): (0, 0) for k in onward})
    costs.update({(source, 2 * k): (0, 0) for k in starts})
    for k, nodes in enumerate(ends):
        costs.update({(2 * node + 1, first + k): (0, 0) for node in nodes})
        costs[first + k, sink] = (0, 0)
    used: set[Arc] = set()
    while len(used & {(first + k, sink) for k in range(len(ends))}) < min(len(starts), len(ends)):
        way = _cheapest(costs, used, source, sink)
        if way is None:
            break
        for a, b in way:
            if (b, a) in used:
                used.remove((b, a))
            else:
                used.add((a, b))
    return _paths(used, source, first)


def _cheapest(costs: dict[Arc, Cost], used: set[Arc], source: int, sink: int) -> list[Arc] | None:
    """The cheapest way through arcs that are free, or back along used ones."""
    arcs = [(a, b, c) for (a, b), c in costs.items() if (a, b) not in used]
    arcs += [(b, a, (-costs[a, b][0], -costs[a, b][1])) for a, b in used]
    best: dict[int, Cost] = {source: (0, 0)}
    came: dict[int, int] = {}
    for _ in range(2 * len(costs)):
        changed = False
        for a, b, (order, step) in arcs:
            if a in best:
                cost = (best[a][0] + order, best[a][1] + step)
                if (b not in best or cost < best[b]) and not _loops(came, a, b):
                    best[b], came[b], changed = cost, a, True
        if not changed:
            break
    if sink not in best:
        return None
    way, node = [], sink
    while node != source:
        way.append((came[node], node))
        node = came[node]
    return way[::-1]


def _loops(came: dict[int, int], a: int, b: int) -> bool:
    """Whether coming to b from a would close a ring (differentiations only pay once)."""
    while a in came:
        if a == b:
            return True
        a = came[a]
    return a == b


def _paths(used: set[Arc], source: int, first: int) -> list[Path]:
    onward = dict(sorted(arc for arc in used if arc[0] != source))
    found: list[Path] = []
    for _, entry in sorted(arc for arc in used if arc[0] == source):
        nodes, at = [], entry
        while at < first - 2:
            if at % 2 == 0:
                nodes.append(at // 2)
            at = onward[at]
        found.append(tuple(nodes))
    return found
