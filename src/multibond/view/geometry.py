"""Plane geometry of drawings: boxes, polylines and the shape of one bond. Pure functions of numbers; y points down."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise

Point = tuple[float, float]
Segment = tuple[Point, Point]

GAP = 2.2  # half the distance between the two lines of a vector bond
BARB = (11.0, 6.5)  # the half-arrow's barb: length along the bond, height beside it
BAR = 8.0  # half the length of a causal stroke
TAIL, HEAD, BOTH, NEITHER = 1, 2, 3, 0
LABEL_SIZE = 10.5  # of the names of groups and elements and the numbers of components


@dataclass(frozen=True)
class Box:
    """An upright rectangle by its centre and size."""

    x: float
    y: float
    width: float
    height: float

    @property
    def left(self) -> float:
        """The smallest x."""
        return self.x - self.width / 2

    @property
    def right(self) -> float:
        """The largest x."""
        return self.x + self.width / 2

    @property
    def top(self) -> float:
        """The smallest y."""
        return self.y - self.height / 2

    @property
    def bottom(self) -> float:
        """The largest y."""
        return self.y + self.height / 2

    def moved(self, dx: float, dy: float) -> Box:
        """The same box elsewhere."""
        return Box(self.x + dx, self.y + dy, self.width, self.height)

    def grown(self, by: float) -> Box:
        """The box with a margin on every side."""
        return Box(self.x, self.y, self.width + 2 * by, self.height + 2 * by)

    def overlaps(self, other: Box) -> bool:
        """Whether the two share more than an edge."""
        wide = abs(self.x - other.x) * 2 < self.width + other.width - 1e-9
        return wide and abs(self.y - other.y) * 2 < self.height + other.height - 1e-9

    def edge_towards(self, point: Point) -> Point:
        """Where the line from the centre to a point leaves the box."""
        dx, dy = point[0] - self.x, point[1] - self.y
        if dx == 0.0 and dy == 0.0:
            return self.x, self.y
        reach = [half / abs(d) for half, d in ((self.width / 2, dx), (self.height / 2, dy)) if d != 0.0]
        k = min(*reach, 1.0)
        return self.x + k * dx, self.y + k * dy

    def nearest(self, point: Point) -> Point:
        """The point of the box that is nearest to another."""
        return min(max(point[0], self.left), self.right), min(max(point[1], self.top), self.bottom)

    def hit_by(self, a: Point, b: Point) -> bool:
        """Whether the segment from a to b passes through the inside."""
        low, high = 0.0, 1.0
        for start, end, least, most in ((a[0], b[0], self.left, self.right), (a[1], b[1], self.top, self.bottom)):
            d = end - start
            if d == 0.0:
                if not least < start < most:
                    return False
                continue
            near, far = sorted(((least - start) / d, (most - start) / d))
            low, high = max(low, near), min(high, far)
        return low < high - 1e-9


def around(boxes: list[Box]) -> Box:
    """The smallest box that holds all."""
    left, right = min(b.left for b in boxes), max(b.right for b in boxes)
    top, bottom = min(b.top for b in boxes), max(b.bottom for b in boxes)
    return Box((left + right) / 2, (top + bottom) / 2, right - left, bottom - top)


@dataclass(frozen=True)
class Stroke:
    """A causal stroke: the bar, the end it stands at, and the components it speaks for.

    half: "effort" or "flow" where it speaks for one of them only (a bicausal bond); the effort's half is on the barb's
    side and stands at the end that receives the effort, the flow's at the end that gives the flow.
    """

    end: int
    components: tuple[int, ...]
    bar: Segment
    half: str = ""


@dataclass(frozen=True)
class BondShape:
    """Everything one bond consists of on paper.

    lines: one polyline for a scalar bond, two for a vector; barb: the half-arrow; strokes: see `Stroke`;
    centre: where the number of components stands; effort and flow: anchors of their labels, effort on the barb's side.
    path: the middle line from tail to head; side: +1 where the barb is on the left of travel, else -1.
    """

    lines: tuple[tuple[Point, ...], ...]
    barb: Segment
    strokes: tuple[Stroke, ...]
    centre: Point
    effort: Point
    flow: Point
    path: tuple[Point, ...] = ()
    side: int = 1


def bond_shape(
    points: tuple[Point, ...], size: int = 1, flow_from: tuple[int, ...] = (), bicausal: tuple[int, ...] = ()
) -> BondShape:
    """The shape of a bond along a path from tail to head.

    flow_from: for each component the end that gives the flow (1 the tail, 2 the head), as in `Causality`; the stroke
    stands there; 3 where both ends give it, 0 where neither does (conflicts). Empty: no strokes. The barb is on the
    upper side (on the left of upright bonds). bicausal: components whose effort comes from the same end as their flow.
    """
    side = upper_side(points)
    gap = GAP if size > 1 else 0.0
    lines = tuple(shifted(points, k * side) for k in ((gap, -gap) if gap else (0.0,)))
    tip, (dx, dy) = points[-1], direction(points[-2], points[-1])
    nx, ny = side * dy, -side * dx
    foot = (tip[0] + gap * nx, tip[1] + gap * ny)
    back = (foot[0] - BARB[0] * dx + BARB[1] * nx, foot[1] - BARB[0] * dy + BARB[1] * ny)
    centre, (cx, cy) = middle(points)
    away = 11.0 + gap
    return BondShape(
        lines,
        (foot, back),
        _strokes(points, flow_from, side) if not bicausal else _with_halves(points, flow_from, side, bicausal),
        centre,
        (centre[0] + away * side * cy, centre[1] - away * side * cx),
        (centre[0] - away * side * cy, centre[1] + away * side * cx),
        points,
        side,
    )


def _strokes(points: tuple[Point, ...], flow_from: tuple[int, ...], side: int) -> tuple[Stroke, ...]:
    """At each end one bar where all components have it, else a tick for each, the first nearest to the barb's side."""
    found = []
    for end in (TAIL, HEAD):
        here = tuple(k for k, given in enumerate(flow_from) if given & end)
        if here and len(here) == len(flow_from):
            found.append(Stroke(end, here, _bar(points, end, side, BAR, -BAR)))
        else:
            found += [Stroke(end, (k,), _tick(points, end, side, k, len(flow_from))) for k in here]
    return tuple(sorted(found, key=lambda stroke: stroke.components))


def _with_halves(
    points: tuple[Point, ...], flow_from: tuple[int, ...], side: int, bicausal: tuple[int, ...]
) -> tuple[Stroke, ...]:
    """Two halves for each bicausal component, at opposite ends; one pair where all components have the same."""
    found, size = [], len(flow_from)
    if len(bicausal) == size and len(set(flow_from)) == 1:
        return _halves(points, flow_from[0], side, tuple(range(size)), (BAR, 0.0, -BAR))
    lane = 2 * tick_reach(size) / size
    for k, end in enumerate(flow_from):
        top = tick_reach(size) - k * lane
        if k in bicausal:
            found += _halves(points, end, side, (k,), (top - 0.4, top - lane / 2, top - lane + 0.4))
        else:
            found += [Stroke(e, (k,), _tick(points, e, side, k, size)) for e in (TAIL, HEAD) if end & e]
    return tuple(found)


def _halves(
    points: tuple[Point, ...], giver: int, side: int, components: tuple[int, ...], heights: tuple[float, float, float]
) -> tuple[Stroke, ...]:
    high, middle, low = heights
    far = HEAD if giver == TAIL else TAIL
    return (
        Stroke(far, components, _bar(points, far, side, high, middle), "effort"),
        Stroke(giver, components, _bar(points, giver, side, middle, low), "flow"),
    )


def _tick(points: tuple[Point, ...], end: int, side: int, k: int, size: int) -> Segment:
    half = tick_reach(size)
    lane = 2 * half / size
    top = half - k * lane
    return _bar(points, end, side, top - 0.8, top - lane + 0.8)


def tick_reach(size: int) -> float:
    """How far the ticks of mixed causality reach to either side of a bond."""
    return max(BAR, 3.5 * size)


def _bar(points: tuple[Point, ...], end: int, side: int, high: float, low: float) -> Segment:
    """A bar across the bond at one of its ends, between two heights beside it."""
    (x, y), (dx, dy) = (
        (points[0], direction(points[0], points[1])) if end == TAIL else (points[-1], direction(points[-2], points[-1]))
    )
    nx, ny = side * dy, -side * dx
    return (x + high * nx, y + high * ny), (x + low * nx, y + low * ny)


def upper_side(points: tuple[Point, ...]) -> int:
    """+1 when the upper side is on the left of travel, -1 when it is on the right; upright bonds take the left."""
    dx, dy = direction(points[-2], points[-1])
    if abs(dx) > 1e-9:
        return 1 if dx > 0 else -1
    return -1 if dy > 0 else 1


def direction(a: Point, b: Point) -> Point:
    """The unit vector from a to b."""
    length = math.dist(a, b) or 1.0
    return (b[0] - a[0]) / length, (b[1] - a[1]) / length


def middle(points: tuple[Point, ...]) -> tuple[Point, Point]:
    """The middle of the longest leg of a path, and the direction there."""
    a, b = max(pairwise(points), key=lambda leg: round(math.dist(*leg), 6))
    return ((a[0] + b[0]) / 2, (a[1] + b[1]) / 2), direction(a, b)


def partings(ways: list[tuple[Point, ...]]) -> list[Point]:
    """Where level and upright lines from one point part: at every corner on the line that they share, but the last."""
    found = []
    for side in (-1, 1):
        here = [way for way in ways if (way[1][0] - way[0][0]) * side > 0]
        corners = sorted({way[1] for way in here if len(way) > 2}, key=lambda corner: corner[0] * side)
        found += corners if any(len(way) == 2 for way in here) else corners[:-1]
    return found


def shifted(points: tuple[Point, ...], by: float) -> tuple[Point, ...]:
    """The path moved sideways to the left of travel (up, for travel to the right), corners mitred."""
    if by == 0.0:
        return points
    legs = [direction(a, b) for a, b in pairwise(points)]
    moved = []
    for k, (x, y) in enumerate(points):
        (ax, ay), (bx, by_) = legs[max(k - 1, 0)], legs[min(k, len(legs) - 1)]
        nx, ny = ay + by_, -(ax + bx)
        scale = 2.0 / max(nx * nx + ny * ny, 0.5)
        moved.append((x + by * nx * scale, y + by * ny * scale))
    return tuple(moved)


_WIDTHS = (
    ("ijlI'`|,./\\ ", 0.28), ("!:;[]ft()-", 0.34), ('r{}*"', 0.48), ("FTZ", 0.62), ("&", 0.73), ("wGOQ", 0.78),
    ("mMW%", 0.95), ("@", 1.02),
)  # fmt: skip
_WIDTH = {c: width for letters, width in _WIDTHS for c in letters}


def text_width(text: str, size: float) -> float:
    """At least how wide a text is in Helvetica, Arial or Liberation Sans, bold or not."""
    return size * sum(_WIDTH.get(c, (0.73 if c.isupper() else 0.62) if c.isascii() else 1.0) for c in text)


def title_place(name: str, box: Box) -> Box:
    """Where a group's name stands: inside its box, at the upper left."""
    width = text_width(name, LABEL_SIZE)
    return Box(box.left + 7.0 + width / 2, box.top + 9.5, width, LABEL_SIZE + 2.0)
