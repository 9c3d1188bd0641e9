"""Pictures of a machine for films, painted from its stage: things are sorted by depth and drawn from the back."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from PIL import Image, ImageDraw

from multibond.view import brush
from multibond.view.camera import Paper, fit
from multibond.view.shapes import INK, SOFT, Shape
from multibond.view.showing import Showing
from multibond.view.stage import LOAD_COLOURS, LegendRow, Stage

Paint = Callable[[ImageDraw.ImageDraw], None]
FRONT, BEHIND = 1e9, -1e9
NEARER = 0.03
"""How far joints are drawn before the rods that end in them, in radii of the machine."""
TRAIL, MARKS = 0.25, 400
"""Part of the run that a trail reaches back, and the most points it has."""


@dataclass(frozen=True)
class StagePainter:
    """Paints the pictures of a stage, one for each of its times."""

    stage: Stage
    wanted: Showing
    caption: str

    @cached_property
    def paper(self) -> Paper:
        """The eye's picture, with room for title and legend."""
        return fit(self.stage.camera, self.wanted.size, (60.0, 56.0, 60.0, 66.0 + 18.0 * len(self.stage.legend)))

    @cached_property
    def shapes(self) -> tuple[Shape, ...]:
        """What is wanted of the shapes."""
        asked = {"names": self.wanted.names, "trails": self.wanted.trails, "frames": self.wanted.frames}
        return tuple(s for s in self.stage.shapes if asked.get(s.layer, True))

    @cached_property
    def _corners(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Frames and points of all shapes in a row, and where each shape's points begin."""
        frames = [k for s in self.shapes for k in s.frames]
        points = [p for s in self.shapes for p in s.points]
        return np.array(frames, int), np.array(points, float), np.cumsum([0, *(len(s.points) for s in self.shapes)])

    @cached_property
    def _poses(self) -> tuple[np.ndarray, np.ndarray]:
        """Positions and attitudes with those of the world at the end, where the number -1 finds them."""
        machine = self.stage.machine
        n = machine.times.size
        still = np.broadcast_to(np.eye(3), (n, 1, 3, 3))
        return (
            np.concatenate([machine.positions, np.zeros((n, 1, 3))], axis=1),
            np.concatenate([machine.attitudes, still], axis=1),
        )

    @cached_property
    def _base(self) -> Image.Image:
        """What is the same in every picture."""
        image = brush.blank(self.wanted.size)
        pen, (width, height) = ImageDraw.Draw(image), self.wanted.size
        brush.word(pen, (14, 22), self.caption, INK, 14.0)
        for k, row in enumerate(reversed(self.stage.legend)):
            self._legend_row(pen, row, height - 34.0 - 18.0 * k)
        self._gravity(pen, np.array([width - 30.0, 44.0]))
        return image

    def picture(self, k: int, clock: str, share: float) -> Image.Image:
        """The picture at the k-th time; clock: what is written below it; share: of the film that has passed."""
        frames, points, starts = self._corners
        positions, attitudes = self._poses
        places = positions[k, frames] + np.einsum("nij,nj->ni", attitudes[k, frames], points)
        put = self.paper.put(places)
        things = [
            thing
            for shape, a, b in zip(self.shapes, starts, starts[1:], strict=False)
            for thing in self._things(shape, put[a:b], k)
        ]
        image = self._base.copy()
        pen = ImageDraw.Draw(image)
        for _, paint in sorted([*things, *self._arrows(k)], key=lambda thing: thing[0]):
            paint(pen)
        clock_and_bar(pen, self.wanted.size, clock, share)
        return image.reduce(brush.FINE)

    # -- shapes --------------------------------------------------------------------------------------------------------

    def _things(self, shape: Shape, at: np.ndarray, k: int) -> list[tuple[float, Paint]]:
        """What a shape consists of, with its depth."""
        xy, depth = at[:, :2], float(at[:, 2].mean())
        grown = float(at[0, 3])
        match shape.kind:
            case "line":
                return _cut(at, shape)
            case "face":
                return [
                    (depth + NEARER * self.stage.radius, lambda pen: brush.face(pen, xy, shape.colour, shape.width))
                ]
            case "panel":
                light = brush.facing(at)
                paint = lambda pen: brush.panel(pen, xy, shape.colour, shape.width, light)  # noqa: E731
                return [(depth, paint)] if light > 0 else []
            case "ball":
                paint = lambda pen: brush.ball(pen, xy[0], shape.radius * grown, shape.colour)  # noqa: E731
                return [(depth + shape.radius, paint)]
            case "coil":
                points = brush.coil(xy[0], xy[1], shape.radius * grown)
                return [(depth, lambda pen: brush.stroke(pen, points, shape.colour, shape.width))]
            case "damper":
                lines = brush.dashpot(xy[0], xy[1], shape.radius * grown)
                return [(depth, lambda pen: _strokes(pen, lines, shape))]
            case "arrow":
                depth = depth if shape.layer == "machine" else 0.2 * FRONT
                return [(depth, lambda pen: brush.arrow(pen, xy[0], xy[1], shape.colour, shape.width))]
            case "word":
                return [(FRONT, lambda pen: self._word(pen, xy[0], shape))]
            case _:
                return self._trail(shape, k)

    def _word(self, pen: ImageDraw.ImageDraw, at: np.ndarray, shape: Shape) -> None:
        """Text beside a point, within the picture."""
        length = brush.length(shape.text)
        left = at[0] + shape.shift[0] - (length if shape.shift[0] < 0 else 0.0)
        left = min(max(left, 3.0), max(self.wanted.size[0] - length - 3.0, 3.0))
        brush.word(pen, (left, at[1] + shape.shift[1]), shape.text, shape.colour)

    def _trail(self, shape: Shape, k: int) -> list[tuple[float, Paint]]:
        """Where a point has been lately."""
        way, now = self.stage.way, self.stage.machine.times[k]
        last = int(np.searchsorted(way.times, now, side="right")) - 1
        first = max(0, last - int(TRAIL * way.times.size))
        at = np.unique(np.linspace(first, last, min(last - first, MARKS) + 1).astype(int))
        if at.size < 2:
            return []
        frame, point = shape.frames[0], np.array(shape.points[0])
        line = self.paper.put(way.positions[at, frame] + way.attitudes[at, frame] @ point)[:, :2]
        return [(BEHIND, lambda pen: brush.stroke(pen, line, brush.blended(shape.colour, 0.4), shape.width))]

    # -- loads ---------------------------------------------------------------------------------------------------------

    def _arrows(self, k: int) -> list[tuple[float, Paint]]:
        positions, attitudes = self._poses
        found: list[tuple[float, Paint]] = []
        for load in self.stage.loads:
            tail = positions[k, load.on] + attitudes[k, load.on] @ np.array(load.point)
            ends = self.paper.put(np.array([tail, tail + self.stage.scales[load.kind] * load.values[k]]))
            found.append((0.5 * FRONT, _arrow(ends, LOAD_COLOURS[load.role], load.kind)))
        return found

    def _legend_row(self, pen: ImageDraw.ImageDraw, row: LegendRow, y: float) -> None:
        """A sample arrow, as long as in the middle of the scene, and its words."""
        length = row.value * self.stage.scales[row.kind] * self.paper.scale
        ends = np.array([[14.0, y - 4.0], [14.0 + length, y - 4.0]])
        _arrow(ends, LOAD_COLOURS[row.role], row.kind)(pen)
        brush.word(pen, (24.0 + length, y), row.text, SOFT, 11.0)

    def _gravity(self, pen: ImageDraw.ImageDraw, at: np.ndarray) -> None:
        """Which way things fall."""
        size = float(np.linalg.norm(self.stage.machine.gravity))
        if size:
            camera = self.stage.camera
            way = camera.seen(camera.centre + self.stage.machine.gravity / size)[:2] * [34.0, -34.0]
            brush.arrow(pen, at - 0.5 * way, at + 0.5 * way, SOFT, 1.6)
            brush.word(pen, at + np.array([-14.0, 4.0]), "g", SOFT)


def _arrow(ends: np.ndarray, colour: str, kind: str) -> Paint:
    return lambda pen: brush.arrow(pen, ends[0, :2], ends[1, :2], colour, 2.6, 2 if kind == "torque" else 1)


def _cut(at: np.ndarray, shape: Shape) -> list[tuple[float, Paint]]:
    """A line in pieces, so that it can pass behind one thing and before another."""
    if shape.pieces == 1:
        return [(float(at[:, 2].mean()), _stroke(at[:, :2], shape))]
    shares = np.linspace(0.0, 1.0, shape.pieces + 1)[:, None]
    along = at[0] + shares * (at[1] - at[0])
    return [(float(along[k : k + 2, 2].mean()), _stroke(along[k : k + 2, :2], shape)) for k in range(shape.pieces)]


def _stroke(points: np.ndarray, shape: Shape) -> Paint:
    return lambda pen: brush.stroke(pen, points, shape.colour, shape.width)


def _strokes(pen: ImageDraw.ImageDraw, lines: Any, shape: Shape) -> None:
    for line in lines:
        brush.stroke(pen, line, shape.colour, shape.width)


def clock_and_bar(pen: ImageDraw.ImageDraw, size: tuple[int, int], clock: str, share: float) -> None:
    """The time below the picture, and how much of the film has passed."""
    width, height = size
    brush.word(pen, (width - 14, height - 14), clock, INK, 12.0, "rs")
    for end, colour in ((1.0, "#d9dde3"), (share, "#5b6472")):
        brush.stroke(pen, np.array([[0.0, height - 2.0], [end * width, height - 2.0]]), colour, 4.0)
