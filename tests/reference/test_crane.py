"""ControlledCraneCrab of PlanarMechanics: a cart balances a load upside down.

Origin: the public reference signals of the library (tolerance about 1e-4, read where they are at hand), the figures
printed with it, and an independent solution with Lagrange's equations and SciPy.
"""

from pathlib import Path

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import multibond as mb
from multibond.examples import controlled_crane

SIGNALS = Path(__file__).parents[3] / "shared/reference/modelica/PlanarMechanics.ControlledCraneCrab.csv"
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


@pytest.mark.skipif(not SIGNALS.exists(), reason="the public signals are not at hand")
def test_public_signals(run: mb.Run) -> None:
    table = np.genfromtxt(SIGNALS, delimiter=",", names=True)
    pairs = {
        "rail.position": "prismatics",
        "hinge.angle": "bodyphi",
        "hinge.speed": "revolutew",
        "rail.speed": "prismaticv",
    }
    for ours, theirs in pairs.items():
        worst = np.abs(run[ours](table["Time"]) - table[theirs]).max()
        print(ours, worst)
        assert worst < 1e-4
