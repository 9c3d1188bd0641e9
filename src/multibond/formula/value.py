"""What a formula amounts to for given numbers, arrays or symbols, and where it has kinks and jumps."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

import casadi as ca
import numpy as np

from multibond.errors import FormulaError
from multibond.expr import is_symbolic
from multibond.formula import faults
from multibond.formula.operations import ALL
from multibond.formula.tree import Formula, apply, fold, node


def value(formula: Formula, values: Mapping[str, Any]) -> Any:
    """The value for given values of the variables."""
    result = fold(formula, lambda part, inputs: _value(part, inputs, values))
    return float(result) if isinstance(result, np.generic) else result


def require_value(formula: Formula) -> None:
    """Raise where a formula, or a component of one, depends on nothing that changes and has no finite value."""
    parts = formula.arguments if formula.kind == "vector" else (formula,)
    found = [part for part in parts if not (part.variables or part.live) and not _is_finite(part)]
    if found:
        raise FormulaError(*(faults.no_value(str(part), part.shared.values()) for part in found))


def _is_finite(formula: Formula) -> bool:
    with np.errstate(all="ignore"):
        return bool(np.isfinite(formula.evaluate({})).all())


Passing = Callable[[Any], Any]
"""Changes its sign where its argument passes one of several levels."""


def whole(count: Any) -> Any:
    """Changes its sign at every whole number."""
    return apply("sin", math.pi * count) if isinstance(count, Formula) else ca.sin(math.pi * count)


def edges(formula: Formula) -> tuple[Formula, ...]:
    """Formulas that change sign where the given one jumps or has a kink."""
    return tuple(where if passing is None else _passed(passing, where) for where, passing in levels(formula))


def _passed(passing: Passing, where: Formula) -> Formula:
    return whole(where) if passing is whole else node("table", where, data=passing)


def levels(formula: Formula) -> tuple[tuple[Formula, Passing | None], ...]:
    """Formulas that pass zero where the given one jumps or has a kink, or other levels, of which a function tells."""
    found = [level for part in formula.nodes() for level in _levels_of(part)]
    return tuple(dict.fromkeys((level, passing) for level, passing in found if level.variables))


def _value(part: Formula, inputs: list[Any], values: Mapping[str, Any]) -> Any:
    if part.kind == "number":
        return np.float64(part.data)
    if part.kind == "shared":
        return np.asarray(part.data.value, float)[()]
    if part.kind == "live":
        return part.data.symbol
    if part.kind == "variable":
        if part.data not in values:
            raise FormulaError(faults.unknown_variable(part.data, values))
        given = values[part.data]
        return given if is_symbolic(given) else np.asarray(given, float)[()]
    if part.kind == "vector":
        return ca.vertcat(*inputs) if any(map(is_symbolic, inputs)) else np.stack(np.broadcast_arrays(*inputs))
    if part.kind == "index":
        return _component(part, inputs[0])
    if part.kind == "table":
        return part.data(*inputs)
    return ALL[part.kind](*inputs)


def _component(part: Formula, whole: Any) -> Any:
    """One component; a single number is its own component 0."""
    whole = whole if is_symbolic(whole) else np.atleast_1d(whole)
    size = whole.numel() if is_symbolic(whole) else len(whole)
    if part.data >= size:
        raise FormulaError(faults.bad_index(part.arguments[0], part.data, size))
    return whole[part.data]


def _levels_of(part: Formula) -> list[tuple[Formula, Passing | None]]:
    """Where one operation has a kink or jump."""
    arguments = part.arguments
    if part.kind in ("<", "<=", ">", ">=", "==", "!=", "minimum", "maximum"):
        return [(arguments[0] - arguments[1], None)]
    if part.kind in ("abs", "sign"):
        return [(arguments[0], None)]
    if part.kind == "clip":
        return [(arguments[0] - arguments[1], None), (arguments[0] - arguments[2], None)]
    if part.kind in ("floor", "%"):
        return [(arguments[0] / arguments[1] if part.kind == "%" else arguments[0], whole)]
    if part.kind == "table":
        return list(zip(arguments, part.data.knots, strict=True))
    return []
