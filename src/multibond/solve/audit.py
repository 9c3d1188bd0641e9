"""The energy audit: what is stored now, what came in, what was lost, and whether it adds up.

Stored energy comes from the storages' own laws at both ends of the run. Supplied and dissipated energy come from an
independent quadrature of bond powers on the dense output, so that the balance can fail.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from multibond.elements import I
from multibond.equations.observe import Observer, cell_arguments
from multibond.expr import Function, column
from multibond.lower.system import System
from multibond.solve.contract import Trajectory

if TYPE_CHECKING:
    from multibond.solve.solution import Solution

NODES, WEIGHTS = np.polynomial.legendre.leggauss(7)


@dataclass(frozen=True)
class Audit:
    """Energies over a run  [J].

    stored: change of kinetic and elastic energy; gravity: work done by weights; supplied: work of other sources;
    dissipated: loss in R elements; parasitic: taken by stand-ins for constraints (stored and lost).
    turnover: the energy turned over, the scale for the residual.
    """

    kinetic: float
    elastic: float
    gravity: float
    supplied: float
    dissipated: float
    parasitic: float
    turnover: float

    @property
    def imbalance(self) -> float:
        """What does not add up  [J]."""
        return self.kinetic + self.elastic + self.dissipated + self.parasitic - self.supplied - self.gravity

    @property
    def residual(self) -> float:
        """The imbalance as a fraction of the energy turned over."""
        return abs(self.imbalance) / self.turnover if self.turnover > 1e-14 else abs(self.imbalance)

    def __str__(self) -> str:
        words = {
            "kinetic": "change of kinetic energy",
            "elastic": "change of elastic energy",
            "gravity": "work of gravity",
            "supplied": "work of other sources",
            "dissipated": "lost in resistors",
            "parasitic": "taken by parasitics",
            "turnover": "energy turned over",
        }
        lines = [f"{words[name]:<26}{getattr(self, name):>16.9g} J" for name in words]
        return "\n".join([*lines, f"{'residual (of the last)':<26}{self.residual:>16.3g}"])


def _columns(system: System) -> dict[str, list[str]]:
    """Which elements count in which column."""
    table: dict[str, list[str]] = {
        "kinetic": [],
        "elastic": [],
        "gravity": [],
        "supplied": [],
        "dissipated": [],
        "parasitic": [],
    }
    stores = {row.cell.prefix + name for row in system.dae.rows for name in system.dae.classes[row.kind].energy}
    for path, item in system.dae.graph.elements.items():
        role = getattr(item, "role", "")
        if role == "parasitic":
            table["parasitic"].append(path)
        elif path in stores:
            table["kinetic" if isinstance(item, I) else "elastic"].append(path)
        elif item.power in ("lost", "any"):
            table["dissipated"].append(path)
        elif item.power == "given":
            table["gravity" if role == "gravity" else "supplied"].append(path)
    return table


def audit(solution: Solution) -> Audit:
    """Balance the energy of a run."""
    system: System = solution.system
    run: Trajectory = solution.trajectory
    table = _columns(system)
    kinetic = _stored(solution, table["kinetic"])
    elastic = _stored(solution, table["elastic"])
    flows = ("gravity", "supplied", "dissipated", "parasitic")
    work, turnover = _work(solution, run, [table[name] for name in flows], table)
    gravity, supplied, dissipated, parasitic = work
    return Audit(kinetic, elastic, gravity, supplied, dissipated, parasitic, turnover)


def _energy(system: System, paths: list[str]) -> Function:
    whole = system.reduced.whole
    total = []
    wanted = set(paths)
    for row in system.dae.rows:
        kind = system.dae.classes[row.kind]
        chosen = [e for name, e in kind.energy.items() if row.cell.prefix + name in wanted]
        if chosen:
            arguments = [
                kind.time,
                kind.x,
                kind.p,
                kind.y,
                *(f.pose for f in kind.frames),
                *(f.flow for f in kind.frames),
            ]
            arguments += [*(f.rate for f in kind.frames), *(f.effort for f in kind.frames)]
            call = Function("e", arguments, [sum(chosen[1:], chosen[0])])
            total.append(call.call(cell_arguments(system.dae, whole, row))[0])
    value = sum(total[1:], total[0]) if total else 0.0
    return Function("energy", [whole.t, whole.x, whole.y, whole.p], [value])


def _stored(solution: Solution, paths: list[str]) -> float:
    if not paths:
        return 0.0
    system: System = solution.system
    function = _energy(system, paths)
    ends = []
    times = np.array([solution.t[0], solution.t[-1]])
    x = solution.states(times)
    y = system.unknowns(times, x, np.zeros((system.reduced.z.numel(), 2)))
    for k, t in enumerate(times):
        ends.append(float(function(t, x[k], y[:, k], system.parameters)))
    return ends[1] - ends[0]


def _work(
    solution: Solution, run: Trajectory, groups: list[list[str]], table: dict[str, list[str]]
) -> tuple[list[float], float]:
    """Integrals of power by Gauss quadrature on every step, and the energy turned over by all storages and sources."""
    system: System = solution.system
    storages = table["kinetic"] + table["elastic"]
    observer, whole = system.observer, system.reduced.whole
    sums = [column([_power(observer, p) for p in g]) for g in groups]
    totals = [sum((s[k] for k in range(1, s.numel())), s[0]) if s.numel() else 0.0 for s in sums]
    moved = column([observer.expression(f"{p}.e") * observer.expression(f"{p}.f") for p in storages])
    function = Function(
        "power", [whole.t, whole.x, whole.y, whole.p], [column([*totals, *([moved] if storages else [])])]
    )
    t, h = run.t[:-1], np.diff(run.t)
    times = (t[:, None] + 0.5 * h[:, None] * (NODES + 1)).ravel()
    weights = (0.5 * h[:, None] * WEIGHTS).ravel()
    x = solution.states(times)
    p = np.repeat(system.parameters[:, None], times.size, axis=1)
    z = np.zeros((system.reduced.z.numel(), times.size))
    y = system.unknowns(times, x, z)
    power = np.asarray(function.map(times.size)(times[None, :], x.T, y, p))
    work = power @ weights
    count = len(groups)
    turnover = 0.5 * float((np.abs(power[count:]) @ weights).sum() + np.abs(work[:count]).sum())
    return [float(w) for w in work[:count]], turnover


def _power(observer: Observer, path: str) -> object:
    return observer.expression(f"{path}.power")
