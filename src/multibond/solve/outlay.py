"""What a run will cost with each solver, estimated from the modes of its start.

Steps: a mode asks for a number of steps a radian that grows as the root of the tolerance (of the method's order), as
long as its amplitude is above the tolerance, and so do a joint that turns and a source that swings. An explicit method
must besides follow every mode that dies out with steps inside the border of its stability, until the end. At each time
the most demanding one counts.
Operations of a step: evaluations of the model, and what the method computes itself; for the implicit one the Jacobian,
its factors and a solution for each stage.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from multibond.lower.operations import operations
from multibond.lower.system import System, model_function, right_hand_side, slope
from multibond.solve.driving import Driving
from multibond.solve.eigenmodes import Spectrum
from multibond.solve.methods import METHODS
from multibond.solve.traits import Cost

TIMES = 240
"""Instants at which the modes are looked at, close together at the start."""


@dataclass(frozen=True)
class Outlay:
    """Estimated work of a run: steps, and operations in all."""

    steps: float
    operations: float

    def __str__(self) -> str:
        steps, each = (float(f"{count:.2g}") for count in (self.steps, self.operations / self.steps))
        return f"{steps:,.0f} step{'s' * (steps != 1)} of {each:,.0f} operations"


@dataclass(frozen=True)
class Demand:
    """What is asked of a run: its length  [s], tolerances; the absolute one for each state. driven: by its sources."""

    until: float
    rtol: float
    atol: np.ndarray
    driven: Driving | None = None

    @cached_property
    def times(self) -> np.ndarray:
        """The instants at which the modes are looked at."""
        return instants(self.until)


def accuracy_steps(solver: str, modes: Spectrum, demand: Demand) -> np.ndarray:
    """Steps a second that accuracy asks for, at each of `instants`."""
    order = METHODS[solver].order
    times = demand.times
    size = modes.rest + modes.amplitude.sum(axis=1)
    relative = modes.amplitude / (size + demand.atol / demand.rtol)[:, None]
    falls = np.exp(np.minimum(np.real(modes.values), 0.0)[:, None] * times)
    part = relative.max(axis=0)[:, None] * falls
    floor = _kept_part(modes, demand)
    alive = np.minimum(1.0, part / np.maximum(part, floor[:, None]))
    pace = _cost(solver).per_radian * (1e-6 / demand.rtol) ** (1 / order)
    swings = (np.abs(modes.values)[:, None] * alive ** (1 / order)).max(axis=0)
    return pace * np.maximum(swings, max(modes.turning, _driven(modes, demand, order)))


def _cost(solver: str) -> Cost:
    found = METHODS[solver].traits.cost
    assert found is not None
    return found


def _driven(modes: Spectrum, demand: Demand, order: int) -> float:
    """How fast sources swing  [rad/s], those less that move a state by a small part of its size."""
    if demand.driven is None:
        return 0.0
    moved = demand.driven.amplitudes
    part = moved / (moved + modes.rest + modes.amplitude.sum(axis=1) + demand.atol / demand.rtol)
    return float((demand.driven.rates * part ** (1 / order)).max(initial=0.0))


def _kept_part(modes: Spectrum, demand: Demand) -> np.ndarray:
    """The part of its size at the start below which a mode's error is judged by what else the states hold."""
    size = modes.rest + modes.amplitude.sum(axis=1) + demand.atol / demand.rtol
    left = (modes.rest + demand.atol / demand.rtol) / size
    return np.array([left[int(np.argmax(column / size))] for column in modes.amplitude.T])


def instants(until: float) -> np.ndarray:
    """Times over a run, close together at its start."""
    return np.concatenate([[0.0], until * np.geomspace(1e-9, 1.0, TIMES)])


def outlay(solver: str, system: System, modes: Spectrum, demand: Demand, longest: float = np.inf) -> Outlay:
    """The estimated work of a run by a solver with steps no longer than `longest`  [s]."""
    density = accuracy_steps(solver, modes, demand)
    border = METHODS[solver].traits.border
    if border < np.inf:
        falling = float(np.abs(np.extract(np.real(modes.values) < 0, modes.values)).max(initial=0.0))
        density = np.maximum(density, falling / border)
    density = np.maximum(density, 1.0 / longest)
    steps = max(1.0, float(np.trapezoid(density, demand.times)))
    return Outlay(steps, steps * step_operations(solver, system))


def step_operations(solver: str, system: System) -> float:
    """Operations of one step; what sensors gather that nothing reads is not counted."""
    return system.kept.get(("operations", solver), lambda: _counted(solver, system))


def _counted(solver: str, system: System) -> float:
    r, counted = system.reduced, np.flatnonzero(~system.silent).tolist()
    n, model = len(counted), sum(operations(model_function(r, right_hand_side(r)[counted])))
    cost = _cost(solver)
    work = cost.evaluations * model + cost.own * n
    if METHODS[solver].implicit:
        both = (slope(r, r.whole.x)[counted, counted], slope(r, r.whole.t)[counted, :])
        slopes = sum(sum(operations(model_function(r, each))) for each in both)
        work += slopes + 2 / 3 * n**3 + 2 * METHODS[solver].stages * n**2
    return work
