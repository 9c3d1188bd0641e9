"""Plots of variables over time, one axes for each kind of quantity."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from multibond.errors import Finding, ModelError
from multibond.solve.solution import Solution
from multibond.view.quantities import Quantities

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

CYCLE = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000")  # Okabe and Ito
DASHES = ("-", "--", "-.", ":")


def plot(
    solution: Solution, *names: str, path: str | Path | None = None, title: str | None = None, t: Any = None
) -> Figure:
    """Draw variables over time; without names, the states.

    names: as in `solution[...]`; a vector gives one line for each component. t: times, else evenly over the run.
    path: where to save the figure (the ending decides the format).

    >>> run.plot("hip.angle", "hip.speed", path="hip.pdf")
    """
    from multibond.view.picture import Picture

    wanted = names or state_names(solution)
    if not wanted:
        raise ModelError(Finding("there is nothing to plot.", "The model has no states.", "Name variables of the run."))
    times = sample_times(solution) if t is None else np.atleast_1d(np.asarray(t, float))
    panels = _panels(solution, wanted)
    figure = Picture(figsize=(8.0, 1.3 + 2.4 * len(panels)), layout="constrained")
    axes = figure.subplots(len(panels), 1, sharex=True, squeeze=False)[:, 0]
    for ax, ((kind, unit), group) in zip(axes, panels.items(), strict=True):
        _draw_panel(ax, kind, unit, _lines(solution, group, times), times)
    axes[-1].set_xlabel("time [s]")
    if title:
        figure.suptitle(title)
    if path is not None:
        figure.savefig(path, dpi=150)
    return figure


def sample_times(solution: Solution) -> np.ndarray:
    """Evenly spaced times over the run, more of them for a run of many steps."""
    count = int(np.clip(4 * solution.t.size, 500, 4000))
    return np.linspace(solution.t[0], solution.t[-1], count)


def state_names(solution: Solution) -> tuple[str, ...]:
    """The names of the states, household names where there are any."""
    household: dict[str, str] = {}
    for alias, target in sorted(solution.system.dae.graph.aliases.items(), key=lambda pair: (len(pair[0]), pair[0])):
        household.setdefault(target, alias)
    known, names = set(solution.names), []
    for place in solution.system.dae.states:
        name = f"{place.path}.{place.name}"
        flow = household.get(f"{place.path}.f") if place.name == "u" else None
        names.append(household.get(name) or flow or name)
    return tuple(n for n in names if n in known)


def _panels(solution: Solution, names: tuple[str, ...]) -> dict[tuple[str, str], list[str]]:
    """Names by kind and unit, in the order given."""
    quantities, panels = Quantities(solution), {}
    for name in names:
        panels.setdefault(quantities.of(name), []).append(name)
    return panels


def _lines(solution: Solution, names: list[str], times: np.ndarray) -> list[tuple[str, np.ndarray]]:
    """Label and values of every line; vectors give one for each component."""
    lines = []
    for name in names:
        values = np.asarray(solution[name](times)).reshape(times.size, -1)
        many = values.shape[1] > 1
        lines += [(f"{name}[{k}]" if many else name, values[:, k]) for k in range(values.shape[1])]
    return lines


def _draw_panel(ax: Axes, kind: str, unit: str, lines: list[tuple[str, np.ndarray]], times: np.ndarray) -> None:
    for k, (label, values) in enumerate(lines):
        style = DASHES[k // len(CYCLE) % len(DASHES)]
        ax.plot(times, values, color=CYCLE[k % len(CYCLE)], linestyle=style, linewidth=1.5, label=label)
    ax.set_ylabel(f"{kind} [{unit.replace('.', '·')}]" if unit else kind)
    ax.grid(True, color="#dddddd", linewidth=0.7)
    ax.margins(x=0.0)
    ax.spines[["top", "right"]].set_visible(False)
    above = len(lines) <= 4  # beside or above the curves, so that it covers none of them
    place: dict[str, Any] = {"loc": "lower left", "ncols": len(lines)} if above else {"loc": "upper left"}
    ax.legend(fontsize="small", frameon=False, bbox_to_anchor=(0.0 if above else 1.0, 1.0), **place)
