"""Machines of MultiBondLib against their figures.

Origin: MultiBondLib 1.3 (independent solutions in minimal coordinates, five digits; angles there count clockwise). The
systems of Zimmer and Cellier (2006), Table 3, are in `tests/reference/test_table3.py`, those of the library
PlanarMechanics in `tests/reference/test_signals.py`.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.integrate import solve_ivp

import multibond as mb
from multibond import planar as pl
from multibond import rotational

from .machines import Bench, free_body, parallelogram

TIMES = np.array([0.5, 1.0, 2.0, 5.0, 10.0])


def near(found: np.ndarray, wanted: Any, digits: float = 3e-6) -> None:
    """Five or six printed digits."""
    np.testing.assert_allclose(found, wanted, rtol=digits, atol=digits)


def run(model: mb.Model, until: float) -> mb.Run:
    made = mb.simulate(model, until, rtol=1e-12, atol=1e-13).check()
    assert made.energy().residual < 1e-9
    return made


def test_planar_pendulum_with_a_damper_on_its_flange() -> None:
    b = Bench(pl)
    hinge, rod = b.add("Revolute", "hinge", angle=0.0, speed=0.0), b.rod("rod", 1.0, 3.0)
    bob = b.model.add(pl.PointMass("bob", 1.0))
    damper, wall = b.model.add(rotational.Damper("damper", 5.0)), b.model.add(rotational.Fixed("wall"))
    b.link(b.world.frame, hinge.frame_a)
    b.link(hinge.frame_b, rod.frame_a)
    b.link(rod.frame_b, bob.frame)
    b.link(wall.flange, damper.flange_a)
    b.link(damper.flange_b, hinge.flange)
    near(-run(b.model, 10.0)["hinge.angle"](TIMES), [0.119933, 0.522124, 2.61282, 2.07227, 2.95933], 5e-6)


def test_free_body() -> None:
    made, t = run(free_body(pl), 5.0), TIMES[:4]
    place = [[1.20292, -1.65315], [0.53308, -3.86567], [-1.20323, -1.61812], [0.305899, -0.470449]]
    near(made["body.position"](t), place, 1e-5)
    near(-made["body.angle"](t), [0.551629, 0.764704, 1.88204, 1.71883], 1e-5)


def test_parallelogram_up_to_its_collinear_position() -> None:
    """It falls as 7 φ'' = 39.24 cos φ; at 90° all four hinges are in one line, and the run ends before."""
    made, t = run(parallelogram(pl), 0.72), np.linspace(0.0, 0.72, 37)

    def rate(_: float, z: np.ndarray) -> list[float]:
        return [z[1], 39.24 / 7.0 * np.cos(z[0])]

    wanted = solve_ivp(rate, (0.0, 0.72), [0.0, 0.0], "DOP853", t, rtol=1e-13, atol=1e-13).y
    assert 1.2 < wanted[0, -1] < np.pi / 2
    np.testing.assert_allclose(-made["upper.angle"](t), wanted[0], atol=1e-8)
    np.testing.assert_allclose(-made["upper.speed"](t), wanted[1], atol=1e-8)
