"""From what a user gives for a law (text, Python function, table, list) to a `Formula`."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

import numpy as np

from multibond.errors import Finding, FormulaError
from multibond.formula import faults
from multibond.formula.limits import require_short
from multibond.formula.table import Table, Table2
from multibond.formula.tree import Formula, Live, Shared, formula_of, live, replaced, shared, variable, vector
from multibond.formula.value import require_value

SAMPLES = (0.0, 1.0, -1.0, 0.7308, -2.193)
"""Where a captured function is compared with the function itself."""


def means_formula(value: Any) -> bool:
    """Whether a value is (or holds) a formula, a text or a function, rather than numbers."""
    if isinstance(value, list | tuple) or (isinstance(value, np.ndarray) and value.dtype == object):
        return any(means_formula(item) for item in value)
    return isinstance(value, Formula | str) or callable(value)


def read_formula(value: Any, variables: Sequence[str]) -> Formula:
    """The formula that a text, a function, a table, a list or a formula means; refused where it never has a value.

    variables: the names it may use. A table takes the first of them (`Table2` the first two) as its argument.

    >>> read_formula(lambda f: 3 * f**3, ["f"])
    Formula('3*f**3')
    """
    formula = _read(value, variables)
    require_value(formula)
    return formula


def _read(value: Any, variables: Sequence[str]) -> Formula:
    if isinstance(value, str):
        return parse(value, variables)
    if isinstance(value, list | tuple | np.ndarray):
        return vector([_read(v, variables) if means_formula(v) else v for v in value])
    if isinstance(value, Table | Table2):
        return _tabled(value, variables)
    formula = value if isinstance(value, Formula) else _captured(value, variables)
    _require_known(formula, variables)
    return formula


def parse(text: str, variables: Sequence[str] | None = None, parameters: Mapping[str, Any] | None = None) -> Formula:
    """The formula that a text writes; `variables` are the names it may use (any where not given).

    parameters: values of shared parameters of a model, by name; they come after the variables.

    >>> parse("3*f**3", ["f"]).evaluate({"f": 2.0})
    24.0
    """
    from multibond.formula.grammar import read

    require_short(text)
    formula = read(text)
    given = {name: value for name, value in (parameters or {}).items() if name not in (variables or ())}
    if given and formula.variables & given.keys():
        formula = replaced(formula, lambda leaf: _shared(leaf, given))
    if variables is not None:
        _require_known(formula, variables, text, given)
    return formula


def _shared(leaf: Formula, given: Mapping[str, Any]) -> Formula:
    return shared(leaf.data, given[leaf.data]) if leaf.kind == "variable" and leaf.data in given else leaf


def reread(text: str, parameters: Sequence[Shared], numbers: Mapping[str, Live] = MappingProxyType({})) -> Formula:
    """A formula from its text, the shared parameters in it, and the numbers that are symbols, by the names there."""
    formula = parse(text, parameters={each.name: each.value for each in parameters})
    named = formula.variables & numbers.keys()
    return (
        replaced(formula, lambda leaf: live(numbers[leaf.data]) if leaf.data in named else leaf) if named else formula
    )


def _require_known(
    formula: Formula, variables: Sequence[str], text: str | None = None, given: Iterable[str] = ()
) -> None:
    known = [*variables, *given]
    findings = [_unknown(name, known, text) for name in sorted(formula.variables - set(known))]
    if findings:
        raise FormulaError(*findings)


def _unknown(name: str, variables: Sequence[str], text: str | None) -> Finding:
    if text is None:
        return faults.unknown_variable(name, variables)
    place = re.search(rf"\b{name}\b(?!\s*\()", text)
    remark = f"{name!r} is not known. {faults.nearest(name, variables)}"
    return faults.unreadable(text, place.start() if place else 0, remark)


def _tabled(table: Table | Table2, variables: Sequence[str]) -> Formula:
    if table.arity > len(variables):
        problem = "a table has more arguments than there are variables."
        fact = f"It has {table.arity} arguments, and {', '.join(variables)} can be used here."
        raise FormulaError(Finding(problem, fact, "Use a smaller table."))
    return table(*map(variable, variables[: table.arity]))


def _captured(function: Callable[..., Any], variables: Sequence[str]) -> Formula:
    """What a Python function computes, found by calling it once with variables in place of numbers."""
    names = _arguments(function, variables)
    try:
        formula = formula_of(function(*map(variable, names)))
    except FormulaError as fault:
        raise FormulaError(
            *(_uncaptured(function, f"{f.problem[:1].upper()}{f.problem[1:]} {f.fact}", f.cure) for f in fault.findings)
        ) from None
    except Exception as fault:
        reason = f"It stops with {type(fault).__name__}: {str(fault).rstrip('.')}."
        raise FormulaError(_uncaptured(function, reason)) from fault
    _require_same(function, formula, names)
    return formula


def _arguments(function: Callable[..., Any], variables: Sequence[str]) -> list[str]:
    """The variables that the function's arguments stand for, in their order."""
    try:
        listed = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        raise FormulaError(_uncaptured(function, "Its arguments are not known.")) from None
    needed = [p.name for p in listed if p.default is p.empty or p.name in variables]
    if any(p.kind not in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD) for p in listed if p.name in needed):
        raise FormulaError(_uncaptured(function, "It has * or keyword arguments.", _wanted(variables)))
    if len(needed) == 1 and len(variables) == 1:
        return list(variables)
    wrong = [name for name in needed if name not in variables]
    if wrong:
        reason = f"Its argument {wrong[0]!r} is not known. {faults.nearest(wrong[0], variables)}"
        raise FormulaError(_uncaptured(function, reason, _wanted(variables)))
    return needed


def _wanted(variables: Sequence[str]) -> str:
    return f"Write `lambda {', '.join(variables)}: ...` (arguments that are not used may be left out)."


def _require_same(function: Callable[..., Any], formula: Formula, names: Sequence[str]) -> None:
    """Refuse a function that computes something else with numbers: it decided something by Python's own means."""
    for first in SAMPLES:
        for places in {tuple([first] * len(names)), tuple(first + 0.37 * k for k in range(len(names)))}:
            try:
                with np.errstate(all="ignore"):
                    wanted = np.asarray(function(*places), float)
            except Exception:
                continue  # it needs vectors, or is not defined there
            found = np.asarray(formula.evaluate(dict(zip(names, places, strict=True))), float)
            if found.shape != wanted.shape or not np.allclose(found, wanted, rtol=1e-9, atol=1e-12, equal_nan=True):
                listed = ", ".join(f"{name} = {value:g}" for name, value in zip(names, places, strict=True))
                reason = (
                    f"At {listed} it gives {wanted.tolist()}, and the formula {faults.shown(str(formula))} does not."
                )
                raise FormulaError(_uncaptured(function, reason))


def _uncaptured(function: Any, reason: str, cure: str = "") -> Finding:
    name = getattr(function, "__name__", type(function).__name__)
    shown = "the function" if name == "<lambda>" else f"the function {name!r}"
    default = "Use mb.sin, mb.sqrt and the like instead of math, and mb.where(condition, a, b) instead of if."
    return Finding(f"{shown} cannot be read as a formula.", reason, cure or default)
