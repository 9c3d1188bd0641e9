"""The multibond graph as a drawing: elements, bonds with half-arrows and strokes, parts as dashed groups, signals."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from multibond.errors import CausalityError, MultibondError
from multibond.graph.component import Element
from multibond.graph.graph import Bond, Graph
from multibond.graph.port import PowerPort
from multibond.rewrite.floating import join_floating
from multibond.structure.causality import HEAD, TAIL, Causality, assign
from multibond.structure.givers import gives
from multibond.structure.tree import span
from multibond.view.domains import bond_domains
from multibond.view.geometry import Box, Point, bond_shape, direction
from multibond.view.layered import spaced
from multibond.view.layout import Placed, place, straightened
from multibond.view.scene import Arrow, BondLine, GroupBox, Node, Scene, element_size, title_box, with_labels

CLEAR = 4.0  # between the end of a bond and its element
FOOTING = 10.0  # between bonds that touch an element on the same side


def multibond_scene(
    graph: Graph,
    title: str,
    *,
    causal: bool = True,
    given: Mapping[str, Point] | None = None,
    known: Mapping[str, str] | None = None,
) -> Scene:
    """Draw a graph. given: places of elements; known: domains of elements, such as flanges."""
    graph, strokes, remark, faulty = with_strokes(graph, causal)
    names = {path: path.rpartition(".")[2] for path in graph.elements}
    stacked = any("." in path for path in graph.elements)
    sizes = {path: element_size(item.code, names[path], stacked=stacked) for path, item in graph.elements.items()}
    placed = place(graph, sizes, given)
    late = dict(strokes.dependent) if strokes else {}
    nodes = tuple(
        Node(path, item.code, names[path], placed.boxes[path], _look(item), _warning(path, late, faulty), stacked)
        for path, item in graph.elements.items()
    )
    frames = {f.name for f in graph.frames}
    groups = tuple(GroupBox(name, name, box, name in frames) for name, box in sorted(placed.groups.items()))
    bonds = _bond_lines(graph, placed, strokes, late, bond_domains(graph, known))
    taken = [n.box for n in nodes] + [title_box(g) for g in groups]
    return Scene(title, nodes, tuple(with_labels(bonds, taken)), (), _arrows(graph, placed), groups, remark)


def with_strokes(graph: Graph, causal: bool) -> tuple[Graph, Causality | None, str, frozenset[str]]:
    """The graph as it is simulated, its strokes, and where there are none the reason and the elements it names."""
    if not causal:
        return graph, None, "", frozenset()
    try:
        joined = join_floating(graph)
        strokes = assign(joined, span(joined))
        if strokes.conflicts:
            raise CausalityError(*dict.fromkeys(strokes.conflicts.values()))
        return joined, strokes, "", frozenset()
    except MultibondError as fault:
        paths = frozenset(path for finding in fault.findings for path in finding.paths)
        return graph, None, str(fault).splitlines()[0], paths


def _look(item: Element) -> str:
    return "power" if any(isinstance(p, PowerPort) for p in item.ports()) else "signal"


def _warning(path: str, late: Mapping[str, tuple[int, ...]], faulty: frozenset[str]) -> str:
    return "conflict" if path in faulty else "derivative" if path in late else ""


def _bond_lines(
    graph: Graph,
    placed: Placed,
    strokes: Causality | None,
    late: Mapping[str, tuple[int, ...]],
    domains: Mapping[str, str],
) -> list[BondLine]:
    paths, lines = bond_paths(graph, placed), []
    for bond in graph.bonds:
        flow_from = strokes.flow_from[bond.name] if strokes else ()
        shape = bond_shape(paths[bond.name], bond.size, flow_from)
        tardy = late.get(bond.tail.element) or late.get(bond.head.element) or ()
        lines.append(BondLine(bond.name, shape, bond.size, domains[bond.name], tardy, None, _sentence(bond, flow_from)))
    return lines


def bond_paths(graph: Graph, placed: Placed) -> dict[str, tuple[Point, ...]]:
    """The path of every bond between the boxes of its elements, around all others."""
    grown = {path: box.grown(5.0) for path, box in placed.boxes.items()}
    middles = {}
    for bond in graph.bonds:
        ends = (bond.tail.element, bond.head.element)
        others = [box for path, box in grown.items() if path not in ends]
        middles[bond.name] = straightened(placed.paths[bond.name], _blocked_by(others), placed.turns.get(bond.name))
    starts = {path: _footholds(path, graph.bonds_of(path), placed.boxes[path], middles) for path in graph.elements}
    return {
        b.name: (starts[b.tail.element][b.name], *middles[b.name][1:-1], starts[b.head.element][b.name])
        for b in graph.bonds
    }


def _footholds(
    path: str, bonds: tuple[Bond, ...], box: Box, middles: Mapping[str, tuple[Point, ...]]
) -> dict[str, Point]:
    """Where bonds touch an element: towards where they go, those on the same side some way apart."""
    edge = box.grown(CLEAR)
    found = {
        b.name: edge.edge_towards(middles[b.name][1] if b.tail.element == path else middles[b.name][-2]) for b in bonds
    }
    for x in (edge.left, edge.right):
        side = sorted((at[1], name) for name, at in found.items() if abs(at[0] - x) < 1e-6)
        heights = spaced([y for y, _ in side], [1.0] * len(side), [k * FOOTING for k in range(len(side))])
        found.update({name: (x, y) for (_, name), y in zip(side, heights, strict=True)})
    return found


def _blocked_by(boxes: list[Box]) -> Callable[[Point, Point], bool]:
    return lambda a, b: any(box.hit_by(a, b) for box in boxes)


def _sentence(bond: Bond, flow_from: tuple[int, ...]) -> str:
    """What one reads when pointing at a bond."""
    arrow = f"{bond.tail.element} → {bond.head.element}"
    size = f", {bond.size} components" if bond.size > 1 else ""
    if not flow_from:
        return arrow + size
    givers = [{TAIL: bond.tail.element, HEAD: bond.head.element}[k] for k in dict.fromkeys(flow_from)]
    return f"{arrow}{size}; flow from {' and '.join(givers)}"


def _arrows(graph: Graph, placed: Placed) -> tuple[Arrow, ...]:
    """Signals from who computes them to who reads them; poses go by way of their frame."""
    try:
        tree = span(graph)
    except MultibondError:
        return ()
    hubs = {name: f.name for f in graph.frames for name in (f.attitude, f.position) if f.name in placed.groups}
    said: dict[tuple[str, str], list[str]] = {}
    for signal in graph.signals:
        hub = hubs.get(signal.name)
        givers = [end.element for end in signal.ends if gives(graph, tree, end)]
        readers = [end.element for end in signal.ends if not gives(graph, tree, end)]
        steps = (
            [(g, hub) for g in givers] + [(hub, r) for r in readers]
            if hub
            else [(g, r) for g in givers for r in readers]
        )
        for step in steps:
            said.setdefault(step, []).append(signal.name)
    where = placed.boxes | {f"{name}": box for name, box in placed.groups.items() if name in set(hubs.values())}
    return tuple(_arrow(where[a], where[b], ", ".join(names)) for (a, b), names in sorted(said.items()))


def _arrow(tail: Box, head: Box, says: str) -> Arrow:
    """A gently curved arrow from box to box."""
    dx, dy = direction((tail.x, tail.y), (head.x, head.y))
    span_ = ((head.x - tail.x) ** 2 + (head.y - tail.y) ** 2) ** 0.5
    bend = min(0.16 * span_, 40.0)
    control = ((tail.x + head.x) / 2 + bend * dy, (tail.y + head.y) / 2 - bend * dx)
    return Arrow((tail.edge_towards(control), control, head.grown(2.0).edge_towards(control)), says)
