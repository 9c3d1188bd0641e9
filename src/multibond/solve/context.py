"""The context: one block of eight-byte slots through which Python and the compiled integrator share everything.

Python fills the slots once, the compiled code keeps its whole state in them, so it can return (buffers full) and be
entered again at the same place.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from multibond.lower.writer import INT, PTR, REAL, Array, Operand, Type, Value, Writer

COUNTS = (
    "n",  # number of states
    "n_angles",  # states that are angles which may turn on and on
    "n_guards",
    "stride",  # doubles in one stored step
    "event_stride",  # doubles in one stored event
    "capacity",  # stored steps that fit
    "event_capacity",
    "steps",  # stored steps
    "events",  # stored events
    "max_steps",
    "dense",  # 1 where interpolation coefficients are stored
    "samples",  # parts of a step in which guards are watched
    "accepted",
    "rejected",
    "evaluations",  # of the right-hand side
    "jacobians",
    "jacobian_valid",  # 1 after a rejected step: the state has not changed
    "retry",  # 1 where the last attempt was rejected, so that the step must not grow
    "cause",  # status to report where the step becomes too small
    "moved",  # 1 where a projection may change an accepted state
    "counted",  # number of states that count in the error of a step
    "holds",  # number of groups of loops whose hold the right-hand side leaves in the workspace
    "singular",  # 1 where a step has met a singular position
)
REALS = (
    "t",  # start of the step in hand
    "t_new",  # its end
    "h",  # its length
    "h_next",  # length wished for the next attempt
    "t0",
    "t1",
    "step",  # length of fixed steps, otherwise 0
    "max_step",
    "rtol",
    "projection_tolerance",
    "error_old",  # scaled error of the last accepted step
    "clock",  # time at which a model function is evaluated
    "least_hold",  # below it a position counts as singular, in parts of the usual hold
)
FUNCTIONS = ("rhs", "jacobian", "partial_t", "position_step", "velocity_step", "guards")
ARRAYS = (
    "x",
    "x_new",
    "angles",  # which states are angles
    "turn_places",  # where the parameters have the whole turns that these leave out
    "turns",  # turns left out since the start
    "first_turns",  # turns that were left out at the start
    "turns_in_step",  # turns left out while a state is projected
    "p",
    "work",
    "atol",
    "stages",  # derivatives at the stages, one row of n each; row 0 belongs to the start of the step
    "trial",  # state at a stage
    "point",  # state at an interpolated time
    "projected",  # what a projection step returns: n states and the error
    "matrix",  # n x n, column-major: Jacobian
    "factors",  # n x n, column-major: triangular factors
    "pivots",
    "slope_t",  # partial derivative of the right-hand side with respect to time
    "guard_start",
    "guard_end",
    "guard_trial",
    "directions",
    "terminal",
    "records",
    "record",  # the step in hand: t, h, state at its start, coefficients
    "event_records",
    "usual_holds",  # of each group
    "stage_holds",  # the least hold at each stage, in parts of the usual one
    "looks",  # fractions of a step at which the hold is known, and what it is there, in pairs
)
WHOLE = ("directions", "terminal", "pivots")
"""Arrays of integers."""
SLOTS = {name: k for k, name in enumerate((*COUNTS, *REALS, *FUNCTIONS, *ARRAYS))}


class Layout:
    """What many blocks have in common: counts, addresses of functions, sizes of arrays in one stretch of memory.

    Made once for a model and a method, so that a block for one more run costs no more than its memory.
    """

    def __init__(self, shapes: Mapping[str, tuple[int, ...]], **counts: int) -> None:
        self.shapes, start = dict[str, tuple[int, tuple[int, ...]]](), 0
        for name, shape in shapes.items():
            self.shapes[name] = (start, shape)
            start += math.prod(shape)
        self.size = max(start, 1)
        self.places = np.array([SLOTS[name] for name in shapes], dtype=np.int64)
        self.offsets = np.array([8 * at for at, _ in self.shapes.values()], dtype=np.int64)
        self.slots = np.zeros(len(SLOTS), dtype=np.int64)
        for name, value in counts.items():
            self.slots[SLOTS[name]] = value


class Block:
    """The slots seen from Python."""

    def __init__(self) -> None:
        self._ints = np.zeros(len(SLOTS), dtype=np.int64)
        self._reals = self._ints.view(np.float64)
        self._held: dict[str, np.ndarray] = {}
        self._shapes: Mapping[str, tuple[int, tuple[int, ...]]] = {}
        self._memory = np.zeros(0)

    @classmethod
    def like(cls, layout: Layout) -> Block:
        """A fresh block with counts, addresses and empty arrays as in a layout."""
        made = cls.__new__(cls)
        made._ints = layout.slots.copy()
        made._reals = made._ints.view(np.float64)
        made._held, made._shapes, made._memory = {}, layout.shapes, np.zeros(layout.size)
        made._ints[layout.places] = layout.offsets + made._memory.__array_interface__["data"][0]
        return made

    def __getstate__(self) -> dict[str, object]:
        """Numbers and arrays; addresses are those of a process."""
        arrays = {name: self.array(name) for name in (*self._shapes, *self._held)}
        return {"slots": self._ints[: len(COUNTS) + len(REALS)].copy(), "arrays": arrays}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__init__()
        self._ints[: len(COUNTS) + len(REALS)] = state["slots"]
        self.set_array(**{name: np.array(array) for name, array in state["arrays"].items()})

    @property
    def address(self) -> int:
        """Where the compiled code finds the slots."""
        return self._ints.__array_interface__["data"][0]

    def set_int(self, **values: int) -> None:
        """Write counts, flags or function addresses."""
        ints = self._ints
        for name, value in values.items():
            ints[SLOTS[name]] = value

    def set_real(self, **values: float) -> None:
        """Write doubles."""
        for name, value in values.items():
            self._reals[SLOTS[name]] = value

    def set_array(self, **arrays: np.ndarray) -> None:
        """Point to arrays, which are kept alive from now on."""
        for name, array in arrays.items():
            self._held[name] = array
            self._ints[SLOTS[name]] = array.__array_interface__["data"][0]

    def int(self, name: str) -> int:
        """Read a count."""
        return int(self._ints[SLOTS[name]])

    def counts(self, *names: str) -> list[int]:
        """Read several counts."""
        return [int(self._ints[SLOTS[name]]) for name in names]

    def real(self, name: str) -> float:
        """Read a double."""
        return float(self._reals[SLOTS[name]])

    def array(self, name: str) -> np.ndarray:
        """The array a slot points to."""
        found = self._held.get(name)
        if found is None:
            start, shape = self._shapes[name]
            count = math.prod(shape)
            found = self._memory[start : start + count].reshape(shape)
            self._held[name] = found = found.view(np.int64) if name in WHOLE else found
        return found


class Context:
    """The slots seen from text under construction; every access is a load or a store."""

    def __init__(self, writer: Writer) -> None:
        self._writer = writer
        self._slots = {kind: writer.array("c", kind) for kind in (INT, REAL, PTR)}

    @property
    def base(self) -> Array:
        """The context itself, to be passed on."""
        return self._slots[INT]

    def int(self, name: str) -> Value:
        """A count."""
        return self._slots[INT][SLOTS[name]]

    def real(self, name: str) -> Value:
        """A double."""
        return self._slots[REAL][SLOTS[name]]

    def array(self, name: str, kind: Type = REAL) -> Array:
        """An array."""
        return Array(self._writer, self._slots[PTR][SLOTS[name]].name, kind)

    def cell(self, name: str) -> Array:
        """The memory of a double, for functions that take the time by address."""
        return self._slots[REAL].at(SLOTS[name])

    def set_int(self, name: str, value: Operand) -> None:
        """Write a count."""
        self._slots[INT][SLOTS[name]] = value

    def set_real(self, name: str, value: Operand) -> None:
        """Write a double."""
        self._slots[REAL][SLOTS[name]] = value

    def bump(self, name: str) -> None:
        """Add one to a count."""
        self.set_int(name, self.int(name) + 1)

    def has(self, function: str) -> Value:
        """Whether the model offers a function."""
        return self.int(function).differs(0)

    def rates(self) -> Value:
        """How many numbers the right-hand side writes: one for each state, one where there is none."""
        n = self.int("n")
        return self._writer.select(n > 0, n, 1, INT)

    def mean(self, total: Value) -> Value:
        """A sum over the states that count divided by their number; a model without states counts as one."""
        return total / self._writer.maximum(1.0, self._writer.real(self.int("counted")))

    def evaluate(self, function: str, time: Array, x: Array, out: Array) -> None:
        """Call a model function (t, x, p, out, work)."""
        target = self._slots[PTR][SLOTS[function]]
        self._writer.call(target, [time, x, self.array("p"), out, self.array("work")])

    def rate(self, time: Array, x: Array, stage: int, out: Array) -> None:
        """The derivative at a stage; what it tells of the hold of loops is kept."""
        self.evaluate("rhs", time, x, out)
        with self._writer.when(self.int("holds") > 0):
            self.array("stage_holds")[stage] = self._writer.call("least_hold", [self.base], REAL)


def function(
    name: str, result: Type | None = None, *, internal: bool = True, quick: bool = False, **parameters: Type
) -> tuple[Writer, Context]:
    """Begin a function whose first parameter is the context; see `Writer` for `internal` and `quick`."""
    writer = Writer(name, {"c": PTR, **parameters}, result, internal=internal, quick=quick)
    return writer, Context(writer)
