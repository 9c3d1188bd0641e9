"""Effort and flow of every bond of a run, at every depth: against a closed form, against junctions, against a run of
the scalar graph, and part by part."""

from __future__ import annotations

import numpy as np
import pytest

import multibond as mb
from multibond import electrical as el
from multibond import pipeline
from multibond.examples import EXAMPLES
from multibond.graph.expand import port_roots
from multibond.rewrite.method import Form, unfolded_form
from multibond.view.balance import along
from multibond.view.bond_values import Carried, bond_values, reader
from multibond.view.lane_values import Unfolding, lane_values
from multibond.view.power_subject import Look, subject_of
from multibond.view.trunks import stretches
from multibond.view.word_values import word_values
from multibond.view.words import word_links

from .models import nested, pendulum, slider_crank

END = 0.1
TIMES = np.linspace(0.0, END, 23)


def values_of(run: mb.Run, times: np.ndarray = TIMES) -> dict[str, Carried]:
    return bond_values(run.system.dae.graph, reader(run, times))


# -- networks ----------------------------------------------------------------------------------------------------------


def test_what_runs_along_a_tree_is_what_lies_behind_each_edge() -> None:
    given = {"a": np.array([5.0, 1.0]), "c": np.array([-2.0, 3.0]), "d": np.array([-3.0, -4.0])}
    runs = along([("a", "b"), ("b", "c"), ("d", "b")], given)
    assert np.allclose(runs, [[5.0, 1.0], [2.0, -3.0], [-3.0, -4.0]], atol=1e-12)


def test_around_a_loop_nothing_goes_in_circles() -> None:
    runs = along([("a", "b"), ("b", "c"), ("a", "c")], {"a": np.array([3.0]), "c": np.array([-3.0])})
    assert np.allclose(np.ravel(runs), [1.0, 1.0, 2.0], atol=1e-12)


def test_wires_on_one_line_are_cut_where_they_part() -> None:
    """Three wires from a dot to the right: one turns off at 20, one at 50, one goes on to 90; a fourth goes left."""
    dot = (0.0, 0.0)
    paths = {
        0: (dot, (20.0, 0.0), (20.0, 9.0), (60.0, 9.0)),
        1: (dot, (90.0, 0.0)),
        2: (dot, (50.0, 0.0), (50.0, -9.0), (60.0, -9.0)),
        3: (dot, (-30.0, 0.0)),
    }
    cut = {stretch.wires: stretch.points for stretch in stretches(paths)}
    assert cut == {
        (0, 1, 2): (dot, (20.0, 0.0)),
        (1, 2): ((20.0, 0.0), (50.0, 0.0)),
        (0,): ((20.0, 0.0), (20.0, 9.0), (60.0, 9.0)),
        (1,): ((50.0, 0.0), (90.0, 0.0)),
        (2,): ((50.0, 0.0), (50.0, -9.0), (60.0, -9.0)),
        (3,): (dot, (-30.0, 0.0)),
    }


# -- vector bonds ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["rectifier", "motor_pendulum", "reaction", "disc", "crane_crab", "slider_crank"])
def test_every_junction_passes_on_all_power_and_shares_what_it_must(name: str) -> None:
    run = mb.simulate(EXAMPLES[name](), END, rtol=1e-6)
    graph, values = run.system.dae.graph, values_of(run)
    full = max(np.abs(v.power).max() for v in values.values())
    assert full > 0.1
    for path, item in graph.elements.items():
        bonds = graph.bonds_of(path)
        if item.causality not in ("one", "zero"):
            continue
        net = sum((1 if b.into(path) else -1) * values[b.name].power for b in bonds)
        assert np.abs(net).max() < 1e-9 * full, path
        shared = [values[b.name].flow if item.causality == "one" else values[b.name].effort for b in bonds]
        assert all(np.allclose(s, shared[0], rtol=1e-9, atol=1e-9) for s in shared), path


def test_power_of_elements_is_what_the_run_itself_tells() -> None:
    """`….power` is written by the engine from its own bonds: into storages and losses, out of sources."""
    run = mb.simulate(slider_crank(), END, rtol=1e-6)
    values, graph = values_of(run), run.system.dae.graph
    for path, into in (("crank.inertia", 1), ("piston.mass", 1), ("rod.mass", 1), ("O.drive", -1), ("guide.damper", 1)):
        (bond,) = graph.bonds_of(path)
        sign = 1 if bond.into(path) else -1
        told = run[f"{path}.power"](TIMES)
        assert np.abs(told).max() > 1e-4
        assert np.allclose(sign * into * values[bond.name].power, told, rtol=1e-9, atol=1e-12), path


# -- scalar bonds ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["pendulum", "rate_gyro", "heavy_top", "motor_pendulum", "disc", "electric_circuit"])
def test_scalar_bonds_carry_what_a_run_of_the_scalar_graph_gives(name: str) -> None:
    """The graph unfolded on paper, against the same model compiled and simulated with scalar bonds."""
    run = mb.simulate(EXAMPLES[name](), END, rtol=1e-10)
    system = run.system
    graph = unfolded_form(Form(system.dae.graph, system.dae.graph)).graph
    read = reader(run, TIMES)
    found = lane_values(Unfolding(system.dae, system.parameters, values_of(run), read), graph)
    apart = pipeline.simulate(pipeline.compile(EXAMPLES[name](), depth=3), END, rtol=1e-10)
    expected = bond_values(apart.system.dae.graph, reader(apart, TIMES))  # type: ignore[arg-type]
    assert set(found) == set(expected) and len(found) >= 6
    for bond, carried in expected.items():
        assert np.allclose(found[bond].effort, carried.effort, rtol=1e-6, atol=2e-7), bond
        assert np.allclose(found[bond].flow, carried.flow, rtol=1e-6, atol=2e-7), bond


def test_a_multibond_carries_the_sum_of_its_components() -> None:
    run = mb.simulate(pendulum(), END, rtol=1e-6)
    vector, scalar = (subject_of(run, Look(depth=depth)) for depth in (2, 3))
    powers = {way.name: c.power for way, c in zip(vector.ways, vector.carried(TIMES), strict=True)}
    lanes = {way.name: c.power for way, c in zip(scalar.ways, scalar.carried(TIMES), strict=True)}
    for name, own in (("foot.v->foot.mass", "foot.mass.{}.port"), ("foot.w->foot.inertia", "foot.inertia.{}.port")):
        parts = [p for lane, p in lanes.items() for k in (1, 2, 3) if lane.endswith(own.format(k))]
        assert len(parts) == 3 and np.abs(powers[name]).max() > 1e-6
        assert np.allclose(sum(parts), powers[name], rtol=1e-9, atol=1e-14)


# -- parts -------------------------------------------------------------------------------------------------------------

PARTS = {"motor_pendulum", "rectifier", "hydraulic_cylinder", "reaction", "planar_loop", "controlled_crane"}
MADE = {name: EXAMPLES[name] for name in sorted(PARTS)} | {"slider crank": slider_crank, "nested": nested}


@pytest.mark.parametrize("name", MADE)
def test_a_part_takes_through_its_wires_what_its_bonds_bring_inside(name: str) -> None:
    """Word depth against multibond depth: bonds that cross the border of a part, counted without any wire."""
    model = MADE[name]()
    run = mb.simulate(model, END, rtol=1e-6)
    values, graph = values_of(run), run.system.dae.graph
    links, _ = word_links(model.sheet)
    carried = word_values(model, graph, values)
    full = max(np.abs(v.power).max() for v in values.values())
    roots = set(port_roots(model).values())
    for item in model.components:
        wires = [(link, c.power) for (_, link), c in zip(links, carried, strict=True) if c is not None]
        taken = sum(
            (p if link.head == item.name else -p for link, p in wires if item.name in (link.tail, link.head)), 0
        )
        own = {p for p in graph.elements if p.partition(".")[0] == item.name and p not in roots}
        ends = [(b, b.head.element in own, b.tail.element in own) for b in graph.bonds]
        brought = sum((values[b.name].power * (1 if head else -1) for b, head, tail in ends if head != tail), 0)
        assert np.allclose(taken, brought, rtol=0, atol=1e-9 * full), item.name


def test_elements_bonded_to_parts_and_ports_bonded_to_ports() -> None:
    """A source bonded to the pin of a part, at which a second part hangs; and a bond from one part's pin to another."""
    model = mb.Model("mixed")
    wire, load = model.add(el.Resistor("wire", 2.0)), model.add(el.Resistor("load", 3.0))
    store, ground = model.add(el.Capacitor("store", 0.1)), model.add(el.Ground())
    model.bond(mb.Se("supply", 10.0), wire.pin_p)
    model.connect(wire.pin_n, load.pin_p)
    model.connect(load.pin_n, ground.pin)
    model.bond(wire.pin_n, store.pin_p)
    model.connect(store.pin_n, ground.pin)
    run = mb.simulate(model, 1.0)
    links, _ = word_links(model.sheet)
    carried = word_values(model, run.system.dae.graph, values_of(run, TIMES))
    power = {(link.tail, link.head): c.power for (_, link), c in zip(links, carried, strict=True) if c is not None}
    u = run["store.voltage"](TIMES)
    i = (10.0 - u) / 2.0
    assert np.allclose(power["supply", "wire"], 10.0 * i, rtol=1e-9)
    assert np.allclose(power["wire", "store"], u * (i - u / 3.0), rtol=1e-9, atol=1e-12)
    wired = power["wire", "load"] if ("wire", "load") in power else -power["load", "wire"]
    assert np.allclose(wired, u * u / 3.0, rtol=1e-9, atol=1e-12)


def test_minimal_coordinates_show_the_parts_as_they_were_drawn() -> None:
    plain, least = (mb.simulate(pendulum(), END, method=method, rtol=1e-10) for method in ("auto", "minimal"))
    told = [subject_of(run, Look(depth=1)).carried(TIMES) for run in (plain, least)]
    assert len(told[0]) == len(told[1]) == 3
    for one, other in zip(*told, strict=True):
        assert np.allclose(one.power, other.power, rtol=1e-6, atol=1e-9)
