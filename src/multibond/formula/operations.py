"""What each operator and function of a formula computes, for numbers, arrays and symbols alike.

Truth is 1, falsehood 0, and whatever is not zero counts as true, so that conditions can be computed with.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import casadi as ca
import numpy as np

from multibond.expr import is_symbolic


@dataclass(frozen=True)
class Operation:
    """One operator or function: how it works on numbers and on symbols, its number of arguments, its LaTeX."""

    numeric: Callable[..., Any]
    symbolic: Callable[..., Any]
    arity: int
    latex: str

    def __call__(self, *values: Any) -> Any:
        """The result; symbolic as soon as one value is."""
        if any(is_symbolic(value) for value in values):
            return self.symbolic(*values)
        with np.errstate(all="ignore"):
            return self.numeric(*values)


def _truth(function: Callable[..., Any]) -> Callable[..., Any]:
    """The same condition as 1 or 0 instead of True or False."""
    return lambda *values: function(*values) * 1.0


def _same(function: Callable[..., Any]) -> tuple[Callable[..., Any], Callable[..., Any]]:
    return function, function


def _remainder(a: Any, b: Any) -> ca.SX:
    """The remainder with the sign of b, exact as Python's own."""
    rest = ca.fmod(a, b)
    return rest + ca.if_else(rest * b < 0, b, 0)


def _select(condition: Any, yes: Any, no: Any) -> ca.SX:
    """`if_else` entry by entry, also where only the condition is a vector."""
    size = max(ca.SX(value).numel() for value in (condition, yes, no))
    left, right = (ca.repmat(ca.SX(v), size, 1) if ca.SX(v).numel() == 1 else ca.SX(v) for v in (yes, no))
    return ca.if_else(condition, left, right)


OPERATORS = {
    "+": Operation(*_same(lambda a, b: a + b), 2, "{} + {}"),
    "-": Operation(*_same(lambda a, b: a - b), 2, "{} - {}"),
    "*": Operation(*_same(lambda a, b: a * b), 2, r"{} \, {}"),
    "/": Operation(*_same(lambda a, b: a / b), 2, r"\frac{{{}}}{{{}}}"),
    "%": Operation(np.mod, _remainder, 2, r"{} \bmod {}"),
    "**": Operation(*_same(lambda a, b: a**b), 2, "{}^{{{}}}"),
    "neg": Operation(*_same(lambda a: -a), 1, "-{}"),
    "<": Operation(_truth(np.less), lambda a, b: a < b, 2, "{} < {}"),
    "<=": Operation(_truth(np.less_equal), lambda a, b: a <= b, 2, r"{} \le {}"),
    ">": Operation(_truth(np.greater), lambda a, b: a > b, 2, "{} > {}"),
    ">=": Operation(_truth(np.greater_equal), lambda a, b: a >= b, 2, r"{} \ge {}"),
    "==": Operation(_truth(np.equal), ca.eq, 2, "{} = {}"),
    "!=": Operation(_truth(np.not_equal), ca.ne, 2, r"{} \ne {}"),
    "and": Operation(_truth(np.logical_and), ca.logic_and, 2, r"{} \land {}"),
    "or": Operation(_truth(np.logical_or), ca.logic_or, 2, r"{} \lor {}"),
    "not": Operation(_truth(np.logical_not), ca.logic_not, 1, r"\lnot {}"),
}

_CASES = r"\begin{{cases}} {1} & {0} \\ {2} & \text{{otherwise}} \end{{cases}}"

FUNCTIONS = {
    "sin": Operation(np.sin, ca.sin, 1, r"\sin({})"),
    "cos": Operation(np.cos, ca.cos, 1, r"\cos({})"),
    "tan": Operation(np.tan, ca.tan, 1, r"\tan({})"),
    "asin": Operation(np.arcsin, ca.asin, 1, r"\arcsin({})"),
    "acos": Operation(np.arccos, ca.acos, 1, r"\arccos({})"),
    "atan": Operation(np.arctan, ca.atan, 1, r"\arctan({})"),
    "atan2": Operation(np.arctan2, ca.atan2, 2, r"\operatorname{{atan2}}({}, {})"),
    "sinh": Operation(np.sinh, ca.sinh, 1, r"\sinh({})"),
    "cosh": Operation(np.cosh, ca.cosh, 1, r"\cosh({})"),
    "tanh": Operation(np.tanh, ca.tanh, 1, r"\tanh({})"),
    "exp": Operation(np.exp, ca.exp, 1, r"\exp({})"),
    "log": Operation(np.log, ca.log, 1, r"\ln({})"),
    "log10": Operation(np.log10, ca.log10, 1, r"\log_{{10}}({})"),
    "sqrt": Operation(np.sqrt, ca.sqrt, 1, r"\sqrt{{{}}}"),
    "abs": Operation(np.abs, ca.fabs, 1, r"\left|{}\right|"),
    "sign": Operation(np.sign, ca.sign, 1, r"\operatorname{{sign}}({})"),
    "floor": Operation(np.floor, ca.floor, 1, r"\left\lfloor {} \right\rfloor"),
    "hypot": Operation(np.hypot, ca.hypot, 2, r"\operatorname{{hypot}}({}, {})"),
    "minimum": Operation(np.minimum, ca.fmin, 2, r"\min({}, {})"),
    "maximum": Operation(np.maximum, ca.fmax, 2, r"\max({}, {})"),
    "clip": Operation(
        lambda x, low, high: np.minimum(np.maximum(x, low), high),
        lambda x, low, high: ca.fmin(ca.fmax(x, low), high),
        3,
        r"\operatorname{{clip}}({}, {}, {})",
    ),
    "where": Operation(lambda condition, yes, no: np.where(condition, yes, no)[()], _select, 3, _CASES),
}

ALL = OPERATORS | FUNCTIONS
