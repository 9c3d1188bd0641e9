"""Transfer functions as state equations x' = A x + B u, y = C x + D u, for times that run or count.

Coefficients are given with the highest power first, as everywhere in control.
"""

from __future__ import annotations

from typing import Any

import casadi as ca
import numpy as np

from multibond.elements.blocks.block import fault
from multibond.errors import Finding
from multibond.expr import SX, column, matrix, vector

Realization = tuple[SX, SX, SX, SX]


def transfer_faults(block: Any) -> list[Finding]:
    """What is wrong with a numerator and a denominator."""
    for name in ("numerator", "denominator"):
        if getattr(block, name).ndim > 1 or not getattr(block, name).size:
            fact = f"Its {name} is none."
            return [fault(block, "it needs a list of coefficients", fact, "Write for example (1.0, 2.0) for s + 2.")]
    over, under = np.atleast_1d(block.numerator), np.atleast_1d(block.denominator)
    if under[0] == 0:
        fact = "The first coefficient of the denominator, that of the highest power, is zero."
        return [fault(block, "its order is not clear", fact, "Leave out leading zeros.")]
    if over.size > under.size:
        fact = f"The numerator has degree {over.size - 1}, the denominator {under.size - 1}."
        cure = "Add a fast pole to the denominator, or use Derivative."
        return [fault(block, "it would have to differentiate its input", fact, cure)]
    return []


def coefficients(numerator: Any, denominator: Any) -> tuple[SX, SX]:
    """Both lists as columns of one length."""
    under, over = vector(denominator, 1), vector(numerator, 1)
    return column([SX(under.numel() - over.numel(), 1), over]), under


def companion(over: SX, under: SX) -> Realization:
    """Controllable canonical form: the input drives the first state, each state the next."""
    n = under.numel() - 1
    over, under = over / under[0], under / under[0]
    if not n:
        return SX(0, 0), SX(0, 1), SX(1, 0), over[0]
    A = ca.vertcat(-under[1:].T, ca.horzcat(SX.eye(n - 1), SX(n - 1, 1)))
    return A, SX.eye(n)[:, 0], (over[1:] - over[0] * under[1:]).T, over[0]


def continuous(numerator: Any, denominator: Any) -> Realization:
    """Canonical form of a function of s, with the time counted in units in which its poles lie around one.

    Without that the entries of the matrix, powers of the poles, differ by many orders of magnitude.
    """
    over, under = coefficients(numerator, denominator)
    n = under.numel() - 1
    speed = _natural_speed(under)
    powers = column([speed**k for k in range(n, -1, -1)])
    A, B, C, D = companion(over * powers, under * powers)
    return speed * A, speed * B, C, D


def _natural_speed(under: SX) -> SX:
    """The geometric mean of the poles that are not zero  [rad/s]."""
    last = max(under.sparsity().row())
    return ca.fabs(under[last] / under[0]) ** (1 / last) if last else SX(1)


# -- state space -----------------------------------------------------------------------------------------------------


def matrices(block: Any) -> Realization:
    """A, B, C, D of a block as matrices: a list A is a diagonal, a list B one input, a list C one output."""
    states, inputs, outputs = dimensions(block)
    A, B = matrix(block.A, states), vector(block.B, 1)
    C = vector(block.C, 1)
    D = SX(outputs, inputs) if block.D is None else vector(block.D, 1)
    return A, B, _turned(C, outputs, states), _turned(D, outputs, inputs)


def _turned(value: SX, rows: int, columns: int) -> SX:
    """A list is written as a column; where a row is meant it is turned."""
    return value if value.shape == (rows, columns) else value.T


def dimensions(block: Any) -> tuple[int, int, int]:
    """Number of states, inputs, outputs."""
    states = _shape(block.A)[0]
    outputs = _shape(block.C)
    return states, _shape(block.B)[1], outputs[0] if outputs[1] == states else outputs[1]


def state_space_faults(block: Any) -> list[Finding]:
    """What is wrong with the sizes of A, B, C, D."""
    states, inputs, outputs = dimensions(block)
    wanted = {
        "A": ((states, states), (states, 1)),
        "B": ((states, inputs),),
        "C": ((outputs, states), (states, 1)),
        "D": ((outputs, inputs), (inputs, 1) if outputs == 1 else (outputs, inputs)),
    }
    given = {name: _shape(getattr(block, name)) for name in wanted if getattr(block, name) is not None}
    wrong = [
        f"{name} is {rows} by {columns}"
        for name, (rows, columns) in given.items()
        if (rows, columns) not in wanted[name]
    ]
    if not wrong:
        return []
    fact = f"For {states} states, {inputs} inputs and {outputs} outputs, {', '.join(wrong)}."
    return [fault(block, "its matrices do not fit together", fact, "A is n by n, B n by m, C p by n, D p by m.")]


def _shape(value: Any) -> tuple[int, int]:
    """Rows and columns; a list is a column."""
    rows, columns, *_ = (*value.shape, 1, 1)
    return rows, columns
