"""The ways of signals over a drawing: a gentle curve where it meets no text, else straight pieces around the texts.

Signals may cross bonds and borders. What they must not cross is anything that is read.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from multibond.view.geometry import Box, Point, direction

BENDS = (1.0, -1.0, 0.0, 2.0, -2.0, 3.5, -3.5, 5.0, -5.0)
"""Curves that are tried, by how far they swing out to the left of travel; the first is the usual one."""
SHARE, MOST = 0.16, 40.0  # how far the usual curve swings out: a share of its length, at most so far
CLEAR = 2.5  # between a signal and a text
REACH = 120.0  # how far around its ends the widest curve swings
PIECES = 24
TURN = 4.0  # a turn costs as much as this length
LOOKED_AT = 150
"""A line that has so many texts in its way is drawn over them, as the gentlest curve."""

Way = tuple[Point, ...]


@dataclass(frozen=True)
class SignalWay:
    """Start, control point and end of a curve, or the corners of a line of straight pieces."""

    points: Way
    curved: bool = True

    def sampled(self) -> np.ndarray:
        """Points along it as it is drawn."""
        points = np.array(self.points, float)
        if not self.curved:
            return points
        t = np.linspace(0.0, 1.0, PIECES + 1)[:, None]
        return (1 - t) ** 2 * points[0] + 2 * t * (1 - t) * points[1] + t**2 * points[2]


class Ground:
    """The boxes of texts that signals go around."""

    def __init__(self, texts: Iterable[Box]) -> None:
        self.edges = _edges(list(texts))

    def near(self, boxes: Sequence[Box], reach: float) -> np.ndarray:
        """The edges of the texts around some boxes: left, right, top, bottom, a row each."""
        left, right = min(b.left for b in boxes) - reach, max(b.right for b in boxes) + reach
        top, bottom = min(b.top for b in boxes) - reach, max(b.bottom for b in boxes) + reach
        e = self.edges
        return e[(e[:, 0] < right) & (e[:, 1] > left) & (e[:, 2] < bottom) & (e[:, 3] > top)]


def signal_way(tail: Box, head: Box, ground: Ground) -> SignalWay:
    """The way of a signal from box to box."""
    curves = [_curve(tail, head, bend) for bend in BENDS]
    texts = ground.near([tail, head], REACH)
    hits = [_hit(curve.sampled(), texts) for curve in curves]
    if 0 in hits:
        return curves[hits.index(0)]
    found = _around(tail, head, ground.edges)
    if found:
        return SignalWay(found, curved=False)
    return curves[min(range(len(curves)), key=lambda k: (hits[k], k))]


def _curve(tail: Box, head: Box, bend: float) -> SignalWay:
    dx, dy = direction((tail.x, tail.y), (head.x, head.y))
    out = bend * min(SHARE * math.hypot(head.x - tail.x, head.y - tail.y), MOST)
    control = ((tail.x + head.x) / 2 + out * dy, (tail.y + head.y) / 2 - out * dx)
    return SignalWay((tail.edge_towards(control), control, head.grown(2.0).edge_towards(control)))


def _edges(boxes: list[Box]) -> np.ndarray:
    return np.array([(b.left, b.right, b.top, b.bottom) for b in boxes], float).reshape(-1, 4)


def _hit(points: np.ndarray, texts: np.ndarray) -> int:
    """How many texts the pieces between points pass through."""
    return int(_blocked(points[:-1], points[1:], texts).any(axis=0).sum()) if len(texts) else 0


def _blocked(a: np.ndarray, b: np.ndarray, texts: np.ndarray, margin: float = CLEAR - 1.0) -> np.ndarray:
    """For each piece from a to b and each text, whether it passes through, or nearer than the margin."""
    low, high = np.zeros((len(a), len(texts))), np.ones((len(a), len(texts)))
    for k in (0, 1):
        start, step = a[:, k, None], (b - a)[:, k, None]
        least, most = texts[None, :, 2 * k] - margin, texts[None, :, 2 * k + 1] + margin
        level = np.abs(step) < 1e-9
        safe = np.where(level, 1.0, step)
        near, far = (least - start) / safe, (most - start) / safe
        inside = (start > least) & (start < most)
        low = np.maximum(low, np.where(level, np.where(inside, 0.0, 2.0), np.minimum(near, far)))
        high = np.minimum(high, np.where(level, np.where(inside, 1.0, -1.0), np.maximum(near, far)))
    return low < high - 1e-9


def _around(tail: Box, head: Box, texts: np.ndarray) -> Way:
    """A short line of straight pieces that turns at corners of texts only; nothing where there is none.

    Only texts that stand in the way count: the shortest line around these that meets no other is taken.
    """
    starts, ends = _gates(tail, texts), _gates(head, texts)
    known = np.zeros(len(texts), bool)
    while known.sum() < LOOKED_AT:
        way = _shortest(starts, ends, texts[known])
        met = _blocked(way[:-1], way[1:], texts).any(axis=0)
        if not len(way) or not met.any():
            return tuple((float(x), float(y)) for x, y in way)
        known |= met
    return ()


def _shortest(starts: np.ndarray, ends: np.ndarray, texts: np.ndarray) -> np.ndarray:
    """The shortest line around all of some texts (A*; a turn counts as some way)."""
    left, right, top, bottom = (texts + CLEAR * np.array([-1, 1, -1, 1])).T
    pairs = ((left, top), (left, bottom), (right, top), (right, bottom))
    points = np.concatenate([starts, ends, *(np.column_stack(pair) for pair in pairs)])
    first, goals = len(starts), range(len(starts), len(starts) + len(ends))
    cost, back, queue = dict.fromkeys(range(first), 0.0), {}, [(0.0, k) for k in range(first)]
    while queue:
        _, here = heapq.heappop(queue)
        if here in goals:
            return _walked(points, back, here)
        open_ = ~_blocked(np.broadcast_to(points[here], points.shape), points, texts).any(axis=1)
        steps = np.hypot(*(points - points[here]).T)
        for k in np.flatnonzero(open_ & (steps > 0)).tolist():
            length = cost[here] + float(steps[k]) + TURN
            if length < cost.get(k, math.inf):
                cost[k], back[k] = length, here
                rest = float(np.hypot(*(ends - points[k]).T).min()) if len(ends) else 0.0
                heapq.heappush(queue, (length + rest, k))
    return np.zeros((0, 2))


def _gates(box: Box, texts: np.ndarray) -> np.ndarray:
    """Places on the edge of a box where a signal may begin or end: those that no text covers."""
    edge = box.grown(2.0)
    points = [(x, y) for x in (edge.left, edge.right) for y in (box.y, box.top, box.bottom)]
    points += [(x, y) for y in (edge.top, edge.bottom) for x in (box.x, box.left, box.right)]
    places = np.array(points, float)
    return places[~_blocked(places, places, texts, 0.0).any(axis=1)]


def _walked(points: np.ndarray, back: dict[int, int], here: int) -> np.ndarray:
    way = [here]
    while way[-1] in back:
        way.append(back[way[-1]])
    return points[way[::-1]]
