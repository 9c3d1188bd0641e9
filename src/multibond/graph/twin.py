"""A component as the equations see it: its run-time numbers are symbols, some of them unknowns of the start."""

from __future__ import annotations

import copy
from typing import TypeVar

import casadi as ca
import numpy as np

from multibond.expr import SX
from multibond.formula import Formula
from multibond.graph.component import Component
from multibond.graph.expressions import numbers_in_place
from multibond.graph.start import Sought, StartVector, start_vector

Kind = TypeVar("Kind", bound=Component)


def symbolic_twin(item: Kind, path: str) -> tuple[Kind, dict[str, tuple[SX, np.ndarray]]]:
    """The component with its run-time numbers replaced by symbols named after their path.

    Exact zeros stay structural zeros (they cost nothing, and a change is noticed), except in live parameters; where
    entries may be left out, those alone are structural zeros.
    Returns the twin and, by parameter path, the symbols and the numbers they stand for.
    """
    twin = copy.copy(item)
    object.__setattr__(twin, "expressions", {})
    table: dict[str, tuple[SX, np.ndarray]] = {}
    for name, about in item.parameters().items():
        value = getattr(item, name)
        if about.formula:
            object.__setattr__(twin, name, numbers_in_place(value))
        if not about.numeric or value is None or isinstance(value, Formula):
            continue
        guessed = np.atleast_1d(value.guessed) if isinstance(value, StartVector) else False
        value = np.atleast_1d(start_vector(value).values)
        rows, columns = value.shape if value.ndim == 2 else (value.size, 1)
        keep = np.isfinite(value).reshape(rows, columns)
        keep = keep if about.live or about.missing is not None else (guessed | (value != 0.0)).reshape(rows, columns)
        pattern = (
            ca.DM(keep.astype(float)).sparsity() if keep.all() else ca.sparsify(ca.DM(keep.astype(float))).sparsity()
        )
        twin_value = SX.sym(f"{path}.{name}", pattern)
        object.__setattr__(twin, name, twin_value)
        table[f"{path}.{name}"] = (twin_value, value.reshape(rows, columns))
    return twin, table


def sought_of(item: Component, path: str) -> dict[str, Sought]:
    """The parameters of a component that are guessed, by their paths: unknowns of the start."""
    given = {n: (about.sign, getattr(item, n)) for n, about in item.parameters().items() if about.numeric}
    return {f"{path}.{n}": sought(value, sign) for n, (sign, value) in given.items() if isinstance(value, StartVector)}


def sought(value: StartVector, sign: str = "") -> Sought:
    """A guessed parameter as an unknown of the start."""
    rows = value.guessed if value.ndim == 2 else value.guessed.reshape(-1, 1)
    return Sought(rows, sign)
