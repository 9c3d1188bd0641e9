"""Errors of methods over time, as lines on a logarithmic scale."""

from __future__ import annotations

from os import PathLike
from typing import TYPE_CHECKING, Any

import numpy as np

from multibond.view.plot import CYCLE

if TYPE_CHECKING:
    from multibond.view.comparison import Comparison

FLOOR = 1e-17
"""Where nothing differs a logarithm has no value."""


def plot_errors(table: Comparison, path: str | PathLike[str] | None = None) -> Any:
    """One line for each cell: solid with vector bonds, dashed with scalar ones."""
    from multibond.view.picture import Picture

    figure = Picture(figsize=(8.0, 4.5), layout="constrained")
    axes = figure.subplots()
    methods = list(dict.fromkeys(cell.method for cell in table.cells))
    for cell in table.cells:
        if cell.errors:
            colour = CYCLE[methods.index(cell.method) % len(CYCLE)]
            style = "-" if cell.depth == 2 else "--"
            label = f"{cell.method}, {'vector' if cell.depth == 2 else 'scalar'}"
            axes.semilogy(table.times, np.maximum(cell.errors, FLOOR), style, color=colour, label=label, linewidth=1.2)
    axes.set_xlabel("time [s]")
    axes.set_ylabel("difference from the reference")
    axes.set_title(f"{table.name}: error of each method")
    axes.grid(True, which="major", alpha=0.3)
    axes.legend(fontsize="small", ncols=2)
    if path is not None:
        figure.savefig(path, dpi=150)
    return figure
