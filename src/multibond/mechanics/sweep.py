"""Kinematic sweeps: one coordinate of a joint is led through its range, without dynamics."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import casadi as ca
import numpy as np

from multibond import pipeline
from multibond.arguments import Row
from multibond.border import public
from multibond.elements import FreeMotion
from multibond.errors import Finding, ModelError, ParameterError, StartError
from multibond.expr import SX, Function
from multibond.graph.graph import Graph
from multibond.graph.model import Model
from multibond.lower.system import System
from multibond.mechanics.follow import Leader
from multibond.mechanics.places import household
from multibond.report import Item, Rows, Shown

TOLD = 12
"""So many values are shown in a notebook."""


@public
@dataclass(frozen=True)
class Sweep(Shown):
    """Positions of a mechanism over one of its coordinates, and speeds for a unit speed of it, all by name.

    values: of the coordinate, as far as it could be led; x: states, one row each, with speeds per unit speed.
    limits: in words where it could not be led further. angles of joints at cuts are unwrapped.
    """

    system: System
    coordinate: str
    values: np.ndarray
    x: np.ndarray
    limits: tuple[str, ...]

    def description(self) -> list[Item]:
        """Coordinates of joints at some of the values, and where it ended."""
        heads, rows = self.table([name for name in self.coordinates if name != self.coordinate])
        chosen = np.unique(np.linspace(0, len(rows) - 1, min(len(rows), TOLD)).astype(int))
        told = [[f"{value:.6g}" for value in rows[k]] for k in chosen]
        some = f", {len(chosen)} of them" if len(chosen) < len(rows) else ""
        title = f"{self.coordinate} at {len(rows)} values{some}"
        return [title, Rows(told, heads, right=range(len(heads))), *self.limits]

    @property
    def coordinates(self) -> tuple[str, ...]:
        """Coordinates of all joints."""
        return self._of_joints("q")

    @property
    def names(self) -> tuple[str, ...]:
        """Coordinates and speeds of all joints; any other variable of positions and speeds can be asked for too."""
        return (*self.coordinates, *self._of_joints("f"))

    def _of_joints(self, what: str) -> tuple[str, ...]:
        graph = self.system.dae.graph
        paths = [p for p, item in graph.of_type(FreeMotion) if item.motion.freedoms]
        return tuple(name for p in paths for name, _ in household(graph, f"{p}.{what}"))

    def __getitem__(self, name: str) -> np.ndarray:
        """A variable over the sweep: one row for each value where it has several components."""
        found = self._numbers(self._expression(name))
        angle = Leader(self.system, name).wraps
        found = np.unwrap(found, axis=0) if angle else found
        return found[:, 0] if found.shape[1] == 1 else found

    def rate(self, name: str) -> np.ndarray:
        """How a variable of positions changes per unit of the swept coordinate: d(name)/d(coordinate)."""
        w, value = self.system.reduced.whole, self._expression(name)
        found = self._numbers(ca.jtimes(value, w.x, w.xdot))
        return found[:, 0] if found.shape[1] == 1 else found

    def _expression(self, name: str) -> SX:
        value = self.system.observer.expression(name)
        if ca.depends_on(value, self.system.reduced.whole.y):
            fact = "It depends on forces or accelerations, and a sweep has neither."
            raise ModelError(
                Finding(f"{name!r} is not known in a sweep.", fact, "Simulate, or name a position.", (name,))
            )
        return value

    def _numbers(self, value: SX) -> np.ndarray:
        w, n = self.system.reduced.whole, len(self.values)
        value = ca.substitute(value, w.y, SX.zeros(w.y.numel())) if w.y.numel() else value
        function = Function("s", [w.t, w.x, w.p], [ca.densify(value)])
        p = np.repeat(self.system.parameters[:, None], n, axis=1)
        return np.asarray(function.map(n)(np.zeros((1, n)), self.x.T, p)).T

    @cached_property
    def dead_points(self) -> dict[str, tuple[float, ...]]:
        """By coordinate of a joint: values of the swept one at which it stands still, and could not drive."""
        found = {}
        for name in self.coordinates:
            rates = self.rate(name) if name != self.coordinate and self._single(name) else np.zeros(0)
            size = float(np.abs(np.nan_to_num(rates)).max(initial=0.0))
            if size > 1e-9:
                still = np.abs(rates) <= 1e-9 * size
                turns = (rates[:-1] * rates[1:] < 0) & ~still[:-1] & ~still[1:]
                spots = [*self.values[still].tolist(), *(self._zero(name, int(k)) for k in np.flatnonzero(turns))]
                found |= {name: tuple(sorted(spots))} if spots else {}
        return found

    def _single(self, name: str) -> bool:
        return self.system.observer.expression(name).numel() == 1

    def _zero(self, name: str, k: int) -> float:
        """Where a rate vanishes between two values, by bisection on the mechanism itself."""
        lead = Leader(self.system, self.coordinate)
        x, low, high = self.x[k], float(self.values[k]), float(self.values[k + 1])
        sign = np.sign(self.rate(name)[k])
        for _ in range(45):
            middle = 0.5 * (low + high)
            ahead, _ = lead.go(x, low, middle)
            here = Sweep(self.system, self.coordinate, np.array([middle]), lead.moving(ahead)[None, :], ())
            if np.sign(here.rate(name)[0]) == sign:
                x, low = ahead, middle
            else:
                high = middle
        return 0.5 * (low + high)

    def plot(self, *names: str, path: str | Path | None = None) -> Any:
        """Draw variables over the swept coordinate (a matplotlib figure); saved to `path` if given."""
        from multibond.view.picture import Picture

        figure = Picture(figsize=(8.0, 4.0), layout="constrained")
        axes = figure.subplots()
        for name in names or [n for n in self.names if n != self.coordinate and self._single(n)]:
            axes.plot(self.values, self[name], label=name)
        axes.set_xlabel(self.coordinate)
        axes.legend()
        axes.grid(True, alpha=0.3)
        if path is not None:
            figure.savefig(path, dpi=150)
        return figure

    def table(self, names: Sequence[str] = ()) -> tuple[list[str], np.ndarray]:
        """Columns by name: the coordinate, then variables, all of the joints where none is named."""
        columns, heads = [self.values[:, None]], [self.coordinate]
        for name in names or [n for n in self.names if n != self.coordinate]:
            value = self[name].reshape(len(self.values), -1)
            heads += [name] if value.shape[1] == 1 else [f"{name}[{k}]" for k in range(value.shape[1])]
            columns.append(value)
        return heads, np.hstack(columns)

    def save(self, path: str | Path, names: Sequence[str] = ()) -> Path:
        """Write the table as a .csv file."""
        heads, rows = self.table(names)
        with open(path, "w", newline="", encoding="utf-8") as file:
            csv.writer(file).writerows([heads, *rows.tolist()])
        return Path(path)


def sweep(model: Model | Graph | System, coordinate: str, values: Row) -> Sweep:
    """Lead one coordinate of a joint through values, the others following on one branch from the start.

    values: an array, in the order in which they are visited  [rad or m]. Where the mechanism cannot follow, the sweep
    ends and `limits` says so. Freedoms that the coordinate does not decide stay as they are.

    >>> swept = sweep(four_bar, "O.angle", np.linspace(0, 2 * np.pi, 100))
    >>> swept["D.angle"], swept.rate("D.angle")
    """
    system = model if isinstance(model, System) else pipeline.compile(model)
    lead, wanted = Leader(system, coordinate), np.atleast_1d(np.asarray(values, float))
    if not wanted.size or not np.isfinite(wanted).all():
        fact = "No value is given." if not wanted.size else f"Among them is {wanted[~np.isfinite(wanted)][0]}."
        problem = f"{coordinate!r} cannot be led through these values."
        raise ParameterError(Finding(problem, fact, "Give finite numbers, such as np.linspace(0, 1, 50)."))
    x, at = system.x0.copy(), lead.value(system.x0)
    rows: list[np.ndarray] = []
    limits: list[str] = []
    for value in wanted:
        x, reached = lead.go(x, at, float(value))
        at = float(value)
        if reached != value:
            limits.append(f"{coordinate} cannot be led beyond {reached:.9g} towards {value:.9g}: a dead point")
            break
        rows.append(lead.moving(x))
    if not rows:
        fact = f"It stands at {lead.value(system.x0):.6g} and can be led to {reached:.6g}."
        raise StartError(Finding(f"{coordinate!r} cannot be led to {wanted[0]:.6g}.", fact, "Begin within its range."))
    return Sweep(system, coordinate, wanted[: len(rows)], np.array(rows), tuple(limits))
