"""Whole trajectories against tables: which column is which variable, how near they must be, what was found instead."""

from __future__ import annotations

import csv
import functools
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from multibond.solve.solution import Solution

DATA = Path(__file__).parent / "data"


@dataclass(frozen=True)
class Reading:
    """A quantity made of several variables: their paths, and what is made of their values (one row a time)."""

    paths: tuple[str, ...]
    combine: Callable[..., np.ndarray]


Read = str | Reading


@dataclass(frozen=True)
class Check:
    """One column against one variable.

    read: the variable's path, or a `Reading`. tolerance: largest error, as a fraction of `scale`; without a scale it is
    absolute.
    """

    column: str
    read: Read
    tolerance: float = 1e-8
    scale: float = 1.0

    @property
    def paths(self) -> tuple[str, ...]:
        """The variables that it needs."""
        return (self.read,) if isinstance(self.read, str) else self.read.paths

    def error(self, values: dict[str, np.ndarray], table: dict[str, np.ndarray]) -> float:
        """The largest error over the table, as a fraction of the scale."""
        parts = [values[path] for path in self.paths]
        value = parts[0][:, 0] if isinstance(self.read, str) else self.read.combine(*parts)
        return float(np.abs(value - table[self.column]).max()) / self.scale


@functools.cache
def table(folder: str, name: str = "reference") -> dict[str, np.ndarray]:
    """The columns of a stored trajectory by name."""
    with (DATA / folder / f"{name}.csv").open() as file:
        head, *rows = csv.reader(file)
    columns = np.array([[float(cell) for cell in row] for row in rows]).T
    return dict(zip(head, columns, strict=True))


def read_all(run: Solution, paths: Iterable[str], t: np.ndarray) -> dict[str, np.ndarray]:
    """Many variables at once, each with one row a time."""
    names = list(dict.fromkeys(paths))
    sizes = [run.size_of(name) for name in names]
    columns = np.split(run.values(names, t), np.cumsum(sizes)[:-1], axis=1)
    return dict(zip(names, columns, strict=True))


def compare(run: Solution, data: dict[str, np.ndarray], checks: Sequence[Check]) -> None:
    """Hold a run against a table, column by column; the message lists every column that is off."""
    values = read_all(run.check(), (path for check in checks for path in check.paths), data["t"])
    errors = [check.error(values, data) for check in checks]
    for check, error in zip(checks, errors, strict=True):
        print(f"{check.column:>22}  error {error:.1e}  (tolerance {check.tolerance:.0e}, scale {check.scale:.3g})")
    print(f"worst of {len(checks)} columns: {max(errors):.1e}")
    pairs = zip(checks, errors, strict=True)
    off = [f"{c.column}: {e:.3e} > {c.tolerance:.0e}" for c, e in pairs if not e <= c.tolerance]
    assert not off, "; ".join(off)


def within(what: str, found: np.ndarray, exact: np.ndarray, atol: float) -> None:
    """Hold values against others, component by component, and print the worst error."""
    worst = float(np.abs(np.asarray(found) - exact).max())
    print(f"{what}: worst error {worst:.1e}  (tolerance {atol:.0e})")
    np.testing.assert_allclose(found, exact, rtol=0.0, atol=atol)


def angle_of(frame: str) -> Reading:
    """Angle of a frame about z in the world, unwrapped from the first time on."""
    return Reading((f"{frame}.attitude",), lambda R: np.unwrap(np.arctan2(R[:, 3], R[:, 0])))


def speed_of(frame: str) -> Reading:
    """Angular velocity of a frame about z."""
    return Reading((f"{frame}.rotation.f",), lambda w: w[:, 2])


def force_of(joint: str, axis: int) -> Reading:
    """A joint's reaction on its side b, turned from a's axes into the world's."""
    paths = (f"{joint}.frame_a.attitude", f"{joint}.reaction_force")
    return Reading(paths, lambda R, F: np.einsum("kij,kj->ki", R.reshape(-1, 3, 3), F)[:, axis])


def largest(data: dict[str, np.ndarray], *columns: str) -> float:
    """The largest magnitude found in some columns."""
    return max(float(np.abs(data[c]).max()) for c in columns)


def sized(data: dict[str, np.ndarray], *groups: dict[str, Read], tolerance: float = 1e-8) -> list[Check]:
    """Checks by column, each relative to the size of its variable: the largest value in its group (a vector, say)."""
    pairs = [(group, column) for group in groups for column in group]
    return [Check(column, group[column], tolerance, largest(data, *group)) for group, column in pairs]


def alone(**columns: Read) -> tuple[dict[str, Read], ...]:
    """Groups of one column each."""
    return tuple({column: read} for column, read in columns.items())


def vector(path: str, *columns: str) -> dict[str, Read]:
    """A group of columns that are the components of one variable."""
    return {column: f"{path}[{k}]" for k, column in enumerate(columns)}
