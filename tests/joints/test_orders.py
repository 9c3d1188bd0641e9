"""The order of adding and connecting, and the choice of cuts, change neither motion nor what is called redundant."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from tests.rotation import tenth

import multibond as mb
from multibond.errors import ModelError
from multibond.examples import slider_crank
from multibond.graph.edge import Connection

from .drawing import Drawing
from .numbers import draw
from .plans import planar_plan, spatial_plan

ORDERS = 20
UNTIL = 0.3
T = np.linspace(0.0, UNTIL, 16)


def shuffled(model: mb.Model, order: np.random.Generator) -> mb.Model:
    """The same parts and connections, put in in another order, each connection from any of its ends."""
    made = mb.Model(model.name)
    parts = list(model.components)
    for k in order.permutation(len(parts)):
        made.add(parts[k])
    links = [edge for edge in model.sheet.edges if isinstance(edge, Connection)]
    for k in order.permutation(len(links)):
        ends = [f"{model.sheet.components[at.component].name}.{at.port}" for at in links[k].ends]
        made.connect(*(ends[i] for i in order.permutation(len(ends))))
    return made


def two_loops(order: np.random.Generator) -> mb.Model:
    """A random chain in space with a strut beside it."""
    plan = spatial_plan("Revolute", 0)
    assert plan.rods and any(edge.closing for edge in plan.edges)
    return Drawing(plan, draw(plan, 0)).model(order)


def geared(order: np.random.Generator) -> mb.Model:
    """Wheels in mesh with a link between them."""
    plan = spatial_plan("Gear", 0)
    return Drawing(plan, draw(plan, 0)).model(order)


def in_plane(order: np.random.Generator) -> mb.Model:
    """A random loop in the plane with a branch; one rotation is held twice."""
    plan = planar_plan("Weld", 0)
    return Drawing(plan, draw(plan, 0)).model(order)


MACHINES: dict[str, Callable[[np.random.Generator], mb.Model]] = {
    "two loops": two_loops,
    "geared": geared,
    "in the plane": in_plane,
    "held thrice too often": lambda order: shuffled(slider_crank(), order),
}


def motion(run: mb.Run) -> dict[str, np.ndarray]:
    """Places of all bodies and speeds of all joints along a run."""
    bodies = sorted({n.rpartition(".mass")[0] for n in run.names if n.endswith(".mass.p")} - {"strut"})
    speeds = sorted(n for n in run.names if n.endswith(".speeds"))
    return {name: run[name](T) for name in [f"{body}.frame.position" for body in bodies] + speeds}


@pytest.mark.slow
@pytest.mark.parametrize("name", MACHINES)
def test_twenty_orders_give_one_motion(name: str) -> None:
    """The first, and of the others a tenth in turn."""
    reference, told = None, set()
    for seed in (0, *tenth(range(1, ORDERS), of=f"orders of {name}")):
        system = mb.compile(MACHINES[name](np.random.default_rng(seed)))
        told.add((system.report[0], str(system.reduced.redundancy)))
        found = motion(mb.simulate(system, UNTIL, solver="dop853", rtol=1e-11).check())
        reference = reference or found
        for what, values in found.items():
            np.testing.assert_allclose(values, reference[what], rtol=0, atol=1e-9, err_msg=f"{what}, order {seed}")
    print(name, told)
    assert len(told) == 1
    assert name != "held thrice too often" or "3 redundant" in str(told)


OUTSIDE = {"geared": "J0", "in the plane": "branch"}
"""Joints of which no loop goes through."""


@pytest.mark.slow
@pytest.mark.parametrize("name", MACHINES)
def test_every_joint_of_a_loop_can_be_its_cut(name: str) -> None:
    model = MACHINES[name](np.random.default_rng(0))
    usual = mb.compile(model)
    reference = motion(mb.simulate(usual, UNTIL, solver="dop853", rtol=1e-12).check())
    joints = [p.removesuffix(".motion") for p in (*usual.dae.tree.order, *usual.dae.tree.cuts)]
    joints = [joint for joint in joints if joint != OUTSIDE.get(name)]
    seen, chosen = set(), tenth(joints, of=f"cuts of {name}")
    for joint in chosen:
        system = mb.compile(model, cuts=[joint])
        seen.add(system.dae.tree.cuts)
        assert f"{joint}.motion" in system.dae.tree.cuts
        found = motion(mb.simulate(system, UNTIL, solver="dop853", rtol=1e-12).check())
        for what, values in found.items():
            np.testing.assert_allclose(values, reference[what], rtol=0, atol=1e-9, err_msg=f"{what}, cut {joint}")
    print(name, "cuts", sorted(seen))
    assert len(seen) == len(chosen)


@pytest.mark.parametrize("name", OUTSIDE)
def test_a_joint_outside_all_loops_is_refused_as_a_cut(name: str) -> None:
    joint = OUTSIDE[name]
    with pytest.raises(ModelError, match=f"{joint!r} cannot be cut") as caught:
        mb.compile(MACHINES[name](np.random.default_rng(0)), cuts=[joint])
    assert "closed loops" in str(caught.value)
