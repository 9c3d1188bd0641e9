"""Piecewise polynomials of one or more arguments, for numbers, arrays and symbols."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import casadi as ca
import numpy as np

from multibond.expr import SX, Function, is_symbolic
from multibond.formula.pieces import Pieces, lookup
from multibond.formula.spline import origins


class Polynomial:
    """A polynomial for each piece between the breaks of each argument, and beyond them.

    breaks: for each argument its increasing breaks. coefficients: by (piece, power) of each argument in turn, powers of
    the distance from the piece's origin (its lower break; the first break for the piece below all).
    """

    def __init__(self, breaks: Sequence[np.ndarray], coefficients: np.ndarray) -> None:
        count = len(breaks)
        self._orders = coefficients.shape[1::2]
        grid = np.meshgrid(*map(origins, breaks), indexing="ij")
        by_piece = coefficients.transpose(*range(0, 2 * count, 2), *range(1, 2 * count, 2))
        rows = np.column_stack([*(g.ravel() for g in grid), by_piece.reshape(grid[0].size, -1)])
        self._pieces = Pieces(tuple(breaks), rows)

    def __call__(self, *places: Any) -> Any:
        """The value at a place; arrays and vectors entry by entry."""
        if any(map(is_symbolic, places)):
            return self._symbolic(*map(SX, places))
        numbers = np.broadcast_arrays(*(np.asarray(place, float) for place in places))
        with np.errstate(all="ignore"):
            result = self._value([*np.moveaxis(self._pieces.find(*numbers), -1, 0)], numbers)
        return float(result) if np.ndim(result) == 0 else result

    def _symbolic(self, *places: SX) -> SX:
        size = max(place.numel() for place in places)
        entries = [[place[0] if place.numel() == 1 else place[k] for place in places] for k in range(size)]
        return ca.vertcat(*(self._value(ca.vertsplit(self._lookup(*entry)), entry) for entry in entries))

    @cached_property
    def _lookup(self) -> Function:
        return lookup(self._pieces)

    def _value(self, row: Sequence[Any], places: Sequence[Any]) -> Any:
        """The polynomial of a piece: its row holds the origin of each argument, then the coefficients."""
        terms = list(row[len(places) :])
        for place, origin, order in reversed(list(zip(places, row, self._orders, strict=False))):
            terms = [_horner(terms[k : k + order], place - origin) for k in range(0, len(terms), order)]
        return terms[0]


def _horner(coefficients: Sequence[Any], step: Any) -> Any:
    value = coefficients[-1]
    for coefficient in reversed(coefficients[:-1]):
        value = coefficient + step * value
    return value
