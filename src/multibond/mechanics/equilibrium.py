"""Static equilibrium: where a machine stays at rest, and what small motions about it do."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from multibond import pipeline
from multibond.border import public
from multibond.equations.slopes import Slopes
from multibond.graph.graph import Graph
from multibond.graph.model import Model
from multibond.mechanics.descent import Descent
from multibond.mechanics.places import joint_values, told, value_of
from multibond.report import Item, Report
from multibond.solve.linearise import Linear, linearise
from multibond.solve.plant import Plant

DAMPED = 1e-6
"""Real parts of eigenvalues below this fraction of the largest eigenvalue are none."""


@public
@dataclass(frozen=True)
class Equilibrium(Report):
    """A position of rest: coordinates of all joints by name, its state, and what small motions about it do.

    system: begins there, so that `simulate(found.system, 10)` starts from the equilibrium.
    """

    system: Plant
    x: np.ndarray
    positions: dict[str, Any]
    linear: Linear

    @property
    def eigenvalues(self) -> np.ndarray:
        """Of small motions about it, the least damped first  [1/s]."""
        return self.linear.eigenvalues

    @cached_property
    def stability(self) -> str:
        """Small motions die out: "stable"; go on: "undamped"; grow: "unstable"; or go nowhere: "neutral"."""
        values = self.eigenvalues
        size = max(float(np.abs(values).max(initial=0.0)), 1e-300)
        if (np.real(values) > DAMPED * size).any():
            return "unstable"
        if (np.abs(values) <= DAMPED * size).any():
            return "neutral"
        return "stable" if (np.real(values) < -DAMPED * size).all() else "undamped"

    def __getitem__(self, name: str) -> Any:
        return value_of(self.positions, name)

    def description(self) -> list[Item]:
        """The position and what small motions about it do."""
        values = ", ".join(f"{v.real:.4g}{v.imag:+.4g}j" if v.imag else f"{v.real:.4g}" for v in self.eigenvalues[:8])
        return [f"equilibrium ({self.stability}): {told(self.positions)}", f"eigenvalues: {values or 'none'}"]

    def to_dict(self) -> dict[str, Any]:
        """As plain numbers and names."""
        values = {n: np.asarray(v).tolist() for n, v in self.positions.items()}
        spectrum = [[float(v.real), float(v.imag)] for v in self.eigenvalues]
        return {"positions": values, "stability": self.stability, "eigenvalues": spectrum, "state": self.x.tolist()}


def equilibrium(model: Model | Graph | Plant) -> Equilibrium:
    """The static equilibrium that a model comes to from its start: all speeds and accelerations zero.

    It goes downhill, so that it ends in a stable position where there is one; from a position of rest it does not
    move. What drives the machine is held as at the time 0.

    >>> print(equilibrium(scale))
    """
    system = model if isinstance(model, Plant) else pipeline.compile(model)
    descent = Descent(system)
    x = descent.run()
    positions = joint_values(system.observer, x, system.parameters, "q")
    linear = replace(linearise(system, Slopes(system.reduced), x), tangent=descent.directions(x))
    return Equilibrium(replace(system, x0=x), x, positions, linear)
