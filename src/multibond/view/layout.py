"""Where everything stands: elements inside their parts, parts beside each other, bonds on their way between them.

Parts stand in columns by their distance from the world. Where that grows too wide the columns go on in a second row,
which runs back from right to left, and so on.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

from multibond.elements import FixedPose, Se, Sf
from multibond.graph.component import Element
from multibond.graph.graph import Bond, Graph
from multibond.view.bends import with_fewer_bends
from multibond.view.cells import CLEAR, Cell, Sides
from multibond.view.compound import Paper, group_cell
from multibond.view.geometry import Box, Point, around, title_place
from multibond.view.layered import Link, distances, longest_paths
from multibond.view.nesting import Folded, Nest, nest

WIDEST, ROW_GAP, TURN, TRIES = 2400.0, 30.0, 12.0, 5
SHAPE = 1.7  # how much wider than high a drawing in rows is meant to be


@dataclass(frozen=True)
class Placed:
    """The finished layout: boxes of elements and groups, titles of groups, which are frames, every bond's path."""

    boxes: dict[str, Box]
    groups: dict[str, Box] = field(default_factory=dict)
    titles: dict[str, str] = field(default_factory=dict)
    frames: frozenset[str] = frozenset()
    paths: dict[str, tuple[Point, ...]] = field(default_factory=dict)


def place(
    graph: Graph,
    sizes: Mapping[str, tuple[float, float]],
    given: Mapping[str, Point] | None = None,
    *,
    frames: Collection[str] | None = None,
    needs: Mapping[str, float] | None = None,
    columns: Mapping[str, int] | None = None,
    points: frozenset[str] = frozenset(),
    width: float | None = None,
) -> Placed:
    """Lay out a graph.

    sizes: width and height of every element; given: centres of elements that the user placed; frames: names of frames
    where the graph no longer knows them; needs: the height that a bond's end takes where it is more than usual;
    columns: of what stands at the top, where they are not to be found here; points: elements where all bonds meet;
    width: of the paper, in which what stands at the top is wrapped as far as it goes.
    """
    if not graph.elements:
        return Placed({})
    tree = nest(graph, frames)
    paper = Paper(graph, sizes, needs or {}, points)
    columns = _columns(graph, tree) if columns is None else columns
    cell = group_cell(paper, tree, {}, columns)
    if width is not None:
        cell = _wrapped(paper, tree, cell, columns, width)
    elif columns is not None and (count := rows_for(cell.width, cell.height)) > 1:
        cell = _in_rows(paper, tree, columns, _row_numbers(tree, columns, count))
    boxes = cell.boxes | {path: Box(*at, *sizes[path]) for path, at in (given or {}).items() if path in cell.boxes}
    ends = {b.name: (b.tail.element, b.head.element) for b in graph.bonds}
    titles = {name: group.title for name, group in tree.names().items()}
    places = [title_place(titles[name], box) for name, box in cell.groups.items()]
    ways = {b.name: _way(b, cell, boxes, given or {}) for b in graph.bonds}
    paths = with_fewer_bends(ways, boxes, ends, places, cell.groups.values())
    return Placed(boxes, cell.groups, titles, frozenset(n for n, g in tree.names().items() if g.frame), paths)


BESIDE = 6.0
"""How far from an element runs what leads from it back to itself."""


def place_again(graph: Graph, placed: Placed, boxes: Mapping[str, Box], moved: frozenset[str]) -> Placed:
    """A layout with some elements elsewhere; bonds to these and to whatever had to make room run straight."""
    elsewhere = moved | {name for name, box in boxes.items() if box != placed.boxes[name]}
    cell = Cell(0.0, 0.0, {}, placed.paths)
    ways = {b.name: _way(b, cell, boxes, dict.fromkeys(elsewhere, (0.0, 0.0))) for b in graph.bonds}
    return Placed(dict(boxes), placed.groups, placed.titles, placed.frames, ways)


def _way(bond: Bond, cell: Cell, boxes: Mapping[str, Box], given: Mapping[str, Point]) -> tuple[Point, ...]:
    """The path of a bond; straight where one of its ends was placed by the user."""
    tail, head = bond.tail.element, bond.head.element
    if tail == head:
        return _round_about(boxes[tail].grown(CLEAR))
    if not {tail, head} & given.keys():
        return cell.ways[bond.name]
    a, b = boxes[tail].grown(CLEAR), boxes[head].grown(CLEAR)
    return a.edge_towards((b.x, b.y)), b.edge_towards((a.x, a.y))


def _round_about(box: Box) -> tuple[Point, ...]:
    """The way of what leads from an element back to itself: over its top."""
    left, right, above = box.left - BESIDE, box.right + BESIDE, box.top - BESIDE
    return (box.right, box.y), (right, box.y), (right, above), (left, above), (left, box.y), (box.left, box.y)


def _columns(graph: Graph, tree: Nest) -> dict[str, int] | None:
    """Columns of parts by their distance from the world; nothing where columns along the half-arrows do as well."""
    holder = tree.below()
    ends = [(holder[b.tail.element], holder[b.head.element]) for b in graph.bonds]
    links = [Link(a, b) for a, b in ends if a != b]
    if not tree.groups:
        return None
    if not any(g.frame for g in tree.groups):
        along = longest_paths({c for link in links for c in (link.tail, link.head)}, links)
        if sum(abs(along[k.tail] - along[k.head]) - 1 for k in links) <= len(links):
            return None
    return distances(tree.children, links, _roots(graph, holder))


def _roots(graph: Graph, holder: Mapping[str, str]) -> list[str]:
    for kind in (FixedPose, Sf, Se):
        found = sorted({holder[path] for path, item in graph.elements.items() if _shows(item, kind)})
        if found:
            return found if kind is FixedPose else found[:1]
    return []


def _shows(item: Element, kind: type[Element]) -> bool:
    """Whether an element is of a kind, or a folded box holds one that is."""
    return isinstance(item, kind) or (isinstance(item, Folded) and any(isinstance(x, kind) for x in item.inside))


def rows_for(width: float, height: float) -> int:
    """How many rows a drawing is broken into: one where it fits, else as its shape asks for."""
    return 1 if width <= WIDEST else max(1, round(math.sqrt(width / (SHAPE * height))))


def _wrapped(paper: Paper, tree: Nest, cell: Cell, columns: Mapping[str, int] | None, width: float) -> Cell:
    """A drawing in as many rows as fit it into a width; where one column alone is wider, as narrow as it gets."""
    if _breadth(cell) <= width:
        return cell
    line = cell
    if columns is None:
        holder = tree.below()
        ends = [(holder[b.tail.element], holder[b.head.element]) for b in paper.graph.bonds]
        columns = distances(tree.children, [Link(a, b) for a, b in ends if a != b], _roots(paper.graph, holder))
        line = group_cell(paper, tree, {}, columns)
    made, spans, room = [cell, line], _spans(paper, tree, line, columns), width
    for _ in range(TRIES):
        row = _row_by_column(spans, room)
        made.append(_in_rows(paper, tree, columns, {child: row[columns[child]] for child in tree.children}))
        if _breadth(made[-1]) <= width:
            break
        room -= max(_breadth(made[-1]) - width, ROW_GAP)
    return min(made, key=lambda c: max(_breadth(c), width))


def _breadth(cell: Cell) -> float:
    """How wide a drawing is with all that runs beside it."""
    edges = [x for box in (*cell.boxes.values(), *cell.groups.values()) for x in (box.left, box.right)]
    edges += [x for way in cell.ways.values() for x, _ in way]
    return max(edges) - min(edges)


def _spans(paper: Paper, tree: Nest, line: Cell, columns: Mapping[str, int]) -> list[tuple[float, float]]:
    """The left and right edge of every column of a drawing in one line; what has no bonds stands below and apart."""
    boxes = line.boxes | {f"{name}/": box for name, box in line.groups.items()}
    holder = tree.below()
    joined = {holder[end.element] for b in paper.graph.bonds for end in (b.tail, b.head)}
    found, edge = [], -line.width / 2
    for k in range(max(columns.values()) + 1):
        here = [boxes[c] for c in tree.children if columns[c] == k and c in joined]
        left = min((b.left for b in here), default=edge)
        edge = max((b.right for b in here), default=left)
        found.append((left, edge))
    return found


def _row_by_column(spans: list[tuple[float, float]], room: float) -> dict[int, int]:
    """The row of every column: as many go into a row as there is room."""
    found, row, start = {}, 0, spans[0][0]
    for k, (left, right) in enumerate(spans):
        if found and right - start > room and left > start:
            row, start = row + 1, left
        found[k] = row
    return found


def _in_rows(paper: Paper, tree: Nest, columns: Mapping[str, int], row: Mapping[str, int]) -> Cell:
    """The drawing in rows: each a drawing of its own, bonds to the next go down beside it."""
    count = max(row.values()) + 1
    holder = tree.below()
    ends = {b.name: (row[holder[b.tail.element]], row[holder[b.head.element]]) for b in paper.graph.bonds}
    made = Cell(0.0, 0.0)
    cells: list[Cell] = []
    for r in range(count):
        sides = _sides(r, ends, cells)
        part = Nest(
            "", tuple(p for p in tree.elements if row[p] == r), tuple(g for g in tree.groups if row[f"{g.name}/"] == r)
        )
        inside = {c: columns[c] - min(columns[d] for d in part.children) for c in part.children}
        cells.append(group_cell(paper, part, sides, inside))
    return _stacked(made, cells, ends)


def _row_numbers(tree: Nest, columns: Mapping[str, int], count: int) -> dict[str, int]:
    """The row of every child: columns are dealt out so that rows are about equally long."""
    steps = [0.0] * (max(columns.values()) + 1)
    for child in tree.children:
        steps[columns[child]] = max(steps[columns[child]], _weight(tree, child))
    middles = [sum(steps[:k]) + step / 2 for k, step in enumerate(steps)]
    rows = [min(int(middle / sum(steps) * count), count - 1) for middle in middles]
    dense = {row: k for k, row in enumerate(sorted(set(rows)))}
    return {child: dense[rows[columns[child]]] for child in tree.children}


def _weight(tree: Nest, child: str) -> float:
    """About how wide a child will be."""
    group = next((g for g in tree.groups if f"{g.name}/" == child), None)
    return 1.0 if group is None else 1.0 + math.sqrt(len(group.below()))


def _sides(r: int, ends: Mapping[str, tuple[int, int]], cells: list[Cell]) -> Sides:
    """Bonds to the row before leave on the left in the opposite order, bonds to the next on the right."""
    found = {}
    for name, (a, b) in ends.items():
        if a != b and r in (a, b):
            other = b if a == r else a
            found[name] = (1, 0.0) if other > r else (-1, -cells[other].ports[name][1])
    return found


def _stacked(made: Cell, cells: list[Cell], ends: Mapping[str, tuple[int, int]]) -> Cell:
    """Rows below each other, every second one mirrored; turning bonds nested beside them."""
    width, y, placed = max(c.width for c in cells), 0.0, []
    for r, cell in enumerate(cells):
        turned = cell if r % 2 == 0 else cell.mirrored()
        edge = (turned.width - width) / 2 * (1 if r % 2 == 0 else -1)
        placed.append(turned.moved(edge, y + cell.height / 2))
        y += cell.height + ROW_GAP
    for cell in placed:
        made.boxes.update(cell.boxes)
        made.groups.update(cell.groups)
        made.ways.update(cell.ways)
    for r in range(len(cells) - 1):
        crossing = sorted((placed[r].ports[n][1], n) for n, rows in ends.items() if set(rows) == {r, r + 1})
        out = 1 if r % 2 == 0 else -1
        for k, (_, name) in enumerate(crossing):
            x = out * (width / 2 + TURN * (len(crossing) - k))
            a, b = (placed[q].ways[name] for q in ends[name])
            made.ways[name] = (*a, (x, a[-1][1]), (x, b[-1][1]), *b[::-1])
    hull = around(list(made.boxes.values()) + list(made.groups.values()))
    return Cell(hull.width, hull.height, {}, made.ways, made.boxes, made.groups)
