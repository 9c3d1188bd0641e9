"""The step of an explicit Runge-Kutta method as LLVM IR.

`attempt` computes all stages and the new state and returns the scaled error (accept where <= 1);
`finish` writes the coefficients of the dense output of an accepted step.
"""

from __future__ import annotations

from multibond.lower.writer import PTR, REAL, Array, Value, Writer
from multibond.solve.context import Context, function
from multibond.solve.tableau import Row, Tableau


def step_text(tableau: Tableau) -> str:
    """Both functions of a method."""
    return _attempt(tableau) + _finish(tableau)


def stage_row(c: Context, index: int) -> Array:
    """The derivative at a stage."""
    return c.array("stages").at(c.int("n") * index)


def weighted(row: Row, rows: dict[int, Array], j: Value) -> Value:
    """sum_i row_i k_i[j], in the order of the stages."""
    terms = [coefficient * rows[i][j] for i, coefficient in row.items()]
    total = terms[0]
    for term in terms[1:]:
        total = total + term
    return total


def _stage(w: Writer, c: Context, rows: dict[int, Array], index: int, fraction: float, row: Row) -> None:
    """k_index = f(t + fraction h, x + h sum row_i k_i)."""
    h, x, trial = c.real("h"), c.array("x"), c.array("trial")
    with w.loop(c.int("n")) as j:
        trial[j] = x[j] + h * weighted(row, rows, j)
    c.set_real("clock", c.real("t") + fraction * h)
    c.rate(c.cell("clock"), trial, index, rows[index])


def _attempt(tableau: Tableau) -> str:
    w, c = function("attempt", REAL)
    rows = {i: stage_row(c, i) for i in range(tableau.stages + 1)}
    for index in range(1, tableau.stages):
        _stage(w, c, rows, index, tableau.c[index], tableau.a[index])
    h, x, x_new, n = c.real("h"), c.array("x"), c.array("x_new"), c.int("n")
    with w.loop(n) as j:
        x_new[j] = x[j] + h * weighted(tableau.b, rows, j)
    evaluations = tableau.stages - 1
    if tableau.error_uses_end:
        c.rate(c.cell("t_new"), x_new, tableau.stages, rows[tableau.stages])
        evaluations += 1
    c.set_int("evaluations", c.int("evaluations") + evaluations)
    w.ret(_error(w, c, tableau, rows) if tableau.error else _not_finite(w, x_new, n))
    return w.finish()


def _not_finite(w: Writer, x: Array, n: Value) -> Value:
    """0 where all states are finite, otherwise NaN."""
    total = w.variable(0.0)
    with w.loop(n) as j:
        total.set(total.value + (x[j] - x[j]))
    return total.value


def _error(w: Writer, c: Context, tableau: Tableau, rows: dict[int, Array]) -> Value:
    """Scaled error: RMS of the estimate, or e5 / sqrt(e5 + 0.01 e3) for two rows (Hairer, dop853.f)."""
    n, x, x_new, atol, rtol = c.int("n"), c.array("x"), c.array("x_new"), c.array("atol"), c.real("rtol")
    sums = [w.variable(0.0) for _ in tableau.error]
    with w.loop(n) as j:
        scale = atol[j] + rtol * w.maximum(w.fabs(x[j]), w.fabs(x_new[j]))
        for total, row in zip(sums, tableau.error, strict=True):
            part = weighted(row, rows, j) / scale
            total.set(total.value + part * part)
    h, squares = c.real("h"), sums[0].value
    if len(sums) == 1:
        return h * w.math("llvm.sqrt.f64", c.mean(squares))
    mixed = squares + 0.01 * sums[1].value
    divisor = w.select(mixed.equals(0.0), 1.0, mixed)
    return h * w.math("llvm.sqrt.f64", c.mean(squares * (squares / divisor)))


def _finish(tableau: Tableau) -> str:
    """Value and slope at both ends come from the projected states, so the interpolant is smooth across steps."""
    w, c = function("finish", None, record=PTR)
    rows = {i: stage_row(c, i) for i in range(tableau.all_stages)}
    for k, (fraction, row) in enumerate(zip(tableau.extra_c, tableau.extra_a, strict=True)):
        _stage(w, c, rows, tableau.stages + 1 + k, fraction, row)
    c.set_int("evaluations", c.int("evaluations") + len(tableau.extra_c))
    n, h, x, x_new = c.int("n"), c.real("h"), c.array("x"), c.array("x_new")
    out = [w.array("record").at(2 + n * (1 + k)) for k in range(tableau.coefficients)]
    with w.loop(n) as j:
        change = x_new[j] - x[j]
        start, end = h * rows[0][j], h * rows[tableau.stages][j]
        out[0][j] = change
        out[1][j] = start - change
        out[2][j] = 2.0 * change - (start + end)
        for k, row in enumerate(tableau.dense):
            out[3 + k][j] = h * weighted(row, rows, j)
    return w.finish()
