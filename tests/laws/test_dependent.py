"""Storages in derivative causality, of every kind: their rates follow from the others', exactly."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.linalg import expm

import multibond as mb
from multibond import blocks
from multibond.errors import StructureError

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


def driven_by(signal: blocks.Input | blocks.SampleHold) -> mb.Model:
    """A mass that a signal moves."""
    model = mb.Model("driven")
    drive, v = model.add(mb.MSf("drive")), model.add(mb.One("v"))
    model.add(signal)
    model.signal(signal.y, drive.flow)
    model.bond(drive, v)
    model.bond(v, mb.I("mass", 2.5))
    return model


def test_the_rate_of_an_input_is_not_known() -> None:
    with pytest.raises(StructureError, match="the rate of the input 'stick' is needed") as told:
        mb.compile(driven_by(blocks.Input("stick")))
    assert "mass" in str(told.value)


def test_the_rate_of_a_held_signal_counts_as_zero_and_that_is_said() -> None:
    model = driven_by(blocks.SampleHold("stick", 0.1))
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
