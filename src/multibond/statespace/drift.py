"""What the literal formulae lose: equation (15) keeps the rates of the constraints, not the constraints.

Integrated as printed, by an adaptive Runge-Kutta method on (X, q), joints come apart a little with every step; a run
that is put back onto the constraints after each step does not. `drift` measures both.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from os import PathLike
from typing import Any

import numpy as np

from multibond.graph.graph import Graph
from multibond.graph.model import Model
from multibond.pipeline import simulate
from multibond.solve.tableau import DOPRI5
from multibond.statespace.build import statespace
from multibond.statespace.space import StateSpace

SHORTEST = 1e-10
"""A step below this fraction of the run counts as stuck."""


@dataclass(frozen=True)
class Drift:
    """Largest gap and largest flow of any opened joint over time, of the literal formula and of the projected run."""

    name: str
    rtol: float
    t: np.ndarray
    literal_gap: np.ndarray
    literal_flow: np.ndarray
    projected_t: np.ndarray
    projected_gap: np.ndarray
    projected_flow: np.ndarray

    def plot(self, path: str | PathLike[str] | None = None) -> Any:
        """Both over time, on a logarithmic scale (a matplotlib figure); saved to `path` if given."""
        from multibond.view.picture import Picture

        figure = Picture(figsize=(8.0, 5.6), layout="constrained")
        above, below = figure.subplots(2, 1, sharex=True)
        pairs = ((above, self.literal_gap, self.projected_gap, "largest gap [m, rad]"),
                 (below, self.literal_flow, self.projected_flow, "largest flow [m/s, rad/s]"))  # fmt: skip
        for axes, literal, projected, label in pairs:
            axes.semilogy(self.t, _shown(literal), color="#d55e00", label="equation (15) as it stands")
            axes.semilogy(self.projected_t, _shown(projected), color="#0072b2", label="projected after each step")
            axes.set_ylabel(label)
            axes.grid(True, alpha=0.3)
        above.legend(loc="center right")
        above.set_title(f"Constraints of {self.name!r} that should be zero (relative tolerance {self.rtol:g})")
        below.set_xlabel("time [s]")
        if path is not None:
            figure.savefig(path, dpi=130)
        return figure


def _shown(values: np.ndarray) -> np.ndarray:
    """Zero has no place on a logarithmic scale."""
    return np.maximum(values, 1e-18)


def drift(model: Model | Graph, until: float, *, rtol: float = 1e-6, atol: float = 1e-9) -> Drift:
    """Integrate the literal formulae beside the projected run of the same model and tolerance.

    >>> drift(crank, 10.0).plot("drift.png")
    """
    space = statespace(model)
    t, x = integrate(space.derivative, space.x0, until, rtol=rtol, atol=atol)
    run = simulate(model, until, method="multiplier", solver="dopri5", rtol=rtol, atol=atol)
    held = space.from_system(run.pieces[-1].system, run.trajectory.x, run.t)
    literal, projected = _measured(space, t, x), _measured(space, run.t, held)
    return Drift(space.name, rtol, t, *literal, run.t, *projected)


def _measured(space: StateSpace, times: np.ndarray, states: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    gaps = [space.gaps(x, t) for t, x in zip(times, states, strict=True)]
    flows = [space.violation(x, t=t) for t, x in zip(times, states, strict=True)]
    largest = [np.array([max(np.abs(v).max() for v in one.values()) for one in many]) for many in (gaps, flows)]
    return largest[0], largest[1]


def integrate(
    derivative: Callable[..., np.ndarray], x0: np.ndarray, until: float, *, rtol: float = 1e-6, atol: float = 1e-9
) -> tuple[np.ndarray, np.ndarray]:
    """Adaptive steps of Dormand and Prince, order 5, with nothing that holds constraints: times and states."""
    t, x, step = 0.0, np.asarray(x0, float), 1e-3 * until
    times, states, slope = [t], [x], derivative(x, None, 0.0)
    while t < until:
        step = min(step, until - t)
        new, end, error = _step(derivative, t, x, slope, step)
        size = np.sqrt(np.mean((error / (atol + rtol * np.maximum(np.abs(x), np.abs(new)))) ** 2))
        if size <= 1.0 or step < SHORTEST * until:
            t, x, slope = t + step, new, end
            times.append(t)
            states.append(x)
        step *= float(np.clip(0.9 * max(size, 1e-10) ** -0.2, 0.2, 5.0))
    return np.array(times), np.array(states)


def _step(
    derivative: Callable[..., np.ndarray], t: float, x: np.ndarray, slope: np.ndarray, h: float
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The state a step later, the derivative there, and the estimated error."""
    k = [slope]
    for c, row in zip(DOPRI5.c[1:], DOPRI5.a[1:], strict=True):
        k.append(derivative(x + h * sum(a * k[j] for j, a in row.items()), None, t + c * h))
    new = x + h * sum(b * k[j] for j, b in DOPRI5.b.items())
    k.append(derivative(new, None, t + h))
    return new, k[-1], h * sum((d * k[j] for j, d in DOPRI5.error[0].items()), np.zeros_like(x))
