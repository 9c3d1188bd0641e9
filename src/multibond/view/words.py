"""The word bond graph: parts as framed words, frames as double lines, flanges and pins as single ones."""

from __future__ import annotations

from collections.abc import Mapping

from multibond.graph.component import Component, Element, Part
from multibond.graph.edge import At, Connection, Edge, PowerBond, SignalLink, ends_of
from multibond.graph.inert import Inert
from multibond.graph.model import Model, Sheet
from multibond.graph.port import FramePort, PowerPort
from multibond.view.geometry import Box, Point, bond_shape, shifted
from multibond.view.groups import spans_of
from multibond.view.layered import Link, arrange, distances, with_waypoints
from multibond.view.layout import straighten
from multibond.view.scene import BondLine, Node, Scene, Wire, element_size, part_size

ROW_GAP, COLUMN_GAP = 30.0, 64.0
DOT = (7.0, 7.0)
ABREAST = 14.0  # between two connections of the same two parts


def word_scene(model: Model) -> Scene:
    """Draw a model as it was put together: its parts and how they are connected."""
    sheet = model.sheet
    names = {number: item.name for number, item in sheet.components.items()}
    sizes = {item.name: _size(item) for item in sheet.components.values()}
    links: list[tuple[Edge, Link]] = []
    dots: list[str] = []
    for edge in sorted(sheet.edges, key=lambda e: _in_order(e, names)):
        ends = _in_order(edge, names)
        owners = [end.partition(".")[0] for end in ends]
        if len(ends) == 2:
            links.append((edge, Link(owners[0], owners[1])))
        else:
            dots.append("·" + "+".join(ends))
            links += [(edge, Link(dots[-1], owner)) for owner in dict.fromkeys(owners)]
    sizes |= dict.fromkeys(dots, DOT)
    boxes, ways = _places(sheet, sizes, [link for _, link in links])
    nodes = tuple(_node(item, boxes[item.name]) for item in sorted(sheet.components.values(), key=lambda c: c.name))
    nodes += tuple(Node(dot, "", "", boxes[dot], "dot") for dot in sorted(dots))
    bonds, wires = [], []
    for (edge, link), way, beside in zip(links, ways, _beside([link for _, link in links]), strict=True):
        points = shifted(_path(link, way, boxes), beside)
        if isinstance(edge, PowerBond):
            bonds.append(
                BondLine(f"{link.tail}->{link.head}", bond_shape(points, edge.size or 1), edge.size or 1, "any")
            )
        else:
            wires.append(Wire(points, _wire_kind(edge, sheet), " – ".join(_in_order(edge, names))))
    return Scene(model.name, nodes, tuple(bonds), tuple(wires))


def _beside(links: list[Link]) -> list[float]:
    """How far each link stands beside the line of centres: links between the same two parts stand side by side."""
    pairs = [tuple(sorted((link.tail, link.head))) for link in links]
    found = []
    for k, (link, pair) in enumerate(zip(links, pairs, strict=True)):
        place = pairs[:k].count(pair) - (pairs.count(pair) - 1) / 2
        found.append(ABREAST * place * (1 if pair[0] == link.tail else -1))
    return found


def _in_order(edge: Edge, names: Mapping[int, str]) -> list[str]:
    """The ends of an edge by name: as drawn where there is a direction, else sorted."""
    ends = [_port_name(at, names) for at in ends_of(edge)]
    directed = isinstance(edge, PowerBond) or (isinstance(edge, SignalLink) and not edge.equality)
    return ends if directed else sorted(ends)


def _port_name(at: At, names: Mapping[int, str]) -> str:
    return f"{names[at.component]}.{at.port}" if at.port else names[at.component]


def _size(item: Component) -> tuple[float, float]:
    return part_size(_title(item), item.name) if _boxed(item) else element_size(item.code, item.name)


def _boxed(item: Component) -> bool:
    """Parts and blocks stand in a frame; elements with bonds are letters, as everywhere in bond graphs."""
    return not isinstance(item, Element) or not any(isinstance(p, PowerPort) for p in item.ports())


def _title(item: Component) -> str:
    """The word in a part's frame: its type, also where nobody knows that type."""
    if isinstance(item, Element):
        return item.code
    return item.type_name if isinstance(item, Inert) else type(item).__name__


def _node(item: Component, box: Box) -> Node:
    if not _boxed(item):
        return Node(item.name, item.code, item.name, box)
    return Node(item.name, _title(item), item.name, box, "part")


def _wire_kind(edge: Edge, sheet: Sheet) -> str:
    if not isinstance(edge, Connection):
        return "signal"
    at = edge.ends[0]
    port = next(p for p in sheet.components[at.component].ports() if p.name == at.port)
    return "frame" if isinstance(port, FramePort) else "power"


def _places(
    sheet: Sheet, sizes: Mapping[str, tuple[float, float]], links: list[Link]
) -> tuple[dict[str, Box], list[list[Point]]]:
    """Columns by distance from the world (or the first part by name); placed parts stand where they were placed."""
    if not sizes:
        return {}, []
    column = distances(sizes, links, _roots(sheet))
    columns, short, ways = with_waypoints(column, links)
    heights = {n: sizes[n][1] if n in sizes else 8.0 for n in columns}
    plan = arrange(columns, short, heights, ROW_GAP)
    spans = spans_of(plan, sizes, COLUMN_GAP)
    boxes = {n: Box(sum(spans[columns[n]]) / 2, plan.y[n], *sizes[n]) for n in sizes}
    given = {name: at for name, at in sheet.layout.items() if name in boxes}
    boxes = make_room(boxes | {name: Box(*at, *sizes[name]) for name, at in given.items()}, frozenset(given))
    straight = [bool(given.keys() & {link.tail, link.head}) for link in links]
    points = [
        [] if s else [(x, plan.y[w]) for w in way for x in spans[columns[w]]]
        for s, way in zip(straight, ways, strict=True)
    ]
    return boxes, points


def _roots(sheet: Sheet) -> list[str]:
    """The parts that tell others about the surroundings: the world. Else the first source, else nothing."""
    worlds = [c.name for c in sheet.components.values() if isinstance(c, Part) and c.surroundings()]
    sources = sorted(
        c.name for c in sheet.components.values() if "Source" in type(c).__name__ or c.code in ("Se", "Sf")
    )
    return worlds or sources[:1]


def make_room(boxes: Mapping[str, Box], fixed: frozenset[str]) -> dict[str, Box]:
    """Move boxes down until none stands on another; the fixed ones stay."""
    done: dict[str, Box] = {name: boxes[name] for name in sorted(fixed)}
    for name in sorted(boxes.keys() - fixed, key=lambda n: (boxes[n].y, boxes[n].x, n)):
        box = boxes[name]
        while hit := next((b for b in done.values() if b.grown(5.0).overlaps(box)), None):
            box = box.moved(0.0, hit.bottom + 12.0 - box.top)
        done[name] = box
    return done


def _path(link: Link, way: list[Point], boxes: Mapping[str, Box]) -> tuple[Point, ...]:
    tail, head = boxes[link.tail], boxes[link.head]
    others = [b.grown(6.0) for n, b in boxes.items() if n not in (link.tail, link.head)]
    points = ((tail.x, tail.y), *way, (head.x, head.y))
    points = straighten(points, lambda a, b: any(o.hit_by(a, b) for o in others))
    return (tail.edge_towards(points[1]), *points[1:-1], head.edge_towards(points[-2]))
