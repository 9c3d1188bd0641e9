"""What the formulae cannot do is refused with the name of the condition and of the elements."""

from __future__ import annotations

from typing import Any

import pytest

import multibond as mb
from multibond import electrical as el
from multibond import spatial as sp
from multibond.errors import StructureError, UnknownName
from multibond.examples import EXAMPLES, slider_crank


def refused(model: Any) -> StructureError:
    """The error that a model meets."""
    with pytest.raises(StructureError) as caught:
        mb.statespace(model)
    return caught.value


def test_hyperstatic_mechanisms_with_their_sentence() -> None:
    """Three hinges with parallel axes and a slider: 20 rows on 18 momenta, 1 freedom, so 3 repeat others."""
    error = refused(slider_crank())
    assert str(error) == (
        "the mechanism is hyperstatic: the constraint forces of 'B', 'C', 'O', 'guide' are not unique.\n"
        "  Condition: H4 of equation (15) regular; its rank is 17 of 20, so 3 constraints repeat others.\n"
        "  Free a direction of one of these joints, or use compile(), which makes one choice among the forces."
    )
    assert error.paths == ("B", "C", "O", "guide")


def two_masses(*ties: str) -> mb.Model:
    """Two masses, tied as often as names are given."""
    model = mb.Model("tied")
    first, second = model.add(mb.One("first")), model.add(mb.One("second"))
    model.bond(first, mb.I("m1", 2.0))
    model.bond(second, mb.I("m2", 1.0))
    for name in ties:
        tie = model.add(mb.Zero(f"{name}_flow"))
        model.bond(first, tie)
        model.bond(tie, second)
        model.bond(mb.Constraint(name, size=1), tie)
    return model


def test_a_tie_said_twice() -> None:
    assert mb.statespace(two_masses("rod")).case == "15"
    error = refused(two_masses("rod", "bar"))
    assert "hyperstatic" in str(error) and "rank is 1 of 2" in str(error)
    assert error.paths == ("bar", "rod")


def to_damper(*ties: str) -> mb.Model:
    """A mass tied to a massless damper, as often as names are given."""
    model = mb.Model("damped")
    mass, point = model.add(mb.One("mass_speed")), model.add(mb.One("point"))
    model.bond(mass, mb.I("mass", 2.0))
    model.bond(point, mb.R("oil", 0.5))
    for name in ties:
        tie = model.add(mb.Zero(f"{name}_flow"))
        model.bond(mass, tie)
        model.bond(tie, point)
        model.bond(mb.Constraint(name, size=1), tie)
    return model


def test_two_constraints_on_one_resistance() -> None:
    """The resistance answers to their sum; nothing tells how they share it."""
    assert mb.statespace(to_damper("rope")).case == "14"
    error = refused(to_damper("rope", "chain"))
    assert "the constraint forces of 'chain', 'rope' are not unique" in str(error)
    assert "its rank is 0 of 1, so 1 constraints repeat others." in str(error)


def test_a_constraint_flow_through_a_resistance_that_does_not_answer() -> None:
    """A skew gyristor: the constraint's flow follows a source through it, its effort only leads elsewhere."""
    model = mb.Model("skew")
    mass, point = model.add(mb.One("mass_speed", size=1)), model.add(mb.One("point", size=2))
    tie, parts = model.add(mb.Zero("tie", size=1)), model.add(mb.DirectSum("parts", 1, 1))
    model.bond(mass, mb.I("mass", 2.0, size=1))
    model.bond(mass, tie)
    model.bond(mb.Constraint("rope", size=1), tie)
    model.bond(tie, parts.part_1)
    model.bond(mb.Se("push", mb.sin(mb.t), size=1), parts.part_2)
    model.bond(parts.whole, point)
    model.bond(point, mb.Gyristor("turner", [[0.0, 2.0], [-2.0, 0.0]], size=2))
    error = refused(model)
    assert "the flow of the constraint 'rope' depends on 'turner'" in str(error)
    assert "Condition: J_CL = 0 in the rows of equation (15)." in str(error)


@pytest.mark.parametrize(
    ("element", "fact"),
    [
        (mb.R("it", effort=lambda f: f**3), "Its effort is not proportional to its flow. Condition: fields linear."),
        (mb.Diode("it"), "Its law has modes or samples. Condition: fields linear."),
    ],
    ids=["R", "Diode"],
)
def test_resistances_that_are_not_linear(element: mb.R, fact: str) -> None:
    model = mb.Model("bent")
    v = model.add(mb.One("v"))
    model.bond(v, mb.I("mass", 1.0))
    model.bond(v, element)
    error = refused(model)
    assert "'it', " in str(error) and "fits no field" in str(error) and fact in str(error)
    assert error.paths == ("it",)


@pytest.mark.parametrize(
    ("element", "condition"),
    [
        (mb.I("it", flow=lambda p: p + p**3), "fields linear, F constant"),
        (mb.C("it", effort=lambda q: q + q**3), "fields linear, F constant"),
        (mb.IC("it", energy=lambda q, p: 0.5 * p**2 * (1 + q**2)), "fields linear"),
    ],
    ids=["I", "C", "IC"],
)
def test_storages_that_are_not_linear(element: mb.I, condition: str) -> None:
    model = mb.Model("bent")
    v = model.add(mb.One("v"))
    it = model.add(element)
    model.bond(v, it.i if isinstance(element, mb.IC) else it)
    if isinstance(element, mb.IC):
        model.bond(model.add(mb.Sf("still", 0.0)), it.c)
    model.bond(mb.Se("push", 1.0), v)
    error = refused(model)
    assert error.paths == ("it",) and f"Condition: {condition}." in str(error)


def test_all_faults_come_at_once() -> None:
    error = refused(EXAMPLES["four_bar"]())
    assert error.paths == ("coupler.inertia", "crank.inertia", "rocker.inertia")
    assert "so F does not exist. Condition: F exists." in str(error)


def test_storages_that_depend_on_one_another() -> None:
    """A rotor stiff on a gear: its flow follows from the other's, so it cannot be integral as well."""
    model = mb.Model("geared")
    a, b = model.add(mb.One("a")), model.add(mb.One("b"))
    model.bond(a, mb.I("first", 1.0))
    model.bond(a, gear := model.add(mb.TF("gear", 5.0)))
    model.bond(gear, b)
    model.bond(b, mb.I("second", 1.0))
    error = refused(model)
    assert "I 'second' cannot give its flow." in str(error)
    assert "It follows from 'first' already. Condition: every storage in integral causality." in str(error)
    assert "Put a Constraint" in str(error) and error.paths == ("second", "first")


def test_a_mass_without_inertia_of_its_own() -> None:
    error = refused(EXAMPLES["motor_pendulum"]())
    assert "I 'bob.mass[1]' cannot give its flow." in str(error)
    assert "Give the body mass and inertia, so that its joint can be opened" in str(error)


def test_a_motion_that_nothing_moves() -> None:
    """A massless frame between two hinges: no momentum gives its turning."""
    model = mb.Model("fork")
    world, body = model.add(sp.World()), model.add(sp.Body("body", mass=1.0, inertia=(0.1, 0.1, 0.1)))
    first, second = model.add(sp.Revolute("first", axis="x")), model.add(sp.Revolute("second", axis="y"))
    model.connect(world.frame, first.frame_a)
    model.connect(first.frame_b, second.frame_a)
    model.connect(second.frame_b, body.frame)
    error = refused(model)
    assert "no inertia gives the flow that 'first.motion' reads." in str(error)


def driven_tie(*, through_lag: bool) -> mb.Model:
    """A mass tied to a source of flow that a run-time input sets, at once or through a lag."""
    model = mb.Model("driven")
    v, tie, source = model.add(mb.One("v")), model.add(mb.Zero("tie")), model.add(mb.MSf("belt"))
    stick = model.add(mb.blocks.Input("stick", 1.0))
    model.bond(v, mb.I("mass", 2.0))
    model.bond(v, mb.C("spring", 0.1))
    model.bond(source, tie)
    model.bond(tie, v)
    model.bond(mb.Constraint("clutch", size=1), tie)
    if through_lag:
        lag = model.add(mb.blocks.FirstOrder("lag", 0.2))
        model.signal(stick.y, lag.u)
        model.signal(lag.y, source.flow)
    else:
        model.signal(stick.y, source.flow)
    return model


def test_sources_whose_rate_is_not_known() -> None:
    error = refused(driven_tie(through_lag=False))
    assert "the rate of the source 'belt' is not known." in str(error)
    assert "It follows 'stick' and moves a constraint. Condition: dU1/dt known." in str(error)


def test_a_lag_makes_the_rate_known() -> None:
    """Belt speed y with T y' = u - y: the clutch carries m y' + q/C, and the belt's rate comes from the lag."""
    space = mb.statespace(driven_tie(through_lag=True))
    names = dict(zip(space.state_names, range(3), strict=False))
    x = space.x0.copy()
    x[:] = 0.0
    x[names["spring.q"]], y = 0.03, 0.4
    x[names["mass.p"]] = 2.0 * y
    lag = next(k for k, n in enumerate(space.state_names) if n.startswith("lag"))
    x[lag] = y
    rates = space.derivative(x, {"stick": 1.5})
    rate = (1.5 - y) / 0.2
    assert rates[names["mass.p"]] == pytest.approx(2.0 * rate, rel=1e-12)
    assert space.constraint_forces(x, {"stick": 1.5})["clutch"][0] == pytest.approx(2.0 * rate + 0.3, rel=1e-12)


def fed_back(*, massless: bool) -> mb.Model:
    """A force that follows a tacho, on a mass or on a massless point that only a damper holds."""
    model = mb.Model("fed_back")
    v, point, tie = model.add(mb.One("v")), model.add(mb.One("point")), model.add(mb.Zero("tie"))
    sensor, push, gain = model.add(mb.Df("tacho")), model.add(mb.MSe("push")), model.add(mb.blocks.Gain("gain", -3.0))
    model.bond(v, mb.I("mass", 2.0))
    model.bond(v, tie)
    model.bond(tie, point)
    model.bond(mb.C("spring", 0.1), tie)
    model.bond(point, mb.R("oil", 0.5))
    model.bond(point if massless else v, sensor)
    model.bond(push, v)
    model.signal(sensor.value, gain.u)
    model.signal(gain.y, push.effort)
    return model


def test_sources_that_follow_a_flow() -> None:
    """The flow of a mass is a state; that of a point on a damper is not."""
    space = mb.statespace(fed_back(massless=False))
    rates = dict(zip(space.state_names, space.derivative([0.8, 0.0]), strict=True))
    assert space.state_names[0] == "mass.p" and rates["mass.p"] == pytest.approx(-3.0 * 0.8 / 2.0)
    error = refused(fed_back(massless=True))
    assert "a modulus or a source follows what 'tacho' reads." in str(error)
    assert "Condition: moduli and sources known from states and time." in str(error)


def test_a_modulus_that_a_constraint_effort_moves() -> None:
    """A lever set by the displacement of a massless point, whose speed depends on the rope's effort."""
    model = mb.Model("loose_lever")
    first, second, point = model.add(mb.One("first")), model.add(mb.One("second")), model.add(mb.One("point"))
    rod, rope = model.add(mb.Zero("rod")), model.add(mb.Zero("rope"))
    lever, place = model.add(mb.MTF("lever")), model.add(mb.Dq("place", start=1.0))
    model.bond(first, mb.I("m1", 2.0))
    model.bond(first, lever)
    model.bond(lever, rod)
    model.bond(rod, second)
    model.bond(mb.Constraint("rigid", size=1), rod)
    model.bond(second, mb.I("m2", 0.5))
    model.bond(second, rope)
    model.bond(rope, point)
    model.bond(mb.Constraint("pull", size=1), rope)
    model.bond(point, mb.R("oil", 0.7))
    model.bond(point, place)
    model.signal(place.value, lever.modulus)
    error = refused(model)
    assert "the constraint 'rigid' is led through a modulus that follows 'place.q'." in str(error)
    assert "Condition: the rate of J_C known without the constraint effort." in str(error)


def test_unknown_joints_and_sampled_blocks() -> None:
    with pytest.raises(UnknownName, match="'guid'"):
        mb.statespace(slider_crank(joints="isostatic"), keep=["guid"])
    circuit = mb.Model("circuit")
    source, ground = circuit.add(el.VoltageSource("source", 1.0)), circuit.add(el.Ground())
    diode, coil = circuit.add(el.Diode("valve")), circuit.add(el.Inductor("coil", 1.0))
    circuit.connect(source.pin_p, diode.pin_p)
    circuit.connect(diode.pin_n, coil.pin_p)
    circuit.connect(coil.pin_n, source.pin_n, ground.pin)
    assert "modes or samples" in str(refused(circuit))
