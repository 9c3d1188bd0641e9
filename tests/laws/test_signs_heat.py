"""Signs of heat and chemistry: which way entropy and matter flow, by hand."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import multibond as mb
from multibond import blocks
from multibond import chemical as ch
from multibond import thermal as th
from multibond import translational as tr
from multibond.elements import HeatFlow, HeatStore, MassAction, Solute
from multibond.elements.heat import STEFAN_BOLTZMANN
from multibond.elements.law import LawWriter
from multibond.elements.reaction import GAS_CONSTANT
from multibond.errors import ParameterError
from multibond.expr import SX

from .expect import expect

RT = GAS_CONSTANT * 298.15


@pytest.mark.parametrize("ends", [(400.0, 300.0), (300.0, 400.0)])
@pytest.mark.parametrize("kind", ["conductor", "radiation"])
def test_heat_flows_from_hot_to_cold(kind: str, ends: tuple[float, float]) -> None:
    """2 W/K over ± 100 K, or 0.1 m² that glow: entropy P / T on each side, more of it on the cold one."""
    model = mb.Model("path")
    a, b = model.add(th.FixedTemperature("a", ends[0])), model.add(th.FixedTemperature("b", ends[1]))
    path = model.add(th.Conductor("path", 2.0) if kind == "conductor" else th.Radiation("path", 0.1))
    model.connect(a.port, path.port_a)
    model.connect(path.port_b, b.port)
    heat = 2.0 * (ends[0] - ends[1])
    if kind == "radiation":
        heat = STEFAN_BOLTZMANN * 0.1 * (ends[0] ** 4 - ends[1] ** 4)
    run = mb.simulate(model, 0.1)
    into, out = heat / ends[0], heat / ends[1]
    expect(run, 0.05, path__entropy_in=into, path__entropy_out=out, path__entropy_produced=out - into)
    expect(run, 0.05, path__temperature_a=ends[0], path__temperature_b=ends[1], a__temperature=ends[0])
    expect(run, 0.05, a__entropy_flow=into, b__entropy_flow=-out)
    assert out > into


@pytest.mark.parametrize("way", ["number", "formula", "signal"])
def test_a_heater_warms(way: str) -> None:
    """40 W (or 160 t) for half a second into 5 J/K at 300 K: 304 K, entropy 5 ln(304 / 300)."""
    model = mb.Model("heater")
    given = {"number": 40.0, "formula": "160 * t", "signal": None}[way]
    heater, body = model.add(th.HeatSource("heater", given)), model.add(th.HeatCapacity("body", 5.0, 300.0))
    gauge = model.add(th.TemperatureSensor("gauge"))
    model.connect(heater.port, body.port, gauge.port)
    if way == "signal":
        model.signal(model.add(blocks.Function("wave", "160 * t")).y, heater.input)
    run, heat = mb.simulate(model, 1.0, rtol=1e-11), 40.0 if way == "number" else 80.0
    expect(run, 0.5, body__temperature=304.0, gauge__temperature=304.0, heater__temperature=304.0)
    expect(run, 0.5, body__entropy=5 * np.log(304 / 300), body__entropy_flow=heat / 304)
    expect(run, 0.5, heater__entropy_flow=heat / 304)
    assert run.energy().supplied == pytest.approx(40.0 if way == "number" else 80.0)


@pytest.mark.parametrize("way", ["formula", "signal"])
def test_a_bath_that_warms(way: str) -> None:
    """300 + 20 t kelvin."""
    model = mb.Model("bath")
    bath = model.add(th.FixedTemperature("bath", "300 + 20 * t" if way == "formula" else None))
    path, cold = model.add(th.Conductor("path", 2.0)), model.add(th.FixedTemperature("cold", 290.0))
    model.connect(bath.port, path.port_a)
    model.connect(path.port_b, cold.port)
    if way == "signal":
        model.signal(model.add(blocks.Function("wave", "300 + 20 * t")).y, bath.input)
    run = mb.simulate(model, 1.0)
    expect(run, 0.5, bath__temperature=310.0, bath__entropy_flow=40 / 310, cold__entropy_flow=-40 / 290)


def test_two_bodies_even_out_when_joined() -> None:
    """Two stores at one port have one temperature: 100 W into 2 and 3 J/K."""
    model = mb.Model("joined")
    heater, small = model.add(th.HeatSource("heater", 100.0)), model.add(th.HeatCapacity("small", 2.0, 300.0))
    large = model.add(th.HeatCapacity("large", 3.0, 300.0))
    model.connect(heater.port, small.port, large.port)
    run = mb.simulate(model, 1.0, rtol=1e-11)
    expect(run, 0.5, small__temperature=310.0, large__temperature=310.0)
    expect(run, 0.5, small__entropy_flow=40 / 310, large__entropy_flow=60 / 310)
    assert run.energy().residual < 1e-10


@pytest.mark.parametrize("speed", [2.0, -2.0])
def test_losses_leave_as_heat(speed: float) -> None:
    """± 2 m/s against 4 N.s/m into a bath of 320 K: 16 W, whatever the direction."""
    model = mb.Model("loss")
    wall, drive = model.add(tr.Fixed("wall")), model.add(tr.Velocity("drive", speed))
    loss, bath = model.add(tr.Damper("loss", 4.0, heating=True)), model.add(th.FixedTemperature("bath", 320.0))
    model.connect(wall.flange, loss.flange_a)
    model.connect(loss.flange_b, drive.flange)
    model.connect(loss.heat, bath.port)
    run = mb.simulate(model, 0.1)
    expect(run, 0.05, loss__force=4 * speed, loss__velocity=speed, drive__force=4 * speed)
    expect(run, 0.05, bath__entropy_flow=-16 / 320, loss__entropy_flow=16 / 320, loss__damper__heat__e=320.0)


# -- chemistry -------------------------------------------------------------------------------------------------------


def test_a_reaction_consumes_and_makes() -> None:
    """2 A + B ⇌ 3 C: amounts change by -2, -1 and +3 for each mole of the reaction, affinities are sums."""
    model = mb.Model("reaction")
    given = {"A": (0.5, 300.0), "B": (0.2, -200.0), "C": (0.1, 400.0)}
    A, B, C = (model.add(ch.Species(name, n, standard=mu)) for name, (n, mu) in given.items())
    step = model.add(ch.Reaction("step", 0.7, left=(2, 1), right=(3,)))
    gauge = model.add(ch.PotentialSensor("gauge"))
    model.connect(A.port, step.left_1, gauge.port)
    model.connect(B.port, step.left_2)
    model.connect(step.right_1, C.port)
    run = mb.simulate(model, 0.1)
    potential = {name: mu + RT * np.log(n) for name, (n, mu) in given.items()}
    left, right = 2 * potential["A"] + potential["B"], 3 * potential["C"]
    rate = 0.7 * (np.exp(left / RT) - np.exp(right / RT))
    expect(run, 0.0, step__rate=rate, step__affinity_left=left, step__affinity_right=right)
    expect(run, 0.0, A__inflow=-2 * rate, B__inflow=-rate, C__inflow=3 * rate, A__amount=0.5, C__amount=0.1)
    expect(run, 0.0, A__potential=potential["A"], B__potential=potential["B"], C__potential=potential["C"])
    expect(run, 0.0, gauge__potential=potential["A"], step__right_times_1__b__f=3 * rate)
    assert run["A.amount"](0.1) < 0.5
    assert run["C.amount"](0.1) > 0.1


@pytest.mark.parametrize("standard", [0.0, 900.0])
def test_a_membrane_leads_to_the_thinner_side(standard: float) -> None:
    """2 and 0.5 mol/l: 1500 mol/m³ of difference times the permeability."""
    model = mb.Model("rooms")
    left, right = ch.Species("left", 2.0, 1e-3, standard, 310.0), ch.Species("right", 1.0, 2e-3, standard, 310.0)
    left, right = model.add(left), model.add(right)
    wall = model.add(ch.Membrane("wall", 1e-6, standard, 310.0))
    model.connect(left.port, wall.port_a)
    model.connect(wall.port_b, right.port)
    run = mb.simulate(model, 0.1)
    expect(run, 0.0, wall__flow=1.5e-3, left__inflow=-1.5e-3, right__inflow=1.5e-3, wall__action__b__f=1.5e-3)


@pytest.mark.parametrize("way", ["number", "formula", "signal"])
@pytest.mark.parametrize("kind", ["flow", "potential"])
def test_sources_of_matter(kind: str, way: str) -> None:
    """0.2 mol/s (or 0.4 t) feed a species; a stock at 100 J/mol (or 200 t) feeds a reaction."""
    model = mb.Model("feed")
    value = 0.2 if kind == "flow" else 100.0
    given = {"number": value, "formula": f"{2 * value} * t", "signal": None}[way]
    A = model.add(ch.Species("A", 0.5))
    if kind == "flow":
        source = model.add(ch.Inflow("source", given))
        model.connect(source.port, A.port)
    else:
        source, step = model.add(ch.FixedPotential("source", given)), model.add(ch.Reaction("step", 1e-3))
        model.connect(source.port, step.left_1)
        model.connect(step.right_1, A.port)
    if way == "signal":
        model.signal(model.add(blocks.Function("wave", f"{2 * value} * t")).y, source.input)
    run = mb.simulate(model, 1.0, rtol=1e-11)
    n = run["A.amount"](0.5)
    if kind == "flow":
        expect(run, 0.5, A__amount=0.5 + (0.1 if way == "number" else 0.05), source__flow=0.2, A__inflow=0.2)
        expect(run, 0.5, source__potential=RT * np.log(n))
    else:
        rate = 1e-3 * (np.exp(100.0 / RT) - n)
        expect(run, 0.5, source__potential=100.0, source__flow=rate, A__inflow=rate)


def test_nothing_has_no_potential() -> None:
    with pytest.raises(ParameterError, match="starts with an amount of 0 mol"):
        ch.Species("A", 0.0)
    with pytest.raises(ParameterError, match="starts with an amount of -1 mol"):
        Solute("A", start=-1.0)
    with pytest.raises(ParameterError, match="a side without species"):
        ch.Reaction("step", 1.0, left=())


# -- the laws themselves ---------------------------------------------------------------------------------------------


def numbers(item: Any, takes_flow: bool = True, **given: Any) -> LawWriter:
    """A law at numbers, for ports with the names of the values' beginnings (e_a, f_b; port where there is none)."""
    ports = {name[2:] or "port" for name in given if name[0] in "ef"} or {"port"}
    efforts, flows = (
        {p: SX(given.get(letter if p == "port" else f"{letter}_{p}", 0.0)) for p in ports} for letter in "ef"
    )
    at = LawWriter(efforts, flows, {}, {"q": SX(given.get("q", 0.0))}, dict.fromkeys(ports, takes_flow))
    item.law(at)
    return at


@pytest.mark.parametrize(
    ("item", "q"), [(HeatStore("it", 5.0, 300.0), 0.7), (Solute("it", 2e-3, 400.0, 320.0, 0.3), 0.3)]
)
def test_both_forms_of_a_store_agree(item: HeatStore | Solute, q: float) -> None:
    """The state of an effort of a state; energies agree, and their slope is the effort."""
    effort = -float(numbers(item, q=q).relations[0])
    assert float(numbers(item, False, q=q, e=effort).relations[0]) == pytest.approx(0.0, abs=1e-12)

    def energy(q: float, takes_flow: bool) -> float:
        e = -float(numbers(item, q=q).relations[0])
        value = numbers(item, takes_flow, q=q, e=e).energy
        assert value is not None
        return float(value)

    assert energy(q, True) == pytest.approx(energy(q, False))
    assert (energy(q + 1e-4, True) - energy(q - 1e-4, True)) / 2e-4 == pytest.approx(effort, rel=1e-6)


def test_entropy_and_matter_at_their_ports() -> None:
    """Given heat leaves its source; what goes in at a comes out at b."""
    assert float(numbers(HeatFlow("it", 60.0), e=300.0, f=0.2).relations[0]) == pytest.approx(0.0, abs=1e-15)
    item = MassAction("it", 2.0, 298.15)
    rate = 2.0 * (np.exp(500.0 / RT) - np.exp(-300.0 / RT))
    a, b = numbers(item, e_a=500.0, e_b=-300.0, f_a=rate, f_b=-rate).relations
    assert float(a) == pytest.approx(0.0, abs=1e-12)
    assert float(b) == pytest.approx(0.0, abs=1e-12)
