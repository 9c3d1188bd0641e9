"""Sources that step onto storages which follow them: an impulse passes, charge and momentum are shared as they must be,
and the energy that the source gives in it stands in the audit's `jumps`, so that the balance closes."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import multibond as mb

SIGNS = pytest.mark.parametrize(("low", "high"), [(0.0, 1.0), (0.0, -1.0), (1.0, 0.0), (-2.0, 3.0), (3.0, -2.0)])


def step(low: float, high: float) -> Callable:
    """From low to high at half a second."""
    return lambda t: mb.where(t > 0.5, high, low)


def around(junction: mb.Element, source: mb.Element, *items: mb.Element) -> mb.Model:
    """A source and elements around one junction."""
    model = mb.Model("m")
    model.bond(source, model.add(junction))
    for item in items:
        model.bond(junction.name, item)
    return model


@SIGNS
def test_an_effort_steps_onto_a_capacitor(low: float, high: float) -> None:
    """½ C e² before and after: just what the source gives, beside what the resistor takes all the time."""
    run = mb.simulate(around(mb.Zero("node"), mb.Se("s", step(low, high)), mb.C("c", 2.0), mb.R("r", 1.0)), 1.0)
    energy = run.energy()
    assert run["c.q"](1.0) == pytest.approx(2.0 * high, abs=1e-12)
    assert energy.elastic == pytest.approx(high**2 - low**2, abs=1e-12)
    assert energy.jumps == pytest.approx(low**2 - high**2, abs=1e-12)
    assert energy.supplied == pytest.approx(0.5 * (low**2 + high**2), abs=1e-9)
    assert energy.residual < 1e-9
    assert abs(energy.imbalance) < 1e-9


@SIGNS
def test_a_flow_steps_onto_an_inertia(low: float, high: float) -> None:
    run = mb.simulate(around(mb.One("v"), mb.Sf("s", step(low, high)), mb.I("i", 2.0), mb.C("c", 1.0)), 1.0)
    energy = run.energy()
    assert run["i.p"](1.0) == pytest.approx(2.0 * high, abs=1e-12)
    assert run["c.q"](1.0) == pytest.approx(0.5 * (low + high), abs=1e-9)
    assert energy.jumps == pytest.approx(low**2 - high**2, abs=1e-9)
    assert energy.residual < 1e-9


def test_several_components() -> None:
    """Each component by its own step, and a matrix of compliances between them."""
    compliance = np.array([[2.0, 0.5], [0.5, 1.0]])
    model = mb.Model("m", size=2)
    node = model.add(mb.Zero("node"))
    steps = mb.MSe("s", size=2)
    model.bond(steps, node)
    model.bond(node, mb.C("c", compliance))
    model.add(mb.blocks.Join("both"))
    for k, (before, after) in enumerate(((1.0, -2.0), (0.5, 3.0)), 1):
        model.add(mb.blocks.Function(f"step_{k}", f"where(t > 0.5, {after}, {before})"))
        model.signal(f"step_{k}.y", f"both.u_{k}")
    model.signal("both.y", "s.effort")
    run = mb.simulate(model, 1.0)
    first, last = np.array([1.0, 0.5]), np.array([-2.0, 3.0])
    np.testing.assert_allclose(run["c.q"](np.array([0.25, 0.75])), [compliance @ first, compliance @ last], atol=1e-12)
    energy = run.energy()
    gained = 0.5 * (last @ compliance @ last - first @ compliance @ first)
    assert energy.jumps == pytest.approx(-gained, abs=1e-12)
    assert energy.residual < 1e-9


@SIGNS
def test_capacitors_in_series_share_the_charge(low: float, high: float) -> None:
    """What passes through one passes through the other: both get Δe C₁C₂/(C₁+C₂), whichever is the state."""
    run = mb.simulate(around(mb.One("v"), mb.Se("s", step(low, high)), mb.C("a", 1.0), mb.C("b", 3.0)), 1.0)
    charge = run["a.q"](1.0) - run["a.q"](0.25)
    assert charge == pytest.approx(0.75 * (high - low), abs=1e-12)
    assert run["b.q"](1.0) - run["b.q"](0.25) == pytest.approx(charge, abs=1e-12)
    assert run["a.e"](1.0) + run["b.e"](1.0) == pytest.approx(high, abs=1e-12)
    assert run.energy().residual < 1e-9


@SIGNS
def test_inertias_in_parallel_share_the_momentum(low: float, high: float) -> None:
    run = mb.simulate(around(mb.Zero("f"), mb.Sf("s", step(low, high)), mb.I("a", 1.0), mb.I("b", 3.0)), 1.0)
    momentum = run["a.p"](1.0) - run["a.p"](0.25)
    assert momentum == pytest.approx(0.75 * (high - low), abs=1e-12)
    assert run["b.p"](1.0) - run["b.p"](0.25) == pytest.approx(momentum, abs=1e-12)
    assert run.energy().residual < 1e-9


def test_a_quick_rise_tends_to_the_step() -> None:
    """The step is the limit of a rise within 1e-6 s, whose work the quadrature sees as supplied."""
    rise = around(mb.One("v"), mb.Se("s", lambda t: mb.clip((t - 0.5) * 1e6, 0, 1)), mb.C("a", 1.0), mb.C("b", 3.0))
    slow, quick = (
        mb.simulate(rise, 1.0),
        mb.simulate(around(mb.One("v"), mb.Se("s", step(0.0, 1.0)), mb.C("a", 1.0), mb.C("b", 3.0)), 1.0),
    )
    for name in ("a.q", "b.q"):
        assert quick[name](1.0) == pytest.approx(float(slow[name](1.0)), abs=1e-8)
    assert -quick.energy().jumps == pytest.approx(slow.energy().supplied, abs=1e-8)


def test_samples_push_in_the_same_way() -> None:
    """A held signal onto two capacitors in series: the charge is shared at every sample."""
    model = mb.Model("m")
    junction = model.add(mb.One("v"))
    model.bond(mb.MSe("s"), junction)
    model.bond(junction, mb.C("a", 1.0))
    model.bond(junction, mb.C("b", 1.0))
    model.add(mb.blocks.Sine("u"))
    model.add(mb.blocks.SampleHold("hold", period=0.1))
    model.signal("u.y", "hold.u")
    model.signal("hold.y", "s.effort")
    run, t = mb.simulate(model, 1.0), np.arange(0.05, 1.0, 0.1)
    np.testing.assert_allclose(run["a.q"](t), 0.5 * run["hold.y"](t), atol=1e-12)
    np.testing.assert_allclose(run["b.q"](t), run["a.q"](t), atol=1e-12)
    assert abs(run.energy().imbalance) < 1e-9


def test_a_kink_without_a_jump_pushes_nothing() -> None:
    """A ramp that bends: the charge follows it, and no energy stands in `jumps`."""
    run = mb.simulate(around(mb.One("v"), mb.Se("s", lambda t: abs(t - 0.5)), mb.C("a", 1.0), mb.C("b", 3.0)), 1.0)
    assert run.energy().jumps == pytest.approx(0.0, abs=1e-12)
    assert run["a.q"](0.75) - run["a.q"](0.5) == pytest.approx(0.75 * 0.25, abs=1e-9)
    assert run.energy().residual < 1e-9
