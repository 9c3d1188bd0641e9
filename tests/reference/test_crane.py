"""ControlledCraneCrab of PlanarMechanics: a cart balances a load upside down.

Origin: the figures printed with the library, and an independent solution with Lagrange's equations and SciPy. Its
public signals are in `test_signals.py`.
"""

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import multibond as mb
from multibond.examples import controlled_crane

CART, LOAD, LENGTH, GAIN, TD, N = 250.0, 70.0, 2.5, 320.0 * 9.81 * 5.0, 0.2, 10.0


@pytest.fixture(scope="module")
def run() -> mb.Run:
    return mb.simulate(controlled_crane(), 3.0, rtol=1e-11, atol=1e-13)


def motion(t: float, z: np.ndarray) -> list[float]:
    """Lagrange's equations of the cart at s with the load at angle phi from upright, and the controller."""
    _, phi, v, w, lag, total = z
    rest = -phi - lag
    force = GAIN * (-phi + N * rest) + total
    mass = [[CART + LOAD, -LOAD * LENGTH * np.cos(phi)], [-LOAD * LENGTH * np.cos(phi), LOAD * LENGTH**2]]
    right = [force - LOAD * LENGTH * np.sin(phi) * w**2, LOAD * 9.81 * LENGTH * np.sin(phi)]
    a, turn = np.linalg.solve(mass, right)
    return [v, w, a, turn, N / TD * rest, GAIN * -phi / 1e9]


def test_against_lagrange(run: mb.Run) -> None:
    times = np.linspace(0.0, 3.0, 61)
    start = [0.0, np.deg2rad(-20.0), 0.0, 0.0, 0.0, 0.0]
    wanted = solve_ivp(motion, (0.0, 3.0), start, "DOP853", times, rtol=1e-12, atol=1e-13).y
    for name, values in zip(("rail.position", "hinge.angle", "rail.speed", "hinge.speed"), wanted, strict=False):
        worst = np.abs(run[name](times) - values).max()
        print(name, worst)
        assert worst < 1e-8


def test_printed_figures(run: mb.Run) -> None:
    assert run["rail.position"](1.0) == pytest.approx(1.36486, abs=1e-5)
    assert run["rail.position"](3.0) == pytest.approx(1.92865, abs=1.5e-5)
