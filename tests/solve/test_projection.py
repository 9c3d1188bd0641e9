"""Runs on constraints: a pendulum in Cartesian coordinates."""

from __future__ import annotations

from dataclasses import replace

import casadi as ca
import numpy as np
import pytest

from multibond.solve.contract import METHODS, Status

from .models import build, integrate, pendulum, states

START = [np.sin(1.0), -np.cos(1.0), 0.0, 0.0]


def _run(method: str, end: float, **options):
    step = 0.002 if METHODS[method].fixed else None
    return integrate(pendulum(), 0, end, START, [0.0], method=method, step=step, **options)


@pytest.mark.parametrize("method", METHODS)
def test_constraints_hold_between_the_steps(method: str) -> None:
    end = 100.0 if method == "dop853" else 20.0
    run = _run(method, end)
    assert run.status is Status.DONE
    for x in (run.x, run.at(np.linspace(0, end, 5003))):
        # The tolerance of the projection, and rounding of this very sum.
        assert np.abs((x[:, :2] ** 2).sum(1) - 1).max() <= 1e-12 + 2e-15
        assert np.abs((x[:, :2] * x[:, 2:]).sum(1)).max() <= 1e-11


def test_motion_agrees_with_the_angle_as_state() -> None:
    x = states(2)
    angle = integrate(build(x, ca.vertcat(x[1], -9.81 * ca.sin(x[0]))), 0, 20, [1.0, 0.0], [0.0], rtol=1e-12)
    times = np.linspace(0, 20, 501)
    expected = angle.at(times)[:, 0]
    result = _run("dop853", 20, rtol=1e-11).at(times)
    np.testing.assert_allclose(result[:, 0], np.sin(expected), atol=1e-8)
    np.testing.assert_allclose(result[:, 1], -np.cos(expected), atol=1e-8)


def test_energy_is_kept_over_many_swings() -> None:
    x = _run("dop853", 100.0).x
    energy = (x[:, 2:] ** 2).sum(1) / 2 + 9.81 * x[:, 1]
    assert np.abs(energy - energy[0]).max() < 1e-6


@pytest.mark.parametrize("method", METHODS)
def test_interpolation_is_continuous_across_steps(method: str) -> None:
    run = _run(method, 3)
    ends = run.t[1:-1]
    before, after = run.at(np.nextafter(ends, 0)), run.at(ends)
    np.testing.assert_allclose(before, after, atol=1e-12)
    np.testing.assert_allclose(after, run.x[1:-1], atol=1e-12)


def test_events_lie_on_the_constraints() -> None:
    run = _run("dop853", 10, directions=[0])
    assert len(run.events) > 8
    for event in run.events:
        assert abs(event.state[0]) < 1e-12
        assert abs(event.state[1] + 1) < 1e-12


def test_without_projection_the_constraints_drift() -> None:
    free = replace(pendulum(), position_step=None, velocity_step=None)
    x = integrate(free, 0, 100, START, [0.0], rtol=1e-6).x
    assert np.abs((x[:, :2] ** 2).sum(1) - 1).max() > 1e-6


def test_constraints_that_cannot_be_met_end_the_run() -> None:
    x = states(1)
    model = build(x, ca.SX(1), position_step=ca.vertcat(x, ca.fmax(0, x - 0.5)))
    run = integrate(model, 0, 1, [0.0], [0.0])
    assert run.status is Status.PROJECTION_FAILED
    assert run.status.failed
    assert run.t[-1] == pytest.approx(0.5, abs=1e-6)
    np.testing.assert_allclose(run.at([0.25]), [[0.25]], atol=1e-12)
