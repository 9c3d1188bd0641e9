"""Calls of a system that are worked out step by step in Python: the same arguments and results as native ones."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple
from weakref import ref

import numpy as np

from multibond.lower.calls import is_many, require_writable, row_of_each
from multibond.lower.system import System
from multibond.solve.states import state_of


class At(NamedTuple):
    """A point at which a system is looked at: time, state, parameters."""

    t: float
    x: np.ndarray
    p: np.ndarray


Value = Callable[[Any, At, Any], np.ndarray]
"""What a call gives: for the system, a point, and what follows the state."""


class Calculated:
    """A call of a system, see `lower.calls.Call`."""

    def __init__(self, system: System, value: Value) -> None:
        self._system, self._value = ref(system), value

    def __call__(self, x: Any, u: Any, t: float, out: np.ndarray | None, more: np.ndarray | None = None) -> np.ndarray:
        """The result as a new array, or written into `out`; with an axis before for each state of an array of them."""
        system = self._system()
        assert system is not None
        found = self._each(system, x, u, t, more) if is_many(x, system.n) else self._one(system, x, u, t, more)
        if out is None:
            return found
        require_writable(out, found.shape)
        out[...] = found
        return out

    def _one(self, system: System, x: Any, u: Any, t: float, more: np.ndarray | None) -> np.ndarray:
        return self._value(system, At(float(t), state_of(system, x, t=t), system.with_inputs(u)), more)

    def _each(self, system: System, x: np.ndarray, u: Any, t: float, more: np.ndarray | None) -> np.ndarray:
        rows = row_of_each(u, len(x))
        further = [None] * len(x) if more is None else np.broadcast_to(more, (len(x), more.shape[-1]))
        found = [self._one(system, *each[:2], t, each[2]) for each in zip(x, rows, further, strict=True)]
        return np.array(found) if found else np.zeros((0, *self._one(system, None, None, t, _nothing(more)).shape))


def _nothing(more: np.ndarray | None) -> np.ndarray | None:
    return None if more is None else np.zeros(more.shape[-1])
