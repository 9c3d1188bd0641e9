"""A machine half in the plane and half in space is the machine in space."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import multibond as mb
from multibond import planar as pl
from multibond import spatial as sp
from multibond.errors import ModelError, ParameterError

from .machines import Bench

LEVEL = 0.4
TILT = Rotation.from_rotvec((0.5, -0.3, 0.4))
QUATERNION = tuple(np.roll(TILT.as_quat(), 1))
TIMES = np.linspace(0.0, 2.0, 21)


def lower_half(library: object, gravity: tuple[float, float]) -> tuple[Bench, object]:
    """A swinging bar with a body on it; returns the bench and the frame at its end."""
    b = Bench(library, gravity)  # type: ignore[arg-type]
    hinge = b.add("Revolute", "hinge", angle=0.3, speed=-0.5, damping=0.2)
    bar, body = b.rod("bar", 1.0, 0.2), b.body("body", 1.0, 0.1, (0.5, 0.1))
    b.link(hinge.frame_b, bar.frame_a, body.frame)
    return b, bar.frame_b


def upper_half(b: Bench, end: object) -> mb.Model:
    """A body on a Cardan joint, which leaves the plane."""
    joint = b.model.add(sp.Universal("joint", axis="z", second_axis="x", angles=(0.4, 0.5), speeds=(1.0, 2.0)))
    load = b.model.add(sp.Body("load", 0.7, (0.02, 0.03, 0.04), (0.1, -0.4, 0.2)))
    b.link(end, joint.frame_a)
    b.link(joint.frame_b, load.frame)
    return b.model


def in_space() -> mb.Model:
    """All of it in space, on a rod up to the level of the plane."""
    b, end = lower_half(sp, (0.0, -9.81))
    foot = b.model.add(sp.Rod("foot", (0.0, 0.0, LEVEL)))
    b.link(b.world.frame, foot.frame_a)
    b.link(foot.frame_b, "hinge.frame_a")
    return upper_half(b, end)


def across() -> mb.Model:
    """The lower half in the plane."""
    b, end = lower_half(pl, (0.0, -9.81))
    bridge = b.model.add(pl.Bridge("bridge", (0.0, 0.0, LEVEL)))
    b.link(b.world.frame, "hinge.frame_a")
    b.link(end, bridge.planar)
    return upper_half(b, bridge.spatial)


@pytest.mark.parametrize("method", ["auto", "multiplier"])
def test_half_and_half_is_the_whole(method: str) -> None:
    found = mb.simulate(across(), 2.0, rtol=1e-12, atol=1e-13, method=method)
    wanted = mb.simulate(in_space(), 2.0, rtol=1e-12, atol=1e-13)
    for name in ("hinge.angle", "hinge.speed", "joint.angles", "load.position", "joint.reaction_force"):
        np.testing.assert_allclose(found[name](TIMES), wanted[name](TIMES), atol=1e-9, err_msg=name)
    assert found.energy().residual < 1e-9


def test_what_presses_out_of_the_plane_is_told() -> None:
    """The bridge holds what the joint behind it needs: the same force, and the torque about the bridge's frame."""
    run = mb.simulate(across(), 2.0, rtol=1e-11)
    for t in (0.0, 0.7, 1.9):
        turn = run["joint.frame_a.attitude"](t).reshape(3, 3)
        np.testing.assert_allclose(run["bridge.reaction_force"](t), turn @ run["joint.reaction_force"](t), atol=1e-9)
        np.testing.assert_allclose(run["bridge.reaction_torque"](t), run["joint.reaction_torque"](t), atol=1e-9)
    assert abs(run["bridge.reaction_force"](0.7)[2]) > 0.1


def test_flows_inside_the_bridge_count_along_their_half_arrows() -> None:
    run = mb.simulate(across(), 0.1)
    v = run["bridge.planar.plane.f"](0.05)
    np.testing.assert_allclose(run["bridge.carry.a.f"](0.05), v[:2], atol=1e-12)
    np.testing.assert_allclose(run["bridge.turn.a.f"](0.05), v[2], atol=1e-12)
    np.testing.assert_allclose(run["bridge.carry.b.f"](0.05), (*v[:2], 0.0), atol=1e-12)


@pytest.mark.parametrize("depth", [2, 3])
def test_depths_agree(depth: int) -> None:
    found, wanted = (mb.simulate(m, 1.0, rtol=1e-11) for m in (across().open(depth=depth), across()))
    t = np.linspace(0.0, 1.0, 11)
    np.testing.assert_allclose(found["hinge-motion.q"](t), wanted["hinge.angle"](t), atol=1e-9)


def test_a_tilted_plane() -> None:
    """A plane of any attitude: gravity in it, and what it carries, against Newton in the world's axes."""
    down = TILT.as_matrix().T @ np.array([0.0, -9.81, 0.0])
    b, end = lower_half(pl, (down[0], down[1]))
    b.model.add(sp.World("space"))
    bridge = b.model.add(pl.Bridge("bridge", (0.1, 0.2, LEVEL), QUATERNION))
    b.link(b.world.frame, "hinge.frame_a")
    b.link(end, bridge.planar)
    load = b.model.add(sp.Body("load", 0.7, (0.02, 0.03, 0.04), (0.1, -0.4, 0.2)))
    b.link(bridge.spatial, load.frame)
    run, t = mb.simulate(b.model, 2.0, rtol=1e-11), 1.3
    flat = np.array([*run["bridge.planar.position"](t), 0.0])
    np.testing.assert_allclose(
        run["bridge.spatial.position"](t), TILT.apply(flat) + np.array([0.1, 0.2, LEVEL]), atol=1e-10
    )
    turned = TILT * Rotation.from_euler("z", float(run["bridge.planar.angle"](t)))
    np.testing.assert_allclose(run["bridge.spatial.attitude"](t).reshape(3, 3), turned.as_matrix(), atol=1e-10)
    h = 1e-3
    v = run["load.velocity"](np.array([t - 2 * h, t - h, t + h, t + 2 * h]))
    a = (v[0] - 8 * v[1] + 8 * v[2] - v[3]) / (12 * h)
    np.testing.assert_allclose(run["bridge.reaction_force"](t), 0.7 * (a - (0.0, -9.81, 0.0)), atol=1e-6)
    assert run.energy().residual < 1e-9


def test_a_loop_through_both() -> None:
    """Two arms from one plane meet in space: a slider crank whose rod is spatial, against all of it in space."""

    def crank(library: object) -> mb.Model:
        b = Bench(library)  # type: ignore[arg-type]
        O = b.add("Revolute", "O", angle=0.6, speed=4.0)
        guide = b.add("Prismatic", "guide", axis="x", position=mb.Guess(1.0))
        arm, wheel, piston = b.rod("arm", 0.3, 0.0), b.body("wheel", 2.0, 0.4), b.body("piston", 0.7, 0.1)
        b.link(b.world.frame, O.frame_a, guide.frame_a)
        b.link(O.frame_b, arm.frame_a, wheel.frame)
        b.link(guide.frame_b, piston.frame)
        B, C = b.model.add(sp.Revolute("B")), b.model.add(sp.Revolute("C"))
        rod, bar = b.model.add(sp.Rod("rod", (0.9, 0.0, 0.0))), b.model.add(sp.Body("bar", 0.5, (0.1, 0.1, 0.1)))
        ends = [arm.frame_b, guide.frame_b]
        if library is pl:
            ends = [_across(b, f"bridge_{k}", end) for k, end in enumerate(ends)]
        b.link(ends[0], B.frame_a)
        b.link(B.frame_b, rod.frame_a, bar.frame)
        b.link(rod.frame_b, C.frame_a)
        b.link(C.frame_b, ends[1])
        return b.model

    found, wanted = (mb.simulate(crank(library), 1.0, rtol=1e-11) for library in (pl, sp))
    t = np.linspace(0.0, 1.0, 21)
    for name in ("O.angle", "guide.position", "B.angle", "guide.speed"):
        np.testing.assert_allclose(found[name](t), wanted[name](t), atol=1e-8, err_msg=name)
    assert "3 redundant" in " ".join(found.system.report)


def _across(b: Bench, name: str, end: object) -> object:
    bridge = b.model.add(pl.Bridge(name))
    b.link(end, bridge.planar)
    return bridge.spatial


def test_a_frame_with_two_poses_is_refused() -> None:
    b = Bench(pl)
    bridge, space = b.model.add(pl.Bridge("bridge")), b.model.add(sp.World("space"))
    free, body = b.model.add(pl.Free("free")), b.body("body", 1.0)
    b.link(b.world.frame, free.frame_a)
    b.link(free.frame_b, body.frame, bridge.planar)
    b.link(bridge.spatial, space.frame)
    with pytest.raises(ModelError) as error:
        mb.compile(b.model)
    assert str(error.value) == (
        "a spatial frame has two poses.\n"
        "  'bridge' carries a frame that stands fixed already.\n"
        "  Put a joint between the two, or leave one of them out."
    )


def test_a_quaternion_needs_length_one() -> None:
    with pytest.raises(ParameterError, match="Its length is 2, not 1"):
        pl.Bridge("bridge", quaternion=(2.0, 0.0, 0.0, 0.0))


def test_a_plane_without_a_world() -> None:
    model = mb.Model("lost")
    world, hinge = model.add(sp.World()), model.add(sp.Revolute("hinge"))
    bridge, body = model.add(pl.Bridge("bridge")), model.add(pl.Body("body", 1.0))
    model.connect(world.frame, hinge.frame_a)
    model.connect(hinge.frame_b, bridge.spatial)
    model.connect(bridge.planar, body.frame)
    with pytest.raises(ModelError, match="Add a planar World"):
        mb.compile(model)
    model.add(pl.World("plane"))
    run, t = mb.simulate(model, 1.0, rtol=1e-11), np.linspace(0.0, 1.0, 11)
    np.testing.assert_allclose(run["hinge.angle"](t), 0.0, atol=1e-9)
