"""Activity: the energy that passes through an element, whichever way it goes, A = ∫ Σ |e_k f_k| dt.

Elements with little of it matter little for the motion (Louca and Stein 1999): they are the first to leave out.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from multibond.border import public
from multibond.elements import GY, MGY, EulerGyrator
from multibond.elements.sensors import Sensor
from multibond.graph.component import Element
from multibond.graph.junctions import Junction, Wires
from multibond.graph.port import PowerPort
from multibond.report import Item, Report, Rows
from multibond.solve.solution import Solution

NODES, WEIGHTS = np.polynomial.legendre.leggauss(4)
PARTS = 4
"""Each step is integrated in so many parts: a change of sign of a power falls into a short one."""
AT_ONCE = 20_000
"""Times at which all elements are looked at together."""


@public
@dataclass(frozen=True)
class Activity(Report):
    """Activities over a run  [J] by path, the largest first."""

    energy: Mapping[str, float]

    @property
    def total(self) -> float:
        """Of all elements together  [J]."""
        return sum(self.energy.values())

    @property
    def share(self) -> dict[str, float]:
        """Of each element, as a fraction of the total."""
        return {path: value / self.total if self.total else 0.0 for path, value in self.energy.items()}

    def description(self) -> list[Item]:
        """A table of elements, with the sum of shares so far."""
        sums = np.cumsum([*self.share.values()])
        rows = [
            (path, f"{self.energy[path]:.4g} J", f"{100 * part:.3f} %", f"{100 * so_far:.3f} %")
            for (path, part), so_far in zip(self.share.items(), sums, strict=True)
        ]
        return [Rows(rows, ("element", "activity", "share", "sum"), right=(1, 2, 3), least=(0, 12, 9, 9))]


def activity(run: Solution) -> Activity:
    """Rank the elements of a run by their activity: storages, resistors and gyrators.

    Sources, sensors, junctions and transformers are no candidates to leave out and are not counted.

    >>> print(activity(run))
    """
    ports = {path: _pairs(path, item) for path, item in run.system.dae.graph.elements.items() if _counts(item)}
    times, weights = _nodes(run)
    total = dict.fromkeys(ports, 0.0)
    for begin in range(0, times.size, AT_ONCE):
        part = slice(begin, begin + AT_ONCE)
        for path, power in _powers(run, ports, times[part]).items():
            total[path] += float(weights[part] @ power)
    return Activity(dict(sorted(total.items(), key=lambda pair: (-pair[1], pair[0]))))


def _counts(item: Element) -> bool:
    """Whether an element stores, loses or turns power; transformers only carry it."""
    passive = isinstance(item, GY | MGY | EulerGyrator) or item.power in ("lost", "any") or _holds(item)
    return passive and not isinstance(item, Junction | Wires | Sensor)


def _holds(item: Element) -> bool:
    """Whether an element is a storage: it prefers a causality."""
    ports = [p for p in item.ports() if isinstance(p, PowerPort)]
    return any(item.causality_at(p.name).startswith("prefers") for p in ports)


def _pairs(path: str, item: Element) -> list[tuple[str, str]]:
    """Names of effort and flow at the ports whose power counts: both sides of a gyrator carry the same."""
    ports = [p.name for p in item.ports() if isinstance(p, PowerPort)]
    if len(ports) == 1:
        return [(f"{path}.e", f"{path}.f")]
    chosen = ports[:1] if isinstance(item, GY | MGY) else ports
    return [(f"{path}.{port}.e", f"{path}.{port}.f") for port in chosen]


def _powers(run: Solution, ports: Mapping[str, list[tuple[str, str]]], times: np.ndarray) -> dict[str, np.ndarray]:
    """Σ |e_k f_k| of every element at times."""
    names = [name for pairs in ports.values() for pair in pairs for name in pair]
    sizes = [run.system.observer.expression(name).numel() for name in names]
    columns = iter(np.split(run.values(names, times), np.cumsum(sizes)[:-1], axis=1) if names else ())
    return {
        path: np.sum([np.abs(next(columns) * next(columns)).sum(axis=1) for _ in pairs], axis=0)
        for path, pairs in ports.items()
    }


def _nodes(run: Solution) -> tuple[np.ndarray, np.ndarray]:
    """Times and weights of Gauss' quadrature over all steps."""
    ends = np.unique(run.t)
    ends = np.interp(np.arange(PARTS * (ends.size - 1) + 1) / PARTS, np.arange(ends.size), ends)
    h = np.diff(ends)[:, None]
    return (ends[:-1, None] + 0.5 * h * (NODES + 1)).ravel(), (0.5 * h * WEIGHTS).ravel()
