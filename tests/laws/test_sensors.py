"""Attaching a sensor changes nothing, to the last bit.

The whole run is the same, step by step. De, Df and PowerSensor add no state; Dq and Dp integrate, so they add one,
which has no say in the steps: there all other states are the same.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import numpy as np
import pytest
from tests.rotation import tenth

import multibond as mb
from multibond.errors import CausalityError, StructureError
from multibond.examples import EXAMPLES
from multibond.graph.graph import Bond, End, Graph
from multibond.lower.system import System

from .random_graphs import model_of, random_plan

READERS = {"De": "zero", "Dp": "zero", "Df": "one", "Dq": "one"}
"""At which junction a sensor reads."""
NAMES = ("a_sensor", "zz_sensor")
"""A sensor that comes first in every order by name, and one that comes last."""
LONG = 0.2


def on_junction(graph: Graph, kind: str, junction: str, name: str) -> Graph:
    """The graph with a sensor on a junction, its bond before or after all others."""
    size = graph.bonds_of(junction)[0].size
    bond = Bond(f"{junction}->{name}", End(junction, "any"), End(name, "port"), size)
    bonds = (bond, *graph.bonds) if name < "b" else (*graph.bonds, bond)
    return graph.with_(elements={**graph.elements, name: getattr(mb, kind)(name, size=size)}, bonds=bonds)


def in_bond(graph: Graph, old: Bond, name: str, *, against: bool) -> Graph:
    """The graph with a PowerSensor in a bond, at its place in the list or at the end, along the arrow or against it."""
    inlet, outlet = ("b", "a") if against else ("a", "b")
    first = Bond(f"{old.tail.element}->{name}", old.tail, End(name, inlet), old.size, old.domain)
    second = Bond(f"{name}->{old.head.element}", End(name, outlet), old.head, old.size, old.domain)
    place = graph.bonds.index(old) if name < "b" else len(graph.bonds) - 1
    rest = [b for b in graph.bonds if b is not old]
    bonds = (*rest[:place], first, second, *rest[place:])
    sensor = mb.PowerSensor(name, size=old.size)
    return graph.with_(elements={**graph.elements, name: sensor}, bonds=bonds)


def sensed(graph: Graph, kind: str, rng: np.random.Generator) -> Graph | None:
    """The graph with a sensor somewhere; None where none of this kind can read anything."""
    name = NAMES[int(rng.integers(2))]
    if kind == "PowerSensor":
        bonds = [b for b in graph.bonds if b.size]
        return in_bond(graph, bonds[int(rng.integers(len(bonds)))], name, against=bool(rng.integers(2)))
    junctions = sorted(p for p, e in graph.elements.items() if e.causality == READERS[kind] and graph.bonds_of(p))
    return on_junction(graph, kind, junctions[int(rng.integers(len(junctions)))], name) if junctions else None


def same_run(plain: System, other: System, until: float = LONG) -> None:
    """Every step ends at the same time in the same state, bit by bit, whatever a sensor gathers."""
    assert plain.n == 0 or [n for n in other.state_names if n.partition(".")[0] not in NAMES] == [*plain.state_names]
    a, b = mb.simulate(plain, until), mb.simulate(other, until)
    assert len(a.pieces) == len(b.pieces)
    for one, two in zip(a.pieces, b.pieces, strict=True):
        old = [two.system.state_names.index(name) for name in one.system.state_names]
        assert one.trajectory.method == two.trajectory.method
        assert one.trajectory.statistics == two.trajectory.statistics
        np.testing.assert_array_equal(one.trajectory.t, two.trajectory.t)
        np.testing.assert_array_equal(one.trajectory.x, two.trajectory.x[:, old])


def same_rates(plain: System, other: System, rng: np.random.Generator) -> None:
    """The rates of the old states at random states, bit by bit, whatever the sensor holds."""
    old = [other.state_names.index(name) for name in plain.state_names]
    assert other.n > plain.n
    for _ in range(20):
        x, t = plain.x0 + 0.1 * rng.standard_normal(plain.n), float(rng.uniform(0.0, 2.0))
        whole = rng.standard_normal(other.n)
        whole[old] = x
        np.testing.assert_array_equal(other.derivative(whole, t=t)[old], plain.derivative(x, t=t))


# -- random graphs ---------------------------------------------------------------------------------------------------


@cache
def random_system(seed: int) -> tuple[Graph, System] | None:
    """A random graph and its system; None where it is refused."""
    graph = mb.expand(model_of(random_plan(seed, most=30)))
    try:
        return graph, mb.compile(graph)
    except (CausalityError, StructureError):
        return None


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["De", "Df", "PowerSensor", "Dq", "Dp"])
def test_sensors_on_random_graphs(kind: str) -> None:
    looked = 0
    seeds = tenth(range(60), of=f"random graphs with {kind}")
    for seed in seeds:
        found, rng = random_system(seed), np.random.default_rng(seed)
        graph = sensed(found[0], kind, rng) if found is not None else None
        if found is None or graph is None:
            continue
        print("seed", seed)
        other = mb.compile(graph)
        if kind in ("Dq", "Dp"):
            same_rates(found[1], other, rng)
        if found[1].n:
            same_run(found[1], other)
        looked += 1
    print(looked, "graphs")
    assert looked > len(seeds) / 3


# -- examples --------------------------------------------------------------------------------------------------------


@cache
def example(name: str) -> tuple[Graph, System]:
    """An example's graph and system."""
    graph = mb.expand(EXAMPLES[name]())
    return graph, mb.compile(graph)


def _cases() -> list[tuple[str, str]]:
    return [(name, kind) for name in EXAMPLES for kind in tenth(("De", "Df", "PowerSensor"), of=f"sensors in {name}")]


@pytest.mark.slow
@pytest.mark.parametrize(("name", "kind"), _cases())
def test_sensors_in_examples(name: str, kind: str) -> None:
    graph, plain = example(name)
    rng = np.random.default_rng(len(name))
    for _ in range(2):
        other = sensed(graph, kind, rng)
        if other is not None:
            same_run(plain, mb.compile(other))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "kind"), [(name, kind) for name in EXAMPLES for kind in tenth(("Dq", "Dp"), of=f"integrals in {name}")]
)
def test_integrating_sensors_in_examples(name: str, kind: str) -> None:
    graph, plain = example(name)
    rng = np.random.default_rng(len(name))
    other = sensed(graph, kind, rng)
    if other is not None:
        system = mb.compile(other)
        same_rates(plain, system, rng)
        same_run(plain, system)


# -- stiff machines, modes, kinks and samples ------------------------------------------------------------------------


def loop(*items: mb.Component) -> mb.Model:
    """Elements around a 1-junction `v`."""
    m = mb.Model("loop")
    v = m.add(mb.One("v"))
    for item in items:
        m.bond(v, item)
    return m


def stiff() -> mb.Model:
    """Time constants of a second and of a millisecond: the implicit method."""
    m = loop(mb.I("mass", 1e-3, start=1e-3), mb.R("damper", 1.0), mb.C("spring", 2.0, start=0.3))
    m.bond("v", m.add(mb.Zero("node")))
    m.bond("node", mb.C("volume", 0.5))
    m.bond("node", mb.R("leak", 3.0))
    return m


def rectifier() -> mb.Model:
    """A diode into a capacitor with a load."""
    m = loop(mb.Diode("diode"), mb.R("wire", 0.1))
    m.bond(mb.Se("mains", lambda t: 5 * mb.sin(40 * t)), "v")
    m.bond("v", m.add(mb.Zero("node")))
    m.bond("node", mb.C("filter", 0.05))
    m.bond("node", mb.R("load", 10.0))
    return m


def sticking() -> mb.Model:
    """A mass that friction brings to rest and a spring tears off again."""
    m = loop(mb.I("mass", 1.0, start=1.0), mb.C("spring", 0.01), mb.Friction("brake", 0.5, static=0.8))
    m.bond(mb.Se("push", lambda t: 20 * mb.sin(9 * t)), "v")
    m.bond("v", m.add(mb.Zero("node")))
    m.bond("node", mb.R("leak", 50.0))
    return m


def sampled() -> mb.Model:
    """A mass held by a sampled controller, and a source with steps."""
    m = loop(mb.I("mass", 1.0), mb.R("damper", 0.2), mb.Df("meter"))
    m.bond(mb.MSe("motor"), "v")
    m.bond(mb.Se("push", lambda t: mb.where(mb.sin(30 * t) > 0.3, 1, 0)), "v")
    m.bond("v", m.add(mb.Zero("node")))
    m.bond("node", mb.R("leak", 50.0))
    m.add(mb.blocks.SampleHold("hold", period=0.03))
    m.add(mb.blocks.Gain("gain", -3.0))
    m.signal("meter.value", "hold.u")
    m.signal("hold.y", "gain.u")
    m.signal("gain.y", "motor.effort")
    return m


@pytest.mark.parametrize("kind", ["Dq", "Dp"])
@pytest.mark.parametrize(("machine", "until"), [(stiff, 2.0), (rectifier, 1.0), (sticking, 2.0), (sampled, 1.0)])
def test_whole_runs_of_machines_with_instants(machine: Callable[[], mb.Model], until: float, kind: str) -> None:
    graph, junction = mb.expand(machine()), {"Dq": "v", "Dp": "node"}[kind]
    plain = mb.compile(graph)
    for name in NAMES:
        same_run(plain, mb.compile(on_junction(graph, kind, junction, name)), until)


def test_what_is_read_has_its_say() -> None:
    """A displacement that a spring is made of counts in the error of the steps."""
    m = loop(mb.I("mass", 1.0, start=1.0), mb.Dq("meter"))
    m.bond(mb.MSe("spring"), "v")
    m.add(mb.blocks.Gain("gain", -4.0))
    m.signal("meter.value", "gain.u")
    m.signal("gain.y", "spring.effort")
    system = mb.compile(m)
    assert not system.silent.any()
    t = np.linspace(0.0, 10.0, 21)
    np.testing.assert_allclose(mb.simulate(system, 10.0)["meter.value"](t), 0.5 * np.sin(2 * t), atol=1e-8)


def test_a_sensor_beside_a_machine_at_rest_reads_right() -> None:
    """Nothing else asks for short steps there, so the sensor does: the integral of sin 1000 t."""
    m = loop(mb.I("mass", 1.0))
    m.bond(mb.Sf("shaker", lambda t: mb.sin(1000 * t)), m.add(mb.One("w")))
    m.bond("w", mb.R("damper", 1.0))
    m.bond("w", mb.Dq("meter"))
    system = mb.compile(m)
    assert system.silent.tolist() == [name == "meter.q" for name in system.state_names]
    t = np.linspace(0.0, 1.0, 57)
    np.testing.assert_allclose(mb.simulate(system, 1.0)["meter.value"](t), (1 - np.cos(1000 * t)) / 1000, atol=1e-10)


# -- what they read --------------------------------------------------------------------------------------------------


def test_what_sensors_read() -> None:
    """They show what the graph does: an LC circuit with known effort, flow, charge, flux and power."""
    m = mb.Model("circuit")
    loop = m.add(mb.One("loop"))
    node = m.add(mb.Zero("node"))
    meter = m.add(mb.PowerSensor("meter"))
    m.bond(loop, mb.I("coil", 1.0, start=1.0))
    m.bond(loop, meter)
    m.bond(meter, node)
    m.bond(node, mb.C("capacitor", 1.0))
    for junction, sensor in ((loop, mb.Df("f")), (node, mb.De("e")), (loop, mb.Dq("q")), (node, mb.Dp("p"))):
        m.bond(junction, sensor)
    run, t = mb.simulate(m, 3.0), np.linspace(0.0, 3.0, 7)
    expected = {
        "f.value": np.cos(t),
        "e.value": np.sin(t),
        "q.value": np.sin(t),
        "p.value": 1 - np.cos(t),
        "meter.power": np.sin(t) * np.cos(t),
    }
    for name, value in expected.items():
        np.testing.assert_allclose(run[name](t), value, atol=1e-8)
