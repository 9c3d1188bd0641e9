"""Diodes and switches against closed forms: instants, voltages between them, energy across jumps."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.optimize import brentq

import multibond as mb
from multibond import electrical as el

from .by_scipy import close
from .modes import TOLERANCES, at_times, instants, on_one

# -- diodes and switches ---------------------------------------------------------------------------------------------

V, W, LOAD, CAPACITY = 10.0, 2 * np.pi, 5.0, 0.1


def rectifier(**diode: float) -> mb.Model:
    """An alternating source charges a condenser of 0.1 F through a diode, and 5 ohm empty it."""
    model = mb.Model("rectifier")
    current, voltage = model.add(mb.One("current")), model.add(mb.Zero("voltage"))
    model.bond(mb.Se("mains", V * mb.sin(W * mb.t)), current)
    model.bond(current, mb.Diode("diode", **diode))
    model.bond(current, voltage)
    model.bond(voltage, mb.C("condenser", CAPACITY))
    model.bond(voltage, mb.R("load", LOAD))
    return model


def rectified(times: np.ndarray, threshold: float = 0.0, ripple: float = 1.0) -> tuple[list[float], np.ndarray]:
    """On while the current C u' + u / R into the load is positive; off it decays, until the source is above it again.

    ripple: 1 for one diode, 2 for a bridge, which sees |sin|.
    """
    period, decay = 1.0 / ripple, LOAD * CAPACITY

    def source(t: float) -> float:
        s = np.sin(W * t)
        return V * (abs(s) if ripple > 1 else s) - threshold

    changes: list[float] = [float(np.arcsin(threshold / V) / W)] if threshold else []
    begun, values, k = changes[0] if changes else 0.0, np.zeros(times.size), 0
    while begun < times[-1]:
        off = brentq(
            lambda t: CAPACITY * V * W * np.cos(W * t) + (V * np.sin(W * t) - threshold) / LOAD,
            0.25,
            0.4999,
            xtol=1e-15,
        )
        stop = off + k * period  # type: ignore[operator]
        on = (times >= begun) & (times < stop)
        values[on] = [source(t) for t in times[on]]
        top = source(stop)
        begun = _meets(source, stop, top, decay, (k + 1 + 0.25 * ripple) * period)
        flat = (times >= stop) & (times < begun)
        values[flat] = top * np.exp(-(times[flat] - stop) / decay)
        changes += [stop, begun]
        k += 1
    return [t for t in changes if t < times[-1]], values


def _meets(source: Callable[[float], float], stop: float, top: float, decay: float, latest: float) -> float:
    """When the source is above the decaying voltage again."""
    return brentq(lambda t: source(t) - top * np.exp(-(t - stop) / decay), stop + 0.05, latest, xtol=1e-15)  # type: ignore[return-value]


@TOLERANCES
@pytest.mark.parametrize("threshold", [0.0, 0.7])
def test_half_wave_rectifier(threshold: float, rtol: float, tolerance: float) -> None:
    """Conduction ends where tan ωt = -ωRC and begins where the sine meets the decay."""
    times = np.linspace(0.0, 3.4, 341)
    expected, u = rectified(times, threshold)
    if not threshold:
        assert expected[0] == pytest.approx((np.pi - np.arctan(LOAD * CAPACITY * W)) / W)
    run = mb.simulate(rectifier(threshold=threshold), 3.4, rtol=rtol)
    at_times(run, instants(run, "diode"), expected, "half-wave rectifier")
    close(run["condenser.e"](times), u, tolerance)
    energy = run.energy()
    assert energy.residual < tolerance
    assert abs(energy.jumps) < 10 * tolerance


@TOLERANCES
def test_rectifier_with_a_real_diode(rtol: float, tolerance: float) -> None:
    """0.7 V, 0.2 ohm on and 1 mS off: both straight lines meet, and the current is never broken."""
    on, leak, threshold = 0.2, 1e-3, 0.7

    def rate(t: float, s: np.ndarray) -> list[float]:
        e = V * np.sin(W * t) - s[0]
        flow = leak * e if e < threshold else leak * threshold + (e - threshold) / on
        return [(flow - s[0] / LOAD) / CAPACITY]

    def kink(t: float, s: np.ndarray) -> float:
        return V * np.sin(W * t) - s[0] - threshold

    kink.terminal = True  # type: ignore[attr-defined]
    t, s, expected, values = 0.0, np.zeros(1), [], []
    times = np.linspace(0.0, 2.0, 81)
    while t < 2.0:
        found = solve_ivp(rate, (t, 2.0), s, method="DOP853", rtol=1e-12, atol=1e-14, events=kink, dense_output=True)
        inside = times[(times >= t) & (times < found.t[-1])] if found.t[-1] < 2.0 else times[times >= t]
        values += [float(found.sol(v)[0]) for v in inside]
        t = found.t[-1]
        if t < 2.0:
            expected.append(t)
            t, s = t + 1e-13, found.y[:, -1]
    run = mb.simulate(rectifier(threshold=threshold, on_resistance=on, off_conductance=leak), 2.0, rtol=rtol)
    at_times(run, instants(run, "diode"), expected, "rectifier with a real diode")
    close(run["condenser.e"](times), values, 10 * tolerance)
    assert run.energy().residual < tolerance


def bridge(leak: float) -> mb.Model:
    """Four diodes between a floating source and the earthed load."""
    model = mb.Model("bridge")
    source = model.add(el.VoltageSource("mains", V * mb.sin(W * mb.t)))
    earth, condenser = model.add(el.Ground("earth")), model.add(el.Capacitor("condenser", CAPACITY))
    load = model.add(el.Resistor("load", LOAD))
    up, down, back_up, back_down = (model.add(el.Diode(f"d{k}", off_conductance=leak)) for k in (1, 2, 3, 4))
    model.connect(source.pin_p, up.pin_p, down.pin_n)
    model.connect(source.pin_n, back_up.pin_p, back_down.pin_n)
    model.connect(up.pin_n, back_up.pin_n, condenser.pin_p, load.pin_p)
    model.connect(down.pin_p, back_down.pin_p, condenser.pin_n, load.pin_n, earth.pin)
    return model


@TOLERANCES
def test_bridge_of_ideal_diodes(rtol: float, tolerance: float) -> None:
    """It sees |sin|. While all four block the source floats, and which of them blocks how much is nobody's business."""
    times = np.linspace(0.0, 2.2, 221)
    expected, u = rectified(times, ripple=2)
    run = mb.simulate(bridge(0.0), 2.2, rtol=rtol)
    close(run["condenser.voltage"](times), u, tolerance)
    carried = run["mains.current"](times)
    np.testing.assert_allclose(np.abs(carried), np.where(_conducting(times, expected), _current(times), 0.0), atol=1e-5)
    found = {round(c.time, 6) for c in run.changes}
    assert {round(t, 6) for t in expected} <= found
    assert run.energy().residual < tolerance
    assert abs(run.energy().jumps) < 10 * tolerance


def _conducting(times: np.ndarray, changes: list[float]) -> np.ndarray:
    return np.searchsorted(changes, times) % 2 == 0


def _current(times: np.ndarray) -> np.ndarray:
    """C u' + u / R while the load follows |sin|."""
    sign = np.where(np.sin(W * times) < 0, -1.0, 1.0)
    return sign * (CAPACITY * V * W * np.cos(W * times) + V * np.sin(W * times) / LOAD)


def test_bridge_of_diodes_that_leak() -> None:
    """1 µS off: the same within the leak, and all four share what they block in equal parts."""
    times = np.linspace(0.0, 2.2, 221)
    expected, u = rectified(times, ripple=2)
    run = mb.simulate(bridge(1e-6), 2.2)
    close(run["condenser.voltage"](times), u, 1e-5)
    pairs = [instants(run, f"d{k}.diode") for k in (1, 2, 3, 4)]
    assert pairs[0] == pairs[3] and pairs[1] == pairs[2]
    np.testing.assert_allclose(sorted(pairs[0] + pairs[1]), expected, atol=1e-5)


@TOLERANCES
def test_freewheeling(rtol: float, tolerance: float) -> None:
    """12 V on a coil of 1 H and 2 ohm for a second; then the switch opens and the diode carries the current on."""
    model = mb.Model("chopper")
    supply, node, coil, back = (
        model.add(k) for k in (mb.One("supply"), mb.Zero("node"), mb.One("coil"), mb.One("back"))
    )
    model.bond(mb.Se("battery", 12.0), supply)
    model.bond(supply, mb.Switch("switch", lambda t: mb.where(t < 1, 1, 0)))
    model.bond(supply, node)
    model.bond(back, node)
    model.bond(back, mb.Diode("diode"))
    model.bond(mb.Se("earth", 0.0), back)
    model.bond(node, coil)
    model.bond(coil, mb.I("winding", 1.0))
    model.bond(coil, mb.R("copper", 2.0))
    run = mb.simulate(model, 3.0, rtol=rtol)
    times = np.linspace(0.0, 3.0, 61)
    peak = 6.0 * (1.0 - np.exp(-2.0))
    close(
        run["winding.f"](times),
        np.where(times < 1.0, 6.0 * (1.0 - np.exp(-2.0 * times)), peak * np.exp(-2.0 * (times - 1.0))),
        tolerance,
    )
    assert instants(run, "switch", "open") == [pytest.approx(1.0, abs=tolerance)]
    assert instants(run, "diode", "on") == [pytest.approx(1.0, abs=tolerance)]
    assert run.energy().residual < tolerance
    assert abs(run.energy().jumps) < 10 * tolerance


@pytest.mark.parametrize("on", [0.0, 1e-3])
def test_two_condensers_are_joined(on: float) -> None:
    """6 C on 1 F meet 2 F: the charge is kept, 2 V on both; a third of the 18 J is left, with any resistance."""
    model = mb.Model("joined")
    a, b, wire = model.add(mb.Zero("a")), model.add(mb.Zero("b")), model.add(mb.One("wire"))
    model.bond(mb.C("first", 1.0, start=6.0), a)
    model.bond(b, mb.C("second", 2.0))
    model.bond(a, wire)
    model.bond(wire, b)
    model.bond(wire, mb.Switch("switch", lambda t: mb.where(t < 1, 0, 1), on_resistance=on))
    run = mb.simulate(model, 2.0)
    np.testing.assert_allclose(run["first.e"](np.array([0.5, 1.5])), [6.0, 2.0], rtol=1e-9)
    np.testing.assert_allclose(run["second.q"](np.array([0.5, 1.5])), [0.0, 4.0], rtol=1e-9)
    energy = run.energy()
    assert energy.elastic == pytest.approx(-12.0)
    assert (energy.jumps if on == 0 else energy.dissipated) == pytest.approx(12.0, rel=1e-8)
    assert energy.residual < 1e-9


def test_a_coil_that_is_switched_off_gives_up_its_energy() -> None:
    """An open switch in series with a coil: the current stops at once, and what the coil held is lost in the jump."""
    switch = mb.Switch("switch", lambda t: mb.where(t < 1, 1, 0))
    model = on_one(mb.I("coil", 2.0, start=6.0), mb.R("copper", 1.0), switch)
    run = mb.simulate(model, 2.0)
    left = 3.0 * np.exp(-0.5)
    assert run["coil.f"](0.999999999) == pytest.approx(left)
    assert float(run["coil.f"](1.5)) == 0.0
    assert run.energy().jumps == pytest.approx(left**2)
    assert run.energy().residual < 1e-9


def test_a_switch_without_control_stays_as_it_is() -> None:
    for mode, current in (("closed", 2.0), ("open", 0.0), ("", 0.0)):
        model = on_one(mb.R("load", 3.0), mb.Switch("switch", mode=mode))
        model.bond(mb.Se("battery", 6.0), "v")
        assert float(mb.simulate(model, 1.0)["load.f"](0.5)) == pytest.approx(current)


def test_leaks_of_a_switch() -> None:
    """1 ohm closed, 0.5 S open, in series with 3 ohm on 6 V."""
    for mode, current in (("closed", 1.5), ("open", 1.2)):
        model = on_one(mb.R("load", 3.0), mb.Switch("switch", on_resistance=1.0, off_conductance=0.5, mode=mode))
        model.bond(mb.Se("battery", 6.0), "v")
        assert float(mb.simulate(model, 1.0)["load.f"](0.5)) == pytest.approx(current)


def test_components_of_a_vector_diode_are_independent() -> None:
    sources = ["10*sin(2*pi*t)", "5*sin(3*t)", "2*cos(5*t)"]
    runs = []
    for effort in [f"[{', '.join(sources)}]", *sources]:
        model = mb.Model("rectifier")
        current, voltage = model.add(mb.One("current")), model.add(mb.Zero("voltage"))
        model.bond(mb.Se("mains", effort), current)
        model.bond(current, mb.Diode("diode"))
        model.bond(current, voltage)
        model.bond(voltage, mb.C("condenser", CAPACITY))
        model.bond(voltage, mb.R("load", LOAD))
        runs.append(mb.simulate(model, 3.0, rtol=1e-11))
    times = np.linspace(0.0, 3.0, 61)
    alone = np.column_stack([run["condenser.e"](times) for run in runs[1:]])
    close(runs[0]["condenser.e"](times), alone)
    np.testing.assert_allclose(
        instants(runs[0], "diode"), sorted(t for run in runs[1:] for t in instants(run, "diode")), atol=1e-9
    )
