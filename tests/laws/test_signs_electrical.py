"""Signs of circuits beyond resistor, coil and capacitor: sources, meters, coupled coils, switches, amplifiers."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pytest

import multibond as mb
from multibond import blocks
from multibond import electrical as el
from multibond.errors import ParameterError
from multibond.solve.solution import Solution

from .expect import expect


def ring(*parts: Any, name: str = "ring") -> mb.Model:
    """Two-pin parts in a ring: the pin_n of each at the pin_p of the next, the last at ground and the first."""
    model = mb.Model(name)
    first, *others = [model.add(part) for part in parts]
    ground = model.add(el.Ground())
    model.connect(first.pin_p, others[0].pin_p)
    for part, following in pairwise(others):
        model.connect(part.pin_n, following.pin_p)
    model.connect(others[-1].pin_n, first.pin_n, ground.pin)
    return model


@pytest.mark.parametrize("way", ["number", "formula", "signal"])
@pytest.mark.parametrize("kind", ["voltage", "current"])
def test_sources(kind: str, way: str) -> None:
    """6 (or 6 t) of volts or amperes on 2 ohm: the current leaves at pin_p."""
    given = {"number": 6.0, "formula": lambda t: 6 * t, "signal": None}[way]
    source = el.VoltageSource("source", given) if kind == "voltage" else el.CurrentSource("source", given)
    model = ring(source, el.Resistor("load", 2.0))
    if way == "signal":
        model.signal(model.add(blocks.Function("wave", "6 * t")).y, "source.input")
    run, value = mb.simulate(model, 1.0), 6.0 if way == "number" else 3.0
    v, i = (value, value / 2) if kind == "voltage" else (2 * value, value)
    expect(run, 0.5, source__voltage=v, source__current=i, load__voltage=v, load__current=i)


def test_a_resistor_with_a_law() -> None:
    """v = 3 i + 2 i³ at 5 V: 1 A."""
    load = el.Resistor("load", voltage=lambda i: 3 * i + 2 * i**3)
    run = mb.simulate(ring(el.VoltageSource("source", 5.0), load), 0.1)
    expect(run, 0.05, load__voltage=5.0, load__current=1.0, source__current=1.0)


def test_meters() -> None:
    """12 V over 4 ohm: 3 A, 36 W, read in the wire and across the load; pins swapped read negative."""
    model = ring(el.VoltageSource("source", 12.0), el.Ammeter("amps"), el.Wattmeter("watts"), el.Resistor("load", 4.0))
    volts, back = model.add(el.Voltmeter("volts")), model.add(el.Voltmeter("back"))
    model.connect(volts.pin_p, back.pin_n, "load.pin_p")
    model.connect(volts.pin_n, back.pin_p, "load.pin_n", "watts.pin_return")
    run = mb.simulate(model, 0.1)
    expect(run, 0.05, amps__current=3.0, volts__voltage=12.0, back__voltage=-12.0)
    expect(run, 0.05, watts__power=36.0, watts__voltage=12.0, watts__current=3.0)


def test_a_meter_gives_its_signal() -> None:
    """A source that follows twice the current that an ammeter reads."""
    model = ring(el.CurrentSource("drive", 1.5), el.Ammeter("amps"), el.Resistor("near", 2.0))
    source, load, double = el.VoltageSource("source"), el.Resistor("load", 4.0), blocks.Gain("double", 2.0)
    source, load, double = model.add(source), model.add(load), model.add(double)
    model.connect(source.pin_p, load.pin_p)
    model.connect(source.pin_n, load.pin_n, "ground.pin")
    model.signal("amps.current", double.u)
    model.signal(double.y, source.input)
    expect(mb.simulate(model, 0.1), 0.05, source__voltage=3.0, load__current=0.75)


def test_an_ideal_transformer() -> None:
    """Ratio 4 from 12 V to 3 V: 1.5 A through 2 ohm take 0.375 A on the first side; plus stays plus."""
    model = mb.Model("transformer")
    source, core = model.add(el.VoltageSource("source", 12.0)), model.add(el.Transformer("core", 4.0))
    load, near, far = el.Resistor("load", 2.0), el.Ground("near"), el.Ground("far")
    load, near, far = model.add(load), model.add(near), model.add(far)
    model.connect(source.pin_p, core.pin_p1)
    model.connect(source.pin_n, core.pin_n1, near.pin)
    model.connect(core.pin_p2, load.pin_p)
    model.connect(core.pin_n2, load.pin_n, far.pin)
    run = mb.simulate(model, 0.1)
    expect(run, 0.05, core__voltage_1=12.0, core__voltage_2=3.0, core__current_1=0.375, core__current_2=1.5)
    expect(run, 0.05, load__voltage=3.0, load__current=1.5, source__current=0.375)


@pytest.mark.parametrize("mutual", [0.3, -0.3])
def test_coupled_coils(mutual: float) -> None:
    """v = L di/dt with L = ((0.5, M), (M, 0.4)): at the start both currents rise by L⁻¹ v."""
    model = mb.Model("coils")
    model.add(el.MutualInductor("core", 0.5, 0.4, mutual))
    sides = [model.add(el.VoltageSource(f"source_{k}", v)) for k, v in ((1, 2.0), (2, 5.0))]
    loads = [model.add(el.Resistor(f"load_{k}", r)) for k, r in ((1, 3.0), (2, 7.0))]
    ground = model.add(el.Ground())
    for k, (source, load) in enumerate(zip(sides, loads, strict=True), start=1):
        model.connect(source.pin_p, load.pin_p)
        model.connect(load.pin_n, f"core.pin_p{k}")
        model.connect(source.pin_n, f"core.pin_n{k}", *([ground.pin] if k == 1 else []))
    model.connect("core.pin_n1", "core.pin_n2")
    L, R, v = np.array([[0.5, mutual], [mutual, 0.4]]), np.diag([3.0, 7.0]), np.array([2.0, 5.0])
    run, t = mb.simulate(model, 1.0, rtol=1e-11), 0.15
    rate, shape = np.linalg.eig(-np.linalg.solve(L, R))
    i = np.linalg.solve(R, v) - shape @ (np.exp(rate * t) * np.linalg.solve(shape, np.linalg.solve(R, v)))
    expect(run, t, core__current_1=i[0], core__current_2=i[1], load_1__current=i[0], load_2__current=i[1])
    expect(run, t, core__voltage_1=2.0 - 3 * i[0], core__voltage_2=5.0 - 7 * i[1])
    np.testing.assert_allclose(run["core.core.f"](t), i, atol=1e-9)


def test_coils_share_no_more_flux_than_they_have() -> None:
    with pytest.raises(ParameterError, match="share more flux"):
        el.MutualInductor("core", 0.5, 0.4, 0.5)


@pytest.mark.parametrize("way", ["number", "formula", "signal"])
def test_potentiometer(way: str) -> None:
    """100 ohm under 10 V, slider at 0.3 with 21 ohm to ground: 30 and 21 ohm beside one another are 12.35."""
    model = mb.Model("slider")
    source, ground, load = el.VoltageSource("source", 10.0), el.Ground(), el.Resistor("load", 21.0)
    position = {"number": 0.3, "formula": "0.3", "signal": None}[way]
    source, ground, load = model.add(source), model.add(ground), model.add(load)
    slider = model.add(el.Potentiometer("slider", 100.0, position))
    model.connect(source.pin_p, slider.pin_p)
    model.connect(source.pin_n, slider.pin_n, load.pin_n, ground.pin)
    model.connect(slider.pin_slider, load.pin_p)
    if way == "signal":
        model.signal(model.add(blocks.Constant("place", 0.3)).y, slider.input)
    both = 30 * 21 / 51
    v = 10 * both / (70 + both)
    run = mb.simulate(model, 0.1)
    expect(run, 0.05, load__voltage=v, slider__voltage_lower=v, slider__voltage_upper=10 - v)
    expect(run, 0.05, slider__current_lower=v / 30, slider__current_upper=(10 - v) / 70, source__current=(10 - v) / 70)


def test_a_variable_resistor() -> None:
    """3 + t ohm under 6 V."""
    model = ring(el.VoltageSource("source", 6.0), el.VariableResistor("load"))
    model.signal(model.add(blocks.Function("level", "3 + t")).y, "load.input")
    expect(mb.simulate(model, 1.0), 0.5, load__current=6 / 3.5, load__voltage=6.0)


# -- diodes and switches ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("volts", [6.0, -6.0])
def test_an_ideal_diode(volts: float) -> None:
    """6 V through 2 ohm forwards, nothing backwards."""
    run = mb.simulate(ring(el.VoltageSource("source", volts), el.Resistor("load", 2.0), el.Diode("diode")), 0.1)
    passes = volts > 0
    expect(run, 0.05, diode__current=3.0 if passes else 0.0, diode__voltage=0.0 if passes else volts)


@pytest.mark.parametrize("volts", [6.0, -6.0])
def test_a_leaking_diode(volts: float) -> None:
    """Threshold 1 V, then 3 ohm; 0.1 S below: both lines meet at 1 V and 0.1 A."""
    diode = el.Diode("diode", 1.0, 3.0, 0.1)
    run = mb.simulate(ring(el.VoltageSource("source", volts), el.Resistor("load", 2.0), diode), 0.1)
    i = (6.0 - 1.0 + 0.3) / 5.0 if volts > 0 else -6.0 / 12.0
    expect(run, 0.05, diode__current=i, diode__voltage=volts - 2 * i)


def test_a_rectified_wave() -> None:
    """Half waves through a diode: 5 sin t over 2 ohm while positive, nothing while negative."""
    source = el.VoltageSource("source", lambda t: 5 * mb.sin(t))
    run = mb.simulate(ring(source, el.Resistor("load", 2.0), el.Diode("diode")), 12.0)
    for t in (1.0, 4.0, 7.5, 11.0):
        expect(run, t, load__current=max(2.5 * np.sin(t), 0.0), diode__voltage=min(5 * np.sin(t), 0.0))


@pytest.mark.parametrize("way", ["formula", "signal"])
@pytest.mark.parametrize("leak", [False, True])
def test_a_switch(way: str, leak: bool) -> None:
    """Closed from 1 s to 2 s: 6 V on 2 ohm, with 1 ohm more closed and 10 ohm more open where it leaks."""
    control = "where(t < 1, 0, where(t < 2, 1, 0))"
    leaks = {"on_resistance": 1.0, "off_conductance": 0.1} if leak else {}
    switch = el.Switch("switch", control if way == "formula" else None, **leaks)
    model = ring(el.VoltageSource("source", 6.0), switch, el.Resistor("load", 2.0))
    if way == "signal":
        model.signal(model.add(blocks.Function("clock", control)).y, "switch.input")
    run = mb.simulate(model, 3.0)
    for t in (0.5, 1.5, 2.5):
        closed = t == 1.5
        i = 6.0 / ((3.0 if closed else 12.0) if leak else 2.0) if closed or leak else 0.0
        expect(run, t, switch__current=i, switch__voltage=6.0 - 2 * i)


# -- amplifiers ------------------------------------------------------------------------------------------------------


def amplifier(amplifier: el.OpAmp, volts: Any, *, inverting: bool = False) -> Solution:
    """Non-inverting with 1 + 3 or inverting with -3, of a source."""
    model = mb.Model("amplifier")
    source, ground, amp = model.add(el.VoltageSource("source", volts)), model.add(el.Ground()), model.add(amplifier)
    near, back = model.add(el.Resistor("near", 1000.0)), model.add(el.Resistor("back", 3000.0))
    burden = model.add(el.Resistor("burden", 500.0))
    model.connect(near.pin_p, back.pin_p, amp.pin_minus)
    model.connect(back.pin_n, amp.pin_out, burden.pin_p)
    if inverting:
        model.connect(source.pin_p, near.pin_n)
        model.connect(source.pin_n, amp.pin_plus, burden.pin_n, ground.pin)
    else:
        model.connect(source.pin_p, amp.pin_plus)
        model.connect(source.pin_n, near.pin_n, burden.pin_n, ground.pin)
    return mb.simulate(model, 1e-3, rtol=1e-10)


@pytest.mark.parametrize("inverting", [False, True])
def test_an_amplifier(inverting: bool) -> None:
    """v = A / (1 + A / 4) with A = 1000; inverting -3 A / (4 + A)."""
    run = amplifier(el.OpAmp("amp", 1000.0), 0.5, inverting=inverting)
    v = -0.5 * 3000.0 / 1004.0 if inverting else 0.5 * 1000.0 / 251.0
    expect(run, 5e-4, amp__voltage=v, amp__difference=v / 1000.0, burden__voltage=v)
    feedback = (v - (0.5 if inverting else 0.0)) / 4000.0
    expect(run, 5e-4, amp__current=v / 500.0 + feedback)


def test_an_amplifier_with_a_bandwidth() -> None:
    """One pole: gain 1000, gain times bandwidth 1 kHz; closed it follows with 2 π (1000 / 4 + 1) a second."""
    run = amplifier(el.OpAmp("amp", 1000.0, bandwidth=1000.0), 0.5)
    rate = 2 * np.pi * 251.0
    for t in (2e-4, 8e-4):
        expect(run, t, amp__voltage=0.5 * 1000.0 / 251.0 * (1 - np.exp(-rate * t)))


@pytest.mark.parametrize("volts", [6.0, -6.0])
def test_an_amplifier_at_its_limits(volts: float) -> None:
    """24 V would be asked for: it gives 15 V, and the difference at its inputs stays."""
    run = amplifier(el.OpAmp("amp", 1000.0, limit=15.0), volts)
    sign = np.sign(volts)
    expect(run, 5e-4, amp__voltage=15.0 * sign, amp__difference=volts - 15.0 * sign / 4)
