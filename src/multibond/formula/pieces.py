"""Piecewise polynomials as symbols: one opaque look-up of the piece, then ordinary arithmetic.

A look-up is a CasADi function that returns the row of numbers of the piece its arguments fall into. It is constant
within a piece, so its derivatives are zero, and those of the polynomial follow from plain arithmetic, to any order.
`lower.emit` writes look-ups as a binary search in constant data; `data_of` hands it that data.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass

import casadi as ca
import numpy as np

from multibond.expr import SX, Function, cse

_NAME = re.compile(r"((?:[a-z]+\d*_)*)pieces_[0-9a-f]{16}")


@dataclass(frozen=True, eq=False)
class Pieces:
    """Data of a look-up: `breaks` of each argument, and a row of numbers for each piece (last argument fastest).

    The piece of an argument is the number of its breaks that are not greater than it.
    """

    breaks: tuple[np.ndarray, ...]
    rows: np.ndarray

    def find(self, *places: np.ndarray) -> np.ndarray:
        """The rows for given numbers; the entries of a row come last."""
        index = np.zeros((), int)
        for breaks, place in zip(self.breaks, places, strict=True):
            index = index * (breaks.size + 1) + np.searchsorted(breaks, place, side="right")
        return self.rows[index]


def lookup(pieces: Pieces) -> Function:
    """The look-up as an opaque function of one symbol for each argument."""
    places = [ca.MX.sym(f"x{k}") for k in range(len(pieces.breaks))]
    index = ca.MX(0)
    for breaks, place in zip(pieces.breaks, places, strict=True):
        grid = ca.DM([-np.inf, *breaks, np.inf])
        index = index * (breaks.size + 1) + ca.low(grid, place, {"lookup_mode": "binary"})
    # The last entry is zero everywhere: CasADi takes the derivative for zero times the argument, not for nothing,
    # which it would turn into NaN (3.8.2, calls of sparse results in SX).
    table = ca.MX(ca.DM(np.hstack([pieces.rows, np.zeros((len(pieces.rows), 1))]).T))
    row, width = table[:, index], pieces.rows.shape[1]
    result = row[:width] + row[width] * sum(places[1:], places[0])
    return Function(_name(pieces), places, [result], {"never_inline": True})


def _name(pieces: Pieces) -> str:
    content = hashlib.sha256()
    for array in (*pieces.breaks, pieces.rows):
        content.update(repr(array.shape).encode() + array.tobytes())
    return f"pieces_{content.hexdigest()[:16]}"


def is_lookup(function: Function) -> bool:
    """Whether a function is a look-up, or a derivative of one."""
    return _NAME.fullmatch(function.name()) is not None


def is_derivative(function: Function) -> bool:
    """Whether a function is the derivative of a look-up, and so zero."""
    found = _NAME.fullmatch(function.name())
    return found is not None and bool(found.group(1))


def data_of(function: Function) -> Pieces:
    """The data of a look-up, read from the function itself."""
    breaks, rows = [], None
    for k in range(function.n_instructions()):
        op = function.instruction_id(k)
        if op == ca.OP_LOW:
            breaks.append(np.asarray(function.instruction_MX(k).dep(0).to_DM()).ravel()[1:-1])
        elif op == ca.OP_GETNONZEROS_PARAM and rows is None:
            rows = np.asarray(function.instruction_MX(k).dep(0).to_DM()).T[:, :-1]
    assert rows is not None
    return Pieces(tuple(breaks), rows)


def substitute_in_order(variables: SX, definitions: SX, expressions: Sequence[SX]) -> list[SX]:
    """Fill in definitions, each of which may use the variables before it.

    CasADi's own `substitute_inplace` does it in one pass but cannot read calls of functions, such as look-ups.
    """
    everything = Function("f", ca.symvar(ca.vertcat(definitions, *expressions)), [definitions, *expressions])
    if not everything.find_functions():
        return list(ca.substitute_inplace([variables], [definitions], list(expressions))[1])
    while ca.depends_on(definitions, variables):
        definitions = cse(ca.substitute(definitions, variables, definitions))
    return list(ca.substitute(list(expressions), [variables], [definitions]))
