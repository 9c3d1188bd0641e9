"""The marks that a drawing is made of: lines, curves, boxes, discs and words. `svg` and `tikz` write them down."""

from __future__ import annotations

from dataclasses import dataclass, replace

from multibond.view.geometry import Box, Point, text_width


@dataclass(frozen=True)
class Ink:
    """How a line looks: colour as "#rrggbb", width, lengths of dashes and gaps, an arrow head, a flat end."""

    colour: str
    width: float = 1.3
    dash: tuple[float, float] | None = None
    arrow: bool = False
    flat: bool = False
    opacity: float = 1.0


@dataclass(frozen=True)
class Line:
    """A line through points. kind: what it stands for, such as "stroke"."""

    points: tuple[Point, ...]
    ink: Ink
    kind: str = ""


@dataclass(frozen=True)
class Curve:
    """A curve from the first point to the last, drawn towards the one between."""

    points: tuple[Point, Point, Point]
    ink: Ink
    kind: str = ""


@dataclass(frozen=True)
class Area:
    """A box with rounded corners; without ink it has no border, without fill it is clear."""

    box: Box
    fill: str = ""
    ink: Ink | None = None
    radius: float = 0.0


@dataclass(frozen=True)
class Disc:
    """A filled circle, or with ink a ring."""

    centre: Point
    radius: float
    fill: str = ""
    ink: Ink | None = None


@dataclass(frozen=True)
class Run:
    """A piece of text in one face."""

    text: str
    size: float
    colour: str
    bold: bool = False
    italic: bool = False


@dataclass(frozen=True)
class Words:
    """Text on a base line. anchor: "start", "middle" or "end"; halo: the ground behind the letters is white."""

    at: Point
    runs: tuple[Run, ...]
    anchor: str = "middle"
    halo: bool = True

    @property
    def box(self) -> Box:
        """About the room it takes."""
        width = sum(text_width(run.text, run.size) for run in self.runs)
        size = max(run.size for run in self.runs)
        left = self.at[0] - {"start": 0.0, "middle": width / 2, "end": width}[self.anchor]
        return Box(left + width / 2, self.at[1] - 0.3 * size, width, size)


@dataclass(frozen=True)
class Cluster:
    """Marks that belong together: their class, the thing they show, and what one reads when pointing at it."""

    kind: str
    name: str
    marks: tuple[Mark, ...]
    says: str = ""


Mark = Line | Curve | Area | Disc | Words | Cluster


@dataclass(frozen=True)
class Drawing:
    """A finished drawing: its title, the paper's box, and the marks from back to front.

    widest: how wide it may be shown  [px].
    """

    title: str
    paper: Box
    marks: tuple[Mark, ...]
    widest: float | None = None

    @property
    def scale(self) -> float:
        """How large it is shown: smaller where the paper is wider than it may be."""
        return 1.0 if self.widest is None else min(1.0, self.widest / self.paper.width)


def words(x: float, y: float, size: float, text: str, colour: str, *, anchor: str = "middle", **face: bool) -> Words:
    """One piece of text."""
    return Words((x, y), (Run(text, size, colour, **face),), anchor)


def moved(mark: Mark, dx: float, dy: float) -> Mark:
    """The same mark elsewhere."""

    def there(point: Point) -> Point:
        return point[0] + dx, point[1] + dy

    if isinstance(mark, Cluster):
        return replace(mark, marks=tuple(moved(m, dx, dy) for m in mark.marks))
    if isinstance(mark, Area):
        return replace(mark, box=mark.box.moved(dx, dy))
    if isinstance(mark, Words):
        return replace(mark, at=there(mark.at))
    if isinstance(mark, Disc):
        return replace(mark, centre=there(mark.centre))
    return replace(mark, points=tuple(map(there, mark.points)))
