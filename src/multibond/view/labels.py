"""Places for the small texts of a drawing: each on the first free place of its own list."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import pairwise, product

from multibond.view.geometry import BAR, LABEL_SIZE, Box, Point, Segment, around, direction, text_width
from multibond.view.palette import LETTERS
from multibond.view.scene import BondLine, Letter, Node

ALONG = (0.5, 0.4, 0.6, 0.3, 0.7, 0.2, 0.8)
HIGH = LABEL_SIZE + 1.0
SQUARE = 80.0  # what is looked up together
END = 14.0  # a bond's end is kept free for its stroke and half-arrow


class Ground:
    """What is taken: boxes, and the lines of bonds, each with the name of its bond."""

    def __init__(self, boxes: Iterable[Box], bonds: Iterable[BondLine]) -> None:
        self.boxes: dict[tuple[int, int], list[Box]] = {}
        self.legs: dict[tuple[int, int], list[tuple[str, Segment]]] = {}
        for box in (*boxes, *(_stroke_box(s.bar) for b in bonds for s in b.shape.strokes)):
            self._take(box)
        for bond in bonds:
            for a, b in pairwise(bond.shape.path):
                for cell in _cells(around([Box(*a, 0.0, 0.0), Box(*b, 0.0, 0.0)])):
                    self.legs.setdefault(cell, []).append((bond.name, (a, b)))

    def _take(self, box: Box) -> None:
        for cell in _cells(box):
            self.boxes.setdefault(cell, []).append(box)

    def _is_free(self, place: Box) -> bool:
        wide = place.grown(1.0)
        return not any(wide.overlaps(box) for cell in _cells(wide) for box in self.boxes.get(cell, ()))

    def _is_clear(self, place: Box, bond: str) -> bool:
        near = (leg for cell in _cells(place) for leg in self.legs.get(cell, ()))
        return not any(place.hit_by(*leg) for name, leg in near if name != bond)

    def first(self, places: Iterable[Box], bond: str = "", *, strict: bool = False) -> Box | None:
        """The first place that is free of boxes and of other bonds; unless strict, else of boxes only."""
        free = [p for p in places if self._is_free(p)]
        clear = (p for p in free if self._is_clear(p, bond))
        found = next(clear, None if strict or not free else free[0])
        if found is not None:
            self._take(found)
        return found


def _cells(box: Box) -> Iterator[tuple[int, int]]:
    """The squares of the drawing that a box touches."""
    columns = range(math.floor(box.left / SQUARE), math.floor(box.right / SQUARE) + 1)
    rows = range(math.floor(box.top / SQUARE), math.floor(box.bottom / SQUARE) + 1)
    return product(columns, rows)


def _stroke_box(bar: Segment) -> Box:
    (ax, ay), (bx, by) = bar
    return Box((ax + bx) / 2, (ay + by) / 2, abs(ax - bx) + 3.0, abs(ay - by) + 1.0)


def with_labels(bonds: list[BondLine], taken: Iterable[Box], *, letters: bool = False) -> list[BondLine]:
    """Give vector bonds the box of their number, and where `letters` are wanted all bonds those of effort and flow."""
    ground = Ground(taken, bonds)
    numbered = [b if b.size == 1 else replace(b, label=ground.first(_number_places(b), b.name)) for b in bonds]
    return [replace(b, letters=_letters(b, ground)) for b in numbered] if letters else numbered


def with_captions(nodes: Iterable[Node], bonds: list[BondLine], taken: Iterable[Box]) -> list[Node]:
    """Give the names of direct sums a place beside their bars, where there is one."""
    ground = Ground(taken, bonds)
    return [replace(n, caption=ground.first(_caption_places(n), strict=True)) if n.look == "bar" else n for n in nodes]


def _caption_places(node: Node) -> list[Box]:
    width, box = text_width(node.name, LABEL_SIZE), node.box
    return [Box(box.x + dx, y, width, HIGH) for y in (box.bottom + 7.5, box.top - 7.5) for dx in (0.0, 12.0, -12.0)]


def _legs(path: tuple[Point, ...]) -> list[Segment]:
    """The legs of a path, ends left out, longest first; level ones before upright ones of the same length."""
    legs = []
    for k, (a, b) in enumerate(pairwise(path)):
        (dx, dy), length = direction(a, b), math.dist(a, b)
        start, end = (END if k == 0 else 4.0), (END if k == len(path) - 2 else 4.0)
        if length > start + end:
            legs.append(((a[0] + start * dx, a[1] + start * dy), (b[0] - end * dx, b[1] - end * dy)))
    level = [abs(a[1] - b[1]) < 1e-6 for a, b in legs]
    order = sorted(range(len(legs)), key=lambda k: (-round(math.dist(*legs[k]) * (1.5 if level[k] else 1.0), 3), k))
    return [legs[k] for k in order] or list(pairwise(path))


def _number_places(bond: BondLine) -> list[Box]:
    """Along the bond from the middle of its longest leg outwards, then the other legs."""
    width = text_width(str(bond.size), LABEL_SIZE) + 2.0
    return [
        Box(a[0] + k * (b[0] - a[0]), a[1] + k * (b[1] - a[1]), width, HIGH)
        for a, b in _legs(bond.shape.path)
        for k in ALONG
    ]


def _letters(bond: BondLine, ground: Ground) -> tuple[Letter, ...]:
    """Effort on the barb's side, flow on the other: both, or none where there is no room."""
    found = []
    for text, side in zip(LETTERS.get(bond.domain, ("e", "f")), (1, -1), strict=True):
        box = ground.first(_beside(bond, text, side * bond.shape.side), strict=True)
        if box is None:
            return ()
        found.append(Letter(text, box))
    return tuple(found)


def _beside(bond: BondLine, text: str, side: int) -> list[Box]:
    """Places beside a bond; side +1 is on the left of travel."""
    width, places = text_width(text, LABEL_SIZE), []
    for a, b in _legs(bond.shape.path):
        dx, dy = direction(a, b)
        away = (width if abs(dx) < abs(dy) else HIGH) / 2 + BAR / 2
        for k in ALONG:
            x, y = a[0] + k * (b[0] - a[0]), a[1] + k * (b[1] - a[1])
            places.append(Box(x + away * side * dy, y - away * side * dx, width, HIGH))
    return places
