"""Sensors read without taking power; signals modulate; components can be led on their own."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import multibond as mb
from multibond import blocks
from multibond import spatial as sp
from multibond import translational as tr


def oscillator() -> tuple[mb.Model, object]:
    model = mb.Model("oscillator")
    v = model.add(mb.One("v"))
    model.bond(v, mb.I("mass", 2.0, start=2.0))
    model.bond(v, mb.C("spring", 0.125))
    return model, v


def test_sensors_read_what_they_stand_for() -> None:
    model, v = oscillator()
    node = model.add(mb.Zero("node"))
    model.bond(v, node)
    model.bond(node, mb.C("soft", 1e-3))
    for name, at, sensor in (("Df", v, mb.Df), ("Dq", v, mb.Dq), ("De", node, mb.De), ("Dp", node, mb.Dp)):
        model.bond(at, sensor(name))
    run = mb.simulate(model, 3.0)
    times = np.linspace(0, 3, 31)
    assert np.array_equal(run["Df.value"](times), run["mass.f"](times))
    assert np.array_equal(run["De.value"](times), run["soft.e"](times))
    assert np.abs(run["Dq.value"](times) - run["spring.q"](times)).max() < 1e-10
    momentum = run["mass.p"](times) - 2.0
    impulse = -run["Dp.value"](times)
    spring = run["mass.p"](times) - 2.0 - impulse
    work = np.array([_integral(run, "spring.e", t) for t in times])
    assert np.abs(spring + work).max() < 1e-8
    assert np.abs(momentum).max() > 1


def _integral(run: mb.Run, name: str, until: float) -> float:
    nodes, weights = np.polynomial.legendre.leggauss(60)
    return float(run[name](0.5 * until * (nodes + 1)) @ weights * 0.5 * until) if until else 0.0


def test_attaching_a_sensor_changes_nothing() -> None:
    plain, _ = oscillator()
    watched, v = oscillator()
    watched.bond(v, mb.Df("speed"))
    times = np.linspace(0, 5, 51)
    a, b = mb.simulate(plain, 5.0)["mass.p"](times), mb.simulate(watched, 5.0)["mass.p"](times)
    assert np.array_equal(a, b)


def test_modulated_transformer_follows_its_signal() -> None:
    """A mass on a crank-like lever: f_b = q f_a with q the displacement of the drive; against SciPy."""
    from scipy.integrate import solve_ivp

    model = mb.Model("lever")
    a, b = model.add(mb.One("a")), model.add(mb.One("b"))
    model.bond(a, mb.I("flywheel", 3.0, start=3.0))
    sensor = model.add(mb.Dq("angle", start=0.5))
    model.bond(a, sensor)
    lever = model.add(mb.MTF("lever"))
    model.bond(a, lever)
    model.bond(lever, b)
    model.bond(b, mb.I("load", 2.0))
    model.signal(sensor.value, lever.modulus)
    run = mb.simulate(model, 2.0, rtol=1e-11)

    def rates(_t: float, x: np.ndarray) -> list[float]:
        q, w = x
        return [w, -2.0 * q * w * w / (3.0 + 2.0 * q * q)]

    start = 3.0 / 3.0
    reference = solve_ivp(rates, (0, 2), [0.5, start], method="DOP853", rtol=1e-12, atol=1e-13, dense_output=True)
    times = np.linspace(0, 2, 21)
    assert np.abs(run["angle.value"](times) - reference.sol(times)[0]).max() < 1e-9


def test_gyrator_ring_from_modulated_gyrators_is_the_euler_gyrator() -> None:
    J = np.array([1.0, 2.0, 3.0])
    vector = mb.Model("top", size=3)
    w = vector.add(mb.One("w"))
    vector.bond(w, mb.I("rotor", J, start=J * (1.0, 0.2, 0.6)))
    vector.bond(w, mb.EulerGyrator("gyroscopic", J))
    times = np.linspace(0, 5, 26)
    whole = mb.simulate(vector, 5.0)["rotor.f"](times)
    scalar = mb.simulate(vector.open(depth=3), 5.0)
    for k in range(3):
        assert np.abs(scalar[f"rotor-{k + 1}.f"](times) - whole[:, k]).max() < 1e-10


@pytest.mark.parametrize("how", ["as drawn", 2, 3, "file"])
def test_one_component_of_a_parts_signal_is_led_on(how: Any, tmp_path: Path) -> None:
    """The second component of a tip's velocity to a block, the first to the input of another part."""
    model = mb.Model("tip")
    world, hip = model.add(sp.World()), model.add(sp.Revolute("hip", angle=0.3))
    foot = model.add(sp.Body("foot", 1.0, inertia=(0.1, 0.1, 0.1), centre=(0, -0.5, 0)))
    rod, speed = model.add(sp.Rod("rod", (0, -0.5, 0))), model.add(sp.VelocitySensor("speed"))
    twice, push = model.add(blocks.Gain("twice", 2.0)), model.add(tr.Force("push"))
    cart = model.add(tr.Mass("cart", 1.0))
    model.connect(world.frame, hip.frame_a)
    model.connect(hip.frame_b, foot.frame, rod.frame_a)
    model.connect(rod.frame_b, speed.frame)
    model.connect(cart.flange, push.flange)
    model.signal("speed.velocity[1]", twice.u)
    model.signal("speed.velocity[0]", push.input)
    if how == "file":
        mb.save(model, tmp_path / "tip.mbg")
        model = mb.load(tmp_path / "tip.mbg")
    run = mb.simulate(model if how in ("as drawn", "file") else model.open(depth=how), 0.5)
    whole = mb.simulate(mb.compile(model), 0.5) if how in (2, 3) else run
    velocity = whole["speed.velocity"]
    assert float(run["twice.y"](0.4)) == pytest.approx(2.0 * float(velocity(0.4)[1]), abs=1e-9)
    t = np.linspace(0.0, 0.5, 4001)
    expected = np.trapezoid(velocity(t).reshape(t.size, 3)[:, 0], t)
    assert float(run["cart.velocity"](0.5)) == pytest.approx(expected, abs=1e-8)
