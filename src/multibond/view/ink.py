"""How the things of a scene look: nodes, bonds, wires, signals and groups as marks."""

from __future__ import annotations

from multibond.view.geometry import LABEL_SIZE, shifted, tick_reach
from multibond.view.marks import Area, Cluster, Curve, Disc, Ink, Line, Mark, Run, Words, words
from multibond.view.palette import (
    BORDER,
    CONFLICT,
    DERIVATIVE,
    FAINT,
    FRAME,
    GROUP,
    GROUP_TITLE,
    HIGHLIGHT,
    INK,
    PAPER,
    PILL,
    SOFT,
    colour_of,
)
from multibond.view.scene import CODE_SIZE, NAME_SIZE, Arrow, BondLine, GroupBox, Node, Wire, title_box


def node(item: Node) -> Cluster:
    """An element, a part or a dot."""
    draw = {"part": _part, "dot": _dot, "bar": _bar}.get(item.look, _element)
    return Cluster(f"node {item.look}", item.path, tuple(draw(item)))


def _element(item: Node) -> list[Mark]:
    colour = CONFLICT if item.warning == "conflict" else FAINT if item.look == "signal" else INK
    x, y, italic = item.box.x, item.box.y, item.look == "signal"
    ground: list[Mark] = [Area(item.box, PILL, None, 7.0)] if item.tall else []
    code = Run(item.code, CODE_SIZE, colour, bold=True, italic=italic)
    if item.stacked:
        name = Words((x, y + 12.5), (Run(item.name, LABEL_SIZE, SOFT),), halo=not (item.tall or item.lit))
        return [*ground, name, Words((x, y + 1.5), (code,), halo=not (item.tall or item.lit))]
    runs = (code, Run(f" : {item.name}", NAME_SIZE, SOFT)) if item.name else (code,)
    return [*ground, Words((x, y + 0.35 * CODE_SIZE), runs, halo=not (item.tall or item.lit))]


def _part(item: Node) -> list[Mark]:
    colour = CONFLICT if item.warning == "conflict" else INK
    frame = Area(item.box, "#f7f8fa", Ink(colour, 1.4), 5.0)
    title = words(item.box.x, item.box.y - 3.0, CODE_SIZE, item.code, colour, bold=True)
    return [frame, title, words(item.box.x, item.box.y + 15.0, NAME_SIZE + 1.5, item.name, SOFT)]


def _dot(item: Node) -> list[Mark]:
    return [Disc((item.box.x, item.box.y), item.box.width / 2, INK)]


def _bar(item: Node) -> list[Mark]:
    """A direct sum: a bar across which bonds join."""
    colour = CONFLICT if item.warning == "conflict" else INK
    line = Line(((item.box.x, item.box.top), (item.box.x, item.box.bottom)), Ink(colour, 4.0, flat=True), "sum")
    if item.caption is None:
        return [line]
    return [line, words(item.caption.x, item.caption.y + 0.36 * LABEL_SIZE, LABEL_SIZE, item.name, SOFT)]


def lit_node(item: Node) -> Mark | None:
    """The ground of a highlighted element."""
    return Area(item.box.grown(4.0), HIGHLIGHT, None, 8.0) if item.lit else None


def lit_bond(line: BondLine) -> list[Mark]:
    """The ground of a highlighted bond, or of some of its components: lanes, the first on the barb's side."""
    if not line.lit:
        return []
    if len(line.lit) == line.size:
        return [Line(line.shape.path, Ink(HIGHLIGHT, 12.0, flat=True), "lit")]
    lane = 2 * tick_reach(line.size) / line.size
    middle = (line.size - 1) / 2
    return [
        Line(shifted(line.shape.path, (middle - k) * lane * line.shape.side), Ink(HIGHLIGHT, lane, flat=True), "lit")
        for k in line.lit
    ]


def bond(line: BondLine) -> Cluster:
    """A bond: its lines, the half-arrow, the causal strokes."""
    colour = CONFLICT if line.wrong else colour_of(line.domain)
    pen = Ink(colour)
    marks: list[Mark] = [Line(points, pen) for points in line.shape.lines]
    marks.append(Line(line.shape.barb, pen))
    for stroke in line.shape.strokes:
        wrong, late = set(stroke.components) & set(line.wrong), set(stroke.components) & set(line.late)
        shade = CONFLICT if wrong else DERIVATIVE if late else INK
        marks.append(Line(stroke.bar, Ink(shade, 2.8 if wrong or late else 2.2, flat=True), "stroke"))
    return Cluster("bond", line.name, tuple(marks), line.says)


def labels(line: BondLine) -> list[Mark]:
    """The number of components on a white ground, effort on the barb's side and flow on the other."""
    found: list[Mark] = []
    colour = colour_of(line.domain)
    if line.label is not None:
        box = line.label
        text = words(box.x, box.y + 0.36 * LABEL_SIZE, LABEL_SIZE, str(line.size), colour)
        found += [Area(box, PAPER), text]
    for letter in line.letters:
        y = letter.box.y + 0.36 * LABEL_SIZE
        found.append(words(letter.box.x, y, LABEL_SIZE, letter.text, colour, italic=True))
    return found


def wire(item: Wire) -> Cluster:
    """A connection of ports."""
    if item.kind == "signal":
        marks: list[Mark] = [Line(item.points, Ink(FAINT, 1.2, (4.0, 3.0), arrow=True))]
    elif item.kind == "power":
        marks = [Line(item.points, Ink(INK, 1.4))]
    else:
        marks = [Line(item.points, Ink(INK, 5.4, flat=True)), Line(item.points, Ink(PAPER, 2.6, flat=True))]
    return Cluster(f"wire {item.kind}", "", tuple(marks), item.says)


def arrow(item: Arrow) -> Cluster:
    """A signal."""
    pen = Ink(FAINT, 0.9, (4.0, 3.0), True, opacity=0.75)
    if not item.curved:
        return Cluster("signal", "", (Line(item.points, pen),), item.says)
    start, control, end = item.points
    return Cluster("signal", "", (Curve((start, control, end), pen),), item.says)


def group(item: GroupBox) -> Cluster:
    """The dashed border of a part or frame."""
    area = Area(item.box, FRAME if item.frame else GROUP, Ink(BORDER, 1.0, (5.0, 4.0)), 8.0)
    return Cluster("group", item.name, (area,))


def group_title(item: GroupBox) -> Words:
    """The name of a group."""
    box = title_box(item)
    return words(box.left, box.y + 0.36 * LABEL_SIZE, LABEL_SIZE, item.title, GROUP_TITLE, anchor="start")
