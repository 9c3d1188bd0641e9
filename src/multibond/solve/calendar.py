"""The calendar of a run: all instants that are known before it begins, one after the other.

Samples come at the multiples of their periods, corners and jumps of formulas of the time where `Conditions` finds them.
Both are exact fractions of seconds, which are rounded once, when they are handed out: no instant drifts, however many
came before it. Instants that are nearer to one another than `AHEAD`, a part of the time, are one: a few roundings are
what arithmetic of a user leaves between times that are meant to be the same.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction

from multibond.equations.timed import AHEAD
from multibond.solve.exact import Conditions, exact


@dataclass
class _Beat:
    """Sample times of one period, and the next of them  [s]."""

    period: float
    numerator: int
    denominator: int
    count: int = 0
    time: float = 0.0

    def go_on(self) -> None:
        """To the next sample time: a quotient of whole numbers, rounded once."""
        self.count += 1
        self.time = self.count * self.numerator / self.denominator


def _beat(period: float) -> _Beat:
    fraction = exact(period)
    return _Beat(period, fraction.numerator, fraction.denominator)


@dataclass
class Calendar:
    """Instants known beforehand.

    next: the first one that is not passed yet  [s]. due: the periods of which it is a sample time.
    """

    periods: Sequence[float]
    next: float = 0.0
    due: frozenset[float] = frozenset()
    _beats: list[_Beat] = field(default_factory=list)
    _conditions: Conditions | None = None
    _corner: Fraction | None = None
    _passed: Fraction = Fraction(0)
    _end: float = 0.0

    def __post_init__(self) -> None:
        self._beats = [_beat(period) for period in self.periods]
        self._look()

    def follow(self, conditions: Conditions | None, t: float) -> None:
        """Take the corners after a time from other conditions: of another mode, or with other numbers."""
        if conditions is not self._conditions:
            self._conditions, self._passed = conditions, max(self._passed, Fraction(t))
            self._find_corner()
            self._look()

    def reached(self, t: float) -> bool:
        """Whether a time is the next instant, or so near to it that both are one."""
        return t >= self.next * (1.0 - AHEAD)

    def pass_on(self) -> frozenset[float]:
        """Pass the next instant; returns the periods of which it is a sample time."""
        due, end = self.due, self._end
        for beat in self._beats:
            while beat.time <= end:
                beat.go_on()
        self._passed = max(self._passed, Fraction(end))
        if self._corner is not None and self._corner <= self._passed:
            self._find_corner()
        self._look()
        return due

    def between(self, t: float, end: float) -> float:
        """A time in the midst of the way from a time to the next instant, or to an end before it."""
        return 0.5 * (t + min(self.next, end))

    def _find_corner(self) -> None:
        self._corner = None if self._conditions is None else self._conditions.after(self._passed)

    def _look(self) -> None:
        """What is next: the first of all, with whatever is one with it; a sample gives the time."""
        corner = math.inf if self._corner is None else float(self._corner)
        first = min([corner, *(beat.time for beat in self._beats)])
        self._end = first * (1.0 + AHEAD)
        due = [beat for beat in self._beats if beat.time <= self._end < math.inf]
        self.due = frozenset(beat.period for beat in due)
        self.next = min((beat.time for beat in due), default=first)
