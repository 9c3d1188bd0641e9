"""How true a run is: the error of its result, from a companion of the same system at a hundredth of its tolerance.

The difference of two runs is the error of the worse one, as long as the other is clearly better. Where modes change or
something hits a stop, the two do so at slightly different times: between these a variable that jumps has no error that
means anything, so that the time is left out and the shift of the instant is told instead. Where errors grow
exponentially the motion is chaotic: a run tells the motion for a while, and what it is like after that.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from multibond.errors import unknown_name
from multibond.report import Item, Report, Rows, as_text
from multibond.solve.solution import Solution
from multibond.structure.floats import parasitic

TIGHTER = 100.0
"""The companion's tolerance is so many times smaller."""
SHORTER = 4.0
"""Fixed steps are so many times shorter in the companion."""
ROUNDING = 16.0 * 2.0**-52
"""Errors below this part of a variable's size come from rounding, and are not told smaller."""
INSIDE = np.array([0.0, 0.25, 0.5, 0.75])
"""Where in each step the two are compared."""
CHAOS = 1e4
"""Growth of an error over the last three quarters of a run that no smooth motion has: there t squared makes 16."""
LOST = 0.1
"""An error of this part of a variable's size leaves nothing of it."""
NEAR = 2.0
"""So many shifts around an instant are left out."""


@dataclass(frozen=True)
class ErrorEstimate:
    """The error of one variable: largest over the run and when; `error(t)` is that at a time, or at several.

    size: largest size of the variable. tenfold: time in which the error grows tenfold, where it does so exponentially;
    lost: from when on it is as large as the variable  [s].
    """

    name: str
    largest: float
    time: float
    size: float
    times: np.ndarray
    errors: np.ndarray
    tenfold: float | None = None
    lost: float | None = None

    def __call__(self, time: Any) -> Any:
        return np.interp(time, self.times, self.errors)

    @property
    def relative(self) -> float:
        """The largest error in parts of the variable's largest size."""
        return self.largest / self.size if self.size else 0.0

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON, without the course over time."""
        names = ("name", "largest", "time", "size", "relative", "tenfold", "lost")
        return {name: getattr(self, name) for name in names}

    @property
    def row(self) -> list[str]:
        """Name, largest error, and what there is to it."""
        more = f"; errors grow tenfold every {self.tenfold:.3g} s" if self.tenfold else ""
        gone = f"; nothing of it is left after {self.lost:.4g} s" if self.lost is not None else ""
        return [self.name, f"{self.largest:.2g}", f" at {self.time:.4g} s, {self.relative:.1g} of its size{more}{gone}"]

    def __str__(self) -> str:
        return as_text([_table([self])])


@dataclass(frozen=True)
class Accuracy(Report):
    """Estimated errors of a run, by variable; prints itself.

    how: the companion in words. shift: the most by which an instant (change of mode, hit) is displaced  [s]. parted:
    from when on the companion goes through other instants  [s], so that errors beyond are those of another course.
    soft: whether springs and dampers stand for constraints in both runs, which makes an error that no companion sees.
    """

    how: str
    estimates: tuple[ErrorEstimate, ...]
    shift: float = 0.0
    parted: float | None = None
    soft: bool = False

    def __getitem__(self, name: str) -> ErrorEstimate:
        found = {each.name: each for each in self.estimates}
        if name not in found:
            raise unknown_name("the estimate of errors", name, found)
        return found[name]

    @property
    def chaotic(self) -> bool:
        """Whether errors grow exponentially."""
        return any(each.tenfold for each in self.estimates)

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON."""
        rows = [each.to_dict() for each in self.estimates]
        about = {name: getattr(self, name) for name in ("how", "shift", "parted", "soft", "chaotic")}
        return about | {"errors": rows}

    def description(self) -> list[Item]:
        """Variable by variable, then what instants do to them."""
        lines: list[Item] = [f"estimated errors, against {self.how}"]
        lines += [_table(self.estimates)] if self.estimates else []
        if self.shift:
            lines.append(f"instants (changes of mode, hits) are displaced by up to {self.shift:.2g} s")
        if self.parted is not None:
            lines.append(
                f"from {self.parted:.6g} s on both go through other instants: do not trust single values there"
            )
        if self.soft:
            lines.append("springs and dampers stand for constraints (method 'rc'): what they change is not among these")
        return lines


def _table(estimates: Sequence[ErrorEstimate]) -> Rows:
    return Rows([each.row for each in estimates], right=(1,), least=(28, 10), gap="")


def companion_tolerances(rtol: float, atol: float, step: float | None) -> tuple[float, float, float | None]:
    """Tolerances and fixed step of the companion."""
    return rtol / TIGHTER, atol / TIGHTER, None if step is None else step / SHORTER


def compare(run: Solution, other: Solution, names: list[str], how: str) -> Accuracy:
    """The errors of a run, by its difference from a better one."""
    shifts, parted = _shifts(run, other)
    end = min(float(run.t[-1]), float(other.t[-1]))
    times = _compared(run.t[run.t <= end], shifts)
    sizes = [run.size_of(name) for name in names]
    places = np.cumsum([0, *sizes])[:-1] if sizes else []
    values, apart = run.values(names, times), np.abs(run.values(names, times) - other.values(names, times))
    found = [
        _estimate(name, times, values[:, k : k + size], apart[:, k : k + size])
        for name, k, size in zip(names, places, sizes, strict=True)
    ]
    soft = any(parasitic(item) for item in run.system.dae.graph.elements.values())
    return Accuracy(how, tuple(found), max((shift for _, shift in shifts), default=0.0), parted, soft)


def _compared(t: np.ndarray, shifts: list[tuple[float, float]]) -> np.ndarray:
    """Times within all steps, without those next to an instant at which the two are in different modes."""
    times = np.append((t[:-1, None] + np.diff(t)[:, None] * INSIDE).ravel(), t[-1:])
    for instant, shift in shifts:
        near = NEAR * shift + 1e-12 * float(t[-1])
        times = times[np.abs(times - instant) > near]
    return np.unique(times)


def _shifts(run: Solution, other: Solution) -> tuple[list[tuple[float, float]], float | None]:
    """Instants of a run with their displacement, and when the two begin to go through different ones."""
    mine, its = _instants(run), _instants(other)
    for k in range(max(len(mine), len(its))):
        if k >= min(len(mine), len(its)) or mine[k][1:] != its[k][1:]:
            ends = [each[k][0] for each in (mine, its) if k < len(each)]
            return _apart(mine[:k], its[:k]), min(ends)
    return _apart(mine, its), None


def _instants(run: Solution) -> list[tuple[float, str, str]]:
    told = [(c.time, c.path, c.mode) for c in run.changes] + [(h.time, h.path, h.side) for h in run.hits]
    return sorted(told)


def _apart(mine: list[tuple[float, str, str]], its: list[tuple[float, str, str]]) -> list[tuple[float, float]]:
    return [(a[0], abs(a[0] - b[0])) for a, b in zip(mine, its, strict=True)]


def _estimate(name: str, times: np.ndarray, values: np.ndarray, apart: np.ndarray) -> ErrorEstimate:
    size = float(np.abs(values).max(initial=0.0))
    errors = np.maximum(apart.max(axis=1), ROUNDING * size)
    worst = int(errors.argmax())
    gone = np.flatnonzero(errors > LOST * size) if size else np.zeros(0, int)
    lost = float(times[gone[0]]) if gone.size else None
    grows = _tenfold(times, errors, size)
    return ErrorEstimate(name, float(errors[worst]), float(times[worst]), size, times, errors, grows, lost)


def _tenfold(times: np.ndarray, errors: np.ndarray, size: float) -> float | None:
    """In which time an error grows tenfold; None where it does not grow exponentially."""
    most = np.maximum.accumulate(errors)
    until = np.searchsorted(most, LOST * size) if size else most.size
    t, e = times[:until], most[:until]
    if t.size < 16 or not e[0] > 0:
        return None
    quarter = int(np.searchsorted(t, 0.25 * t[-1]))
    grown = float(np.log10(e[-1] / e[quarter]))
    return float((t[-1] - t[quarter]) / grown) if grown > np.log10(CHAOS) else None
