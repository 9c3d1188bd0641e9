"""A piece of a drawing laid out around its own centre: an element, or a group with everything in it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from multibond.view.geometry import Box, Point

CLEAR = 4.0  # between the end of a bond and its element
FOOTING = 18.0  # between bonds that touch an element on the same side

Sides = Mapping[str, tuple[int, float]]
"""For each bond that leaves: on which side (-1 left, +1 right), and its rank from the top; equal ranks may change."""


@dataclass(frozen=True)
class Cell:
    """Width and height, and in coordinates around the centre what stands inside.

    ports: where leaving bonds cross the border. ways: of leaving bonds from their element to the border, of inner bonds
    from tail to head. boxes: of elements by path. groups: the boxes of groups by name.
    """

    width: float
    height: float
    ports: dict[str, Point] = field(default_factory=dict)
    ways: dict[str, tuple[Point, ...]] = field(default_factory=dict)
    boxes: dict[str, Box] = field(default_factory=dict)
    groups: dict[str, Box] = field(default_factory=dict)

    def moved(self, dx: float, dy: float) -> Cell:
        """The same elsewhere."""

        def there(point: Point) -> Point:
            return point[0] + dx, point[1] + dy

        return Cell(
            self.width,
            self.height,
            {n: there(p) for n, p in self.ports.items()},
            {n: tuple(map(there, way)) for n, way in self.ways.items()},
            {n: b.moved(dx, dy) for n, b in self.boxes.items()},
            {n: b.moved(dx, dy) for n, b in self.groups.items()},
        )

    def mirrored(self) -> Cell:
        """The same with left and right exchanged."""
        return Cell(
            self.width,
            self.height,
            {n: (-x, y) for n, (x, y) in self.ports.items()},
            {n: tuple((-x, y) for x, y in way) for n, way in self.ways.items()},
            {n: Box(-b.x, b.y, b.width, b.height) for n, b in self.boxes.items()},
            {n: Box(-b.x, b.y, b.width, b.height) for n, b in self.groups.items()},
        )


def element_cell(path: str, size: tuple[float, float], needs: Mapping[str, float], sides: Sides) -> Cell:
    """An element: its bonds end beside it, those on one side above each other.

    needs: the height of each bond's end where it is more than usual.
    """
    width, height = size
    ports: dict[str, Point] = {}
    for side in (-1, 1):
        names = [n for _, n in sorted((rank, name) for name, (at, rank) in sides.items() if at == side)]
        rooms = [needs.get(n, FOOTING) for n in names]
        y = -sum(rooms) / 2
        for name, room in zip(names, rooms, strict=True):
            ports[name] = (side * (width / 2 + CLEAR), y + room / 2)
            y += room
        height = max(height, sum(rooms))
    ways = {name: (at,) for name, at in ports.items()}
    return Cell(width + 2 * CLEAR, height, ports, ways, {path: Box(0.0, 0.0, width, height)})
