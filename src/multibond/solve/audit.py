"""The energy audit: what is stored now, what came in, what was lost, and whether it adds up.

Stored energy comes from the storages' own laws at both ends of the run. Supplied and dissipated energy come from an
independent quadrature of bond powers on the dense output, so that the balance can fail.

At an instant stored energy jumps: in a hit, where a switch closes on a capacitor, where a source that steps holds a
storage. An impulse then passes in no time, and no quadrature sees it. A source that steps is the limit of one that
rises quickly: what it holds follows it all the way, so it gives just what the storages gain, and nothing is lost. A
switch that closes loses something on the way, and the source beyond it gives the rest too. What was lost in an impulse
and what sources gave in it cannot be told apart from the states before and after, so they stand in one column, `jumps`:
lost less given, which is what stored energy falls by.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import casadi as ca
import numpy as np

from multibond.border import public
from multibond.elements import I
from multibond.elements.carried import VirtualInertia
from multibond.equations.observe import cell_arguments
from multibond.expr import SX, Function, column
from multibond.lower.system import System
from multibond.report import Item, Report, Rows
from multibond.solve.contract import Trajectory
from multibond.solve.quadrature import NODES, WEIGHTS, numbers_within, values_along

if TYPE_CHECKING:
    from multibond.solve.solution import Solution


@public
@dataclass(frozen=True)
class Audit(Report):
    """Energies over a run  [J].

    stored: change of kinetic and elastic energy; gravity: work done by weights; supplied: work of other sources;
    dissipated: loss in R elements; parasitic: taken by stand-ins for constraints (stored and lost).
    jumps: lost at instants less what sources gave in impulses there; below zero where a step of a source charges a
    storage that it holds.
    turnover: the energy turned over; level: the largest kinetic energy, or change of elastic energy, on the way. The
    larger of the two is the scale for the residual, so that a machine that turns freely has one too.
    """

    kinetic: float
    elastic: float
    gravity: float
    supplied: float
    dissipated: float
    parasitic: float
    jumps: float
    turnover: float
    level: float = 0.0

    @property
    def scale(self) -> float:
        """What the imbalance is compared with  [J]."""
        return max(self.turnover, self.level)

    @property
    def imbalance(self) -> float:
        """What does not add up  [J]."""
        taken = self.kinetic + self.elastic + self.dissipated + self.parasitic + self.jumps
        return taken - self.supplied - self.gravity

    @property
    def residual(self) -> float:
        """The imbalance as a fraction of the scale."""
        return abs(self.imbalance) / self.scale if self.scale > 1e-14 else abs(self.imbalance)

    def description(self) -> list[Item]:
        """Energy by energy, and what is left."""
        words = {
            "kinetic": "change of kinetic energy",
            "elastic": "change of elastic energy",
            "gravity": "work of gravity",
            "supplied": "work of other sources",
            "dissipated": "lost in resistors",
            "parasitic": "taken by parasitics",
            "jumps": "lost less given in jumps",
            "turnover": "energy turned over",
            "level": "largest stored on the way",
        }
        rows = [(word, f"{getattr(self, name):.9g}", " J") for name, word in words.items()]
        rows.append(("residual (of the larger)", f"{self.residual:.3g}", ""))
        return [Rows(rows, right=(1,), least=(26, 16), gap="")]


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
            table["kinetic" if isinstance(item, I | VirtualInertia) else "elastic"].append(path)
        elif item.power in ("lost", "any"):
            table["dissipated"].append(path)
        elif item.power == "given":
            table["gravity" if role == "gravity" else "supplied"].append(path)
    return table


def audit(solution: Solution) -> Audit:
    """Balance the energy of a run, piece by piece, with what was lost (less given) in the jumps between them."""
    table = _columns(solution.system)
    flows = ("gravity", "supplied", "dissipated", "parasitic")
    groups: dict[int, list[int]] = {}
    for k, piece in enumerate(solution.pieces):
        groups.setdefault(id(piece.system), []).append(k)
    work, turnover = np.zeros(len(flows)), 0.0
    ends, level = np.zeros((len(solution.pieces), 2, 2)), []
    for index in groups.values():
        system, runs = solution.pieces[index[0]].system, [solution.pieces[k].trajectory for k in index]
        done, turned = _work(system, runs, [table[name] for name in flows], table["kinetic"] + table["elastic"])
        work, turnover = work + done, turnover + turned
        stored = _stored(system, runs, [table["kinetic"], table["elastic"]])
        ends[index] = [part[[0, -1]] for part in stored]
        level += stored
    turnover = 0.5 * (turnover + float(np.abs(work).sum()))
    kinetic, elastic = ends[-1, 1] - ends[0, 0]
    lost = float((ends[:-1, 1] - ends[1:, 0]).sum())
    gravity, supplied, dissipated, parasitic = (float(w) for w in work)
    whole = np.vstack(level)
    largest = max(float(np.abs(whole[:, 0]).max()), float(np.ptp(whole[:, 1])))
    return Audit(float(kinetic), float(elastic), gravity, supplied, dissipated, parasitic, lost, turnover, largest)


def _energy(system: System, paths: list[str]) -> SX:
    whole = system.reduced.whole
    total = SX(0)
    wanted = set(paths)
    for row in system.dae.rows:
        kind = system.dae.classes[row.kind]
        chosen = [e for name, e in kind.energy.items() if row.cell.prefix + name in wanted]
        if chosen:
            motion = [*(f.pose for f in kind.frames), *(f.flow for f in kind.frames), *(f.rate for f in kind.frames)]
            arguments = [kind.time, kind.x, kind.p, kind.y, *motion, *(f.effort for f in kind.frames)]
            call = Function("e", arguments, [sum(chosen[1:], chosen[0])])
            total += call.call(cell_arguments(system.dae, whole, row))[0]
    return total


def _stored(system: System, runs: list[Trajectory], groups: list[list[str]]) -> list[np.ndarray]:
    """Energy in storages at the ends of the steps of all runs of a system, for each run of shape (times, groups)."""
    times, x = np.concatenate([run.t for run in runs]), np.vstack([run.x for run in runs])
    p = numbers_within(runs) if system.dae.clocked else None
    values = values_along(system, [_energy(system, paths) for paths in groups], times, x, p).T
    return np.split(values, np.cumsum([run.t.size for run in runs])[:-1])


def _work(
    system: System, runs: list[Trajectory], groups: list[list[str]], storages: list[str]
) -> tuple[np.ndarray, float]:
    """Integrals of power by Gauss' quadrature on every step, and the energy turned over by all storages."""
    observer = system.observer
    sums = [column([observer.expression(f"{p}.power") for p in g]) for g in groups]
    totals = [ca.sum1(s) if s.numel() else SX(0) for s in sums]
    moved = [ca.vec(observer.expression(f"{p}.power")) for p in storages]
    times, weights, states = [], [], []
    for run in runs:
        h = np.diff(run.t)
        times.append((run.t[:-1, None] + 0.5 * h[:, None] * (NODES + 1)).ravel())
        weights.append((0.5 * h[:, None] * WEIGHTS).ravel())
        states.append(run.at(times[-1]))
    if not sum(t.size for t in times):
        return np.zeros(len(groups)), 0.0
    power = values_along(system, [*totals, *moved], np.concatenate(times), np.vstack(states))
    weight = np.concatenate(weights)
    with np.errstate(invalid="ignore", over="ignore"):  # of a run that stopped because a law had no value
        return power[: len(groups)] @ weight, float((np.abs(power[len(groups) :]) @ weight).sum())
