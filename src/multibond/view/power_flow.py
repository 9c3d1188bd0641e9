"""Power over a run, drawn: every bond as thick as its power, at a time, on the average, or as a page that plays it.

>>> run.power_flow("flow.html")                       # plays the run
>>> run.power_flow("start.svg", at=0.2, depth=2)      # one instant
>>> run.power_flow("mean.svg", average=True)          # mean power
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from html import escape

import numpy as np

from multibond.border import public
from multibond.errors import Finding, ModelError
from multibond.solve.audit import NODES, WEIGHTS
from multibond.solve.solution import Solution
from multibond.view.bond_values import Carried
from multibond.view.draw import written
from multibond.view.marks import Drawing
from multibond.view.power_drawing import power_drawing
from multibond.view.power_page import Film, page
from multibond.view.power_scale import LEAST, WIDEST, Scale, scale_of
from multibond.view.power_subject import Look, Subject, look_of, subject_of

ENDINGS = {".html": "html", ".htm": "html", ".svg": "svg", ".tex": "tikz", ".tikz": "tikz"}
"""Formats by the ending of a file."""
FEWEST, MOST = 200, 800
"""Pictures in a page."""
NUMBERS = 600_000
"""About how many numbers a page may hold: large graphs get fewer pictures."""
PANELS, BATCH = 5000, 2000
"""Stretches at most over which a mean is taken, and times that are looked at together."""
NOISE = 1e-12
"""Power this small beside the products of effort and flow that it is the sum of is rounding."""


@dataclass(frozen=True)
class Request:
    """What is wanted: at a time  [s], or the average, else the film; `scale`, `full`  [W] and `threshold` of it."""

    at: float | None = None
    average: bool = False
    scale: str = "root"
    full: float | None = None
    threshold: float = LEAST

    @property
    def film(self) -> bool:
        """Whether it is the whole run, else a still."""
        return self.at is None and not self.average


@public
@dataclass(frozen=True)
class PowerFlow:
    """The drawing of a run's power; shows itself in a notebook. `t` and `powers` are the numbers behind it."""

    solution: Solution
    subject: Subject
    request: Request

    @property
    def film(self) -> bool:
        """Whether it is the whole run, else a still."""
        return self.request.film

    @cached_property
    def t(self) -> np.ndarray:
        """Times of the pictures  [s]: many of the run, or the one of a still; none for an average."""
        if self.request.at is not None:
            return np.array([self.request.at], float)
        return np.zeros(0) if self.request.average else self._samples

    @cached_property
    def powers(self) -> dict[str, np.ndarray]:
        """Power of every bond along its half-arrow  [W] at these times, by name; the mean, for an average."""
        names = [way.name for way in self.subject.ways]
        if self.request.average:
            return dict(zip(names, mean_powers(self.solution, self.subject), strict=True))
        return {name: carried.power for name, carried in zip(names, self._carried, strict=True)}

    @cached_property
    def _samples(self) -> np.ndarray:
        """Evenly spaced times over the run."""
        first, last = float(self.solution.t[0]), float(self.solution.t[-1])
        numbers = sum(1 + 2 * c.effort.shape[1] for c in self.subject.carried(self.solution.t[:1]))
        count = int(np.clip(2 * self.solution.t.size, FEWEST, min(MOST, max(NUMBERS // numbers, FEWEST // 2))))
        return np.linspace(first, last, count)

    @cached_property
    def _carried(self) -> list[Carried]:
        return self.subject.carried(self.t)

    @cached_property
    def scale(self) -> Scale:
        """Thickness by power; of a still at a time the same as that of the whole run, so that stills compare."""
        asked = self.request
        over = self._carried if self.film else self.subject.carried(self._samples)
        peaks = [_peak(carried.power) for carried in over]
        noise = NOISE * max((_peak(np.abs(c.effort * c.flow).sum(axis=1)) for c in over), default=0.0)
        most = [_peak(power) for power in self.powers.values()] if asked.average else peaks
        most = [value if value > noise else 0.0 for value in most]
        return scale_of(most, WIDEST[self.subject.kind], asked.scale, asked.full, asked.threshold)

    def drawing(self) -> Drawing:
        """The still; of a film what its page puts the power on."""
        ways = self.subject.ways
        if self.film:
            return power_drawing(self.subject.scene, ways, self.scale)
        powers = [float(np.ravel(power)[0]) for power in self.powers.values()]
        return power_drawing(self.subject.scene, ways, self.scale, powers, self.note)

    @property
    def note(self) -> str:
        """What the picture shows, in words."""
        first, last = self.solution.t[0], self.solution.t[-1]
        if self.request.average:
            return f"mean power from {first:g} s to {last:g} s"
        return f"power at {self.t[0]:g} s"

    def text(self, format: str | None = None) -> str:
        """The page ("html") or the still ("svg", "tikz") as text."""
        chosen = format or ("html" if self.film else "svg")
        require_format(self.request, chosen)
        return self._page if self.film else written(self.drawing(), chosen)

    @cached_property
    def _page(self) -> str:
        return page(Film(self.drawing(), self.subject, self.t, self._carried, self.scale))

    def _repr_html_(self) -> str:
        if not self.film:
            return self.text("svg")
        height = int(min(max(self.drawing().paper.height + 120.0, 320.0), 720.0))
        style = f"width:100%;height:{height}px;border:0"
        return f'<iframe srcdoc="{escape(self.text())}" style="{style}" title="power flow"></iframe>'

    def __repr__(self) -> str:
        told = "film" if self.film else self.note
        return f"PowerFlow ({told}): {len(self.subject.ways)} bonds, up to {self.scale.full:.4g} W"


__all__ = ["ENDINGS", "Look", "PowerFlow", "Request", "look_of", "power_flow", "require_format"]


def power_flow(solution: Solution, request: Request | None = None, look: Look | None = None) -> PowerFlow:
    """The power of a run on the drawing of its graph."""
    asked = request or Request()
    if asked.at is not None and asked.average:
        fact = "One is an instant, the other all of the run."
        raise ModelError(Finding("power cannot be drawn at a time and on the average.", fact, "Leave one out."))
    if asked.at is None and not solution.t[-1] > solution.t[0]:
        fact = f"It begins and ends at {solution.t[0]:g} s."
        raise ModelError(
            Finding("the run has no length to draw power over.", fact, "Simulate for longer, or give at=.")
        )
    made = PowerFlow(solution, subject_of(solution, look or Look()), asked)
    assert made.scale and made.powers is not None  # what is wrong with the request is told here, not when it is shown
    return made


def mean_powers(solution: Solution, subject: Subject) -> list[np.ndarray]:
    """Mean power of every bond over the run  [W], by Gauss' quadrature on every step."""
    total: np.ndarray | None = None
    for times, weights in _panels(solution.t):
        part = np.array([weights @ carried.power for carried in subject.carried(times)])
        total = part if total is None else total + part
    assert total is not None
    return list(total / float(solution.t[-1] - solution.t[0]))


def _panels(t: np.ndarray) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Times and weights for an integral over the run, some at a time."""
    ends = t if t.size <= PANELS + 1 else np.linspace(t[0], t[-1], PANELS + 1)
    steps = np.diff(ends)
    times = (ends[:-1, None] + 0.5 * steps[:, None] * (NODES + 1)).ravel()
    weights = (0.5 * steps[:, None] * WEIGHTS).ravel()
    count = math.ceil(times.size / BATCH)
    yield from zip(np.array_split(times, count), np.array_split(weights, count), strict=True)


def _peak(values: np.ndarray) -> float:
    finite = np.abs(values[np.isfinite(values)]) if np.ndim(values) else np.abs(np.atleast_1d(values))
    return float(finite.max(initial=0.0))


def require_format(request: Request, format: str) -> None:
    """Refuse a still as a page, and a run as a picture."""
    if request.film == (format == "html"):
        return
    if format == "html":
        fact = "With a time or the average it is one picture."
        raise ModelError(Finding("a still is no page.", fact, "Name a file .svg or .tex."))
    fact = "Without a time and without the average it is the whole run, which a page plays."
    cure = "Name a file .html, or ask for a time (at) or the average."
    raise ModelError(Finding(f"a run is no {format} picture.", fact, cure))
