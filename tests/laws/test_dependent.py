"""Storages in derivative causality, of every kind: their rates follow from the others', exactly."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.linalg import expm

import multibond as mb
from multibond import blocks
from multibond.errors import StartError, StructureError

TIMES = np.linspace(0.0, 2.0, 41)


def run(model: mb.Model, until: float = 2.0) -> mb.Run:
    found = mb.simulate(model, until, rtol=1e-11, atol=1e-13)
    assert found.energy().residual < 1e-9
    return found


@pytest.mark.parametrize("ratio", [None, 3.0, -0.5])
def test_inertias_on_one_shaft_or_through_a_transformer(ratio: float | None) -> None:
    """Both move as one: (J1 + n² J2) w' = T - b w."""
    model = mb.Model("shaft")
    w = model.add(mb.One("w"))
    model.bond(mb.Se("torque", 4.0), w)
    model.bond(w, mb.R("bearing", 0.7))
    model.bond(w, mb.I("first", 0.5))
    if ratio is None:
        model.bond(w, mb.I("second", 0.8))
    else:
        v, gear = model.add(mb.One("v")), model.add(mb.TF("gear", ratio))
        model.bond(w, gear)
        model.bond(gear, v)
        model.bond(v, mb.I("second", 0.8))
    n = 1.0 if ratio is None else ratio
    found, J = run(model), 0.5 + n**2 * 0.8
    speed = 4.0 / 0.7 * (1 - np.exp(-0.7 / J * TIMES))
    np.testing.assert_allclose(found["first.f"](TIMES), speed, atol=1e-9)
    np.testing.assert_allclose(found["second.f"](TIMES), n * speed, atol=1e-9)
    np.testing.assert_allclose(found["second.e"](TIMES), 0.8 * n * (4.0 - 0.7 * speed) / J, atol=1e-8)
    assert found.system.n == 1


@pytest.mark.parametrize("ratio", [None, 2.0])
def test_compliances_at_one_node_or_through_a_transformer(ratio: float | None) -> None:
    """They share their effort: e = q1 / C1, discharged through R."""
    model = mb.Model("node")
    node = model.add(mb.Zero("node"))
    model.bond(mb.C("first", 0.5, start=1.0), node)
    model.bond(node, mb.R("leak", 3.0))
    if ratio is None:
        model.bond(node, mb.C("second", 0.2))
    else:
        other, gear = model.add(mb.Zero("other")), model.add(mb.TF("gear", ratio))
        model.bond(node, gear)
        model.bond(gear, other)
        model.bond(other, mb.C("second", 0.2))
    found = run(model)
    C = 0.5 + (0.2 if ratio is None else 0.2 / ratio**2)
    e = found["first.e"](0.0) * np.exp(-TIMES / (3.0 * C))
    np.testing.assert_allclose(found["first.e"](TIMES), e, atol=1e-9)
    assert found.system.n == 1


def test_an_inertia_and_a_compliance_through_a_gyrator() -> None:
    """Behind a gyrator a compliance is an inertia: (I + G² C) f' = -R f."""
    model = mb.Model("motor")
    i, motor = model.add(mb.One("i")), model.add(mb.GY("motor", 0.4))
    model.bond(i, mb.I("coil", 0.3, start=0.6))
    model.bond(i, mb.R("winding", 1.1))
    model.bond(i, motor)
    model.bond(motor, mb.C("disc", 2.0))
    found = run(model)
    f = found["coil.f"](0.0) * np.exp(-1.1 / (0.3 + 0.16 * 2.0) * TIMES)
    np.testing.assert_allclose(found["coil.f"](TIMES), f, atol=1e-9)
    np.testing.assert_allclose(found["disc.e"](TIMES), 0.4 * f, atol=1e-9)


def test_a_source_whose_rate_is_known() -> None:
    """A flow that follows a formula through an inertia: e = I df/dt; an effort on a compliance: f = C de/dt."""
    model = mb.Model("driven")
    v, node = model.add(mb.One("v")), model.add(mb.Zero("node"))
    model.bond(mb.Sf("drive", "sin(3*t) + t**2"), v)
    model.bond(v, mb.I("mass", 2.5))
    model.bond(mb.Se("supply", "exp(-t)"), node)
    model.bond(node, mb.C("plate", 0.4))
    found = mb.simulate(model, 2.0)
    np.testing.assert_allclose(found["mass.e"](TIMES), 2.5 * (3 * np.cos(3 * TIMES) + 2 * TIMES), rtol=1e-12)
    np.testing.assert_allclose(found["plate.f"](TIMES), -0.4 * np.exp(-TIMES), rtol=1e-12)


def driven_by(signal: Any, *, one_way: bool = False) -> mb.Model:
    """A mass that a signal moves; one_way: through a gear that passes flow towards the drive only."""
    model = mb.Model("driven")
    drive, v = model.add(mb.MSf("drive")), model.add(mb.One("v"))
    model.add(signal)
    model.signal(signal.y, drive.flow)
    if one_way:
        meet, gear = model.add(mb.One("meet")), model.add(mb.TF("gear", 1.0, inverse="none"))
        model.bond(drive, meet)
        model.bond(gear, meet)
        model.bond(v, gear)
    else:
        model.bond(drive, v)
    model.bond(v, mb.I("mass", 2.5))
    return model


@pytest.mark.parametrize("one_way", [False, True])
def test_the_rate_of_a_block_is_known(one_way: bool) -> None:
    found = mb.simulate(driven_by(blocks.Sine("wave", 1.0, 1.0), one_way=one_way), 2.0, rtol=1e-11, atol=1e-13)
    turn = 2 * np.pi * TIMES
    np.testing.assert_allclose(found["mass.f"](TIMES), np.sin(turn), atol=1e-9)
    force = found["mass.e"](TIMES)
    np.testing.assert_allclose(np.abs(force), np.abs(5 * np.pi * np.cos(turn)), atol=1e-8)
    np.testing.assert_allclose(found["mass.power"](TIMES), 5 * np.pi * np.cos(turn) * np.sin(turn), atol=1e-7)


@pytest.mark.parametrize("one_way", [False, True])
def test_the_rate_of_an_input_is_not_known(one_way: bool) -> None:
    with pytest.raises(StructureError, match="the rate of the input 'stick' is needed") as told:
        mb.compile(driven_by(blocks.Input("stick"), one_way=one_way))
    assert "mass" in str(told.value)


@pytest.mark.parametrize("one_way", [False, True])
def test_a_relay_makes_a_mass_jump(one_way: bool) -> None:
    """Between the jumps no force is needed; what the jumps take is told apart."""
    model = driven_by(blocks.Relay("relay", -0.5, 0.5), one_way=one_way)
    wave = model.add(blocks.Sine("wave", 1.0, 1.0))
    model.signal(wave.y, "relay.u")
    found = mb.simulate(model, 1.0)
    np.testing.assert_allclose([change.time for change in found.changes], [1 / 12, 7 / 12], atol=1e-9)
    np.testing.assert_allclose(found["mass.f"]([0.05, 0.3, 0.8]), [0.0, 1.0, 0.0], atol=1e-12)
    audit = found.energy()
    assert audit.residual < 1e-12
    assert abs(audit.kinetic) < 1e-12


@pytest.mark.parametrize("one_way", [False, True])
def test_the_rate_of_a_held_signal_counts_as_zero_and_that_is_said(one_way: bool) -> None:
    model = driven_by(blocks.SampleHold("stick", 0.1), one_way=one_way)
    wave = model.add(blocks.Sine("wave", 1.0, 1.0))
    model.signal(wave.y, "stick.u")
    (line,) = [line for line in mb.compile(model).report if "rate of" in line]
    assert line.startswith("mass: ")
    assert "'stick'" in line


def test_vectors_with_some_components_dependent() -> None:
    """Two free components and one that a wall holds; a field couples all three."""
    J = np.array([[2.0, 0.3, -0.1], [0.3, 1.5, 0.2], [-0.1, 0.2, 1.0]])
    model = mb.Model("field")
    w, free, both = (
        model.add(mb.One("w", size=3)),
        model.add(mb.One("free", size=2)),
        model.add(mb.DirectSum("both", 2, 1)),
    )
    model.bond(free, both.part_1)
    model.bond(mb.Sf("wall", 0.0, size=1), both.part_2)
    model.bond(both.whole, w)
    model.bond(w, mb.I("body", J))
    model.bond(free, mb.R("friction", (0.4, 0.9)))
    model.bond(mb.Se("push", (1.0, -2.0)), free)
    found = run(model)
    A = -np.linalg.solve(J[:2, :2], np.diag([0.4, 0.9]))
    rest = np.array([1.0 / 0.4, -2.0 / 0.9])
    wanted = np.array([rest - expm(A * t) @ rest for t in TIMES])
    np.testing.assert_allclose(found["body.f"](TIMES)[:, :2], wanted, atol=1e-9)
    np.testing.assert_allclose(found["body.f"](TIMES)[:, 2], 0.0, atol=1e-12)


# -- vectors, and strokes from both ends -----------------------------------------------------------------------------

THERE = np.array([[1.2, 0.3, -0.4], [0.1, 0.8, 0.5]])
"""Three flows to two."""
J = np.array([[2.0, 0.3, -0.1], [0.3, 1.5, 0.2], [-0.1, 0.2, 1.0]])
K = np.array([[0.9, 0.2], [0.2, 0.6]])
R = np.array([[0.7, 0.1, 0.0], [0.1, 0.5, -0.2], [0.0, -0.2, 0.9]])


def body(kind: type[mb.I] | type[mb.C], junction: type[mb.One] | type[mb.Zero]) -> mb.Model:
    """A storage field of three with a resistance field, and one of two behind a transformer that is not square."""
    model = mb.Model("field")
    near, far = model.add(junction("near", size=3)), model.add(junction("far", size=2))
    gear = model.add(mb.TF("gear", THERE))
    model.bond(near, kind("first", J))
    model.bond(near, mb.R("loss", R))
    model.bond(near, gear)
    model.bond(gear, far)
    model.bond(far, kind("second", K))
    return model


def test_a_field_of_inertias_behind_a_matrix() -> None:
    """(J + Bᵀ K B) f' = e - R f."""
    model = body(mb.I, mb.One)
    push = np.array([1.0, -2.0, 0.5])
    model.bond(mb.Se("push", push), "near")
    found = run(model)
    M = J + THERE.T @ K @ THERE
    A, rest = -np.linalg.solve(M, R), np.linalg.solve(R, push)
    wanted = np.array([rest - expm(A * t) @ rest for t in TIMES])
    np.testing.assert_allclose(found["first.f"](TIMES), wanted, atol=1e-9)
    np.testing.assert_allclose(found["second.f"](TIMES), wanted @ THERE.T, atol=1e-9)
    np.testing.assert_allclose(found["second.p"](TIMES), wanted @ THERE.T @ K, atol=1e-9)
    assert found.system.n == 3


def test_a_field_of_compliances_behind_a_matrix() -> None:
    """Efforts pass from b to a: e_a = Bᵀ e_b, so that the near field of three hangs on the far one of two."""
    model = body(mb.C, mb.Zero)
    model.set("second.start", (0.4, -0.3))
    model.set("first.start", J @ THERE.T @ np.linalg.solve(K, [0.4, -0.3]))
    found = run(model)
    M, G = K + THERE @ J @ THERE.T, THERE @ np.linalg.solve(R, THERE.T)
    start = np.linalg.solve(K, [0.4, -0.3])
    wanted = np.array([expm(-np.linalg.solve(M, G) * t) @ start for t in TIMES])
    np.testing.assert_allclose(found["second.e"](TIMES), wanted, atol=1e-9)
    np.testing.assert_allclose(found["first.e"](TIMES), wanted @ THERE, atol=1e-9)
    np.testing.assert_allclose(found["first.q"](TIMES), wanted @ THERE @ J, atol=1e-9)
    assert found.system.n - found.system.reduced.hidden_flows.numel() == 2


def test_inertias_and_compliances_behind_a_matrix_gyrator() -> None:
    """e_a = G f_b and e_b = Gᵀ f_a: compliances of two behind it are inertias G K Gᵀ on the side of three."""
    model = mb.Model("motors")
    i, motors = model.add(mb.One("i", size=3)), model.add(mb.GY("motors", THERE.T))
    node = model.add(mb.Zero("node", size=2))
    model.bond(i, mb.I("coils", J, start=(1.0, 0.5, -0.7)))
    model.bond(i, mb.R("windings", R))
    model.bond(i, motors)
    model.bond(motors, node)
    model.bond(node, mb.C("discs", K))
    found = run(model)
    M = J + THERE.T @ K @ THERE
    start = found["coils.f"](0.0)
    wanted = np.array([expm(-np.linalg.solve(M, R) * t) @ start for t in TIMES])
    np.testing.assert_allclose(found["coils.f"](TIMES), wanted, atol=1e-9)
    np.testing.assert_allclose(found["discs.e"](TIMES), wanted @ THERE.T, atol=1e-9)


def test_two_bodies_that_one_way_gears_hold_together() -> None:
    """Flow comes to the middle from both sides: B f1 = D f2 is kept, the force between them follows."""
    B, D = THERE[:, :2], np.array([[0.7, -0.4], [0.5, 1.1]])
    model = mb.Model("pair")
    v, w, middle = (model.add(mb.One(name, size=2)) for name in ("v", "w", "middle"))
    for one, inertia, modulus, name in ((v, 2.0, B, "b"), (w, 0.5, D, "d")):
        gear = model.add(mb.TF(f"gear_{name}", modulus))
        model.bond(one, mb.I(f"body_{name}", inertia, size=2))
        model.bond(one, gear)
        model.bond(gear, middle)
    model.bond(mb.Se("push", (1.0, 0.3)), v)
    model.bond(v, mb.R("drag", 0.8, size=2))
    found = run(model)
    T = np.linalg.solve(D, B)
    A = -0.8 * np.linalg.inv(2.0 * np.eye(2) + 0.5 * T.T @ T)
    rest = np.array([1.0, 0.3]) / 0.8
    wanted = np.array([rest - expm(A * t) @ rest for t in TIMES])
    np.testing.assert_allclose(found["body_b.f"](TIMES), wanted, atol=1e-9)
    np.testing.assert_allclose(found["body_d.f"](TIMES), wanted @ T.T, atol=1e-9)
    assert found.system.n - found.system.reduced.hidden_flows.numel() == 2


def test_start_values_of_dependent_storages() -> None:
    """What all are said to hold must fit together; what is not said follows."""
    model = mb.Model("shaft")
    w = model.add(mb.One("w"))
    model.bond(w, mb.I("first", 0.5, start=1.0))
    model.bond(w, mb.I("second", 0.8))
    assert mb.simulate(model, 0.1)["second.p"](0.0) == pytest.approx(1.6)
    model.set("second.start", 1.6)
    assert mb.simulate(model, 0.1)["first.f"](0.0) == pytest.approx(2.0)
    model.set("second.start", 1.5)
    with pytest.raises(StartError) as told:
        mb.compile(model)
    assert "first" in str(told.value) and "second" in str(told.value)


def test_other_numbers_at_run_time_keep_hidden_conditions_true() -> None:
    """The condition between two bodies is written with parameters, not with the numbers they had."""
    model = mb.Model("pair")
    v, w, middle = (model.add(mb.One(name)) for name in ("v", "w", "middle"))
    for one, name in ((v, "b"), (w, "d")):
        gear = model.add(mb.TF(f"gear_{name}", 2.0, inverse="none"))
        model.bond(one, mb.I(f"body_{name}", 1.0))
        model.bond(one, gear)
        model.bond(gear, middle)
    model.bond(mb.Se("push", 1.0), v)
    system = mb.with_parameters(mb.compile(model), {"gear_d.modulus": 5.0, "body_d.inertia": 3.0})
    found = mb.simulate(system, 2.0)
    np.testing.assert_allclose(found["body_b.f"](TIMES), TIMES / (1 + 3.0 * 0.4**2), atol=1e-9)
    np.testing.assert_allclose(found["body_d.f"](TIMES), 0.4 * TIMES / (1 + 3.0 * 0.4**2), atol=1e-9)
