"""Unknowns that cease to exist: the run stops there and says which laws, and no value is made up."""

from __future__ import annotations

import numpy as np
import pytest

import multibond as mb
from multibond.errors import SimulationError


def falling(*items: mb.Element, law: str = "f**2") -> mb.Model:
    """1 - t V on an element with e = f²: f = √(1 - t), and none after 1 s."""
    model = mb.Model("m")
    junction = model.add(mb.One("loop"))
    model.bond(mb.Se("source", lambda t: 1 - t), junction)
    model.bond(junction, mb.R("valve", effort=law, active=True))
    for item in items:
        model.bond(junction, item)
    return model


@pytest.mark.parametrize("solver", ["auto", "dop853", "dopri5", "rodas5p"])
@pytest.mark.parametrize("until", [1.5, 3.0, 100.0])
def test_without_states(solver: str, until: float) -> None:
    with pytest.raises(SimulationError, match="the loop through 'valve' has no solution at 1 s") as caught:
        mb.simulate(falling(), until, solver=solver)
    run = caught.value.run
    assert isinstance(run, mb.Run)
    assert caught.value.paths == ("valve",)
    assert run.t[-1] == pytest.approx(1.0, abs=1e-9)
    t = np.linspace(0.0, 0.999, 41)
    np.testing.assert_allclose(run["valve.f"](t), np.sqrt(1 - t), rtol=1e-9)


@pytest.mark.parametrize("solver", ["rk4", "heun", "euler"])
def test_without_states_in_fixed_steps(solver: str) -> None:
    with pytest.raises(SimulationError, match="the loop through 'valve' has no solution") as caught:
        mb.simulate(falling(), 3.0, solver=solver, step=0.01)
    run = caught.value.run
    assert isinstance(run, mb.Run)
    assert run.t[-1] == pytest.approx(1.0, abs=0.011)


def test_with_a_state() -> None:
    """With a capacitor q' = √(1 - t - q / 10) ends where the root does: dq/dt = 0 there."""
    with pytest.raises(SimulationError, match=r"the loop through 'valve' has no solution at 0\.93") as caught:
        mb.simulate(falling(mb.C("capacitor", 10.0)), 3.0)
    run = caught.value.run
    assert isinstance(run, mb.Run)
    end = float(run.t[-1])
    assert 1 - end - run["capacitor.q"](end) / 10 == pytest.approx(0.0, abs=1e-6)


def test_a_loop_that_is_lost_for_a_while_is_found_out() -> None:
    """cos t is below zero between π/2 and 3π/2, so the run does not get past π/2."""
    model = mb.Model("m")
    junction = model.add(mb.One("loop"))
    model.bond(mb.Se("source", lambda t: mb.cos(t)), junction)
    model.bond(junction, mb.R("valve", effort="f**2", active=True))
    with pytest.raises(SimulationError, match=r"no solution at 1\.57"):
        mb.simulate(model, 2 * np.pi)


def test_a_loop_with_a_solution_runs_to_its_end() -> None:
    """e = f³ + f under 1 - t: one real solution at all times, asked for in any order."""
    run = mb.simulate(falling(law="f**3 + f"), 30.0)
    t = np.random.default_rng(3).permutation(np.linspace(0.0, 30.0, 61))
    f = run["valve.f"](t)
    np.testing.assert_allclose(f**3 + f, 1 - t, atol=1e-9)


def test_values_that_do_not_exist_are_refused() -> None:
    """Unknowns asked of a system beyond its solutions are NaN and not what they last were."""
    system = mb.compile(falling())
    found = system.unknowns(np.array([0.0, 0.5, 2.0, 0.75]), np.zeros((4, 0)))
    assert np.isnan(found[:, 2]).all()
    assert np.isfinite(found[:, [0, 1, 3]]).all()
