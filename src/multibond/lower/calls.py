"""Native functions of a system called from Python: at one state or at many, into new arrays or into given ones.

Pointers are prepared once for each thread, so that threads may call one system at the same time; a call then copies its
state in, passes one pointer, and copies the result out.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from math import prod
from threading import local
from typing import TYPE_CHECKING, Any
from weakref import ref

import numpy as np

from multibond.errors import Finding, ModelError, ParameterError
from multibond.lower.each import each, table

if TYPE_CHECKING:
    from multibond.lower.system import Code, System

State = Callable[[Any, Any, float], np.ndarray]
"""(system, x, t) → the state that is meant."""

FLOAT = np.dtype(np.float64)
P = 4
"""Place of the parameters in the table of a call."""


class _Seat:
    """The memory of one thread for calls at one state."""

    __slots__ = ("argument", "out", "p", "t", "table", "work", "x")

    def __init__(self, address: int, width: int, parameters: np.ndarray, shape: tuple[int, ...], work: np.ndarray):
        self.t, self.x, self.p, self.work = ctypes.c_double(), np.zeros(width), parameters, work
        self.out = np.zeros(max(1, prod(shape)))[: prod(shape)].reshape(shape)
        self.table = table(
            function=address, count=1, t=ctypes.addressof(self.t), x=self.x.ctypes.data, p=parameters.ctypes.data,
            out=self.out.ctypes.data, work=work.ctypes.data,
        )  # fmt: skip
        self.argument = ctypes.c_void_p(self.table.ctypes.data)


class Call:
    """A model function of a system: numbers of a fixed shape at a state.

    state: what brings anything else than a plain array of numbers into one. further: how many numbers follow the state,
    such as wanted accelerations.
    """

    def __init__(
        self, system: System, code: Code, name: str, shape: tuple[int, ...], state: State, *, further: int = 0
    ) -> None:
        address = code.address(name)
        if address is None:
            raise LookupError(name)
        self.shape, self.further, self._n = shape, further, system.n
        self._system, self._parameters = ref(system), system.parameters
        self._code, self._address, self._state = code, address, state
        self._row, self._run, self._own = (system.n,), each().held, local()

    def __call__(self, x: Any, u: Any, t: float, out: np.ndarray | None, more: np.ndarray | None = None) -> np.ndarray:
        """The result as a new array, or written into `out`; with an axis before for each state of an array of them."""
        try:
            seat = self._own.seat
        except AttributeError:
            seat = self._own.seat = self._seat()
        if type(x) is not np.ndarray or x.shape != self._row or x.dtype is not FLOAT:
            if is_many(x, self._n):
                return self._each(np.ascontiguousarray(x, float), u, t, out, more)
            x = self._state(self._system(), x, t)
        if more is None:
            seat.x[:] = x
        else:
            seat.x[: self._n] = x
            seat.x[self._n :] = more
        seat.t.value = t
        if self._code.work_start is not None:
            seat.work[:] = self._code.work_start
        if u is None:
            self._run(seat.argument)
        else:
            self._with_inputs(seat, u)
        if out is None:
            return seat.out.copy()
        require_writable(out, self.shape)
        out[...] = seat.out
        return out

    def _seat(self) -> _Seat:
        work = np.zeros(max(1, self._code.work_size))
        return _Seat(self._address, self._n + self.further, self._parameters, self.shape, work)

    def _filled(self, u: Any) -> np.ndarray:
        """The parameters with given inputs."""
        system = self._system()
        assert system is not None
        return np.ascontiguousarray(system.with_inputs(u), float)

    def _with_inputs(self, seat: _Seat, u: Any) -> None:
        p = self._filled(u)
        try:
            seat.table[P] = p.ctypes.data
            self._run(seat.argument)
        finally:
            seat.table[P] = seat.p.ctypes.data

    def _each(self, x: np.ndarray, u: Any, t: float, out: Any, more: np.ndarray | None) -> np.ndarray:
        """At each row of x; u: inputs of all, or one row of them for each state."""
        count, shape = len(x), (len(x), *self.shape)
        if out is None:
            out = np.empty(shape)
        else:
            require_writable(out, shape)
        if not out.size:
            return out
        if more is not None:
            x = np.hstack([x, np.broadcast_to(more, (count, self.further))])
        p = self._filled_each(u, count)
        found = out if not np.may_share_memory(out, x) else np.empty(shape)
        if self._code.work_start is None:
            self._walk(x, p, t, found, count)
        else:  # what is found by iteration begins at the same place for every state
            for k in range(count):
                self._walk(x[k : k + 1], p[k:] if p.ndim == 2 else p, t, found[k : k + 1], 1)
        if found is not out:
            out[...] = found
        return out

    def _walk(self, x: np.ndarray, p: np.ndarray, t: float, out: np.ndarray, count: int) -> None:
        clock, start = ctypes.c_double(t), self._code.work_start
        work = np.zeros(max(1, self._code.work_size)) if start is None else start.copy()
        entries = table(
            function=self._address, count=count, t=ctypes.addressof(clock), x=x.ctypes.data, p=p.ctypes.data,
            out=out.ctypes.data, work=work.ctypes.data, next_x=x.strides[0], next_p=p.strides[0] if p.ndim == 2 else 0,
            next_out=8 * prod(self.shape),
        )  # fmt: skip
        each().free(entries.ctypes.data)

    def _filled_each(self, u: Any, count: int) -> np.ndarray:
        if not isinstance(u, np.ndarray) or u.ndim != 2:
            return self._filled(u)
        return np.array([self._filled(row) for row in row_of_each(u, count)], float).reshape(count, -1)


def row_of_each(u: Any, count: int) -> list[Any]:
    """Inputs for each of several states: one row each, or the same for all."""
    if not isinstance(u, np.ndarray) or u.ndim != 2:
        return [u] * count
    if len(u) != count:
        fact = f"There are {count} states."
        raise ModelError(Finding(f"u cannot have {len(u)} rows.", fact, "Give one row for each state."))
    return list(u)


def is_many(x: Any, n: int) -> bool:
    """Whether these are several states, one row each."""
    return isinstance(x, np.ndarray) and x.ndim == 2 and x.shape[1] == n


def require_writable(out: Any, shape: tuple[int, ...]) -> None:
    """Refuse a buffer that a result does not fit into as it is."""
    if isinstance(out, np.ndarray) and out.dtype is FLOAT and out.shape == shape and out.flags.carray:
        return
    wanted = f"It takes an array of doubles of shape {shape}, row after row in memory, that may be written."
    raise ParameterError(Finding(f"out cannot be {_told(out, shape)}.", wanted, f"Make it with np.empty({shape})."))


def _told(out: Any, shape: tuple[int, ...]) -> str:
    """What is wrong with a buffer."""
    if not isinstance(out, np.ndarray):
        return f"a {type(out).__name__}"
    if out.dtype != FLOAT:
        return f"an array of {out.dtype}"
    if out.shape != shape:
        return f"an array of shape {out.shape}"
    if not out.flags.writeable:
        return "read-only"
    return "a view whose numbers lie apart"
