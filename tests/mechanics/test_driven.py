"""Joints driven at a given speed: the motion is given, the torque it takes is found."""

from typing import Any

import numpy as np
import pytest

import multibond as mb
from multibond import planar as pl
from multibond import rotational as ro
from multibond import spatial as sp
from multibond.errors import ParameterError, StartError
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


PATH = "0.5*sin(t)"
LEFT_OUT = {
    "speed": (lambda: sp.Revolute("j", driven=PATH, speed=9.0), "j.speed 9", "with a speed of 0.5"),
    "acceleration": (lambda: sp.Revolute("j", driven=PATH, acceleration=9.0), "j.acceleration 9", "of 0"),
    "one of two speeds": (
        lambda: sp.Universal("j", driven=(PATH, None), speeds=(9.0, 0.2)),
        "j.speeds 9",
        "with a speed of 0.5",
    ),
    "the second of two": (
        lambda: sp.Cylindrical("j", driven=(None, PATH), speeds=(1.0, 0.4)),
        "j.speeds 0.4",
        "with a speed of 0.5",
    ),
    "in the plane": (lambda: pl.Prismatic("j", driven=PATH, speed=9.0), "j.speed 9", "with a speed of 0.5"),
    "velocity of a free joint": (
        lambda: pl.Free("j", driven=(None, PATH, None), velocity=(9.0, 0.0)),
        "j.velocity 9",
        "with a speed of 0.5",
    ),
    "elongation": (
        lambda: pl.Telescope("j", (2.0, 0.0), driven="2+0.5*sin(t)", elongation=3.0),
        "j.elongation 3",
        "begins at 1",
    ),
}


def hung(joint: Any) -> mb.Model:
    """A body that hangs at the world by one joint."""
    library = pl if isinstance(joint, pl.Prismatic | pl.Free | pl.Telescope) else sp
    model = mb.Model("hung")
    for part in (library.World(), joint, library.Body("b", 1.5, inertia=0.2 if library is pl else (0.1, 0.2, 0.15))):
        model.add(part)
    model.connect("world.frame", "j.frame_a")
    model.connect("j.frame_b", "b.frame")
    return model


@pytest.mark.parametrize("name", LEFT_OUT)
def test_a_start_that_is_not_its_path_is_told(name: str) -> None:
    make, value, begins = LEFT_OUT[name]
    (line,) = [line for line in mb.compile(hung(make())).report if "does not count" in line]
    assert line.startswith(f"{value} does not count: the joint is driven") and line.endswith(begins)
    assert line in mb.check(hung(make())).report


def test_a_place_that_is_not_its_path_is_refused() -> None:
    with pytest.raises(ParameterError, match="Revolute 'j' is driven and cannot start at angle"):
        sp.Revolute("j", driven=PATH, angle=0.3)


def test_starts_beside_paths_are_taken() -> None:
    joints = (
        sp.Revolute("j", driven=PATH, speed=0.5, acceleration=mb.Guess(3.0)),
        sp.Cylindrical("j", driven=(None, PATH), speeds=(1.0, 0.5), position=0.0),
        pl.Telescope("j", (2.0, 0.0), driven="2+0.5*sin(t)", elongation=1.0),
    )
    for joint in joints:
        assert not joint.oversights()


def test_angles_about_three_axes_do_not_say_single_speeds() -> None:
    """With one of three angles driven the angular velocity is free in two ways, not in two of its numbers."""
    model = mb.Model("ball")
    model.add(sp.World())
    model.add(sp.Spherical("j", sequence="zyx", driven=(PATH, None, None), angular_velocity=(0.1, 0.2, 0.5)))
    model.add(sp.Body("b", 1.5, inertia=(0.1, 0.2, 0.15), centre=(0.1, -0.3, 0.1)))
    model.connect("world.frame", "j.frame_a")
    model.connect("j.frame_b", "b.frame")
    np.testing.assert_allclose(mb.simulate(model, 1e-6)["j.angular_velocity"](0.0), (0.1, 0.2, 0.5), atol=1e-12)
    model.set("j.angular_velocity", (0.1, 0.2, 0.4))
    with pytest.raises(StartError, match="the given speeds contradict one another"):
        mb.compile(model)
