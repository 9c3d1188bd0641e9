"""What a number must be like: positive, not negative, not zero, a count; told where it is not."""

from __future__ import annotations

import numpy as np

LARGEST_COUNT = 10_000
"""Of components, inputs, rows: more could not be computed with."""


def sign_fault(array: np.ndarray, sign: str) -> str:
    """What is wrong with the sign of numbers, in words; empty where nothing is."""
    if sign == "positive" and not (array > 0).all():
        return "it must be positive"
    if sign == "not negative" and not _not_negative(array):
        matrix = "as a matrix it must be symmetric, without a negative eigenvalue"
        return matrix if array.ndim == 2 else "it must not be negative"
    if sign == "not zero" and not array.all():
        return "it must not be zero"
    if sign == "count" and not ((array >= 1) & (array == np.floor(array))).all():
        return "it must be a whole number from 1 on"
    if sign == "count" and not (array <= LARGEST_COUNT).all():
        return f"it must not be more than {LARGEST_COUNT}"
    return ""


def _not_negative(array: np.ndarray) -> bool:
    if array.ndim == 2:
        return bool(np.allclose(array, array.T) and np.linalg.eigvalsh(array).min() >= -1e-12 * np.abs(array).max())
    return bool((array >= 0).all())
