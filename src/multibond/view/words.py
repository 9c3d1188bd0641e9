"""The word bond graph: parts as framed words, frames as double lines, flanges and pins as single ones."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from multibond.graph.component import Component, Element, Part
from multibond.graph.edge import At, Connection, Edge, PowerBond, SignalLink, ends_of
from multibond.graph.graph import Bond, End, Graph
from multibond.graph.inert import Inert
from multibond.graph.junctions import One
from multibond.graph.model import Model, Sheet, Submodel
from multibond.graph.port import FramePort, PowerPort, SignalPort
from multibond.view.geometry import Box, bond_shape, partings
from multibond.view.highlight import Wanted, Way, lit_parts
from multibond.view.layered import Link, distances
from multibond.view.layout import Placed, place, place_again
from multibond.view.scene import BondLine, Node, Scene, Wire, element_size, part_size

DOT = (7.0, 7.0)


def word_scene(
    model: Model, *, highlight: Way | Iterable[Wanted] = (), signals: bool = True, width: float | None = None
) -> Scene:
    """Draw a model as it was put together: its parts and how they are connected. Options as in `draw`."""
    sheet = model.sheet if signals else _powered(model.sheet)
    names = {number: item.name for number, item in sheet.components.items()}
    sizes = {item.name: size_of(item) for item in sheet.components.values()}
    links, dots = word_links(sheet)
    placed = _placed(sheet, sizes | dict.fromkeys(dots, DOT), links, dots, width)
    nodes = [node_of(item, placed.boxes[item.name]) for item in sorted(sheet.components.values(), key=lambda c: c.name)]
    nodes += [Node(dot, "", "", placed.boxes[dot], "dot") for dot in dots]
    bonds, wires = [], []
    for number, (edge, link) in enumerate(links):
        points = placed.paths[_key(number)]
        if isinstance(edge, PowerBond):
            size = edge.size or 1
            bonds.append(BondLine(f"{link.tail}->{link.head}", bond_shape(points, size), size, "any"))
        else:
            ends = placed.boxes[link.tail].nearest(points[0]), placed.boxes[link.head].nearest(points[-1])
            way = (ends[0], *points[1:-1], ends[1])
            wires.append((link.tail, Wire(way, _wire_kind(edge, sheet), " – ".join(_in_order(edge, names)))))
    for dot in dots:
        parted = partings([wire.points for tail, wire in wires if tail == dot])
        nodes += [Node(f"{dot}.{k}", "", "", Box(*at, *DOT), "dot") for k, at in enumerate(parted, 1)]
    lit = lit_parts(names.values(), {b.name: b.size for b in bonds}, highlight)
    nodes = [replace(node, lit=node.path in lit.elements) for node in nodes]
    bonds = [replace(b, lit=tuple(k for k in range(b.size) if (b.name, k) in lit.components)) for b in bonds]
    return Scene(model.name, tuple(nodes), tuple(bonds), tuple(wire for _, wire in wires))


def _powered(sheet: Sheet) -> Sheet:
    """A model's parts without signals, and without those that have nothing else."""
    idle = {
        k
        for k, item in sheet.components.items()
        if item.ports() and all(isinstance(p, SignalPort) for p in item.ports())
    }
    edges = [e for e in sheet.edges if not isinstance(e, SignalLink) and not idle & {at.component for at in ends_of(e)}]
    components = {k: item for k, item in sheet.components.items() if k not in idle}
    return replace(sheet, components=components, edges=tuple(edges))


def word_links(sheet: Sheet) -> tuple[list[tuple[Edge, Link]], list[str]]:
    """Every connection as a link; where more than two ports meet there is a dot, linked to all of their parts."""
    names = {number: item.name for number, item in sheet.components.items()}
    links: list[tuple[Edge, Link]] = []
    dots: list[str] = []
    for edge in sorted(sheet.edges, key=lambda e: _in_order(e, names)):
        owners = [end.partition(".")[0] for end in _in_order(edge, names)]
        if len(owners) == 2:
            links.append((edge, Link(owners[0], owners[1])))
        else:
            dots.append(f"·{len(dots) + 1}")
            links += [(edge, Link(dots[-1], owner)) for owner in dict.fromkeys(owners)]
    return links, dots


def _key(number: int) -> str:
    return f"{number:05d}"


def _placed(
    sheet: Sheet,
    sizes: Mapping[str, tuple[float, float]],
    links: list[tuple[Edge, Link]],
    dots: list[str],
    width: float | None,
) -> Placed:
    """Columns by distance from the world (or the first part by name); placed parts stand where they were placed."""
    bonds = [Bond(_key(k), End(link.tail, ""), End(link.head, "")) for k, (_, link) in enumerate(links)]
    graph = Graph(dict.fromkeys(sizes, One("part")), tuple(bonds))
    columns = distances(sizes, [link for _, link in links], _roots(sheet))
    given = {name: at for name, at in sheet.layout.items() if name in sizes}
    placed = place(graph, sizes, columns=columns, points=frozenset(dots), width=width)
    if not given:
        return placed
    boxes = placed.boxes | {name: Box(*at, *sizes[name]) for name, at in given.items()}
    return place_again(graph, placed, make_room(boxes, frozenset(given)), frozenset(given))


def _in_order(edge: Edge, names: Mapping[int, str]) -> list[str]:
    """The ends of an edge by name: as drawn where there is a direction, else sorted."""
    ends = [_port_name(at, names) for at in ends_of(edge)]
    directed = isinstance(edge, PowerBond) or (isinstance(edge, SignalLink) and not edge.equality)
    return ends if directed else sorted(ends)


def _port_name(at: At, names: Mapping[int, str]) -> str:
    return f"{names[at.component]}.{at.port}" if at.port else names[at.component]


def size_of(item: Component) -> tuple[float, float]:
    """Width and height of a component as it is drawn."""
    return part_size(title_of(item), item.name) if _boxed(item) else element_size(item.code, item.name)


def _boxed(item: Component) -> bool:
    """Parts and blocks stand in a frame; elements with bonds are letters, as everywhere in bond graphs."""
    return not isinstance(item, Element) or not any(isinstance(p, PowerPort) for p in item.ports())


def title_of(item: Component) -> str:
    """The word in a part's frame: its type, also where nobody knows that type."""
    if isinstance(item, Element):
        return item.code
    return item.type_name if isinstance(item, Inert) else type(item).__name__


def kinds_of(sheet: Sheet, prefix: str = "") -> dict[str, str]:
    """The words in the frames of all parts, by path; also of those in sub-models."""
    found: dict[str, str] = {}
    for item in sheet.components.values():
        path = f"{prefix}{item.name}"
        found[path] = title_of(item)
        if isinstance(item, Submodel):
            found |= kinds_of(item.sheet, f"{path}.")
    return found


def node_of(item: Component, box: Box) -> Node:
    """A component as it is drawn: letters, or a word in a frame."""
    if not _boxed(item):
        return Node(item.name, item.code, item.name, box)
    return Node(item.name, title_of(item), item.name, box, "part")


def _wire_kind(edge: Edge, sheet: Sheet) -> str:
    if not isinstance(edge, Connection):
        return "signal"
    at = edge.ends[0]
    port = next(p for p in sheet.components[at.component].ports() if p.name == at.port)
    return "frame" if isinstance(port, FramePort) else "power"


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
