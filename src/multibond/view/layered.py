"""Layered layout: nodes in columns, few crossings, straight connections. Deterministic; ties go by name."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import pairwise

SWEEPS = 24
LEVEL = 18.0  # links that rise less than this are made level


@dataclass(frozen=True)
class Link:
    """A connection for the layout: its two nodes and how far above or below their centres it ends."""

    tail: str
    head: str
    tail_offset: float = 0.0
    head_offset: float = 0.0


@dataclass(frozen=True)
class Columns:
    """Nodes by column from left to right, each column from top to bottom, and the height of every node's centre."""

    columns: tuple[tuple[str, ...], ...]
    y: dict[str, float] = field(default_factory=dict)


def distances(nodes: Iterable[str], links: Iterable[Link], roots: Iterable[str]) -> dict[str, int]:
    """The number of steps from the roots; in each part that no root reaches the first node by name is one."""
    near = neighbours(nodes, links)
    found: dict[str, int] = {}
    for root in (None, *sorted(near)):
        queue = sorted(set(roots) & near.keys()) if root is None else [root]
        queue = [n for n in queue if n not in found]
        found.update(dict.fromkeys(queue, 0))
        for node in queue:
            for other in near[node]:
                if other not in found:
                    found[other] = found[node] + 1
                    queue.append(other)
    return found


def neighbours(nodes: Iterable[str], links: Iterable[Link]) -> dict[str, list[str]]:
    """The neighbours of every node, by name, each as often as it is linked."""
    near: dict[str, list[str]] = {n: [] for n in nodes}
    for link in links:
        near[link.tail].append(link.head)
        near[link.head].append(link.tail)
    return {n: sorted(others) for n, others in near.items()}


def longest_paths(nodes: Iterable[str], links: Iterable[Link]) -> dict[str, int]:
    """Columns along the links' directions: links point right; sources and leaves stand next to what they serve."""
    nodes = sorted(nodes)
    ahead = _without_cycles(nodes, links)
    behind: dict[str, list[str]] = {n: [] for n in nodes}
    for n in nodes:
        for m in ahead[n]:
            behind[m].append(n)
    column: dict[str, int] = {}
    for n in _topological(nodes, ahead, behind):
        column[n] = max((column[m] + 1 for m in behind[n]), default=0)
    for _ in range(len(nodes)):
        before = dict(column)
        for n in nodes:
            if len(ahead[n]) > len(behind[n]):
                column[n] = max(column[n], min(column[m] for m in ahead[n]) - 1)
            elif len(behind[n]) > len(ahead[n]):
                column[n] = max(column[m] for m in behind[n]) + 1
        if column == before:
            break
    return column


def _without_cycles(nodes: list[str], links: Iterable[Link]) -> dict[str, list[str]]:
    """Successors of every node, links that close a cycle left out."""
    ahead: dict[str, list[str]] = {n: [] for n in nodes}
    for link in sorted(links, key=lambda k: (k.tail, k.head)):
        if link.tail != link.head and not _reaches(ahead, link.head, link.tail):
            ahead[link.tail].append(link.head)
    return ahead


def _reaches(ahead: Mapping[str, list[str]], start: str, goal: str) -> bool:
    seen, todo = {start}, [start]
    for node in todo:
        fresh = [m for m in ahead[node] if m not in seen]
        seen.update(fresh)
        todo.extend(fresh)
    return goal in seen


def _topological(nodes: list[str], ahead: Mapping[str, list[str]], behind: Mapping[str, list[str]]) -> list[str]:
    waiting = {n: len(behind[n]) for n in nodes}
    ready = [n for n in nodes if not waiting[n]]
    for n in ready:
        for m in ahead[n]:
            waiting[m] -= 1
            if not waiting[m]:
                ready.append(m)
    return ready


def with_waypoints(
    column: Mapping[str, int], links: Iterable[Link]
) -> tuple[dict[str, int], list[Link], list[list[str]]]:
    """Give every link a waypoint in each column it passes; returns columns, short links, each link's waypoints."""
    columns, short, ways = dict(column), [], []
    for number, link in enumerate(links):
        a, b = column[link.tail], column[link.head]
        step = 1 if b > a else -1
        way = [f"~{number:04d}.{k:03d}" for k in range(a + step, b, step)]
        columns.update(dict(zip(way, range(a + step, b, step), strict=True)))
        stops = [link.tail, *way, link.head]
        for k, (u, v) in enumerate(pairwise(stops)):
            off_u, off_v = link.tail_offset if k == 0 else 0.0, link.head_offset if k == len(stops) - 2 else 0.0
            short.append(Link(u, v, off_u, off_v))
        ways.append(way)
    return columns, short, ways


def arrange(
    column: Mapping[str, int],
    links: list[Link],
    heights: Mapping[str, float],
    gap: float,
    fixed: Mapping[str, float] | None = None,
) -> Columns:
    """Order the nodes of each column and set their heights.

    heights: the room a node takes; gap: the room between two. fixed: nodes of the outer columns that keep this
    order among each other; equal numbers may change places.
    """
    order = ordered(column, links, fixed)
    return Columns(tuple(tuple(nodes) for nodes in order), settled(order, links, heights, gap))


def ordered(
    column: Mapping[str, int], links: list[Link], fixed: Mapping[str, float] | None = None, count: int = 0
) -> list[list[str]]:
    """The nodes of each column from top to bottom, with few crossings. count: the least number of columns."""
    held, near = dict(fixed or {}), _near_columns(column, links)
    last = max([*column.values(), count - 1])
    plain = [
        sorted((n for n in column if column[n] == k), key=lambda n: (held.get(n, 0.0), n)) for k in range(last + 1)
    ]
    turned = [sorted(nodes, key=lambda n: (-held.get(n, 0.0), n), reverse=True) for nodes in plain]
    tried = [_untangled(order, near, held) for order in (plain, turned)]
    _, _, best = min((count, k, order) for k, (count, order) in enumerate(tried))
    return best


def _untangled(
    order: list[list[str]], near: Mapping[str, dict[int, list[str]]], fixed: Mapping[str, float]
) -> tuple[int, list[list[str]]]:
    """Sweep over the columns to take crossings away; returns the number left and the order."""
    best, fewest = [list(c) for c in order], crossings(order, near)
    for sweep in range(SWEEPS):
        side = -1 if sweep % 2 == 0 else 1
        for k in range(1, len(order)) if side < 0 else range(len(order) - 2, -1, -1):
            _by_neighbours(order, k, side, near, fixed)
        _swap_neighbours(order, near, fixed)
        count = crossings(order, near)
        if count < fewest:
            best, fewest = [list(c) for c in order], count
    return fewest, best


def _near_columns(column: Mapping[str, int], links: list[Link]) -> dict[str, dict[int, list[str]]]:
    near: dict[str, dict[int, list[str]]] = {n: {-1: [], 0: [], 1: []} for n in column}
    for link in links:
        step = column[link.head] - column[link.tail]
        near[link.tail][step].append(link.head)
        near[link.head][-step].append(link.tail)
    return near


def _by_neighbours(
    order: list[list[str]], k: int, side: int, near: Mapping[str, dict[int, list[str]]], fixed: Mapping[str, float]
) -> None:
    """Sort one column by the mean place of its neighbours on one side."""
    place = {n: i for i, n in enumerate(order[k + side])}
    own = {n: i for i, n in enumerate(order[k])}

    def mean(n: str) -> float:
        others = [place[m] for m in near[n][side]]
        return sum(others) / len(others) if others else own[n]

    order[k].sort(key=lambda n: (fixed.get(n, 0.0), mean(n), own[n]))


def _swap_neighbours(
    order: list[list[str]], near: Mapping[str, dict[int, list[str]]], fixed: Mapping[str, float]
) -> None:
    """Swap nodes that stand one above the other as long as that takes crossings away."""
    for _ in range(SWEEPS):
        better = False
        for k, nodes in enumerate(order):
            places = {
                side: {n: i for i, n in enumerate(order[k + side])} for side in (-1, 1) if 0 <= k + side < len(order)
            }
            for i in range(len(nodes) - 1):
                a, b = nodes[i], nodes[i + 1]
                if fixed.get(a) == fixed.get(b) and _cross(a, b, places, near) > _cross(b, a, places, near):
                    nodes[i], nodes[i + 1] = b, a
                    better = True
        if not better:
            return


def _cross(a: str, b: str, places: Mapping[int, Mapping[str, int]], near: Mapping[str, dict[int, list[str]]]) -> int:
    """How many links of a and b cross when a stands above b."""
    return sum(1 for side, at in places.items() for m in near[a][side] for n in near[b][side] if at[m] > at[n])


def crossings(order: list[list[str]], near: Mapping[str, dict[int, list[str]]]) -> int:
    """How many pairs of links cross."""
    total = 0
    for left, right in pairwise(order):
        place = {n: i for i, n in enumerate(right)}
        ends = [sorted(place[m] for m in near[n][1]) for n in left]
        flat = [e for group in ends for e in group]
        total += sum(1 for i, a in enumerate(flat) for b in flat[i + 1 :] if b < a)
    return total


def settled(order: list[list[str]], links: list[Link], heights: Mapping[str, float], gap: float) -> dict[str, float]:
    """The height of every node: towards its neighbours' heights, keeping order and distances."""
    pulls: dict[str, list[tuple[str, float, float]]] = {n: [] for c in order for n in c}
    for link in links:
        weight = 6.0 if link.tail.startswith("~") and link.head.startswith("~") else 1.0
        pulls[link.tail].append((link.head, link.head_offset - link.tail_offset, weight))
        pulls[link.head].append((link.tail, link.tail_offset - link.head_offset, weight))
    y: dict[str, float] = {}
    for nodes in order:
        stack = _stack(nodes, heights, gap)
        mid = (stack[0] + stack[-1]) / 2 if stack else 0.0
        y.update({n: s - mid for n, s in zip(nodes, stack, strict=True)})
    for sweep in range(4 * SWEEPS):
        for nodes in order if sweep % 2 == 0 else reversed(order):
            wanted, weights = [], []
            for n in nodes:
                weight = sum(w for _, _, w in pulls[n])
                wanted.append(sum((y[m] + d) * w for m, d, w in pulls[n]) / weight if weight else y[n])
                weights.append(weight or 0.1)
            y.update(zip(nodes, spaced(wanted, weights, _stack(nodes, heights, gap)), strict=True))
    return _levelled(y, order, pulls, heights, gap)


def _levelled(
    y: dict[str, float],
    order: list[list[str]],
    pulls: Mapping[str, list[tuple[str, float, float]]],
    heights: Mapping[str, float],
    gap: float,
) -> dict[str, float]:
    """Make links that are nearly level quite so, from left to right, where there is room."""
    y, done = dict(y), set()
    for nodes in order:
        for i, n in enumerate(nodes):
            low = y[nodes[i - 1]] + (heights[nodes[i - 1]] + heights[n]) / 2 + gap if i else float("-inf")
            last = i == len(nodes) - 1
            high = float("inf") if last else y[nodes[i + 1]] - (heights[nodes[i + 1]] + heights[n]) / 2 - gap
            wanted = [y[m] + d for m, d, _ in pulls[n] if m in done]
            near = [w for w in wanted if abs(w - y[n]) < LEVEL and low - 1e-6 <= w <= high + 1e-6]
            y[n] = min(near, key=lambda w: (round(abs(w - y[n]), 3), w)) if near else y[n]
        done.update(nodes)
    return y


def _stack(nodes: list[str], heights: Mapping[str, float], gap: float) -> list[float]:
    """The tightest places of a column's centres, from zero downwards."""
    places, at = [], 0.0
    for k, n in enumerate(nodes):
        at += heights[n] / 2 + (gap + heights[nodes[k - 1]] / 2 if k else 0.0)
        places.append(at)
    return places


def spaced(wanted: list[float], weights: list[float], stack: list[float]) -> list[float]:
    """The places nearest to those wanted (weighted least squares) that keep at least the stack's distances."""
    blocks: list[tuple[float, float, int]] = []
    for want, weight, place in zip(wanted, weights, stack, strict=True):
        value, count = want - place, 1
        while blocks and blocks[-1][0] > value:
            other, other_weight, n = blocks.pop()
            value = (value * weight + other * other_weight) / (weight + other_weight)
            weight, count = weight + other_weight, count + n
        blocks.append((value, weight, count))
    free = [value for value, _, count in blocks for _ in range(count)]
    return [f + s for f, s in zip(free, stack, strict=True)]
