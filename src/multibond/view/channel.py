"""The channels between columns: where bonds go up and down, each on a line of its own, with few crossings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

MARGIN = 24.0  # before the first line: room for strokes, barbs and numbers
LANE = 10.0  # between two lines
LEVEL = 0.02  # a bond that rises less than this goes straight
APART = 6.0  # two lines may share a place when their ends are further apart than this
ROUNDS = 12


@dataclass(frozen=True)
class Passage:
    """A way through a channel: its name, its two ends by height, and on which side each is (-1 left, +1 right)."""

    name: str
    start: float
    end: float
    start_side: int = -1
    end_side: int = 1

    @property
    def low(self) -> float:
        """The smaller height."""
        return min(self.start, self.end)

    @property
    def high(self) -> float:
        """The larger height."""
        return max(self.start, self.end)

    @property
    def level(self) -> bool:
        """Whether it goes straight through."""
        return self.start_side != self.end_side and self.high - self.low < LEVEL

    def heights(self, side: int) -> list[float]:
        """The heights at which it touches a side."""
        ends = ((self.start_side, self.start), (self.end_side, self.end))
        return [y for at, y in ends if at == side]


@dataclass(frozen=True)
class Channel:
    """The finished channel: how wide it is, and how far from its left edge each passage goes up or down."""

    width: float
    at: dict[str, float]


def channel(passages: Sequence[Passage], least: float) -> Channel:
    """Give every passage that is not level its line. least: the smallest width.

    >>> channel([Passage("a", 0.0, 10.0)], 40.0).at
    {'a': 24.0}
    """
    steep = _untangled([p for p in passages if not p.level])
    lanes: dict[str, int] = {}
    for k, passage in enumerate(steep):
        before = [lanes[p.name] for p in steep[:k] if _near(p, passage)]
        lanes[passage.name] = 1 + max(before, default=-1)
    count = 1 + max(lanes.values(), default=-1)
    width = max(least, 2 * MARGIN + (count - 1) * LANE if count else 0.0)
    first = (width - (count - 1) * LANE) / 2
    return Channel(width, {name: first + lane * LANE for name, lane in lanes.items()})


def _near(a: Passage, b: Passage) -> bool:
    """Whether two passages may not share a line."""
    return a.low - APART < b.high and b.low - APART < a.high


def _untangled(passages: list[Passage]) -> list[Passage]:
    """From left to right, in an order with few crossings: passages change places as long as that helps."""
    order = sorted(passages, key=lambda p: (p.end < p.start, -p.start if p.end > p.start else p.start, p.name))
    for _ in range(ROUNDS):
        before = list(order)
        for passage in before:
            here = order.index(passage)
            rest = order[:here] + order[here + 1 :]
            costs = _costs(passage, rest)
            best = min(range(len(costs)), key=lambda k: (costs[k], abs(k - here)))
            order = [*rest[:best], passage, *rest[best:]]
        if order == before:
            break
    return order


def _costs(passage: Passage, rest: list[Passage]) -> list[int]:
    """How much the passage is in the way of the others at each place among them; the first place counts as zero."""
    near = [p if p.low - APART < passage.high and passage.low - APART < p.high else None for p in rest]
    costs = [0]
    for p in near:
        costs.append(costs[-1] + (tangle(p, passage) - tangle(passage, p) if p else 0))
    return costs


def tangle(left: Passage, right: Passage) -> int:
    """How much two passages get in each other's way: crossings, and ten for lines that would lie on one another."""
    reach_left, reach_right = right.heights(-1), left.heights(1)
    crossed = sum(left.low < y < left.high for y in reach_left) + sum(right.low < y < right.high for y in reach_right)
    lying = sum(abs(a - b) < APART for a in reach_left for b in reach_right)
    return crossed + 10 * lying
