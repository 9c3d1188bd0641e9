"""Rosenbrock methods: their coefficients, and their step as LLVM IR with the exact Jacobian of the model.

Rows of `stages`: 0 the derivative at the start, then the stage values u, at last the derivative at the end.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from multibond.lower.writer import BOOL, PTR, REAL, Array, Value, Writer
from multibond.solve.context import Context, function
from multibond.solve.explicit import stage_row, weighted
from multibond.solve.linear import linear_text
from multibond.solve.tableau import Row, row
from multibond.solve.traits import Traits


@dataclass(frozen=True)
class Rosenbrock:
    """A Rosenbrock method in the form without products of matrices (Hairer and Wanner, Solving ODEs II, IV.7).

    Stage i solves (I/(h gamma) - J) u_i = f(t + c_time_i h, x + sum a_ij u_j) + sum (c_ij/h) u_j + h d_time_i df/dt.
    The new state is x + sum b_j u_j, the error estimate is the last u. Dense output:
    x(s) = x + s (change + (1-s) (h_1 + s (h_2 + s h_3))), each h_k a sum over the u_j; none to three of them.
    """

    name: str
    order: int
    dense_order: int
    gamma: float
    c_time: tuple[float, ...]
    d_time: tuple[float, ...]
    a: tuple[Row, ...]
    b: Row
    c: tuple[Row, ...]
    h: tuple[tuple[float, ...], ...]
    traits: Traits = field(default=Traits())

    @property
    def stages(self) -> int:
        """Stages of the step."""
        return len(self.a)

    @property
    def end_stage(self) -> int:
        """The row of the derivative at the end of the step."""
        return self.stages + 1

    @property
    def coefficients(self) -> int:
        """Vectors stored for the dense output of one step."""
        return 1 + len(self.h)


def step_text(table: Rosenbrock) -> str:
    """`attempt` and `finish`, see the explicit methods."""
    return linear_text() + _linearise(table) + _attempt(table) + _finish(table)


def _linearise(table: Rosenbrock) -> str:
    """`linearise(c)`: Jacobian (once per state) and the factors of I/(h gamma) - J; false where it is singular."""
    w, c = function("linearise", BOOL)
    n, jacobian, factors = c.int("n"), c.array("matrix"), c.array("factors")
    with w.when(c.int("jacobian_valid").equals(0)):
        c.evaluate("jacobian", c.cell("t"), c.array("x"), jacobian)
        c.evaluate("partial_t", c.cell("t"), c.array("x"), c.array("slope_t"))
        c.bump("jacobians")
    with w.loop(n * n) as k:
        factors[k] = -jacobian[k]
    diagonal = 1.0 / (table.gamma * c.real("h"))
    with w.loop(n) as k:
        place = k * (n + 1)
        factors[place] = factors[place] + diagonal
    w.ret(w.call("factorise", [factors, c.array("pivots"), c.array("atol"), n], BOOL))
    return w.finish()


def _attempt(table: Rosenbrock) -> str:
    w, c = function("attempt", REAL)
    rows = {i: stage_row(c, i + 1) for i in range(table.stages)}
    n, x, x_new = c.int("n"), c.array("x"), c.array("x_new")
    with w.when(~w.call("linearise", [c.base], BOOL)):
        w.ret(float("nan"))
    elsewhere = [bool(at) for at in table.a]
    for index in range(table.stages):
        slope = _slope(w, c, table, rows, index) if elsewhere[index] else c.array("stages")
        _solve_stage(w, c, table, rows, index, slope)
    c.set_int("evaluations", c.int("evaluations") + sum(elsewhere))
    with w.loop(n) as j:
        x_new[j] = x[j] + weighted(table.b, rows, j)
    w.ret(_error(w, c, rows[table.stages - 1]))
    return w.finish()


def _slope(w: Writer, c: Context, table: Rosenbrock, rows: dict[int, Array], index: int) -> Array:
    """f(t + c_i h, x + sum a_ij u_j), put where the derivative at the end will be."""
    x, trial, slope = c.array("x"), c.array("trial"), stage_row(c, table.end_stage)
    with w.loop(c.int("n")) as j:
        trial[j] = x[j] + weighted(table.a[index], rows, j)
    c.set_real("clock", c.real("t") + table.c_time[index] * c.real("h"))
    c.rate(c.cell("clock"), trial, index, slope)
    return slope


def _solve_stage(
    w: Writer, c: Context, table: Rosenbrock, rows: dict[int, Array], index: int, slope: Array
) -> None:  # fmt: skip
    """u_i from the factored matrix."""
    n, h, target, slope_t = c.int("n"), c.real("h"), rows[index], c.array("slope_t")
    inverse = 1.0 / h
    with w.loop(n) as j:
        total = slope[j]
        if table.c[index]:
            total = total + inverse * weighted(table.c[index], rows, j)
        if table.d_time[index]:
            total = total + table.d_time[index] * h * slope_t[j]
        target[j] = total
    w.call("substitute", [c.array("factors"), c.array("pivots"), target, n])


def _error(w: Writer, c: Context, estimate: Array) -> Value:
    """RMS of the scaled estimate."""
    n, x, x_new, atol, rtol = c.int("n"), c.array("x"), c.array("x_new"), c.array("atol"), c.real("rtol")
    total = w.variable(0.0)
    with w.loop(n) as j:
        scale = atol[j] + rtol * w.maximum(w.fabs(x[j]), w.fabs(x_new[j]))
        part = estimate[j] / scale
        total.set(total.value + part * part)
    return w.math("llvm.sqrt.f64", c.mean(total.value))


def _finish(table: Rosenbrock) -> str:
    """The polynomial (1-s) (h_1 + s (h_2 + s h_3)) written in the nested form all methods share."""
    w, c = function("finish", None, record=PTR)
    rows = {i: stage_row(c, i + 1) for i in range(table.stages)}
    n, x, x_new = c.int("n"), c.array("x"), c.array("x_new")
    out = [w.array("record").at(2 + n * (1 + k)) for k in range(table.coefficients)]
    weights = [row(*each) for each in table.h]
    with w.loop(n) as j:
        bends = [weighted(each, rows, j) for each in weights]
        out[0][j] = x_new[j] - x[j]
        for k, bend in enumerate(bends):
            out[1 + k][j] = bend
        if len(bends) > 2:
            out[2][j] = bends[1] + bends[2]
            out[3][j] = -bends[2]
    return w.finish()
