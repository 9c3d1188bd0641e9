"""Signs that only show when a mechanism is written otherwise: soft joints, rods led backwards, parts that push."""

from __future__ import annotations

import numpy as np
import pytest

import multibond as mb
from multibond import spatial as sp
from multibond.graph.expand import Inside

from .test_joints import JOINTS, two_bodies


def driven_rod(method: str) -> mb.Run:
    """A bob of 2 kg and 0.5 kg.m² on a rod of 0.4 m along -y, a hinge at its far end driven with 3 N.m."""
    model = mb.Model("rod")
    world, rod = model.add(sp.World(gravity=(0.0, -10.0, 2.0))), model.add(sp.Rod("rod", (0.0, -0.4, 0.0)))
    hinge = model.add(sp.Revolute("hinge", axis="z", angle=0.3, speed=0.0, torque=3.0))
    bob = model.add(sp.Body("bob", 2.0, inertia=(0.5, 0.5, 0.5)))
    model.connect(world.frame, hinge.frame_a)
    model.connect(hinge.frame_b, rod.frame_a)
    model.connect(rod.frame_b, bob.frame)
    return mb.simulate(model, 0.1, rtol=1e-10, method=method)


@pytest.mark.parametrize("method", ["auto", "multiplier"])
def test_torque_at_the_far_end_of_a_rod(method: str) -> None:
    """Either end of the rod may lead the other: (J + m l²) q'' = 3 - m g l sin q; the wind along z loads the hinge."""
    run, h = driven_rod(method), 1e-3
    rate = (3.0 - 2.0 * 10.0 * 0.4 * np.sin(0.3)) / (0.5 + 2.0 * 0.4**2)
    assert run["hinge.angle"](h) == pytest.approx(0.3 + rate * h**2 / 2, abs=1e-9)
    centre = 0.4 * np.array([np.sin(0.3), -np.cos(0.3), 0.0])
    torque = np.cross(centre, (0.0, 0.0, -4.0))
    np.testing.assert_allclose(run["hinge.reaction_torque"](0.0)[:2], torque[:2], atol=1e-8)


class Dragged(sp.Prismatic):
    """A slider with a damper of 1 N.s/m that holds frame b against twice the relative velocity."""

    def build(self, inside: Inside) -> None:
        super().build(inside)
        twice, slip = inside.add(mb.TF("twice", 2.0, size=3)), inside.add(mb.Zero("slip", size=3))
        inside.bond(mb.One("v", size=3), twice.a)
        inside.bond(twice.b, slip)
        inside.bond(slip, inside.add(mb.R("drag", 1.0, size=3)))
        inside.bond(slip, inside.frame("frame_b").translation)


class Pushed(sp.Prismatic):
    """A slider with a push of its own on frame b."""

    def build(self, inside: Inside) -> None:
        super().build(inside)
        push = inside.add(mb.Se("push", np.array([6.0, 1.0, 0.0]), size=3))
        inside.bond(push, inside.frame("frame_b").translation)


def test_a_part_may_hang_between_its_joint_and_its_frame() -> None:
    """The damper slips with 2 v - v; it pulls with 2 e at the joint and pushes with e: 2 v' = -v."""
    model = mb.Model("dragged")
    world, body = model.add(sp.World(gravity=(0.0, 0.0, 0.0))), model.add(sp.Body("body", 2.0))
    slider = model.add(Dragged("slider", axis="x", position=0.0, speed=1.0))
    model.connect(world.frame, slider.frame_a)
    model.connect(slider.frame_b, body.frame)
    run = mb.simulate(model, 1.0, rtol=1e-10)
    assert run["slider.speed"](0.8) == pytest.approx(np.exp(-0.4))


def test_a_part_may_push_on_the_frame_that_it_moves() -> None:
    """6 N along the slider give 2 kg 3 m/s²; 1 N across is held."""
    model = mb.Model("pushed")
    world, body = model.add(sp.World(gravity=(0.0, 0.0, 0.0))), model.add(sp.Body("body", 2.0))
    slider = model.add(Pushed("slider", axis="x", position=0.0, speed=0.0))
    model.connect(world.frame, slider.frame_a)
    model.connect(slider.frame_b, body.frame)
    run = mb.simulate(model, 0.5)
    assert run["slider.position"](0.4) == pytest.approx(3.0 * 0.4**2 / 2)
    np.testing.assert_allclose(run["slider.reaction_force"](0.4), [0.0, -1.0, 0.0], atol=1e-9)


@pytest.mark.parametrize("name", [name for name in JOINTS if not name.startswith("Free")])
def test_soft_joints_hold_like_rigid_ones(name: str) -> None:
    """Springs in the place of the constraints pull back: after 0.02 s both move alike."""
    model, t = two_bodies(JOINTS[name], np.random.default_rng(3)), 0.02
    stiff = mb.Parasitic(1e6, 2e3, 1e6, 2e3)
    rigid = mb.simulate(model, t, rtol=1e-9)
    soft = mb.simulate(model, t, method="rc", parasitic=stiff, solver="rodas5p", rtol=1e-6)
    for what in ("it.frame_b.position", "it.frame_b.attitude", "it.speeds", "it.reaction_force"):
        np.testing.assert_allclose(soft[what](t), rigid[what](t), atol=1e-3, err_msg=what)
