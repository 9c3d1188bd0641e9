"""The clock of sampled blocks: which sample times are due, and when the next one is."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Clock:
    """Sample times of several periods  [s], counted in whole periods so that they never drift."""

    periods: tuple[float, ...]

    def after(self, t: float) -> float:
        """The first sample time later than t; infinite where nothing is sampled."""
        return min((self._next(period, t) for period in self.periods), default=float("inf"))

    def due(self, t: float) -> set[float]:
        """The periods of which t is a sample time."""
        return {period for period in self.periods if abs(round(t / period) * period - t) <= 1e-12 * max(period, abs(t))}

    @staticmethod
    def _next(period: float, t: float) -> float:
        k = round(t / period)
        while k * period <= t + 1e-12 * max(period, abs(t)):
            k += 1
        return k * period
