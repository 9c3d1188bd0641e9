"""Kinematic sweeps against closed forms: positions, ratios of speeds, limits and dead points."""

from __future__ import annotations

import csv
import math
from pathlib import Path

import numpy as np
import pytest

import multibond as mb
from multibond import spatial as sp
from multibond.errors import ModelError, StartError, UnknownName
from multibond.examples import four_bar, pendulum, slider_crank

from . import four_bar as hand

TURN = np.linspace(1.0, 1.0 + 2 * np.pi, 61)


def test_four_bar_all_the_way_round() -> None:
    swept = mb.sweep(four_bar(), "O.angle", TURN)
    assert swept.limits == () and swept.values.size == 61
    coupler, rocker = (np.real([hand.place(a)[k] for a in TURN]) for k in (0, 1))
    fast, slow = (np.real([hand.ratios(a)[k] for a in TURN]) for k in (0, 1))
    np.testing.assert_allclose(swept["D.angle"], rocker, atol=1e-12)
    np.testing.assert_allclose(swept["B.angle"] + TURN, coupler, atol=1e-12)
    np.testing.assert_allclose(swept["D.speed"], slow, atol=1e-11)
    np.testing.assert_allclose(swept.rate("D.angle"), slow, atol=1e-11)
    np.testing.assert_allclose(swept["B.speed"] + 1, fast, atol=1e-11)
    np.testing.assert_allclose(swept["C.speed"], fast - slow, atol=1e-11)
    tip = np.column_stack([1 + 0.7 * np.cos(rocker), 0.7 * np.sin(rocker), 0 * rocker])
    np.testing.assert_allclose(swept["rocker_rod.frame_b.position"], tip, atol=1e-12)


def test_slider_crank_and_its_dead_points() -> None:
    """Crank and rod in one line: the piston stands still at 0 and π, and nowhere else."""
    angles = np.linspace(0.2, 0.2 + 2 * np.pi, 40)
    model = slider_crank()
    model.set("O.angle", 0.1)
    swept = mb.sweep(model, "O.angle", angles)
    root = np.sqrt(1 - (0.2 * np.sin(angles)) ** 2)
    np.testing.assert_allclose(swept["guide.position"], 0.2 * np.cos(angles) + root, atol=1e-12)
    slope = -0.2 * np.sin(angles) - 0.04 * np.sin(angles) * np.cos(angles) / root
    np.testing.assert_allclose(swept.rate("guide.position"), slope, atol=1e-11)
    np.testing.assert_allclose(swept.dead_points["guide.position"], [math.pi, 2 * math.pi], atol=1e-9)


def test_the_rocker_has_limits() -> None:
    """It can be led until crank and coupler lie folded in one line: the law of cosines."""
    swept = mb.sweep(four_bar(), "D.angle", np.linspace(1.7, 4.0, 24))
    reach = math.pi - math.acos((1.0 + 0.7**2 - (0.9 - 0.3) ** 2) / (2 * 0.7))
    assert swept.values[-1] < reach < swept.values[-1] + 0.1
    (limit,) = swept.limits
    assert limit.startswith("D.angle cannot be led beyond 2.5100926") and f"{reach:.7f}" in limit


def test_led_at_the_cut_of_a_loop() -> None:
    """The angle of the joint at which the loop is cut can lead it as well, past half a turn where it turns round."""
    back = mb.sweep(four_bar(), "O.angle", [1.5])
    forth = mb.sweep(four_bar(), "C.angle", [float(back["C.angle"][0])])
    np.testing.assert_allclose(forth["O.angle"], [1.5], atol=1e-9)
    np.testing.assert_allclose(forth["O.speed"] * back["C.speed"], [1.0], atol=1e-9)


def test_a_component_of_a_joint() -> None:
    model = mb.Model("cardan")
    world, joint = model.add(sp.World()), model.add(sp.Universal("joint", angles=(0.0, 0.4)))
    body = model.add(sp.Body("body", mass=1.0, inertia=(1, 1, 1), centre=(0, 0, 1)))
    model.connect(world.frame, joint.frame_a)
    model.connect(joint.frame_b, body.frame)
    swept = mb.sweep(model, "joint.angles[0]", np.linspace(0, 1, 5))
    np.testing.assert_allclose(
        swept["joint.angles"], np.column_stack([np.linspace(0, 1, 5), np.full(5, 0.4)]), atol=1e-12
    )


def test_what_cannot_be_led() -> None:
    system = mb.compile(four_bar())
    with pytest.raises(ModelError, match=r"'O\.speed' cannot be swept"):
        mb.sweep(system, "O.speed", [1.0])
    with pytest.raises(ModelError, match=r"'O\.reaction_force' cannot be swept"):
        mb.sweep(system, "O.reaction_force", [1.0])
    with pytest.raises(UnknownName):
        mb.sweep(system, "O.angel", [1.0])
    with pytest.raises(StartError, match=r"'D\.angle' cannot be led to 3"):
        mb.sweep(system, "D.angle", [3.0])


def test_forces_are_not_known() -> None:
    swept = mb.sweep(four_bar(), "O.angle", TURN[:3])
    with pytest.raises(ModelError, match="a sweep has neither"):
        swept["O.reaction_force"]


def test_table_and_files(tmp_path: Path) -> None:
    swept = mb.sweep(pendulum(), "hinge.angle", [0.0, 0.5])
    heads, rows = swept.table()
    assert heads == ["hinge.angle", "hinge.speed"] and rows.tolist() == [[0.0, 1.0], [0.5, 1.0]]
    with open(swept.save(tmp_path / "it.csv")) as file:
        assert list(csv.reader(file)) == [heads, ["0.0", "1.0"], ["0.5", "1.0"]]
    swept.plot("hinge.speed", path=tmp_path / "it.png")
    assert (tmp_path / "it.png").stat().st_size > 1000


def test_assembly_tells_what_is_left_open() -> None:
    model = four_bar()
    model.set("O.angle", mb.Guess(1.0))
    found = mb.assemble(model)
    assert found.mobility == 1 and found.undecided == 1
    assert set(found.positions) == {"O.angle", "B.angle", "C.angle", "D.angle"}
    crank = found["O.angle"]
    np.testing.assert_allclose(found["D.angle"], hand.place(crank)[1], atol=1e-12)
    np.testing.assert_allclose(found["D.speed"] / found["O.speed"], hand.ratios(crank)[1], atol=1e-12)
    assert "mobility 1, coordinates that may still be given: 1" in str(found)
    with pytest.raises(ModelError, match="there is no method 'magic'"):
        mb.assemble(model, method="magic")
