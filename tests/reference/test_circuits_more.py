"""MultiBondLib's electric circuit with scalar and with vector bonds, and a rectifier with ideal diodes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy.linalg import expm
from scipy.optimize import brentq

import multibond as mb
from multibond import electrical as el
from multibond.examples import electric_circuit, rectifier

from .table import within

FIELD = np.array([[0.045, -0.025], [-0.025, 0.075]])


def voltages(vector: bool, t: np.ndarray, until: float = 60.0, **how: Any) -> np.ndarray:
    """Left and right voltage."""
    run = mb.simulate(electric_circuit(vector=vector), until, **how)
    return run["capacitor.e"](t) if vector else run.values(["left.e", "right.e"], t)


@pytest.mark.parametrize("vector", [False, True])
def test_circuit(vector: bool) -> None:
    """Both nodes against the matrix exponential; at last 15 V and 0 V."""
    t = np.linspace(0.0, 60.0, 301)
    rate, rest = -np.linalg.solve(FIELD, np.diag([1 / 30, 1 / 75])), np.array([15.0, 0.0])
    exact = np.array([rest - expm(rate * when) @ rest for when in t])
    within(f"{'2-multibond' if vector else 'scalar bonds'}, V", voltages(vector, t, rtol=1e-11), exact, 1e-9)
    np.testing.assert_allclose(exact[-1], rest, atol=2e-3)


def test_both_drawings_give_the_same_voltages() -> None:
    """With the same steps they agree to rounding: three capacitors are one field."""
    t = np.linspace(0.0, 20.0, 101)
    one, other = (voltages(vector, t, 20.0, solver="rk4", step=0.01) for vector in (False, True))
    within("scalar bonds against the 2-multibond, V", one, other, 2e-13)


def test_the_coupling_depends_on_its_neighbours() -> None:
    """The scalar graph has two states for three capacitors, the field two for one."""
    for vector in (False, True):
        assert mb.compile(electric_circuit(vector=vector)).n == 2


# -- rectifier -------------------------------------------------------------------------------------------------------


def _root(function: Callable[[float], float], low: float, high: float) -> float:
    return float(brentq(function, low, high))  # type: ignore[arg-type]


def bridge(peak: float, w: float, load: float, until: float) -> tuple[list[float], np.ndarray]:
    """The bridge by hand: v' = (|V sin wt| - v) / RC - v / load C while charging, v' = -v / load C between.

    Instants at which charging begins or ends, and the voltage at 200 instants, all in closed form.
    """
    wire, C = 1.0, 1e-3
    fast, slow = (1 / wire + 1 / load) / C, 1 / (load * C)

    def charge(t: float, t0: float, v0: float, k: int) -> float:
        """Driven by (-1)^k V sin wt from v0 at t0."""
        V = (-1) ** k * peak / (wire * C)

        def part(t: float) -> float:
            return V * (fast * np.sin(w * t) - w * np.cos(w * t)) / (fast**2 + w**2)

        return part(t) + (v0 - part(t0)) * np.exp(-fast * (t - t0))

    t, v, k, instants, pieces = 0.0, 0.0, 0, [], []
    charging = True
    while t < until:
        half = (k + 1) * np.pi / w
        if charging:
            ends = _root(lambda s, t=t, v=v, k=k: charge(s, t, v, k) - peak * abs(np.sin(w * s)), t + 1e-6, half)
            pieces.append((t, ends, lambda s, t=t, v=v, k=k: charge(s, t, v, k)))
            v = charge(ends, t, v, k)
        else:
            top = half + 0.5 * np.pi / w
            ends = _root(lambda s, t=t, v=v: v * np.exp(-slow * (s - t)) - peak * abs(np.sin(w * s)), half, top)
            pieces.append((t, ends, lambda s, t=t, v=v: v * np.exp(-slow * (s - t))))
            v, k = v * np.exp(-slow * (ends - t)), k + 1
        t, charging = ends, not charging
        instants.append(t)
    times = np.linspace(0.0, until, 200)
    values = [next(law for a, b, law in pieces if a <= s <= b)(s) for s in times]
    return [s for s in instants if s < until], np.array(values)


def test_rectifier() -> None:
    """Voltage, and the instants at which diodes open and shut, against the bridge solved by hand."""
    until = 0.06
    run = mb.simulate(rectifier(), until, rtol=1e-10)
    instants, exact = bridge(20.0, 2 * np.pi * 50.0, 100.0, until)
    np.testing.assert_allclose(run["smoothing.voltage"](np.linspace(0.0, until, 200)), exact, atol=1e-6)
    ends = np.array([piece.trajectory.t[-1] for piece in run.pieces])
    assert len(instants) == 11
    assert max(np.abs(ends - instant).min() for instant in instants) < 1e-10
    assert run.energy().residual < 1e-8


def test_a_diode_conducts_forwards_only() -> None:
    """No current ever flows back, and two diodes carry each half wave."""
    run, t = mb.simulate(rectifier(), 0.06, rtol=1e-10), np.linspace(0.0, 0.06, 2001)
    for name in ("up", "down", "back_up", "back_down"):
        assert run[f"{name}.current"](t).min() > -1e-9
        assert run[f"{name}.voltage"](t).max() < 1e-9
    wave = np.sin(2 * np.pi * 50 * t)
    assert run["up.current"](t)[wave < 0].max() < 1e-9
    assert run["down.current"](t)[wave > 0].max() < 1e-9


# -- charge ----------------------------------------------------------------------------------------------------------


def test_a_capacitor_charged_through_a_diode_keeps_its_peak() -> None:
    """Ideal diode and wire of 1 ohm: each half wave lifts the voltage a little more, and it never falls."""
    model = mb.Model("peak")
    source, wire = model.add(el.VoltageSource("source", "10 * sin(20 * t)")), model.add(el.Resistor("wire", 1.0))
    diode, store = model.add(el.Diode("diode")), model.add(el.Capacitor("store", 1e-2, voltage=0.0))
    ground = model.add(el.Ground())
    model.connect(source.pin_p, wire.pin_p)
    model.connect(wire.pin_n, diode.pin_p)
    model.connect(diode.pin_n, store.pin_p)
    model.connect(store.pin_n, source.pin_n, ground.pin)
    run, t = mb.simulate(model, 2.0, rtol=1e-10), np.linspace(0.0, 2.0, 2001)
    assert run["diode.voltage"](t).max() < 1e-9
    peaks = run["store.voltage"](0.1 + 2 * np.pi / 20 * np.arange(7))
    assert (np.diff(peaks) > 1e-3).all()
    assert np.diff(run["store.voltage"](t)).min() > -1e-9
    assert peaks[-1] < 10.0
