"""How far two runs are apart, variable by variable."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from multibond.border import public
from multibond.errors import Finding, ModelError
from multibond.report import Item, Report, Rows
from multibond.solve.solution import Solution

SAMPLES = 1000
"""Times at which two runs are compared."""


@public
@dataclass(frozen=True)
class Deviation(Report):
    """The largest difference of each variable over a run, in its unit, and its largest magnitude in the full run."""

    absolute: Mapping[str, float]
    scale: Mapping[str, float]

    @property
    def relative(self) -> dict[str, float]:
        """The largest difference of each variable as a fraction of its largest magnitude."""
        return {
            n: a / self.scale[n] if self.scale[n] else (0.0 if a == 0 else np.inf) for n, a in self.absolute.items()
        }

    @property
    def worst(self) -> float:
        """The largest of the relative differences."""
        return max(self.relative.values(), default=0.0)

    def description(self) -> list[Item]:
        """Variable by variable."""
        told = "differs by {:.3g}, {:.3g} % of its largest value"
        return [Rows([(n, told.format(self.absolute[n], 100 * part)) for n, part in self.relative.items()])]


def deviation(full: Solution, simple: Solution, names: Sequence[str] | None = None) -> Deviation:
    """How far a simplified run is from the full one: of the named variables, or of all states that both have.

    >>> deviation(run, simpler_run, ["tilt.q"]).worst
    """
    chosen = _common(full, simple) if names is None else list(names)
    t = np.linspace(full.t[0], min(full.t[-1], simple.t[-1]), SAMPLES)
    first, second = {n: full[n](t) for n in chosen}, {n: simple[n](t) for n in chosen}
    return Deviation(
        {n: float(np.abs(first[n] - second[n]).max()) for n in chosen},
        {n: float(np.abs(first[n]).max()) for n in chosen},
    )


def _common(full: Solution, simple: Solution) -> list[str]:
    names = [name for name in simple.system.state_names if name in set(full.system.state_names)]
    if not names:
        fact = "No state of the simplified model is a state of the full one."
        raise ModelError(Finding("there is nothing to compare.", fact, "Name variables that both models have."))
    return names
