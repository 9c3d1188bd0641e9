"""Signs of the parts of the library: which way currents, torques, forces and reactions count, by hand."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import pytest

import multibond as mb
from multibond import electrical as el
from multibond import planar as pl
from multibond import rotational as ro
from multibond import spatial as sp
from multibond.solve.solution import Solution
from multibond.workbench import at_depth

from .expect import expect

# -- circuits --------------------------------------------------------------------------------------------------------


def circuit(part: el.TwoPin, voltage: float = 6.0) -> Solution:
    """Source, 2 ohm and a part in a ring; the current leaves the source at pin_p."""
    model = mb.Model("ring")
    source, ground = model.add(el.VoltageSource("source", voltage)), model.add(el.Ground())
    resistor, part = model.add(el.Resistor("resistor", 2.0)), model.add(part)
    model.connect(source.pin_p, resistor.pin_p)
    model.connect(resistor.pin_n, part.pin_p)
    model.connect(part.pin_n, source.pin_n, ground.pin)
    return mb.simulate(model, 2.0, rtol=1e-10)


def test_a_capacitor_is_charged() -> None:
    """RC = 1 s, from 1 V: v = 6 - 5 exp(-t), i = C dv/dt."""
    run = circuit(el.Capacitor("part", 0.5, voltage=1.0))
    for t in (0.0, 0.7):
        i = 2.5 * np.exp(-t)
        expect(run, t, part__voltage=6 - 2 * i, part__current=i, part__charge=0.5 * (6 - 2 * i))
        expect(run, t, resistor__voltage=2 * i, resistor__current=i, source__voltage=6.0, source__current=i)


def test_a_coil_takes_its_current() -> None:
    """L / R = 0.5 s, from -1 A: i = 3 - 4 exp(-2 t)."""
    run = circuit(el.Inductor("part", 1.0, current=-1.0))
    for t in (0.0, 0.7):
        i = 3 - 4 * np.exp(-2 * t)
        expect(run, t, part__current=i, part__voltage=6 - 2 * i, part__flux=i, resistor__current=i)


def test_a_ground_takes_what_another_gives() -> None:
    """6 V over 2 ohm between two grounds: 3 A come out of the ground at the source and go into the other."""
    model = mb.Model("earth")
    source, load = model.add(el.VoltageSource("source", 6.0)), model.add(el.Resistor("load", 2.0))
    near, far = model.add(el.Ground("near")), model.add(el.Ground("far"))
    model.connect(near.pin, source.pin_n)
    model.connect(source.pin_p, load.pin_p)
    model.connect(load.pin_n, far.pin)
    expect(mb.simulate(model, 0.1), 0.0, load__current=3.0, near__earth__f=3.0, far__earth__f=-3.0)


@pytest.mark.parametrize("outside", [0.0, 0.06])
def test_a_motor_turns_forward(outside: float) -> None:
    """V = 12, R = 2, k = 0.1, bearing c: at rest i = 12 / (R + k²/c), torque k i = c ω; a torque outside helps it."""
    model = mb.Model("motor")
    source, ground = model.add(el.VoltageSource("source", 12.0)), model.add(el.Ground())
    motor = model.add(el.DCMotor("motor", resistance=2.0, inductance=1e-2, constant=0.1, inertia=1e-4, damping=1e-2))
    push = model.add(ro.Torque("push", outside))
    model.connect(source.pin_p, motor.pin_p)
    model.connect(source.pin_n, motor.pin_n, ground.pin)
    model.connect(motor.flange, push.flange)
    w = (0.1 * 12.0 / 2.0 + outside) / (1e-2 + 0.1**2 / 2.0)
    i = (12.0 - 0.1 * w) / 2.0
    run = mb.simulate(model, 3.0, rtol=1e-10)
    expect(run, 3.0, motor__speed=w, motor__current=i, motor__torque=0.1 * i, motor__winding__e=2 * i)
    expect(run, 3.0, motor__rotor__f=w, motor__bearing__e=1e-2 * w, source__current=i, push__torque__f=w)
    expect(run, 0.0, motor__coil__e=12.0, motor__rotor__e=outside)


# -- one axis --------------------------------------------------------------------------------------------------------


def shaft(part: ro.Spring | ro.Damper, turned: bool) -> Solution:
    """A flywheel of 2 kg.m², 1 rad/s, driven by 3 N.m and held by a part to a wall at its flange a (or b)."""
    model = mb.Model("shaft")
    wall, wheel, drive = model.add(ro.Fixed("wall")), model.add(ro.Inertia("wheel", 2.0, 1.0)), ro.Torque("drive", 3.0)
    part, drive = model.add(part), model.add(drive)
    near, far = (part.flange_b, part.flange_a) if turned else (part.flange_a, part.flange_b)
    model.connect(wall.flange, near)
    model.connect(far, wheel.flange, drive.flange)
    return mb.simulate(model, 2.0, rtol=1e-10)


@pytest.mark.parametrize("turned", [False, True])
def test_a_torsion_spring_pulls_back(turned: bool) -> None:
    """k = 8, twist 0.1 at the start: the wheel's angle swings about 3/8 with 2 rad/s."""
    sign = -1.0 if turned else 1.0
    run = shaft(ro.Spring("part", stiffness=8.0, twist=sign * 0.1), turned)
    for t in (0.0, 0.4):
        angle = 0.375 + (0.1 - 0.375) * np.cos(2 * t) + 0.5 * np.sin(2 * t)
        speed = 2 * 0.275 * np.sin(2 * t) + np.cos(2 * t)
        expect(run, t, wheel__speed=speed, wheel__torque=3.0 - 8 * angle, wall__wall__e=-8 * angle)
        expect(run, t, part__twist=sign * angle, part__torque=sign * 8 * angle)


@pytest.mark.parametrize("turned", [False, True])
def test_a_damper_slows_down(turned: bool) -> None:
    """c = 4: the speed goes to 3/4 with a rate of 2 a second."""
    sign = -1.0 if turned else 1.0
    run = shaft(ro.Damper("part", damping=4.0), turned)
    for t in (0.0, 0.4):
        speed = 0.75 + 0.25 * np.exp(-2 * t)
        expect(run, t, wheel__speed=speed, wall__wall__e=-4 * speed)
        expect(run, t, part__torque=sign * 4 * speed, part__speed=sign * speed)


def test_a_given_speed_turns_forward() -> None:
    """2 rad/s against a damper of 4 N.m.s/rad at a wall: 8 N.m come out of the drive."""
    model = mb.Model("driven")
    wall, damper, drive = ro.Fixed("wall"), ro.Damper("damper", damping=4.0), ro.Speed("drive", 2.0)
    wall, damper, drive = model.add(wall), model.add(damper), model.add(drive)
    model.connect(wall.flange, damper.flange_a)
    model.connect(damper.flange_b, drive.flange)
    run = mb.simulate(model, 0.1)
    expect(run, 0.05, damper__speed=2.0, damper__torque=8.0, drive__drive__e=8.0, wall__wall__e=-8.0)


# -- space -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("reach", [(0.0, 0.0, 0.0), (0.4, -0.1, 0.3)])
def test_the_world_carries_what_is_fixed_to_it(reach: tuple) -> None:
    """A body on a drawn-out rod, hung on a slider that gravity does not move: force and torque of the world."""
    model = mb.Model("fixed")
    world, rod = model.add(sp.World(gravity=(0.0, -10.0, 0.0))), model.add(sp.Rod("rod", reach))
    slider = model.add(sp.Prismatic("slider", axis="x", position=0.2, speed=0.0))
    body = model.add(sp.Body("body", 3.0, centre=(0.0, 0.0, 0.5)))
    model.connect(world.frame, rod.frame_a)
    model.connect(rod.frame_b, slider.frame_a)
    model.connect(slider.frame_b, body.frame)
    run = mb.simulate(model, 0.1)
    arm, force = np.add(reach, (0.2, 0.0, 0.0)), np.array([0.0, 30.0, 0.0])
    np.testing.assert_allclose(run["slider.frame_b.position"](0.05), arm, atol=1e-12)
    np.testing.assert_allclose(run["world.translation.e"](0.05), force, atol=1e-9)
    torque = np.cross((0.0, 0.0, 0.5), force)
    np.testing.assert_allclose(run["world.rotation.e"](0.05), np.cross(arm, force) + torque, atol=1e-9)
    held = slider.motion().slide_basis()[:, 1:].T
    np.testing.assert_allclose(run["slider.hold_translation.e"](0.05), held @ force, atol=1e-9)
    np.testing.assert_allclose(run["slider.hold_rotation.e"](0.05), torque, atol=1e-9)


def test_a_world_without_words_pulls_down() -> None:
    model = mb.Model("fall")
    world, body = model.add(sp.World()), model.add(sp.Body("stone", 2.0, inertia=(1.0, 1.0, 1.0)))
    space = model.add(sp.Free("space", velocity=(1.0, 2.0, -3.0), angular_velocity=(0.1, 0.2, 0.3)))
    model.connect(world.frame, space.frame_a)
    model.connect(space.frame_b, body.frame)
    run = mb.simulate(model, 1.0)
    np.testing.assert_allclose(run["stone.velocity"](0.5), [1.0, 2.0 - 9.81 * 0.5, -3.0])
    np.testing.assert_allclose(run["stone.position"](0.5), [0.5, 1.0 - 9.81 / 8, -1.5])
    np.testing.assert_allclose(run["stone.momentum"](0.5), [2.0, 4.0 - 9.81, -6.0])
    np.testing.assert_allclose(run["stone.angular_velocity"](0.5), [0.1, 0.2, 0.3])
    np.testing.assert_allclose(run["stone.inertia.p"](0.5), [0.1, 0.2, 0.3])


@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.parametrize("part", ["spring", "damper"])
def test_springs_and_dampers_in_space(part: str, turned: bool) -> None:
    """A mass of 2 kg on a slider along x, at 1.5 m with 1 m/s: 8 N/m from 1 m, or 4 N.s/m."""
    model = mb.Model("line")
    world, body = model.add(sp.World(gravity=(0.0, 0.0, 0.0))), model.add(sp.Body("body", 2.0))
    slider = model.add(sp.Prismatic("slider", axis="x", position=1.5, speed=1.0))
    link = model.add(sp.Spring("link", 8.0, rest=1.0) if part == "spring" else sp.Damper("link", 4.0))
    model.connect(world.frame, slider.frame_a, link.frame_b if turned else link.frame_a)
    model.connect(slider.frame_b, body.frame, link.frame_a if turned else link.frame_b)
    run = mb.simulate(model, 1.0, rtol=1e-10)
    for t in (0.0, 0.3):
        c, s, decay = np.cos(2 * t), np.sin(2 * t), np.exp(-2 * t)
        x, v = (1 + 0.5 * c + 0.5 * s, c - s) if part == "spring" else (1.5 + 0.5 * (1 - decay), decay)
        expect(run, t, slider__position=x, slider__speed=v, link__length=x)
        expect(run, t, link__force=8 * (x - 1) if part == "spring" else 4 * v)


@pytest.mark.parametrize("kind", [sp.Revolute, sp.Prismatic])
def test_spring_damper_and_drive_of_a_joint(kind: type[Any]) -> None:
    """2 q'' = 3 - 8 (q - 0.5) - c q' at the start, for a turn as for a slide."""
    model = mb.Model("one")
    world, body = model.add(sp.World(gravity=(0.0, 0.0, 0.0))), model.add(sp.Body("body", 2.0, inertia=(2.0, 2.0, 2.0)))
    place, drive = ("angle", "torque") if kind is sp.Revolute else ("position", "force")
    more = {place: 0.7, "speed": 0.25, "stiffness": 8.0, "rest": 0.5, "damping": 4.0, drive: 3.0}
    joint = model.add(kind("joint", axis="z", **more))
    model.connect(world.frame, joint.frame_a)
    model.connect(joint.frame_b, body.frame)
    run = mb.simulate(model, 1.0)
    rate = (3.0 - 8 * 0.2 - 4 * 0.25) / 2
    assert run["joint.speed"](1e-4) == pytest.approx(0.25 + 1e-4 * rate, abs=1e-7)
    expect(run, 0.0, joint__spring__e=1.6, joint__damper__e=1.0, joint__drive__e=3.0, joint__drive__f=0.25)
    np.testing.assert_allclose(run["body.inertia.f" if kind is sp.Revolute else "body.mass.f"](0.0), [0, 0, 0.25])


@pytest.mark.parametrize("backwards", [False, True])
def test_a_motion_counts_its_speed_in_its_own_direction(backwards: bool) -> None:
    """Its start speed of 1 m/s is power into it; drawn backwards the bond carries -1 m/s."""
    model = mb.Model("slider")
    world, body = model.add(sp.World(gravity=(0.0, 0.0, 0.0))), model.add(sp.Body("body", 2.0))
    slider = model.add(sp.Prismatic("slider", axis="x", position=0.0, speed=1.0))
    model.connect(world.frame, slider.frame_a)
    model.connect(slider.frame_b, body.frame)
    graph = at_depth(model, 2)
    turned = tuple(
        replace(b, tail=b.head, head=b.tail) if backwards and b.into("slider.motion") else b for b in graph.bonds
    )
    run = mb.simulate(graph.with_(bonds=turned), 0.5)
    sign = -1.0 if backwards else 1.0
    np.testing.assert_allclose(run["body.mass.f"](0.2), [sign, 0.0, 0.0], atol=1e-9)
    np.testing.assert_allclose(run["slider.motion.q"](0.2), 0.2, atol=1e-9)


def test_flows_inside_joint_rod_and_body_count_along_their_half_arrows() -> None:
    """A slider on a body that turns freely: what each transformer of the inner graphs hands on."""
    model, w, arm, reach = mb.Model("flows"), (0.5, -1.0, 2.0), (0.3, 0.2, -0.4), (0.1, 0.6, 0.2)
    world, space = model.add(sp.World()), model.add(sp.Free("space", position=arm, angular_velocity=w))
    slider = model.add(sp.Prismatic("slider", axis="y", position=0.7, speed=1.5))
    rod, body = model.add(sp.Rod("rod", arm)), model.add(sp.Body("body", 2.0, inertia=(1.0, 1.0, 1.0), centre=reach))
    model.connect(world.frame, space.frame_a)
    first = model.add(sp.Body("first", 3.0, inertia=(1.0, 1.0, 1.0)))
    model.connect(space.frame_b, slider.frame_a, first.frame)
    model.connect(slider.frame_b, rod.frame_a)
    model.connect(rod.frame_b, body.frame)
    run = mb.simulate(model, 0.3)
    R, w = run["slider.frame_a.attitude"](0.2).reshape(3, 3), run["slider.frame_a.rotation.f"](0.2)
    place = np.array([0.0, run["slider.position"](0.2), 0.0])
    slide = np.array([0.0, run["slider.speed"](0.2), 0.0])
    expected = {
        "slider.turn.b.f": w,
        "slider.lever.b.f": np.cross(w, place),
        "slider.to_world.a.f": slide + np.cross(w, place),
        "slider.to_world.b.f": R @ (slide + np.cross(w, place)),
        "slider.slides.b.f": slide,
        "rod.tip_lever.b.f": np.cross(w, arm),
        "rod.tip_turn.a.f": np.cross(w, arm),
        "rod.tip_turn.b.f": R @ np.cross(w, arm),
        "body.centre_turn.b.f": R @ np.cross(w, reach),
    }
    for name, value in expected.items():
        np.testing.assert_allclose(run[name](0.2), value, atol=1e-9, err_msg=name)


def one_joint(joint: sp.Prismatic | sp.Revolute | sp.Screw) -> mb.Model:
    """A body of 2 kg and 2 kg.m² on a joint, without weight."""
    model = mb.Model("one")
    world, body = model.add(sp.World(gravity=(0.0, 0.0, 0.0))), model.add(sp.Body("body", 2.0, inertia=(2.0, 2.0, 2.0)))
    joint = model.add(joint)
    model.connect(world.frame, joint.frame_a)
    model.connect(joint.frame_b, body.frame)
    return model


def test_friction_of_a_joint_counts_against_its_motion() -> None:
    """4 N against 1 m/s: at rest after 0.5 s and 0.25 m, where 3 N are held."""
    run = mb.simulate(one_joint(sp.Prismatic("joint", "x", 0.0, 1.0, friction=4.0)), 0.4)
    expect(run, 0.2, joint__friction__e=4.0, joint__friction__f=0.6, joint__position=0.2 - 0.04)
    run = mb.simulate(one_joint(sp.Prismatic("joint", "x", 0.0, 0.0, friction=4.0, force=3.0)), 0.4)
    expect(run, 0.2, joint__friction__e=3.0, joint__position=0.0)


def test_a_joint_is_pressed_against_its_stop() -> None:
    """3 N from rest: at 0.1 m after sqrt(2 · 0.1 · 2 / 3) s, and held there."""
    run = mb.simulate(one_joint(sp.Prismatic("joint", "x", 0.0, 0.0, force=3.0, upper=0.1)), 1.0).check()
    expect(run, 0.3, joint__position=0.5 * 1.5 * 0.09, joint__speed=0.45, joint__stop__f=0.45, joint__stop__e=0.0)
    expect(run, 0.8, joint__position=0.1, joint__speed=0.0, joint__stop__e=3.0)


@pytest.mark.parametrize("method", ["auto", "multiplier", "rc"])
def test_a_driven_hinge_follows_its_path(method: str) -> None:
    """Past half a turn, held stiffly or softly: the torque is that of 2 kg.m²."""
    run = mb.simulate(one_joint(sp.Revolute("joint", driven="3 + sin(2*t)")), 0.6, method=method).check()
    slack = 1e-4 if method == "rc" else 1e-8
    expect(run, 0.5, joint__driver__f=2 * np.cos(1.0))
    turned = run["body.attitude"](0.5).reshape(3, 3)[:2, 0]
    np.testing.assert_allclose(turned, [np.cos(3 + np.sin(1.0)), np.sin(3 + np.sin(1.0))], atol=slack)
    if method != "rc":
        assert run["joint.driver.e"](0.5) == pytest.approx(-8 * np.sin(1.0), abs=1e-7)


@pytest.mark.parametrize("method", ["auto", "multiplier", "rc"])
def test_a_screw_carries_its_load(method: str) -> None:
    """3 N.m on a pitch of 0.4 m a turn: the body slides and turns with one inertia, held stiffly or softly."""
    lead = 0.4 / (2 * np.pi)
    run = mb.simulate(one_joint(sp.Screw("joint", "z", 0.4, 0.2, 0.5, torque=3.0)), 0.5, method=method).check()
    angle, slack = 0.2 + 0.5 * 0.5 + 0.125 * 3.0 / (2 + 2 * lead**2), 1e-4 if method == "rc" else 1e-8
    assert run["joint.angle"](0.5) == pytest.approx(angle, abs=slack)
    np.testing.assert_allclose(run["body.position"](0.5), [0.0, 0.0, lead * angle], atol=slack)
    speed = run["joint.speed"](0.5)
    assert run["joint.split_translations.part_1.f"](0.5) == pytest.approx(lead * speed, abs=10 * slack)


@pytest.mark.parametrize("limit", [{"upper": 0.1}, {"lower": -5.0}])
def test_a_joint_with_one_stop_is_free_the_other_way(limit: dict[str, float]) -> None:
    """A bar that falls away from its only stop falls as if there were none."""
    falls = []
    for stops in ({}, limit):
        model = mb.Model("bar")
        world, hip = model.add(sp.World()), model.add(sp.Revolute("hip", **stops))
        bar = model.add(sp.Body("bar", mass=1.0, inertia=(0.1, 0.1, 0.1), centre=(0.5, 0, 0)))
        model.connect(world.frame, hip.frame_a)
        model.connect(hip.frame_b, bar.frame)
        falls.append(mb.simulate(model, 0.4)["hip.angle"](0.4))
    assert falls[0] < -0.5 and falls[1] == pytest.approx(falls[0], abs=1e-9)


SLIDING = (sp.Prismatic, sp.FreeTranslation, pytest.param(partial(pl.Telescope, vector=(1.0, 0.0)), id="Telescope"))


@pytest.mark.parametrize("kind", [sp.Revolute, sp.Universal, sp.Cylindrical, *SLIDING])
@pytest.mark.parametrize("word", ["lower", "upper"])
def test_an_infinite_limit_is_none(kind: Any, word: str) -> None:
    far = {"lower": -np.inf, "upper": np.inf}[word]
    assert getattr(kind("it", **{word: far}), word) is None
