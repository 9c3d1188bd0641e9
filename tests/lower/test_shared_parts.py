"""Equal parts of an expression are computed once, also around look-ups, whose data are not gone through for that."""

from __future__ import annotations

import casadi as ca
import numpy as np

import multibond as mb
from multibond.expr import SX, Function, cse

X, Y = SX.sym("x"), SX.sym("y")
ONE = mb.Table(np.arange(50.0), np.sin(np.arange(50.0)), smooth=True)
TWO = mb.Table2([0, 1, 2], [0, 1], [[0, 1], [2, 5], [1, 1]])


def calls(expression: SX) -> int:
    function = Function("f", [X, Y], [expression])
    return sum(function.instruction_id(k) == ca.OP_CALL for k in range(function.n_instructions()))


def test_values_and_zeros_stay() -> None:
    within = ONE(TWO(X, Y) + ONE(X))
    slope = ca.jacobian(ONE(X) * Y + within, column := ca.vertcat(X, Y))
    for expression in (within, ca.horzcat(slope, SX(1, 2)), ca.diag(column) * within, SX(2, 2), SX(3.0)):
        made = cse(expression)
        assert made.sparsity() == expression.sparsity()
        both = Function("f", [X, Y], [expression, made])
        for x, y in ((0.3, 0.6), (1.7, -2.0), (48.5, 0.9)):
            before, after = both.call([x, y])
            np.testing.assert_array_equal(np.array(ca.DM(before)), np.array(ca.DM(after)))


def test_equal_look_ups_are_called_once() -> None:
    def chain() -> SX:
        return ONE(ONE(ca.sin(X) * 3) + Y)

    several = chain() + Y * chain() + ONE(Y)
    assert calls(several) == 5
    assert calls(cse(several)) == 3
