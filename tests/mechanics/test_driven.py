"""Joints driven at a given speed: the motion is given, the torque it takes is found."""

import numpy as np
import pytest

import multibond as mb
from multibond import rotational as ro
from multibond import spatial as sp
from multibond.examples import slider_crank


def driven_pendulum() -> mb.Model:
    model = mb.Model("driven")
    world = model.add(sp.World())
    hinge = model.add(sp.Revolute("hinge", angle=0.3))
    bar = model.add(sp.Body("bar", mass=2.0, centre=(0.5, 0, 0), inertia=(0.1, 0.1, 0.1)))
    drive = model.add(ro.Speed("drive", 5.0))
    model.connect(world.frame, hinge.frame_a)
    model.connect(hinge.frame_b, bar.frame)
    model.connect(drive.flange, hinge.flange)
    return model


def test_a_driven_pendulum_takes_its_weight() -> None:
    run = mb.simulate(driven_pendulum(), 2.0)
    t = np.linspace(0, 2, 21)
    assert np.abs(run["hinge.angle"](t) - 0.3 - 5 * t).max() < 1e-12
    assert np.abs(run["drive.torque"](t) - 2 * 9.81 * 0.5 * np.cos(0.3 + 5 * t)).max() < 1e-11
    assert run.energy().residual < 1e-8


def test_position_and_velocity_of_a_body_belong_together() -> None:
    run = mb.simulate(driven_pendulum(), 2.0)
    t = np.linspace(0, 2, 21)
    angle = 0.3 + 5 * t
    place = 0.5 * np.array([np.cos(angle), np.sin(angle), 0 * t]).T
    assert np.abs(run["bar.position"](t) - place).max() < 1e-12
    assert np.abs(run["bar.velocity"](t) - 2.5 * np.array([-np.sin(angle), np.cos(angle), 0 * t]).T).max() < 1e-11
    assert np.abs(run["bar.frame.position"](t)).max() == 0.0


@pytest.mark.parametrize("depth", [1, 2, 3])
def test_a_driven_loop_follows_its_geometry(depth: int) -> None:
    model = slider_crank()
    model.remove("O")
    O = model.add(sp.Revolute("O", angle=0.0))
    drive = model.add(ro.Speed("drive", 5.0))
    model.connect("world.frame", O.frame_a)
    model.connect(O.frame_b, "crank.frame")
    model.connect(drive.flange, O.flange)
    run = mb.simulate(model if depth == 1 else model.open(depth=depth), 2.0)
    t = np.linspace(0, 2, 41)
    piston = 0.2 * np.cos(5 * t) + np.sqrt(1 - (0.2 * np.sin(5 * t)) ** 2)
    assert np.abs(run["guide.position"](t) - piston).max() < 1e-10
    assert run.energy().residual < 1e-8


def test_a_brake_holds_a_joint() -> None:
    model = driven_pendulum()
    model.remove("drive")
    model.connect(model.add(ro.Fixed("brake")).flange, "hinge.flange")
    run = mb.simulate(model, 1.0)
    assert np.abs(run["hinge.angle"](np.linspace(0, 1, 5)) - 0.3).max() == 0.0
    assert abs(run["hinge.reaction_force"](1.0)[1] - 2 * 9.81) < 1e-12


def test_start_values_change_without_compiling() -> None:
    system = mb.compile(slider_crank())
    turned = mb.with_parameters(system, {"O.angle": 1.0, "O.speed": 2.0})
    assert turned.code is system.code
    model = slider_crank()
    model.set("O.angle", 1.0)
    model.set("O.speed", 2.0)
    assert np.abs(turned.x0 - mb.compile(model).x0).max() < 1e-14


def test_what_rests_is_reported() -> None:
    model = mb.Model("rest")
    world = model.add(sp.World())
    hinge = model.add(sp.Revolute("hinge", speed=5.0))
    point = model.add(sp.Body("point", mass=1.0))
    model.connect(world.frame, hinge.frame_a)
    model.connect(hinge.frame_b, point.frame)
    system = mb.compile(model)
    assert any("hinge" in line and "keeps its speed" in line for line in system.report)


def test_household_names_survive_opening() -> None:
    model = slider_crank()
    t = np.linspace(0, 1, 11)
    angle = mb.simulate(model, 1.0)["O.angle"](t)
    for depth in (2, 3):
        assert np.abs(mb.simulate(model.open(depth=depth), 1.0)["O.angle"](t) - angle).max() < 1e-9
