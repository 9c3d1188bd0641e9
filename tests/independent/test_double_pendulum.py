"""The planar double pendulum by Lagrange's equations, over a whole trajectory."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import multibond as mb
from multibond.examples.links import Link, serial

MASS, LENGTH, HALF, MOMENT, G = 1.0, 1.0, 0.5, 1 / 12, 9.81
START = (0.9, 0.4, 0.0, -0.5)
"""Angle of the first bar, angle of the second against the first, and their rates  [rad, rad/s]."""


def lagrange(_: float, state: np.ndarray) -> np.ndarray:
    """Absolute angles a, b from hanging, both bars alike.

    A a'' + B cos(a - b) b'' + B sin(a - b) b'² + (m h + m l) g sin a = 0 and its twin, with A = J + m h² + m l²,
    B = m l h, D = J + m h².
    """
    a, b, da, db = state
    A, B, D = MOMENT + MASS * HALF**2 + MASS * LENGTH**2, MASS * LENGTH * HALF, MOMENT + MASS * HALF**2
    M = np.array([[A, B * np.cos(a - b)], [B * np.cos(a - b), D]])
    force = [
        -B * np.sin(a - b) * db**2 - MASS * (HALF + LENGTH) * G * np.sin(a),
        B * np.sin(a - b) * da**2 - MASS * HALF * G * np.sin(b),
    ]
    return np.array([da, db, *np.linalg.solve(M, force)])


@pytest.mark.parametrize("method", ["auto", "multiplier"])
def test_double_pendulum(method: str) -> None:
    bar = (0.0, 0.0, -HALF)
    links = [
        Link("y", (0.0, 0.0, 0.0), MASS, bar, (MOMENT, MOMENT, 1e-3)),
        Link("y", (0.0, 0.0, -LENGTH), MASS, bar, (MOMENT, MOMENT, 1e-3)),
    ]
    t = np.linspace(0.0, 5.0, 101)
    run = mb.simulate(serial("double_pendulum", links, START[:2], START[2:]), 5.0, rtol=1e-11, method=method)
    a, b, da, db = START[0], START[0] + START[1], START[2], START[2] + START[3]
    expected = solve_ivp(lagrange, (0, 5), [a, b, da, db], "DOP853", t, rtol=1e-12, atol=1e-13).y
    found = np.array([run["joint0.angle"](t), run["joint1.angle"](t), run["joint0.speed"](t), run["joint1.speed"](t)])
    turn = 2 * np.pi
    off = np.array([found[0] - expected[0], found[1] - (expected[1] - expected[0])])
    off = np.abs((off + np.pi) % turn - np.pi).max()
    rates = np.abs([found[2] - expected[2], found[3] - (expected[3] - expected[2])]).max()
    print(f"{method}: angles {off:.1e} rad, rates {rates:.1e} rad/s")
    assert off <= 1e-8 and rates <= 1e-7
