"""The energy audit: what is stored now, what came in, what was lost, and whether it adds up.

Stored energy comes from the storages' own laws at both ends of the run. Supplied and dissipated energy come from an
independent quadrature of bond powers on the dense output, so that the balance can fail.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

import casadi as ca
import numpy as np

from multibond.elements import I
from multibond.equations.observe import cell_arguments
from multibond.expr import SX, Function, column
from multibond.lower.system import System
from multibond.solve.contract import Trajectory

if TYPE_CHECKING:
    from multibond.solve.solution import Piece, Solution

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
    jumps: float
    turnover: float

    @property
    def imbalance(self) -> float:
        """What does not add up  [J]."""
        taken = self.kinetic + self.elastic + self.dissipated + self.parasitic + self.jumps
        return taken - self.supplied - self.gravity

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
            "jumps": "lost in jumps",
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
    """Balance the energy of a run, piece by piece, with what was lost in the jumps between them."""
    table = _columns(solution.system)
    flows = ("gravity", "supplied", "dissipated", "parasitic")
    works = {
        id(system): _Work(system, [table[name] for name in flows], table["kinetic"] + table["elastic"])
        for system in {id(piece.system): piece.system for piece in solution.pieces}.values()
    }
    work, turnover = np.zeros(len(flows)), 0.0
    for piece in solution.pieces:
        done, turned = works[id(piece.system)].over(piece.trajectory)
        work, turnover = work + done, turnover + turned
    turnover = 0.5 * (turnover + float(np.abs(work).sum()))
    kinetic = [_stored(piece, table["kinetic"]) for piece in solution.pieces]
    elastic = [_stored(piece, table["elastic"]) for piece in solution.pieces]
    both = [(k[0] + e[0], k[1] + e[1]) for k, e in zip(kinetic, elastic, strict=True)]
    lost = sum(before[1] - after[0] for before, after in pairwise(both))
    gravity, supplied, dissipated, parasitic = (float(w) for w in work)
    return Audit(
        kinetic[-1][1] - kinetic[0][0], elastic[-1][1] - elastic[0][0],
        gravity, supplied, dissipated, parasitic, lost, turnover,
    )  # fmt: skip


def _energy(system: System, paths: tuple[str, ...]) -> Function:
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


def _stored(piece: Piece, paths: list[str]) -> tuple[float, float]:
    """Energy in storages at both ends of a piece."""
    if not paths:
        return 0.0, 0.0
    system, run = piece.system, piece.trajectory
    times, x = run.t[[0, -1]], run.x[[0, -1]]
    y = system.unknowns(times, x, np.zeros((system.reduced.z.numel(), 2)))
    function = _energy(system, tuple(paths))
    first, last = (float(function(t, x[k], y[:, k], system.parameters)) for k, t in enumerate(times))
    return first, last


class _Work:
    """Integrals of power over the pieces of one system, by Gauss' quadrature on every step."""

    def __init__(self, system: System, groups: list[list[str]], storages: list[str]) -> None:
        observer, whole = system.observer, system.reduced.whole
        sums = [column([observer.expression(f"{p}.power") for p in g]) for g in groups]
        totals = [ca.sum1(s) if s.numel() else SX(0) for s in sums]
        moved = [ca.vec(observer.expression(f"{p}.power")) for p in storages]
        self.system, self.count = system, len(groups)
        self.function = Function("power", [whole.t, whole.x, whole.y, whole.p], [column([*totals, *moved])])

    def over(self, run: Trajectory) -> tuple[np.ndarray, float]:
        """Work of each group, and the energy turned over by all storages."""
        h = np.diff(run.t)
        times = (run.t[:-1, None] + 0.5 * h[:, None] * (NODES + 1)).ravel()
        weights = (0.5 * h[:, None] * WEIGHTS).ravel()
        if not times.size:
            return np.zeros(self.count), 0.0
        x, system = run.at(times), self.system
        p = np.repeat(system.parameters[:, None], times.size, axis=1)
        y = system.unknowns(times, x, np.zeros((system.reduced.z.numel(), times.size)))
        power = np.asarray(self.function.map(times.size)(times[None, :], x.T, y, p))
        return power[: self.count] @ weights, float((np.abs(power[self.count :]) @ weights).sum())
