"""Inside one part or frame: its elements in columns, and the ways of the bonds that enter it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from multibond.graph.graph import Bond, Graph
from multibond.view.diagram import diagram
from multibond.view.geometry import Box, Point, around, text_width
from multibond.view.layered import Columns, Link, arrange, longest_paths, with_waypoints

NODE_GAP, COLUMN_GAP = 12.0, 56.0
PADDING, TITLE = 14.0, 16.0
LABEL_SIZE = 10.5  # of the names of groups and the numbers of components
LANE = 9.0  # the room a passing bond takes


@dataclass(frozen=True)
class Group:
    """What stands inside one part or frame, relative to the centre of its box.

    ways: for each bond the points it passes inside, from the border to its element (or from tail to head).
    """

    width: float
    height: float
    boxes: dict[str, Box]
    ways: dict[str, list[Point]] = field(default_factory=dict)


@dataclass(frozen=True)
class Inside:
    """One group seen from its elements: the inner bonds, and which bonds leave it on which side, in which order.

    column and order: where the groups stand; backwards: the row runs from right to left here.
    """

    graph: Graph
    owner: Mapping[str, str]
    name: str
    column: Mapping[str, int]
    order: Mapping[str, float]
    backwards: bool = False

    @property
    def members(self) -> list[str]:
        """The elements inside, by path."""
        return sorted(p for p, name in self.owner.items() if name == self.name)

    @property
    def bonds(self) -> list[Bond]:
        """The bonds between them."""
        ends = [(b, self.owner[b.tail.element], self.owner[b.head.element]) for b in self.graph.bonds]
        return [b for b, tail, head in ends if tail == head == self.name]

    def leaving(self, side: int) -> list[tuple[Bond, str]]:
        """Bonds to the groups on the left (-1) or right (+1), top first, each with its element inside."""
        found = []
        for bond in self.graph.bonds:
            tail, head = self.owner[bond.tail.element], self.owner[bond.head.element]
            if tail != head and self.name in (tail, head):
                here, there = (bond.tail, bond.head) if tail == self.name else (bond.head, bond.tail)
                other = self.owner[there.element]
                if (self.column[other] < self.column[self.name]) == ((side < 0) != self.backwards):
                    found.append((self.order[other], there.element, bond.name, bond, here.element))
        return [(bond, here) for *_, bond, here in sorted(found, key=lambda row: row[:3])]


def frame_group(inside: Inside, sizes: Mapping[str, tuple[float, float]]) -> Group:
    """The two junctions of a frame, one above the other; bonds leave level with their junction."""
    boxes, y = {}, 0.0
    for path in inside.members:
        boxes[path] = Box(0.0, y, *sizes[path])
        y += sizes[path][1] + NODE_GAP
    hull = room_for(inside.name, around(list(boxes.values())).grown(PADDING))
    boxes = {path: box.moved(0.0, TITLE / 2 - hull.y) for path, box in boxes.items()}
    ways = {b.name: [(side * hull.width / 2, boxes[here].y)] for side in (-1, 1) for b, here in inside.leaving(side)}
    return Group(hull.width, hull.height + TITLE, boxes, ways)


def room_for(name: str, box: Box) -> Box:
    """The box, made wide enough for a name in its upper left corner."""
    return Box(box.x, box.y, max(box.width, text_width(name, LABEL_SIZE) + PADDING), box.height)


def part_group(inside: Inside, sizes: Mapping[str, tuple[float, float]]) -> Group:
    """Columns inside a group; leaving bonds pass through ports on the border so that they find their way."""
    members, left, right = inside.members, inside.leaving(-1), inside.leaving(+1)
    flip = _points_left(inside)
    inner = [
        (b, Link(b.head.element, b.tail.element) if flip else Link(b.tail.element, b.head.element))
        for b in inside.bonds
    ]
    powered = [m for m in members if inside.graph.bonds_of(m)]
    idle = [m for m in members if not inside.graph.bonds_of(m)]
    column = {m: k + 1 for m, k in longest_paths(powered, [link for _, link in inner]).items()}
    last = max(column.values(), default=0) + 1
    column |= {f"<{b.name}": 0 for b, _ in left} | {f">{b.name}": last for b, _ in right}
    links = (
        [link for _, link in inner]
        + [Link(f"<{b.name}", m) for b, m in left]
        + [Link(m, f">{b.name}") for b, m in right]
    )
    columns, short, ways = with_waypoints(column, links)
    heights = {n: sizes[n][1] if n in sizes else LANE for n in columns}
    fixed = {f"<{b.name}": k for k, b in _ranks(left)} | {f">{b.name}": k for k, b in _ranks(right)}
    plan = arrange(columns, short, heights, NODE_GAP, fixed) if columns else Columns(())
    bonds = [b for b, _ in inner] + [b for b, _ in left] + [b for b, _ in right]
    below = diagram(inside.graph, idle, sizes, column)
    return _boxed(inside.name, plan, columns, sizes, below, list(zip(bonds, links, ways, strict=True)), flip)


def _ranks(leaving: list[tuple[Bond, str]]) -> list[tuple[float, Bond]]:
    """The order of bonds on a border: bonds to the same outer element have the same rank."""
    outer = [bond.other(here).element for bond, here in leaving]
    rank = {path: k + 1.0 for k, path in enumerate(dict.fromkeys(outer))}
    return [(rank[path], bond) for path, (bond, _) in zip(outer, leaving, strict=True)]


def _points_left(inside: Inside) -> bool:
    """Whether more half-arrows enter from the right than from the left, so that the group is better mirrored."""
    score = sum(1 if bond.into(here) else -1 for bond, here in inside.leaving(-1))
    score += sum(-1 if bond.into(here) else 1 for bond, here in inside.leaving(+1))
    return score < 0


def _boxed(
    name: str,
    plan: Columns,
    columns: Mapping[str, int],
    sizes: Mapping[str, tuple[float, float]],
    below: Mapping[str, Box],
    routes: list[tuple[Bond, Link, list[str]]],
    flip: bool,
) -> Group:
    """Turn columns into coordinates around the group's centre."""
    spans = spans_of(plan, sizes, COLUMN_GAP)
    boxes = {n: Box(sum(spans[columns[n]]) / 2, plan.y[n], *sizes[n]) for n in columns if n in sizes}
    lanes = [Box(x, plan.y[n], 0.0, 0.0) for n in columns if n.startswith("~") for x in spans[columns[n]]]
    boxes |= _moved_below(below, boxes, max((lane.y for lane in lanes), default=0.0))
    hull = room_for(name, around([*boxes.values(), *lanes]).grown(PADDING))
    hull = Box(hull.x, hull.y - TITLE / 2, hull.width, hull.height + TITLE)
    dx, dy = -hull.x, -hull.y
    ways: dict[str, list[Point]] = {}
    for bond, link, way in routes:
        turn = -1 if columns[link.tail] > columns[link.head] else 1
        stops: list[Point] = [(x, plan.y[w]) for w in way for x in spans[columns[w]][::turn]]
        if link.tail.startswith("<"):
            stops.insert(0, (hull.left, plan.y[link.tail]))
        elif link.head.startswith(">"):
            stops = [(hull.right, plan.y[link.head]), *reversed(stops)]
        elif flip:
            stops.reverse()
        ways[bond.name] = [(x + dx, y + dy) for x, y in stops]
    return Group(hull.width, hull.height, {n: b.moved(dx, dy) for n, b in boxes.items()}, ways)


def spans_of(plan: Columns, sizes: Mapping[str, tuple[float, float]], gap: float) -> list[Point]:
    """Left and right edge of every column."""
    spans, x = [], 0.0
    for nodes in plan.columns:
        width = max((sizes[n][0] for n in nodes if n in sizes), default=0.0)
        spans.append((x, x + width))
        x += width + gap
    return spans


def _moved_below(below: Mapping[str, Box], boxes: Mapping[str, Box], lowest_lane: float) -> dict[str, Box]:
    """Elements without bonds stand below the others."""
    if not below:
        return {}
    hull, centre = around(list(below.values())), around(list(boxes.values())).x if boxes else 0.0
    low = max(*(b.bottom for b in boxes.values()), lowest_lane) if boxes else 0.0
    return {n: box.moved(centre - hull.x, low + NODE_GAP - hull.top) for n, box in below.items()}
