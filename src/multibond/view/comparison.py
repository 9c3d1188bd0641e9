"""The table of a comparison of methods: text, plain data, a figure."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from os import PathLike
from typing import Any

import numpy as np

from multibond.border import public
from multibond.errors import Finding, ModelError
from multibond.report import Item, Report, Rows
from multibond.rewrite.parasitic import Parasitic

BONDS = {2: "vector", 3: "scalar"}
NOTHING = "–"
PEAK = 5.0
"""After so many times the time in which they fade the modes of springs are gone."""


@dataclass(frozen=True)
class Mode:
    """The fastest oscillation of parasitic springs  [Hz], and the time in which the least damped one fades  [s]."""

    frequency: float
    fading: float


@dataclass(frozen=True)
class Cell:
    """One method with vector or scalar bonds; numbers are None where the form is not possible, for a `reason`.

    compile_s, run_s  [s]; operations of one evaluation; memory: numbers held during one, in bytes. error: largest
    difference of the motion from the reference, as a fraction of the largest value of the component where that exceeds
    one; reaction_error, canonical_error: of unique and of all constraint forces, as a fraction of the largest;
    energy: residual of the audit. parasitic: elements that stand for constraints; errors: over time.
    """

    method: str
    depth: int
    reason: str = ""
    compile_s: float | None = None
    run_s: float | None = None
    states: int | None = None
    unknowns: int | None = None
    steps: int | None = None
    evaluations: int | None = None
    operations: int | None = None
    memory: int | None = None
    error: float | None = None
    reaction_error: float | None = None
    canonical_error: float | None = None
    energy: float | None = None
    parasitic: tuple[str, ...] = ()
    mode: Mode | None = None
    errors: tuple[float, ...] = field(default=(), repr=False)

    @property
    def exact(self) -> bool:
        """Whether the form describes the constraints themselves, not springs in their place."""
        return not self.parasitic and not self.reason


COLUMNS: dict[str, tuple[str, Callable[[Any], str]]] = {
    "compile_s": ("compile s", lambda v: f"{v:.2f}"),
    "run_s": ("run s", lambda v: f"{v:.3f}"),
    "states": ("states", str),
    "unknowns": ("unknowns", str),
    "steps": ("steps", str),
    "evaluations": ("evaluations", str),
    "operations": ("operations", str),
    "memory": ("bytes", str),
    "error": ("error", lambda v: f"{v:.1e}"),
    "reaction_error": ("reactions", lambda v: f"{v:.1e}"),
    "energy": ("energy", lambda v: f"{v:.1e}"),
}


@public
@dataclass(frozen=True)
class Comparison(Report):
    """Cells in the order of the paper's tables; prints itself, `.to_dict()`, `.plot()`, `[method, depth]`."""

    name: str
    until: float
    rtol: float
    cells: tuple[Cell, ...]
    times: np.ndarray = field(repr=False)
    parasitic: Parasitic = field(default_factory=Parasitic)

    def __getitem__(self, place: tuple[str, int]) -> Cell:
        """The cell of a method and a depth.

        >>> table["multiplier", 2].error
        """
        for cell in self.cells:
            if (cell.method, cell.depth) == place:
                return cell
        listed = ", ".join(f"{c.method} at {c.depth}" for c in self.cells)
        raise ModelError(Finding(f"there is no cell {place!r}.", f"Cells: {listed}.", "Ask for one of these."))

    def description(self) -> list[Item]:
        """The table and what stands below it."""
        heads = ["bonds", "method", *(title for title, _ in COLUMNS.values())]
        head = f"{self.name}, {self.until:g} s, rtol {self.rtol:g}; errors against 'auto' at rtol 1e-12"
        return [head, Rows([self._row(cell) for cell in self.cells], heads), *self.remarks]

    def _row(self, cell: Cell) -> list[str]:
        values = [getattr(cell, name) for name in COLUMNS]
        written = [NOTHING if v is None else form(v) for v, (_, form) in zip(values, COLUMNS.values(), strict=True)]
        return [BONDS[cell.depth], cell.method, *written]

    @property
    def remarks(self) -> tuple[str, ...]:
        """What stands below the table: why cells are empty, which elements are parasitic, what their peak is."""
        lines = [f"{BONDS[c.depth]} {c.method}: {c.reason}" for c in self.cells if c.reason]
        soft = next((c for c in self.cells if c.parasitic), None)
        if soft is not None:
            p = self.parasitic
            lines.append(f"parasitic, apart from what was modelled: {', '.join(soft.parasitic)}")
            lines.append(
                f"  with {p.stiffness:g} N/m, {p.damping:g} N.s/m, {p.turning_stiffness:g} N.m/rad, "
                f"{p.turning_damping:g} N.m.s/rad; positions err in proportion to 1/stiffness"
            )
            lines += self._peak(soft)
        return tuple(lines)

    def _peak(self, cell: Cell) -> list[str]:
        """The short peak of Fig. 21: springs that begin without load swing until they have found it."""
        if cell.mode is None or not cell.errors:
            return []
        early = self.times <= max(PEAK * cell.mode.fading, float(self.times[1]))
        errors = np.array(cell.errors)[early]
        peak, at = float(errors.max()), float(self.times[int(np.argmax(errors))])
        return [
            f"  at the start the error peaks at {peak:.1e}, seen at {at:.3g} s (Fig. 21): springs begin unloaded and",
            f"  swing about the one that they carry, at up to {cell.mode.frequency:.3g} Hz; the slowest of these modes "
            f"fades in {cell.mode.fading:.3g} s",
        ]

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON; errors over time are left out."""
        cells = [
            {k: v for k, v in asdict(cell).items() if k != "errors"} | {"exact": cell.exact} for cell in self.cells
        ]
        return {
            "model": self.name,
            "until": self.until,
            "rtol": self.rtol,
            "parasitic": asdict(self.parasitic),
            "cells": cells,
            "remarks": list(self.remarks),
        }

    def plot(self, path: str | PathLike[str] | None = None) -> Any:
        """The error of each method over time (Boudon et al., Fig. 31): a figure, saved to `path` if given."""
        from multibond.view.compare_plot import plot_errors

        return plot_errors(self, path)

    def __repr__(self) -> str:
        return f"Comparison of {self.name!r}: {len(self.cells)} cells"
