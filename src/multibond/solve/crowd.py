"""Instants that crowd so that a run would not end: a formula with a jump every nanosecond, over seconds."""

from __future__ import annotations

from dataclasses import dataclass

from multibond.errors import Finding, SimulationError

LOOK = 2000
"""After so many instants it is asked how many are to come."""
MOST = 5e5
"""More fill the memory: each keeps some ten kilobytes."""


@dataclass
class Crowd:
    """Counts the instants of a run, and refuses one that would meet too many."""

    count: int = 0
    since: float = 0.0

    def pass_one(self, t: float, until: float) -> None:
        """One more instant, at a time; until: how far the run shall go."""
        self.count += 1
        if self.count % LOOK:
            return
        ahead = LOOK * (until - t) / max(t - self.since, 1e-300)
        if ahead > MOST:
            raise SimulationError(_endless(t, (t - self.since) / LOOK, ahead, until))
        self.since = t


def _endless(t: float, apart: float, ahead: float, until: float) -> Finding:
    return Finding(
        f"the run would not end: it meets an instant every {apart:.1e} s.",
        f"At {t:.6g} s about {ahead:.0e} jumps, samples and changes of mode are still to come until {until:.6g} s.",
        f"Let fewer come, or run for a shorter time; up to {MOST:.0e} are passed. The error's `run` is the run so far.",
    )
