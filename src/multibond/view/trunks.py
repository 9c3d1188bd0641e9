"""Wires from one dot that run on one line: cut where they part, so that each stretch carries the sum of its wires."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from multibond.view.geometry import Point

Path = tuple[Point, ...]


@dataclass(frozen=True)
class Stretch:
    """A path and the numbers of the wires that run along it, all away from the dot."""

    points: Path
    wires: tuple[int, ...]


def stretches(paths: Mapping[int, Path]) -> list[Stretch]:
    """The stretches of the wires of one dot, each wire by its number with its path from the dot.

    Wires begin level, to the left or the right; where several do so on one side they share the line up to the first
    corner, and so on. The last stretch of each wire is its own.
    """
    found: list[Stretch] = []
    for side in (-1.0, 1.0):
        here = {k: path for k, path in paths.items() if (path[1][0] - path[0][0]) * side > 0.0}
        found += _one_side(here, side)
    level = {k for stretch in found for k in stretch.wires}
    return found + [Stretch(path, (k,)) for k, path in paths.items() if k not in level]


def _one_side(paths: Mapping[int, Path], side: float) -> list[Stretch]:
    reach = {k: abs(path[1][0] - path[0][0]) for k, path in paths.items()}
    stops = sorted(set(reach.values()))
    found, before = [], 0.0
    for stop in stops:
        along = tuple(k for k in paths if reach[k] >= stop)
        if len(along) > 1:
            found.append(Stretch(_level(paths[along[0]], side, (before, stop)), along))
        before = stop
    common = max((stop for stop in stops if sum(r >= stop for r in reach.values()) > 1), default=0.0)
    for k, path in paths.items():
        shared = min(common, reach[k])
        start = (path[0][0] + side * shared, path[0][1])
        rest = path[1:] if shared == reach[k] and len(path) > 2 else (start, *path[1:])
        found.append(Stretch(rest, (k,)))
    return found


def _level(path: Path, side: float, part: tuple[float, float]) -> Path:
    """A part of a level line that begins where a path does."""
    (x, y), (near, far) = path[0], part
    return (x + side * near, y), (x + side * far, y)
