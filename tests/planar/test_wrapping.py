"""Multibond graphs of one's own as parts: Tiernego and Bos' examples, and bodies against those of the library."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import multibond as mb
from multibond import blocks, wiring
from multibond import planar as pl
from multibond import spatial as sp
from multibond.examples import disc, rate_gyro
from multibond.examples.disc import FRICTION, GRAVITY, INERTIA, MASS, PLACE, RATE
from multibond.examples.rate_gyro import DAMPING, GIMBAL, ROTOR, SPIN, STIFFNESS

from .wrapped import casing, own_body, planar_part

J = np.array([[0.08, 0.01, 0.0], [0.01, 0.05, -0.02], [0.0, -0.02, 0.06]])


def hung(body: object) -> mb.Model:
    """A body on a rod on a Cardan joint."""
    model = mb.Model("hung")
    world, rod = model.add(sp.World()), model.add(sp.Rod("rod", (0.5, 0.1, -0.2)))
    joint = model.add(sp.Universal("joint", angles=(0.3, 0.2), speeds=(1.0, -2.0)))
    own = model.add(body)
    model.connect(world.frame, joint.frame_a)
    model.connect(joint.frame_b, rod.frame_a)
    model.connect(rod.frame_b, own.frame)
    return model


@pytest.mark.parametrize("method", ["auto", "multiplier"])
@pytest.mark.parametrize("back", [False, True], ids=["arrows in", "arrows out"])
@pytest.mark.parametrize("six", [False, True], ids=["two 3-bonds", "one 6-bond"])
def test_a_wrapped_body_is_the_librarys(six: bool, back: bool, method: str) -> None:
    t = np.linspace(0.0, 2.0, 21)
    wanted = mb.simulate(hung(sp.Body("own", 1.3, J)), 2.0, rtol=1e-12, atol=1e-13)
    model = hung(own_body("own", J, 1.3, six=six, back=back))
    found = mb.simulate(model, 2.0, rtol=1e-12, atol=1e-13, method=method)
    for name in ("joint.angles", "joint.reaction_force", "joint.reaction_torque", "own.frame.position"):
        np.testing.assert_allclose(found[name](t), wanted[name](t), atol=1e-8, err_msg=name)


def test_a_wrapped_part_is_saved_and_opened(tmp_path: Path) -> None:
    model, t = hung(own_body("own", J, 1.3)), np.linspace(0.0, 1.0, 11)
    mb.save(model, tmp_path / "hung.mbg")
    runs = [mb.simulate(m, 1.0, rtol=1e-11) for m in (model, mb.load(tmp_path / "hung.mbg"))]
    runs += [mb.simulate(model.open(depth=depth), 1.0, rtol=1e-11) for depth in (2, 3)]
    names = ("joint.angles", "joint.angles", "joint-motion.q", "joint-motion.q")
    for run, name in zip(runs, names, strict=True):
        np.testing.assert_allclose(run[name](t), runs[0]["joint.angles"](t), atol=1e-9)


def test_rate_gyro_from_wrapped_parts() -> None:
    """Casing, gimbal and rotor are graphs of one's own, the hinges are the library's (second example, Fig. 18)."""
    model, t = mb.Model("gyro"), np.linspace(0.0, 0.2, 41)
    case, gimbal = model.add(casing(0.5)), model.add(own_body("gimbal", GIMBAL, 0.1))
    rotor = model.add(own_body("rotor", ROTOR, 0.1))
    tilt = model.add(sp.Revolute("tilt", axis="x", angle=0.0, speed=0.0, stiffness=STIFFNESS, damping=DAMPING))
    spin = model.add(sp.Revolute("spin", axis="y", driven=SPIN * mb.t))
    model.connect(case.frame, tilt.frame_a)
    model.connect(tilt.frame_b, gimbal.frame, spin.frame_a)
    model.connect(spin.frame_b, rotor.frame)
    found, wanted = mb.simulate(model, 0.2, rtol=1e-11), mb.simulate(rate_gyro(0.5), 0.2, rtol=1e-11)
    assert np.abs(wanted["tilt.q"](t)).max() > 0.01
    np.testing.assert_allclose(found["tilt.angle"](t), wanted["tilt.q"](t), atol=1e-9)
    np.testing.assert_allclose(found["tilt.speed"](t), wanted["damper.f"](t), atol=1e-7)


def test_disc_from_wrapped_parts() -> None:
    """Disc and sliding mass are graphs of one's own, the hinge and the hole are the library's (first example)."""
    model, t = mb.Model("parts"), np.linspace(0.0, 1.0, 41)
    world, hub = model.add(pl.World()), model.add(pl.Revolute("hub", angle=0.0, speed=RATE))
    hole = model.add(pl.Prismatic("hole", "x", PLACE, 0.0, damping=FRICTION))
    plate = model.add(planar_part("plate", (0.0, 0.0, INERTIA), 0.0))
    mass = model.add(planar_part("mass", (MASS, MASS, 0.0), MASS * GRAVITY))
    model.connect(world.frame, hub.frame_a)
    model.connect(hub.frame_b, plate.frame, hole.frame_a)
    model.connect(hole.frame_b, mass.frame)
    found, wanted = mb.simulate(model, 1.0, rtol=1e-11), mb.simulate(disc(), 1.0, rtol=1e-11)
    np.testing.assert_allclose(found["hub.angle"](t), wanted["angle.q"](t), atol=1e-9)
    np.testing.assert_allclose(found["hole.position"](t), wanted["place.q"](t)[:, 0], atol=1e-9)


@pytest.mark.parametrize("given", [False, True], ids=["told", "given"])
def test_a_planar_graph_of_ones_own_moves_a_frame(given: bool) -> None:
    """A pendulum whose pivot goes to and fro: the pivot as a driven rail, and as a graph that gives pose and flow."""
    model, t = mb.Model("shaken"), np.linspace(0.0, 2.0, 21)
    world, hinge = model.add(pl.World()), model.add(pl.Revolute("hinge", angle=0.2, speed=0.0))
    bob = model.add(pl.Body("bob", 1.0, 0.1, (0.0, -0.6)))
    model.connect(hinge.frame_b, bob.frame)
    if given:
        model.connect(model.add(shaker()).frame, hinge.frame_a)
    else:
        rail = model.add(pl.Prismatic("rail", driven="0.1*sin(5*t)"))
        model.connect(world.frame, rail.frame_a)
        model.connect(rail.frame_b, hinge.frame_a)
    run = mb.simulate(model, 2.0, rtol=1e-11, atol=1e-13)

    def rate(time: float, z: np.ndarray) -> list[float]:
        shake = -0.1 * 25.0 * np.sin(5.0 * time)
        return [z[1], -0.6 * (9.81 * np.sin(z[0]) + shake * np.cos(z[0])) / (0.36 + 0.1)]

    wanted = solve_ivp(rate, (0.0, 2.0), [0.2, 0.0], "DOP853", t, rtol=1e-12, atol=1e-13).y
    np.testing.assert_allclose(run["hinge.angle"](t), wanted[0], atol=1e-8)
    np.testing.assert_allclose(run["hinge.frame_a.position"](t)[:, 0], 0.1 * np.sin(5 * t), atol=1e-9)


def shaker() -> mb.Model:
    """A graph that moves a planar frame along x, 0.1 sin 5t."""
    model = mb.Model("shaker", size=3)
    plug = model.add(wiring.PlanarFrameBond("plug", given=True))
    v, way = model.add(mb.One("v")), model.add(mb.Dq("way"))
    place = model.add(blocks.Function("place", ["u[0]", "u[1]"], size=3))
    model.bond(mb.Sf("drive", ["0.5*cos(5*t)", "0", "0"]), v)
    model.bond(v, way)
    model.bond(v, plug.bond)
    model.signal(way.value, place.u)
    model.signal(place.y, plug.position)
    turn = model.add(blocks.Function("turn", "u[2]", size=3))
    model.signal(way.value, turn.u)
    model.signal(turn.y, plug.angle)
    model.expose("frame", plug.frame)
    return model


def test_signals_of_a_wrapper_tell_the_pose() -> None:
    """A force that its own graph makes of position and angle: a spring to the origin and one against turning."""
    model, t = mb.Model("held"), np.linspace(0.0, 1.0, 11)
    model.add(pl.World(gravity=(0.0, 0.0)))
    body, plug = model.add(pl.Body("body", 1.0, 0.5)), model.add(wiring.PlanarFrameBond("plug"))
    free = model.add(pl.Free("free", (0.3, -0.2), 0.4))
    pull = model.add(blocks.Function("pull", ["-9*u[0]", "-9*u[1]"], size=2))
    twist, push = model.add(blocks.Gain("twist", -2.0)), model.add(mb.DirectSum("push", 2, 1))
    force, torque = model.add(mb.MSe("force", size=2)), model.add(mb.MSe("torque", size=1))
    model.connect("world.frame", free.frame_a)
    model.connect(free.frame_b, body.frame, plug.frame)
    model.signal(plug.position, pull.u)
    model.signal(plug.angle, twist.u)
    model.signal(pull.y, force.effort)
    model.signal(twist.y, torque.effort)
    model.bond(force, push.part_1)
    model.bond(torque, push.part_2)
    model.bond(push.whole, plug.bond)
    run = mb.simulate(model, 1.0, rtol=1e-11)
    np.testing.assert_allclose(run["body.position"](t), np.outer(np.cos(3 * t), (0.3, -0.2)), atol=1e-9)
    np.testing.assert_allclose(run["body.angle"](t), 0.4 * np.cos(2 * t), atol=1e-9)
