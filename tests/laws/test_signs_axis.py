"""Signs of the parts of one axis, turning and sliding alike: what each shows and does, by hand."""

from __future__ import annotations

from dataclasses import dataclass
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import multibond as mb
from multibond import blocks
from multibond import rotational as ro
from multibond import translational as tr
from multibond.solve.solution import Solution

from .expect import expect


@dataclass(frozen=True)
class Axis:
    """The words of a library: its parts by what they do, and the names of what they show."""

    parts: ModuleType
    mass: Any
    effort: Any
    flow: Any
    e: str
    f: str
    q: str


AXES = {
    "turning": Axis(ro, ro.Inertia, ro.Torque, ro.Speed, "torque", "speed", "twist"),
    "sliding": Axis(tr, tr.Mass, tr.Force, tr.Velocity, "force", "velocity", "stretch"),
}


@pytest.fixture(params=AXES)
def axis(request: pytest.FixtureRequest) -> Axis:
    """Both libraries in turn."""
    return AXES[request.param]


def held(axis: Axis, part: Any, *, turned: bool = False, drive: Any = 3.0, speed: float = 1.0) -> mb.Model:
    """A mass of 2 with a speed, driven and held by a part to a wall at its flange a (or b)."""
    model = mb.Model("held")
    wall, mass = model.add(axis.parts.Fixed("wall")), model.add(axis.mass("mass", 2.0, speed))
    push, part = model.add(axis.effort("push", drive)), model.add(part)
    near, far = (part.flange_b, part.flange_a) if turned else (part.flange_a, part.flange_b)
    model.connect(wall.flange, near)
    model.connect(far, mass.flange, push.flange)
    return model


def shown(axis: Axis, run: Solution, t: float, part: str, **values: float) -> None:
    """Variables of a part: `e`, `f` and `q` stand for the axis' own words."""
    words = {"e": axis.e, "f": axis.f, "q": axis.q}
    expect(run, t, **{f"{part}__{words.get(name, name)}": value for name, value in values.items()})


@pytest.mark.parametrize("turned", [False, True])
def test_spring_and_damper(axis: Axis, turned: bool) -> None:
    """k = 10, c = 4, stretched by 0.1: s = 0.3 + e^-t (A cos 2t + B sin 2t)."""
    sign = -1.0 if turned else 1.0
    more = {"twist": sign * 0.1} if axis.parts is ro else {"rest": 0.5, "length": 0.5 + sign * 0.1}
    run = mb.simulate(held(axis, axis.parts.SpringDamper("part", 10.0, 4.0, **more), turned=turned), 1.0, rtol=1e-10)
    A, B = 0.1 - 0.3, (1.0 + (0.1 - 0.3)) / 2
    for t in (0.0, 0.6):
        c, s, decay = np.cos(2 * t), np.sin(2 * t), np.exp(-t)
        q = 0.3 + decay * (A * c + B * s)
        v = decay * (-A * c - B * s - 2 * A * s + 2 * B * c)
        shown(axis, run, t, "part", q=sign * q, f=sign * v)
        spring, damper = f"spring_{axis.e}", f"damper_{axis.e}"
        expect(run, t, **{f"part__{spring}": sign * 10 * q, f"part__{damper}": sign * 4 * v})
        shown(axis, run, t, "mass", f=v, e=3.0 - 10 * q - 4 * v, momentum=2 * v)
        shown(axis, run, t, "wall", e=-10 * q - 4 * v)
        shown(axis, run, t, "push", f=v)


@pytest.mark.parametrize("turned", [False, True])
def test_a_law_of_its_own(axis: Axis, turned: bool) -> None:
    """A spring of 8 s + 5 s³ and a damper of 4 v + v³ at rest under 3: the spring carries it all."""
    law = {axis.e: lambda x: 8 * x + 5 * x**3}
    start = {"twist": 0.2 if not turned else -0.2} if axis.parts is ro else {"length": 0.2 if not turned else -0.2}
    run = mb.simulate(held(axis, axis.parts.Spring("part", **law, **start), turned=turned), 0.5, rtol=1e-10)
    sign = -1.0 if turned else 1.0
    shown(axis, run, 0.0, "part", q=sign * 0.2, e=sign * (1.6 + 0.04))
    shown(axis, run, 0.0, "mass", e=3.0 - 1.64)
    law = {axis.e: lambda v: 4 * v + v**3}
    run = mb.simulate(held(axis, axis.parts.Damper("part", **law), turned=turned), 0.5, rtol=1e-10)
    shown(axis, run, 0.0, "part", f=sign, e=sign * 5.0)
    shown(axis, run, 0.0, "mass", e=3.0 - 5.0)


@pytest.mark.parametrize("way", ["number", "formula", "signal"])
def test_given_effort(axis: Axis, way: str) -> None:
    """2 a = 3 t² or 3: by a number, a formula of time, a signal."""
    model = mb.Model("given")
    given = {"number": 3.0, "formula": lambda t: 3 * t**2, "signal": None}[way]
    push, mass = model.add(axis.effort("push", given)), model.add(axis.mass("mass", 2.0, 1.0))
    model.connect(push.flange, mass.flange)
    if way == "signal":
        wave = model.add(blocks.Function("wave", "3 * t**2"))
        model.signal(wave.y, push.input)
    run = mb.simulate(model, 1.0, rtol=1e-10)
    speed = 1.0 + (1.5 * 0.8 if way == "number" else 0.5 * 0.8**3)
    shown(axis, run, 0.8, "mass", f=speed, e=3.0 if way == "number" else 3 * 0.64)
    shown(axis, run, 0.8, "push", f=speed)


@pytest.mark.parametrize("way", ["number", "formula", "signal"])
def test_given_flow(axis: Axis, way: str) -> None:
    """A speed of 2 (or 2 + sin t) against a damper of 4."""
    model = mb.Model("driven")
    given = {"number": 2.0, "formula": "2 + sin(t)", "signal": None}[way]
    wall, drive = model.add(axis.parts.Fixed("wall")), model.add(axis.flow("drive", given))
    damper = model.add(axis.parts.Damper("damper", 4.0))
    model.connect(wall.flange, damper.flange_a)
    model.connect(damper.flange_b, drive.flange)
    if way == "signal":
        wave = model.add(blocks.Function("wave", "2 + sin(t)"))
        model.signal(wave.y, drive.input)
    run = mb.simulate(model, 1.0)
    speed = 2.0 if way == "number" else 2 + np.sin(0.7)
    shown(axis, run, 0.7, "drive", f=speed, e=4 * speed)
    shown(axis, run, 0.7, "damper", f=speed, e=4 * speed)


def test_sensors(axis: Axis) -> None:
    """A mass of 2 pushed by 6 through a load cell, from 1 at 0.5: v = 1 + 3 t, s = 0.5 + t + 1.5 t²."""
    model = mb.Model("sensors")
    cell, path, rate = (ro.TorqueSensor, ro.AngleSensor, ro.SpeedSensor)
    if axis.parts is tr:
        cell, path, rate = (tr.ForceSensor, tr.PositionSensor, tr.VelocitySensor)
    mass, push = model.add(axis.mass("mass", 2.0, 1.0)), model.add(axis.effort("push", 6.0))
    cell, path, rate = model.add(cell("cell")), model.add(path("path", 0.5)), model.add(rate("rate"))
    model.connect(push.flange, cell.flange_a)
    model.connect(cell.flange_b, mass.flange, path.flange, rate.flange)
    run, t = mb.simulate(model, 1.0, rtol=1e-10), 0.4
    place = "angle" if axis.parts is ro else "position"
    shown(axis, run, t, "rate", f=1 + 3 * t)
    shown(axis, run, t, "cell", e=6.0, power=6 * (1 + 3 * t))
    expect(run, t, **{f"path__{place}": 0.5 + t + 1.5 * t**2})


def test_gear() -> None:
    """Ratio 3: a drive of 2 N.m turns a wheel of 5 kg.m² at a third of the speed with three times the torque."""
    model = mb.Model("gear")
    push, wheel = model.add(ro.Torque("push", 2.0)), model.add(ro.Inertia("wheel", 5.0, speed=0.5))
    gear = model.add(ro.Gear("gear", 3.0))
    model.connect(push.flange, gear.flange_a)
    model.connect(gear.flange_b, wheel.flange)
    run = mb.simulate(model, 1.0, rtol=1e-10)
    speed = 0.5 + 6.0 / 5.0 * 0.5
    expect(run, 0.5, wheel__speed=speed, wheel__torque=6.0, push__speed=3 * speed)
    expect(run, 0.5, gear__speed_a=3 * speed, gear__speed_b=speed, gear__torque_a=2.0, gear__torque_b=6.0)


def test_planetary_gear() -> None:
    """Ratio 2, sun driven at 9 rad/s, ring at -1.5: the carrier turns at (9 - 3) / 3, its brake of 4 takes 8 N.m."""
    model = mb.Model("hub")
    sun, ring = model.add(ro.Speed("sun", 9.0)), model.add(ro.Speed("ring", -1.5))
    hub, wall, load = (
        model.add(ro.Planetary("hub", 2.0)),
        model.add(ro.Fixed("wall")),
        model.add(ro.Damper("load", 4.0)),
    )
    model.connect(sun.flange, hub.flange_sun)
    model.connect(ring.flange, hub.flange_ring)
    model.connect(hub.flange_carrier, load.flange_b)
    model.connect(load.flange_a, wall.flange)
    run = mb.simulate(model, 0.1)
    expect(run, 0.05, load__speed=2.0, load__torque=8.0, sun__torque=8 / 3, ring__torque=16 / 3)
    expect(run, 0.05, hub__sun_torque=8 / 3, hub__ring_torque=16 / 3, hub__carrier_torque=8.0, hub__ring__b__f=-3.0)


def test_lever() -> None:
    """Arms of -0.5 and 1.5 m: a push of 6 N down on the short side lifts 2 kg on the long one with 2 N."""
    model = mb.Model("seesaw")
    push, mass = model.add(tr.Force("push", -6.0)), model.add(tr.Mass("mass", 2.0, 0.3))
    seesaw = model.add(tr.Lever("seesaw", -0.5, 1.5))
    model.connect(push.flange, seesaw.flange_a)
    model.connect(seesaw.flange_b, mass.flange)
    run, t = mb.simulate(model, 1.0, rtol=1e-10), 0.5
    velocity = 0.3 + t
    expect(run, t, mass__velocity=velocity, mass__force=2.0, push__velocity=-velocity / 3)
    expect(run, t, seesaw__speed=velocity / 1.5, seesaw__torque=3.0, seesaw__force_a=-6.0, seesaw__force_b=2.0)


def test_rack() -> None:
    """A pinion of 0.2 m: 3 N.m make 15 N on 5 kg."""
    model = mb.Model("feed")
    push, mass, feed = ro.Torque("push", 3.0), tr.Mass("mass", 5.0, 0.4), tr.Rack("feed", 0.2)
    push, mass, feed = model.add(push), model.add(mass), model.add(feed)
    model.connect(push.flange, feed.flange_pinion)
    model.connect(feed.flange_rack, mass.flange)
    run, t = mb.simulate(model, 1.0, rtol=1e-10), 0.5
    v = 0.4 + 3.0 * t
    expect(run, t, mass__velocity=v, push__speed=5 * v, feed__velocity=v, feed__speed=5 * v)
    expect(run, t, feed__torque=3.0, feed__force=15.0, mass__force=15.0)


# -- modes -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("turned", [False, True])
def test_friction_slides_and_sticks(axis: Axis, turned: bool) -> None:
    """From 1 against 5 N with 3 N behind: a = -1 until it stops at 1 s, and stays although 3 N pull (static 6)."""
    run = mb.simulate(held(axis, axis.parts.Friction("part", 5.0, 6.0), turned=turned), 2.0, rtol=1e-10)
    sign = -1.0 if turned else 1.0
    shown(axis, run, 0.5, "part", e=sign * 5.0, f=sign * 0.5)
    shown(axis, run, 0.5, "mass", e=-2.0, f=0.5)
    shown(axis, run, 0.5, "wall", e=-5.0)
    shown(axis, run, 1.5, "part", e=sign * 3.0, f=0.0)
    shown(axis, run, 1.5, "mass", e=0.0, f=0.0)


@pytest.mark.parametrize("turned", [False, True])
def test_friction_with_all_its_words(axis: Axis, turned: bool) -> None:
    """At 1: coulomb 2, static 4 within stribeck 0.5, viscous 3: 2 + 2 exp(-4) + 3."""
    part = axis.parts.Friction("part", 2.0, 4.0, stribeck=0.5, viscous=3.0)
    run = mb.simulate(held(axis, part, turned=turned), 0.1, rtol=1e-10)
    sign, force = -1.0 if turned else 1.0, 5 + 2 * np.exp(-4.0)
    shown(axis, run, 0.0, "part", e=sign * force, f=sign)
    shown(axis, run, 0.0, "mass", e=3.0 - force)


@pytest.mark.parametrize("way", ["number", "formula", "signal"])
def test_clutch_and_brakes(way: str) -> None:
    """Half pressed: 2.5 of 5 against 3 with a mass of 2, for the clutch, the disc brake and the shoe."""
    press = {"number": 0.5, "formula": "0.5", "signal": None}[way]

    def led(model: mb.Model, part: Any) -> Solution:
        if way == "signal":
            model.signal(model.add(blocks.Constant("press", 0.5)).y, part.input)
        return mb.simulate(model, 0.5, rtol=1e-10)

    model = held(AXES["turning"], ro.Clutch("part", 5.0, 6.0, press))
    run = led(model, model["part"])
    expect(run, 0.2, part__torque=2.5, part__slip=1.05, mass__torque=0.5, wall__torque=-2.5)
    model = held(AXES["sliding"], tr.Brake("part", 5.0, 6.0, press))
    run = led(model, model["part"])
    expect(run, 0.2, part__force=2.5, part__velocity=1.05, mass__force=0.5, wall__force=-2.5)
    model = mb.Model("disc")
    wheel, push = model.add(ro.Inertia("wheel", 2.0, 1.0)), model.add(ro.Torque("push", 3.0))
    brake = model.add(ro.Brake("part", 5.0, 6.0, press))
    model.connect(wheel.flange, push.flange, brake.flange)
    expect(led(model, brake), 0.2, part__torque=2.5, part__speed=1.05, wheel__torque=0.5)


@pytest.mark.parametrize("shut", [False, True])
def test_a_clutch_holds(shut: bool) -> None:
    """Pressed it holds 3 N.m; open it lets go."""
    model = held(AXES["turning"], ro.Clutch("part", 5.0, 6.0, 1.0 if shut else 0.0), speed=0.0)
    run = mb.simulate(model, 1.0, rtol=1e-10)
    expect(run, 0.5, part__torque=3.0 if shut else 0.0, mass__speed=0.0 if shut else 0.75)


@pytest.mark.parametrize("push", [3.0, -3.0])
def test_a_freewheel_locks_backwards(push: float) -> None:
    """From rest: forwards the wheel runs away from the wall, backwards it is held."""
    run = mb.simulate(held(AXES["turning"], ro.Freewheel("part"), drive=push, speed=0.0), 1.0, rtol=1e-10)
    free = push > 0
    expect(run, 0.5, mass__speed=0.75 if free else 0.0, part__speed=0.75 if free else 0.0)
    expect(run, 0.5, part__torque=0.0 if free else -3.0, wall__torque=0.0 if free else 3.0)


@pytest.mark.parametrize("side", [1.0, -1.0])
def test_backlash_and_stop(axis: Axis, side: float) -> None:
    """Free for 0.1 (of a play of 0.3, from 0.05 off the middle), then it holds: at 1 a hit without rebound."""
    off = side * 0.05
    turning = axis.parts is ro
    part = ro.Backlash("part", 0.3, twist=off) if turning else tr.Stop("part", -0.15, 0.15, position=off)
    run = mb.simulate(held(axis, part, drive=side * 3.0, speed=side), 1.0, rtol=1e-10)
    place = "twist" if turning else "position"
    expect(run, 0.05, **{f"part__{place}": off + side * (0.05 + 0.75 * 0.05**2)})
    shown(axis, run, 0.05, "part", e=0.0)
    shown(axis, run, 0.5, "part", e=side * 3.0)
    shown(axis, run, 0.5, "mass", f=0.0, e=0.0)
    expect(run, 0.5, **{f"part__{place}": side * 0.15})


def test_a_stop_throws_back(axis: Axis) -> None:
    """Restitution 0.5 without a drive: from 1 to -0.5 at the limit, reached at 0.1."""
    turning = axis.parts is ro
    part = ro.Backlash("part", 0.2, restitution=0.5) if turning else tr.Stop("part", upper=0.1, restitution=0.5)
    run = mb.simulate(held(axis, part, drive=0.0), 0.3, rtol=1e-10)
    shown(axis, run, 0.05, "mass", f=1.0)
    shown(axis, run, 0.2, "mass", f=-0.5)
