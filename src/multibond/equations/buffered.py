"""CasADi functions called on memory of their own: less than a microsecond a call, where its own types take fifty."""

from __future__ import annotations

from threading import Lock
from typing import Any

import numpy as np

from multibond.expr import Function


class Buffered:
    """A function of dense vectors with one result, for calls one after the other.

    >>> Buffered(function)(time, x)
    """

    def __init__(self, function: Function) -> None:
        rows, filled = function.size1_out(0), function.nnz_out(0)
        self._arguments = [np.zeros(function.nnz_in(k)) for k in range(function.n_in())]
        self._result = np.zeros(filled)
        self._rows = None if filled == rows else np.array(function.sparsity_out(0).row(), int)
        self._size = rows
        self._lock = Lock()
        buffer, self._run = function.buffer()
        self._buffer: Any = buffer  # CasADi's stubs have the arguments of C, with a size besides the memory
        for k, place in enumerate(self._arguments):
            if place.size:
                self._buffer.set_arg(k, place.data)
        if filled:
            self._buffer.set_res(0, self._result.data)

    def __call__(self, *values: Any) -> np.ndarray:
        """The result as a fresh array."""
        with self._lock:  # the memory is one for all callers
            for place, value in zip(self._arguments, values, strict=True):
                place[:] = value
            self._run()
            found = self._result.copy()
        if self._rows is None:
            return found
        out = np.zeros(self._size)
        out[self._rows] = found
        return out
