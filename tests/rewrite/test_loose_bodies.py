"""Bodies that nothing holds: one joint sets them free, by every method, whatever is called like it."""

from __future__ import annotations

import numpy as np
import pytest
from tests.laws.renaming import nested

import multibond as mb
from multibond import I, One
from multibond import planar as pl
from multibond import spatial as sp
from multibond.elements import FreeMotion
from multibond.own import FramePort, Inside, Part, Port, component
from multibond.rewrite.floating import join_floating, loose_joints
from multibond.rewrite.method import METHODS, form_of


@component
class Odd(Part):
    """A user's body, one of whose elements is called as the joint that sets it free would be."""

    def ports(self) -> tuple[Port, ...]:
        return (FramePort("place"),)

    def build(self, inside: Inside) -> None:
        for name, end in (("free", inside.frame("place").translation), ("w", inside.frame("place").rotation)):
            flow = inside.add(One(name, size=3))
            inside.bond(end, flow)
            inside.bond(flow, inside.add(I(f"{name}_inertia", 0.5, size=3)))


def on_a_spring(body: sp.Body | Odd) -> mb.Model:
    """A body that turns while it hangs on a spring, and one hinged to it."""
    model = mb.Model("on a spring")
    world, hook, rod = model.add(sp.World()), model.add(sp.Spring("hook", 10.0)), model.add(sp.Rod("rod", (0.1, 0, 0)))
    hinge, tail = model.add(sp.Revolute("hinge", "z", angle=0.4)), model.add(sp.Body("tail", 0.5, (0.01, 0.02, 0.02)))
    place = model.add(body).place if isinstance(body, Odd) else model.add(body).frame
    model.connect(world.frame, hook.frame_a)
    model.connect(place, rod.frame_a)
    model.connect(rod.frame_b, hook.frame_b, hinge.frame_a)
    model.connect(hinge.frame_b, tail.frame)
    return model


def in_the_plane() -> mb.Model:
    """The same in the plane."""
    model = mb.Model("in the plane")
    world, hook, rod = model.add(pl.World()), model.add(pl.Spring("hook", 10.0)), model.add(pl.Rod("rod", (0.1, 0)))
    body, tail = model.add(pl.Body("body", 1.0, 0.1)), model.add(pl.Body("tail", 0.5, 0.01, centre=(0.1, 0)))
    hinge = model.add(pl.Revolute("hinge", angle=0.4))
    model.connect(world.frame, hook.frame_a)
    model.connect(body.frame, rod.frame_a)
    model.connect(rod.frame_b, hook.frame_b, hinge.frame_a)
    model.connect(hinge.frame_b, tail.frame)
    return model


MACHINES = {
    "body": (lambda: on_a_spring(sp.Body("body", 1.0, (0.1, 0.1, 0.1))), ["hinge.angle", "body.frame.position"]),
    "own": (lambda: on_a_spring(Odd("body")), ["hinge.angle", "body.place.position"]),
    "plane": (in_the_plane, ["hinge.angle", "body.frame.position"]),
    "nested": (nested, ["one.hip.angle", "trunk.frame.position"]),
}


@pytest.mark.parametrize("name", MACHINES)
def test_every_method_moves_it_alike(name: str) -> None:
    make, names = MACHINES[name]
    own = mb.simulate(make(), 0.5).values(names, [0.5])
    for method in METHODS[1:]:
        found = mb.simulate(make(), 0.5, method=method).values(names, [0.5])
        near = 1e-4 if method == "rc" else 1e-7  # soft stand-ins for constraints move a little
        np.testing.assert_allclose(found, own, rtol=0, atol=near, err_msg=method)


def test_one_joint_is_enough() -> None:
    graph = join_floating(mb.expand(MACHINES["own"][0]()))
    (joint,) = loose_joints(graph)
    assert graph.joint(joint) == "body.free_2"
    assert isinstance(graph.elements["body.free"], One)
    form = form_of(graph, "multiplier")
    motions = {path for path, _ in form.graph.of_type(FreeMotion)}
    assert motions == {joint, "hinge.motion", "tail.free.motion"}
    assert form.cuts == {"hinge.motion"}


def test_a_place_called_origin_stays_its_own() -> None:
    model = mb.Model("bridged")
    world, joint, bridge = (
        model.add(pl.World()),
        model.add(pl.Revolute("joint", angle=0.3)),
        model.add(pl.Bridge("origin")),
    )
    hook, body = model.add(sp.Spring("hook", 20.0)), model.add(sp.Body("body", 1.0, (0.1, 0.1, 0.1)))
    rod = model.add(sp.Rod("rod", (0.1, 0, 0.1)))
    model.connect(world.frame, joint.frame_a)
    model.connect(joint.frame_b, bridge.planar)
    model.connect(bridge.spatial, hook.frame_a)
    model.connect(hook.frame_b, rod.frame_a)
    model.connect(rod.frame_b, body.frame)
    graph = join_floating(mb.expand(model))
    assert {frame.name for frame in graph.frames} > {"origin_2.frame"}
