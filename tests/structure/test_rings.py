"""Rings of joints under the method "zcp": round them no `Sf 0` has a giver, so one joint is a break variable."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import multibond as mb
from multibond import spatial as sp
from multibond.examples import governor


def cross_table() -> mb.Model:
    """A plate that turns on a hinge; on it two chains of sliders, x then y and y then x, carry one table."""
    model = mb.Model("cross_table")
    world, hinge = model.add(sp.World()), model.add(sp.Revolute("hinge", angle=0.3, speed=1.0))
    plate = model.add(sp.Body("plate", 1.0, (0.1, 0.2, 0.3), (0.1, 0.0, 0.0)))
    x1 = model.add(sp.Prismatic("x1", "x", 0.1, 0.0, stiffness=20.0))
    y1 = model.add(sp.Prismatic("y1", "y", 0.1, 0.0, stiffness=30.0))
    x2, y2 = model.add(sp.Prismatic("x2", "x")), model.add(sp.Prismatic("y2", "y"))
    one, two, table = (model.add(sp.Body(n, m, (0.1,) * 3)) for n, m in (("one", 1.0), ("two", 2.0), ("table", 3.0)))
    model.connect(world.frame, hinge.frame_a)
    model.connect(hinge.frame_b, plate.frame, x1.frame_a, y2.frame_a)
    model.connect(x1.frame_b, one.frame, y1.frame_a)
    model.connect(y2.frame_b, two.frame, x2.frame_a)
    model.connect(y1.frame_b, table.frame, x2.frame_b)
    return model


RINGS: dict[str, tuple[Callable[[], mb.Model], set[str], tuple[str, ...]]] = {
    "translations": (governor, {"right_low"}, ("shaft.angle", "shaft.speed", "collar.position")),
    "rotations": (cross_table, {"y2"}, ("hinge.angle", "hinge.speed", "x1.position", "y1.position")),
}
"""What the joints of the ring hold all of: six hinges round the weights, four sliders round the table; the joint that
opens it (the last by name), and what is compared."""


@pytest.mark.parametrize("name", RINGS)
def test_a_ring_is_opened_at_one_joint(name: str) -> None:
    """Of what hinges and sliders hold in part C1 leaves the rest to multipliers in any case."""
    build, at, variables = RINGS[name]
    whole = {"translations": ("low", "knee", "high", "shaft"), "rotations": ("x1", "x2", "y1", "y2")}[name]
    report = mb.causality(build(), method="zcp")
    opened = [path.split(".hold_") for path in report.opened]
    assert {joint for joint, what in opened if what == name[:-1] and joint.endswith(whole)} == at
    assert not report.of_class(4)
    t = np.linspace(0.0, 2.0, 41)
    first, second = (mb.simulate(build(), 2.0, method=m, rtol=1e-11).values(variables, t) for m in ("auto", "zcp"))
    print(f"{name}: {np.abs(first - second).max():.1e}")
    np.testing.assert_allclose(second, first, atol=1e-8)
