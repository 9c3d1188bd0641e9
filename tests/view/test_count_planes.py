"""Freedoms counted in the plane, in space, and across a bridge."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.cli.typed import command
from tests.planar.machines import LIBRARIES, MACHINES, Bench, free_body, kinematic_loop, parallelogram
from tests.planar.test_bridge import across

import multibond as mb
from multibond import pipeline
from multibond import planar as pl
from multibond import spatial as sp
from multibond.view.measure import comparable, motion_names


def slider_crank() -> mb.Model:
    """A crank, a rod and a slider, all in the plane; crank 0.3 m, rod 1 m."""
    b = Bench(pl)
    crank = b.add("Revolute", "crank", angle=0.5, speed=1.0)
    pin, gudgeon = b.add("Revolute", "pin", angle=mb.Guess(-0.6)), b.add("Revolute", "gudgeon")
    guide = b.add("Prismatic", "guide", axis="x", position=mb.Guess(1.2))
    web, rod, piston = b.rod("web", 0.3, 0.0), b.rod("rod", 1.0, 0.0), b.body("piston", 1.0, 0.1)
    b.link(b.world.frame, crank.frame_a, guide.frame_a)
    b.link(crank.frame_b, web.frame_a)
    b.link(web.frame_b, pin.frame_a)
    b.link(pin.frame_b, rod.frame_a)
    b.link(rod.frame_b, gudgeon.frame_a)
    b.link(gudgeon.frame_b, guide.frame_b, piston.frame)
    return b.model


def pendulum() -> mb.Model:
    b = Bench(pl)
    hinge, bob = b.add("Revolute", "hinge", angle=0.3), b.body("bob", 1.0, 0.1, (0.0, -0.5))
    b.link(b.world.frame, hinge.frame_a)
    b.link(hinge.frame_b, bob.frame)
    return b.model


def balance(model: mb.Model) -> tuple[int, ...]:
    """Bodies, coordinates, constraints, plain count, mobility, redundant."""
    made = mb.count(model)
    assert made.assembled and len(made.repeated) == made.redundant
    return len(made.bodies), made.coordinates, made.constraints, made.naive, made.mobility, made.redundant


def test_a_pendulum_in_the_plane() -> None:
    made = mb.count(pendulum())
    assert balance(pendulum()) == (1, 3, 2, 1, 1, 0) and made.bodies == ("bob",)
    (stage,) = made.stages
    assert (stage.between, stage.relative, stage.kind, stage.constraints, stage.after, stage.closes) == (
        ("world", "bob"),
        3,
        "Revolute",
        2,
        1,
        (),
    )


def test_a_slider_crank_in_the_plane_holds_nothing_twice() -> None:
    """Grübler in the plane: 3 times 3 less 4 times 2."""
    assert balance(slider_crank()) == (3, 9, 8, 1, 1, 0)
    made = mb.count(slider_crank())
    assert [s.after for s in made.stages] == [1, 1, 1, 1]
    assert made.stages[-1].closes == ("crank", "pin", "gudgeon") and made.stages[-1].relative == 3
    assert "1 + 1 + 1 = 3" in str(made) and "plain count: 9 - 8 = 1" in str(made)


def test_a_four_bar_in_the_plane() -> None:
    assert balance(parallelogram(pl)) == (3, 9, 8, 1, 1, 0)
    assert balance(parallelogram(sp)) == (3, 18, 20, -2, 1, 3)


@pytest.mark.parametrize("name", MACHINES)
def test_plane_and_space_agree_on_the_mobility(name: str) -> None:
    """A loop of plane joints repeats three rows in space, none in the plane."""
    flat, deep = (mb.count(MACHINES[name][0](library)) for library in LIBRARIES.values())
    loops = sum(bool(stage.closes) for stage in flat.stages)
    assert flat.bodies == deep.bodies and [s.between for s in flat.stages] == [s.between for s in deep.stages]
    assert (flat.mobility, flat.redundant, deep.redundant) == (deep.mobility, 0, 3 * loops)


def test_a_body_that_nothing_holds_has_three_freedoms() -> None:
    assert balance(free_body(pl)) == (1, 3, 0, 3, 3, 0)
    model = mb.Model("loose")
    model.add(pl.World())
    model.add(pl.Body("stone", 1.0, 0.1))
    assert balance(model) == (1, 3, 0, 3, 3, 0)


def test_across_a_bridge_the_plane_counts_three_and_space_six() -> None:
    made = mb.count(across())
    assert balance(across()) == (2, 9, 6, 3, 3, 0) and made.bodies == ("body", "load")
    assert [(s.between, s.relative, s.constraints, s.after) for s in made.stages] == [
        (("world", "body"), 3, 2, 1),
        (("body", "load"), 6, 4, 2),
    ]


def wheel(post: type[sp.Revolute] | type[sp.Spherical]) -> mb.Model:
    """A wheel on a hinge of the plane, held from above by a second joint on the same axis, in space."""
    b = Bench(pl)
    hinge, body, bridge = b.add("Revolute", "hinge"), b.body("wheel", 1.0, 0.1), b.add("Bridge", "bridge")
    ground, top = b.model.add(sp.Fixed("ground")), b.model.add(post("top"))
    b.link(b.world.frame, hinge.frame_a)
    b.link(hinge.frame_b, body.frame, bridge.planar)
    b.link(bridge.spatial, top.frame_a)
    b.link(top.frame_b, ground.frame)
    return b.model


@pytest.mark.parametrize(("post", "held"), [(sp.Revolute, 5), (sp.Spherical, 3)])
def test_a_joint_in_space_may_hold_again_what_the_plane_holds(post: type, held: int) -> None:
    """The wheel keeps its one turn, so that all rows of the joint in space are repeated."""
    assert balance(wheel(post)) == (1, 3, 2 + held, 1 - held, 1, held)


def test_the_command_counts_in_the_plane(tmp_path: Path) -> None:
    mb.save(kinematic_loop(pl), tmp_path / "loop.json")
    told = command("count", tmp_path / "loop.json").output
    assert "mobility by rank: 2" in told and "redundant constraints: 0" in told


def test_methods_are_compared_by_the_motion_in_the_plane() -> None:
    """A joint's coordinate and speed are looked at, whatever library it is from."""
    graph = pipeline.as_graph(pendulum())
    assert motion_names(graph) == ["hinge.motion.q", "hinge.motion.f"]
    assert set(motion_names(graph)) <= set(comparable(mb.simulate(pendulum(), 0.1, method="multiplier"), graph))
    made = mb.compare(pendulum(), 0.2, methods=("auto", "multiplier"), depths=(3,))
    assert [cell.reason for cell in made.cells] == ["", ""]
    assert all(cell.error is not None and cell.error < 1e-7 for cell in made.cells)
