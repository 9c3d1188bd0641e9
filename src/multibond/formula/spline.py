"""Coefficients of piecewise polynomials through given points: straight lines and natural cubic splines."""

from __future__ import annotations

import numpy as np


def piece_coefficients(x: np.ndarray, values: np.ndarray, smooth: bool, hold: bool) -> np.ndarray:
    """Coefficients by (piece, power, ...) of n points, whose values run along the first axis.

    There are n + 1 pieces: before the first point, the n - 1 intervals, after the last. Piece k is a polynomial of the
    distance to its origin (see `origins`). At the ends it is constant (`hold`) or straight with the end slope.
    """
    inner = _cubic(x, values) if smooth else _straight(x, values)
    first, last = np.zeros_like(inner[:1]), np.zeros_like(inner[:1])
    first[0, 0], last[0, 0] = values[0], values[-1]
    if not hold:
        first[0, 1] = inner[0, 1]
        step = x[-1] - x[-2]
        last[0, 1] = sum(power * inner[-1, power] * step ** (power - 1) for power in range(1, inner.shape[1]))
    return np.concatenate([first, inner, last])


def origins(x: np.ndarray) -> np.ndarray:
    """Where the polynomial of each piece has its zero."""
    return np.concatenate([x[:1], x])


def sign_changes(x: np.ndarray) -> np.ndarray:
    """Coefficients of a function with a continuous slope (1 or -1 at the points) that changes sign at each point."""
    sign = (-1.0) ** np.arange(x.size + 1)
    curve = np.concatenate([[0.0], 1 / np.diff(x), [0.0]])
    sign[0] = -1.0
    return np.stack([np.zeros_like(sign), sign, -sign * curve], axis=1)


def _straight(x: np.ndarray, values: np.ndarray) -> np.ndarray:
    slope = np.diff(values, axis=0) / _along(np.diff(x), values)
    return np.stack([values[:-1], slope], axis=1)


def _cubic(x: np.ndarray, values: np.ndarray) -> np.ndarray:
    """The spline whose second derivative is continuous and vanishes at both ends."""
    step = _along(np.diff(x), values)
    slope = np.diff(values, axis=0) / step
    bend = _bends(np.diff(x), slope)
    linear = slope - step * (2 * bend[:-1] + bend[1:]) / 6
    return np.stack([values[:-1], linear, bend[:-1] / 2, np.diff(bend, axis=0) / (6 * step)], axis=1)


def _bends(step: np.ndarray, slope: np.ndarray) -> np.ndarray:
    """Second derivatives at the points, by elimination along the three diagonals."""
    right = 6 * np.diff(slope, axis=0)
    diagonal = 2 * (step[:-1] + step[1:])
    for k in range(1, diagonal.size):
        factor = step[k] / diagonal[k - 1]
        diagonal[k] -= factor * step[k]
        right[k] -= factor * right[k - 1]
    bend = np.zeros((step.size + 1, *slope.shape[1:]))
    for k in range(diagonal.size - 1, -1, -1):
        bend[k + 1] = (right[k] - step[k + 1] * bend[k + 2]) / diagonal[k]
    return bend


def _along(numbers: np.ndarray, values: np.ndarray) -> np.ndarray:
    """Numbers along the first axis, to be combined with values of more axes."""
    return numbers.reshape(-1, *([1] * (values.ndim - 1)))
