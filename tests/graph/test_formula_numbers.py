"""Numbers inside formulas are run-time numbers: a change compiles nothing, and the motion is that of the new number."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import multibond as mb
from multibond import electrical as el
from multibond import spatial as sp
from multibond.errors import SimulationError
from multibond.export.record import run_parameters
from multibond.formula.opening import form, literal, opened
from multibond.pipeline import changing

Make = Callable[[], mb.Model]


def circuit() -> mb.Model:
    """A source, a resistance, an inertia and a compliance in a row; all but the inertia by formulas."""
    m = mb.Model("circuit")
    a, i = m.parameter("a", 2.0), m.add(mb.One("i"))
    m.bond(mb.Se("source", "10*sin(3*t) + 2"), i)
    m.bond(i, mb.R("r", effort=lambda f: a * f**3 + 0.5 * f))
    m.bond(i, mb.I("coil", 0.1))
    m.bond(i, mb.C("spring", effort="40*q + 900*q**3"))
    return m


def vectors() -> mb.Model:
    """Three components: a source with a kink in time, a law of vectors with a shared vector, an energy."""
    m = mb.Model("vectors", size=3)
    k, i = m.parameter("k", (3.0, 4.0, 5.0)), m.add(mb.One("i"))
    m.bond(mb.Se("push", effort="[where(t < 0.3, 1.5, 2.5), 2*t, 3]"), i)
    m.bond(i, mb.R("r", effort=lambda f: k * f))
    m.bond(i, mb.I("mass", 2.0))
    m.bond(i, mb.C("field", energy="7*q[0]^2 + 8*q[1]^2 + 9*q[2]^2 + 2.5*q[0]*q[1]"))
    return m


def tank() -> mb.Model:
    """A given displacement, an inertia by a flow, a resistance by a flow with a kink, a table with a factor."""
    m = mb.Model("tank")
    z = m.add(mb.Zero("z"))
    m.bond(mb.Sf("pump", "0.5*table(t, [0, 1, 2], [0, 3, 1])"), z)
    m.bond(z, mb.R("orifice", flow="0.4*sign(e)*sqrt(abs(e))"))
    m.bond(z, mb.I("long", flow="2*p + 4*p**3"))
    m.bond(z, mb.C("store", 0.2))
    return m


def arm(**what: Any) -> Make:
    """A body on a hinge."""

    def make() -> mb.Model:
        m = mb.Model("arm")
        world, hip = m.add(sp.World()), m.add(sp.Revolute("hip", **what))
        body = m.add(sp.Body("body", mass=1.0, inertia=(0.1, 0.2, 0.3), centre=(0.2, -0.3, 0.1)))
        m.connect(world.frame, hip.frame_a)
        m.connect(hip.frame_b, body.frame)
        return m

    return make


def two_arms() -> mb.Model:
    """Two hinges of one class whose torques differ in their numbers alone."""
    m = mb.Model("two")
    world = m.add(sp.World())
    for name, size in (("left", 2), ("right", 3)):
        hip = m.add(sp.Revolute(name, torque=f"{size}*sin(5*t)"))
        body = m.add(sp.Body(f"{name}_body", mass=1.0, inertia=(0.1, 0.2, 0.3), centre=(0.2, -0.3, 0.1)))
        m.connect(world.frame, hip.frame_a)
        m.connect(hip.frame_b, body.frame)
    return m


def walker() -> mb.Model:
    """A model as a part, whose parameter stands in a formula."""
    leg = mb.Model("leg")
    S = leg.parameter("S", 0.5)
    hinge = leg.add(sp.Revolute("hinge", torque=S * mb.sin(4 * mb.t)))
    foot = leg.add(sp.Body("foot", mass=2 * S, inertia=(0.1, 0.1, 0.1), centre=(0, -S, 0)))
    leg.connect(hinge.frame_b, foot.frame)
    leg.expose("top", hinge.frame_a)
    machine = mb.Model("walker")
    B, world, left = machine.parameter("B", 0.4), machine.add(sp.World()), machine.add(leg, name="left")
    machine.connect(world.frame, left.top)
    machine.set("left.S", 2 * B)
    return machine


def charged() -> mb.Model:
    """A condenser by a law that begins at a voltage, and a diode beside it."""
    m = mb.Model("charged")
    ground = m.add(el.Ground("ground"))
    store = m.add(el.Capacitor("store", 1e-2, voltage=3.0))
    load = m.add(el.Resistor("load", voltage="50*f + 20*f^3"))
    gate = m.add(el.Diode("gate"))
    m.connect(store.pin_p, gate.pin_p)
    m.connect(gate.pin_n, load.pin_p)
    m.connect(load.pin_n, store.pin_n, ground.pin)
    return m


CASES: list[tuple[Make, dict[str, Any], tuple[str, ...]]] = [
    (circuit, {"a": 3.0}, ("coil.f", "spring.e", "r.e")),
    (circuit, {"source.effort": "12*sin(4*t) + 1"}, ("coil.f", "spring.e", "r.e")),
    (circuit, {"spring.effort": "40*q + 100*q**3", "a": 1.5}, ("coil.f", "spring.e", "r.e")),
    (circuit, {"source.effort": lambda t: 7 * mb.sin(3 * t) + 0}, ("coil.f",)),
    (vectors, {"push.effort": "[where(t < 0.6, 1.2, 4.5), 3*t, 2]"}, ("mass.f[0]", "mass.f[1]", "mass.f[2]")),
    (vectors, {"k": (1.0, 2.0, 3.0)}, ("mass.f[0]", "mass.f[1]", "mass.f[2]")),
    (vectors, {"field.energy": "5*q[0]^2 + 6*q[1]^2 + 9*q[2]^2 + 1.5*q[0]*q[1]"}, ("mass.f[0]", "mass.f[1]")),
    (tank, {"pump.flow": "0.8*table(t, [0, 1, 2], [0, 3, 1])"}, ("store.e", "long.f")),
    (tank, {"orifice.flow": "0.2*sign(e)*sqrt(abs(e))", "long.flow": "3*p + 1*p**3"}, ("store.e", "long.f")),
    (arm(torque="2*sin(3*t)"), {"hip.torque": "5*sin(2*t)"}, ("hip.angle", "hip.reaction_force[1]")),
    (arm(driven="0.3*sin(3*t) + 0.1"), {"hip.driven": "0.5*sin(2*t) + 0.4"}, ("hip.angle", "hip.reaction_force[1]")),
    (two_arms, {"right.torque": "4*sin(7*t)"}, ("left.angle", "right.angle")),
    (walker, {"B": 0.7}, ("left.hinge.angle",)),
    (charged, {"load.voltage": "80*f + 10*f^3"}, ("store.voltage", "load.current")),
]

WITH_DEPTHS = [(2, *case) for case in CASES] + [(3, *case) for case in CASES if case[0] in (vectors, two_arms)]


@pytest.fixture
def no_compiling(monkeypatch: pytest.MonkeyPatch) -> Callable[[], None]:
    """From its call on, whoever compiles fails."""

    def forbid() -> None:
        def compiled(*_: Any, **__: Any) -> None:
            raise AssertionError("it was compiled again")

        monkeypatch.setattr(changing, "compile", compiled)

    return forbid


def set_all(model: mb.Model, changes: dict[str, Any]) -> mb.Model:
    """The model with other numbers."""
    for path, value in changes.items():
        model.set(path, value)
    return model


def at_depth(name: str, depth: int) -> str:
    """The name of a component of an element's variable: elements of scalar graphs are numbered from 1."""
    path, _, rest = name.rpartition(".f[")
    return f"{path}.{int(rest[:-1]) + 1}.f" if depth == 3 and path else name


@pytest.mark.parametrize("depth, make, changes, watched", WITH_DEPTHS, ids=[str(k) for k in range(len(WITH_DEPTHS))])
def test_a_change_compiles_nothing_and_moves_as_the_new_number_says(
    depth: int, make: Make, changes: dict[str, Any], watched: tuple[str, ...], no_compiling: Callable[[], None]
) -> None:
    fresh = mb.simulate(mb.compile(set_all(make(), changes), depth=depth), 1.0)
    system = mb.compile(make(), depth=depth)
    before = mb.simulate(system, 1.0)
    no_compiling()
    after = mb.simulate(mb.with_parameters(system, changes), 1.0)
    watched = tuple(at_depth(name, depth) for name in watched)
    for name in watched:
        wanted = [fresh[name](t) for t in (0.0, 0.4, 1.0)]
        assert np.allclose([after[name](t) for t in (0.0, 0.4, 1.0)], wanted, rtol=1e-9, atol=1e-12), name
    assert any(abs(before[name](0.05) - fresh[name](0.05)) > 1e-6 for name in watched)


FORMS = [
    {"source.effort": 5.0},
    {"source.effort": "10*sin(3*t) + 2*t"},
    {"spring.effort": "40*q + 900*q**5"},
    {"r.effort": "2*f"},
]


@pytest.mark.parametrize("changes", FORMS, ids=[str(changes) for changes in FORMS])
def test_another_form_is_compiled_and_right(changes: dict[str, Any]) -> None:
    system = mb.with_parameters(mb.compile(circuit()), changes)
    found, wanted = (mb.simulate(each, 1.0)["coil.f"](1.0) for each in (system, set_all(circuit(), changes)))
    assert found == pytest.approx(wanted, rel=1e-9)


def test_changes_one_after_the_other_and_back(no_compiling: Callable[[], None]) -> None:
    system = mb.compile(circuit())
    first = mb.simulate(system, 0.5)["coil.f"](0.5)
    no_compiling()
    there = mb.with_parameters(mb.with_parameters(system, {"a": 4.0}), {"source.effort": "9*sin(3*t) + 2"})
    back = mb.with_parameters(there, {"a": 2.0, "source.effort": "10*sin(3*t) + 2"})
    assert mb.simulate(there, 0.5)["coil.f"](0.5) != pytest.approx(first, rel=1e-3)
    assert mb.simulate(back, 0.5)["coil.f"](0.5) == first


def test_what_a_run_says_has_the_present_numbers() -> None:
    """The source whose formula ends is told as it is now, not as it was compiled."""
    m = mb.Model("ending")
    i = m.add(mb.One("i"))
    m.bond(mb.Se("source", "sqrt(0.5 - t)"), i)
    m.bond(i, mb.R("r", 1.0))
    m.bond(i, mb.I("coil", 1.0))
    system = mb.with_parameters(mb.compile(m), {"source.effort": "sqrt(0.25 - t)"})
    with pytest.raises(SimulationError, match=r"'source' ends at 0\.25 s.*\n.*sqrt\(0\.25 - t\)"):
        mb.simulate(system, 1.0)


def test_a_graph_changes_its_formulas_too(no_compiling: Callable[[], None]) -> None:
    change = {"source.effort": "12*sin(4*t) + 1"}
    wanted = mb.simulate(set_all(circuit(), change), 1.0)["coil.f"](1.0)
    system = mb.compile(circuit().open())
    no_compiling()
    assert mb.simulate(mb.with_parameters(system, change), 1.0)["coil.f"](1.0) == pytest.approx(wanted, rel=1e-9)


def test_systems_with_changed_formulas_are_pickled_and_copied() -> None:
    system = mb.with_parameters(mb.compile(circuit()), {"a": 3.0, "source.effort": "9*sin(3*t) + 2"})
    wanted = mb.simulate(system, 0.5)["coil.f"](0.5)
    for twin in (pickle.loads(pickle.dumps(system)), copy.deepcopy(system)):
        assert mb.simulate(twin, 0.5)["coil.f"](0.5) == wanted
    graph = pickle.loads(pickle.dumps(system.dae.graph))
    assert str(graph.elements["r"].effort) == "2*f**3 + 0.5*f"
    assert mb.simulate(graph, 0.5)["coil.f"](0.5) == pytest.approx(mb.simulate(circuit(), 0.5)["coil.f"](0.5))


def test_equations_and_files_show_the_numbers() -> None:
    text = mb.equations(circuit()).text()
    assert "r.e = 2*r.f**3 + 0.5*r.f" in text
    assert "r.effort" not in text and "source.effort" not in text
    system = mb.compile(circuit())
    assert system.dae.graph.opened == {"source.effort", "r.effort", "spring.effort"}
    assert run_parameters(system) == {"coil.inertia": 0.1, "spring.rest": 0.0}


def test_which_numbers_are_open() -> None:
    law = mb.R("r", effort=lambda f: 2 * f**3 + 0 * f + mb.pi * mb.sin(0.5 * f) + f**1.5 * 4, active=True).effort
    made, symbols, numbers = opened(law, "r.effort")
    assert numbers == [2.0, 0.5, 1.5, 4.0] and symbols.numel() == 4
    assert literal(made) == law and str(made) == str(law)
    assert form(made) == form(opened(literal(made, lambda leaf: leaf.value + 1), "r.effort")[0])
    assert opened(law, "r.effort", zeros=True)[2] == [2.0, 0.0, 0.5, 1.5, 4.0]
    assert opened(made, "r.effort")[2] == []
