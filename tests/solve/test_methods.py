"""Order and accuracy of every method against closed forms and independent integrators."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from multibond.solve.contract import METHODS, Status, Trajectory

from .models import driven, integrate, kepler, oscillator, robertson, van_der_pol

ADAPTIVE = [name for name, method in METHODS.items() if not method.fixed]
EXPLICIT = [name for name in ADAPTIVE if not METHODS[name].implicit]
END, START = 2.0, [0.5, 0.0]


def _equal_steps(method: str, count: int) -> Trajectory:
    """The driven problem with equal steps, whatever the method."""
    h = END / count
    if METHODS[method].fixed:
        return integrate(driven(), 0, END, START, [0.0], method=method, step=h)
    run = integrate(driven(), 0, END, START, [0.0], method=method, rtol=1e9, first_step=h, max_step=h)
    assert len(run.t) == count + 1
    return run


@pytest.fixture(scope="module")
def reference():
    """The driven problem by SciPy, at the limit of its accuracy."""

    def slope(t: float, x: np.ndarray) -> list[float]:
        return [x[1], -x[0] + np.cos(2 * t) * x[0] ** 2 + 0.3 * np.sin(t)]

    return solve_ivp(slope, (0, END), START, method="DOP853", rtol=3e-14, atol=1e-16, dense_output=True, max_step=0.05)


@pytest.mark.parametrize("method", METHODS)
def test_error_falls_with_the_order_of_the_method(method: str, reference) -> None:
    counts = (6, 12) if METHODS[method].order == 8 else (20, 40)
    errors = [np.abs(_equal_steps(method, count).x[-1] - reference.y[:, -1]).max() for count in counts]
    assert np.log2(errors[0] / errors[1]) == pytest.approx(METHODS[method].order, abs=0.6)


@pytest.mark.parametrize("method", METHODS)
def test_dense_output_has_its_order(method: str, reference) -> None:
    counts = (6, 12) if METHODS[method].order == 8 else (20, 40)
    times = np.linspace(0, END, 301)
    errors = [np.abs(_equal_steps(method, n).at(times) - reference.sol(times).T).max() for n in counts]
    assert np.log2(errors[0] / errors[1]) > METHODS[method].dense_order + 0.3


@pytest.mark.parametrize("method", ADAPTIVE)
def test_oscillator_follows_its_closed_form(method: str) -> None:
    run = integrate(oscillator(), 0, 10, [1.0, 0.0], [4.0], method=method, rtol=1e-9)
    exact = np.stack([np.cos(2 * run.t), -2 * np.sin(2 * run.t)], 1)
    times = np.linspace(0, 10, 997)
    between = np.stack([np.cos(2 * times), -2 * np.sin(2 * times)], 1)
    assert run.status is Status.DONE
    assert run.t[-1] == 10
    np.testing.assert_allclose(run.x, exact, atol=3e-7)
    np.testing.assert_allclose(run.at(times), between, atol=3e-7)


@pytest.mark.parametrize("method", EXPLICIT)
def test_kepler_orbit_closes_after_one_period(method: str) -> None:
    eccentricity = 0.6
    start = [1 - eccentricity, 0, 0, np.sqrt((1 + eccentricity) / (1 - eccentricity))]
    run = integrate(kepler(), 0, 2 * np.pi, start, [0.0], method=method, rtol=1e-9)
    np.testing.assert_allclose(run.x[-1], start, atol=3e-7)
    energy = (run.x[:, 2:] ** 2).sum(1) / 2 - 1 / np.linalg.norm(run.x[:, :2], axis=1)
    np.testing.assert_allclose(energy, -0.5, atol=3e-8)


@pytest.mark.parametrize("method", ADAPTIVE)
def test_a_tenth_of_the_tolerance_gives_a_smaller_error(method: str) -> None:
    exact = [np.cos(20.0), -2 * np.sin(20.0)]
    tolerances = (1e-5, 1e-7, 1e-9)
    runs = [integrate(oscillator(), 0, 10, [1.0, 0.0], [4.0], method=method, rtol=r, atol=r) for r in tolerances]
    errors = [np.abs(run.x[-1] - exact).max() for run in runs]
    assert errors[0] > 5 * errors[1] > 25 * errors[2]


def test_stiff_oscillation_agrees_with_radau() -> None:
    def slope(_t: float, x: np.ndarray) -> list[float]:
        return [x[1], 1e3 * (1 - x[0] ** 2) * x[1] - x[0]]

    def jacobian(_t: float, x: np.ndarray) -> list[list[float]]:
        return [[0, 1], [-2e3 * x[0] * x[1] - 1, 1e3 * (1 - x[0] ** 2)]]

    expected = solve_ivp(slope, (0, 1000), [2, 0], method="Radau", jac=jacobian, rtol=1e-11, atol=1e-13).y[:, -1]
    run = integrate(van_der_pol(), 0, 1000, [2.0, 0.0], [1e3], method="rodas5p", rtol=1e-8, atol=1e-10)
    assert run.status is Status.DONE
    assert run.statistics.accepted < 3000
    np.testing.assert_allclose(run.x[-1], expected, rtol=1e-6)


def test_robertson_kinetics_agree_with_the_published_values() -> None:
    # Reference of the test set for IVP solvers (Mazzia and Magherini 2008), t = 1e11 s.
    expected = [0.2083340149701255e-07, 0.8333360770334713e-13, 0.9999999791665050]
    run = integrate(robertson(), 0, 1e11, [1.0, 0, 0], [0.0], method="rodas5p", rtol=1e-8, atol=[1e-16, 1e-20, 1e-16])
    assert run.status is Status.DONE
    np.testing.assert_allclose(run.x[-1], expected, rtol=1e-5)


def test_fixed_steps_end_at_multiples_and_at_the_end() -> None:
    run = integrate(oscillator(), 1, 2.05, [1.0, 0.0], [1.0], method="rk4", step=0.1)
    np.testing.assert_allclose(run.t, [*np.arange(1, 2.01, 0.1), 2.05], atol=1e-14)
    assert run.t[-1] == 2.05


def test_max_step_is_kept() -> None:
    run = integrate(oscillator(), 0, 3, [1.0, 0.0], [1.0], max_step=0.01)
    assert np.diff(run.t).max() <= 0.01 * 1.0101


def test_first_step_is_kept() -> None:
    run = integrate(oscillator(), 0, 3, [1.0, 0.0], [1.0], first_step=1e-3)
    assert run.t[1] == pytest.approx(1e-3)


def test_tolerance_may_differ_between_states() -> None:
    loose = integrate(oscillator(), 0, 10, [1.0, 0.0], [1.0], rtol=0, atol=[1e-4, 1e-4])
    tight = integrate(oscillator(), 0, 10, [1.0, 0.0], [1.0], rtol=0, atol=[1e-4, 1e-11])
    assert tight.statistics.accepted > 2 * loose.statistics.accepted


def test_long_runs_outgrow_the_first_buffers() -> None:
    run = integrate(oscillator(), 0, 5000, [1.0, 0.0], [1.0], directions=[1, 0, 0], rtol=1e-11, atol=1e-13)
    assert run.statistics.accepted == len(run.t) - 1 > 5000
    risings = [event.time for event in run.events if event.guard == 0]
    np.testing.assert_allclose(risings, np.arange(len(risings)) * 2 * np.pi + 1.5 * np.pi, atol=1e-6)
    np.testing.assert_allclose(run.at([2500.0])[0], [np.cos(2500), -np.sin(2500)], atol=1e-6)


def test_without_dense_output_only_the_steps_are_stored() -> None:
    run = integrate(oscillator(), 0, 3, [1.0, 0.0], [1.0], dense=False)
    full = integrate(oscillator(), 0, 3, [1.0, 0.0], [1.0])
    np.testing.assert_array_equal(run.x, full.x)
    with pytest.raises(ValueError, match="dense=False"):
        run.at([1.0])


@pytest.mark.parametrize("method", METHODS)
def test_an_empty_interval_gives_the_start(method: str) -> None:
    run = integrate(oscillator(), 1, 1, [1.0, 2.0], [1.0], method=method, step=0.1 if METHODS[method].fixed else None)
    assert run.status is Status.DONE
    np.testing.assert_array_equal(run.x, [[1.0, 2.0]])
    np.testing.assert_array_equal(run.at([1.0]), [[1.0, 2.0]])
