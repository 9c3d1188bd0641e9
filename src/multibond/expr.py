"""The door to symbols: CasADi `SX`, and the few operations the rest of the house needs.

No other module builds symbolic algorithms of its own; laws use ordinary arithmetic on what they are given,
so the same law serves numbers and symbols.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import casadi as ca
import numpy as np

SX = ca.SX
Function = ca.Function
Expr = Any  # an SX, a float or an array: whatever a law may compute with


def symbol(name: str, rows: int = 1, columns: int = 1) -> SX:
    """A fresh symbolic matrix."""
    return SX.sym(name, rows, columns)


def column(parts: Sequence[Expr]) -> SX:
    """Stack vectors into one column; an empty list gives a column of length zero."""
    return ca.vertcat(*[SX(p) if not isinstance(p, SX) else p for p in parts]) if len(parts) else SX(0, 1)


def constant(value: Any) -> SX:
    """A constant with its zeros left out, so that they vanish from every product."""
    return ca.sparsify(SX(np.asarray(value, float)))


def is_symbolic(value: Any) -> bool:
    """Whether the value is a symbolic expression."""
    return isinstance(value, SX)


def matrix(value: Expr, size: int) -> SX:
    """Read a scalar as a multiple of one, a vector as a diagonal, a matrix as itself."""
    value = value if isinstance(value, SX) else constant(value)
    if value.shape == (1, 1) and size >= 1:
        return value * SX.eye(size)
    if value.shape == (size, 1):
        return ca.diag(value)
    return value


def vector(value: Expr, size: int) -> SX:
    """Read a scalar as a vector of equal entries."""
    value = value if isinstance(value, SX) else constant(value)
    return ca.repmat(value, size, 1) if value.shape == (1, 1) and size > 1 else value


def square(flat: SX) -> SX:
    """Nine entries, row after row, as a 3 by 3 matrix (the form in which rotations travel as signals)."""
    return square_of(flat, 3)


def square_of(entries: SX, size: int) -> SX:
    """size² entries, row after row, as a square matrix."""
    return ca.reshape(entries, size, size).T


def flat(rows: SX) -> SX:
    """A matrix, row after row, as a column."""
    return ca.vec(rows.T)


def section(vector: SX, start: int, stop: int) -> SX:
    """Entries start to stop of a column; an empty section is an empty column, also of a single entry."""
    return vector[start:stop] if stop > start else SX(0, 1)


def entries(vector: SX, index: Sequence[int] | np.ndarray) -> SX:
    """Some entries of a column; none are an empty column, also of a single entry."""
    return vector[[int(k) for k in index]] if len(index) else SX(0, 1)


def nonzeros(value: SX) -> SX:
    """The entries that are not structurally zero, as a column."""
    return ca.vec(SX(value.nz[:]))


def solve_linear(residual: SX, unknown: SX) -> SX:
    """The value of `unknown` that makes `residual`, linear in it, vanish.

    Diagonal systems divide; others use elimination with diagonal pivots in the given order.
    """
    jacobian = ca.jacobian(residual, unknown)
    rest = ca.substitute(residual, unknown, SX.zeros(unknown.numel()))
    if jacobian.sparsity() == ca.Sparsity.diag(unknown.numel()):
        return -rest / ca.diag(jacobian)
    return -ca.solve(jacobian, rest)


# -- common subexpressions ---------------------------------------------------------------------------------------------


def cse(expression: SX) -> SX:
    """The expression with equal parts computed once.

    CasADi's own goes through the data of every look-up that is called (a second for a table of 200,000 values), so that
    symbols stand for the results of calls meanwhile.
    """
    inputs = ca.symvar(expression)
    function = Function("f", inputs, [ca.vec(SX(expression.nz[:]))])
    if not function.find_functions():
        return ca.cse(expression)
    plain, calls = _without_calls(function, inputs)
    entries, calls = _merged(plain, calls)
    symbols, values = SX(0, 1), SX(0, 1)
    for each in calls:
        arguments = ca.substitute(each.arguments, symbols, values) if values.numel() else each.arguments
        symbols, values = column([symbols, each.results]), column([values, each.called_with(arguments)])
    return SX(expression.sparsity(), ca.substitute(entries, symbols, values))


@dataclass(frozen=True)
class _Call:
    """A call of a function, with symbols for its results; arguments and results one below the other."""

    function: Function
    arguments: SX
    results: SX

    @property
    def key(self) -> tuple[Any, ...]:
        """What equal calls have in common."""
        return (self.function.name(), *(self.arguments[k].element_hash() for k in range(self.arguments.numel())))

    def called_with(self, arguments: SX) -> SX:
        """The results for other arguments."""
        ends = np.cumsum([0, *(self.function.nnz_in(k) for k in range(self.function.n_in()))]).tolist()
        given = [
            SX(self.function.sparsity_in(k), section(arguments, *ends[k : k + 2])) for k in range(self.function.n_in())
        ]
        return column([nonzeros(result) for result in self.function.call(given)])


def _merged(plain: SX, calls: list[_Call]) -> tuple[SX, list[_Call]]:
    """An expression and the calls that it uses, equal parts computed and equal functions called once."""
    while True:
        sizes = np.cumsum([0, plain.numel(), *(each.arguments.numel() for each in calls)]).tolist()
        plain, *given = ca.vertsplit(ca.cse(column([plain, *(each.arguments for each in calls)])), sizes)
        calls = [replace(each, arguments=part) for each, part in zip(calls, given, strict=True)]
        first: dict[tuple[Any, ...], _Call] = {}
        for each in calls:
            first.setdefault(each.key, each)
        again = [each for each in calls if first[each.key] is not each]
        if not again:
            return plain, calls
        old, new = (column(parts) for parts in zip(*((e.results, first[e.key].results) for e in again), strict=True))
        calls = [replace(e, arguments=ca.substitute(e.arguments, old, new)) for e in first.values()]
        plain = ca.substitute(plain, old, new)


def _without_calls(function: Function, inputs: Sequence[SX]) -> tuple[SX, list[_Call]]:
    """What a function computes with fresh symbols for the results of calls, and the calls in their order."""
    nodes, calls = function.instructions_sx(), list[_Call]()
    at, found = dict[int, SX](), SX(function.sparsity_out(0))
    for k in range(function.n_instructions()):
        op, read, written = function.instruction_id(k), function.instruction_input(k), function.instruction_output(k)
        if op == ca.OP_INPUT:
            at[written[0]] = inputs[read[0]]
        elif op == ca.OP_OUTPUT:
            found.nz[written[1]] = at[read[0]]
        elif op == ca.OP_CONST:
            at[written[0]] = SX(function.instruction_constant(k))
        elif op == ca.OP_CALL:
            results = symbol(f"call_{len(calls)}", len(written))
            calls.append(_Call(nodes[k].which_function(), column([at[slot] for slot in read]), results))
            at |= {slot: results[j] for j, slot in enumerate(written) if slot >= 0}
        else:
            at[written[0]] = SX.binary(op, *(at[i] for i in read)) if len(read) == 2 else SX.unary(op, at[read[0]])
    return found, calls
