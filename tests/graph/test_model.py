"""The builder: commands with exact inverses, hierarchy with exposed ports, names that survive."""

import numpy as np
import pytest

import multibond as mb
from multibond import spatial as sp
from multibond.examples import slider_crank


def leg(name: str) -> mb.Model:
    """A thigh on a hinge, with a frame at its top and at its foot."""
    model = mb.Model(name)
    hip = model.add(sp.Revolute("hip", angle=0.3))
    thigh = model.add(sp.Body("thigh", mass=1.0, centre=(0, -0.5, 0)))
    bone = model.add(sp.Rod("bone", (0, -1, 0)))
    model.connect(hip.frame_b, thigh.frame, bone.frame_a)
    model.expose("top", hip.frame_a)
    model.expose("foot", bone.frame_b)
    return model


def two_legs() -> mb.Model:
    robot = mb.Model("robot")
    world = robot.add(sp.World())
    upper, lower = robot.add(leg("upper")), robot.add(leg("lower"))
    robot.connect(world.frame, upper.top)
    robot.connect(upper.foot, lower.top)
    return robot


def flat_legs() -> mb.Model:
    model = mb.Model("flat")
    frame = model.add(sp.World()).frame
    for k in (1, 2):
        hip = model.add(sp.Revolute(f"hip{k}", angle=0.3))
        thigh = model.add(sp.Body(f"thigh{k}", mass=1.0, centre=(0, -0.5, 0)))
        bone = model.add(sp.Rod(f"bone{k}", (0, -1, 0)))
        model.connect(frame, hip.frame_a)
        model.connect(hip.frame_b, thigh.frame, bone.frame_a)
        frame = bone.frame_b
    return model


def test_submodels_run_like_the_flat_model() -> None:
    times = np.linspace(0, 2, 21)
    nested, flat = mb.simulate(two_legs(), 2.0), mb.simulate(flat_legs(), 2.0)
    for a, b in (("upper.hip.angle", "hip1.angle"), ("lower.hip.angle", "hip2.angle")):
        assert np.abs(nested[a](times) - flat[b](times)).max() < 1e-12
    foot = nested["lower.foot.position"](2.0)
    assert np.abs(foot - flat["bone2.frame_b.position"](2.0)).max() < 1e-12


def test_submodels_survive_a_file(tmp_path) -> None:
    mb.save(two_legs(), tmp_path / "robot.mbg")
    again = mb.simulate(mb.load(tmp_path / "robot.mbg"), 1.0)
    assert again["lower.hip.angle"](1.0) == mb.simulate(two_legs(), 1.0)["lower.hip.angle"](1.0)


def test_every_command_has_an_exact_inverse() -> None:
    model = slider_crank()
    before = model.sheet
    model.set("rod.mass", 3.0)
    model.rename("rod", "coupler")
    model.place("coupler", 1.0, 2.0)
    model.remove("guide")
    after = model.sheet
    for _ in range(4):
        model.undo()
    assert model.sheet is before
    for _ in range(4):
        model.redo()
    assert model.sheet is after


def test_renaming_keeps_connections() -> None:
    model = slider_crank()
    model.rename("rod", "coupler")
    times = np.linspace(0, 1, 11)
    assert np.array_equal(mb.simulate(model, 1.0)["O.angle"](times), mb.simulate(slider_crank(), 1.0)["O.angle"](times))


def test_a_refused_command_changes_nothing() -> None:
    model = slider_crank()
    before = model.sheet
    for attempt in (
        lambda: model.set("rod.mass", -1.0),
        lambda: model.set("rod.weight", 1.0),
        lambda: model.connect("O.frame_a", "O.flange"),
        lambda: model.connect(model["O"], model["B"]),
        lambda: model.rename("rod", "crank"),
        lambda: model.add(sp.World()),
    ):
        with pytest.raises((ValueError, KeyError)):
            attempt()
    assert model.sheet is before


def test_a_model_of_default_size_passes_it_on() -> None:
    top = mb.Model("top", size=3)
    w = top.add(mb.One("w"))
    top.bond(w, mb.I("rotor", 2.0, start=(1.0, 2.0, 3.0)))
    top.bond(w, mb.R("air", 0.5))
    run = mb.simulate(top, 1.0)
    assert np.abs(run["rotor.p"](1.0) - np.exp(-0.25) * np.array([1, 2, 3])).max() < 1e-9


def test_a_system_is_told_in_one_line() -> None:
    model = mb.Model("swing")
    axle = model.add(mb.One("axle"))
    model.bond(axle, mb.I("wheel", 2.0))
    model.bond(axle, mb.C("spring", 0.5))
    system = mb.compile(model)
    assert repr(system) == str(system) == "System 'swing': 2 states, 2 parameters, method 'auto'"
    assert repr(mb.with_parameters(system, {"wheel.inertia": 3.0})) == repr(system)
    assert repr(mb.compile(mb.expand(model))) == "System: 2 states, 2 parameters, method 'auto'"
