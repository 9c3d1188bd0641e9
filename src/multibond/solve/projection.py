"""Projection onto the constraints as LLVM IR.

The model offers one Newton step for the positions (with the scaled error before that step) and one for the speeds.
"""

from __future__ import annotations

from multibond.lower.sincos import HALF_PI
from multibond.lower.writer import BOOL, INT, PTR, Array, Value, Writer
from multibond.rotation import TURN
from multibond.solve.context import function

LARGEST_ITERATIONS = 8


TURN_PARTS = tuple(4.0 * part for part in HALF_PI)
"""A turn in parts, of which the first two are exact times any number of turns below 2**20."""


def projection_text() -> str:
    """`project` and `leave_out_turns`, and what they call."""
    return _leave_out_turns() + _settle() + _project()


def _leave_out_turns() -> str:
    """`leave_out_turns(c, x, turns)`: angles lose their whole turns to `turns` and to the parameters."""
    w, c = function("leave_out_turns", None, quick=True, x=PTR, turns=PTR)
    x, turns, p = w.array("x"), w.array("turns"), c.array("p")
    with w.loop(c.int("n_angles")) as a:
        place, slot = c.array("angles", INT)[a], c.array("turn_places", INT)[a]
        angle = x[place]
        with w.when(w.fabs(angle) > TURN):
            whole = w.math("llvm.floor.f64", angle / TURN + 0.5)
            for part in TURN_PARTS:
                angle = angle - whole * part
            x[place] = angle
            turns[a] = turns[a] + whole
            p[slot] = p[slot] + whole
    return w.finish()


def _project() -> str:
    """`project(c, time, x)` moves x onto the constraints in place; false where Newton's method does not converge.

    A step may be many turns long: for the time being these are left out, so that gaps keep their digits.
    """
    w, c = function("project", BOOL, quick=True, time=PTR, x=PTR)
    x, p, turns = w.array("x"), c.array("p"), c.array("turns_in_step")
    with w.loop(c.int("n_angles")) as a:
        turns[a] = 0.0
    w.call("leave_out_turns", [c.base, x, turns])
    good = w.call("settle", [c.base, w.array("time"), x], BOOL)
    with w.loop(c.int("n_angles")) as a:
        place, slot = c.array("angles", INT)[a], c.array("turn_places", INT)[a]
        x[place] = x[place] + TURN * turns[a]
        p[slot] = p[slot] - turns[a]
    w.ret(good)
    return w.finish()


def _settle() -> str:
    """`settle(c, time, x)`: Newton's method for the positions, then one step for the speeds; false where it fails."""
    w, c = function("settle", BOOL, quick=True, time=PTR, x=PTR)
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
