"""Where everything stands: elements inside their parts, parts beside each other, bonds on their way between them.

Parts stand in columns by their distance from the world. Where that grows too wide the columns go on in a second row,
which runs back from right to left, and so on.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from multibond.elements import Anchor, Se, Sf
from multibond.graph.graph import Bond, Graph
from multibond.view.geometry import Box, Point
from multibond.view.groups import LANE, Group, Inside, frame_group, part_group, spans_of
from multibond.view.layered import Link, arrange, distances

PART_GAP, PART_COLUMN_GAP = 22.0, 60.0
WIDEST, ROW_GAP = 4000.0, 60.0


@dataclass(frozen=True)
class Placed:
    """The finished layout: boxes of elements and groups, and the path of every bond from centre to centre.

    turns: the x at which a bond goes down from one row to the next.
    """

    boxes: dict[str, Box]
    groups: dict[str, Box]
    paths: dict[str, tuple[Point, ...]]
    turns: dict[str, float] = field(default_factory=dict)


def group_names(graph: Graph) -> dict[str, str]:
    """The frame or part that each element belongs to; the empty name for elements of the model itself."""
    frames = {junction: f.name for f in graph.frames for junction in (f.rotation, f.translation)}
    return {path: frames.get(path) or path.rpartition(".")[0] for path in graph.elements}


def place(graph: Graph, sizes: Mapping[str, tuple[float, float]], given: Mapping[str, Point] | None = None) -> Placed:
    """Lay out a graph. sizes: width and height of every element; given: centres of elements that the user placed."""
    owner = group_names(graph)
    outside = [b for b in graph.bonds if owner[b.tail.element] != owner[b.head.element]]
    column, order = _place_groups(graph, owner, outside)
    rows = dict.fromkeys(column, 0)
    groups = _groups(graph, owner, sizes, column, order, rows)
    rows = in_rows(column, {n: g.width for n, g in groups.items()})
    if any(rows.values()):
        groups = _groups(graph, owner, sizes, column, order, rows)
    centres = _group_centres(groups, column, rows, owner, outside)
    boxes = {path: box.moved(*centres[name]) for name, group in groups.items() for path, box in group.boxes.items()}
    boxes |= {path: Box(*at, *sizes[path]) for path, at in (given or {}).items() if path in boxes}
    frames = {n: Box(*centres[n], g.width, g.height) for n, g in groups.items() if n}
    turns = _turns(outside, owner, rows, frames)
    paths = {}
    for bond in graph.bonds:
        ends = [(boxes[p].x, boxes[p].y) for p in (bond.tail.element, bond.head.element)]
        placed = given and {bond.tail.element, bond.head.element} & given.keys()
        way = [] if placed else _way(bond, groups, centres, owner, turns.get(bond.name))
        paths[bond.name] = (ends[0], *way, ends[1])
    return Placed(boxes, frames, paths, turns)


def _groups(
    graph: Graph,
    owner: Mapping[str, str],
    sizes: Mapping[str, tuple[float, float]],
    column: Mapping[str, int],
    order: Mapping[str, float],
    rows: Mapping[str, int],
) -> dict[str, Group]:
    frames, groups = {f.name for f in graph.frames}, {}
    for name in sorted(set(owner.values())):
        inside = Inside(graph, owner, name, column, order, rows[name] % 2 == 1)
        groups[name] = frame_group(inside, sizes) if name in frames else part_group(inside, sizes)
    return groups


def _place_groups(
    graph: Graph, owner: Mapping[str, str], outside: list[Bond]
) -> tuple[dict[str, int], dict[str, float]]:
    """Columns of groups by their distance from the world, and their order within the columns."""
    links = [Link(owner[b.tail.element], owner[b.head.element]) for b in outside]
    names = sorted(set(owner.values()))
    column = distances(names, links, _roots(graph, owner))
    plan = arrange(column, links, dict.fromkeys(names, 1.0), 1.0)
    return column, plan.y


def _roots(graph: Graph, owner: Mapping[str, str]) -> list[str]:
    for kind in (Anchor, Sf, Se):
        found = sorted({owner[path] for path, _ in graph.of_type(kind)})
        if found:
            return found if kind is Anchor else found[:1]
    return []


def in_rows(column: Mapping[str, int], widths: Mapping[str, float]) -> dict[str, int]:
    """The row of every group: one, or as many about equally long ones as the paper's width asks for."""
    steps = [0.0] * (max(column.values(), default=-1) + 1)
    for name, k in column.items():
        steps[k] = max(steps[k], widths[name] + PART_COLUMN_GAP)
    count = math.ceil(sum(steps) / WIDEST)
    middles = [sum(steps[:k]) + step / 2 for k, step in enumerate(steps)]
    return {name: int(middles[k] / sum(steps) * count) for name, k in column.items()}


def _group_centres(
    groups: Mapping[str, Group],
    column: Mapping[str, int],
    rows: Mapping[str, int],
    owner: Mapping[str, str],
    outside: list[Bond],
) -> dict[str, Point]:
    """Centres of the groups, row by row: bonds between them as level as possible."""
    found: dict[str, Point] = {}
    widest, top = 0.0, 0.0
    for row in sorted(set(rows.values())):
        here = {n for n, r in rows.items() if r == row}
        first = min(column[n] for n in here)
        columns = {n: column[n] - first for n in sorted(here)}
        links = _links(groups, owner, [b for b in outside if {owner[b.tail.element], owner[b.head.element]} <= here])
        plan = arrange(columns, links, {n: groups[n].height for n in here}, PART_GAP)
        spans = spans_of(plan, {n: (groups[n].width, groups[n].height) for n in here}, PART_COLUMN_GAP)
        widest = max(widest, spans[-1][1])
        down = top - min(plan.y[n] - groups[n].height / 2 for n in here)
        for n in sorted(here):
            x = sum(spans[columns[n]]) / 2
            found[n] = (x if row % 2 == 0 else -x, plan.y[n] + down)
        top = max(found[n][1] + groups[n].height / 2 for n in here) + ROW_GAP
    return {n: (x if rows[n] % 2 == 0 else x + widest, y) for n, (x, y) in found.items()}


def _links(groups: Mapping[str, Group], owner: Mapping[str, str], bonds: list[Bond]) -> list[Link]:
    def offset(bond: Bond, path: str) -> float:
        return groups[owner[path]].ways[bond.name][0][1]

    ends = [(b, b.tail.element, b.head.element) for b in bonds]
    return [Link(owner[t], owner[h], offset(b, t), offset(b, h)) for b, t, h in ends]


def _turns(
    outside: list[Bond], owner: Mapping[str, str], rows: Mapping[str, int], boxes: Mapping[str, Box]
) -> dict[str, float]:
    """Where bonds from one row to the next go down, beside all parts: on the right, then on the left, and so on."""
    found: dict[str, float] = {}
    for lane, bond in enumerate(b for b in outside if rows[owner[b.tail.element]] != rows[owner[b.head.element]]):
        upper = min(rows[owner[bond.tail.element]], rows[owner[bond.head.element]])
        edge = max(b.right for b in boxes.values()) if upper % 2 == 0 else min(b.left for b in boxes.values())
        found[bond.name] = edge + (1 if upper % 2 == 0 else -1) * (24.0 + LANE * (lane % 8))
    return found


def _way(
    bond: Bond,
    groups: Mapping[str, Group],
    centres: Mapping[str, Point],
    owner: Mapping[str, str],
    turn: float | None,
) -> list[Point]:
    """The points a bond passes from tail to head."""

    def inside(name: str) -> list[Point]:
        x, y = centres[name]
        return [(x + px, y + py) for px, py in groups[name].ways.get(bond.name, ())]

    tail, head = owner[bond.tail.element], owner[bond.head.element]
    if tail == head:
        return inside(tail)
    out, into = inside(tail)[::-1], inside(head)
    return [*out, *([] if turn is None else [(turn, out[-1][1]), (turn, into[0][1])]), *into]


def straightened(
    points: tuple[Point, ...], blocked: Callable[[Point, Point], bool], turn: float | None
) -> tuple[Point, ...]:
    """Straighten a path, before and after its turn where it has one."""
    corners = [k for k, (x, _) in enumerate(points) if x == turn]
    if len(corners) != 2:
        return straighten(points, blocked)
    first, second = corners
    return straighten(points[: first + 1], blocked) + straighten(points[second:], blocked)


def straighten(points: tuple[Point, ...], blocked: Callable[[Point, Point], bool]) -> tuple[Point, ...]:
    """Leave out every waypoint that is not needed to go around something."""
    kept, at = [points[0]], 0
    while at < len(points) - 1:
        reach = [k for k in range(len(points) - 1, at, -1) if k == at + 1 or not blocked(points[at], points[k])]
        at = reach[0]
        kept.append(points[at])
    return tuple(kept)
