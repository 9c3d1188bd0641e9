"""Unknowns that no formula gives: Newton's method around the model functions, as LLVM IR.

Where the small residual system is not linear in its unknowns y, the model functions are compiled for (x, y), and each
gets a wrapper that first brings y to r(t, x, y, p) = 0 by steps of the compiled function `newton_step` (exact
Jacobian). The unknowns stay in the workspace, so that the next call begins where the last one ended:

    work = [ x (n) | y (m) | step (m) | y as it was (m) ]

A call that does not converge leaves y as it was and writes NaN, which the integrators take as a step to be repeated.
"""

from __future__ import annotations

from multibond.lower.writer import BOOL, INT, PTR, Array, Value, Writer

ITERATIONS = 40
CONVERGED = 1e-10
"""Newton's method doubles the digits: a step of this relative size leaves nothing to be corrected."""
STALLED = 1e-6
"""A step that rounding keeps from becoming smaller is accepted below this relative size."""


def work_size(n: int, m: int) -> int:
    """Length of the workspace for n states and m unknowns."""
    return n + 3 * m


def wrap(name: str, n: int, m: int, *, silent: bool = False) -> str:
    """`name(t, x, p, out, work)`: settle the unknowns, then call `name_settled`.

    A `silent` function has nothing to write; it writes one zero all the same, so that a NaN can tell of a failure.
    """
    w = Writer(name, {"t": PTR, "x": PTR, "p": PTR, "out": PTR, "work": PTR}, internal=False)
    t, x, p, out, work = (w.array(key) for key in ("t", "x", "p", "out", "work"))
    with w.when(~w.call("settle", [t, x, p, work], BOOL)):
        out[0] = float("nan")
        w.ret()
    if silent:
        out[0] = 0.0
    w.call(f"{name}_settled", [t, work, p, out, work.at(n + m)])
    return w.finish()


def settle_text(n: int, m: int) -> str:
    """`settle(t, x, p, work)`: Newton's method on the unknowns; false where it does not converge."""
    w = Writer("settle", {"t": PTR, "x": PTR, "p": PTR, "work": PTR}, BOOL)
    t, x, p, work = (w.array(key) for key in ("t", "x", "p", "work"))
    y, step, before = work.at(n), work.at(n + m), work.at(n + 2 * m)
    _copy(w, n, x, work)
    _copy(w, m, y, before)
    last, count = w.variable(float("inf")), w.variable(0, INT)
    with w.forever() as leave:
        w.call("newton_step", [t, work, p, step, step])
        worst = _advance(w, m, y, step)
        leave(worst <= CONVERGED)
        leave((worst <= STALLED) & (worst >= 0.5 * last.value) & (count.value > 2))
        with w.when(~(worst < float("inf")) | (count.value >= ITERATIONS)):
            _copy(w, m, before, y)
            w.ret(w.constant(0, BOOL))
        last.set(worst)
        count.set(count.value + 1)
    w.ret(w.constant(1, BOOL))
    return w.finish()


def _advance(w: Writer, m: int, y: Array, step: Array) -> Value:
    """Add the step; returns its largest size relative to the unknowns."""
    largest, worst = w.variable(1e-300), w.variable(0.0)
    with w.loop(m) as j:
        y[j] = y[j] + step[j]
        largest.set(w.maximum(largest.value, w.fabs(y[j])))
    with w.loop(m) as j:
        size = w.fabs(step[j]) / (w.fabs(y[j]) + 1e-4 * largest.value)
        # `maximum` passes over NaN in its second place; here NaN must win.
        worst.set(w.select(size <= worst.value, worst.value, size))
    return worst.value


def _copy(w: Writer, count: int, source: Array, target: Array) -> None:
    with w.loop(count) as j:
        target[j] = source[j]
