"""Dry friction on joints with several slides, by zero-order causal paths as by any other method."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

import multibond as mb
from multibond import spatial as sp

MASS, COULOMB, TIMES = 1.3, 6.0, np.linspace(0.0, 0.6, 31)


def slab(kind: str, **values: object) -> mb.Model:
    """A body whose centre is off the frame, on one joint with the world; gravity along -z."""
    model = mb.Model("slab")
    world, joint = model.add(sp.World(gravity=(0, 0, -9.81))), model.add(getattr(sp, kind)("j", **values))
    body = model.add(sp.Body("b", MASS, (0.2, 0.3, 0.4), centre=(0.1, 0.05, -0.1)))
    model.connect(world.frame, joint.frame_a)
    model.connect(joint.frame_b, body.frame)
    return model


MACHINES = {
    "three slides": ("FreeTranslation", {"velocity": (1.0, -2.0, 0.5), "friction": COULOMB}),
    "all stop": ("FreeTranslation", {"velocity": (1.0, -2.0, 0.5), "friction": 20.0}),
    "shaken": ("FreeTranslation", {"velocity": (1.0, 0.0, 0.0), "friction": 3.0, "force": ("0", "9*sin(9*t)", "12")}),
    "a plate": ("Planar", {"axis": "z", "speeds": (1.0, 1.0, -2.0), "friction": (0.3, 3.0, 2.0), "static": (1, 5, 4)}),
    "an upright plate": ("Planar", {"axis": "y", "speeds": (2.0, 1.0, 0.0), "friction": (1.0, 5.0, 7.0)}),
    "a plunger": ("Cylindrical", {"axis": "x", "speeds": (3.0, 1.0), "friction": (1.0, 4.0)}),
}


@cache
def plain_run(name: str) -> mb.Run:
    kind, values = MACHINES[name]
    return mb.simulate(slab(kind, **values), 0.6, rtol=1e-11, atol=1e-13)


@pytest.mark.parametrize("depth", [2, 3])
@pytest.mark.parametrize("name", MACHINES)
def test_slides_stick_and_go_on_alike(name: str, depth: int) -> None:
    """Positions, speeds, what friction holds and the reactions, over every change of mode."""
    (kind, values), wanted = MACHINES[name], plain_run(name)
    found = mb.simulate(mb.compile(slab(kind, **values), method="zcp", depth=depth), 0.6, rtol=1e-11, atol=1e-13)
    turns, others = ([change.time for change in run.changes if change.time > 0] for run in (wanted, found))
    assert len(turns) >= 1
    np.testing.assert_allclose(others, turns, atol=1e-8)
    free = np.all([abs(TIMES - time) > 1e-6 for time in turns], axis=0)
    held = ("j.friction.e",) if depth == 2 else ()
    for variable in ("b.position", "b.velocity", "j.coordinates", "j.reaction_force", *held):
        at = TIMES[free]
        np.testing.assert_allclose(found[variable](at), wanted[variable](at), atol=1e-8, err_msg=variable)


def test_a_slide_stops_when_friction_has_used_its_speed() -> None:
    """v = v₀ - t c/m until it rests; along z the weight pulls it on: v = v₀ - t (g - c/m) once it falls."""
    kind, values = MACHINES["three slides"]
    run = mb.simulate(mb.compile(slab(kind, **values), method="zcp"), 0.6, rtol=1e-11, atol=1e-13)
    slow, g = COULOMB / MASS, 9.81
    top = 0.5 / (g + slow)
    closed = [
        np.maximum(1.0 - slow * TIMES, 0.0),
        np.minimum(-2.0 + slow * TIMES, 0.0),
        np.where(top > TIMES, 0.5 - (g + slow) * TIMES, -(g - slow) * (TIMES - top)),
    ]
    np.testing.assert_allclose(run["b.velocity"](TIMES), np.column_stack(closed), atol=1e-8)
