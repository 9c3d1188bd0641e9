"""What the rest of the house needs to know of a method beside its step."""

from __future__ import annotations

import math
from dataclasses import dataclass


@dataclass(frozen=True)
class Cost:
    """Figures from which the work of a run is estimated before it begins.

    per_radian: steps a radian at a relative tolerance of 1e-6, measured with oscillators. evaluations: of the model in
    a step, with those of the dense output. own: operations of the method itself, a step and state.
    """

    per_radian: float
    evaluations: float
    own: float


@dataclass(frozen=True)
class Traits:
    """Stability, margins and cost of a method.

    border: |λ| h at which it ceases to be stable to the left, about; infinite for A-stable ones. reach: the same for
    the longest step that it is given, well inside the border. margin: the part of the tolerance to which each step is
    kept, as errors add up along a run. cost: None for a method that is taken only where it is asked for.
    """

    border: float = math.inf
    reach: float = math.inf
    margin: float = 1.0
    cost: Cost | None = None
