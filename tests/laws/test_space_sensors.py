"""Sensors of space: what they show against poses, flows and their rates, in all axes; and that they change nothing."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import multibond as mb
from multibond import spatial as sp
from multibond.solve.solution import Solution

from .floating import floating, moment, rate

T = 0.2
SPRING = sp.Spring("spring", 30.0, rest=0.4)
ABSOLUTE = ("world", "frame")
RELATIVE = ("frame_a", "frame_b", "world")


@pytest.fixture(scope="module")
def run() -> Solution:
    """Two bodies on a spring with every sensor there is, in all axes."""
    model = floating(SPRING)
    for k, axes in enumerate(ABSOLUTE):
        for kind in (sp.VelocitySensor, sp.AccelerationSensor):
            model.connect(model.add(kind(f"{kind.__name__}_{k}", axes)).frame, "b.frame")
    for k, axes in enumerate(RELATIVE):
        for kind in (sp.RelativeVelocitySensor, sp.RelativeAccelerationSensor):
            _between(model, model.add(kind(f"{kind.__name__}_{k}", axes)))
    model.connect(model.add(sp.PoseSensor("pose", "zyx")).frame, "b.frame")
    _between(model, model.add(sp.RelativePoseSensor("relative", "zxz")))
    _between(model, model.add(sp.DistanceSensor("distance")))
    return mb.simulate(model, 2 * T, rtol=1e-11).check()


def _between(model: mb.Model, sensor: sp.DistanceSensor | sp.RelativePoseSensor) -> None:
    model.connect(sensor.frame_a, "a.frame")
    model.connect(sensor.frame_b, "b.frame")


def test_sensors_take_no_power(run: Solution) -> None:
    plain = mb.simulate(floating(SPRING), 2 * T, rtol=1e-11)
    for name in ("a.position", "b.position", "a.angular_velocity", "b.attitude"):
        np.testing.assert_array_equal(run[name](2 * T), plain[name](2 * T))


def test_pose(run: Solution) -> None:
    at, turn = moment(run, T), Rotation.from_matrix(moment(run, T).R["b"])
    np.testing.assert_allclose(run["pose.position"](T), at.p["b"], atol=1e-14)
    np.testing.assert_allclose(run["pose.attitude"](T), at.R["b"].ravel(), atol=1e-14)
    np.testing.assert_allclose(run["pose.quaternion"](T)[[1, 2, 3, 0]], turn.as_quat(canonical=True), atol=1e-9)
    np.testing.assert_allclose(run["pose.angles"](T), turn.as_euler("ZYX"), atol=1e-9)


def test_relative_pose(run: Solution) -> None:
    at = moment(run, T)
    turn = Rotation.from_matrix(at.R["a"].T @ at.R["b"])
    np.testing.assert_allclose(run["relative.position"](T), at.R["a"].T @ at.line, atol=1e-12)
    np.testing.assert_allclose(run["relative.attitude"](T), turn.as_matrix().ravel(), atol=1e-9)
    np.testing.assert_allclose(run["relative.quaternion"](T)[[1, 2, 3, 0]], turn.as_quat(canonical=True), atol=1e-9)
    angles = Rotation.from_euler("ZXZ", run["relative.angles"](T)).as_matrix()
    np.testing.assert_allclose(angles, turn.as_matrix(), atol=1e-9)
    assert run["distance.distance"](T) == pytest.approx(np.linalg.norm(at.line), rel=1e-12)


@pytest.mark.parametrize("k", [0, 1])
def test_motion_in_the_world(run: Solution, k: int) -> None:
    at = moment(run, T)
    turns = (np.eye(3), at.R["b"]) if k == 0 else (at.R["b"].T, np.eye(3))
    np.testing.assert_allclose(run[f"VelocitySensor_{k}.velocity"](T), turns[0] @ at.v["b"], atol=1e-12)
    np.testing.assert_allclose(run[f"VelocitySensor_{k}.angular_velocity"](T), turns[1] @ at.w["b"], atol=1e-12)
    shown = run[f"AccelerationSensor_{k}.acceleration"](T), run[f"AccelerationSensor_{k}.angular_acceleration"](T)
    np.testing.assert_allclose(shown[0], turns[0] @ at.acceleration["b"], atol=1e-8)
    np.testing.assert_allclose(shown[1], turns[1] @ at.spin_rate["b"], atol=1e-8)


@pytest.mark.parametrize("k", [0, 1, 2])
def test_motion_against_another_frame(run: Solution, k: int) -> None:
    """As the rates of the relative position and attitude show it."""
    at = moment(run, T)
    R_AB = at.R["a"].T @ at.R["b"]
    seen, spin = rate(run, "relative.position", T), R_AB.T @ rate(run, "relative.attitude", T).reshape(3, 3)
    turning = np.array([spin[2, 1], spin[0, 2], spin[1, 0]])
    np.testing.assert_allclose([at.seen, at.turning], [seen, turning], atol=1e-9)
    turns = ((np.eye(3), R_AB), (R_AB.T, np.eye(3)), (at.R["a"], at.R["b"]))[k]
    velocity = "RelativeVelocitySensor"
    np.testing.assert_allclose(run[f"{velocity}_{k}.velocity"](T), turns[0] @ seen, atol=1e-9)
    np.testing.assert_allclose(run[f"{velocity}_{k}.angular_velocity"](T), turns[1] @ turning, atol=1e-9)
    faster, twisting = rate(run, f"{velocity}_0.velocity", T), rate(run, f"{velocity}_1.angular_velocity", T)
    shown = f"RelativeAccelerationSensor_{k}"
    np.testing.assert_allclose(run[f"{shown}.acceleration"](T), turns[0] @ faster, atol=1e-8)
    np.testing.assert_allclose(run[f"{shown}.angular_acceleration"](T), turns[1] @ twisting, atol=1e-8)


def arm(cut: str) -> mb.Model:
    """A ball joint, a rod and a hinge; with a cut sensor between rod and hinge where its axes are given."""
    model = mb.Model("arm")
    world, ball = model.add(sp.World()), model.add(sp.Spherical("ball", angular_velocity=(1.0, 2.0, 3.0)))
    first = model.add(sp.Body("first", 2.0, (0.3, 0.4, 0.5), (0.2, 0.1, -0.3)))
    rod, hinge = model.add(sp.Rod("rod", (0.5, -0.2, 0.3))), model.add(sp.Revolute("hinge", (1, 2, 2), 0.3, -2.0))
    second = model.add(sp.Body("second", 1.0, (0.1, 0.2, 0.25), (0.1, 0.3, 0.2)))
    model.connect(world.frame, ball.frame_a)
    model.connect(ball.frame_b, first.frame, rod.frame_a)
    model.connect(hinge.frame_b, second.frame)
    if not cut:
        model.connect(rod.frame_b, hinge.frame_a)
        return model
    sensor = model.add(sp.CutSensor("cut", cut))
    model.connect(rod.frame_b, sensor.frame_a)
    model.connect(sensor.frame_b, hinge.frame_a)
    return model


@pytest.mark.parametrize("axes", ["frame", "world"])
def test_what_passes_a_cut(axes: str) -> None:
    """The reaction of the hinge behind it; its power is what the second body gains."""
    run, plain = (mb.simulate(arm(cut), 0.6, rtol=1e-11) for cut in (axes, ""))
    np.testing.assert_allclose(run["second.position"](0.6), plain["second.position"](0.6), atol=1e-9)
    turn = run["hinge.frame_a.attitude"](T).reshape(3, 3) if axes == "world" else np.eye(3)
    np.testing.assert_allclose(run["cut.force"](T), turn @ run["hinge.reaction_force"](T), atol=1e-9)
    np.testing.assert_allclose(run["cut.torque"](T), turn @ run["hinge.reaction_torque"](T), atol=1e-9)
    gained = rate(run, "second.velocity", T) @ run["second.momentum"](T)
    J, w = np.array([0.1, 0.2, 0.25]), run["second.angular_velocity"](T)
    gained += (J * w) @ rate(run, "second.angular_velocity", T) + 9.81 * run["second.velocity"](T)[1]
    assert run["cut.power"](T) == pytest.approx(gained, abs=1e-7)


# -- in circles --------------------------------------------------------------------------------------------------------


def fed_back(block: mb.blocks.Block, sensor: str = "acceleration") -> mb.Model:
    """A falling mass of 2 kg with a force that follows from its own acceleration."""
    model = mb.Model("loop")
    world, space = model.add(sp.World()), model.add(sp.FreeTranslation("space"))
    body, force = model.add(sp.PointMass("body", 2.0)), model.add(sp.WorldForce("force"))
    shown, block = model.add(sp.AccelerationSensor("shown")), model.add(block)
    model.connect(world.frame, space.frame_a)
    model.connect(space.frame_b, body.frame, shown.frame, force.frame)
    model.signal(getattr(shown, sensor), block.u)
    model.signal(block.y, force.input)
    return model


def test_a_force_from_an_acceleration_is_solved() -> None:
    """-3 a acts like 3 kg more that have no weight; kept between limits it is no longer linear."""
    run = mb.simulate(fed_back(mb.blocks.Gain("block", (-3.0,) * 3)), 1.0)
    np.testing.assert_allclose(run["body.position"](1.0), [0.0, -0.5 * 9.81 * 2 / 5, 0.0], atol=1e-9)
    run = mb.simulate(fed_back(mb.blocks.Limiter("block", -3.0, 3.0, size=3)), 1.0)
    np.testing.assert_allclose(run["shown.acceleration"](0.5), [0.0, -(2 * 9.81 + 3) / 2, 0.0], atol=1e-9)


def test_a_force_that_cancels_the_mass_is_refused() -> None:
    with pytest.raises(mb.errors.StructureError, match=r"nothing balances the effort at 'space\[1\]'"):
        mb.simulate(fed_back(mb.blocks.Gain("block", (2.0,) * 3)), 1.0)


def test_a_sensor_leads_a_controller() -> None:
    """A mass of 1 kg is held at a height by the signal of its position and speed: x'' = -4 x - 4 x'."""
    model = mb.Model("held")
    world, space = (
        model.add(sp.World(gravity=(0, 0, 0))),
        model.add(sp.FreeTranslation("space", (1.0, 0, 0), (0, 0, 0))),
    )
    body, force = model.add(sp.PointMass("body", 1.0)), model.add(sp.WorldForce("force"))
    pose, speed = model.add(sp.PoseSensor("pose")), model.add(sp.VelocitySensor("speed"))
    add = model.add(mb.blocks.Sum("add", "--", size=3))
    gains = [model.add(mb.blocks.Gain(name, (4.0,) * 3)) for name in ("stiff", "damp")]
    model.connect(world.frame, space.frame_a)
    model.connect(space.frame_b, body.frame, force.frame, pose.frame, speed.frame)
    model.signal(pose.position, gains[0].u)
    model.signal(speed.velocity, gains[1].u)
    model.signal(gains[0].y, add.u_1)
    model.signal(gains[1].y, add.u_2)
    model.signal(add.y, force.input)
    run = mb.simulate(model, 2.0, rtol=1e-10)
    assert run["body.position[0]"](2.0) == pytest.approx((1 + 2 * 2.0) * np.exp(-4.0), abs=1e-8)
