"""Potentials that nothing decides: the first node counts as zero, and nothing that can be measured depends on it."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

import multibond as mb
from multibond import hydraulic as hy
from multibond import rotational as ro
from multibond.cli import app
from multibond.graph.file import from_data, to_data
from multibond.rewrite.method import METHODS

from .floating import SERIES, C, R, V, bridge, rectified, secondary, six_pulses, transformers

TIMES = np.linspace(0.0, 1.0, 101)
TWO = {"1": 2.0, "2": 0.5}


def zeros(system: mb.System) -> list[str]:
    return [line.partition(" counts")[0] for line in system.report if "counts as zero" in line]


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("depth", [2, 3])
def test_two_islands_behind_transformers(method: str, depth: int) -> None:
    system = mb.compile(transformers(TWO), method, depth=depth)
    assert zeros(system) == ["coils1.pin_n2", "coils2.pin_n2"]
    run = mb.simulate(system, 1.0, rtol=1e-10)
    for name, ratio in TWO.items():
        np.testing.assert_allclose(run[f"condenser{name}.voltage"](TIMES), secondary(TIMES, ratio), atol=1e-8 * V)
        assert np.abs(run[f"coils{name}.pin_n2.e"](TIMES)).max() == 0.0


def test_a_part_at_depth_one_two_and_three_and_from_a_file(tmp_path: Path) -> None:
    model = transformers({"": 2.0})
    mb.save(model, tmp_path / "it.mbg")
    given = {mb.load(tmp_path / "it.mbg"): ".", model.open(depth=2): "-", model.open(depth=3): "-"}
    for it, separator in given.items():
        run = mb.simulate(it, 1.0, rtol=1e-10)
        found = run[f"condenser{separator}capacitor.e"](TIMES)
        np.testing.assert_allclose(found, secondary(TIMES, 2.0), atol=1e-8 * V)


@pytest.mark.parametrize("pin", ["coils.pin_p2", "coils.pin_n2", "load.pin_p"])
def test_it_does_not_matter_which_node_is_grounded(pin: str) -> None:
    own, found = (mb.simulate(transformers({"": 2.0}, ground), 1.0) for ground in (pin, ""))
    assert not zeros(own.system) and zeros(found.system) == ["coils.pin_n2"]
    for name in ("condenser.voltage", "load.current", "coils.current_1", "series.voltage", "coils.voltage_2"):
        np.testing.assert_allclose(found[name](TIMES), own[name](TIMES), rtol=0, atol=1e-9 * V)


def test_bridge_of_four_wherever_it_is_grounded() -> None:
    expected = rectified(TIMES)
    for ground in ("", "load.pin_p", "mains0.pin_n", "mains0.pin_p"):
        run = mb.simulate(bridge(1, ground), 1.0, rtol=1e-10)
        np.testing.assert_allclose(run["condenser.voltage"](TIMES), expected, atol=1e-7 * V, err_msg=ground)
        assert zeros(run.system) == ([] if ground else ["condenser.pin_n"])


@pytest.mark.slow
@pytest.mark.parametrize("ground", ["mains0.pin_n", "", "load.pin_n"])
def test_six_pulses_through_lines(ground: str) -> None:
    """At the star the load floats whenever all diodes block, at the load the star does; without ground both at once."""
    end = 0.6
    times = np.linspace(0.0, end, 61)[1:]
    expected = six_pulses(end, times)
    run = mb.simulate(bridge(3, ground, lines=True), end, rtol=1e-10)
    np.testing.assert_allclose(run["condenser.voltage"](times), expected[0], atol=1e-9 * V)
    for k in range(3):
        np.testing.assert_allclose(run[f"line{k}.current"](times), expected[1 + k], atol=1e-9 * V)


def test_neither_order_nor_names_matter() -> None:
    """Written in another order, and with names in another order, which lets another node count as zero."""
    plain = mb.simulate(transformers({"": 2.0}), 1.0)
    data = to_data(transformers({"": 2.0}))
    turned = {**data, "components": data["components"][::-1], "connections": data["connections"][::-1]}
    run = mb.simulate(from_data(turned), 1.0)
    assert zeros(run.system) == zeros(plain.system)
    renamed = json.loads(json.dumps(data).replace("coils", "zebra").replace("load", "apple"))
    other = mb.simulate(from_data(renamed), 1.0)
    assert zeros(other.system) == ["apple.pin_n"]
    for found in (run, other):
        np.testing.assert_allclose(found["condenser.voltage"](TIMES), plain["condenser.voltage"](TIMES), atol=1e-12)


def test_a_hydraulic_circuit_without_reservoir() -> None:
    """A pump drives oil round through a leak: pressures count from the first node, their difference is what it is."""
    model = mb.Model("round")
    drive, pump = model.add(ro.Speed("drive", 10.0)), model.add(hy.Pump("pump", 1e-6))
    leak = model.add(hy.LaminarResistance("leak", 1e9))
    model.connect(drive.flange, pump.flange)
    model.connect(pump.port_b, leak.port_a)
    model.connect(leak.port_b, pump.port_a)
    run = mb.simulate(model, 0.1)
    told = [line for line in run.system.report if "counts" in line]
    assert told == ["leak.port_a counts as zero: nothing decides the pressures of 'leak.port_a', 'leak.port_b'"]
    assert abs(run["leak.drop"](0.1)) == pytest.approx(1e4)


def test_a_force_between_two_that_are_held_twice_is_not_a_potential() -> None:
    model = mb.Model("mesh")
    left, right = model.add(mb.One("left")), model.add(mb.One("right"))
    model.bond(left, right)
    model.bond(left, right)
    model.bond(left, mb.I("mass", 1.0))
    with pytest.raises(mb.errors.StructureError, match="parallel bonds"):
        mb.compile(model)


def test_some_components_of_a_multibond_float() -> None:
    """Two of three potentials are known by resistors; the third, of two that only a wire joins, counts as zero."""
    model = mb.Model("nodes")
    first, second = model.add(mb.Zero("first", size=2)), model.add(mb.Zero("second", size=2))
    between, low = model.add(mb.One("between", size=2)), model.add(mb.One("low"))
    parts, whole = model.add(mb.DirectSum("parts", 1, 1)), model.add(mb.DirectSum("ends", 1, 1))
    model.bond(first, between)
    model.bond(between, second)
    model.bond(between, mb.R("loss", (1.0, 1.0), size=2))
    model.bond(second, parts.whole)
    model.bond(first, whole.whole)
    model.bond(mb.Se("push", 3.0), parts.part_1)
    model.bond(parts.part_2, low)
    model.bond(low, mb.R("small", 2.0))
    model.bond(low, whole.part_2)
    model.bond(whole.part_1, mb.R("load", 5.0))
    system = mb.compile(model)
    assert zeros(system) == ["first"]
    assert mb.simulate(system, 0.1)["load.e"](0.1) == pytest.approx(2.5)


def test_forms_of_a_floating_circuit() -> None:
    model, own = transformers({"": 2.0}), transformers({"": 2.0}, "load.pin_p")
    for s in (0.3, 1.0 + 2.0j):
        found, expected = (mb.transfer(it, "mains.source", "condenser.voltage")(s) for it in (model, own))
        assert found == pytest.approx(expected)
        assert found == pytest.approx(2.0 / SERIES / (C * s + 1 / R + 4.0 / SERIES))
    assert mb.statespace(model).independent == 1
    assert "counts as zero" in str(mb.explain(model))
    assert all(mb.draw(model, depth=depth) for depth in (1, 2, 3)) and mb.causality(model).report()


def test_the_command_check_notes_it(tmp_path: Path) -> None:
    mb.save(transformers({"": 2.0}), tmp_path / "it.mbg")
    told = CliRunner().invoke(app, ["check", str(tmp_path / "it.mbg")]).output
    assert "note: coils.pin_n2 counts as zero: nothing decides the voltages of 'coils.pin_n2', 'coils.pin_p2'" in told
