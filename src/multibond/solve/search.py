"""The unknowns of a start, states and then sought parameters, and what its stages ask of them.

Parameters are counted in their own size, so that a step means the same for a stiffness and for an angle. Their change
is the first thing to keep small: they move where fixed values cannot hold otherwise. Then come guesses, then joints
whose flanges turn together, then what was not given.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import casadi as ca
import numpy as np

from multibond.equations.consistent import quaternion_starts
from multibond.equations.dae import Dae, Whole
from multibond.equations.nearest import LARGEST, Freedom, Values
from multibond.expr import SX, Function, column, entries
from multibond.solve.given import Given


@dataclass(frozen=True)
class Unknowns:
    """States, and entries of the parameters that are sought."""

    dae: Dae
    whole: Whole
    given: Given
    p: np.ndarray

    @cached_property
    def sought(self) -> np.ndarray:
        """Where sought parameters lie among all."""
        return sought_entries(self.dae)

    @cached_property
    def size(self) -> np.ndarray:
        """What each sought parameter is counted in: its guess, or one."""
        guess = self.dae.parameter_values[self.sought]
        return np.where(guess != 0.0, np.abs(guess), 1.0)

    def joined(self, x: np.ndarray, p: np.ndarray) -> np.ndarray:
        """The point of a state and parameters."""
        return np.concatenate([x, p[self.sought] / self.size])

    def split(self, z: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """State and parameters of a point."""
        p = self.p.copy()
        p[self.sought] = z[self.dae.nx :] * self.size
        return z[: self.dae.nx], p

    def freedom(self, states: Sequence[int] | np.ndarray) -> Freedom:
        """What may move: these states as far as they are not fixed, and what is sought."""
        nx, fixed = self.dae.nx, self.given.fixed
        free = [k for k in states if not fixed[k]] + [nx + k for k in range(self.sought.size)]
        largest = np.full(nx + self.sought.size, np.inf)
        largest[[k for s in self.dae.states if s.kind == "position" for k in s.range]] = LARGEST
        whole = [int(k) for k in quaternion_starts(self.dae) if not fixed[k : k + 4].any()]

        def normal(z: np.ndarray) -> None:
            for k in whole:
                z[k : k + 4] /= np.linalg.norm(z[k : k + 4])

        return Freedom(np.array(free, int), largest, normal)

    def values(self, expression: SX) -> Values:
        """An expression of states and parameters, with its slopes, at the time 0."""
        w = self.whole
        if not expression.numel():
            nothing = np.zeros(0), np.zeros((0, self.dae.nx + self.sought.size))
            return lambda z: nothing
        of = column([w.x, entries(w.p, self.sought)])
        function = Function("v", [w.t, w.x, w.p], [ca.densify(expression), ca.densify(ca.jacobian(expression, of))])
        size = np.concatenate([np.ones(self.dae.nx), self.size])

        def values(z: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
            value, slope = (np.asarray(v) for v in function(0.0, *self.split(z)))
            slope = slope.reshape(value.size, size.size) if size.size else np.zeros((value.size, 0))
            return value.reshape(-1), slope * size

        return values

    def kept(self) -> Values:
        """The first wish: sought parameters stay at their guesses."""
        guess = self.dae.parameter_values[self.sought] / self.size
        slope = np.eye(self.dae.nx + self.sought.size)[self.dae.nx :]
        return lambda z: (z[self.dae.nx :] - guess, slope)

    def near(self, states: np.ndarray) -> Values:
        """A wish: states stay where they were given or begin."""
        slope, x = np.eye(self.dae.nx + self.sought.size)[states], self.given.x[states]
        return lambda z: (z[states] - x, slope)


def sought_entries(dae: Dae) -> np.ndarray:
    """Where the parameters that are unknowns of the start lie among all."""
    found: list[int] = []
    for path, sought in sorted(dae.graph.sought.items()):
        place, symbols = dae.parameter_places[path], dae.graph.parameters[path][0]
        rows, columns = symbols.sparsity().get_triplet()
        found += [place.start + k for k, at in enumerate(zip(rows, columns, strict=True)) if sought.entries[at]]
    return np.array(found, int)


def together(*wishes: Values) -> Values:
    """Several wishes as one."""

    def values(z: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        found = [wish(z) for wish in wishes]
        return np.concatenate([v for v, _ in found]), np.vstack([s for _, s in found])

    return values
