"""Graphs that are not linear, analysed at a state: against closed forms, and linear ones against the exact answers."""

from __future__ import annotations

import numpy as np
import pytest

import multibond as mb
from multibond.analysis.ends import input_ends, output_ends
from multibond.analysis.linearised import Linear, linearise
from multibond.analysis.signals import signals_of
from multibond.errors import ModelError
from multibond.examples import disc, slider_crank

from .machines import MACHINES, crane, drive, hardening

LINEAR = ("drive", "ladder", "tanks", "divider", "gear", "block", "table")


def near(model: mb.Model, inputs: list[str], outputs: list[str], at: tuple | None = None) -> Linear:
    signals = signals_of(model)
    return linearise(signals.graph, input_ends(signals, inputs), output_ends(signals, outputs), at)


@pytest.mark.parametrize("name", LINEAR)
def test_linear_machines_have_the_ranks_that_are_exact(name: str) -> None:
    """Numeric ranks somewhere on a run, beside those found for almost all parameters in exact arithmetic."""
    machine = MACHINES[name]
    model = machine.build([1.0] * machine.components)
    exact = mb.analyse(model, machine.inputs, machine.outputs)
    found = mb.analyse(model, machine.inputs, machine.outputs, at=(mb.simulate(model, 0.2), 0.1))
    assert exact.linearised == "" and found.linearised.startswith("at 0.1 s of the run, ")
    words = ("order", "rank", "rank_with_inputs", "rank_with_outputs", "reachable", "visible")
    assert [getattr(found, w) for w in words] == [getattr(exact, w) for w in words]
    assert [p.order for p in found.pairs] == [p.order for p in exact.pairs]
    assert [p.path for p in found.pairs] == [p.path for p in exact.pairs]


def test_a_hardening_spring_at_two_states() -> None:
    """By hand: m v' = F - d v - (4 q + 3 q³), so the spring's slope is 4 + 9 q²."""
    model = hardening([1.0])
    run = mb.simulate(model, 1.0)
    for at, q in ((None, 0.0), ((run, 0.7), float(run["spring.q"](0.7)))):
        linear = near(model, ["force"], ["mass.f"], at)
        A = linear.free @ linear.A @ linear.free.T
        p, spring = linear.names.index("mass.p"), linear.names.index("spring.q")
        assert A[p, p] == pytest.approx(-0.3 / 0.8) and A[p, spring] == pytest.approx(-(4 + 9 * q**2))
        assert A[spring, p] == pytest.approx(1 / 0.8)
        assert (linear.free @ linear.B)[p] == pytest.approx(1.0) and linear.C @ linear.free.T[:, p] == pytest.approx(
            1.25
        )
    assert abs(q) > 0.1


def test_a_load_above_its_crane() -> None:
    """By hand at φ = 0: φ'' = (M + m) m g l φ / ((m l² + J)(M + m) - m² l²), one way unstable; the rail is free."""
    model = crane([0.0])
    model.set("hinge.angle", 0.0)
    linear = near(model, ["push"], ["hinge.angle"])
    rate = np.sqrt(1.5 * 0.5 * 9.81 / (0.6 * 1.5 - 0.25))
    np.testing.assert_allclose(np.sort(np.linalg.eigvals(linear.A).real), [-rate, 0.0, 0.0, rate], atol=1e-6)
    told = mb.analyse(model, inputs="push", outputs="hinge.angle")
    assert told.controllable and told.relative_order("push", "hinge.angle") == 2
    assert (told.order, told.visible) == (4, 2)
    assert told.reasons == ("not observable there: 'hinge.angle' does not tell what 'rail' holds.",)
    assert "linearised at the start, rail.motion.q = 0" in str(told)


def lever() -> mb.Model:
    """A force on a mass through a lever whose arm is how far another mass has moved, from nothing on."""
    m = mb.Model("lever")
    hand, v, w = m.add(mb.One("hand")), m.add(mb.One("v")), m.add(mb.One("w"))
    arm = m.add(mb.MTF("arm"))
    m.bond(w, mb.I("walker", 2.0, start=1.0))
    m.bond(w, mb.Dq("place"))
    m.signal("place.value", arm.modulus)
    m.bond(mb.Se("force", 1.0), hand)
    m.bond(v, arm.a)
    m.bond(arm.b, hand)
    m.bond(v, mb.I("mass", 3.0))
    m.bond(v, mb.R("drag", 0.1))
    return m


def test_what_holds_at_one_state_need_not_hold_at_another() -> None:
    """Without an arm the force does not act on the mass; half a second later it does."""
    model = lever()
    start = mb.analyse(model, inputs="force", outputs="mass.f")
    assert start.relative_order("force", "mass.f") is None and start.pair("force", "mass.f").path_order == 1
    assert "force to mass.f: no effect there, though causal paths lead to it" in str(start)
    later = mb.analyse(model, inputs="force", outputs="mass.f", at=(mb.simulate(model, 1.0), 0.5))
    assert later.relative_order("force", "mass.f") == 1
    assert (start.reachable, later.reachable) == (0, 1)


@pytest.mark.parametrize("seed", [0, 1])
def test_derivatives_are_those_of_the_run(seed: int) -> None:
    """Central differences of the compiled system along free directions, with closed loops and dependent momenta."""
    rng = np.random.default_rng(seed)
    for model, output in ((disc(), "angle"), (slider_crank(), "O.angle")):
        run = mb.simulate(model, 0.3)
        linear, system, h = near(model, [], [output], (run, 0.2)), run.system, 1e-6
        along = linear.free @ rng.normal(size=linear.free.shape[1])
        slope = (system.derivative(linear.x + h * along) - system.derivative(linear.x - h * along)) / (2 * h)
        np.testing.assert_allclose(linear.A @ (linear.free.T @ along), linear.free.T @ slope, rtol=1e-5, atol=1e-5)


def test_an_output_that_is_a_product() -> None:
    """Power at rest has no slope; later it has."""
    model = drive([1.0])
    assert mb.analyse(model, outputs="rotor.power").visible == 0
    assert mb.analyse(model, outputs="rotor.power", at=(mb.simulate(model, 1.0), 0.5)).visible == 2


def test_a_run_of_another_model_is_refused() -> None:
    with pytest.raises(ModelError, match=r"the run is not one of this model.\n  It has no 'mass.p'"):
        mb.analyse(hardening([1.0]), outputs="mass.f", at=(mb.simulate(drive([1.0]), 0.1), 0.0))
