"""Parts of the plane one by one: signs of forces, sensors and rods, levers with elongation."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import multibond as mb
from multibond import blocks
from multibond import planar as pl
from multibond.errors import MultibondError, ParameterError
from multibond.graph.component import Component

from .machines import Bench


def flying(*parts: Component, start: dict | None = None, gravity: tuple[float, float] = (0.0, 0.0)) -> mb.Model:
    """A body of 2 kg and 0.5 kg.m² with its centre aside, free in the plane; parts with a `frame` act on it."""
    model = mb.Model("flying")
    world = model.add(pl.World(gravity=gravity))
    free = model.add(pl.Free("free", **(start or {})))
    body = model.add(pl.Body("body", 2.0, 0.5))
    model.connect(world.frame, free.frame_a)
    model.connect(free.frame_b, body.frame)
    for part in parts:
        model.add(part)
        model.connect(f"{part.name}.frame", "body.frame")
    return model


# -- forces ----------------------------------------------------------------------------------------------------------


def test_a_force_in_world_axes() -> None:
    run = mb.simulate(flying(pl.Force("push", (3.0, -4.0)), start={"angle": 0.7}), 1.0)
    np.testing.assert_allclose(run["body.position"](1.0), (0.75, -1.0), atol=1e-9)
    assert run["body.angle"](1.0) == pytest.approx(0.7, abs=1e-12)
    np.testing.assert_allclose(run["push.force"](0.5), (3.0, -4.0))


def test_a_force_in_the_frames_axes() -> None:
    """Turned by 0.5 rad, counter-clockwise."""
    run = mb.simulate(flying(pl.Force("push", (3.0, -4.0), axes="frame"), start={"angle": 0.5}), 1.0)
    c, s = np.cos(0.5), np.sin(0.5)
    np.testing.assert_allclose(run["body.position"](1.0), (0.25 * (3 * c + 4 * s), 0.25 * (3 * s - 4 * c)), atol=1e-9)


def test_a_torque_turns_counter_clockwise() -> None:
    run = mb.simulate(flying(pl.Torque("twist", "2*t")), 1.0)
    assert run["body.angle"](1.0) == pytest.approx(2.0 / 6.0 / 0.5, abs=1e-9)
    np.testing.assert_allclose(run["body.position"](1.0), (0.0, 0.0), atol=1e-12)
    assert run["twist.torque"](0.5) == pytest.approx(1.0)


def test_forces_and_torques_from_signals() -> None:
    model = flying(pl.Force("push"), pl.Torque("twist"))
    both, one = model.add(blocks.Constant("both", (1.0, 2.0))), model.add(blocks.Constant("one", -0.5))
    model.signal(both.y, "push.input")
    model.signal(one.y, "twist.input")
    run = mb.simulate(model, 1.0)
    np.testing.assert_allclose(run["body.position"](1.0), (0.25, 0.5), atol=1e-9)
    assert run["body.angle"](1.0) == pytest.approx(-0.5, abs=1e-9)


@pytest.mark.parametrize("swapped", [False, True])
def test_along_a_line(swapped: bool) -> None:
    """Spring, damper and a pull between a post at (1, 2) and a body at (4, 6), 5 m away, that moves off at 10 m/s."""
    for part, force in (
        (pl.Spring("it", stiffness=3.0, rest=1.0), 12.0),
        (pl.Damper("it", damping=2.0), 20.0),
        (pl.LineForce("it", 7.0), 7.0),
    ):
        model = flying(start={"position": (4.0, 6.0), "velocity": (6.0, 8.0)})
        post, it = model.add(pl.Fixed("post", (1.0, 2.0), 0.3)), model.add(part)
        ends = [it.frame_b, it.frame_a] if swapped else [it.frame_a, it.frame_b]
        model.connect(post.frame, ends[0])
        model.connect("body.frame", ends[1])
        run = mb.simulate(model, 0.01)
        assert run["it.length"](0.0) == pytest.approx(5.0)
        assert run["it.force"](0.0) == pytest.approx(force), part
        np.testing.assert_allclose(run["body.mass.e"](0.0), (-0.6 * force, -0.8 * force, 0.0), atol=1e-9)


def test_a_pull_from_a_signal() -> None:
    model = flying(start={"position": (2.0, 0.0)})
    post, it, two = model.add(pl.Fixed("post")), model.add(pl.LineForce("it")), model.add(blocks.Constant("two", 2.0))
    model.connect(post.frame, it.frame_a)
    model.connect("body.frame", it.frame_b)
    model.signal(two.y, it.input)
    assert mb.simulate(model, 1.0)["body.position[0]"](1.0) == pytest.approx(1.5, abs=1e-9)


def test_axes_of_a_force_are_known() -> None:
    with pytest.raises(ParameterError, match="there are no axes 'body'"):
        pl.Force("push", (1.0, 0.0), axes="body")


# -- sensors ---------------------------------------------------------------------------------------------------------


def test_sensors_tell_pose_motion_and_distance() -> None:
    start = {"position": (3.0, 4.0), "angle": 0.2, "velocity": (1.0, -2.0), "angular_velocity": 0.5}
    model = flying(pl.PoseSensor("pose"), pl.VelocitySensor("speed"), start=start)
    far = model.add(pl.DistanceSensor("far"))
    model.connect("world.frame", far.frame_a)
    model.connect("body.frame", far.frame_b)
    for name, source, size in (
        ("p", "pose.position", 2),
        ("a", "pose.angle", 1),
        ("v", "speed.velocity", 3),
        ("d", "far.length", 1),
    ):
        probe = model.add(blocks.Function(name, [f"u[{k}]" for k in range(size)] if size > 1 else "u", size=size))
        model.signal(source, probe.u)
    run = mb.simulate(model, 1.0)
    np.testing.assert_allclose(run["p.y"](1.0), (4.0, 2.0), atol=1e-9)
    assert run["a.y"](1.0) == pytest.approx(0.7)
    np.testing.assert_allclose(run["v.y"](1.0), (1.0, -2.0, 0.5), atol=1e-9)
    assert run["d.y"](1.0) == pytest.approx(np.hypot(4.0, 2.0))
    assert run["far.length"](0.0) == pytest.approx(5.0)
    np.testing.assert_allclose(run["speed.velocity"](0.0), (1.0, -2.0, 0.5))


# -- rods ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("inward", [False, True])
def test_a_rod_leads_pose_flow_and_force_both_ways(inward: bool) -> None:
    """p_b = p_a + R r; held at a turning a, a force at b gives the torque r × f; also where the tree comes from b."""
    b = Bench(pl, (0.0, 0.0))
    hinge = b.add("Revolute", "hinge", angle=0.4, speed=2.0)
    rod, tip = b.model.add(pl.Rod("rod", (1.0, 0.5), 0.3)), b.body("tip", 1.0, 0.2)
    near, far = (rod.frame_b, rod.frame_a) if inward else (rod.frame_a, rod.frame_b)
    b.link(b.world.frame, hinge.frame_a)
    b.link(hinge.frame_b, near)
    b.link(far, tip.frame)
    run = mb.simulate(b.model, 0.5)
    turn = 0.4 - 0.3 if inward else 0.4
    arm = np.array([np.cos(turn) - 0.5 * np.sin(turn), np.sin(turn) + 0.5 * np.cos(turn)]) * (-1 if inward else 1)
    np.testing.assert_allclose(run["tip.position"](0.0), arm, atol=1e-12)
    assert run["tip.angle"](0.0) == pytest.approx(0.4 + (-0.3 if inward else 0.3))
    np.testing.assert_allclose(run["tip.velocity"](0.0), (-2.0 * arm[1], 2.0 * arm[0], 2.0), atol=1e-12)
    np.testing.assert_allclose(run["hinge.reaction_force"](0.0), -4.0 * arm, atol=1e-9)


def test_a_telescope_is_a_rod_that_grows() -> None:
    """Driven to 2 + t/2 on a hinge without torque, the body keeps its momentum about the hinge."""
    b = Bench(pl, (0.0, 0.0))
    hinge, boom = (
        b.add("Revolute", "hinge", angle=0.0, speed=1.0),
        b.add("Telescope", "boom", vector=(0.6, 0.8), driven="2 + t/2"),
    )
    tip = b.body("tip", 3.0)
    b.link(b.world.frame, hinge.frame_a)
    b.link(hinge.frame_b, boom.frame_a)
    b.link(boom.frame_b, tip.frame)
    run, t = mb.simulate(b.model, 2.0, rtol=1e-11), np.linspace(0.0, 2.0, 11)
    np.testing.assert_allclose(run["boom.length"](t), 2.0 + 0.5 * t, atol=1e-9)
    np.testing.assert_allclose(run["hinge.speed"](t) * (2.0 + 0.5 * t) ** 2, 4.0, atol=1e-8)


def test_a_telescope_starts_about_where_it_is_drawn() -> None:
    assert pl.Telescope("boom", (3.0, 4.0)).start_values()["q"] == pytest.approx(5.0)
    assert pl.Telescope("boom", (3.0, 4.0)).start_values()["q"].guessed.all()
    exact = pl.Telescope("boom", (3.0, 4.0), 1.2).start_values()["q"]
    assert exact == pytest.approx(6.0) and not isinstance(exact, mb.Guess)
    with pytest.raises(ParameterError, match="has no direction"):
        pl.Telescope("boom", (0.0, 0.0))


def raw_pendulum(inertia: float = 0.0, ampl: str = "") -> mb.Model:
    """Zimmer and Cellier's Fig. 7: Sf(2) ⊕ Se(1) → mTF⟨φ⟩(1, -3) → 1 → I(1, 1, J); a factor may stretch the rod.

    Without J an inertia of zero at the joint gives its turn a place among the flows.
    """
    model = mb.Model("raw", size=3)
    joint, bob, turn = (
        model.add(mb.DirectSum("joint", 2, 1)),
        model.add(mb.One("bob")),
        model.add(mb.One("turn", size=1)),
    )
    rod, angle = model.add(pl.Lever("rod", (1.0, -3.0), bool(ampl))), model.add(mb.Dq("angle", size=1))
    model.bond(mb.Sf("wall", (0.0, 0.0)), joint.part_1)
    model.bond(mb.Se("free", 0.0, size=1) if inertia else mb.I("free", 0.0, size=1), turn)
    model.bond(turn, joint.part_2)
    model.bond(turn, angle)
    model.bond(joint.whole, rod.a)
    model.bond(rod.b, bob)
    model.signal(angle.value, rod.angle)
    if ampl:
        factor = model.add(blocks.Function("factor", ampl))
        model.signal(factor.y, rod.ampl)
    model.bond(bob, mb.I("mass", (1.0, 1.0, inertia)))
    model.bond(mb.Se("weight", (0.0, -9.81, 0.0)), bob)
    return model


def at_depth(model: mb.Model, depth: int) -> mb.Model:
    return model if depth == 1 else model.open(depth=depth)


def swing(t: np.ndarray, factor: float, inertia: float) -> np.ndarray:
    """The angle of a pendulum on the rod (1, -3), counter-clockwise."""

    def rate(_: float, z: np.ndarray) -> list[float]:
        return [z[1], -9.81 * factor * (np.cos(z[0]) + 3.0 * np.sin(z[0])) / (10.0 * factor**2 + inertia)]

    return solve_ivp(rate, (0.0, t[-1]), [0.0, 0.0], "DOP853", t, rtol=1e-12, atol=1e-13).y[0]


@pytest.mark.parametrize("depth", [1, 2, 3])
def test_the_raw_pendulum_of_zimmer_and_cellier(depth: int) -> None:
    """Checkpoints of MultiBondLib, whose angle counts clockwise."""
    run = mb.simulate(at_depth(raw_pendulum(), depth), 10.0, rtol=1e-11)
    wanted = [0.115235, 0.379195, 0.623155, 0.573115, 0.251268]
    np.testing.assert_allclose(-run["angle.q"](np.array([0.5, 1.0, 2.0, 5.0, 10.0])), wanted, atol=1e-6)


@pytest.mark.parametrize("depth", [1, 2, 3])
def test_a_lever_takes_each_component_from_its_own_side(depth: int) -> None:
    """The wall gives the velocity at one end, the inertia the turn at the other."""
    run, t = mb.simulate(at_depth(raw_pendulum(0.3), depth), 5.0, rtol=1e-11), np.linspace(0.0, 5.0, 26)
    np.testing.assert_allclose(run["angle.q"](t), swing(t, 1.0, 0.3), atol=1e-8)
    assert run.energy().residual < 1e-9


@pytest.mark.parametrize("inertia", [0.0, 0.3])
@pytest.mark.parametrize("depth", [1, 2, 3])
def test_the_elongation_factor_stretches_the_rod(depth: int, inertia: float) -> None:
    """With the factor 2 the same rod is twice as long."""
    run, t = mb.simulate(at_depth(raw_pendulum(inertia, "2"), depth), 5.0, rtol=1e-11), np.linspace(0.0, 5.0, 26)
    np.testing.assert_allclose(run["angle.q"](t), swing(t, 2.0, inertia), atol=1e-8)


@pytest.mark.parametrize("depth", [1, 3])
def test_a_lever_may_be_read_transposed(depth: int) -> None:
    """The pendulum on a bare transformer, whose modulus comes column after column."""
    model = mb.Model("bare", size=3)
    turn, bob, both = model.add(mb.One("turn", size=1)), model.add(mb.One("bob")), model.add(mb.DirectSum("both", 2, 1))
    angle, rod = model.add(mb.Dq("angle", size=1)), model.add(mb.MTF("rod", 3, 3, transposed=True, inverse="lever"))
    entries = ["1", "0", "0", "0", "1", "0", "3*cos(u) - sin(u)", "cos(u) + 3*sin(u)", "1"]
    law = model.add(blocks.Function("law", entries))
    model.signal(angle.value, law.u)
    model.signal(law.y, rod.modulus)
    model.bond(mb.Sf("wall", (0.0, 0.0)), both.part_1)
    model.bond(turn, both.part_2)
    model.bond(turn, angle)
    model.bond(mb.Se("free", 0.0, size=1), turn)
    model.bond(both.whole, rod.a)
    model.bond(rod.b, bob)
    model.bond(bob, mb.I("mass", (1.0, 1.0, 0.3)))
    model.bond(mb.Se("weight", (0.0, -9.81, 0.0)), bob)
    run, t = mb.simulate(at_depth(model, depth), 3.0, rtol=1e-11), np.linspace(0.0, 3.0, 16)
    np.testing.assert_allclose(run["angle.q"](t), swing(t, 1.0, 0.3), atol=1e-8)


def test_a_lever_is_unfolded_along_its_arrows() -> None:
    model = mb.Model("turned", size=3)
    rod, law = model.add(mb.MTF("rod", 3, 3, inverse="lever")), model.add(blocks.Constant("law", np.eye(3).ravel()))
    one = model.add(mb.One("one"))
    model.signal(law.y, rod.modulus)
    model.bond(one, mb.I("mass", (1.0, 1.0, 1.0)))
    model.bond(one, rod.a)
    model.bond(mb.Se("push", (1.0, 0.0, 0.0)), rod.b)
    with pytest.raises(MultibondError, match="a half-arrow of 'rod' is turned round"):
        model.open(depth=3)


# -- what is reported along half-arrows ------------------------------------------------------------------------------


def reported(run: mb.Run, **values: object) -> None:
    """Variables at the start, dots written as double underscores."""
    for name, value in values.items():
        found = np.atleast_1d(run[name.replace("__", ".")](0.0))
        np.testing.assert_allclose(found, np.atleast_1d(value), atol=1e-9, err_msg=name)


def test_flows_inside_forces_count_along_their_half_arrows() -> None:
    start = {"position": (3.0, 4.0), "velocity": (1.0, 2.0), "angular_velocity": 0.5}
    parts = pl.Force("push", (3.0, -4.0)), pl.Force("own", (1.0, 0.0), axes="frame"), pl.Torque("twist", 2.0)
    model = flying(*parts, start=start)
    spring = model.add(pl.Spring("spring", stiffness=3.0))
    model.connect("world.frame", spring.frame_a)
    model.connect("body.frame", spring.frame_b)
    run = mb.simulate(model, 0.01)
    reported(run, push__force__f=(1.0, 2.0), push__no_torque__f=0.5, own__turn__b__f=(1.0, 2.0))
    reported(run, twist__torque__f=0.5, twist__no_force__f=(1.0, 2.0), spring__no_torque__f=-0.5)
    reported(run, spring__velocity__whole__f=(1.0, 2.0, 0.5))


def test_flows_and_forces_inside_joints_count_along_their_half_arrows() -> None:
    """A rail on a turning hinge: transport first, then what slides; what is held is the reaction."""
    b = Bench(pl)
    hinge = b.add("Revolute", "hinge", angle=0.0, speed=2.0)
    rail, load = b.add("Prismatic", "rail", axis="y", position=1.5, speed=0.7), b.body("load", 1.0, 0.2, (0.3, 0.1))
    b.link(b.world.frame, hinge.frame_a)
    b.link(hinge.frame_b, rail.frame_a)
    b.link(rail.frame_b, load.frame)
    run = mb.simulate(b.model, 0.01)
    reported(run, rail__lever__b__f=(-3.0, 0.0, 2.0), rail__relative__whole__f=(0.0, 0.7, 0.0))
    reported(run, rail__split__whole__f=(0.7, 0.0), hinge__relative__whole__f=(0.0, 0.0, 2.0))
    force, torque = run["rail.reaction_force"](0.0), float(run["rail.reaction_torque"](0.0))
    assert abs(force[0]) > 0.1 and abs(torque) > 0.1
    reported(run, rail__hold_translation__e=-force[0], rail__hold_rotation__e=torque)
    held = run["hinge.reaction_force"](0.0)
    reported(run, hinge__hold_translation__e=held, world__rest__e=(*held, 0.0))
