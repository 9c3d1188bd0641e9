"""Expressions in other kinds of numbers: the same operations, one after the other, on whatever adds and multiplies."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any, Protocol

import casadi as ca

from multibond.expr import SX, Function, column

RATIONAL: dict[int, Callable[..., Any]] = {
    ca.OP_ADD: lambda a, b: a + b,
    ca.OP_SUB: lambda a, b: a - b,
    ca.OP_MUL: lambda a, b: a * b,
    ca.OP_DIV: lambda a, b: a / b,
    ca.OP_NEG: lambda a: -a,
    ca.OP_SQ: lambda a: a * a,
    ca.OP_TWICE: lambda a: a + a,
    ca.OP_ASSIGN: lambda a: a,
}


class Kind(Protocol):
    """A kind of number: how a constant is written in it, and what stands for an operation that it does not know."""

    def number(self, value: Fraction) -> Any:
        """A constant."""
        ...

    def other(self, operation: int, arguments: Sequence[Any]) -> Any:
        """The result of an operation that is not rational."""
        ...


def evaluate(expression: SX, symbols: Sequence[SX], values: Sequence[Any], kind: Kind) -> list[Any]:
    """The entries of a dense expression that are not structurally zero, with values in place of symbols."""
    function = Function("f", [column(list(symbols))], [ca.vec(SX(expression.nz[:]))])
    register: dict[int, Any] = {}
    outputs: dict[int, Any] = {}
    for k in range(function.n_instructions()):
        operation, given, made = (
            function.instruction_id(k),
            function.instruction_input(k),
            function.instruction_output(k),
        )
        if operation == ca.OP_OUTPUT:
            outputs[made[1]] = register[given[0]]
        elif operation == ca.OP_INPUT:
            register[made[0]] = values[given[1]]
        elif operation == ca.OP_CONST:
            register[made[0]] = kind.number(Fraction(function.instruction_constant(k)))
        else:
            register[made[0]] = _result(operation, [register[g] for g in given], kind)
    return [outputs[k] for k in range(expression.nnz())]


def _result(operation: int, arguments: list[Any], kind: Kind) -> Any:
    if operation == ca.OP_INV:
        return kind.number(Fraction(1)) / arguments[0]
    if operation in RATIONAL:
        return RATIONAL[operation](*arguments[: 1 if operation in (ca.OP_NEG, ca.OP_SQ, ca.OP_TWICE) else None])
    return kind.other(operation, arguments)
