"""A run that fails says why and keeps the trajectory; what cannot be meant is refused."""

from __future__ import annotations

from dataclasses import replace

import casadi as ca
import numpy as np
import pytest

from multibond.solve.contract import METHODS, Status

from .models import build, integrate, oscillator, states, van_der_pol

ADAPTIVE = [name for name, method in METHODS.items() if not method.fixed]


@pytest.mark.parametrize("method", ADAPTIVE)
def test_a_motion_that_runs_away_ends_with_its_trajectory(method: str) -> None:
    x = states(1)
    run = integrate(build(x, x**2), 0, 2, [1.0], [0.0], method=method)
    assert run.status in (Status.TOO_SMALL, Status.NOT_FINITE)
    assert run.t[-1] == pytest.approx(1.0, abs=1e-6)
    np.testing.assert_allclose(run.at([0.5]), [[2.0]], rtol=1e-7)


@pytest.mark.parametrize("method", METHODS)
def test_a_derivative_that_stops_to_exist_ends_the_run(method: str) -> None:
    x = states(1)
    model = build(x, -ca.sqrt(x))
    run = integrate(model, 0, 5, [1.0], [0.0], method=method, step=0.01 if METHODS[method].fixed else None)
    assert run.status in (Status.NOT_FINITE, Status.TOO_SMALL, Status.DONE)
    assert np.isfinite(run.x).all()
    np.testing.assert_allclose(run.at([1.0]), [[0.25]], rtol={1: 1e-2, 2: 1e-4}.get(METHODS[method].order, 1e-6))


def test_a_derivative_that_is_never_finite_ends_at_the_start() -> None:
    x = states(1)
    run = integrate(build(x, ca.log(x)), 0, 1, [-1.0], [0.0])
    assert run.status is Status.NOT_FINITE
    np.testing.assert_array_equal(run.x, [[-1.0]])


@pytest.mark.parametrize("start", [np.nan, np.inf])
def test_a_start_that_is_not_finite_ends_at_once(start: float) -> None:
    x = states(1)
    run = integrate(build(x, ca.SX(1)), 0, 1, [start], [0.0])
    assert run.status is Status.NOT_FINITE


@pytest.mark.parametrize("method", ADAPTIVE)
def test_a_jump_to_nan_is_approached_and_reported(method: str) -> None:
    x = states(1)
    run = integrate(build(x, ca.if_else(x < 0.5, 1, ca.log(-x))), 0, 1, [0.0], [0.0], method=method)
    assert run.status is Status.NOT_FINITE
    assert run.t[-1] == pytest.approx(0.5, abs=1e-6)


def test_too_many_steps_keep_the_trajectory() -> None:
    run = integrate(van_der_pol(), 0, 3000, [2.0, 0.0], [1e3], method="dopri5", max_steps=500)
    assert run.status is Status.TOO_MANY
    assert run.statistics.accepted + run.statistics.rejected == 500
    assert run.t[-1] < 3000
    assert run.at([run.t[-1]]).shape == (1, 2)


def test_a_model_without_states_still_advances() -> None:
    x = states(0)
    model = build(x, ca.SX(0, 1))
    run = integrate(model, 0, 5, [], [0.0])
    assert run.status is Status.DONE
    assert run.at([1.0, 2.0]).shape == (2, 0)


def test_every_status_has_a_sentence() -> None:
    assert all(status.sentence.endswith(".") for status in Status)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"method": "gauss"}, "Known are dop853"),
        ({"t1": -1.0}, "Choose an end after the start"),
        ({"method": "rk4"}, "needs a positive step"),
        ({"step": 0.1}, "chooses its steps itself"),
        ({"model": replace(oscillator(), jacobian=None), "method": "rodas5p"}, "Emit both"),
    ],
)
def test_what_cannot_be_meant_is_refused(options: dict, message: str) -> None:
    given = {"model": oscillator(), "t0": 0.0, "t1": 1.0, "x0": [1.0, 0.0], "p": [1.0], **options}
    with pytest.raises(ValueError, match=message):
        integrate(**given)


def test_times_outside_the_run_are_refused() -> None:
    run = integrate(oscillator(), 0, 1, [1.0, 0.0], [1.0])
    with pytest.raises(ValueError, match="runs from 0 s to 1 s"):
        run.at([0.5, 1.1])
