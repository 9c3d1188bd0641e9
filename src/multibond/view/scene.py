"""What a drawing consists of, as plain values: nodes, bonds, wires, arrows, groups, labels. `svg` writes it down."""

from __future__ import annotations

from dataclasses import dataclass

from multibond.view.geometry import LABEL_SIZE, BondShape, Box, Point, around, text_width, title_place

CODE_SIZE, NAME_SIZE = 16.0, 11.5
TALLEST = 30.0
BAR_SIZE = (8.0, 34.0)


@dataclass(frozen=True)
class Node:
    """An element (code and name side by side), a part (class above name, framed) or a dot where wires meet.

    look: "power", "signal", "part", "dot" or "bar" (a direct sum); stacked: the name stands below the code;
    warning: "derivative" or "conflict" where there is something to say; caption: where a bar's name stands; lit: it is
    highlighted.
    """

    path: str
    code: str
    name: str
    box: Box
    look: str = "power"
    warning: str = ""
    stacked: bool = False
    caption: Box | None = None
    lit: bool = False

    @property
    def tall(self) -> bool:
        """Whether bonds end beside it higher or lower than its text, so that it needs a ground to hold them."""
        return self.box.height > TALLEST


@dataclass(frozen=True)
class Letter:
    """The letter of an effort or flow beside its bond."""

    text: str
    box: Box


@dataclass(frozen=True)
class BondLine:
    """A bond on paper.

    late: the components in derivative causality; wrong: those in conflict; lit: those highlighted; label: the box of
    its number of components; letters: of effort (on the barb's side) and flow.
    """

    name: str
    shape: BondShape
    size: int
    domain: str
    late: tuple[int, ...] = ()
    label: Box | None = None
    says: str = ""
    wrong: tuple[int, ...] = ()
    lit: tuple[int, ...] = ()
    letters: tuple[Letter, ...] = ()


@dataclass(frozen=True)
class Wire:
    """A connection of ports in a word bond graph: "frame" (double), "power" (single) or "signal" (dashed)."""

    points: tuple[Point, ...]
    kind: str
    says: str = ""


@dataclass(frozen=True)
class Arrow:
    """A signal from one thing to another: start, control point and end of a curve, or the corners of a line."""

    points: tuple[Point, ...]
    says: str = ""
    curved: bool = True

    @property
    def reach(self) -> tuple[Point, ...]:
        """Points that tell how far it reaches; a curve stays well inside its control point."""
        if not self.curved:
            return self.points
        (ax, ay), (cx, cy), (bx, by) = self.points
        return (ax, ay), ((ax + 2 * cx + bx) / 4, (ay + 2 * cy + by) / 4), (bx, by)


@dataclass(frozen=True)
class GroupBox:
    """A dashed group: a part or a frame with its name."""

    name: str
    title: str
    box: Box
    frame: bool = False


@dataclass(frozen=True)
class Scene:
    """A whole drawing. remark: what is wrong, in red below it; note: what else is said there."""

    title: str
    nodes: tuple[Node, ...]
    bonds: tuple[BondLine, ...] = ()
    wires: tuple[Wire, ...] = ()
    arrows: tuple[Arrow, ...] = ()
    groups: tuple[GroupBox, ...] = ()
    remark: str = ""
    note: str = ""

    @property
    def hull(self) -> Box:
        """The box that holds everything."""
        boxes = [n.box for n in self.nodes] + [g.box for g in self.groups]
        points = [p for b in self.bonds for line in b.shape.lines for p in line] + [
            p for w in self.wires for p in w.points
        ]
        points += [p for a in self.arrows for p in a.reach]
        return around(boxes + [Box(x, y, 0.0, 0.0) for x, y in points] or [Box(0.0, 0.0, 100.0, 60.0)])

    def label_boxes(self) -> list[tuple[str, Box]]:
        """Boxes of all texts beside the nodes: numbers of components, letters, captions and titles of groups."""
        found = [(b.name, b.label) for b in self.bonds if b.label is not None]
        found += [(f"{b.name} {letter.text}", letter.box) for b in self.bonds for letter in b.letters]
        found += [(n.path, n.caption) for n in self.nodes if n.caption is not None]
        return found + [(g.name, title_box(g)) for g in self.groups]


def element_size(code: str, name: str, *, stacked: bool = False) -> tuple[float, float]:
    """Width and height of an element's text: "code : name" in one line, or the name below the code."""
    if stacked:
        return max(text_width(code, CODE_SIZE), text_width(name, LABEL_SIZE)) + 4.0, 29.0
    label = f" : {name}" if name else ""
    return text_width(code, CODE_SIZE) + text_width(label, NAME_SIZE) + 10.0, 24.0


def part_size(code: str, name: str) -> tuple[float, float]:
    """Width and height of a part's frame."""
    return max(text_width(code, CODE_SIZE), text_width(name, NAME_SIZE + 1.5)) + 26.0, 50.0


def title_box(group: GroupBox) -> Box:
    """Where a group's name stands: inside, at the upper left."""
    return title_place(group.title, group.box)
