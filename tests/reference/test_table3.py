"""Zimmer and Cellier (2006), Table 3: checkpoints to every printed digit, and whole trajectories by other formulations.

What the systems keep, and what the table counts, is in `test_table3_laws.py`.
"""

from __future__ import annotations

import functools
from collections.abc import Callable

import numpy as np
import pytest
from tests.planar import machines

import multibond as mb
from multibond import planar as pl
from multibond import spatial as sp

from . import table3 as own
from .lagrange import lagrange
from .table import within
from .table3_systems import FORMS, SYSTEMS, run_of


@pytest.mark.parametrize(("name", "method"), FORMS)
def test_checkpoints(name: str, method: str) -> None:
    """Rounded to the digits that are printed, every figure is the printed one."""
    system, run = SYSTEMS[name], run_of(name, method)
    found = system.read(run, np.array([float(row[0]) for row in system.rows]))
    told = [[format(value, system.style) for value in row] for row in found]
    assert told == [row[1:] for row in system.rows]
    print(f"{name}, {method}: {found.size} figures, all digits; energy {run.energy().residual:.1e}")
    assert run.energy().residual < 1e-9


OWN: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "double pendulum": lambda t: lagrange(own.double_pendulum, [0.0] * 4, t),
    "crane crab": lambda t: lagrange(own.crane_crab, [0.0] * 4, t),
    "gyroscope": lambda t: own.gyroscope(t)[:, :3],
    "planar loop": lambda t: lagrange(own.planar_loop, [2.0, 0.0, 0.0, 0.0], t),
    "governor": lambda t: lagrange(own.governor, [1.45, 0.0, 0.0, 0.0], t),
    "spatial four-bar": lambda t: lagrange(own.four_bar, [0.0, np.deg2rad(300.0)], t)[:, :6],
}


@functools.cache
def by_hand(name: str, until: float) -> tuple[np.ndarray, np.ndarray]:
    """Times and the printed variables at these, by our own formulation."""
    t = np.linspace(0.0, until, 401)
    return t, OWN[name](t)


@pytest.mark.parametrize(("name", "method"), FORMS)
def test_trajectories(name: str, method: str) -> None:
    """Every printed variable, all the way."""
    run = run_of(name, method)
    t, wanted = by_hand(name.partition(",")[0], float(run.t[-1]))
    found = SYSTEMS[name].read(run, t)
    worst = ", ".join(f"{error:.0e}" for error in np.abs(found - wanted).max(axis=0))
    print(f"{name}, {method}: worst of each column {worst}")
    np.testing.assert_allclose(found, wanted, rtol=0.0, atol=1e-8)


def test_double_pendulums_side_by_side() -> None:
    """One model with both, that in space a metre behind, as in the library's example: they stay side by side."""
    model = machines.double_pendulum(pl)
    end = model.add(sp.Fixed("behind", (0.0, 0.0, -1.0))).frame
    for k, vector, mass in ((1, (2.0, 2.0, 0.0), 2.0), (2, (0.0, -1.5, 0.0), 1.0)):
        joint = model.add(sp.Revolute(f"s{k}", angle=0.0, speed=0.0))
        rod, bob = model.add(sp.Rod(f"rod{k}", vector)), model.add(sp.PointMass(f"bob{k}", mass))
        model.connect(end, joint.frame_a)
        model.connect(joint.frame_b, rod.frame_a)
        model.connect(rod.frame_b, bob.frame)
        end = rod.frame_b
    run, t = mb.simulate(model, 5.0, rtol=1e-13, atol=1e-15).check(), np.linspace(0.0, 5.0, 201)
    for name in ("angle", "speed"):
        for k in (1, 2):
            within(f"{name} {k}", run[f"s{k}.{name}"](t), run[f"j{k}.{name}"](t), 1e-8)
    place = np.column_stack([run["m2.position"](t), np.full(t.size, -1.0)])
    within("bob", run["bob2.position"](t), place, 1e-8)
