"""What a drawing consists of, as plain values: nodes, bonds, wires, arrows, groups, labels. `svg` writes it down."""

from __future__ import annotations

from dataclasses import dataclass, replace

from multibond.view.geometry import BondShape, Box, Point, around, text_width
from multibond.view.groups import LABEL_SIZE

CODE_SIZE, NAME_SIZE = 16.0, 11.5


@dataclass(frozen=True)
class Node:
    """An element (code and name side by side), a part (class above name, framed) or a dot where wires meet.

    look: "power", "signal", "part" or "dot"; stacked: the name stands below the code;
    warning: "derivative" or "conflict" where there is something to say.
    """

    path: str
    code: str
    name: str
    box: Box
    look: str = "power"
    warning: str = ""
    stacked: bool = False


@dataclass(frozen=True)
class BondLine:
    """A bond on paper. late: the components in derivative causality; label: the box of its number of components."""

    name: str
    shape: BondShape
    size: int
    domain: str
    late: tuple[int, ...] = ()
    label: Box | None = None
    says: str = ""


@dataclass(frozen=True)
class Wire:
    """A connection of ports in a word bond graph: "frame" (double), "power" (single) or "signal" (dashed)."""

    points: tuple[Point, ...]
    kind: str
    says: str = ""


@dataclass(frozen=True)
class Arrow:
    """A signal from one thing to another: start, control point of the curve, end."""

    points: tuple[Point, Point, Point]
    says: str = ""


@dataclass(frozen=True)
class GroupBox:
    """A dashed group: a part or a frame with its name."""

    name: str
    title: str
    box: Box
    frame: bool = False


@dataclass(frozen=True)
class Scene:
    """A whole drawing."""

    title: str
    nodes: tuple[Node, ...]
    bonds: tuple[BondLine, ...] = ()
    wires: tuple[Wire, ...] = ()
    arrows: tuple[Arrow, ...] = ()
    groups: tuple[GroupBox, ...] = ()
    remark: str = ""

    @property
    def hull(self) -> Box:
        """The box that holds everything."""
        boxes = [n.box for n in self.nodes] + [g.box for g in self.groups]
        points = [p for b in self.bonds for line in b.shape.lines for p in line] + [
            p for w in self.wires for p in w.points
        ]
        points += [p for a in self.arrows for p in a.points]
        return around(boxes + [Box(x, y, 0.0, 0.0) for x, y in points] or [Box(0.0, 0.0, 100.0, 60.0)])

    def label_boxes(self) -> list[tuple[str, Box]]:
        """Boxes of all texts beside the nodes: numbers of components and titles of groups."""
        numbers = [(b.name, b.label) for b in self.bonds if b.label is not None]
        return numbers + [(g.name, title_box(g)) for g in self.groups]


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
    width = text_width(group.title, LABEL_SIZE)
    return Box(group.box.left + 7.0 + width / 2, group.box.top + 9.5, width, LABEL_SIZE + 2.0)


def with_labels(bonds: list[BondLine], taken: list[Box]) -> list[BondLine]:
    """Give vector bonds the box of their number: at the centre, or beside it where that place is taken."""
    taken, labelled = list(taken), []
    for bond in bonds:
        if bond.size == 1:
            labelled.append(bond)
            continue
        box = next((b for b in _label_places(bond) if not any(b.grown(1.0).overlaps(t) for t in taken)), None)
        if box is not None:
            taken.append(box)
        labelled.append(replace(bond, label=box))
    return labelled


def _label_places(bond: BondLine) -> list[Box]:
    """Places for the number: along the bond from its middle outwards, longest leg first."""
    middle = bond.shape.lines[0], bond.shape.lines[1]
    legs = [tuple(((a[0] + b[0]) / 2, (a[1] + b[1]) / 2) for a, b in pair) for pair in _pairs(*middle)]
    legs.sort(key=lambda leg: -round((leg[1][0] - leg[0][0]) ** 2 + (leg[1][1] - leg[0][1]) ** 2, 3))
    width = text_width(str(bond.size), LABEL_SIZE) + 3.0
    places = []
    for (ax, ay), (bx, by) in legs:
        for k in (0.5, 0.4, 0.6, 0.3, 0.7, 0.2, 0.8):
            places.append(Box(ax + k * (bx - ax), ay + k * (by - ay), width, LABEL_SIZE + 1.0))
    return places


def _pairs(one: tuple[Point, ...], two: tuple[Point, ...]) -> list[tuple[tuple[Point, Point], tuple[Point, Point]]]:
    return [((one[k], two[k]), (one[k + 1], two[k + 1])) for k in range(len(one) - 1)]
