"""Groups inside groups: what a group holds stands in columns, bonds run level and upright between them.

Every group first sets the columns of what it holds and the order in them, then lays out each of its children with the
sides and the order in which bonds leave it, then places them and leads the bonds through the channels between columns.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import pairwise

from multibond.graph.graph import Bond, Graph
from multibond.view.cells import Cell, Sides, element_cell
from multibond.view.channel import Channel, Passage, channel
from multibond.view.diagram import diagram
from multibond.view.geometry import LABEL_SIZE, Box, Point, around, text_width
from multibond.view.layered import Link, longest_paths, ordered, settled, with_waypoints
from multibond.view.nesting import Nest

NODE_GAP, COLUMN_GAP, BORDER_GAP = 12.0, 46.0, 18.0
PADDING, TITLE = 12.0, 16.0
LANE = 12.0  # the room a passing bond takes
FAR = 1e6


@dataclass(frozen=True)
class Paper:
    """What all groups of one drawing share: the graph, the sizes of elements, what bonds' ends need.

    points: elements where all bonds meet in one point.
    """

    graph: Graph
    sizes: Mapping[str, tuple[float, float]]
    needs: Mapping[str, float] = field(default_factory=dict)
    points: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Step:
    """One leg of a bond in a group, from a node to one in the same or the next column."""

    bond: str
    tail: str
    head: str


def group_cell(paper: Paper, nest: Nest, sides: Sides, columns: Mapping[str, int] | None = None) -> Cell:
    """A group with everything in it. columns: of its children, where they are set already."""
    return _Group(paper, nest, sides, columns).finished()


class _Group:
    """A group on the way to its cell."""

    def __init__(self, paper: Paper, nest: Nest, sides: Sides, columns: Mapping[str, int] | None) -> None:
        self.paper, self.nest, self.sides = paper, nest, sides
        self.holder = nest.below()
        ends = [(b, self.holder.get(b.tail.element), self.holder.get(b.head.element)) for b in paper.graph.bonds]
        self.inner = [(b, t, h) for b, t, h in ends if t and h and t != h]
        self.leaving = [(b, t or h or "") for b, t, h in ends if (t is None) != (h is None)]
        powered = [c for c in nest.children if self._has_bonds(c)]
        self.idle = [c for c in nest.children if c not in powered]
        at = self._columns(powered) if columns is None else columns
        self.column = {c: at[c] + 1 for c in powered}
        self.last = max(self.column.values(), default=0) + 1
        self.stops = self._routes()
        self.steps = [Step(bond, a, b) for bond, stops in self.stops.items() for a, b in pairwise(stops)]
        self.place = {n: k for nodes in self.order for k, n in enumerate(nodes)}
        self.cells = self._children()

    def _has_bonds(self, child: str) -> bool:
        return any(self.paper.graph.bonds_of(p) for p, c in self.holder.items() if c == child)

    def _columns(self, powered: list[str]) -> dict[str, int]:
        """Columns along the half-arrows, or against them where more of them enter from the right."""
        score = sum(self.sides[b.name][0] * (-1 if b.head.element in self.holder else 1) for b, _ in self.leaving)
        links = [Link(h, t) if score < 0 else Link(t, h) for _, t, h in self.inner]
        return longest_paths(powered, links)

    def _routes(self) -> dict[str, list[str]]:
        """The nodes that each bond passes, from its tail, or from inside to the border; sets the order in columns."""
        column, rank = dict(self.column), {}
        pairs: list[tuple[Bond, Link]] = [(b, Link(t, h)) for b, t, h in self.inner]
        for bond, child in self.leaving:
            side, place = self.sides[bond.name]
            node = f"{'<' if side < 0 else '>'}{bond.name}"
            column[node], rank[node] = (0 if side < 0 else self.last), place + 1.0
            pairs.append((bond, Link(child, node)))
        self.at, short, ways = with_waypoints(column, [link for _, link in pairs])
        self.order = ordered(self.at, short, rank, self.last + 1)
        return {b.name: [k.tail, *way, k.head] for (b, k), way in zip(pairs, ways, strict=True)}

    def _children(self) -> dict[str, Cell]:
        """Lay out what is inside, the largest first: the order in which its bonds leave is what others follow."""
        self.cells: dict[str, Cell] = {}
        groups = {f"{g.name}/": g for g in self.nest.groups}
        for child in sorted(self.nest.children, key=self._size_key):
            sides = self._sides_of(child)
            if child in groups:
                self.cells[child] = group_cell(self.paper, groups[child], sides)
            else:
                needs = dict.fromkeys(sides, 0.0) if child in self.paper.points else self.paper.needs
                self.cells[child] = element_cell(child, self.paper.sizes[child], needs, sides)
        return self.cells

    def _size_key(self, child: str) -> tuple[int, int, int]:
        count = sum(1 for held in self.holder.values() if held == child)
        return -count, self.at.get(child, 0), self.place.get(child, 0)

    def _sides_of(self, child: str) -> dict[str, tuple[int, float]]:
        """Where the bonds of a child leave it: towards their next stop."""
        wanted: dict[str, tuple[int, float, float]] = {}
        for bond, stops in self.stops.items():
            if child in (stops[0], stops[-1]):
                wanted[bond] = self._towards(child, stops[1] if stops[0] == child else stops[-2], bond)
        found: dict[str, tuple[int, float]] = {}
        for side in (-1, 1):
            keys = sorted({(a, b) for s, a, b in wanted.values() if s == side})
            found |= {n: (side, float(keys.index((a, b)))) for n, (s, a, b) in wanted.items() if s == side}
        return found

    def _towards(self, child: str, stop: str, bond: str) -> tuple[int, float, float]:
        step = self.at[stop] - self.at[child]
        if step == 0:  # in the same column: out on the right and back
            return 1, FAR if self.place[stop] > self.place[child] else -FAR, -float(self.place[stop])
        laid = self.cells.get(stop)
        return step, float(self.place[stop]), laid.ports[bond][1] if laid else 0.0

    def _offset(self, node: str, bond: str) -> float:
        return self.cells[node].ports[bond][1] if node in self.cells else 0.0

    def finished(self) -> Cell:
        """The group's cell: heights, channels, ways."""
        heights = {n: self.cells[n].height if n in self.cells else LANE for n in self.at}
        links = [Link(s.tail, s.head, self._offset(s.tail, s.bond), self._offset(s.head, s.bond)) for s in self.steps]
        y = settled(self.order, links, heights, NODE_GAP)
        channels, spans = self._across(y)
        boxes = {
            n: Box(sum(spans[self.at[n]]) / 2, y[n], cell.width, cell.height)
            for n, cell in self.cells.items()
            if n in self.at
        }
        boxes |= self._below(boxes, [y[n] for n in self.at if n.startswith("~")])
        corners = {bond: self._corners(bond, y, channels, spans) for bond in self.stops}
        return self._joined(boxes, corners, spans[-1][1])

    def _ends(self, step: Step, y: Mapping[str, float]) -> tuple[float, float]:
        return y[step.tail] + self._offset(step.tail, step.bond), y[step.head] + self._offset(step.head, step.bond)

    def _across(self, y: Mapping[str, float]) -> tuple[list[Channel], list[Point]]:
        """The channels right of every column, and the left and right edge of every column."""
        passages: list[list[Passage]] = [[] for _ in range(self.last + 1)]
        for step in self.steps:
            (a, b), left, right = self._ends(step, y), self.at[step.tail], self.at[step.head]
            if left == right:
                passages[left].append(Passage(f"{step}", a, b, -1, -1))
            else:
                passages[min(left, right)].append(Passage(f"{step}", *((a, b) if left < right else (b, a))))
        channels, spans, x = [], [], 0.0
        for k in range(self.last + 1):
            width = max((self.cells[n].width for n in self.order[k] if n in self.cells), default=0.0)
            spans.append((x, x + width))
            channels.append(channel(passages[k], self._gap(k)))
            x += width + (channels[-1].width if k < self.last else 0.0)
        return channels, spans

    def _gap(self, k: int) -> float:
        """The least width of the channel right of a column."""
        if k not in (0, self.last - 1):
            return COLUMN_GAP
        return BORDER_GAP if self.nest.name else 0.0

    def _corners(self, bond: str, y: Mapping[str, float], channels: list[Channel], spans: list[Point]) -> list[Point]:
        """The corners of a bond in this group."""
        points: list[Point] = []
        for tail, head in pairwise(self.stops[bond]):
            step = Step(bond, tail, head)
            k = min(self.at[tail], self.at[head])
            if f"{step}" in channels[k].at:
                points += [(spans[k][1] + channels[k].at[f"{step}"], at) for at in self._ends(step, y)]
        return points

    def _below(self, boxes: Mapping[str, Box], lanes: list[float]) -> dict[str, Box]:
        """Places of what has no bonds: below the rest."""
        if not self.idle:
            return {}
        sizes = {c: (self.cells[c].width, self.cells[c].height) for c in self.idle}
        found = diagram(self.paper.graph, self.holder, self.idle, sizes, self.column)
        hull, centre = around(list(found.values())), around(list(boxes.values())).x if boxes else 0.0
        low = max([b.bottom for b in boxes.values()] + lanes) + NODE_GAP if boxes else 0.0
        return {n: box.moved(centre - hull.x, low - hull.top) for n, box in found.items()}

    def _joined(self, boxes: Mapping[str, Box], corners: Mapping[str, list[Point]], right: float) -> Cell:
        """Put everything together around the centre of the whole."""
        hull = _hull(boxes, corners, right)
        name = self.nest.name
        least = text_width(self.nest.title, LABEL_SIZE) + 2 * PADDING if name else 0.0
        top, bottom = (TITLE + PADDING / 2, PADDING) if name else (0.0, 0.0)
        made = Cell(max(hull.width, least), hull.height + top + bottom)
        dx, dy = -hull.x, made.height / 2 - bottom - hull.bottom
        inside = {c: cell.moved(boxes[c].x + dx, boxes[c].y + dy) for c, cell in self.cells.items()}
        for cell in inside.values():
            made.boxes.update(cell.boxes)
            made.groups.update(cell.groups)
            made.ways.update({bond: way for bond, way in cell.ways.items() if bond not in cell.ports})
        if name:
            made.groups[name] = Box(0.0, 0.0, made.width, made.height)
        for bond, stops in self.stops.items():
            way = [*inside[stops[0]].ways[bond], *((x + dx, y + dy) for x, y in corners[bond])]
            if stops[-1] in inside:
                way += inside[stops[-1]].ways[bond][::-1]
            else:
                made.ports[bond] = (self.sides[bond][0] * made.width / 2, way[-1][1])
                way.append(made.ports[bond])
            made.ways[bond] = tuple(way)
        return made


def _hull(boxes: Mapping[str, Box], corners: Mapping[str, list[Point]], right: float) -> Box:
    """What the group has to hold."""
    points = [Box(x, y, 0.0, LANE) for way in corners.values() for x, y in way]
    inside = around([*boxes.values(), *points])
    return around([inside, Box(right / 2, inside.y, right, 0.0)])
