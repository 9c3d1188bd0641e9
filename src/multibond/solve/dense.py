"""States between the steps as LLVM IR.

A stored step is t, h, the state at its start, and coefficients F0, F1, ... of the nested form
x + s (F0 + (1-s) (F1 + s (F2 + (1-s) (F3 + ...)))) with s from 0 to 1 (Hairer, Norsett, Wanner). F0 is the change over
the step; at the end of the record stand the turns that angles leave out, which `interpolate` adds. The result is
projected, so that it obeys the constraints like the ends of the steps.
"""

from __future__ import annotations

from multibond.lower.writer import BOOL, INT, PTR, REAL
from multibond.rotation import TURN
from multibond.solve.context import function


def dense_text(coefficients: int) -> str:
    """The functions `evaluate_step` and `interpolate`."""
    return _evaluate_step(coefficients) + _interpolate()


def _evaluate_step(coefficients: int) -> str:
    """`evaluate_step(c, record, s, x)`: the projected state at the fraction s of a step; false where that fails."""
    w, c = function("evaluate_step", BOOL, record=PTR, s=REAL, x=PTR)
    n, s, record, x = c.int("n"), w.parameter("s"), w.array("record"), w.array("x")
    rest = 1.0 - s
    start = record.at(2)
    parts = [start.at(n * (1 + k)) for k in range(coefficients)]
    with w.loop(n) as j:
        total = parts[-1][j]
        for k in reversed(range(coefficients - 1)):
            total = parts[k][j] + (rest if k % 2 == 0 else s) * total
        x[j] = start[j] + s * total
    clock = w.variable(record[0] + s * record[1])
    w.ret(w.call("project", [c.base, clock.cell, x], BOOL))
    return w.finish()


def _interpolate() -> str:
    """`interpolate(c, times, count, out)`: states at any times; returns how many could not be projected."""
    w, c = function("interpolate", INT, internal=False, quick=True, times=PTR, count=INT, out=PTR)
    n, stride, records, times = c.int("n"), c.int("stride"), c.array("records"), w.array("times")
    failures = w.variable(0, INT)
    with w.loop(w.parameter("count")) as k:
        time = times[k]
        low, high = w.variable(0, INT), w.variable(c.int("steps"), INT)
        with w.forever() as leave:
            leave(high.value - low.value <= 1)
            middle = (low.value + high.value) // 2
            later = records[middle * stride] > time
            low.set(w.select(later, low.value, middle, INT))
            high.set(w.select(later, middle, high.value, INT))
        record = records.at(low.value * stride)
        fraction = (time - record[0]) / record[1]
        turns, x = record.at(stride - c.int("n_angles")), w.array("out").at(k * n)
        with w.loop(c.int("n_angles")) as a:
            c.array("p")[c.array("turn_places", INT)[a]] = c.array("first_turns")[a] + turns[a]
        good = w.call("evaluate_step", [c.base, record, fraction, x], BOOL)
        with w.loop(c.int("n_angles")) as a:
            place = c.array("angles", INT)[a]
            x[place] = x[place] + TURN * turns[a]
        failures.set(failures.value + w.select(good, 0, 1, INT))
    w.ret(failures.value)
    return w.finish()
