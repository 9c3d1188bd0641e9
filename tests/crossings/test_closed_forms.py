"""Machines whose motion a formula tells: half waves, exponentials between switch instants, momentum."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.linalg import expm

import multibond as mb
from multibond import electrical as el
from multibond import rotational as ro
from multibond import translational as tr

from .building import model_of
from .mechanisms import floating_pair
from .newton import Judge
from .reading import Reading


@pytest.mark.parametrize("solver", ["dop853", "dopri5", "rodas5p"])
def test_dry_friction_takes_as_much_of_each_half_wave(solver: str) -> None:
    """m = 2 kg, k = 50 N/m, 4 N of friction: each half wave ends 2 F / k nearer, and the last within F / k sticks."""
    m, k, F, x = 2.0, 50.0, 4.0, 0.5
    model = mb.Model("half waves")
    mass, spring, shoe = (
        model.add(tr.Mass("mass", m)),
        model.add(tr.Spring("spring", k, length=x)),
        model.add(tr.Friction("shoe", F)),
    )
    wall = model.add(tr.Fixed("wall"))
    model.connect(wall.flange, spring.flange_a, shoe.flange_a)
    model.connect(mass.flange, spring.flange_b, shoe.flange_b)
    run = mb.simulate(model, 4.0, solver=solver)
    half, expected = math.pi * math.sqrt(m / k), x
    for n in range(1, 9):
        if abs(expected) <= F / k:
            break
        expected = -(expected - math.copysign(2 * F / k, expected))
        assert float(run["spring.stretch"](n * half)) == pytest.approx(expected, abs=2e-7)
    assert float(run["spring.stretch"](4.0)) == pytest.approx(expected, abs=2e-7) and abs(expected) <= F / k


def test_a_switched_circuit_is_a_product_of_exponentials() -> None:
    """A resonant circuit with 1 ohm or 9 ohm, as a sine of the time is positive or not."""
    L, C, U, rate = 0.1, 1e-2, 5.0, 20.0
    model = mb.Model("switched")
    parts = (
        el.VoltageSource("source", U), el.Resistor("first", 1.0), el.Resistor("second", 8.0),
        el.Switch("switch", f"0.5 + sin({rate}*t)"), el.Inductor("coil", L), el.Capacitor("store", C),
        el.Ground("earth"),
    )  # fmt: skip
    source, first, second, switch, coil, store, earth = (model.add(part) for part in parts)
    model.connect(source.pin_p, first.pin_p)
    model.connect(first.pin_n, second.pin_p, switch.pin_p)
    model.connect(second.pin_n, switch.pin_n, coil.pin_p)
    model.connect(coil.pin_n, store.pin_p)
    model.connect(store.pin_n, source.pin_n, earth.pin)
    run, state, t = mb.simulate(model, 1.0), np.array([0.0, 0.0, 1.0]), 0.0
    for n in range(1, 7):
        R = 1.0 if n % 2 else 9.0
        A = np.array([[-R / L, -1 / L, U / L], [1 / C, 0.0, 0.0], [0.0, 0.0, 0.0]])
        state, t = expm(A * math.pi / rate) @ state, n * math.pi / rate
        found = float(run["coil.current"](t)), float(run["store.voltage"](t))
        np.testing.assert_allclose(found, state[:2], atol=1e-7)


def test_a_clutch_keeps_the_momentum_and_ends_at_one_speed() -> None:
    model = mb.Model("clutch")
    one, two = model.add(ro.Inertia("one", 0.3, speed=10.0)), model.add(ro.Inertia("two", 0.2, speed=-5.0))
    shoe = model.add(ro.Friction("shoe", 2.0))
    model.connect(one.flange, shoe.flange_a)
    model.connect(two.flange, shoe.flange_b)
    run, together = mb.simulate(model, 2.0), (0.3 * 10.0 - 0.2 * 5.0) / 0.5
    stuck = 0.3 * (10.0 - together) / 2.0
    t = np.array([0.3 * stuck, 0.9 * stuck, 1.1 * stuck, 2.0])
    np.testing.assert_allclose(run["one.speed"](t), np.where(t < stuck, 10.0 - 2.0 / 0.3 * t, together), atol=1e-8)
    np.testing.assert_allclose(0.3 * run["one.speed"](t) + 0.2 * run["two.speed"](t), 2.0, atol=1e-8)


@pytest.mark.parametrize("method", ["auto", "multiplier", "minimal"])
def test_what_floats_keeps_its_momentum_but_for_the_weight(method: str) -> None:
    machine, t = floating_pair(), np.linspace(0.0, 0.4, 9)
    reading = Reading(machine, mb.simulate(model_of(machine), 0.4, method=method))
    judge = Judge(machine, reading.seen(t))
    momentum = np.zeros((t.size, 3))
    spin = np.zeros(t.size)
    for bar, side in ((b, judge.sides[b.name]) for b in machine.bars):
        momentum += bar.mass * side.centre_velocity
        spin += bar.inertia * side.turning[:, 2] + bar.mass * np.cross(side.centre, side.centre_velocity)[:, 2]
    total = sum(bar.mass for bar in machine.bars)
    fallen = momentum[0] + np.outer(t, [0.0, -total * machine.gravity, 0.0])
    np.testing.assert_allclose(momentum, fallen, atol=1e-7)
    middle = sum(bar.mass * judge.sides[bar.name].centre for bar in machine.bars)
    about = spin - np.cross(middle / total, momentum)[:, 2]
    np.testing.assert_allclose(about, about[0], atol=1e-7)
