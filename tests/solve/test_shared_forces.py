"""Reactions that equilibrium leaves open are the least: F² + (T/length)² over all joints, by an own least squares."""

from __future__ import annotations

import numpy as np
import pytest

import multibond as mb
from multibond import spatial as sp
from multibond.solve.reactions import ambiguous_components

HEIGHT, WEIGHT, BOB, G = 0.8, 3.0, 1.5, 9.81
CENTRE, EDGE = np.array([0.3, 0.4, 0.1]), np.array([0.6, 0.2, 0.0])


def door() -> mb.Model:
    """A door on two hinges about one upright line, at rest, and a bob that hangs at its edge."""
    model = mb.Model("door")
    model.add(sp.World())
    model.add(sp.Revolute("low", axis="y", angle=0.0, speed=0.0))
    model.add(sp.Rod("post", (0.0, HEIGHT, 0.0)))
    model.add(sp.Revolute("high", axis="y"))
    leaf = model.add(sp.Body("leaf", WEIGHT, (0.2, 0.3, 0.1), CENTRE, points=((0.0, HEIGHT, 0.0), tuple(EDGE))))
    model.add(sp.Revolute("hook", axis="x", angle=0.0, speed=0.0))
    model.add(sp.Body("bob", BOB, (0.01, 0.01, 0.01), (0.0, -0.2, 0.0)))
    model.connect("world.frame", "low.frame_a", "post.frame_a")
    model.connect("post.frame_b", "high.frame_a")
    model.connect("low.frame_b", leaf.frame)
    model.connect("high.frame_b", leaf.frame_1)
    model.connect(leaf.frame_2, "hook.frame_a")
    model.connect("hook.frame_b", "bob.frame")
    return model


def least(length: float) -> np.ndarray:
    """Force and torque (across the axis) at the lower hinge, then at the upper one: ten numbers, five balances."""
    force, torque = np.eye(3), np.eye(3)[:, [0, 2]]
    high = np.array([0.0, HEIGHT, 0.0])
    turning = np.column_stack([np.zeros((3, 3)), torque, np.cross(high, force.T).T, torque])
    pushing = np.column_stack([force, np.zeros((3, 2)), force, np.zeros((3, 2))])
    down = np.array([0.0, -G, 0.0])
    load = np.concatenate([(WEIGHT + BOB) * down, WEIGHT * np.cross(CENTRE, down) + BOB * np.cross(EDGE, down)])
    balance = np.vstack([pushing, turning[[0, 2]]])
    scale = np.array([1.0, 1.0, 1.0, length, length] * 2)
    return scale * np.linalg.lstsq(balance * scale, -load[[0, 1, 2, 3, 5]], rcond=None)[0]


@pytest.mark.parametrize("cut", ["low", "high"])
def test_two_hinges_share_what_one_could_hold(cut: str) -> None:
    system = mb.compile(door(), cuts=[cut])
    run = mb.simulate(system, 0.3)
    expected = least(system.length)
    for times in (0.2, np.array([0.0, 0.1, 0.3])):
        for name, share in (("low", expected[:5]), ("high", expected[5:])):
            force, torque = (run[f"{name}.reaction_{what}"](times) for what in ("force", "torque"))
            found = np.concatenate([force, torque[..., [0, 2]]], axis=-1)
            np.testing.assert_allclose(found, np.broadcast_to(share, found.shape), atol=1e-8)
    assert set(run.ambiguous) == {"low", "high"}
    open_ = ambiguous_components(system, run.states(np.array([0.0, 0.3])))
    assert 0 < open_.sum() < open_.size
    np.testing.assert_allclose(run["hook.reaction_force"](0.2), (0.0, BOB * G, 0.0), atol=1e-8)
