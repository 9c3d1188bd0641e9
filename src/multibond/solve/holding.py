"""Watch on the singular values of loops as LLVM IR: no step passes a singular position unseen.

At every evaluation the right-hand side leaves in its workspace, for each group of loops, a number that falls to zero
with the distance to a position in which its constraints depend on one another. Its values at the stages of a step and
a bound on its slope say where it may have fallen below the least; there the interpolant is looked at, each time where
the bound is lowest (Piyavskii 1972), until the least is met or excluded.
"""

from __future__ import annotations

from multibond.lower.writer import BOOL, INT, PTR, REAL, Array, Value, Variable, Writer
from multibond.solve.context import Context, function

MARGIN = 1.5
"""The slope within a step is taken to be so many times the largest that its stages show."""
MOST_LOOKS = 48
NARROW = 1e-7
"""Parts of a step narrower than this are not looked into."""
EDGE = 0.02
"""A look lies no nearer to the ends of its interval than this part of it."""


def holding_text(stages: tuple[tuple[float, int], ...]) -> str:
    """The functions `least_hold` and `loses_hold`; stages: fractions of the step with their rows, in order."""
    return _least_hold() + _lowest() + _insert() + _loses_hold(stages)


def _least_hold() -> str:
    """`least_hold(c)`: the smallest hold of all groups in the workspace, in parts of the usual ones."""
    w, c = function("least_hold", REAL)
    found, usual, least = c.array("work"), c.array("usual_holds"), w.variable(float("inf"))
    with w.loop(c.int("holds")) as k:
        least.set(w.minimum(least.value, found[k] / usual[k]))
    w.ret(least.value)
    return w.finish()


def _lowest() -> str:
    """`lowest(looks, count, slope, place)`: the lowest bound between two neighbouring looks, and which they are."""
    w = Writer("lowest", {"looks": PTR, "count": INT, "slope": REAL, "place": PTR}, REAL)
    looks, slope, place = w.array("looks"), w.parameter("slope"), w.array("place", INT)
    least = w.variable(float("inf"))
    place[0] = 0
    with w.loop(w.parameter("count"), start=1) as k:
        before, after = looks.at(2 * k - 2), looks.at(2 * k)
        width = after[0] - before[0]
        bound = 0.5 * (before[1] + after[1]) - 0.5 * slope * width
        with w.when((bound < least.value) & (width > NARROW)):
            least.set(bound)
            place[0] = k
    w.ret(least.value)
    return w.finish()


def _insert() -> str:
    """`insert(looks, count, place, s, value)`: one more look before a place."""
    w = Writer("insert", {"looks": PTR, "count": INT, "place": INT, "s": REAL, "value": REAL}, quick=True)
    looks, k = w.array("looks"), w.variable(w.parameter("count"), INT)
    with w.forever() as leave:
        leave(k.value <= w.parameter("place"))
        for j in (0, 1):
            looks[2 * k.value + j] = looks[2 * k.value + (j - 2)]
        k.set(k.value - 1)
    looks[2 * k.value] = w.parameter("s")
    looks[2 * k.value + 1] = w.parameter("value")
    return w.finish()


def _loses_hold(stages: tuple[tuple[float, int], ...]) -> str:
    """`loses_hold(c, record)`: whether a group loses its hold in the step in hand, which then ends there."""
    w, c = function("loses_hold", BOOL, quick=True, record=PTR)
    looks, values, least = c.array("looks"), c.array("stage_holds"), c.real("least_hold")
    for k, (fraction, row) in enumerate(stages):
        looks[2 * k] = fraction
        looks[2 * k + 1] = values[row]
    count, slope, place = w.variable(len(stages), INT), w.variable(0.0), w.variable(0, INT)
    for k in range(1, len(stages)):
        width = stages[k][0] - stages[k - 1][0]
        slope.set(w.maximum(slope.value, w.fabs(looks[2 * k + 1] - looks[2 * k - 1]) * (MARGIN / width)))
    with w.forever() as leave:
        bound = w.call("lowest", [looks, count.value, slope.value, place.cell], REAL)
        leave(~(bound < least))
        leave(count.value >= len(stages) + MOST_LOOKS)
        s, value = _look(w, c, looks, place.value, slope)
        with w.when(~(value >= least)):
            w.ret(_end_there(w, c, s))
        w.call("insert", [looks, count.value, place.value, s, value])
        count.set(count.value + 1)
    w.ret(w.constant(0, BOOL))
    return w.finish()


def _look(w: Writer, c: Context, looks: Array, place: Value, slope: Variable) -> tuple[Value, Value]:
    """Where the bound is lowest between two looks, and the hold there; zero where the constraints cannot be met."""
    before, after, record = looks.at(2 * place - 2), looks.at(2 * place), w.array("record")
    width = after[0] - before[0]
    middle = 0.5 * (before[0] + after[0]) + 0.5 * (before[1] - after[1]) / slope.value
    s = w.minimum(w.maximum(middle, before[0] + EDGE * width), after[0] - EDGE * width)
    value = w.variable(0.0)
    with w.when(w.call("evaluate_step", [c.base, record, s, c.array("point")], BOOL)):
        c.set_real("clock", record[0] + s * record[1])
        c.evaluate("rhs", c.cell("clock"), c.array("point"), c.array("trial"))
        c.bump("evaluations")
        value.set(w.call("least_hold", [c.base], REAL))
        steeper = w.maximum((before[1] - value.value) / (s - before[0]), (after[1] - value.value) / (after[0] - s))
        slope.set(w.maximum(slope.value, steeper))
    return s, value.value


def _end_there(w: Writer, c: Context, s: Value) -> Value:
    """End the step at a fraction of it, unless it ends before; true where it then does."""
    record, x_new, point, n = w.array("record"), c.array("x_new"), c.array("point"), c.int("n")
    time = record[0] + s * record[1]
    met = time < c.real("t_new")
    with w.when(met):
        c.set_real("t_new", time)
        with w.loop(n) as j:
            x_new[j] = point[j]
        c.set_int("singular", 1)
        with w.forever() as leave:
            last = c.int("events") - 1
            leave(last < 0)
            leave(c.array("event_records")[last * c.int("event_stride")] <= time)
            c.set_int("events", last)
    return met
