"""A four-bar linkage by hand: positions from two circles, speeds from a linear solve, forces from virtual work.

All formulas are analytic in the crank angle, so that a complex step gives exact derivatives.
"""

from __future__ import annotations

import numpy as np

CRANK, COUPLER, ROCKER, GROUND, DENSITY, G = 0.3, 0.9, 0.7, 1.0, 2.0, 9.81
STEP = 1e-30


def place(crank: complex) -> tuple[complex, complex]:
    """Angles of coupler and rocker to the ground for a crank angle, the coupler's end above the line to the pivot."""
    bx, by = CRANK * np.cos(crank), CRANK * np.sin(crank)
    dx, dy = GROUND - bx, -by
    square = dx * dx + dy * dy
    along = (COUPLER**2 - ROCKER**2 + square) / 2
    height = np.sqrt(COUPLER**2 * square - along**2)
    cx, cy = bx + (along * dx - height * dy) / square, by + (along * dy + height * dx) / square
    return angle(cx - bx, cy - by), angle(cx - GROUND, cy)


def angle(x: complex, y: complex) -> complex:
    """The angle of a vector with complex parts, analytic in both."""
    real = np.arctan2(np.real(y), np.real(x))
    c, s = np.cos(real), np.sin(real)
    return real + np.arctan((c * y - s * x) / (c * x + s * y))


def ratios(crank: complex) -> tuple[complex, complex]:
    """Speeds of coupler and rocker for a unit speed of the crank."""
    coupler, rocker = place(crank)
    sine = np.sin(coupler - rocker)
    return -CRANK / COUPLER * np.sin(crank - rocker) / sine, CRANK / ROCKER * np.sin(crank - coupler) / -sine


def inertia(crank: complex) -> complex:
    """What the bars resist at the crank: twice the kinetic energy at unit speed."""
    coupler, _ = place(crank)
    two, three = ratios(crank)
    vx = -CRANK * np.sin(crank) - two * COUPLER / 2 * np.sin(coupler)
    vy = CRANK * np.cos(crank) + two * COUPLER / 2 * np.cos(coupler)
    masses = DENSITY * np.array([CRANK, COUPLER, ROCKER])
    about = masses * np.array([CRANK, COUPLER, ROCKER]) ** 2
    return about[0] / 3 + masses[1] * (vx**2 + vy**2) + about[1] / 12 * two**2 + about[2] / 3 * three**2


def height_energy(crank: complex) -> complex:
    """Potential energy of the weights."""
    coupler, rocker = place(crank)
    first, last = CRANK * np.sin(crank), ROCKER * np.sin(rocker)
    middle = first + COUPLER / 2 * np.sin(coupler)
    return DENSITY * G * (CRANK * first / 2 + COUPLER * middle + ROCKER * last / 2)


def slope(function: object, crank: float) -> float:
    """Exact derivative by a complex step."""
    return float(np.imag(function(crank + 1j * STEP)) / STEP)  # type: ignore[operator]


def bias(crank: float, speed: float) -> float:
    """What the crank needs at constant speed: Lagrange's equation of one coordinate."""
    return 0.5 * slope(inertia, crank) * speed**2 + slope(height_energy, crank)
