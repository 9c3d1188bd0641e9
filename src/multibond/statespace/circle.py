"""Relations of the junction structure that hang together in a circle: a causal loop inside transformers (class 4).

Unknowns with a number for coefficient are eliminated first; the small core that is left, whose coefficients are moduli,
is solved as a whole, so that no single modulus is divided by: for a rotation the determinant is one in every position.
"""

from __future__ import annotations

from collections.abc import Callable

import casadi as ca
import numpy as np

from multibond.errors import Finding, StructureError
from multibond.expr import SX, Function, column

Variable = tuple[str, str, int]
"""Effort ("e") or flow ("f") of a bond's component."""
Row = dict[Variable, SX]
"""Coefficients of a relation that vanishes."""
Form = dict[int, SX]
"""A linear form of the fields' outputs."""


def add(total: dict, form: dict, factor: SX) -> None:
    """Add a multiple of a form; what cancels for certain is dropped."""
    for k, value in form.items():
        result = total.get(k, SX(0)) + factor * value
        if result.is_zero():
            total.pop(k, None)
        else:
            total[k] = result


def numbers(values: list[SX], arguments: list[SX], at: list) -> np.ndarray:
    """The values of scalar expressions at a point."""
    function = Function("n", arguments, [ca.densify(column(values))])
    return np.asarray(function(*at)).ravel()


def solve_circle(
    rows: list[Row], known: dict[Variable, Form], fixed: Callable[[SX], bool], arguments: list[SX], at: list
) -> dict[Variable, Form]:
    """All variables, with those that the rows leave open solved for.

    fixed: tells which coefficients are numbers. at: a point (t, X, q, p) to see which rows are independent.
    """
    work = [_sorted_out(row, known) for row in rows]
    order: list[tuple[Variable, Row, Form]] = []
    while (pivot := _pivot(work, fixed)) is not None:
        row, right = work.pop(pivot[0])
        scale = 1 / row.pop(pivot[1])
        row, right = {v: c * scale for v, c in row.items()}, {k: c * scale for k, c in right.items()}
        order.append((pivot[1], row, right))
        for other, rest in work:
            if pivot[1] in other:
                factor = -other.pop(pivot[1])
                add(other, row, factor)
                add(rest, right, factor)
    found = known | _core([pair for pair in work if pair[0]], arguments, at)
    for unknown, row, right in reversed(order):
        value = dict(right)
        for variable, coefficient in row.items():
            add(value, found[variable], -coefficient)
        found[unknown] = value
    return found


def _sorted_out(row: Row, known: dict[Variable, Form]) -> tuple[Row, Form]:
    """Unknowns with their coefficients on the left, what is known on the right."""
    left, right = Row(), Form()
    for variable, coefficient in row.items():
        if variable in known:
            add(right, known[variable], -coefficient)
        else:
            left[variable] = coefficient
    return left, right


def _pivot(work: list[tuple[Row, Form]], fixed: Callable[[SX], bool]) -> tuple[int, Variable] | None:
    """The shortest row with a number for coefficient, and its unknown."""
    found = [
        (len(row), k, variable)
        for k, (row, _) in enumerate(work)
        for variable, coefficient in row.items()
        if fixed(coefficient) and not coefficient.is_zero()
    ]
    return min(found)[1:] if found else None


def _core(work: list[tuple[Row, Form]], arguments: list[SX], at: list) -> dict[Variable, Form]:
    """Solve what only moduli tie together."""
    unknown = sorted({v for row, _ in work for v in row})
    if not unknown:
        return {}
    matrix = SX(len(work), len(unknown))
    for i, (row, _) in enumerate(work):
        for variable, coefficient in row.items():
            matrix[i, unknown.index(variable)] = coefficient
    dense = numbers(ca.vertsplit(ca.vec(ca.densify(matrix))), arguments, at).reshape(matrix.shape, order="F")
    chosen = independent_rows(dense)
    if len(chosen) < len(unknown):
        raise StructureError(_undetermined(unknown))
    inverse = ca.inv_minor(ca.densify(matrix[chosen, :]))
    outputs = sorted({k for i in chosen for k in work[i][1]})
    found: dict[Variable, Form] = {v: {} for v in unknown}
    for k in outputs:
        solution = inverse @ column([work[i][1].get(k, SX(0)) for i in chosen])
        for variable, value in zip(unknown, ca.vertsplit(solution), strict=True):
            if not value.is_zero():
                found[variable][k] = value
    return found


def independent_rows(dense: np.ndarray) -> list[int]:
    """The first rows that do not follow from those before them."""
    basis: list[np.ndarray] = []
    chosen: list[int] = []
    for k, row in enumerate(dense):
        size, rest = np.linalg.norm(row), row.copy()
        for _ in range(2):
            rest = rest - sum((b * (b @ rest) for b in basis), np.zeros_like(row))
        if size > 0 and np.linalg.norm(rest) > 1e-9 * size:
            basis.append(rest / np.linalg.norm(rest))
            chosen.append(k)
    return chosen


def _undetermined(unknown: list[Variable]) -> Finding:
    names = sorted({name for _, name, _ in unknown})
    return Finding(
        "the junction structure leaves efforts or flows open.",
        f"Nothing determines those of {', '.join(repr(n) for n in names[:4])}.",
        "Attach a storage, a resistance or a source there.",
        tuple(names),
    )
