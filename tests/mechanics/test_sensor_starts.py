"""Sensors that integrate the flow of a joint: what is said where they begin elsewhere."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import multibond as mb
from multibond import planar as pl
from multibond import rotational as ro
from multibond import spatial as sp
from multibond import translational as tr
from multibond.examples import slider_crank

METHODS = ("auto", "zcp", "multiplier", "rc", "minimal")


def on(joint: Any, sensor: Any, library: Any = sp) -> mb.Model:
    """A body on a joint, with a sensor at its flange."""
    model = mb.Model("sensed")
    inertia = 0.2 if library is pl else (0.2, 0.2, 0.2)
    world, body = model.add(library.World()), model.add(library.Body("body", 1.0, inertia))
    model.connect(world.frame, model.add(joint).frame_a)
    model.connect(joint.frame_b, body.frame)
    model.connect(joint.flange, model.add(sensor).flange)
    return model


def said(system: Any) -> list[str]:
    return [line for line in system.report if "at the start, its joint" in line]


def quiet(make: Callable[[], mb.Model], method: str = "auto") -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        return mb.compile(make(), method)


def leg(start: float = 0.0, angle: float = 0.349) -> mb.Model:
    return on(sp.Revolute("hip", angle=angle), ro.AngleSensor("encoder", start=start))


@pytest.mark.parametrize("method", METHODS)
def test_a_sensor_that_begins_elsewhere_is_told(method: str) -> None:
    told = (
        "encoder: it reads 0 at the start, its joint 'hip' stands at 0.349 rad; "
        "read hip.coordinate, or give the sensor start=0.349"
    )
    with pytest.warns(UserWarning, match="^encoder: it reads 0 at the start"):
        system = mb.compile(leg(), method)
    assert said(system) == [told]
    assert told in mb.explain(system).remarks


@pytest.mark.parametrize("method", METHODS)
def test_the_cure_is_one(method: str) -> None:
    """With the start that is told, the sensor reads the angle all the time, and nothing more is said."""
    system = quiet(lambda: leg(0.349), method)
    assert said(system) == []
    run, t = mb.simulate(system, 1.0), np.linspace(0.0, 1.0, 11)
    np.testing.assert_allclose(run["encoder.angle"](t), run["hip.angle"](t), atol=1e-8)


def test_the_digits_that_are_told_are_enough() -> None:
    with pytest.warns(UserWarning) as found:
        mb.compile(leg(angle=mb.deg(20.0)))
    start = float(str(found[0].message).rpartition("=")[2])
    assert said(quiet(lambda: leg(start, mb.deg(20.0)))) == []


@pytest.mark.parametrize(
    "model",
    [
        lambda: on(sp.Prismatic("guide", position=0.5), tr.PositionSensor("ruler")),
        lambda: on(pl.Prismatic("guide", position=0.5), tr.PositionSensor("ruler"), pl),
    ],
    ids=["space", "plane"],
)
def test_slides_are_told_in_metres(model: Callable[[], mb.Model]) -> None:
    with pytest.warns(UserWarning, match="^ruler: it reads 0 .* 'guide' stands at 0.5 m; .* start=0.5$"):
        assert len(said(mb.compile(model()))) == 1


def test_a_hinge_in_the_plane() -> None:
    with pytest.warns(UserWarning, match="'hinge' stands at -0.3 rad"):
        mb.compile(on(pl.Revolute("hinge", angle=-0.3), ro.AngleSensor("encoder"), pl))


def test_a_sensor_of_several_components() -> None:
    model = mb.Model("cross")
    world, joint = model.add(sp.World()), model.add(sp.Universal("cross", angles=(0.1, 0.4)))
    model.connect(world.frame, joint.frame_a)
    model.connect(joint.frame_b, model.add(sp.Body("body", 1.0, (0.1, 0.2, 0.3))).frame)
    model.bond("cross.flange", mb.Dq("angles", start=(0.1, 0.0)))
    with pytest.warns(UserWarning, match=r"'cross' stands at 0.4 rad; .* start=\(0.1, 0.4\)$"):
        mb.compile(model)
    model.set("angles.start", (0.1, 0.4))
    assert said(quiet(lambda: model)) == []


@pytest.mark.parametrize("joint", ["O", "guide", "B", "C"])
def test_joints_of_a_closed_loop(joint: str) -> None:
    """Each of them, at the cut or not, begins where the loop closes; there its sensor is told to begin, too."""
    model = slider_crank()
    model.set("O.angle", 0.4)
    model.bond(f"{joint}.flange", mb.Dq("meter"))
    with pytest.warns(UserWarning, match="^meter: it reads 0"):
        system = mb.compile(model)
    start = float(said(system)[0].rpartition("=")[2])
    assert start == pytest.approx(mb.simulate(system, 0.01)[f"{joint}.coordinates"](0.0), rel=1e-5)
    model.set("meter.start", start)
    assert said(quiet(lambda: model)) == []


def test_other_numbers_are_looked_at_anew() -> None:
    system = quiet(lambda: leg(0.349))
    with pytest.warns(UserWarning, match="stands at 0.5 rad"):
        moved = mb.with_parameters(system, {"hip.angle": 0.5})
    assert len(said(moved)) == 1
    assert said(mb.with_parameters(moved, {"encoder.start": 0.5})) == []


def shaft() -> mb.Model:
    """A wheel on a spring: there is no joint whose angle it could mean."""
    model = mb.Model("shaft")
    wheel, spring = model.add(ro.Inertia("wheel", 1.0)), model.add(ro.Spring("spring", 2.0, twist=0.3))
    wall, encoder = model.add(ro.Fixed("wall")), model.add(ro.AngleSensor("encoder"))
    model.connect(wall.flange, spring.flange_a)
    model.connect(spring.flange_b, wheel.flange, encoder.flange)
    return model


def behind_a_gear() -> mb.Model:
    """The sensor turns with a motor, the joint behind a gear: another angle."""
    model = mb.Model("geared")
    world, hip = model.add(sp.World()), model.add(sp.Revolute("hip", angle=0.349))
    gear, encoder = model.add(ro.Gear("gear", 10.0)), model.add(ro.AngleSensor("encoder"))
    model.connect(world.frame, hip.frame_a)
    model.connect(hip.frame_b, model.add(sp.Body("body", 1.0, (0.1, 0.1, 0.1))).frame)
    model.connect(encoder.flange, gear.flange_a)
    model.connect(gear.flange_b, hip.flange)
    return model


@pytest.mark.parametrize("make", [shaft, behind_a_gear, lambda: leg(0.0, 0.0)])
def test_nothing_is_said_of_other_sensors(make: Callable[[], mb.Model]) -> None:
    assert said(quiet(make)) == []


def test_a_sensor_with_its_half_arrow_turned_round_reads_the_other_sign() -> None:
    model = mb.Model("turned")
    world, hip = model.add(sp.World()), model.add(sp.Revolute("hip", angle=0.349))
    model.connect(world.frame, hip.frame_a)
    model.connect(hip.frame_b, model.add(sp.Body("body", 1.0, (0.1, 0.1, 0.1), centre=(0.5, 0, 0))).frame)
    model.bond(mb.Dq("meter", size=1), "hip.flange")
    with pytest.warns(UserWarning, match="stands at 0.349 rad; .* start=-0.349$"):
        mb.compile(model)
    model.set("meter.start", -0.349)
    run, t = mb.simulate(quiet(lambda: model), 0.5), np.linspace(0.0, 0.5, 6)
    assert np.abs(run["hip.angle"](t) - 0.349).max() > 0.1
    np.testing.assert_allclose(run["meter.value"](t), -run["hip.angle"](t), atol=1e-8)
