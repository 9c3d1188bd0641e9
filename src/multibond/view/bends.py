"""Fewer bends: pieces of bonds move a little where that takes a corner away and brings them in nobody's way."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import lru_cache
from itertools import pairwise

import numpy as np

from multibond.view.geometry import BAR, Box, Point, around

APART = 9.0  # two bonds may come as near as this
TOUCHING = 3.0  # bonds that come nearer than this are moved aside
SLIDE = 9.0  # how far a bond's end may move along its element
SNAP = 0.05
ROUNDS = 4

Path = tuple[Point, ...]


def with_fewer_bends(
    paths: Mapping[str, Path],
    blocks: Mapping[str, Box],
    ends: Mapping[str, tuple[str, str]],
    titles: Iterable[Box],
    groups: Iterable[Box] = (),
) -> dict[str, Path]:
    """The same bonds with fewer corners.

    blocks: boxes of elements by path; ends: for each bond its two elements; titles: boxes of texts that stay free;
    groups: those that hold neither end of a bond are not entered. Only paths of level and upright legs are changed.
    """
    found = {name: without_repeats(_levelled(path)) for name, path in paths.items()}
    field = _Field(found, blocks, [*(box.grown(1.0) for box in titles)], [*groups])
    open_ = sorted(found)
    for _ in range(ROUNDS):
        changed = []
        for name in open_:
            place = _Place(name, field, ends[name])
            path = _better(place) if _upright(place.here) else place.here
            if path != place.here:
                changed.append(place.room)
                field.put(name, path)
        open_ = [name for name in sorted(found) if any(room.overlaps(_hull(field.paths[name])) for room in changed)]
    return field.paths


class _Field:
    """All bonds and boxes of a drawing; finds quickly what is near."""

    def __init__(self, paths: dict[str, Path], blocks: Mapping[str, Box], titles: list[Box], groups: list[Box]) -> None:
        self.paths, self.blocks, self.titles, self.groups = paths, dict(blocks), titles, groups
        self.names, self.places = list(paths), list(blocks)
        self.row = {name: k for k, name in enumerate(self.names)}
        self.hulls = _bounds([_hull(path) for path in paths.values()])
        self.edges = _bounds(list(blocks.values()))

    def put(self, name: str, path: Path) -> None:
        """Lead a bond another way."""
        self.paths[name] = path
        self.hulls[self.row[name]] = _bounds([_hull(path)])[0]

    def bonds_near(self, room: Box) -> list[str]:
        """The bonds that touch a box."""
        return [self.names[k] for k in _touching(self.hulls, room)]

    def blocks_near(self, room: Box) -> list[str]:
        """The elements that touch a box."""
        return [self.places[k] for k in _touching(self.edges, room)]


def _bounds(boxes: list[Box]) -> np.ndarray:
    return np.array([(b.left, b.right, b.top, b.bottom) for b in boxes], float).reshape(-1, 4)


def _touching(bounds: np.ndarray, room: Box) -> np.ndarray:
    left, right, top, bottom = bounds.T
    return np.flatnonzero((left <= room.right) & (right >= room.left) & (top <= room.bottom) & (bottom >= room.top))


def _levelled(path: Path) -> Path:
    """The path with rounded coordinates, legs that are all but level or upright made so."""
    points = [(round(path[0][0], 3), round(path[0][1], 3))]
    for x, y in path[1:]:
        a, b = points[-1]
        points.append((a if abs(x - a) < SNAP else round(x, 3), b if abs(y - b) < SNAP else round(y, 3)))
    return tuple(points)


class _Place:
    """A bond and what is around it."""

    def __init__(self, name: str, field: _Field, ends: tuple[str, str]) -> None:
        self.here = field.paths[name]
        self.room = room = _hull(self.here).grown(3 * BAR)
        self.own = [field.blocks[path] for path in ends]
        others = [field.paths[n] for n in field.bonds_near(room) if n != name]
        boxes = [field.blocks[path].grown(3.0) for path in field.blocks_near(room) if path not in ends]
        boxes += [box for box in field.titles if room.overlaps(box)]
        boxes += [Box(x, y, 6.0, 2 * BAR - 1.0) for p in others for x, y in (p[0], p[-1])]
        boxes += [box for box in field.groups if room.overlaps(box) and not any(map(box.overlaps, self.own))]
        self.feet = [p for other in others for p in (other[0], other[-1])]
        self.others, self.boxes = _Legs(others), _bounds([*boxes, *self.own])

    def takes(self, path: Path, apart: float = APART) -> bool:
        """Whether the bond may go this way."""
        if not _feet_stand(path, self.here, self.own, self.feet):
            return False
        legs = _Legs([path])
        return not legs.hit(self.boxes) and not legs.lie(self.others, apart)


class _Legs:
    """The level legs of paths as (y, from x, to x), the upright ones as (x, from y, to y), all at once."""

    def __init__(self, paths: Iterable[Path]) -> None:
        legs = np.array([(*a, *b) for path in paths for a, b in pairwise(path)], float).reshape(-1, 4)
        level, upright = legs[legs[:, 1] == legs[:, 3]], legs[legs[:, 0] == legs[:, 2]]
        self.level = np.column_stack([level[:, 1], np.sort(level[:, [0, 2]])])
        self.upright = np.column_stack([upright[:, 0], np.sort(upright[:, [1, 3]])])

    def hit(self, bounds: np.ndarray) -> bool:
        """Whether one passes through the inside of a box."""
        sides = bounds.T
        return _enters(self.level, sides[2:], sides[:2]) or _enters(self.upright, sides[:2], sides[2:])

    def lie(self, others: _Legs, apart: float) -> bool:
        """Whether one runs beside another, too near."""
        return _beside(self.level, others.level, apart) or _beside(self.upright, others.upright, apart)

    def crossings(self, others: _Legs) -> int:
        """How often they meet level legs with upright ones."""
        return _crossing(self.level, others.upright) + _crossing(others.level, self.upright)


def _enters(legs: np.ndarray, across: np.ndarray, along: np.ndarray) -> bool:
    at, start, stop = legs.T[:, :, None]
    within = np.minimum(stop, along[1]) - np.maximum(start, along[0]) > 1e-9 * (stop - start)
    return bool(np.any((across[0] < at) & (at < across[1]) & within))


def _beside(legs: np.ndarray, others: np.ndarray, apart: float) -> bool:
    at, start, stop = legs.T[:, :, None]
    where, begin, end = others.T
    return bool(np.any((abs(at - where) < apart) & (np.minimum(stop, end) - np.maximum(start, begin) > -2.0)))


def _crossing(level: np.ndarray, upright: np.ndarray) -> int:
    y, left, right = level.T[:, :, None]
    x, top, bottom = upright.T
    return int(np.count_nonzero((left < x) & (x < right) & (top < y) & (y < bottom)))


def _upright(path: Path) -> bool:
    return all(a[0] == b[0] or a[1] == b[1] for a, b in pairwise(path))


def _better(place: _Place) -> Path:
    """The path with the fewest corners among those that differ from this one by one piece; away from other bonds."""
    here = place.here
    legs = _Legs([here])
    crossed = legs.crossings(place.others)
    for path in sorted(_variants(here), key=lambda p: (len(p), p)):
        if len(path) < len(here) and place.takes(path) and _Legs([path]).crossings(place.others) <= crossed:
            return path
    if legs.lie(place.others, TOUCHING):
        return next((path for path in _aside(here) if place.takes(path, TOUCHING + 1.0)), here)
    return here


def _aside(path: Path) -> list[Path]:
    """Paths with one piece moved a little to the side, the least first."""
    found = []
    for by in (5.0, -5.0, 7.0, -7.0, 9.0, -9.0, 12.0, -12.0):
        for k, (a, b) in enumerate(pairwise(path)):
            if a[1] == b[1]:
                found.append((*path[:k], (a[0], a[1] + by), (b[0], b[1] + by), *path[k + 2 :]))
            elif 0 < k < len(path) - 2:
                found.append((*path[:k], (a[0] + by, a[1]), (b[0] + by, b[1]), *path[k + 2 :]))
    return [without_repeats(path) for path in found if _upright(path)]


@lru_cache(maxsize=4096)
def _hull(path: Path) -> Box:
    return around([Box(x, y, 0.0, 0.0) for x, y in path])


def _variants(path: Path) -> list[Path]:
    """Paths with one level piece moved to the height of a neighbouring one."""
    found = []
    for k, (a, b) in enumerate(pairwise(path)):
        if a[1] != b[1]:
            continue
        for j in (k - 2, k + 2):
            if 0 <= j < len(path) - 1 and path[j][1] == path[j + 1][1]:
                y = path[j][1]
                found.append(without_repeats((*path[:k], (a[0], y), (b[0], y), *path[k + 2 :])))
    return [path for path in found if _upright(path)]


def _feet_stand(path: Path, before: Path, own: list[Box], others: list[Point]) -> bool:
    """Whether the two ends still touch their elements, not far from where they were and apart from other ends."""
    for at, was, box in ((path[0], before[0], own[0]), (path[-1], before[-1], own[1])):
        if at == was:
            continue
        feet = [p for p in others if abs(p[0] - at[0]) < 1.0]
        if abs(at[1] - was[1]) > SLIDE or not box.top + 4.0 <= at[1] <= box.bottom - 4.0:
            return False
        if any(abs(at[1] - y) < 2 * BAR - 1.0 for _, y in feet):
            return False
    return True


def without_repeats(points: Path) -> Path:
    """A path without points that lie on a straight line with their neighbours, also where it turns back on itself."""
    kept: list[Point] = []
    for point in points:
        while len(kept) > 1 and _on_line(kept[-2], kept[-1], point):
            kept.pop()
        if not kept or abs(kept[-1][0] - point[0]) + abs(kept[-1][1] - point[1]) >= 1e-6:
            kept.append(point)
    return tuple(kept)


def _on_line(a: Point, b: Point, c: Point) -> bool:
    return abs((b[0] - a[0]) * (c[1] - b[1]) - (b[1] - a[1]) * (c[0] - b[0])) < 1e-6
