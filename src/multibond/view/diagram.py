"""Elements without bonds: a block diagram along their signals, from left to right; what no signal joins, in a row."""

from __future__ import annotations

from collections.abc import Mapping

from multibond.graph.graph import Graph
from multibond.graph.port import SignalPort
from multibond.view.geometry import Box, around
from multibond.view.layered import Link, arrange, longest_paths, with_waypoints

GAP, COLUMN_GAP = 12.0, 36.0
LANE = 14.0  # the room of a signal that passes a column


def diagram(
    graph: Graph,
    holder: Mapping[str, str],
    idle: list[str],
    sizes: Mapping[str, tuple[float, float]],
    column: Mapping[str, int],
) -> dict[str, Box]:
    """The boxes of elements (or groups of them) without bonds, beside and below each other.

    holder: what each element stands in; column: where the elements with bonds stand. Where the blocks lead from those
    on the right to those on the left, they run from right to left themselves.
    """
    every = _signal_links(graph, holder)
    links = without_returns([link for link in every if {link.tail, link.head} <= set(idle)])
    joined = {end for link in links for end in (link.tail, link.head)}
    row = _row([path for path in idle if path not in joined], sizes)
    blocks = _blocks(sorted(joined), links, sizes)
    if _leads_left(every, joined, column):
        blocks = {path: Box(-box.x, box.y, box.width, box.height) for path, box in blocks.items()}
    if not row or not blocks:
        return row | blocks
    above, below = around(list(row.values())), around(list(blocks.values()))
    down = above.bottom + GAP - below.top
    return row | {path: box.moved(above.x - below.x, down) for path, box in blocks.items()}


def _signal_links(graph: Graph, holder: Mapping[str, str]) -> list[Link]:
    """From who computes a signal to who reads it; equalities (poses) have no direction and are left out."""
    pairs: set[tuple[str, str]] = set()
    for signal in graph.signals:
        sides: dict[str, list[str]] = {"in": [], "out": [], "either": []}
        for end in signal.ends:
            if end.element in holder:
                ports = {p.name: p for p in graph.elements[end.element].ports() if isinstance(p, SignalPort)}
                sides[ports[end.port].direction].append(holder[end.element])
        pairs |= {(a, b) for a in sides["out"] for b in sides["in"] if a != b}
    return [Link(*pair) for pair in sorted(pairs)]


def _leads_left(links: list[Link], blocks: set[str], column: Mapping[str, int]) -> bool:
    """Whether what the blocks read stands further to the right than what reads them."""
    read = [column[k.tail] for k in links if k.head in blocks and k.tail in column]
    told = [column[k.head] for k in links if k.tail in blocks and k.head in column]
    return bool(read and told) and sum(read) / len(read) > sum(told) / len(told)


def without_returns(links: list[Link]) -> list[Link]:
    """The links without those that lead back, on the way from the elements at which nothing arrives."""
    ahead: dict[str, list[Link]] = {}
    for link in links:
        ahead.setdefault(link.tail, []).append(link)
    heads = {link.head for link in links}
    kept: list[Link] = []
    done: set[str] = set()
    for start in sorted(ahead, key=lambda node: (node in heads, node)):
        if start not in done:
            done.add(start)
            kept += _walk(start, ahead, done)
    return kept


def _walk(start: str, ahead: Mapping[str, list[Link]], done: set[str]) -> list[Link]:
    """The links that are followed from a node on; those to a node on the way there lead back and are left out."""
    kept: list[Link] = []
    stack = [([start], iter(ahead.get(start, ())))]
    while stack:
        way, rest = stack[-1]
        link = next(rest, None)
        if link is None:
            stack.pop()
        elif link.head not in way:
            kept.append(link)
            if link.head not in done:
                done.add(link.head)
                stack.append(([*way, link.head], iter(ahead.get(link.head, ()))))
    return kept


def _row(paths: list[str], sizes: Mapping[str, tuple[float, float]]) -> dict[str, Box]:
    row, x = {}, 0.0
    for path in paths:
        width, height = sizes[path]
        row[path] = Box(x + width / 2, height / 2, width, height)
        x += width + GAP
    return row


def _blocks(paths: list[str], links: list[Link], sizes: Mapping[str, tuple[float, float]]) -> dict[str, Box]:
    """Columns along the signals."""
    columns, short, _ = with_waypoints(longest_paths(paths, links), links)
    if not columns:
        return {}
    plan = arrange(columns, short, {n: sizes[n][1] if n in sizes else LANE for n in columns}, GAP)
    boxes, x = {}, 0.0
    for nodes in plan.columns:
        width = max((sizes[n][0] for n in nodes if n in sizes), default=0.0)
        boxes |= {n: Box(x + width / 2, plan.y[n], *sizes[n]) for n in nodes if n in sizes}
        x += width + COLUMN_GAP
    return boxes
