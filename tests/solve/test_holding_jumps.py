"""Formulas that jump: those that hold the motion are named with the trajectory so far, all others run through."""

from __future__ import annotations

import numpy as np
import pytest
from tests.rotation import EVERY, share

import multibond as mb
from multibond.errors import SimulationError


def on_one(*items: mb.Element) -> mb.Model:
    model = mb.Model("m")
    junction = model.add(mb.One("v"))
    for item in items:
        model.bond(junction, item)
    return model


def relay(level: float = 0.5) -> mb.Model:
    """A capacitor charged by 1 A below a level and discharged above it: q = t up to the level, and there it stays."""
    model = mb.Model("m")
    model.bond(mb.MSf("source"), model.add(mb.Zero("node")))
    model.bond("node", mb.C("capacitor", 1.0))
    model.bond("node", mb.De("meter"))
    model.add(mb.blocks.Function("ideal", f"where(u > {level}, -1, 1)"))
    model.signal("meter.value", "ideal.u")
    model.signal("ideal.y", "source.flow")
    return model


def braked(start: float = 1.0) -> mb.Model:
    """p' = -q - sign p from p = 1: q + 1 = √2 sin(t + π/4), at rest at t = π/4 where the spring cannot overcome."""
    law = mb.R("brake", effort=lambda f: mb.where(f > 0, 1, -1))
    return on_one(mb.I("mass", 1.0, start=start), mb.C("spring", 1.0), law)


def held(model: mb.Model, until: float = 3.0) -> tuple[SimulationError, mb.Run]:
    with pytest.raises(SimulationError) as caught:
        mb.simulate(model, until)
    run = caught.value.run
    assert isinstance(run, mb.Run)
    return caught.value, run


@pytest.mark.parametrize("solver", ["auto", "dop853", "dopri5", "rodas5p"])
def test_an_ideal_relay_holds_itself_at_its_edge(solver: str) -> None:
    with pytest.raises(SimulationError, match=r"'ideal' chatters at 0\.5") as caught:
        mb.simulate(relay(), 3.0, solver=solver)
    assert "a Relay block with a band" in str(caught.value)
    assert caught.value.paths == ("ideal",)
    run = caught.value.run
    assert isinstance(run, mb.Run)
    assert 0.5 <= run.t[-1] < 0.501
    t = np.linspace(0.0, 0.5, 11)
    np.testing.assert_allclose(run["capacitor.q"](t), t, atol=1e-8)


@pytest.mark.parametrize("until", [1.0, 3.0, 1000.0])
def test_friction_by_a_sign_and_a_spring(until: float) -> None:
    error, run = held(braked(), until)
    assert "'brake' chatters at 0.785398 s." in str(error)
    assert "Friction element" in str(error)
    t = np.linspace(0.0, np.pi / 4, 11)
    np.testing.assert_allclose(run["spring.q"](t), np.sqrt(2) * np.sin(t + np.pi / 4) - 1, atol=1e-8)


def test_the_cure_works() -> None:
    """A Friction in its place sticks, and a Relay with a band goes to and fro."""
    run = mb.simulate(on_one(mb.I("mass", 1.0, start=1.0), mb.C("spring", 1.0), mb.Friction("brake", 1.0)), 3.0)
    assert run["spring.q"](3.0) == pytest.approx(np.sqrt(2) - 1, abs=1e-9)
    model = mb.Model("m")
    model.bond(mb.MSf("source"), model.add(mb.Zero("node")))
    model.bond("node", mb.C("capacitor", 1.0))
    model.bond("node", mb.De("meter"))
    model.add(mb.blocks.Relay("relay", lower=0.45, upper=0.55, on=-1.0, off=1.0))
    model.signal("meter.value", "relay.u")
    model.signal("relay.y", "source.flow")
    run = mb.simulate(model, 1.0)
    found = [change.time for change in run.changes if change.time]
    np.testing.assert_allclose(found, [0.55, 0.65, 0.75, 0.85, 0.95], atol=1e-9)


def test_two_that_hold_at_the_same_time_are_both_named() -> None:
    model = mb.Model("m")
    for k in "ab":
        junction = model.add(mb.One(f"v_{k}"))
        law = mb.R(f"brake_{k}", effort=lambda f: mb.where(f > 0, 1, -1))
        for item in (mb.I(f"mass_{k}", 1.0, start=1.0), mb.C(f"spring_{k}", 1.0), law):
            model.bond(junction, item)
    error, _ = held(model)
    assert set(error.paths) <= {"brake_a", "brake_b"}


def test_an_orifice_that_has_emptied_its_tank_is_named() -> None:
    """q' = -√q is at rest after 2 s, where the slope of the root is infinite."""
    model = mb.Model("m")
    node = model.add(mb.Zero("node"))
    model.bond(node, mb.C("tank", 1.0, start=1.0))
    model.bond(node, mb.R("orifice", flow=lambda e: mb.sign(e) * mb.sqrt(abs(e))))
    error, run = held(model)
    assert "'orifice' chatters at 2.0" in str(error)
    assert "finite slope" in str(error)
    t = np.linspace(0.0, 2.0, 11)
    np.testing.assert_allclose(run["tank.q"](t), (1 - t / 2) ** 2, atol=1e-8)


# -- what must run ---------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_pulses_at_ten_kilohertz_run_for_a_second() -> None:
    """20 000 edges: each ends a stretch, and the mean current is the duty times 10 A. Mostly a fifth of it is run."""
    until = 1.0 if share("pulses at ten kilohertz") in (0, EVERY) else 0.2
    model = on_one(mb.I("coil", 1e-3), mb.R("wire", 1.0))
    model.bond(mb.Se("bridge", lambda t: mb.where(mb.sin(2e4 * np.pi * t) > 0.3, 10, 0)), "v")
    run = mb.simulate(model, until)
    assert len(run.pieces) > 20000 * until
    t = np.linspace(until - 0.1, until, 20001)
    duty = 0.5 - np.arcsin(0.3) / np.pi
    assert np.trapezoid(run["coil.f"](t), t) / 0.1 == pytest.approx(10 * duty, rel=1e-3)


def test_pulses_that_compare_a_carrier_with_the_current_run() -> None:
    """The edge depends on the state, and the motion crosses it 400 times: its mean follows the carrier's middle."""
    model = on_one(mb.I("coil", 1e-3), mb.R("wire", 1.0), mb.Df("meter"))
    model.bond(mb.MSe("bridge"), "v")
    model.add(mb.blocks.Function("compare", "where(5 + 3 * sin(12566.370614359172 * t) > u, 10, 0)"))
    model.signal("meter.value", "compare.u")
    model.signal("compare.y", "bridge.effort")
    run = mb.simulate(model, 0.1)
    assert run.t[-1] == 0.1
    t = np.linspace(0.05, 0.1, 10001)
    assert np.trapezoid(run["coil.f"](t), t) / 0.05 == pytest.approx(5.0, abs=0.05)


def test_kinks_that_are_passed_by_ever_smaller_swings_run() -> None:
    """Quadratic damping has a kink at rest, which a swing that dies out passes again and again."""
    damper = mb.R("damper", effort=lambda f: 5 * f + abs(f) * f)
    run = mb.simulate(on_one(mb.I("mass", 1.0, start=1.0), mb.C("spring", 1e-2), damper), 20.0)
    assert len(run.pieces) > 100
    assert abs(float(run["mass.f"](20.0))) < 1e-12
    assert run.energy().residual < 1e-9


def test_a_relaxation_that_ends_at_a_kink_runs() -> None:
    """q' = 1 - q - |q - 1| (q - 1) comes to rest at the kink, without a jump there."""
    model = mb.Model("m")
    node = model.add(mb.Zero("node"))
    model.bond(mb.Sf("pump", 1.0), node)
    model.bond(node, mb.C("tank", 1.0))
    model.bond(node, mb.R("weir", flow=lambda e: e + abs(e - 1) * (e - 1), active=True))
    run = mb.simulate(model, 40.0)
    assert run["tank.q"](40.0) == pytest.approx(1.0, abs=1e-9)


def test_swings_about_a_jump_run() -> None:
    """x'' = -sign x from x' = 1: parabolas, back at x = 0 every two seconds."""
    run = mb.simulate(on_one(mb.I("mass", 1.0, start=1.0), mb.C("spring", effort=lambda q: mb.sign(q))), 20.0)
    t = np.linspace(0.0, 20.0, 201)
    phase = t % 2.0
    np.testing.assert_allclose(run["spring.q"](t), np.where(t % 4 < 2, 1, -1) * phase * (1 - phase / 2), atol=1e-9)
    # Not counting the start, which is on the jump.
    np.testing.assert_allclose(
        [p.trajectory.t[-1] for p in run.pieces if 1 < p.trajectory.t[-1] < 19][1::2],
        np.arange(2.0, 20.0, 2.0),
        rtol=0.0,
        atol=1e-9,
    )
