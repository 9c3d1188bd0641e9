"""Whole trajectories against tables: which column is which variable, how near they must be, what was found instead."""

from __future__ import annotations

import csv
import functools
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from multibond.solve.solution import Solution

DATA = Path(__file__).parent / "data"

Read = str | Callable[[Solution, np.ndarray], np.ndarray]


@dataclass(frozen=True)
class Check:
    """One column against one variable.

    read: the variable's path, or a function of run and times. tolerance: largest error, as a fraction of `scale`;
    without a scale it is absolute.
    """

    column: str
    read: Read
    tolerance: float = 1e-8
    scale: float = 1.0

    def error(self, run: Solution, table: dict[str, np.ndarray]) -> float:
        """The largest error over the table, as a fraction of the scale."""
        t = table["t"]
        value = run[self.read](t) if isinstance(self.read, str) else self.read(run, t)
        return float(np.abs(value - table[self.column]).max()) / self.scale


@functools.cache
def table(folder: str, name: str = "reference") -> dict[str, np.ndarray]:
    """The columns of a stored trajectory by name."""
    with (DATA / folder / f"{name}.csv").open() as file:
        head, *rows = csv.reader(file)
    columns = np.array([[float(cell) for cell in row] for row in rows]).T
    return dict(zip(head, columns, strict=True))


def compare(run: Solution, data: dict[str, np.ndarray], checks: Iterable[Check]) -> None:
    """Hold a run against a table, column by column; the message lists every column that is off."""
    run.check()
    errors = {check: check.error(run, data) for check in checks}
    for check, error in errors.items():
        print(f"{check.column:>22}  error {error:.1e}  (tolerance {check.tolerance:.0e}, scale {check.scale:.3g})")
    off = [f"{c.column}: {e:.3e} > {c.tolerance:.0e}" for c, e in errors.items() if not e <= c.tolerance]
    assert not off, "; ".join(off)


def turned(run: Solution, frame: str, t: np.ndarray) -> np.ndarray:
    """Angle of a frame about z in the world, unwrapped from the first time on."""
    attitude = run[f"{frame}.attitude"](t)
    return np.unwrap(np.arctan2(attitude[:, 3], attitude[:, 0]))


def angle_of(frame: str) -> Read:
    """Read the planar angle of a frame."""
    return lambda run, t: turned(run, frame, t)


def speed_of(frame: str) -> Read:
    """Read the angular velocity of a frame about z."""
    return lambda run, t: run[f"{frame}.rotation.f"](t)[:, 2]


def force_of(joint: str, axis: int) -> Read:
    """Read a joint's reaction on its side b, turned from a's axes into the world's."""

    def read(run: Solution, t: np.ndarray) -> np.ndarray:
        attitude = run[f"{joint}.frame_a.attitude"](t).reshape(-1, 3, 3)
        return np.einsum("kij,kj->ki", attitude, run[f"{joint}.reaction_force"](t))[:, axis]

    return read


def largest(data: dict[str, np.ndarray], *columns: str) -> float:
    """The largest magnitude found in some columns."""
    return max(float(np.abs(data[c]).max()) for c in columns)
