"""Springs, stops and given paths of joints with several freedoms: closed forms, and the same put on the flange."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import multibond as mb
from multibond import errors
from multibond import planar as pl
from multibond import spatial as sp

METHODS = ("auto", "multiplier", "zcp", "minimal")


def machine(joint: Any, gravity: tuple[float, float, float] = (0, -9.81, 0), **body: Any) -> mb.Model:
    """A body that hangs on a joint."""
    model = mb.Model("machine")
    world, held = model.add(sp.World(gravity=gravity)), model.add(joint)
    values = {"mass": 2.0, "inertia": (0.1, 0.2, 0.15), "centre": (0.3, -0.4, 0.1)} | body
    body_ = model.add(sp.Body("body", **values))
    model.connect(world.frame, held.frame_a)
    model.connect(held.frame_b, body_.frame)
    return model


@pytest.mark.parametrize("method", METHODS)
def test_springs_of_a_cylindrical_joint(method: str) -> None:
    """Turn and slide of a body on its axis, 0.15 kg.m² on 6 N.m/rad about 0.2 rad and 2 kg on 32 N/m."""
    joint = sp.Cylindrical("joint", "z", 0.5, 0.1, (0.0, 0.0), stiffness=(6.0, 32.0), rest=(0.2, 0.0))
    run = mb.simulate(machine(joint, (0, 0, 0), centre=(0, 0, 0)), 1.0, method=method, rtol=1e-10)
    t = np.linspace(0.0, 1.0, 11)
    wanted = np.array([0.2 + 0.3 * np.cos(np.sqrt(40.0) * t), 0.1 * np.cos(4.0 * t)]).T
    np.testing.assert_allclose(run["joint.coordinates"](t), wanted, atol=1e-8)


@pytest.mark.parametrize("method", METHODS)
def test_stops_of_plates_one_by_one(method: str) -> None:
    """It slides at 1 and 2 m/s and turns at 3 rad/s: x rebounds at 0.2 m, y stays at -0.5 m, the turn has no stop."""
    stops: dict[str, Any] = {"lower": (None, None, -0.5), "upper": (None, 0.2, None), "restitution": (0.0, 0.5, 0.0)}
    joint = sp.Joint("joint", turns="z", slides="xy", speeds=(3.0, 1.0, -2.0), **stops)
    run = mb.simulate(machine(joint, (0, 0, 0), centre=(0, 0, 0)), 1.0, method=method)
    np.testing.assert_allclose(run["joint.coordinates"](0.1), (0.3, 0.1, -0.2), atol=1e-9)
    np.testing.assert_allclose(run["joint.coordinates"](1.0), (3.0, 0.2 - 0.5 * 0.8, -0.5), atol=1e-9)
    np.testing.assert_allclose(run["joint.speeds"](1.0), (3.0, -0.5, 0.0), atol=1e-9)
    assert run.energy().jumps == pytest.approx(0.5 * 2.0 * (1.0 - 0.25 + 4.0), rel=1e-9)


@pytest.mark.parametrize("method", METHODS)
def test_stops_of_a_universal_joint_as_on_its_flange(method: str) -> None:
    limits: dict[str, Any] = {"lower": -0.1, "upper": 0.1}
    flanged = machine(sp.Universal("joint"))
    flanged.bond("joint.flange", mb.Stop("stop", **limits, size=2))
    flanged.signal("joint.coordinate", "stop.displacement")
    wanted, found = mb.simulate(flanged, 1.0), mb.simulate(machine(sp.Universal("joint", **limits)), 1.0, method=method)
    t = np.linspace(0.0, 1.0, 21)
    np.testing.assert_allclose(found["joint.angles"](t), wanted["joint.angles"](t), atol=1e-8)
    held = [found[f"joint.stop_{k}.e"](1.0) for k in (1, 2)]
    np.testing.assert_allclose(held, wanted["stop.e"](1.0), atol=1e-6)


@pytest.mark.parametrize("method", METHODS)
def test_paths_of_a_universal_joint_as_on_its_flange(method: str) -> None:
    paths = ["0.1*sin(t)", "0.2*t"]
    flanged = machine(sp.Universal("joint"))
    flanged.bond(mb.Driver("lead", paths, size=2), "joint.flange")
    wanted = mb.simulate(flanged, 1.0)
    found = mb.simulate(machine(sp.Universal("joint", driven=paths)), 1.0, method=method)
    for t in (0.0, 0.4, 1.0):
        np.testing.assert_allclose(found["joint.angles"](t), (0.1 * np.sin(t), 0.2 * t), atol=1e-10)
        efforts = [found[f"joint.driver_{k}.e"](t) for k in (1, 2)]
        np.testing.assert_allclose(efforts, wanted["lead.e"](t), atol=1e-7)


@pytest.mark.parametrize("method", METHODS[:3])
def test_a_plate_that_is_led_along_one_of_three(method: str) -> None:
    """y = 1 + 0.1 sin(2 t) is given; x falls freely from 0.3 m at 0.5 m/s, and the turn keeps its 1 rad/s."""
    starts: dict[str, Any] = {"angle": 0.2, "position": (0.3, 1.0), "speeds": (1.0, 0.5, 7.0)}
    joint = sp.Planar("joint", **starts, driven=(None, None, "1 + 0.1*sin(2*t)"))
    model = machine(joint, (-10.0, 0, 0), centre=(0, 0, 0))
    run, t = mb.simulate(model, 1.0, method=method), np.linspace(0.0, 1.0, 11)
    wanted = np.array([0.2 + t, 0.3 + 0.5 * t - 5.0 * t**2, 1 + 0.1 * np.sin(2 * t)]).T
    np.testing.assert_allclose(run["joint.coordinates"](t), wanted, atol=1e-9)
    np.testing.assert_allclose(run["joint.driver_3.e"](t), -0.8 * np.sin(2 * t), atol=1e-8)


@pytest.mark.parametrize("depth", [1, 2, 3])
def test_minimal_coordinates_refuse_a_joint_that_is_led_in_part(depth: int) -> None:
    led = machine(sp.Planar("joint", driven=(None, None, "sin(t)")))
    angles = machine(sp.Spherical("joint", sequence="zyx", driven="0.1*t"))
    for model in (led, angles):
        with pytest.raises(errors.StructureError, match="'joint'"):
            mb.compile(model if depth == 1 else model.open(depth=depth), "minimal")


@pytest.mark.parametrize("method", METHODS[:3])
def test_a_ball_with_angles_is_led_and_stopped(method: str) -> None:
    """All three angles follow their paths; without paths the third is caught at its limit, and nothing is lost else."""
    joint = sp.Spherical("joint", sequence="zyx", driven=("sin(t)", "0.2*t", "-0.3*t"))
    run = mb.simulate(machine(joint), 1.0, method=method)
    for t in (0.3, 1.0):
        np.testing.assert_allclose(run["joint.angles"](t), (np.sin(t), 0.2 * t, -0.3 * t), atol=1e-9)
    stopped = mb.simulate(machine(sp.Spherical("joint", sequence="zyx", upper=(None, None, 0.01))), 1.0, method=method)
    assert [change.mode for change in stopped.changes] == ["upper", "free"]
    assert stopped["joint.angles"](stopped.t)[:, 2].max() == pytest.approx(0.01, abs=1e-11)
    assert stopped.energy().residual < 1e-9


def test_springs_on_angles_in_turn_store_what_they_take() -> None:
    """Energy of the springs by their angles; that of the whole machine is kept."""
    joint = sp.Spherical("joint", sequence="zyx", stiffness=(10.0, 20.0, 30.0), rest=(0.1, 0.0, -0.2))
    run = mb.simulate(machine(joint), 1.0, rtol=1e-10)
    a = run["joint.angles"](1.0)
    np.testing.assert_allclose([run[f"joint.spring_{k}.e"](1.0) for k in (1, 2, 3)], (a - joint.rest) * joint.stiffness)
    assert run.energy().residual < 1e-9


@pytest.mark.parametrize("ending", ["mbg", "yaml"])
def test_files_keep_what_acts_along_each_freedom(tmp_path: Path, ending: str) -> None:
    joint = sp.Universal(
        "joint", lower=(None, -0.2), upper=(None, 0.1), stiffness=(3.0, 0.0), driven=("0.1*sin(t)", None)
    )
    mb.save(machine(joint), tmp_path / f"machine.{ending}")
    loaded = mb.load(tmp_path / f"machine.{ending}")
    found: Any = next(item for item in loaded.sheet.components.values() if item.name == "joint")
    assert repr(found) == repr(joint)
    assert [str(law) for law in found.driven] == ["0.1*sin(t)", "None"]
    np.testing.assert_array_equal(found.lower, (-np.inf, -0.2))


def test_limits_change_without_compiling_and_appear_with_it() -> None:
    system = mb.compile(machine(sp.Universal("joint", upper=(0.05, None))))
    moved = mb.with_parameters(system, {"joint.upper": (0.02, None)})
    assert moved.code is system.code
    assert mb.simulate(moved, 0.3)["joint.angles"](0.3)[0] == pytest.approx(0.02, abs=1e-12)
    more = mb.with_parameters(system, {"joint.upper": (0.05, 0.4)})
    assert "joint.stop_2" in more.dae.graph.elements


# -- in the plane, in loops, at cuts -----------------------------------------------------------------------------------


def flat(joint: Any, gravity: tuple[float, float] = (0.0, 0.0)) -> mb.Model:
    """A plate of 2 kg and 0.15 kg.m² on a joint of the plane."""
    model = mb.Model("flat")
    model.add(pl.World(gravity=gravity))
    model.add(joint)
    model.add(pl.Body("body", 2.0, 0.15))
    model.connect("world.frame", "joint.frame_a")
    model.connect("joint.frame_b", "body.frame")
    return model


@pytest.mark.parametrize("method", METHODS)
def test_springs_stops_and_rebounds_in_the_plane(method: str) -> None:
    """The turn swings on its spring, the slide along x rebounds at 0.2 m with half its speed."""
    along: dict[str, Any] = {"stiffness": (6.0, 0.0), "rest": (0.2, 0.0), "upper": (None, 0.2), "restitution": 0.5}
    joint = pl.Joint("joint", turns=True, slides=[(1.0, 0.0)], coordinates=(0.5, 0.0), speeds=(0.0, 1.0), **along)
    run, t = mb.simulate(flat(joint), 1.0, method=method, rtol=1e-10), np.linspace(0.0, 1.0, 11)
    found = run["joint.coordinates"](t)
    np.testing.assert_allclose(found[:, 0], 0.2 + 0.3 * np.cos(np.sqrt(40.0) * t), atol=1e-8)
    np.testing.assert_allclose(found[:, 1], np.where(t < 0.2, t, 0.2 - 0.5 * (t - 0.2)), atol=1e-9)
    assert run.energy().jumps == pytest.approx(0.5 * 2.0 * (1.0 - 0.25), rel=1e-9)


@pytest.mark.parametrize("method", METHODS[:3])
def test_a_free_plate_is_led_along_one_direction(method: str) -> None:
    """x = 0.1 sin(3 t) by its driver, whose force is 2 kg times its acceleration; y falls, the turn goes on."""
    joint = pl.Free("joint", (0.0, 0.3), 0.1, (0.0, 0.5), 2.0, driven=(None, "0.1*sin(3*t)", None))
    run, t = mb.simulate(flat(joint, (0.0, -10.0)), 1.0, method=method), np.linspace(0.0, 1.0, 11)
    wanted = np.array([0.1 + 2.0 * t, 0.1 * np.sin(3 * t), 0.3 + 0.5 * t - 5.0 * t**2]).T
    np.testing.assert_allclose(run["joint.coordinates"](t), wanted, atol=1e-9)
    np.testing.assert_allclose(run["joint.driver_2.e"](t), -1.8 * np.sin(3 * t), atol=1e-8)


def crank(**along: Any) -> mb.Model:
    """A crank, a rod and a piston that turns and slides in its bush: a loop with what acts along both its freedoms."""
    model = mb.Model("crank")
    model.add(sp.World(gravity=(0.0, 0.0, 0.0)))
    model.add(sp.Revolute("A", "z", angle=0.6, speed=2.0))
    model.add(sp.Revolute("B", "z", angle=mb.Guess(-0.9)))
    model.add(sp.Universal("C", "z", "y"))
    model.add(sp.Cylindrical("P", "x", position=mb.Guess(0.7), **along))
    for name, length in (("arm", 0.3), ("rod", 0.6)):
        model.add(sp.Body(name, 1.0, (0.01, 0.03, 0.03), (0.5 * length, 0.0, 0.0)))
        model.add(sp.Rod(f"{name}_end", (length, 0.0, 0.0)))
        model.connect(f"{name}.frame", f"{name}_end.frame_a")
    model.add(sp.Body("piston", 0.5, (0.01, 0.01, 0.01)))
    for a, b in (
        ("world.frame", "A.frame_a"),
        ("A.frame_b", "arm.frame"),
        ("arm_end.frame_b", "B.frame_a"),
        ("B.frame_b", "rod.frame"),
        ("rod_end.frame_b", "C.frame_a"),
        ("C.frame_b", "piston.frame"),
        ("piston.frame", "P.frame_b"),
        ("P.frame_a", "world.frame"),
    ):
        model.connect(a, b)
    return model


@pytest.mark.parametrize("cut", ["A", "B", "C", "P"])
def test_a_stop_in_a_loop_does_not_mind_where_it_is_cut(cut: str) -> None:
    """The piston, on a spring, strikes its limit and rebounds; the same for every cut, as in the plane by hand."""
    along: dict[str, Any] = {"stiffness": (0.0, 40.0), "rest": (0.0, 0.6), "lower": (None, 0.72), "restitution": 0.6}
    model, t = crank(**along), np.linspace(0.0, 0.6, 13)
    wanted, found = (mb.simulate(s, 0.6, rtol=1e-11) for s in (mb.compile(model), mb.compile(model, cuts=[cut])))
    struck, again = (np.array([piece.trajectory.t[0] for piece in run.pieces[1:]]) for run in (wanted, found))
    assert f"{cut}.motion" in found.system.dae.tree.cuts and struck.size
    for name in ("A.angle", "P.position", "A.speed"):
        np.testing.assert_allclose(found[name](t), wanted[name](t), rtol=0, atol=1e-8, err_msg=name)
    np.testing.assert_allclose(again, struck, rtol=0, atol=1e-9)
    angle = wanted["A.angle"](t)
    np.testing.assert_allclose(wanted["P.position"](t), by_hand(angle), atol=1e-9)
    assert wanted["P.position"](wanted.t).min() > 0.72 - 1e-9
    before, after = (wanted["P.speeds"](struck[0] + dt)[1] for dt in (-1e-9, 1e-9))
    assert before < 0 and after == pytest.approx(-0.6 * before, rel=1e-6)


def by_hand(angle: np.ndarray) -> np.ndarray:
    """Where the piston is for an angle of the crank."""
    return 0.3 * np.cos(angle) + np.sqrt(0.36 - (0.3 * np.sin(angle)) ** 2)


@pytest.mark.parametrize("method", METHODS[:3])
def test_a_loop_is_led_by_the_slide_of_its_bush(method: str) -> None:
    """With the piston's place given the crank has to follow."""
    model, t = crank(driven=(None, "0.8 + 0.05*cos(4*t)")), np.linspace(0.0, 0.6, 13)
    model.set("A.angle", mb.Guess(0.6))
    model.set("A.speed", None)
    run = mb.simulate(model, 0.6, method=method, rtol=1e-10)
    np.testing.assert_allclose(by_hand(run["A.angle"](t)), 0.8 + 0.05 * np.cos(4 * t), atol=1e-8)
