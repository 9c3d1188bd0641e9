"""A run as columns: chosen variables at chosen times, each with its kind and unit.

Only what is asked for is computed. Without names these are the states and the household names of the parts, such as
`hip.angle` or `foot.velocity`; without times, the ends of the steps.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from multibond.equations.household import state_names
from multibond.errors import Finding, ModelError, UnknownName, raise_findings
from multibond.solve.solution import Solution
from multibond.view.quantities import Quantities


@dataclass(frozen=True)
class Column:
    """One variable: name, kind ("angle"), unit ("rad", empty where not known), values with one row a time."""

    name: str
    kind: str
    unit: str
    values: np.ndarray

    @property
    def size(self) -> int:
        """Number of components."""
        return 1 if self.values.ndim == 1 else self.values.shape[1]

    @property
    def parts(self) -> tuple[Column, ...]:
        """The components as columns of their own: `name[0]`, `name[1]`, …"""
        if self.values.ndim == 1:
            return (self,)
        return tuple(
            Column(f"{self.name}[{k}]", self.kind, self.unit, self.values[:, k]) for k in range(self.values.shape[1])
        )


@dataclass(frozen=True)
class Table:
    """Variables over common times  [s]."""

    times: np.ndarray
    columns: tuple[Column, ...]

    @property
    def flat(self) -> tuple[Column, ...]:
        """All columns, vectors component by component."""
        return tuple(part for column in self.columns for part in column.parts)


def tabulate(run: Solution, names: Sequence[str] | str | None = None, times: Any = None) -> Table:
    """Compute the named variables of a run at the given times.

    names: default, see the module's text. times: an array, a number of equally spaced times, or the ends of the steps.
    """
    wanted = usual_names(run) if names is None else [names] if isinstance(names, str) else list(names)
    _require_known(run, wanted)
    at, quantities = chosen_times(run, times), Quantities(run)
    columns = []
    for name in dict.fromkeys(wanted):
        values = run.values([name], at)
        columns.append(Column(name, *quantities.of(name), values[:, 0] if values.shape[1] == 1 else values))
    return Table(at, tuple(columns))


def chosen_times(run: Solution, times: Any) -> np.ndarray:
    """Times as an array  [s]."""
    if times is None:
        return np.asarray(run.t, float)
    if isinstance(times, int | np.integer):
        if times < 2:
            raise ModelError(
                Finding(f"a table cannot have {times} times.", "A run has a start and an end.", "Ask for 2 or more.")
            )
        return np.linspace(run.t[0], run.t[-1], int(times))
    return np.atleast_1d(np.asarray(times, float))


def usual_names(run: Solution) -> list[str]:
    """The states and the household names, each variable once."""
    graph, known = run.system.dae.graph, set(run.names)
    names = dict.fromkeys(state_names(run.system.dae).values())
    targets = {graph.aliases.get(name, name) for name in names}
    for alias in sorted(graph.aliases, key=lambda a: (a.endswith((".coordinates", ".speeds")), a)):
        target = graph.aliases[alias]
        if target not in targets and not _of_frame(alias, graph.aliases):
            targets.add(target)
            names[alias] = None
    return [name for name in names if name in known]


def _of_frame(alias: str, aliases: dict[str, str]) -> bool:
    """Whether a name stands for the motion of a frame port, which the body at it tells already."""
    space, plane = (".attitude", ".position", ".rotation.f", ".translation.f"), (".position", ".angle", ".plane.f")
    kinds = [(".rotation.f", ending) for ending in space] + [(".plane.f", ending) for ending in plane]
    return any(alias.endswith(end) and f"{alias.removesuffix(end)}{flow}" in aliases for flow, end in kinds)


def _require_known(run: Solution, names: Sequence[str]) -> None:
    """Look every name up before anything is computed; all unknown ones are told together."""
    findings = []
    for name in names:
        try:
            run[name]
        except UnknownName as error:
            findings += error.findings
    raise_findings(UnknownName, findings)
