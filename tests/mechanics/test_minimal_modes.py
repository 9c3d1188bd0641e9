"""Reactions in minimal coordinates while stops press and friction sticks: those of the mode the machine is in."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import multibond as mb
from multibond import planar as pl
from multibond import spatial as sp

WEIGHT, REACH = 9.81, 0.3


def pendulum(**joint: Any) -> mb.Model:
    """1 kg at 0.3 m below a hinge."""
    model = mb.Model("pendulum")
    model.add(sp.World())
    model.add(sp.Revolute("hinge", angle=0.5, speed=0.0, **joint))
    model.add(sp.Body("bob", 1.0, (0.02, 0.001, 0.02), (0.0, -REACH, 0.0)))
    model.connect("world.frame", "hinge.frame_a")
    model.connect("hinge.frame_b", "bob.frame")
    return model


HELD: dict[str, dict[str, Any]] = {
    "stuck at once": {"friction": 5.0, "static": 6.0},
    "stuck in the end": {"friction": 0.4, "static": 0.5},
    "on its stop": {"lower": 0.2, "upper": 1.0},
}


@pytest.mark.parametrize("name", HELD)
@pytest.mark.parametrize("method", ["auto", "multiplier", "zcp", "minimal"])
def test_a_pendulum_at_rest_is_carried_by_its_hinge(method: str, name: str) -> None:
    """Statics: the weight, and its moment about the hinge."""
    run = mb.simulate(pendulum(**HELD[name]), 3.0, method=method)
    angle = float(run["hinge.angle"](3.0))
    assert abs(run["hinge.speed"](3.0)) < 1e-9
    np.testing.assert_allclose(run["hinge.reaction_force"](3.0), (0.0, WEIGHT, 0.0), atol=1e-6)
    np.testing.assert_allclose(run["hinge.reaction_torque"](3.0), (0, 0, WEIGHT * REACH * np.sin(angle)), atol=1e-6)


def test_reactions_over_every_mode_of_a_run() -> None:
    """A block that slips, sticks and is torn off again: the same forces by both methods at every time."""
    model = mb.Model("block")
    model.add(pl.World(gravity=(0.0, -9.81)))
    model.add(pl.Prismatic("floor", (1.0, 0.0), position=0.0, speed=1.0, friction=2.0, static=3.0, force="4*sin(3*t)"))
    model.add(pl.Body("block", 1.0, 0.1, (0.0, 0.2)))
    model.connect("world.frame", "floor.frame_a")
    model.connect("floor.frame_b", "block.frame")
    plain, run = (mb.simulate(model, 4.0, method=method, rtol=1e-10) for method in ("auto", "minimal"))
    assert len(plain.changes) > 3
    times = np.linspace(0.0, 4.0, 81)
    times = times[[np.abs(t - [c.time for c in plain.changes]).min() > 1e-3 for t in times]]
    for what in ("reaction_force", "reaction_torque"):
        np.testing.assert_allclose(run[f"floor.{what}"](times), plain[f"floor.{what}"](times), atol=1e-7)
