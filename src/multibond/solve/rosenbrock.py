"""The step of the Rosenbrock method Rodas5P as LLVM IR, with the exact Jacobian of the model.

Rows of `stages`: 0 the derivative at the start, 1 to 8 the stage values u, 9 the derivative at the end.
"""

from __future__ import annotations

from multibond.lower.writer import BOOL, PTR, REAL, Array, Value, Writer
from multibond.solve import rodas5p as table
from multibond.solve.context import Context, function
from multibond.solve.explicit import stage_row, weighted
from multibond.solve.linear import linear_text
from multibond.solve.tableau import Row

END_STAGE = table.STAGES + 1
ROWS = END_STAGE + 1


def step_text() -> str:
    """`attempt` and `finish`, see the explicit methods."""
    return linear_text() + _linearise() + _attempt() + _finish()


def _linearise() -> str:
    """`linearise(c)`: Jacobian (once per state) and the factors of I/(h gamma) - J; false where it is singular."""
    w, c = function("linearise", BOOL)
    n, jacobian, factors = c.int("n"), c.array("matrix"), c.array("factors")
    with w.when(c.int("jacobian_valid").equals(0)):
        c.evaluate("jacobian", c.cell("t"), c.array("x"), jacobian)
        c.evaluate("partial_t", c.cell("t"), c.array("x"), c.array("slope_t"))
        c.bump("jacobians")
    with w.loop(n * n) as k:
        factors[k] = -jacobian[k]
    diagonal = 1.0 / (table.GAMMA * c.real("h"))
    with w.loop(n) as k:
        place = k * (n + 1)
        factors[place] = factors[place] + diagonal
    w.ret(w.call("factorise", [factors, c.array("pivots"), c.array("atol"), n], BOOL))
    return w.finish()


def _attempt() -> str:
    w, c = function("attempt", REAL)
    rows = {i: stage_row(c, i + 1) for i in range(table.STAGES)}
    n, x, x_new = c.int("n"), c.array("x"), c.array("x_new")
    with w.when(~w.call("linearise", [c.base], BOOL)):
        w.ret(float("nan"))
    for index in range(table.STAGES):
        slope = _slope(w, c, rows, index) if index else c.array("stages")
        _solve_stage(w, c, rows, index, slope)
    c.set_int("evaluations", c.int("evaluations") + (table.STAGES - 1))
    with w.loop(n) as j:
        x_new[j] = x[j] + weighted(table.B, rows, j)
    w.ret(_error(w, c, rows[table.STAGES - 1]))
    return w.finish()


def _slope(w: Writer, c: Context, rows: dict[int, Array], index: int) -> Array:
    """f(t + c_i h, x + sum a_ij u_j), put where the derivative at the end will be."""
    x, trial, slope = c.array("x"), c.array("trial"), stage_row(c, END_STAGE)
    row: Row = table.A[index]
    with w.loop(c.int("n")) as j:
        trial[j] = x[j] + weighted(row, rows, j)
    c.set_real("clock", c.real("t") + table.C_TIME[index] * c.real("h"))
    c.rate(c.cell("clock"), trial, index, slope)
    return slope


def _solve_stage(w: Writer, c: Context, rows: dict[int, Array], index: int, slope: Array) -> None:
    """u_i from the factored matrix."""
    n, h, target, slope_t = c.int("n"), c.real("h"), rows[index], c.array("slope_t")
    inverse = 1.0 / h
    with w.loop(n) as j:
        total = slope[j]
        if table.C[index]:
            total = total + inverse * weighted(table.C[index], rows, j)
        if table.D_TIME[index]:
            total = total + table.D_TIME[index] * h * slope_t[j]
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


def _finish() -> str:
    """The polynomial (1-s) (H1 + s (H2 + s H3)) written in the nested form all methods share."""
    w, c = function("finish", None, record=PTR)
    rows = {i: stage_row(c, i + 1) for i in range(table.STAGES)}
    n, x, x_new = c.int("n"), c.array("x"), c.array("x_new")
    out = [w.array("record").at(2 + n * (1 + k)) for k in range(table.COEFFICIENTS)]
    weights = [dict(enumerate(row)) for row in table.H]
    with w.loop(n) as j:
        first, second, third = (weighted(row, rows, j) for row in weights)
        out[0][j] = x_new[j] - x[j]
        out[1][j] = first
        out[2][j] = second + third
        out[3][j] = -third
    return w.finish()
