"""The functions a law may use, for numbers, arrays, symbols and formulas alike: `mb.sin`, `mb.where`, ...

They are called like NumPy's and compute at once on numbers, arrays and CasADi symbols; on a `Formula` they build a
longer one.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from multibond.errors import Finding, WrongArgument
from multibond.expr import is_symbolic
from multibond.formula.operations import FUNCTIONS
from multibond.formula.tree import Formula, apply, variable

pi = math.pi

t = variable("t")
"""Time  [s], for sources and laws that change with it."""


def _call(name: str, *values: Any) -> Any:
    if any(_has_formula(value) for value in values):
        return apply(name, *values)
    for value in values:
        _require_number(name, value)
    plain = [value if is_symbolic(value) else np.asarray(value, float)[()] for value in values]
    result = FUNCTIONS[name](*plain)
    return float(result) if isinstance(result, np.generic) else result


def _require_number(name: str, value: Any) -> None:
    """Refuse what is no number, and a guess, which must not become a number unseen."""
    if value is None or isinstance(value, str | bytes):
        fact = f"It is {'None' if value is None else 'text'}, not a number."
        raise WrongArgument(Finding(f"{name} cannot be taken of {value!r}.", fact, "Give a number or a formula."))
    if getattr(value, "__array_ufunc__", name) is None and not is_symbolic(value):
        fact = f"It is a {type(value).__name__}, and what is computed of it would be a plain number."
        problem = f"{name} cannot be taken of {value!r}."
        raise WrongArgument(Finding(problem, fact, "Take it of the number, and guess what comes out."))


def _has_formula(value: Any) -> bool:
    if isinstance(value, list | tuple):
        return any(_has_formula(item) for item in value)
    return isinstance(value, Formula)


def sin(x: Any) -> Any:
    """Sine of an angle in radians."""
    return _call("sin", x)


def cos(x: Any) -> Any:
    """Cosine of an angle in radians."""
    return _call("cos", x)


def tan(x: Any) -> Any:
    """Tangent of an angle in radians."""
    return _call("tan", x)


def asin(x: Any) -> Any:
    """Angle between -pi/2 and pi/2 with a given sine."""
    return _call("asin", x)


def acos(x: Any) -> Any:
    """Angle between 0 and pi with a given cosine."""
    return _call("acos", x)


def atan(x: Any) -> Any:
    """Angle between -pi/2 and pi/2 with a given tangent."""
    return _call("atan", x)


def atan2(y: Any, x: Any) -> Any:
    """Angle of the point (x, y), between -pi and pi; note the order of the arguments."""
    return _call("atan2", y, x)


def sinh(x: Any) -> Any:
    """Hyperbolic sine."""
    return _call("sinh", x)


def cosh(x: Any) -> Any:
    """Hyperbolic cosine."""
    return _call("cosh", x)


def tanh(x: Any) -> Any:
    """Hyperbolic tangent: a smooth step from -1 to 1."""
    return _call("tanh", x)


def exp(x: Any) -> Any:
    """Exponential function."""
    return _call("exp", x)


def log(x: Any) -> Any:
    """Natural logarithm."""
    return _call("log", x)


def log10(x: Any) -> Any:
    """Logarithm to base 10."""
    return _call("log10", x)


def sqrt(x: Any) -> Any:
    """Square root; its slope at zero is infinite."""
    return _call("sqrt", x)


def absolute(x: Any) -> Any:
    """Absolute value; Python's own `abs(x)` does the same."""
    return _call("abs", x)


def sign(x: Any) -> Any:
    """-1, 0 or 1."""
    return _call("sign", x)


def floor(x: Any) -> Any:
    """The largest whole number that is not greater."""
    return _call("floor", x)


def hypot(x: Any, y: Any) -> Any:
    """Length of the vector (x, y)."""
    return _call("hypot", x, y)


def minimum(a: Any, b: Any) -> Any:
    """The smaller of two values."""
    return _call("minimum", a, b)


def maximum(a: Any, b: Any) -> Any:
    """The larger of two values."""
    return _call("maximum", a, b)


def clip(x: Any, low: Any, high: Any) -> Any:
    """x, but not below `low` and not above `high`."""
    return _call("clip", x, low, high)


def where(condition: Any, yes: Any, no: Any) -> Any:
    """`yes` where the condition holds, otherwise `no`. Conditions are joined by & | ~ and need parentheses.

    Both sides should have a finite slope everywhere: write `where(x > 0, sqrt(maximum(x, 1e-12)), 0)`.

    >>> where((t > 1) & (t < 2), 5.0, 0.0)
    Formula('where(t > 1 and t < 2, 5, 0)')
    """
    return _call("where", condition, yes, no)
