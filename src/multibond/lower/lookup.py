"""Look-ups of tables as LLVM IR: a binary search in constant data that returns the address of a row of numbers."""

from __future__ import annotations

import casadi as ca
import numpy as np

from multibond.formula.pieces import Pieces, data_of, is_derivative, is_lookup
from multibond.lower.writer import INT, PTR, REAL, Array, Value, Writer


def called(function: ca.Function) -> dict[int, ca.Function]:
    """The functions that an SX function calls, by the number of the instruction."""
    calls = [k for k in range(function.n_instructions()) if function.instruction_id(k) == ca.OP_CALL]
    nodes = function.instructions_sx() if calls else []
    return {k: nodes[k].which_function() for k in calls}


def emit_lookups(function: ca.Function, prefix: str) -> str:
    """Definitions `ptr @prefix.name(double, ...)` of all look-ups that a function calls."""
    found = {f.name(): f for f in called(function).values() if is_lookup(f) and not is_derivative(f)}
    return "".join(_define(data_of(f), f"{prefix}.{name}") for name, f in found.items())


def _define(pieces: Pieces, name: str) -> str:
    """A look-up: its data, and the function that finds the row."""
    width = pieces.rows.shape[1]
    parts = [_constants(f"{name}.rows", pieces.rows)]
    arguments = [f"x{k}" for k in range(len(pieces.breaks))]
    w = Writer(name, dict.fromkeys(arguments, REAL), PTR)
    index = w.constant(0, INT)
    for argument, breaks in zip(arguments, pieces.breaks, strict=True):
        parts.append(_constants(f"{name}.{argument}", breaks))
        piece = _search(w, Array(w, f"@{name}.{argument}"), breaks.size, w.parameter(argument))
        index = index * (breaks.size + 1) + piece
    w.ret(Value(w, Array(w, f"@{name}.rows").at(index * width).pointer, PTR))
    return "".join([*parts, w.finish()])


def _search(w: Writer, breaks: Array, count: int, place: Value) -> Value:
    """How many breaks are not greater than a place (0 where it is no number)."""
    low, high = w.variable(0, INT), w.variable(count, INT)
    with w.forever() as leave:
        first, last = low.value, high.value
        leave(first >= last)
        middle = (first + last) // 2
        passed = breaks[middle] <= place
        low.set(w.select(passed, middle + 1, first, INT))
        high.set(w.select(passed, last, middle, INT))
    return low.value


def _constants(label: str, values: np.ndarray) -> str:
    digits = values.astype(">f8").tobytes().hex().upper()  # in one go: a table may have a million numbers
    listed = ", ".join([f"double 0x{digits[k : k + 16]}" for k in range(0, len(digits), 16)])
    return f"@{label} = internal constant [{values.size} x double] [{listed}]\n"
