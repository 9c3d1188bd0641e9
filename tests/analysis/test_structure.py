"""Structural analysis on graphs small enough to be judged by hand, its sentences, and its relation to strokes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from tests.laws.descriptor import singular
from tests.laws.random_graphs import model_of

import multibond as mb
from multibond.analysis.derivative import derivative_causality, staying_integral
from multibond.analysis.signals import signals_of
from multibond.errors import StructureError, UnknownName

from .machines import block, drive, hardening, ladder, tanks
from .plans import random_case


def two_masses(*, outside: bool) -> mb.Model:
    """Two masses and a spring between them; the force acts between the masses, or from outside on the first."""
    m = mb.Model("two_masses")
    a, b, z, c = m.add(mb.One("a")), m.add(mb.One("b")), m.add(mb.Zero("between")), m.add(mb.One("stretch"))
    m.bond(a, mb.I("first", 1.0))
    m.bond(b, mb.I("second", 2.0))
    m.bond(a, z)
    m.bond(z, b)
    m.bond(z, c)
    m.bond(c, mb.C("spring", 0.5))
    m.bond(mb.Se("force", 1.0), a if outside else c)
    return m


def oscillators(inertia: Any) -> mb.Model:
    """Two oscillators in one vector, driven by one force through a row of levers."""
    m = mb.Model("oscillators")
    hand, v, levers = m.add(mb.One("hand")), m.add(mb.One("v", size=2)), m.add(mb.TF("levers", [[1.0, 2.0]]))
    m.bond(mb.Se("force", 1.0), hand)
    m.bond(v, levers.a)
    m.bond(levers.b, hand)
    m.bond(v, mb.I("mass", inertia, size=2))
    m.bond(v, mb.C("spring", 1.0, size=2))
    return m


def test_drive() -> None:
    told = mb.analyse(drive([1.0]), inputs="battery", outputs=["rotor.f", "coil.f", "coil.e"])
    assert (told.order, told.rank, told.reachable, told.visible) == (2, 2, 2, 2)
    assert told.controllable and told.observable
    assert [told.relative_order("battery", o) for o in told.outputs] == [2, 1, 0]
    assert told.stays_integral == ()
    assert told.pair("battery", "rotor.f").path == (
        "battery.e", "coil.e", "coil.p", "coil.f", "motor.a.f", "motor.b.e", "rotor.e", "rotor.p", "rotor.f",
    )  # fmt: skip
    assert str(told).splitlines() == [
        "drive: 2 independent storages, bond-graph rank 2",
        "  controllable from 'battery': yes",
        "  observable from 'rotor.f', 'coil.f' and 'coil.e': yes",
        "  battery to rotor.f: relative order 2",
        "  battery to coil.f: relative order 1",
        "  battery to coil.e: relative order 0",
    ]


def test_ladder_has_one_order_for_each_stage() -> None:
    told = mb.analyse(ladder([1.0]), outputs=["c0.e", "c1.e", "c2.e"])
    assert told.inputs == ("source",)
    assert [p.order for p in told.pairs] == [1, 2, 3]


def test_a_source_of_flow_counts_too() -> None:
    told = mb.analyse(tanks([1.0]), outputs="tank2.e")
    assert told.inputs == ("pump",) and told.relative_order("pump", "tank2.e") == 2


def test_no_causal_path() -> None:
    model = drive([1.0])
    lone = model.add(mb.One("lone"))
    model.bond(lone, mb.I("load", 1.0))
    model.bond(lone, mb.R("wear", 1.0))
    told = mb.analyse(model, inputs="battery", outputs=["rotor.f", "load.f"])
    assert (told.order, told.reachable, told.visible) == (3, 2, 3)
    assert told.reasons == ("not controllable: no causal path from 'battery' to 'load'.",)
    assert told.relative_order("battery", "load.f") is None
    assert "battery to load.f: no effect: no causal path" in str(told)
    blind = mb.analyse(model, inputs="battery", outputs="rotor.f")
    assert blind.reasons[1] == "not observable: no causal path from 'load' to 'rotor.f'."


def test_a_force_between_masses_leaves_their_momentum() -> None:
    """By hand: A has rank 2, since the total momentum is free; the force between the masses does not change it."""
    inner = mb.analyse(two_masses(outside=False), outputs="spring.e")
    assert (inner.order, inner.rank, inner.rank_with_inputs, inner.rank_with_outputs) == (3, 2, 2, 2)
    assert inner.reasons == (
        "not controllable: 'force' does not act on a combination of 'first' and 'second'.",
        "not observable: 'spring.e' does not tell what a combination of 'first' and 'second' holds.",
    )
    outer = mb.analyse(two_masses(outside=True), outputs="first.f")
    assert (outer.order, outer.rank, outer.rank_with_inputs) == (3, 2, 3)
    assert outer.controllable and outer.observable


def test_dualised_source_takes_the_last_storage_along() -> None:
    """Sueur and Dauphin-Tanguy: one storage stays integral, and none once the outer force is dualised."""
    for outside, left in ((False, 1), (True, 0)):
        model = two_masses(outside=outside)
        signals = signals_of(model)
        plain = staying_integral(derivative_causality(signals.graph, signals.tree))
        dual = staying_integral(derivative_causality(signals.graph, signals.tree, ["force"]))
        assert plain is not None and dual is not None
        assert len(plain) == 1
        assert min(len(plain), len(dual)) == left
        told = mb.analyse(model)
        assert told.stays_integral == plain
        assert told.stays_integral_with_inputs is not None and len(told.stays_integral_with_inputs) == left
        assert f"in derivative causality all but {plain[0]!r}" in str(told)


def test_one_number_for_two_components_is_one_parameter() -> None:
    """Two equal oscillators swing in time, whatever their common mass: what one force changes is their sum."""
    equal = mb.analyse(oscillators(1.5), outputs="mass.f")
    assert (equal.order, equal.reachable) == (4, 2)
    assert not equal.controllable and equal.observable
    own = mb.analyse(oscillators([1.5, 1.5]), outputs="mass.f")
    assert own.reachable == 4
    assert equal.reasons[0].startswith("not controllable: 'force' does not act on ")


def test_unfolded_each_component_has_a_parameter_of_its_own() -> None:
    """On scalar bonds the two oscillators are two of everything, so nothing ties their masses; fields stay fields."""
    assert mb.analyse(oscillators(1.5).open(depth=3)).reachable == 4
    vector, scalar = mb.analyse(block([1.0] * 3)), mb.analyse(block([1.0] * 3).open(depth=3))
    assert scalar.inputs == ("force-1", "force-2", "force-3")
    ranks = ("order", "rank", "rank_with_inputs", "reachable")
    assert [getattr(vector, r) for r in ranks] == [getattr(scalar, r) for r in ranks] == [6, 6, 6, 6]


def test_run_time_inputs_are_inputs() -> None:
    m = mb.Model("steered")
    one = m.add(mb.One("current"))
    m.bond(mb.MSe("source"), one)
    m.bond(one, mb.I("coil", 0.2))
    m.add(mb.blocks.Input("joystick"))
    m.signal("joystick.y", "source.effort")
    told = mb.analyse(m, outputs="coil.f")
    assert told.inputs == ("joystick",) and told.relative_order("joystick", "coil.f") == 1
    assert mb.analyse(m, inputs="source", outputs="coil.f").controllable


def test_vector_inputs_have_components() -> None:
    told = mb.analyse(block([1.0, 1.0, 1.0]), inputs="force", outputs="mass.f[1]")
    assert told.inputs == ("force[0]", "force[1]", "force[2]")
    assert [p.order for p in told.pairs] == [1, 1, 1]
    assert told.order == 6


def test_an_input_that_has_to_be_differentiated_has_a_negative_order() -> None:
    """A capacitor at a voltage source: i = C du/dt."""
    m = mb.Model("charge")
    z = m.add(mb.Zero("node"))
    m.bond(mb.Se("source", 1.0), z)
    m.bond(z, mb.C("capacitor", 2.0))
    m.bond(z, mb.R("leak", 3.0))
    told = mb.analyse(m, outputs=["capacitor.f", "leak.f"])
    assert told.order == 0 and [p.order for p in told.pairs] == [-1, 0]
    h = mb.transfer(m, "source", "capacitor.f")
    assert str(h) == "capacitor.f / source = capacitor.compliance*s"


def cancelling() -> mb.Model:
    """Two bonds of opposite direction join a pressure to a mass: what one brings the other takes."""
    m = mb.Model("cancelling")
    z, v = m.add(mb.Zero("pressure")), m.add(mb.One("v"))
    m.bond(mb.Sf("pump", 1.0), z)
    m.bond(z, mb.C("tank", 0.7))
    m.bond(z, v)
    m.bond(v, z)
    m.bond(v, mb.I("mass", 1.3))
    m.bond(v, mb.R("friction", 0.4))
    return m


def test_paths_that_cancel() -> None:
    """The shortest path is no proof: its gain and that of its opposite add up to nothing."""
    told = mb.analyse(cancelling(), outputs="mass.f")
    pair = told.pair("pump", "mass.f")
    assert (pair.order, pair.path_order) == (None, 2)
    assert "pump to mass.f: no effect: its causal paths cancel" in str(told)
    assert (told.order, told.reachable) == (2, 1)
    assert told.reasons[0] == "not controllable: 'pump' does not act on 'mass'."
    assert str(mb.transfer(cancelling(), "pump", "mass.f")) == "mass.f / pump = 0"
    with pytest.raises(StructureError, match="Causal paths lead there, but the equations of the inverse"):
        mb.invert(cancelling(), given={"mass.f": "t"}, unknown="pump")


def test_sensors_are_the_outputs_where_none_is_named() -> None:
    model = drive([1.0])
    model.bond("speed", mb.Df("tacho"))
    told = mb.analyse(model)
    assert told.outputs == ("tacho.value",) and told.relative_order("battery", "tacho.value") == 2
    assert told.to_dict()["observable"] is True


def test_transfer_functions_of_what_is_not_linear_are_refused() -> None:
    with pytest.raises(StructureError, match=r"the graph is not linear.\n  'spring' have no constant gain"):
        mb.transfer(hardening([1.0]), "force", "mass.f")
    with pytest.raises(StructureError, match=r"'rotor\.power' is no linear output"):
        mb.transfer(drive([1.0]), "battery", "rotor.power")


def test_unknown_names() -> None:
    with pytest.raises(UnknownName, match="'rotor' offers f, e, power, p"):
        mb.analyse(drive([1.0]), outputs="rotor.speed")
    with pytest.raises(UnknownName, match="Name a source"):
        mb.analyse(drive([1.0]), inputs="rotor")


# -- laws on random graphs ---------------------------------------------------------------------------------------------


def test_strokes_bound_the_rank_and_paths_tell_the_order() -> None:
    """Two laws. With derivative causality preferred, never fewer storages stay integral than the rank says; exactly so
    many where no coupler with a full matrix works one way only. With all storages in integral causality, the relative
    order is that of the shortest causal path, unless paths cancel."""
    exact = orders = 0
    for seed in range(60):
        print("seed", seed)
        case = random_case(seed)
        if singular(case.plan):
            continue
        model = model_of(case.plan)
        told, signals = mb.analyse(model, case.inputs, case.output_names), signals_of(model)
        stays = staying_integral(derivative_causality(signals.graph, signals.tree))
        one_way = any(spec.kind in ("TF", "GY") and np.ndim(spec.value) == 2 for spec in case.plan.specs)
        if stays is not None:
            assert len(stays) >= told.order - told.rank
            assert one_way or len(stays) == told.order - told.rank
            exact += len(stays) == told.order - told.rank
        if not signals.causality.dependent and not signals.causality.doubled:
            assert all(p.order == p.path_order for p in told.pairs)
            orders += len(told.pairs)
    print("strokes exact", exact, "orders", orders)
    assert exact > 30 and orders > 100
