"""Activity against closed forms, and reduction by it: what goes, what cannot, and the error that is told."""

from __future__ import annotations

import numpy as np
import pytest
from tests.compiled import run_of

import multibond as mb
from multibond import electrical as el
from multibond.errors import ModelError
from multibond.examples import EXAMPLES, rate_gyro


def oscillator(damping: float = 0.0, size: int = 1) -> mb.Model:
    """Mass 2 kg at 1 m/s on a spring of 50 N/m: 5 rad/s, 1 J."""
    model = mb.Model("oscillator", size=size)
    v = model.add(mb.One("v"))
    model.bond(v, mb.I("mass", 2.0, start=2.0 if size == 1 else (2.0, -4.0)))
    model.bond(v, mb.C("spring", 0.02))
    if damping:
        model.bond(v, mb.R("damper", damping))
    return model


# -- activity ----------------------------------------------------------------------------------------------------------


def test_an_oscillator_turns_its_energy_over_four_times_a_period() -> None:
    """1 J goes to the spring and back twice a period: 4 J pass through each storage."""
    found = mb.activity(mb.simulate(oscillator(), 2 * np.pi / 5))
    assert found.energy == {
        "mass": pytest.approx(4.0, rel=1e-4),
        "spring": pytest.approx(4.0, rel=1e-4),
    }
    assert found.total == pytest.approx(8.0, rel=1e-4)
    assert found.share["mass"] == pytest.approx(0.5, rel=1e-4)


def test_components_count_each_by_itself() -> None:
    """The second component has four times the energy; together five times that of the first."""
    found = mb.activity(mb.simulate(oscillator(size=2), 2 * np.pi / 5))
    assert found.energy["spring"] == pytest.approx(20.0, rel=1e-4)


def test_a_resistor_s_activity_is_what_it_loses() -> None:
    run = mb.simulate(oscillator(damping=3.0), 4.0)
    assert mb.activity(run).energy["damper"] == pytest.approx(run.energy().dissipated, rel=1e-9)


def test_an_unfolded_graph_has_the_same_activities() -> None:
    """Component by component the same sum, gyroscopic elements left apart: a ring is no sum of its components."""
    whole = mb.activity(mb.simulate(rate_gyro(), 0.3)).energy
    lanes = mb.activity(mb.simulate(rate_gyro().open(depth=3), 0.3)).energy
    for path in ("inertia_gimbal", "inertia_rotor", "spring", "damper"):
        own = [value for name, value in lanes.items() if name == path or name.startswith(f"{path}-")]
        assert sum(own) == pytest.approx(whole[path], rel=1e-3), path


def test_the_ranking_prints_itself() -> None:
    lines = str(mb.activity(mb.simulate(oscillator(damping=0.5), 2.0))).splitlines()
    assert lines[0].split() == ["element", "activity", "share", "sum"]
    assert [line.split()[0] for line in lines[1:]] == ["mass", "spring", "damper"]
    assert lines[-1].endswith("100.000 %")


@pytest.mark.parametrize("name", EXAMPLES)
def test_every_example_is_ranked(name: str) -> None:
    """Shares add up, the largest come first, and neither sources nor junctions are among them."""
    run = run_of(name, 0.05)
    found = mb.activity(run)
    values = list(found.energy.values())
    assert values == sorted(values, reverse=True) and min(values) >= 0.0
    assert sum(found.share.values()) == pytest.approx(1.0)
    kinds = {type(run.system.dae.graph.elements[path]).__name__ for path in found.energy}
    assert not kinds & {"Se", "Sf", "MSe", "MSf", "One", "Zero", "TF", "MTF", "DirectSum", "Df", "De", "Dq"}


# -- reduction ---------------------------------------------------------------------------------------------------------


def train() -> mb.Model:
    """A locomotive pulls a waggon by a stiff coupling; small bearings and a small buffer hardly count."""
    model = mb.Model("train")
    first, second, link = model.add(mb.One("first")), model.add(mb.One("second")), model.add(mb.Zero("link"))
    model.bond(mb.Se("pull", 10.0), first)
    model.bond(first, mb.I("engine", 10.0))
    model.bond(first, mb.R("bearing_1", 1e-3))
    model.bond(first, link)
    model.bond(link, mb.C("coupling", 1e-6))
    model.bond(link, mb.R("slip", 1e5))
    model.bond(link, second)
    model.bond(second, mb.I("waggon", 5.0))
    model.bond(second, mb.R("bearing_2", 1e-3))
    model.bond(second, mb.R("brake", 2.0))
    return model


def test_a_train_loses_what_does_not_matter() -> None:
    """Without bearings and coupling both masses are one on a brake: v = 5 (1 - exp(-2 t / 15)), in closed form."""
    run = mb.simulate(train(), 10.0)
    simple = mb.reduce_by_activity(train(), run, keep=0.999)
    assert {c.name for c in simple.model.components} == {"first", "link", "second", "pull", "engine", "waggon", "brake"}
    assert simple.refused == {}
    assert len(simple.conditions) == 4
    assert "C 'coupling' is left out: its flow is small at 'link'." in simple.conditions
    speed = mb.simulate(simple.model, 10.0)["waggon.f"]
    t = np.linspace(0.0, 10.0, 101)
    assert np.abs(speed(t) - 5.0 * (1.0 - np.exp(-2.0 * t / 15.0))).max() < 1e-8
    error = simple.error(10.0, ["waggon.f"])
    measured = np.abs(run["waggon.f"](np.linspace(0, 10, 1000)) - speed(np.linspace(0, 10, 1000))).max()
    assert error.absolute["waggon.f"] == pytest.approx(measured, rel=1e-6)
    assert 1e-5 < error.worst < 2e-3


def test_more_is_left_out_where_less_is_kept() -> None:
    """The coupling has 4e-6 of the activity, the slip 2e-5, the bearings 3e-4 each, the waggon 15 %."""
    run = mb.simulate(train(), 10.0)
    simple = {keep: mb.reduce_by_activity(train(), run, keep) for keep in (1.0, 0.99999, 0.9999, 0.999)}
    assert [[a.path for a in s.assumptions] for s in simple.values()] == [
        [],
        ["coupling"],
        ["coupling", "slip"],
        ["coupling", "slip", "bearing_2", "bearing_1"],
    ]
    errors = [simple[keep].error(10.0, ["waggon.f"]).worst for keep in (0.9999, 0.999)]
    assert 0.0 < errors[0] < errors[1] < 1e-3


def test_what_cannot_be_left_out_is_told() -> None:
    """A resistor that alone lets a capacitor have a state of its own: without it the source sets the voltage."""
    model = mb.Model("filter")
    i = model.add(mb.One("i"))
    model.bond(mb.Se("battery", 1.0), i)
    model.bond(i, mb.R("wire", 1e-3))
    model.bond(i, mb.C("store", 1.0))
    simple = mb.reduce_by_activity(model, mb.simulate(model, 1.0), keep=0.0)
    assert simple.refused == {"wire": "without 'wire' no state is left.", "store": "without 'store' no state is left."}
    assert simple.assumptions == () and simple.model.sheet == model.sheet
    assert "could not be left out\n  wire: without 'wire' no state is left." in simple.report(1.0, ["store.q"])


def test_a_conflict_keeps_an_element() -> None:
    """A resistor between two batteries of nearly one voltage: hardly active, but without it they contradict."""
    model = mb.Model("batteries")
    loop, node, coil = model.add(mb.One("loop")), model.add(mb.Zero("node")), model.add(mb.One("coil_current"))
    model.bond(mb.Se("first", 12.001), loop)
    model.bond(loop, mb.R("lead", 1.0))
    model.bond(loop, node)
    model.bond(mb.Se("second", 12.0), node)
    model.bond(node, coil)
    model.bond(coil, mb.I("coil", 1.0))
    model.bond(coil, mb.R("winding", 2.0))
    simple = mb.reduce_by_activity(model, mb.simulate(model, 1.0), keep=0.99)
    assert list(simple.refused) == ["lead"] and not simple.assumptions
    assert simple.refused["lead"].startswith(("nothing sets", "the effort of", "'", "the bond"))


def test_elements_inside_parts_are_told_and_reached_by_opening() -> None:
    circuit = mb.Model("circuit")
    source, ground = circuit.add(el.VoltageSource("source", 1.0)), circuit.add(el.Ground())
    wire, load = circuit.add(el.Resistor("wire", 1e-6)), circuit.add(el.Resistor("load", 10.0))
    store = circuit.add(el.Capacitor("store", 0.1))
    circuit.connect(source.pin_p, wire.pin_p)
    circuit.connect(wire.pin_n, load.pin_p)
    circuit.connect(load.pin_n, store.pin_p)
    circuit.connect(store.pin_n, source.pin_n, ground.pin)
    closed = mb.reduce_by_activity(circuit, mb.simulate(circuit, 1.0), keep=0.999)
    assert closed.assumptions == ()
    assert any("cannot be changed by itself" in why for why in closed.refused.values())
    opened = circuit.open()
    simple = mb.reduce_by_activity(opened, mb.simulate(opened, 1.0), keep=0.999)
    assert len(simple.assumptions) == 1 and simple.assumptions[0].path.startswith("wire-")
    assert simple.error(1.0).worst < 1e-6


def test_the_rate_gyro_keeps_its_path() -> None:
    """What is left by activity alone is the paper's dashed path: ring_y, spring, damper and the inertia about x."""
    gyro = rate_gyro(carried=True)
    simple = mb.reduce_by_activity(gyro, mb.simulate(gyro, 1.0), keep=0.999)
    assert {a.path for a in simple.assumptions} == {"ring_x", "ring_z", "inertia_y", "inertia_z"}
    assert simple.error(1.0, ["tilt.q"]).worst < 1e-4


def test_a_share_beyond_one_is_refused() -> None:
    model = train()
    with pytest.raises(ModelError, match=r"keep cannot be 1\.5"):
        mb.reduce_by_activity(model, mb.simulate(model, 1.0), keep=1.5)


def test_a_run_of_another_model_is_refused() -> None:
    run = mb.simulate(oscillator(), 1.0)
    with pytest.raises(ModelError, match=r"the run is not one of 'train'.\n  They differ in 'bearing_1', 'bearing_2'"):
        mb.reduce_by_activity(train(), run)
    more = oscillator(damping=0.5)
    with pytest.raises(ModelError, match=r"They differ in 'damper'"):
        mb.reduce_by_activity(oscillator(), mb.simulate(more, 1.0))
