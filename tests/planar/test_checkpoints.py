"""Machines of MultiBondLib and PlanarMechanics against their figures.

Origins: MultiBondLib 1.3 (independent solutions in minimal coordinates, five digits; angles there count clockwise; the
systems of Zimmer and Cellier 2006, Table 3, are in `tests/reference/test_table3.py`) and PlanarMechanics (printed
figures, and public signals where they are at hand; tolerance about 1e-4).
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import multibond as mb
from multibond import planar as pl
from multibond import rotational

from .machines import Bench, crane_crab, double_pendulum, free_body, parallelogram

SIGNALS = Path(__file__).parents[3] / "shared" / "reference" / "modelica"
TIMES = np.array([0.5, 1.0, 2.0, 5.0, 10.0])


def near(found: np.ndarray, wanted: Any, digits: float = 3e-6) -> None:
    """Five or six printed digits."""
    np.testing.assert_allclose(found, wanted, rtol=digits, atol=digits)


def run(model: mb.Model, until: float) -> mb.Run:
    made = mb.simulate(model, until, rtol=1e-12, atol=1e-13).check()
    assert made.energy().residual < 1e-9
    return made


# -- MultiBondLib ----------------------------------------------------------------------------------------------------


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


# -- PlanarMechanics -------------------------------------------------------------------------------------------------


def pendulum() -> mb.Model:
    b = Bench(pl)
    hinge, body = b.add("Revolute", "hinge", angle=0.0, speed=0.0), b.body("body", 1.0, 0.1, (1.0, 0.0))
    b.link(b.world.frame, hinge.frame_a)
    b.link(hinge.frame_b, body.frame)
    return b.model


def falling() -> mb.Model:
    b = Bench(pl)
    b.body("body", 1.0, 0.1)
    return b.model


def spring_damper() -> mb.Model:
    """A body of 0.5 kg on a spring and a damper that act alike in both directions."""
    b = Bench(pl)
    post = b.model.add(pl.Fixed("post", (-1.0, 0.0)))
    soft = {"stiffness": (5.0, 5.0, 5.0), "damping": (1.0, 1.0, 1.0), "position": (2.0, 1.0)}
    mount, body = b.model.add(pl.Bushing("mount", **soft)), b.body("body", 0.5, 0.1)
    b.link(post.frame, mount.frame_a)
    b.link(mount.frame_b, body.frame)
    return b.model


CASES: dict[str, tuple[mb.Model, float, dict[str, str]]] = {
    "Pendulum": (pendulum(), 3.0, {"bodyphi": "body.angle", "revolutew": "hinge.speed"}),
    "FreeBody": (falling(), 3.0, {"bodyphi": "body.angle", "bodyr2": "body.position[1]", "bodyv2": "body.velocity[1]"}),
    "DoublePendulum": (
        double_pendulum(pl, ((1.0, 0.0), 1.0, 0.1), ((0.4, 0.0), 0.2, 0.01)),
        5.0,  # later the motion is too sensitive for signals of 1e-4
        {"revolutephi": "j1.angle", "revolute1phi": "j2.angle", "revolutew": "j1.speed", "revolute1w": "j2.speed"},
    ),
    "CraneCrab": (
        crane_crab(pl, 1.0, (0.5, 0.1), (0.0, -1.0), np.deg2rad(150.0), 10.0),
        10.0,
        {"bodyphi": "bob.angle", "revolutew": "hinge.speed", "damper1Ds_rel": "rail.position"},
    ),
    "SpringDamperDemo": (
        spring_damper(),
        5.0,
        {
            "bodyr1": "body.position[0]",
            "bodyr2": "body.position[1]",
            "bodyv1": "body.velocity[0]",
            "bodyphi": "body.angle",
        },
    ),
}
PRINTED: dict[str, list[tuple[str, float, float]]] = {
    "Pendulum": [("body.angle", 0.5, -1.071251), ("body.angle", 1.0, -2.881661), ("body.angle", 3.0, -1.137449)],
    "DoublePendulum": [
        ("j1.angle", 0.5, -1.053252),
        ("j2.angle", 0.5, 0.4928576),
        ("j1.angle", 1.0, -2.761315),
        ("j2.angle", 1.0, -0.6774936),
        ("j1.angle", 2.0, -1.321396),
        ("j2.angle", 2.0, 0.5753362),
    ],
    "CraneCrab": [
        ("bob.angle", 0.5, 1.984877),
        ("bob.angle", 1.0, -0.2657637),
        ("bob.angle", 2.0, -1.347282),
        ("bob.angle", 5.0, 0.5694928),
        ("bob.angle", 10.0, 0.6343828),
    ],
    "SpringDamperDemo": [
        ("body.position[0]", 1.0, -1.693783),
        ("body.position[1]", 1.0, -1.668192),
        ("body.position[0]", 5.0, -1.007315),
        ("body.position[1]", 5.0, -0.9882455),
    ],
}


@pytest.mark.parametrize("name", PRINTED)
def test_printed_figures(name: str) -> None:
    model, until, _ = CASES[name]
    made = run(model, until)
    for variable, time, wanted in PRINTED[name]:
        assert made[variable](time) == pytest.approx(wanted, abs=2e-4), (variable, time)


@pytest.mark.parametrize("name", CASES)
def test_public_signals(name: str) -> None:
    path = SIGNALS / f"PlanarMechanics.{name}.csv"
    if not path.exists():
        pytest.skip("the public signals are not at hand")
    model, until, columns = CASES[name]
    table, made = np.genfromtxt(path, delimiter=",", names=True), run(model, until)
    rows = table[table["Time"] <= until]
    for theirs, ours in columns.items():
        worst = np.abs(made[ours](rows["Time"]) - rows[theirs]).max() / max(1.0, np.abs(rows[theirs]).max())
        print(f"{theirs}: {worst:.1e}")
        assert worst < 5e-4, (theirs, worst)
