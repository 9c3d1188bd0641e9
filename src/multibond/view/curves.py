"""States as running curves, for models without mechanics: which ones, and their pictures for films."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from PIL import Image, ImageDraw

from multibond.solve.solution import Solution
from multibond.view import brush
from multibond.view.painter import clock_and_bar
from multibond.view.plot import state_names
from multibond.view.quantities import Quantities
from multibond.view.shapes import BODIES, INK, SOFT
from multibond.view.showing import Showing

LEFT, TOP, BELOW = 74.0, 46.0, 46.0


@dataclass(frozen=True)
class Curve:
    """A quantity over time; curves with the same axis share a panel."""

    name: str
    axis: str
    values: np.ndarray


def curves_of(solution: Solution, times: np.ndarray) -> tuple[Curve, ...]:
    """The states over time."""
    quantities, found = Quantities(solution), []
    for name in state_names(solution):
        kind, unit = quantities.of(name)
        values = np.asarray(solution[name](times)).reshape(times.size, -1)
        labels = [name] if values.shape[1] == 1 else [f"{name}[{k}]" for k in range(values.shape[1])]
        axis = f"{kind} [{unit}]" if unit else kind
        found += [Curve(label, axis, column) for label, column in zip(labels, values.T, strict=True)]
    return tuple(found)


@dataclass(frozen=True)
class CurvePainter:
    """Paints curves up to a time, one picture for each of the times."""

    times: np.ndarray
    curves: tuple[Curve, ...]
    wanted: Showing
    caption: str

    @cached_property
    def _panels(self) -> dict[str, list[Curve]]:
        found: dict[str, list[Curve]] = {}
        for curve in self.curves:
            found.setdefault(curve.axis, []).append(curve)
        return found

    @cached_property
    def _base(self) -> Image.Image:
        image = brush.blank(self.wanted.size)
        pen = ImageDraw.Draw(image)
        brush.word(pen, (14, 22), self.caption, INK, 14.0)
        if not self.curves:
            brush.word(pen, (24, 60), "This model has neither frames nor states: nothing moves.", SOFT)
        for k, axis in enumerate(self._panels):
            self._grid(pen, k, axis)
        return image

    def picture(self, k: int, clock: str, share: float) -> Image.Image:
        """The picture at the k-th time; clock: what is written below it; share: of the film that has passed."""
        image = self._base.copy()
        pen = ImageDraw.Draw(image)
        for panel, curves in enumerate(self._panels.values()):
            for n, curve in enumerate(curves):
                self._curve(pen, panel, curve, BODIES[n % len(BODIES)], k)
        clock_and_bar(pen, self.wanted.size, clock, share)
        return image.reduce(brush.FINE)

    def _range(self, axis: str) -> tuple[float, float]:
        values = np.concatenate([c.values for c in self._panels[axis]])
        finite = values[np.isfinite(values)]
        low, high = (float(finite.min()), float(finite.max())) if finite.size else (0.0, 1.0)
        return low, high if high > low else low + 1.0

    def _place(self, panel: int, axis: str, t: np.ndarray, values: np.ndarray) -> np.ndarray:
        """Points of a curve on paper."""
        width, height = self.wanted.size
        each = (height - TOP - BELOW) / len(self._panels)
        low, high = self._range(axis)
        first, last = self.times[0], self.times[-1]
        x = LEFT + (t - first) / ((last - first) or 1.0) * (width - LEFT - 24.0)
        y = TOP + (panel + 1) * each - 8.0 - (values - low) / (high - low) * (each - 26.0)
        return np.column_stack([x, y])

    def _grid(self, pen: ImageDraw.ImageDraw, panel: int, axis: str) -> None:
        low, high = self._range(axis)
        ends = self.times[[0, -1]]
        for value in np.linspace(low, high, 5):
            line = self._place(panel, axis, ends, np.array([value, value]))
            brush.stroke(pen, line, "#d9dde3", 1.0)
            brush.word(pen, line[0] + np.array([-6.0, 4.0]), f"{value:.3g}", SOFT, 10.0, "rs")
        top = self._place(panel, axis, ends[:1], np.array([high]))[0]
        brush.word(pen, top + np.array([4.0, -4.0]), axis, SOFT, 11.0)

    def _curve(self, pen: ImageDraw.ImageDraw, panel: int, curve: Curve, colour: str, k: int) -> None:
        good = np.isfinite(curve.values[: k + 1])
        points = self._place(panel, curve.axis, self.times[: k + 1][good], curve.values[: k + 1][good])
        if len(points) > 1:
            brush.stroke(pen, points, colour, 2.0)
        if len(points):
            brush.ball(pen, points[-1], 4.0, colour)
            late = points[-1, 0] > 0.8 * self.wanted.size[0]
            shift, anchor = ((-8.0, -8.0), "rs") if late else ((8.0, -8.0), "ls")
            brush.word(pen, points[-1] + np.array(shift), curve.name, colour, 11.0, anchor)
