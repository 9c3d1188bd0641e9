"""Animations of runs: a page to play with, or the pictures of a film. Shows itself in notebooks.

Models without mechanics show their states as running curves.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from multibond.border import public
from multibond.solve.solution import Solution
from multibond.view.framed import inline
from multibond.view.page import page
from multibond.view.showing import FEWEST, MOST, Showing
from multibond.view.stage import stage_of

PAGE_RATE, FILM_RATE, GIF_RATE = 60.0, 30.0, 25.0
FINER = 4
"""Points of a trail for each picture of a film."""


@public
@dataclass(frozen=True)
class Film:
    """Pictures at times of a run; remark: what stands behind the time."""

    times: np.ndarray
    painter: Any
    remark: str

    @property
    def count(self) -> int:
        """Number of pictures."""
        return self.times.size

    def picture(self, k: int) -> Any:
        """The k-th picture, as a Pillow image."""
        start, end, time = self.times[0], self.times[-1], self.times[k]
        digits = max(0, 2 - int(np.floor(np.log10((end - start) or 1.0))))
        clock = f"{time:.{digits}f} s of {end:.{digits}f} s{self.remark}"
        return self.painter.picture(k, clock, float((time - start) / ((end - start) or 1.0)))


@public
@dataclass(frozen=True, repr=False)
class Animation:
    """A run in motion: `html` is a self-contained page, `film` has the pictures of a film; notebooks show the page.

    Drag to turn, wheel to zoom, space to play. `#t=1.5` behind the address opens the page at 1.5 s, paused.
    """

    solution: Solution
    wanted: Showing

    @property
    def title(self) -> str:
        """What stands over it."""
        return self.wanted.title or self.solution.system.recipe.name or "run"

    @cached_property
    def html(self) -> str:
        """The page."""
        times = picture_times(*self._span, self.wanted.fps or PAGE_RATE)
        stage = stage_of(self.solution, times, self.wanted)
        if stage is not None:
            return page(self.title, times, stage, self.wanted)
        from multibond.view.curves import curves_of

        return page(self.title, times, curves_of(self.solution, times), self.wanted)

    def film_times(self, fps: float) -> np.ndarray:
        """Times of the run at the pictures of a film, its start and end among them."""
        start, end = self._span
        count = max(round((end - start) / self.wanted.pace(end - start) * fps), 1)
        return np.linspace(start, end, count + 1) if end > start else np.array([start])

    def film(self, fps: float) -> Film:
        """The pictures of a film."""
        return self._film(self.film_times(fps))

    def picture(self, time: float) -> Any:
        """The picture at a time  [s], as a Pillow image."""
        times = np.unique([*self.film_times(FILM_RATE), time])
        return self._film(times).picture(int(np.searchsorted(times, time)))

    @property
    def _span(self) -> tuple[float, float]:
        return float(self.solution.t[0]), float(self.solution.t[-1])

    def _film(self, times: np.ndarray) -> Film:
        start, end = self._span
        pace = self.wanted.pace(end - start)
        return Film(times, self._painter(times), "" if pace == 1.0 else f", {pace:.2g}×")

    def _painter(self, times: np.ndarray) -> Any:
        stage = stage_of(self.solution, times, self.wanted, FINER)
        if stage is not None:
            from multibond.view.painter import StagePainter

            return StagePainter(stage, self.wanted, self.title)
        from multibond.view.curves import CurvePainter, curves_of

        return CurvePainter(times, curves_of(self.solution, times), self.wanted, self.title)

    def _repr_html_(self) -> str:
        return inline(self.html)

    def __repr__(self) -> str:
        start, end = self._span
        return f"Animation of {self.title!r} from {start:g} s to {end:g} s"


def animate(solution: Solution, wanted: Showing | None = None) -> Animation:
    """The animation of a run."""
    return Animation(solution, wanted or Showing())


def picture_times(start: float, end: float, fps: float) -> np.ndarray:
    """Times of the pictures of a page, the last at the end of the run."""
    count = int(np.clip(np.ceil((end - start) * fps) + 1, FEWEST, MOST))
    return np.linspace(start, end, count)
