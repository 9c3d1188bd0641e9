"""Circuits against closed forms, and the motor with its pendulum against the stored trajectories."""

from __future__ import annotations

import numpy as np
import pytest

import multibond as mb
from multibond.examples import motor_pendulum, rlc
from multibond.examples.rlc import CAPACITANCES, INDUCTANCES, RESISTANCES, VOLTAGES

from .table import Check, compare, largest, table


def series_circuit(t: np.ndarray, V: float, R: float, L: float, C: float) -> dict[str, np.ndarray]:
    """Current i and charge q of a series circuit switched on at t = 0.

    L q'' + R q' + q / C = V from rest: q = C V (1 - e^{-a t} (c + a s)), i = V / L e^{-a t} s, with a = R / 2L,
    d = 1 / LC - a², and (c, s) = (cos wt, sin wt / w), (1, t) or (cosh wt, sinh wt / w) for d = w², 0, -w².
    """
    a = R / (2 * L)
    d = 1 / (L * C) - a * a
    w = np.sqrt(abs(d))
    if abs(d) < 1e-12 * a * a:
        c, s = np.ones_like(t), t
    elif d > 0:
        c, s = np.cos(w * t), np.sin(w * t) / w
    else:
        c, s = np.cosh(w * t), np.sinh(w * t) / w
    decay = np.exp(-a * t)
    return {"t": t, "i": V / L * decay * s, "q": C * V * (1 - decay * (c + a * s))}


@pytest.mark.parametrize("size", [1, 3])
def test_series_circuit(size: int) -> None:
    t = np.linspace(0.0, 3.0, 301)
    run = mb.simulate(rlc(size=size), 3.0, rtol=1e-11)
    for k in range(size):
        data = series_circuit(t, VOLTAGES[k], RESISTANCES[k], INDUCTANCES[k], CAPACITANCES[k])
        pick = "" if size == 1 else f"[{k}]"
        compare(run, data, [Check("i", f"coil.f{pick}", 1e-9), Check("q", f"capacitor.q{pick}", 1e-9)])


def test_three_circuits_are_three_single_ones() -> None:
    t = np.linspace(0.0, 3.0, 61)
    together = mb.simulate(rlc(size=3), 3.0, rtol=1e-11)["coil.f"](t)
    for k in range(3):
        one = rlc(
            voltage=VOLTAGES[k], resistance=RESISTANCES[k], inductance=INDUCTANCES[k], capacitance=CAPACITANCES[k]
        )
        alone = mb.simulate(one, 3.0, rtol=1e-11)["coil.f"](t)
        np.testing.assert_allclose(together[:, k], alone, atol=1e-9)


@pytest.mark.parametrize("voltage", [3.0, 12.0])
@pytest.mark.parametrize("solver", ["auto", "dopri5", "rodas5p"])
def test_motor_and_pendulum(voltage: float, solver: str) -> None:
    """A07a; origin: three states, DOP853 against Radau and energy states.

    The coil's current decays at 200/s while the pendulum swings: "auto" takes the stiff method. (DOP853 would step
    along the border of its stability at 3 V, where its error estimate says too little.)
    """
    data = table("A07a_dcmotor_pendulum", f"reference_V{voltage:.0f}")
    run = mb.simulate(motor_pendulum(voltage=voltage), 5.0, rtol=1e-11, solver=solver)
    paths = {"theta": "hinge.angle", "omega": "hinge.speed", "i": "motor.current"}
    compare(run, data, [Check(c, p, 1e-8, max(1.0, largest(data, c))) for c, p in paths.items()])


def test_default_settings_suffice_for_a_motor() -> None:
    data = table("A07a_dcmotor_pendulum", "reference_V3")
    run = mb.simulate(motor_pendulum(), 5.0)
    assert run.trajectory.method == "rodas5p"
    assert "stiff" in run.reason
    paths = {"theta": "hinge.angle", "omega": "hinge.speed", "i": "motor.current"}
    compare(run, data, [Check(c, p, 1e-8, max(1.0, largest(data, c))) for c, p in paths.items()])
