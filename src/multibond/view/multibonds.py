"""The multibond graph as a drawing: elements, bonds with half-arrows and strokes, parts as dashed groups, signals."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from multibond.elements.sensors import Sensor
from multibond.errors import CausalityError, MultibondError
from multibond.graph.component import Element
from multibond.graph.domains import bond_domains
from multibond.graph.graph import Bond, Graph
from multibond.graph.junctions import DirectSum
from multibond.graph.port import PowerPort
from multibond.rewrite.floating import join_floating
from multibond.structure.causality import Causality, assign
from multibond.structure.tree import span
from multibond.view.arrows import arrows_of
from multibond.view.geometry import BOTH, HEAD, NEITHER, TAIL, Point, bond_shape, tick_reach
from multibond.view.highlight import Lit
from multibond.view.labels import with_captions, with_labels
from multibond.view.layout import Placed, place
from multibond.view.nesting import Folded
from multibond.view.scene import BAR_SIZE, BondLine, GroupBox, Node, Scene, element_size, part_size, title_box


@dataclass(frozen=True)
class Seen:
    """A graph with its strokes, and where there is a conflict what is said about it and the elements it names.

    origin: the graph with vector bonds that it was unfolded from. cuts: joints at which loops are opened. bicausal:
    components of bonds whose effort and flow come from one end, that which the strokes say of the flow. whole: what the
    graph was before groups were folded; held: the box in which each element and group of it stands.
    """

    graph: Graph
    strokes: Causality | None = None
    remark: str = ""
    faulty: frozenset[str] = frozenset()
    origin: Graph | None = None
    cuts: frozenset[str] = frozenset()
    bicausal: frozenset[tuple[str, int]] = frozenset()
    whole: Graph | None = None
    held: Mapping[str, str] = field(default_factory=dict)

    def powered(self) -> Seen:
        """Without signals, the elements that only they reach, and sensors, which take no power."""
        return replace(self, graph=_powered(self.graph), origin=_powered(self.origin) if self.origin else None)


def _powered(graph: Graph) -> Graph:
    idle = {p for p, item in graph.elements.items() if isinstance(item, Sensor) or not graph.bonds_of(p)}
    bonds = tuple(b for b in graph.bonds if not idle & {b.tail.element, b.head.element})
    elements = {p: item for p, item in graph.elements.items() if p not in idle}
    return graph.with_(elements=elements, bonds=bonds, signals=())


@dataclass(frozen=True)
class Style:
    """What a drawing shows besides the graph.

    given: places of elements; known: domains of elements, such as flanges; codes: letters that stand for an element
    instead of its own; lit: what is highlighted; letters: of effort and flow beside the bonds; width: of the paper, in
    which rows of parts are wrapped  [px].
    """

    given: Mapping[str, Point] = field(default_factory=dict)
    known: Mapping[str, str] = field(default_factory=dict)
    codes: Mapping[str, str] = field(default_factory=dict)
    lit: Lit = field(default_factory=Lit)
    letters: bool = False
    width: float | None = None


def multibond_scene(graph: Graph | Seen, title: str, *, causal: bool = True, style: Style | None = None) -> Scene:
    """Draw a graph: as it is simulated with its strokes, or without them."""
    seen = with_strokes(graph, causal) if isinstance(graph, Graph) else graph
    style, elements = style or Style(), seen.graph.elements
    codes = {path: style.codes.get(path, _code(item)) for path, item in elements.items()}
    stacked = any("." in path for path in elements)
    names = {p: item.title if isinstance(item, Folded) else p.rpartition(".")[2] for p, item in elements.items()}
    sizes = {path: _size(item, codes[path], names[path], stacked) for path, item in elements.items()}
    frames, given = frame_names(seen), {p: at for p, at in style.given.items() if p not in seen.held}
    placed = place(seen.graph, sizes, given, frames=frames, needs=_needs(seen), width=style.width)
    late = _late(seen)
    groups = tuple(GroupBox(n, placed.titles[n], box, n in placed.frames) for n, box in sorted(placed.groups.items()))
    nodes = [
        Node(
            path, codes[path], names[path], placed.boxes[path], _look(item),
            _warning(path, {p for p, _ in late}, seen.faulty), stacked, lit=path in style.lit.elements,
        )
        for path, item in elements.items()
    ]  # fmt: skip
    bonds = _bond_lines(seen, placed, {bk for _, bk in late}, style)
    taken = [n.box for n in nodes] + [title_box(g) for g in groups]
    bonds = with_labels(bonds, taken, letters=style.letters)
    nodes = with_captions(nodes, bonds, taken + [b.label for b in bonds if b.label is not None])
    plain = Scene(title, tuple(nodes), tuple(bonds), (), (), groups, seen.remark)
    texts = [box for _, box in plain.label_boxes()]
    graph = seen.whole or seen.graph
    return replace(plain, arrows=arrows_of(graph, placed, seen.origin, texts=texts, held=seen.held))


def _code(item: Element) -> str:
    return item.kind if isinstance(item, Folded) else item.code


def _size(item: Element, code: str, name: str, stacked: bool) -> tuple[float, float]:
    """Width and height of an element as it is drawn."""
    if isinstance(item, Folded):
        return part_size(code, name)
    return BAR_SIZE if isinstance(item, DirectSum) else element_size(code, name, stacked=stacked)


def frame_names(seen: Seen) -> list[str] | None:
    """Names of the frames where the graph itself no longer knows them."""
    return None if seen.origin is None else [f.name for f in (*seen.origin.frames, *seen.origin.planes)]


def _needs(seen: Seen) -> dict[str, float]:
    """The height that the ends of bonds with mixed causality need."""
    mixed = [b for b in seen.graph.bonds if len(set(_flow_from(b, seen.strokes))) > 1]
    return {b.name: 2 * tick_reach(b.size) + 2.0 for b in mixed}


def with_strokes(graph: Graph, causal: bool, cuts: frozenset[str] = frozenset()) -> Seen:
    """The graph as it is simulated, its strokes, and what is in conflict. cuts: joints at which loops are opened."""
    if not causal:
        return Seen(graph)
    try:
        joined = join_floating(graph)
        strokes = assign(joined, span(joined, cuts))
    except MultibondError as fault:
        paths = frozenset(path for finding in fault.findings for path in finding.paths)
        return Seen(graph, None, str(fault).splitlines()[0], paths)
    findings = list(dict.fromkeys(strokes.conflicts.values()))
    remark = str(CausalityError(*findings)).splitlines()[0] if findings else ""
    return Seen(joined, strokes, remark, frozenset(path for f in findings for path in f.paths), None, cuts)


def _late(seen: Seen) -> set[tuple[str, tuple[str, int]]]:
    """Elements in derivative causality, each with the components of bonds that are so."""
    found = set()
    for path, lanes in seen.strokes.dependent if seen.strokes else ():
        every = [(b.name, k) for b in (seen.whole or seen.graph).bonds_of(path) for k in range(b.size)]
        found |= {(path, every[lane]) for lane in lanes}
    return found


def _flow_from(bond: Bond, strokes: Causality | None) -> tuple[int, ...]:
    """For each component the end with the stroke; both or neither where both ends give the flow, or the effort."""
    if strokes is None:
        return ()
    doubled = {"flow": BOTH, "effort": NEITHER}
    given = [strokes.doubled.get((bond.name, k)) for k in range(bond.size)]
    return tuple(doubled[d] if d else end for d, end in zip(given, strokes.flow_from[bond.name], strict=True))


def _look(item: Element) -> str:
    if isinstance(item, DirectSum | Folded):
        return "part" if isinstance(item, Folded) else "bar"
    return "power" if any(isinstance(p, PowerPort) for p in item.ports()) else "signal"


def _warning(path: str, late: set[str], faulty: frozenset[str]) -> str:
    return "conflict" if path in faulty else "derivative" if path in late else ""


def _bond_lines(seen: Seen, placed: Placed, late: set[tuple[str, int]], style: Style) -> list[BondLine]:
    lines, domains = [], bond_domains(seen.graph, style.known)
    for bond in seen.graph.bonds:
        flow_from = _flow_from(bond, seen.strokes)
        every = [(bond.name, k) for k in range(bond.size)]
        doubled = seen.strokes.doubled if seen.strokes else {}
        both = tuple(k for name, k in every if (name, k) in seen.bicausal)
        lines.append(
            BondLine(
                bond.name,
                bond_shape(placed.paths[bond.name], bond.size, flow_from, both),
                bond.size,
                domains[bond.name],
                tuple(k for name, k in every if (name, k) in late),
                None,
                _sentence(bond, flow_from) + ("; effort from there too" if both else ""),
                tuple(k for name, k in every if (name, k) in doubled),
                tuple(k for name, k in every if (name, k) in style.lit.components),
            )
        )
    return lines


def _sentence(bond: Bond, flow_from: tuple[int, ...]) -> str:
    """What one reads when pointing at a bond."""
    arrow = f"{bond.tail.element} → {bond.head.element}"
    size = f", {bond.size} components" if bond.size > 1 else ""
    if not flow_from:
        return arrow + size
    if {BOTH, NEITHER} & set(flow_from):
        return f"{arrow}{size}; given from both ends"
    givers = [{TAIL: bond.tail.element, HEAD: bond.head.element}[k] for k in dict.fromkeys(flow_from)]
    return f"{arrow}{size}; flow from {' and '.join(givers)}"
