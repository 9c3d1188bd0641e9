"""What a cut joint tells: full turns, signs of quaternions, starts beyond half a turn, also inside the equations."""

from __future__ import annotations

import numpy as np
import pytest

import multibond as mb
from multibond import planar as pl
from multibond import spatial as sp

T = np.linspace(0.0, 2.0, 41)


def wheels(angle: float) -> mb.Model:
    """Two wheels in mesh that turn by some fifty radians."""
    model = mb.Model("wheels")
    world = model.add(sp.World(gravity=(0.0, 0.0, 0.0)))
    gear = model.add(sp.Gear("mesh", ratio=-2.0, angle=angle, speed=25.0))
    first, second = (model.add(sp.Body(name, 1.0, (0.1, 0.1, 0.2))) for name in ("first", "second"))
    model.connect(world.frame, gear.bearing)
    model.connect(gear.frame_a, first.frame)
    model.connect(gear.frame_b, second.frame)
    return model


@pytest.mark.parametrize("angle", [0.5, 7.0])
@pytest.mark.parametrize("method", ["auto", "multiplier", "zcp", "minimal"])
def test_wheels_in_mesh_turn_on_and_on(method: str, angle: float) -> None:
    """Free of torque: angle_a = angle + 25 t, angle_b = -angle_a / 2, whatever is cut."""
    run = mb.simulate(wheels(angle), 2.0, method=method, rtol=1e-11)
    np.testing.assert_allclose(run["mesh.angle_a"](T), angle + 25.0 * T, atol=1e-8)
    np.testing.assert_allclose(run["mesh.angle_b"](T), -0.5 * (angle + 25.0 * T), atol=1e-8)


def spun(room: object, method: str) -> mb.Run:
    """A wheel that a torsion spring lets turn by several turns about its rest far away."""
    model = mb.Model("spun")
    world = model.add(room.World(gravity=(0.0, 0.0, 0.0) if room is sp else (0.0, 0.0)))  # type: ignore[attr-defined]
    hinge = model.add(room.Revolute("hinge", angle=9.0, speed=0.0, stiffness=2.0, rest=1.0))  # type: ignore[attr-defined]
    inertia = (0.3, 0.3, 0.5) if room is sp else 0.5
    wheel = model.add(room.Body("wheel", 1.0, inertia))  # type: ignore[attr-defined]
    model.connect(world.frame, hinge.frame_a)
    model.connect(hinge.frame_b, wheel.frame)
    return mb.simulate(model, 2.0, method=method, rtol=1e-11)


@pytest.mark.parametrize("room", [sp, pl], ids=["space", "plane"])
@pytest.mark.parametrize("method", ["auto", "multiplier", "zcp", "minimal"])
def test_a_spring_winds_up_over_full_turns(room: object, method: str) -> None:
    """Angle 1 + 8 cos(2 t): a spring at a cut feels every turn."""
    np.testing.assert_allclose(spun(room, method)["hinge.angle"](T), 1.0 + 8.0 * np.cos(2.0 * T), atol=1e-8)


@pytest.mark.parametrize("start", [(0.8, 0.36, 0.48, 0.0), (-0.8, -0.36, -0.48, 0.0), (0.0, 0.6, 0.0, 0.8)])
@pytest.mark.parametrize("method", ["multiplier", "zcp"])
def test_a_quaternion_at_a_cut_does_not_jump(method: str, start: tuple[float, ...]) -> None:
    """A ball that tumbles through several turns, from starts of either sign: as in the tree, sign and all."""
    model = mb.Model("tumbling")
    world = model.add(sp.World())
    ball = model.add(sp.Spherical("ball", quaternion=start, angular_velocity=(4.0, 5.0, -6.0)))
    body = model.add(sp.Body("body", 1.0, (0.1, 0.2, 0.3), (0.1, 0.0, 0.05)))
    model.connect(world.frame, ball.frame_a)
    model.connect(ball.frame_b, body.frame)
    tree, cut = (mb.simulate(model, 2.0, method=m, rtol=1e-11)["ball.quaternion"](T) for m in ("auto", method))
    np.testing.assert_allclose(tree[0], start, atol=1e-12)
    np.testing.assert_allclose(cut, tree, atol=1e-8)


@pytest.mark.parametrize("sequence", ["xyz", "zxz"])
@pytest.mark.parametrize("method", ["auto", "multiplier"])
def test_angles_in_turn_start_on_either_side(method: str, sequence: str) -> None:
    """Start angles of a ball whose second angle lies beyond what an attitude alone would give."""
    angles = (0.4, 2.5, -0.7) if sequence == "xyz" else (0.4, -1.1, -0.7)
    model = mb.Model("angles")
    world = model.add(sp.World())
    ball = model.add(sp.Spherical("ball", sequence=sequence, angles=angles, angular_velocity=(0.0, 0.0, 0.0)))
    body = model.add(sp.Body("body", 1.0, (0.1, 0.2, 0.3), (0.1, 0.0, 0.05)))
    model.connect(world.frame, ball.frame_a)
    model.connect(ball.frame_b, body.frame)
    run, tree = (mb.simulate(model, 0.2, method=m, rtol=1e-11) for m in (method, "auto"))
    times = np.linspace(0.0, 0.2, 9)
    np.testing.assert_allclose(run["body.attitude"](times), tree["body.attitude"](times), atol=1e-9)
    np.testing.assert_allclose(run["body.attitude"](0.0), _turned(sequence, angles).ravel(), atol=1e-12)
    np.testing.assert_allclose(run["ball.angles"](times), tree["ball.angles"](times), atol=1e-9)
    np.testing.assert_allclose(run["ball.angles[1]"](times), tree["ball.angles[1]"](times), atol=1e-9)
    np.testing.assert_allclose(run["ball.angles"](0.0), angles, atol=1e-12)


@pytest.mark.parametrize("method", ["multiplier", "zcp"])
def test_angles_beside_a_slide_keep_their_side(method: str) -> None:
    """A generic joint with three angles, the second one beyond a right angle, and a slide."""
    begin = (0.4, 2.5, -0.7, 0.3)
    model = mb.Model("loose")
    world = model.add(sp.World())
    turns, slides = [(1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)], [(0.0, 0.6, 0.8)]
    made = sp.Joint("loose", turns=turns, slides=slides, angles=True, coordinates=begin, speeds=(0.3, -0.2, 0.5, 0.4))
    joint = model.add(made)
    body = model.add(sp.Body("body", 1.0, (0.1, 0.2, 0.3), (0.1, 0.0, 0.05)))
    model.connect(world.frame, joint.frame_a)
    model.connect(joint.frame_b, body.frame)
    run, tree = (mb.simulate(model, 0.2, method=m, rtol=1e-11) for m in (method, "auto"))
    times = np.linspace(0.0, 0.2, 9)
    np.testing.assert_allclose(run["loose.coordinates"](0.0), begin, atol=1e-12)
    np.testing.assert_allclose(run["loose.coordinates"](times), tree["loose.coordinates"](times), atol=1e-9)


@pytest.mark.parametrize("method", ["auto", "multiplier"])
def test_crossings_of_an_angle_are_those_of_what_is_told(method: str) -> None:
    """The second of three angles falls through 2.49 rad, beyond a right angle."""
    model = mb.Model("angles")
    world = model.add(sp.World())
    start = {"angles": (0.4, 2.5, -0.7), "angular_velocity": (0.3, 0.2, 0.1)}
    ball = model.add(sp.Spherical("ball", sequence="xyz", **start))
    body = model.add(sp.Body("body", 1.0, (0.1, 0.2, 0.3), (0.1, 0.0, 0.05)))
    model.connect(world.frame, ball.frame_a)
    model.connect(ball.frame_b, body.frame)
    run = mb.simulate(model, 0.2, method=method, rtol=1e-11, events={"ball.angles[1]": (2.49, 0)})
    assert len(run.events) == 1
    assert run["ball.angles[1]"](run.events[0].time) == pytest.approx(2.49, abs=1e-9)


def _turned(sequence: str, angles: tuple[float, ...]) -> np.ndarray:
    from .geometry import X, Y, Z, turn

    R = np.eye(3)
    for letter, angle in zip(sequence, angles, strict=True):
        R = R @ turn({"x": X, "y": Y, "z": Z}[letter], angle)
    return R
