"""Signs of hydraulics and acoustics: which way flows, pressures, forces and torques count, by hand."""

from __future__ import annotations

from typing import Any

import casadi as ca
import numpy as np
import pytest

import multibond as mb
from multibond import acoustic as ac
from multibond import blocks
from multibond import hydraulic as hy
from multibond import rotational as ro
from multibond import translational as tr
from multibond.elements import Gas, Turbulent
from multibond.elements.law import LawWriter
from multibond.errors import ParameterError
from multibond.expr import SX
from multibond.solve.solution import Solution

from .expect import expect


def line(part: Any, inlet: float = 5e5, outlet: float = 1e5) -> mb.Model:
    """A part between two pressures."""
    model = mb.Model("line")
    high, low = model.add(hy.PressureSource("high", inlet)), model.add(hy.Reservoir("low", outlet))
    part = model.add(part)
    model.connect(high.port, part.port_a)
    model.connect(part.port_b, low.port)
    return model


@pytest.mark.parametrize("ends", [(5e5, 1e5), (1e5, 5e5)])
def test_resistances(ends: tuple[float, float]) -> None:
    """A drop of ± 4e5 Pa: 2e-4 m³/s through 2e9, and by the root law."""
    sign = 1.0 if ends[0] > ends[1] else -1.0
    run = mb.simulate(line(hy.LaminarResistance("part", 2e9), *ends), 0.1)
    expect(run, 0.05, part__flow=sign * 2e-4, part__drop=sign * 4e5, high__flow=sign * 2e-4, low__flow=-sign * 2e-4)
    expect(run, 0.05, high__pressure=ends[0])
    for part in (hy.Orifice("part", 1e-6), hy.Valve("part", 2e-6, opening=0.5)):
        run = mb.simulate(line(part, *ends), 0.1)
        flow = sign * 1e-6 * np.sqrt(4e5)
        expect(run, 0.05, part__flow=flow, part__drop=sign * 4e5, high__flow=flow)


@pytest.mark.parametrize("way", ["number", "formula", "signal"])
def test_a_valve_opens(way: str) -> None:
    """Opening t: half of K √Δp at 0.5 s; shut below zero."""
    given = {"number": 0.5, "formula": "t", "signal": None}[way]
    model = line(hy.Valve("part", area=1e-5, discharge=0.6, density=900.0, opening=given))
    if way == "signal":
        model.signal(model.add(blocks.Time("clock")).y, "part.input")
    expect(mb.simulate(model, 1.0), 0.5, part__flow=0.5 * 0.6 * 1e-5 * np.sqrt(2 * 4e5 / 900.0))
    shut = mb.simulate(line(hy.Valve("part", 1e-6, opening="t - 1")), 0.5)
    expect(shut, 0.3, part__flow=0.0)


@pytest.mark.parametrize("ends", [(5e5, 1e5), (1e5, 5e5)])
def test_a_check_valve(ends: tuple[float, float]) -> None:
    """Opens at 1e5 Pa from a to b, then 1e9 Pa.s/m³ with a throttle of 1e9 behind; backwards it leaks 1e-12."""
    model = line(hy.LaminarResistance("part", 1e9), *ends)
    model.remove("part")
    check = model.add(hy.CheckValve("check", cracking=1e5, resistance=1e9, leak=1e-12))
    throttle = model.add(hy.LaminarResistance("throttle", 1e9))
    model.connect("high.port", check.port_a)
    model.connect(check.port_b, throttle.port_a)
    model.connect(throttle.port_b, "low.port")
    run = mb.simulate(model, 0.1)
    drop = ends[0] - ends[1]
    flow = (drop - 1e5 + 1e9 * 1e-7) / 2e9 if drop > 0 else drop * 1e-12 / 1.001
    expect(run, 0.05, check__flow=flow, check__drop=drop - 1e9 * flow)


@pytest.mark.parametrize("way", ["number", "formula", "signal"])
@pytest.mark.parametrize("kind", ["pressure", "flow"])
def test_sources(kind: str, way: str) -> None:
    """2 (or 4 t) into 3 Pa.s/m³."""
    given = {"number": 2.0, "formula": "4 * t", "signal": None}[way]
    source = hy.PressureSource("source", given) if kind == "pressure" else hy.FlowSource("source", given)
    model = mb.Model("sources")
    source, throttle = model.add(source), model.add(hy.LaminarResistance("throttle", 3.0))
    sump = model.add(hy.Reservoir("sump"))
    model.connect(source.port, throttle.port_a)
    model.connect(throttle.port_b, sump.port)
    if way == "signal":
        model.signal(model.add(blocks.Function("wave", "4 * t")).y, source.input)
    run = mb.simulate(model, 1.0)
    p, q = (2.0, 2 / 3) if kind == "pressure" else (6.0, 2.0)
    expect(run, 0.5, source__pressure=p, source__flow=q, throttle__drop=p, throttle__flow=q, sump__flow=-q)


@pytest.mark.parametrize("kind", ["chamber", "tank", "accumulator"])
def test_stores_fill(kind: str) -> None:
    """2e-4 m³/s for half a second into each."""
    model = mb.Model("fill")
    pump, gauge, meter = hy.FlowSource("pump", 2e-4), hy.PressureSensor("gauge"), hy.FlowSensor("meter")
    pump, gauge, meter = model.add(pump), model.add(gauge), model.add(meter)
    store = {
        "chamber": hy.Chamber("store", 1e-2, 1e9, pressure=3e6),
        "tank": hy.Tank("store", 0.5, 1000.0, volume=0.1),
        "accumulator": hy.Accumulator("store", 2e6, 1e-3, 1.2, fluid=2e-4),
    }[kind]
    store = model.add(store)
    model.connect(pump.port, meter.port_a)
    model.connect(meter.port_b, gauge.port, store.port)
    run = mb.simulate(model, 1.0, rtol=1e-11, atol=1e-18)
    pressure = {
        "chamber": 3e6 + 1e-4 * 1e9 / 1e-2,
        "tank": 1000 * 9.81 * (0.1 + 1e-4) / 0.5,
        "accumulator": 2e6 * (1e-3 / (1e-3 - 3e-4)) ** 1.2,
    }[kind]
    expect(run, 0.5, store__pressure=pressure, store__inflow=2e-4, gauge__pressure=pressure, meter__flow=2e-4)
    volume = {"tank": {"store__volume": 0.1001}, "accumulator": {"store__fluid": 3e-4}}.get(kind, {})
    expect(run, 0.5, **volume)
    assert run.energy().residual < 1e-9


def test_a_pipe_of_two_pieces() -> None:
    """Between 5e5 Pa and a shut end, from 1e5 Pa and 2e-5 m³/s: what each mass and each volume sees at the start."""
    model = mb.Model("pipe")
    supply, end = model.add(hy.PressureSource("supply", 5e5)), model.add(hy.FlowSource("end", 0.0))
    pipe = hy.Pipe("pipe", 3.0, 0.01, 900.0, 0.05, 1e9, segments=2, pressure=1e5, flow_rate=2e-5)
    pipe = model.add(pipe)
    model.connect(supply.port, pipe.port_a)
    model.connect(pipe.port_b, end.port)
    run = mb.simulate(model, 1e-3, rtol=1e-10, atol=1e-20)
    wall = 128 * 0.05 * 1.5 / (np.pi * 0.01**4)
    expect(run, 0.0, pipe__inflow=2e-5, pipe__outflow=2e-5, pipe__outlet_pressure=1e5, supply__flow=2e-5)
    expect(run, 0.0, pipe__mass_1__e=4e5 - wall * 2e-5, pipe__mass_2__e=-wall * 2e-5, pipe__wall_1__e=wall * 2e-5)
    expect(run, 0.0, pipe__wall_2__f=2e-5, pipe__fluid_1__f=0.0, pipe__fluid_2__f=2e-5, pipe__fluid_1__e=1e5)


@pytest.mark.parametrize("count", [0, 1.5])
def test_a_pipe_has_whole_pieces(count: float) -> None:
    with pytest.raises(ParameterError, match="whole number of pieces"):
        hy.Pipe("pipe", 1.0, 0.01, segments=count)


def test_a_pump() -> None:
    """2e-6 m³/rad at 100 rad/s against 3e5 - 1e5 Pa: 2e-4 m³/s, 0.4 N.m."""
    model = mb.Model("pump")
    drive, pump = model.add(ro.Speed("drive", 100.0)), model.add(hy.Pump("pump", 2e-6))
    low, high = model.add(hy.Reservoir("low", 1e5)), model.add(hy.PressureSource("high", 3e5))
    model.connect(drive.flange, pump.flange)
    model.connect(low.port, pump.port_a)
    model.connect(pump.port_b, high.port)
    run = mb.simulate(model, 0.1)
    expect(run, 0.05, pump__flow=2e-4, pump__torque=0.4, pump__speed=100.0, pump__rise=2e5)
    expect(run, 0.05, drive__torque=0.4, low__flow=2e-4, high__flow=-2e-4)


def test_a_double_acting_cylinder() -> None:
    """3e5 Pa on 2e-3 m², 1e5 Pa on 1.5e-3 m²: 450 N push 5 kg out, oil flows in at a and out at b."""
    model = mb.Model("cylinder")
    high, low = model.add(hy.PressureSource("high", 3e5)), model.add(hy.PressureSource("low", 1e5))
    ram, mass = model.add(hy.Cylinder("ram", 2e-3, 1.5e-3)), model.add(tr.Mass("mass", 5.0, 0.2))
    model.connect(high.port, ram.port_a)
    model.connect(low.port, ram.port_b)
    model.connect(ram.flange, mass.flange)
    run, t = mb.simulate(model, 0.1, rtol=1e-10), 0.05
    v = 0.2 + 90 * t
    expect(run, t, mass__velocity=v, mass__force=450.0, ram__velocity=v, ram__push_a=600.0, ram__push_b=150.0)
    expect(run, t, ram__pressure_a=3e5, ram__pressure_b=1e5, ram__inflow_a=2e-3 * v, ram__outflow_b=1.5e-3 * v)
    expect(run, t, high__flow=2e-3 * v, low__flow=-1.5e-3 * v)


def test_the_chambers_of_a_cylinder() -> None:
    """1e-4 m³/s into 1e-3 m³ and 2e-4 m³/s into 5e-4 m³ while the rod moves out at 0.1 m/s."""
    model = mb.Model("chambers")
    one, two = model.add(hy.FlowSource("one", 1e-4)), model.add(hy.FlowSource("two", 2e-4))
    ram = hy.Cylinder("ram", 2e-3, 1.5e-3, volume_a=1e-3, volume_b=5e-4, bulk=1e9, pressure_a=2e6, pressure_b=1e6)
    ram, drive = model.add(ram), model.add(tr.Velocity("drive", 0.1))
    model.connect(one.port, ram.port_a)
    model.connect(two.port, ram.port_b)
    model.connect(ram.flange, drive.flange)
    run, t = mb.simulate(model, 0.1, rtol=1e-10, atol=1e-20), 0.05
    a = 2e6 + (1e-4 - 2e-4) * t * 1e9 / 1e-3
    b = 1e6 + (2e-4 + 1.5e-4) * t * 1e9 / 5e-4
    expect(run, t, ram__pressure_a=a, ram__pressure_b=b, drive__force=1.5e-3 * b - 2e-3 * a)
    expect(run, t, ram__chamber_a__f=-1e-4, ram__chamber_b__f=3.5e-4)


# -- the laws themselves ---------------------------------------------------------------------------------------------


def numbers(item: Any, takes_flow: bool, **given: float) -> LawWriter:
    """A law at numbers."""
    e, f, q = (SX(given.get(name, 0.0)) for name in "efq")
    signals = {"opening": SX(given["opening"])} if "opening" in given else {}
    at = LawWriter({"port": e}, {"port": f}, signals, {"q": q}, {"port": takes_flow})
    item.law(at)
    return at


@pytest.mark.parametrize("laminar", [0.0, 0.7])
@pytest.mark.parametrize("e", [-3.0, -0.2, 0.0, 0.4, 5.0])
def test_both_forms_of_the_root_law_agree(laminar: float, e: float) -> None:
    """The effort of the flow of an effort is that effort."""
    item = Turbulent("it", 2.0, laminar)
    flow = -float(numbers(item, False, e=e).relations[0])
    assert flow == pytest.approx(2.0 * e / (e**2 + laminar**2) ** 0.25 if e else 0.0)
    assert float(numbers(item, True, f=flow, e=e).relations[0]) == pytest.approx(0.0, abs=1e-12)
    half = -float(numbers(item, False, e=e, opening=0.5).relations[0])
    assert half == pytest.approx(flow / 2)


@pytest.mark.parametrize("exponent", [1.0, 1.4])
@pytest.mark.parametrize("q", [-0.5, 0.0, 0.8])
def test_both_forms_of_the_gas_law_agree(exponent: float, q: float) -> None:
    """Displacement of an effort of a displacement; the energy is the work done on the gas, by quadrature."""
    item = Gas("it", 3.0, 2.0, exponent)
    effort = -float(numbers(item, True, q=q).relations[0])
    assert effort == pytest.approx(3.0 * (2.0 / (2.0 - q)) ** exponent)
    at = numbers(item, False, q=q, e=effort)
    assert float(at.relations[0]) == pytest.approx(0.0, abs=1e-12)
    nodes, weights = np.polynomial.legendre.leggauss(30)
    path = q * (nodes + 1) / 2
    work = float(weights @ (3.0 * (2.0 / (2.0 - path)) ** exponent)) * q / 2
    for takes_flow in (True, False):
        energy = numbers(item, takes_flow, q=q, e=effort).energy
        assert energy is not None
        assert float(ca.DM(energy)) == pytest.approx(work, abs=1e-12)


# -- sound -----------------------------------------------------------------------------------------------------------


def sound(part: Any, pressure: Any = 2.0) -> Solution:
    """A part between a sound pressure and the open air."""
    model = mb.Model("sound")
    near, far, part = model.add(ac.Pressure("near", pressure)), model.add(ac.Pressure("far", 0.0)), model.add(part)
    model.connect(near.port, part.port_a)
    model.connect(part.port_b, far.port)
    return mb.simulate(model, 1.0, rtol=1e-10)


def test_tubes_and_screens() -> None:
    """2 Pa over 0.3 m of 0.1 m² of a medium of 2 kg/m³: 1/3 m³/s more each second; over 4 Pa.s/m³: 0.5 m³/s."""
    run = sound(ac.Tube("part", 0.3, 0.1, 2.0, flow_rate=0.1))
    expect(run, 0.6, part__flow=0.1 + 0.2, part__drop=2.0, near__flow=0.3, far__flow=-0.3, near__pressure=2.0)
    run = sound(ac.Resistance("part", 4.0), "4 * t")
    expect(run, 0.5, part__flow=0.5, part__drop=2.0, near__flow=0.5)


@pytest.mark.parametrize("way", ["number", "formula", "signal"])
def test_a_loudspeaker_fills_a_room(way: str) -> None:
    """2 m³/s (or 8 t) for half a second into 3 m³ of 2 kg/m³ with a speed of sound of 5 m/s: 1 / (3 / 50) Pa."""
    model = mb.Model("room")
    given = {"number": 2.0, "formula": "8 * t", "signal": None}[way]
    speaker, room = model.add(ac.Flow("speaker", given)), model.add(ac.Cavity("room", 3.0, 2.0, 5.0, pressure=1.0))
    probe = model.add(ac.Microphone("probe"))
    model.connect(speaker.port, room.port, probe.port)
    if way == "signal":
        model.signal(model.add(blocks.Function("wave", "8 * t")).y, speaker.input)
    run = mb.simulate(model, 1.0, rtol=1e-10)
    p, q = 1.0 + 50.0 / 3.0, 2.0 if way == "number" else 4.0
    expect(run, 0.5, room__pressure=p, room__inflow=q, probe__pressure=p, speaker__pressure=p, speaker__flow=q)


def test_a_piston() -> None:
    """0.1 m² at 3 m/s against 4 Pa.s/m³: 0.3 m³/s, 1.2 Pa, 0.12 N."""
    model = mb.Model("piston")
    drive, cone = model.add(tr.Velocity("drive", 3.0)), model.add(ac.Piston("cone", 0.1))
    felt, air = model.add(ac.Resistance("felt", 4.0)), model.add(ac.Pressure("air", 0.0))
    model.connect(drive.flange, cone.flange)
    model.connect(cone.port, felt.port_a)
    model.connect(felt.port_b, air.port)
    run = mb.simulate(model, 0.1)
    expect(run, 0.05, cone__flow=0.3, cone__force=0.12, cone__velocity=3.0, felt__drop=1.2, drive__force=0.12)
