"""The numbers in a formula as symbols, so that they may change without compiling, and back.

What decides the form of the formula stays as it is: exact zeros, pi, whole exponents, picked components, tables.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from multibond.expr import SX
from multibond.formula.tree import Formula, Live, fold, live, node, number, replaced, vector

PI = np.pi


def opened(formula: Formula, path: str, zeros: bool = False) -> tuple[Formula, SX, list[float]]:
    """The formula with symbols for its numbers, the symbols as a column, and the numbers.

    path: of the parameter that it is. zeros: whether zeros may change as well.
    """
    fixed = _in_whole_exponents(formula)
    kept: list[bool] = []
    values: list[float] = []
    for k, part in enumerate(formula.nodes()):
        found = _numbers(part)
        may_change = [k not in fixed and abs(value) != PI and (zeros or value != 0.0) for value in found]
        kept += may_change
        values += [value for value, may in zip(found, may_change, strict=True) if may]
    symbols = SX.sym(path, len(values)) if values else SX(0, 1)
    places = iter(kept)
    count = iter(range(len(values)))

    def put(value: float) -> Formula:
        if not next(places):
            return number(value)
        k = next(count)
        return live(Live(path, k, symbols[k], value))

    return _with_numbers(formula, put), symbols, values


def literal(formula: Formula, number_of: Callable[[Live], float] | None = None) -> Formula:
    """The formula with numbers again: those that `number_of` tells, else those that it was opened with."""

    def put(leaf: Formula) -> Formula:
        if leaf.kind != "live":
            return leaf
        return number(leaf.data.value if number_of is None else number_of(leaf.data))

    return replaced(formula, put) if formula.live else formula


def form(formula: Formula) -> str:
    """The formula as text, its symbols by name: what two formulas have in common that differ in numbers alone."""
    return " ".join(f"{part.kind}{len(part.arguments)} {_data(part)}" for part in formula.nodes())


def _data(part: Formula) -> str:
    if part.kind == "number":
        return part.data.hex()
    return part.data.text("") if part.kind == "table" else str(part.data)


def _with_numbers(formula: Formula, put: Callable[[float], Formula]) -> Formula:
    def again(part: Formula, inputs: Sequence[Formula]) -> Formula:
        if part.arguments:
            return node(part.kind, *inputs, data=part.data)
        found = [put(value) for value in _numbers(part)]
        return part if not found else vector(found) if part.shape else found[0]

    return fold(formula, again)


def _numbers(part: Formula) -> list[float]:
    """The numbers of a leaf: a number, or what a shared parameter stands for now."""
    if part.kind == "number":
        return [float(part.data)]
    return np.ravel(part.data.value).tolist() if part.kind == "shared" else []


def _in_whole_exponents(formula: Formula) -> set[int]:
    """Places, in the order of the parts, of what makes up exponents that are whole numbers."""
    found: set[int] = set()
    for k, part in enumerate(formula.nodes()):
        if part.kind == "**" and _is_whole(part.arguments[1]):
            found |= set(range(k - part.arguments[1].count, k))
    return found


def _is_whole(exponent: Formula) -> bool:
    if exponent.variables or exponent.live:
        return False
    value: Any = np.asarray(exponent.evaluate({}))
    return bool(np.all(value == np.floor(value)))
