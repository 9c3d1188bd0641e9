"""Rods between joints, gears and couplings: against the same machine of single joints, and by hand."""

from __future__ import annotations

import numpy as np
import pytest

import multibond as mb
from multibond import rotational as ro
from multibond import spatial as sp


def linkage(kind: str, mass: float) -> mb.Model:
    """Two skew cranks and a rod of 0.9 m: between balls, or a Cardan joint and a ball, in one part or apart."""
    model = mb.Model("linkage")
    world, wall = model.add(sp.World()), model.add(sp.Fixed("wall", (1.0, 0, 0)))
    first = model.add(sp.Revolute("first", "z", 1.2, 1.0))
    second = model.add(sp.Revolute("second", (0.1, 0, 1), mb.Guess(1.4)))
    left = model.add(sp.Body("left", 1.0, (0.1, 0.1, 0.1), (0.25, 0, 0), points=(0.5, 0, 0)))
    right = model.add(sp.Body("right", 1.0, (0.1, 0.1, 0.1), (0.35, 0, 0), points=(0.7, 0, 0)))
    model.connect(world.frame, first.frame_a)
    model.connect(wall.frame, second.frame_a)
    model.connect(first.frame_b, left.frame)
    model.connect(second.frame_b, right.frame)
    if kind == "balls":
        rod = model.add(sp.SphericalSpherical("rod", 0.9, mass))
    elif kind == "one part":
        rod = model.add(sp.UniversalSpherical("rod", (0.9, 0, 0), "z", "y", mb.Guess((0, 0)), mass=mass))
    else:
        return _apart(model, left, right, mass)
    model.connect(left.frame_1, rod.frame_a)
    model.connect(right.frame_1, rod.frame_b)
    return model


def _apart(model: mb.Model, left: sp.Body, right: sp.Body, mass: float) -> mb.Model:
    cross = model.add(sp.Universal("cross", "z", "y", mb.Guess((0, 0))))
    rod, ball = model.add(sp.Rod("rod", (0.9, 0, 0))), model.add(sp.Spherical("ball"))
    model.connect(left.frame_1, cross.frame_a)
    model.connect(cross.frame_b, rod.frame_a)
    model.connect(rod.frame_b, ball.frame_a)
    model.connect(ball.frame_b, right.frame_1)
    if mass:
        moment = mass * 0.9**2 / 12
        bar = model.add(sp.Body("bar", mass, (0, moment, moment), (0.45, 0, 0)))
        model.connect(cross.frame_b, bar.frame)
    return model


@pytest.mark.parametrize("mass", [0.0, 0.6])
@pytest.mark.parametrize("kind", ["balls", "one part"])
def test_a_rod_in_a_loop(kind: str, mass: float) -> None:
    """The force in a massless rod is that of its ball; a thin rod between balls moves as with a Cardan joint."""
    run, other = (mb.simulate(linkage(k, mass), 2.0, rtol=1e-10).check() for k in (kind, "apart"))
    times = np.linspace(0, 2, 21)
    for name in ("first.angle", "second.angle", "first.speed"):
        np.testing.assert_allclose(run[name](times), other[name](times), atol=1e-8)
    if kind == "one part":
        for mine, theirs in (("rod.universal", "cross"), ("rod.ball", "ball")):
            force = run[f"{mine}.reaction_force"](1.0)
            np.testing.assert_allclose(force, other[f"{theirs}.reaction_force"](1.0), atol=1e-7)
        np.testing.assert_allclose(run["rod.angles"](times), other["cross.angles"](times), atol=1e-8)
    elif not mass:
        assert abs(run["rod.force"](1.0)) == pytest.approx(np.linalg.norm(other["ball.reaction_force"](1.0)), abs=1e-7)
    assert run.energy().residual < 1e-9


@pytest.mark.parametrize("kind", ["balls", "one part"])
def test_a_rod_at_all_depths(kind: str) -> None:
    models = [linkage(kind, 0.6), *(linkage(kind, 0.6).open(depth=depth) for depth in (2, 3))]
    runs = [mb.simulate(model, 1.0, rtol=1e-10) for model in models]
    for run in runs[1:]:
        np.testing.assert_allclose(run["second.angle"](1.0), runs[0]["second.angle"](1.0), atol=1e-8)


@pytest.mark.parametrize("method", ["auto", "multiplier"])
def test_what_is_fixed_to_a_rod_rides_on_it(method: str) -> None:
    """A mass at `frame_rod` of a massless rod is the mass of the rod apart."""
    model, other = linkage("one part", 0.0), linkage("apart", 0.0)
    for one, frame in ((model, "rod.frame_rod"), (other, "rod.frame_a")):
        body = one.add(sp.Body("rider", 0.8, (0.05, 0.06, 0.07), (0.3, 0.1, 0.2)))
        one.connect(frame, body.frame)
    runs = [mb.simulate(one, 1.0, rtol=1e-10, method=method) for one in (model, other)]
    np.testing.assert_allclose(runs[0]["rider.position"](1.0), runs[1]["rider.position"](1.0), atol=1e-8)


# -- gears -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("ratio", [-2.0, 3.0])
def test_a_gear(ratio: float) -> None:
    """Wheels of 2 and 1 kg.m², 5 N.m on the first: its angle is `ratio` times the other's."""
    model = mb.Model("gear")
    world, gear = model.add(sp.World(gravity=(0, 0, 0))), model.add(sp.Gear("gear", ratio, "x", "x", 0.0, 3.0))
    wheels = [model.add(sp.Body(name, 1.0, (J,) * 3)) for name, J in (("large", 2.0), ("small", 1.0))]
    torque = model.add(sp.WorldTorque("torque", (5.0, 0, 0)))
    model.connect(world.frame, gear.bearing)
    model.connect(gear.frame_a, wheels[0].frame, torque.frame)
    model.connect(gear.frame_b, wheels[1].frame)
    run = mb.simulate(model, 2.0).check()
    rate = 5.0 / (2.0 + 1.0 / ratio**2)
    assert run["gear.angle_a"](2.0) == pytest.approx(6.0 + 2 * rate, abs=1e-9)
    assert run["gear.angle_b"](2.0) == pytest.approx((6.0 + 2 * rate) / ratio, abs=1e-9)
    assert run["gear.torque"](1.0) == pytest.approx(2.0 * rate - 5.0, abs=1e-9)
    assert run.energy().residual < 1e-9


def test_a_bevel_gear_on_a_moving_bearing_passes_power_and_momentum_on() -> None:
    """Nothing acts from outside: angular momentum and energy stay."""
    model = mb.Model("bevel")
    world = model.add(sp.World(gravity=(0, 0, 0)))
    space = model.add(sp.Free("space", angular_velocity=(0.5, -0.4, 0.3)))
    gear = model.add(sp.Gear("gear", -1.5, "x", "y", 0.2, 2.0))
    names = ("house", "one", "two")
    bodies = [model.add(sp.Body(name, 1.0, (0.3, 0.3 + 0.1 * k, 0.4))) for k, name in enumerate(names)]
    model.connect(world.frame, space.frame_a)
    model.connect(space.frame_b, gear.bearing, bodies[0].frame)
    model.connect(gear.frame_a, bodies[1].frame)
    model.connect(gear.frame_b, bodies[2].frame)
    run = mb.simulate(model, 2.0, rtol=1e-10).check()

    def momentum(t: float) -> np.ndarray:
        parts = [run[f"{n}.attitude"](t).reshape(3, 3) @ run[f"{n}.inertia.p"](t) for n in names]
        return np.sum(parts, axis=0)

    np.testing.assert_allclose(momentum(2.0), momentum(0.0), atol=1e-9)
    assert run["gear.angle_a"](2.0) == pytest.approx(-1.5 * run["gear.angle_b"](2.0), abs=1e-9)
    assert run.energy().residual < 1e-9


RATIOS = np.array([1.0, 1.0, -2.0])


def sliders(offset: float) -> mb.Model:
    """q1 + q2 - 2 q3 = offset on sliders of 1, 2, 3 kg with forces of 0, 3, 6 N beside their weights."""
    model = mb.Model("sliders")
    world, coupling = model.add(sp.World()), model.add(sp.Coupling("coupling", RATIOS, offset))
    for k in (1, 2, 3):
        place = {1: 0.5, 2: mb.Guess(0.1), 3: 0.2}[k]
        slider = model.add(sp.Prismatic(f"slider{k}", "y", place, 0.0, force=3.0 * (k - 1)))
        body = model.add(sp.PointMass(f"body{k}", float(k)))
        model.connect(world.frame, slider.frame_a)
        model.connect(slider.frame_b, body.frame)
        model.connect(slider.flange, getattr(coupling, f"flange_{k}"))
        model.signal(slider.coordinate, getattr(coupling, f"coordinate_{k}"))
    return model


def test_a_soft_coupling_follows_the_stiff_one() -> None:
    soft, stiff = (mb.simulate(sliders(0.3), 0.3, method=method).check() for method in ("rc", "auto"))
    for k in (1, 2, 3):
        assert soft[f"slider{k}.position"](0.3) == pytest.approx(stiff[f"slider{k}.position"](0.3), abs=1e-4)


@pytest.mark.parametrize("offset", [0.0, 0.3])
def test_a_coupling_of_three_sliders(offset: float) -> None:
    run, ratios = mb.simulate(sliders(offset), 1.0).check(), RATIOS
    masses = np.array([1.0, 2.0, 3.0])
    loads = np.array([0.0, 3.0, 6.0]) - 9.81 * masses
    effort = -(ratios @ (loads / masses)) / (ratios @ (ratios / masses))
    rates = (loads + effort * ratios) / masses
    start = np.array([0.5, offset - 0.5 + 0.4, 0.2])
    for k in (1, 2, 3):
        assert run[f"slider{k}.position"](1.0) == pytest.approx(start[k - 1] + 0.5 * rates[k - 1], abs=1e-9)
    assert run["coupling.effort"](0.5) == pytest.approx(effort, abs=1e-9)
    assert run["coupling.ratio_3.b.f"](0.5) == pytest.approx(2.0 * run["slider3.speed"](0.5), abs=1e-12)


def test_a_coupling_joins_turns_and_slides_beside_a_motor() -> None:
    """A rack of 2 kg and a pinion of 0.1 kg.m², radius 0.05 m, with 1 N.m at the pinion's flange."""
    model = mb.Model("rack")
    world, mesh = model.add(sp.World(gravity=(0, 0, 0))), model.add(sp.Coupling("mesh", (0.05, -1.0)))
    pinion, rack = model.add(sp.Revolute("pinion", "z", 0.0, 0.0)), model.add(sp.Prismatic("rack", "x"))
    wheel, bar = model.add(sp.Body("wheel", 1.0, (0.1,) * 3)), model.add(sp.PointMass("bar", 2.0))
    drive = model.add(ro.Torque("drive", 1.0))
    model.connect(world.frame, pinion.frame_a, rack.frame_a)
    model.connect(pinion.frame_b, wheel.frame)
    model.connect(rack.frame_b, bar.frame)
    for k, joint in ((1, pinion), (2, rack)):
        model.connect(joint.flange, getattr(mesh, f"flange_{k}"), *([drive.flange] if k == 1 else []))
        model.signal(joint.coordinate, getattr(mesh, f"coordinate_{k}"))
    run = mb.simulate(model, 1.0).check()
    assert run["rack.position"](1.0) == pytest.approx(0.05 * 0.5 / (0.1 + 2 * 0.05**2), abs=1e-9)


@pytest.mark.parametrize("method", ["auto", "multiplier", "rc"])
def test_a_driven_slider_follows_its_path(method: str) -> None:
    """Held stiffly or softly, in the tree or at a cut: x = 0.1 sin(3 t), with the force that 2 kg need."""
    model = mb.Model("driven")
    world, body = model.add(sp.World(gravity=(0, 0, 0))), model.add(sp.Body("body", 2.0, (1.0, 1.0, 1.0)))
    slider = model.add(sp.Prismatic("slider", "x", driven="0.1*sin(3*t)"))
    model.connect(world.frame, slider.frame_a)
    model.connect(slider.frame_b, body.frame)
    run, slack = mb.simulate(model, 0.4, method=method).check(), 1e-4 if method == "rc" else 1e-9
    assert run["slider.position"](0.4) == pytest.approx(0.1 * np.sin(1.2), abs=slack)
    assert run["slider.driver.f"](0.4) == pytest.approx(0.3 * np.cos(1.2), abs=1e-12)
    if method != "rc":
        assert run["slider.driver.e"](0.4) == pytest.approx(-1.8 * np.sin(1.2), abs=1e-8)
