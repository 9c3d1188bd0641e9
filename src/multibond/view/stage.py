"""A machine as it is shown: shapes fixed to its frames, arrows of loads, the eye. Pages and films show one stage."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from multibond.solve.solution import Solution
from multibond.view.camera import Camera, camera_of
from multibond.view.loads import Load, loads_of
from multibond.view.machine import Machine, machine_of
from multibond.view.shapes import Shape, shapes_of
from multibond.view.showing import Showing
from multibond.view.solids import extent

LONGEST = 0.6
"""Length of the longest arrow of a run, in radii of the machine."""

LOAD_COLOURS = {"force": "#c8102e", "constraint": "#6f2da8"}
LOAD_WORDS = {"force": "applied", "constraint": "constraint"}
UNITS = {"force": "N", "torque": "N.m"}


@dataclass(frozen=True)
class LegendRow:
    """A line of the legend: an arrow as long as `value` is drawn, and its words."""

    kind: str
    role: str
    value: float
    text: str


@dataclass(frozen=True)
class Stage:
    """A machine over time, ready to be painted.

    radius: of the machine's whole motion  [m]; scales: metres of an arrow for a newton, and for a newton metre.
    """

    machine: Machine
    shapes: tuple[Shape, ...]
    loads: tuple[Load, ...]
    scales: dict[str, float]
    radius: float
    camera: Camera
    legend: tuple[LegendRow, ...]
    way: Machine
    """The machine at closer times, from which smooth trails are drawn."""


def stage_of(solution: Solution, times: np.ndarray, wanted: Showing, finer: int = 1) -> Stage | None:
    """The stage of a run at given times; None for models without mechanics. finer: how much closer trails are."""
    machine = machine_of(solution, times)
    if machine is None:
        return None
    points = _points(machine)
    radius = 0.5 * float(np.linalg.norm(np.ptp(points, axis=0))) or 1.0
    loads = loads_of(solution, machine, wanted.roles)
    scales = {kind: wanted.arrow_scale * LONGEST * radius / _most(loads, kind) for kind in UNITS}
    tips = [machine.place(x.on, x.point) + scales[x.kind] * x.values for x in loads]
    eye = camera_of(np.concatenate([points, *tips]), machine.gravity, wanted.angles(machine.planar))
    shapes = shapes_of(machine, radius, eye.axes)
    closer = np.interp(np.arange((times.size - 1) * finer + 1) / finer, np.arange(times.size), times)
    way = (machine_of(solution, closer) if finer > 1 else None) or machine
    return Stage(machine, shapes, loads, scales, radius, eye, _legend(loads, scales), way)


def _points(machine: Machine) -> np.ndarray:
    """Everything that has to be seen: origins of frames, centres of bodies, the world's origin where it is near."""
    places = [machine.positions.reshape(-1, 3), *(machine.place(b.frame, b.centre) for b in machine.bodies)]
    solids = [(b, b.form) for b in machine.bodies if b.form is not None]
    places += [machine.place(b.frame, b.centre + corner) for b, form in solids for corner in extent(form)]
    points = np.concatenate(places)
    if not np.isfinite(points).all():
        points = points[np.isfinite(points).all(axis=1)]
    low, high = points.min(axis=0), points.max(axis=0)
    near = np.linalg.norm(0.5 * (low + high)) < 2.0 * np.linalg.norm(high - low) or not np.any(high - low)
    return np.concatenate([points, np.zeros((1, 3))]) if near else points


def _most(loads: tuple[Load, ...], kind: str) -> float:
    sizes = [float(np.linalg.norm(load.values, axis=1).max(initial=0.0)) for load in loads if load.kind == kind]
    return max(sizes, default=0.0) or 1.0


# -- the legend --------------------------------------------------------------------------------------------------------


def _legend(loads: tuple[Load, ...], scales: dict[str, float]) -> tuple[LegendRow, ...]:
    """One row for each kind of arrow that is there; the same value for both roles."""
    found = []
    for kind, unit in UNITS.items():
        value = round_down(0.6 * _most(loads, kind))
        for role in LOAD_COLOURS:
            if any(load.kind == kind and load.role == role for load in loads):
                reach = f"{value * scales[kind]:.2g} m"
                found.append(LegendRow(kind, role, value, f"{LOAD_WORDS[role]} {kind}: {value:g} {unit} per {reach}"))
    return tuple(found)


def round_down(value: float) -> float:
    """The next number below of the row 1, 2, 5, 10, …"""
    power = 10.0 ** math.floor(math.log10(value))
    step = max(n for n in (1.0, 2.0, 5.0) if n * power <= value * (1 + 1e-12))
    return float(f"{step * power:.6g}")
