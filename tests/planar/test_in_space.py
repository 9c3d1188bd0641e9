"""The same machine in the plane and in space: one motion, one set of reactions, by every method."""

from __future__ import annotations

import functools

import numpy as np
import pytest

import multibond as mb
from multibond import planar as pl
from multibond import spatial as sp

from .machines import DRIVEN, MACHINES, free_body, limbs


@functools.cache
def in_space(name: str) -> mb.Run:
    build, until, _ = MACHINES[name]
    return mb.simulate(build(sp), until, rtol=1e-12, atol=1e-13).check()


@pytest.mark.parametrize("method", ["auto", "multiplier", "zcp"])
@pytest.mark.parametrize("name", MACHINES)
def test_plane_and_space_agree(name: str, method: str) -> None:
    build, until, names = MACHINES[name]
    run, t = mb.simulate(build(pl), until, rtol=1e-12, atol=1e-13, method=method).check(), np.linspace(0.0, until, 41)
    for variable in names:
        found, wanted = run[variable](t), in_space(name)[variable](t)
        assert np.abs(found - wanted).max() < 1e-9 * max(1.0, np.abs(wanted).max()), variable
    assert run.energy().residual < 1e-9


@pytest.mark.parametrize("name", MACHINES)
def test_reactions_are_those_in_space(name: str) -> None:
    """Force in a's axes and torque about z; in space the loops leave only what lies in the plane determined."""
    build, until, _ = MACHINES[name]
    run = mb.simulate(build(pl), until, rtol=1e-12, atol=1e-13)
    for time in (0.0, 0.4 * until, until):
        space = in_space(name).reactions(time)
        for joint, reaction in run.reactions(time).items():
            scale = 1.0 + np.abs(space[joint].force).max()
            np.testing.assert_allclose(reaction.force, space[joint].force[:2], atol=1e-8 * scale, err_msg=joint)
            np.testing.assert_allclose(reaction.torque, space[joint].torque[2:], atol=1e-8 * scale, err_msg=joint)


@pytest.mark.parametrize("name", ["double pendulum", "limbs"])
def test_stiff_springs_come_near(name: str) -> None:
    build, _, names = MACHINES[name]
    t = np.linspace(0.0, 0.5, 11)
    exact, soft = (mb.simulate(build(pl), 0.5, method=m).check() for m in ("auto", "rc"))
    for variable in names[:2]:
        np.testing.assert_allclose(soft[variable](t), exact[variable](t), atol=1e-4, err_msg=variable)


def test_a_driven_rail() -> None:
    """The boom follows its path, and takes the force that this needs."""
    t = np.linspace(0.0, 2.0, 21)
    plane, space = (mb.simulate(limbs(library, **DRIVEN), 2.0, rtol=1e-12, atol=1e-13) for library in (pl, sp))
    np.testing.assert_allclose(plane["boom.position"](t), 0.5 + 0.1 * np.sin(2 * t), atol=1e-9)
    for variable in ("hip.angle", "wrist.angle", "boom.driver.e"):
        np.testing.assert_allclose(plane[variable](t), space[variable](t), atol=1e-8, err_msg=variable)


def test_no_constraint_of_a_planar_loop_is_redundant() -> None:
    for name in ("kinematic loop", "parallelogram"):
        report = mb.compile(MACHINES[name][0](pl)).report
        assert "no redundant constraint" in report, report
        assert "3 redundant" in " ".join(mb.compile(MACHINES[name][0](sp)).report)


def test_a_free_body_on_a_spring() -> None:
    t = np.linspace(0.0, 2.0, 21)
    plane, space = (mb.simulate(free_body(library), 2.0, rtol=1e-12, atol=1e-13) for library in (pl, sp))
    np.testing.assert_allclose(plane["body.position"](t), space["body.position"](t)[:, :2], atol=1e-9)
    np.testing.assert_allclose(plane["spring.force"](t), space["spring.force"](t), atol=1e-8)


def test_a_body_that_nothing_joins_falls_freely() -> None:
    model = mb.Model("loose")
    model.add(pl.World(gravity=(1.0, -9.81)))
    model.add(pl.Body("stone", 2.0, 0.3))
    run = mb.simulate(model, 1.0)
    np.testing.assert_allclose(run["stone.position"](0.8), 0.5 * 0.64 * np.array([1.0, -9.81]), atol=1e-10)
    assert run["stone.angle"](0.8) == pytest.approx(0.0, abs=1e-12)


@pytest.mark.parametrize("name", ["kinematic loop", "limbs"])
@pytest.mark.parametrize("order", [1, 2, 3])
def test_the_order_of_parts_does_not_matter(name: str, order: int) -> None:
    build, _, names = MACHINES[name]
    model, mixed = build(pl), mb.Model("mixed")
    rng = np.random.default_rng(order)
    parts = list(model.components)
    for k in rng.permutation(len(parts)):
        mixed.add(parts[k])
    for edge in rng.permutation(np.array(model.sheet.edges, object)):
        mixed.connect(*(f"{model.sheet.components[at.component].name}.{at.port}" for at in edge.ends))
    t = np.linspace(0.0, 1.0, 11)
    first, second = (mb.simulate(one, 1.0, rtol=1e-11) for one in (model, mixed))
    for variable in names:
        np.testing.assert_allclose(second[variable](t), first[variable](t), atol=1e-9, err_msg=variable)


@pytest.mark.parametrize("cut", ["near", "far", "apex", "slide"])
def test_any_joint_may_close_the_loop(cut: str) -> None:
    build, _, names = MACHINES["kinematic loop"]
    t = np.linspace(0.0, 1.0, 11)
    first = mb.simulate(build(pl), 1.0, rtol=1e-11)
    second = mb.simulate(mb.compile(build(pl), cuts=[cut]), 1.0, rtol=1e-11)
    for variable in names:
        np.testing.assert_allclose(second[variable](t), first[variable](t), atol=1e-8, err_msg=variable)
