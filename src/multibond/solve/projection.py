"""Projection onto the constraints as LLVM IR.

The model offers one Newton step for the positions (with the scaled error before that step) and one for the speeds.
"""

from __future__ import annotations

from multibond.lower.writer import BOOL, INT, PTR, Array, Value, Writer
from multibond.solve.context import function

LARGEST_ITERATIONS = 8


def projection_text() -> str:
    """`project(c, time, x)` moves x onto the constraints in place; false where Newton's method does not converge."""
    w, c = function("project", BOOL, quick=True, time=PTR, x=PTR)
    n, x, time, out = c.int("n"), w.array("x"), w.array("time"), c.array("projected")
    with w.when(c.has("position_step")):
        count = w.variable(0, INT)
        with w.forever() as leave:
            c.evaluate("position_step", time, x, out)
            leave(out[n] <= c.real("projection_tolerance"))
            with w.when(~(count.value < LARGEST_ITERATIONS) | ~(out[n] < float("inf"))):
                w.ret(w.constant(0, BOOL))
            _copy(w, n, out, x)
            count.set(count.value + 1)
    with w.when(c.has("velocity_step")):
        c.evaluate("velocity_step", time, x, out)
        _copy(w, n, out, x)
    w.ret(w.constant(1, BOOL))
    return w.finish()


def _copy(w: Writer, n: Value, source: Array, target: Array) -> None:
    with w.loop(n) as j:
        target[j] = source[j]
