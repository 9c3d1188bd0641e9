"""The block diagram of the causal graph on paper: columns along the signals, what leads back runs below."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise

from multibond.graph.graph import Graph
from multibond.rewrite.unfold import unfold
from multibond.structure.causality import Causality, assign
from multibond.structure.tree import span
from multibond.view.agreements import with_agreements
from multibond.view.causal_blocks import Block, Blocks, Wiring, causal_blocks
from multibond.view.channel import Channel, Passage, channel
from multibond.view.diagram import without_returns
from multibond.view.geometry import LABEL_SIZE, Box, Point, around, partings, text_width
from multibond.view.highlight import Lit
from multibond.view.layered import Link, longest_paths, ordered, settled
from multibond.view.marks import Area, Cluster, Disc, Drawing, Ink, Line, Mark, words
from multibond.view.multibonds import Seen
from multibond.view.palette import FAINT, HIGHLIGHT, INK, PAPER, SOFT

HIGH, FOOTING, LANE, GAP, COLUMN_GAP, MARGIN = 30.0, 18.0, 12.0, 16.0, 40.0, 24.0
SYMBOL = 13.0
GLOW = Ink(HIGHLIGHT, 10.0, flat=True)
_FILLS = {"integrator": "#dcebf7", "derivative": "#fde3c8", "gain": PAPER, "sum": PAPER, "source": "#eeeeee"}


def block_drawing(seen: Seen, title: str, lit: Lit | None = None, *, signals: bool = True) -> Drawing:
    """Draw the causal graph as integrators, gains and sums; with scalar signals where vectors have mixed causality.

    lit: elements and bonds that are highlighted. signals: with what modulates elements, as dashed wires.
    """
    graph, strokes = with_agreements(*_uniform(seen))
    made = causal_blocks(graph, strokes, span(graph, seen.cuts) if signals else None)
    return _inked(_Sheet(made).placed(), title, lit or Lit())


def _uniform(seen: Seen) -> tuple[Graph, Causality]:
    graph, strokes = seen.graph, seen.strokes
    if strokes is None:  # a conflict that leaves no strokes: said as it is found
        strokes = assign(graph, span(graph, seen.cuts))
    lanes = {b.name: [strokes.doubled.get((b.name, k)) for k in range(b.size)] for b in graph.bonds}
    if all(len(set(zip(sides, lanes[name], strict=True))) == 1 for name, sides in strokes.flow_from.items()):
        return graph, strokes
    scalar = unfold(graph, strokes)
    return scalar, assign(scalar, span(scalar, seen.cuts))


@dataclass(frozen=True)
class Diagram:
    """Blocks with their boxes, wires with their corners, and the points where wires part."""

    blocks: tuple[tuple[Block, Box], ...]
    wires: tuple[tuple[Wiring, tuple[Point, ...]], ...]
    dots: tuple[Point, ...]


class _Sheet:
    """A diagram on the way to its places."""

    def __init__(self, made: Blocks) -> None:
        self.blocks = {b.name: b for b in made.blocks}
        self.wires = made.wires
        links = sorted({(w.tail, w.head) for w in self.wires if w.tail != w.head})
        ahead = without_returns([Link(*pair) for pair in links])
        forward = {(k.tail, k.head) for k in ahead}
        column = longest_paths(self.blocks, ahead)
        self.at = {name: column[name] + 1 for name in self.blocks}
        self.last = max(self.at.values(), default=0) + 1
        held: dict[str, float] = {}
        self.stops: list[list[str]] = []
        for number, wire in enumerate(self.wires):
            a, b = self.at[wire.tail], self.at[wire.head]
            onward = (wire.tail, wire.head) in forward and b > a
            lane = range(a + 1, b) if onward else range(a, b - 1, -1)
            way = [f"~{number:04d}.{k:03d}" for k in lane]
            self.at |= dict(zip(way, lane, strict=True))
            held |= {} if onward else dict.fromkeys(way, 1.0)
            self.stops.append([wire.tail, *way, wire.head])
        self.steps = [(n, a, b) for n, stops in enumerate(self.stops) for a, b in pairwise(stops)]
        short = [Link(a, b) for _, a, b in self.steps if abs(self.at[a] - self.at[b]) == 1]
        self.order = ordered(self.at, short, held, self.last + 1)
        self.sizes = {name: _size(block) for name, block in self.blocks.items()}

    def _offset(self, node: str, wire: Wiring, *, into: bool) -> float:
        """How far above or below its block's middle a wire ends or begins."""
        if node not in self.blocks:
            return 0.0
        block = self.blocks[node]
        place, count = (
            (wire.place, len(block.inputs)) if into else (block.outputs.index(wire.variable), len(block.outputs))
        )
        return (place - (count - 1) / 2) * FOOTING

    def _ends(self, step: tuple[int, str, str], y: Mapping[str, float]) -> tuple[float, float]:
        wire = self.wires[step[0]]
        return y[step[1]] + self._offset(step[1], wire, into=False), y[step[2]] + self._offset(step[2], wire, into=True)

    def placed(self) -> Diagram:
        """Heights, channels, corners."""
        links = [
            Link(a, b, self._offset(a, self.wires[n], into=False), self._offset(b, self.wires[n], into=True))
            for n, a, b in self.steps
            if abs(self.at[a] - self.at[b]) == 1
        ]
        rooms = {n: self.sizes[n][1] + 12.0 if n in self.sizes else LANE for n in self.at}
        y = {n: float(round(at)) for n, at in settled(self.order, links, rooms, GAP - 12.0).items()}
        channels, spans = self._across(y)
        boxes = {n: Box(sum(spans[self.at[n]]) / 2, y[n], *self.sizes[n]) for n in self.blocks}
        wires, dots = [], []
        for number, wire in enumerate(self.wires):
            way = self._way(number, y, channels, spans, boxes)
            wires.append((wire, way))
        for given in sorted({wire.variable for wire in self.wires}):
            dots += partings([way for wire, way in wires if wire.variable == given])
        return Diagram(tuple((self.blocks[n], box) for n, box in boxes.items()), tuple(wires), tuple(dots))

    def _across(self, y: Mapping[str, float]) -> tuple[list[Channel], list[Point]]:
        passages: list[list[Passage]] = [[] for _ in range(self.last + 1)]
        for step in self.steps:
            k, passage = self._passage(step, y)
            passages[k].append(passage)
        channels, spans, x = [], [], 0.0
        for k in range(self.last + 1):
            width = max((self.sizes[n][0] for n in self.order[k] if n in self.sizes), default=0.0)
            spans.append((x, x + width))
            channels.append(channel(passages[k], COLUMN_GAP if 0 < k < self.last - 1 else 0.0))
            x += width + channels[-1].width
        return channels, spans

    def _passage(self, step: tuple[int, str, str], y: Mapping[str, float]) -> tuple[int, Passage]:
        """The channel of a step and the way through it; a step in one column turns beside it."""
        (a, b), left, right = self._ends(step, y), self.at[step[1]], self.at[step[2]]
        name = f"{step}"
        if left < right:
            return left, Passage(name, a, b)
        if left > right:
            return right, Passage(name, b, a)
        return (left, Passage(name, a, b, -1, -1)) if step[1] in self.blocks else (left - 1, Passage(name, a, b, 1, 1))

    def _way(
        self,
        number: int,
        y: Mapping[str, float],
        channels: list[Channel],
        spans: list[Point],
        boxes: Mapping[str, Box],
    ) -> tuple[Point, ...]:
        wire, points = self.wires[number], []
        tail, head = boxes[wire.tail], boxes[wire.head]
        for step in (s for s in self.steps if s[0] == number):
            k, passage = self._passage(step, y)
            if passage.name in channels[k].at:
                x = spans[k][1] + channels[k].at[passage.name]
                points += [(x, at) for at in self._ends(step, y)]
        end = (head.left - 1.0, head.y + self._offset(wire.head, wire, into=True))
        return ((tail.right, tail.y + self._offset(wire.tail, wire, into=False)), *points, end)


def _size(block: Block) -> tuple[float, float]:
    width = max(text_width(block.symbol, SYMBOL) + 14.0, 26.0)
    caption = text_width(_caption(block), LABEL_SIZE)
    return max(width, caption), max(HIGH, FOOTING * max(len(block.inputs), len(block.outputs)) + 6.0)


def _caption(block: Block) -> str:
    return "" if block.kind in ("sum", "integrator", "derivative") else block.path


def _inked(made: Diagram, title: str, lit: Lit) -> Drawing:
    bonds = {name for name, _ in lit.components}
    marks: list[Mark] = [Line(way, GLOW, "lit") for wire, way in made.wires if wire.variable[0] in bonds]
    marks += [Area(box.grown(4.0), HIGHLIGHT, None, 8.0) for block, box in made.blocks if _is_lit(block, lit)]
    marks += [_wire(wire, way) for wire, way in made.wires]
    marks += [Disc(dot, 2.4, INK) for dot in made.dots]
    marks += [m for block, box in made.blocks for m in _block(block, box)]
    marks += [_sign(way) for wire, way in made.wires if wire.sign < 0]
    boxes = [box for _, box in made.blocks] + [Box(x, y, 0.0, 0.0) for _, way in made.wires for x, y in way]
    hull = around(boxes or [Box(0.0, 0.0, 100.0, 60.0)]).grown(MARGIN)
    return Drawing(title, hull, tuple(marks))


def _is_lit(block: Block, lit: Lit) -> bool:
    """Whether a block's element is highlighted; of an element that was unfolded each component is."""
    parents = {block.path, block.path.rpartition(".")[0]}
    return bool(parents & set(lit.elements))


def _wire(wire: Wiring, way: tuple[Point, ...]) -> Cluster:
    name = f"{wire.variable[0]}.{wire.variable[1]}"
    dash = (4.0, 3.0) if wire.variable[1] == "s" else None
    pen = Ink(FAINT if dash else INK, 2.0 if wire.size > 1 else 1.2, dash, arrow=True)
    return Cluster("wire", f"{wire.tail}|{wire.head}", (Line(way, pen),), name)


def _sign(way: tuple[Point, ...]) -> Mark:
    x, y = way[-1]
    return words(x - 8.0, y - 3.0, LABEL_SIZE + 1.0, "−", INK, bold=True)


def _block(block: Block, box: Box) -> list[Mark]:
    caption = _caption(block)
    inner = Box(box.x, box.y, max(text_width(block.symbol, SYMBOL) + 14.0, 26.0), box.height)
    frame = box if block.kind not in ("sum",) else inner
    marks: list[Mark] = [
        Area(frame, _FILLS.get(block.kind, "#f7f8fa"), Ink(INK, 1.2), 9.0 if block.kind == "sum" else 2.0)
    ]
    up = 1.0 if caption else 4.5
    marks.append(words(box.x, box.y + up, SYMBOL, block.symbol, INK, bold=block.kind in ("law", "source")))
    if caption:
        marks.append(words(box.x, box.y + 12.0, LABEL_SIZE, caption, SOFT))
    return [Cluster(f"block {block.kind}", block.path, tuple(marks), f"{block.path} ({block.kind})")]
