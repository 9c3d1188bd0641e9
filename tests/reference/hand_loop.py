"""A sampled controller on a mass by hand: exact instants, zero-order hold by the matrix exponential, plain Python.

Times are fractions that are written down as such, so nothing here can be shared with the calendar under test.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import cache

import numpy as np
from scipy.linalg import expm

MASS, DAMPING = 2.0, 0.8


@dataclass(frozen=True)
class Signal:
    """A signal of straight pieces: value and slope just after a time, and its corners up to an end."""

    value: Callable[[Fraction], Fraction]
    slope: Callable[[Fraction], Fraction]
    corners: Callable[[Fraction], list[Fraction]]


def pieces(*rows: str) -> Signal:
    """From begin, value and slope of each piece, as fractions or decimals in words."""
    points = [tuple(map(Fraction, row.split())) for row in rows]

    def piece(t: Fraction) -> tuple[Fraction, ...]:
        return [p for p in points if p[0] <= t][-1]

    return Signal(
        lambda t: piece(t)[1] + piece(t)[2] * (t - piece(t)[0]),
        lambda t: piece(t)[2],
        lambda end: [p[0] for p in points if 0 < p[0] <= end],
    )


def repeated(cycle: Signal, start: str, every: str, before: str = "0") -> Signal:
    """A cycle, told from its own beginning, again and again from `start` on; `before` before."""
    begin, period, rest = Fraction(start), Fraction(every), Fraction(before)

    def since(t: Fraction) -> Fraction:
        return (t - begin) % period

    def corners(end: Fraction) -> list[Fraction]:
        count = int((end - begin) // period) + 1
        return [begin + k * period + c for k in range(count) for c in [Fraction(0), *cycle.corners(period)]]

    return Signal(
        lambda t: rest if t < begin else cycle.value(since(t)),
        lambda t: Fraction(0) if t < begin else cycle.slope(since(t)),
        corners,
    )


def still(value: float) -> Signal:
    """A constant."""
    return pieces(f"0 {value} 0")


@cache
def _push(h: Fraction) -> np.ndarray:
    """From (x, v, force, slope of the force) to (x, v) after a time."""
    rates = np.array([[0, 1, 0, 0], [0, -DAMPING / MASS, 1 / MASS, 0], [0, 0, 0, 1], [0, 0, 0, 0]], float)
    return expm(rates * float(h))[:2]


Controller = Callable[[Fraction, np.ndarray, float], float]
"""From the instant, the state (x, v) and the goal to the force that is held from now on."""


def run_by_hand(
    until: Fraction, periods: list[Fraction], control: Callable[[Fraction, set[int], np.ndarray, float], float],
    goal: Signal, load: Signal, wanted: list[Fraction],
) -> np.ndarray:  # fmt: skip
    """States at wanted times: the force is what `control` says when some of the periods (by number) are due."""
    samples = [{k * period for k in range(int(until / period) + 1)} for period in periods]
    instants = sorted({Fraction(0), *wanted, *load.corners(until), *(t for times in samples for t in times)})
    x, force, found = np.zeros(2), 0.0, {}
    for k, t in enumerate(instants):
        found[t] = x
        due = {j for j, times in enumerate(samples) if t in times}
        if due:
            force = control(t, due, x, float(goal.value(t)))
        if k + 1 < len(instants):
            x = _push(instants[k + 1] - t) @ [*x, force + float(load.value(t)), float(load.slope(t))]
    return np.array([found[t] for t in wanted])


def pid(
    gain: float, integral_time: float, period: Fraction
) -> Callable[[Fraction, set[int], np.ndarray, float], float]:
    """A sampled PI controller: v = k (r - m) + I, then I += k T (r - m) / Ti."""
    total = 0.0

    def control(t: Fraction, due: set[int], x: np.ndarray, goal: float) -> float:
        nonlocal total
        force = gain * (goal - x[0]) + total
        total += gain * float(period) * (goal - x[0]) / integral_time
        return force

    return control
