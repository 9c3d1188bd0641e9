"""Zero crossings of guard functions as LLVM IR.

Each step is watched in a few parts, so that a guard that dips below zero and returns within one long step is seen. A
crossing is located on the projected interpolant to the resolution of the clock; the located point lies just after the
crossing. A guard that is exactly zero at the start of a step is watched from shortly after it.
"""

from __future__ import annotations

from multibond.lower.writer import BOOL, INT, PTR, REAL, Array, Value, Variable, Writer
from multibond.solve.context import Context, function

SHORTLY_AFTER = 2.0**-12
RESOLUTION = 2.0**-51
LARGEST_ITERATIONS = 100


def events_text() -> str:
    """The function `watch` and those it calls."""
    return _locate() + _record_event() + _watch_part() + _cut() + _watch()


def _guards_at(w: Writer, c: Context, record: Array, s: Value, out: Array) -> None:
    """Guards at the fraction s of a step; leaves the state in `point` and the time in `clock`."""
    w.call("evaluate_step", [c.base, record, s, c.array("point")], BOOL)
    c.set_real("clock", record[0] + s * record[1])
    c.evaluate("guards", c.cell("clock"), c.array("point"), out)


def _locate() -> str:
    """`locate(c, record, guard, a, b, ga, gb)`: fraction just after the sign change between a and b.

    Regula falsi with the Illinois rule (Dowell and Jarratt 1971); every third trial halves the bracket.
    """
    w, c = function("locate", REAL, quick=True, record=PTR, guard=INT, a=REAL, b=REAL, ga=REAL, gb=REAL)
    record, guard, values = w.array("record"), w.parameter("guard"), c.array("guard_trial")
    a, b, ga, gb = (w.variable(w.parameter(name)) for name in ("a", "b", "ga", "gb"))
    side = w.variable(0, INT)
    tolerance = RESOLUTION * (1.0 + w.fabs(record[0]) / record[1])
    with w.loop(LARGEST_ITERATIONS) as k:
        width = b.value - a.value
        with w.when(width <= tolerance):
            w.ret(b.value)
        falsi = b.value - gb.value * width / (gb.value - ga.value)
        halving = (k - k // 3 * 3).equals(2)
        trial = w.select(halving, a.value + 0.5 * width, falsi)
        edge = w.minimum(tolerance, 0.5 * width)
        trial = w.minimum(w.maximum(a.value + edge, trial), b.value - edge)
        _guards_at(w, c, record, trial, values)
        _shrink(w, (a, b, ga, gb, side), trial, values[guard])
    w.ret(b.value)
    return w.finish()


def _shrink(w: Writer, bracket: tuple[Variable, ...], trial: Value, value: Value) -> None:
    """Replace the end of the bracket whose sign the trial has; a zero belongs to the far end."""
    a, b, ga, gb, side = bracket
    near = w.select(ga.value > 0.0, value, -value) > 0.0
    weaken = w.select(near, side.value, -1 * side.value, INT).equals(1)
    half_a = w.select(~near & weaken, 0.5 * ga.value, ga.value)
    half_b = w.select(near & weaken, 0.5 * gb.value, gb.value)
    a.set(w.select(near, trial, a.value))
    b.set(w.select(near, b.value, trial))
    ga.set(w.select(near, value, half_a))
    gb.set(w.select(near, half_b, value))
    side.set(w.select(near, 1, -1, INT))


def _record_event() -> str:
    """`record_event(c, record, guard, s, first)`: store an event, in time order among those from `first` on."""
    w, c = function("record_event", None, quick=True, record=PTR, guard=INT, s=REAL, first=INT)
    record, s, first = w.array("record"), w.parameter("s"), w.parameter("first")
    w.call("evaluate_step", [c.base, record, s, c.array("point")], BOOL)
    stride, stored, n = c.int("event_stride"), c.array("event_records"), c.int("n")
    time = record[0] + s * record[1]
    place = w.variable(c.int("events"), INT)
    with w.forever() as leave:
        leave(place.value <= first)
        before = stored.at((place.value - 1) * stride)
        leave(before[0] <= time)
        with w.loop(stride) as j:
            before.at(stride)[j] = before[j]
        place.set(place.value - 1)
    entry, point = stored.at(place.value * stride), c.array("point")
    entry[0] = time
    entry[1] = w.real(w.parameter("guard"))
    with w.loop(n) as j:
        entry.at(2)[j] = point[j]
    with w.loop(c.int("n_angles")) as a:
        entry.at(2 + n)[a] = c.array("turns")[a]
    c.bump("events")
    return w.finish()


def _watch_part() -> str:
    """`watch_part(c, record, a, b, first)`: events between two fractions, whose guards are in guard_start/guard_end."""
    w, c = function("watch_part", None, quick=True, record=PTR, a=REAL, b=REAL, first=INT)
    record, a, b, first = w.array("record"), w.parameter("a"), w.parameter("b"), w.parameter("first")
    old, new, wanted = c.array("guard_start"), c.array("guard_end"), c.array("directions", INT)
    with w.loop(c.int("n_guards")) as g:
        rising = (old[g] < 0.0) & (new[g] >= 0.0) & (wanted[g] >= 0)
        falling = (old[g] > 0.0) & (new[g] <= 0.0) & (wanted[g] <= 0)
        with w.when(rising | falling):
            s = w.call("locate", [c.base, record, g, a, b, old[g], new[g]], REAL)
            w.call("record_event", [c.base, record, g, s, first])
    with w.loop(c.int("n_guards")) as g:
        old[g] = new[g]
    return w.finish()


def _cut() -> str:
    """`cut(c, first)`: ends the run at the first terminal event from `first` on; true where there is one.

    Events at the same time (to a few units of the clock's resolution) are kept, later ones are dropped.
    """
    w, c = function("cut", BOOL, quick=True, first=INT)
    stride, stored, terminal = c.int("event_stride"), c.array("event_records"), c.array("terminal", INT)
    place = w.variable(w.parameter("first"), INT)
    with w.forever() as leave:
        leave(place.value >= c.int("events"))
        entry = stored.at(place.value * stride)
        guard = w.new(f"fptosi double {entry[1].name} to i64", INT)
        with w.when(terminal[guard].differs(0)):
            _stop_at(w, c, entry, place)
            w.ret(w.constant(1, BOOL))
        place.set(place.value + 1)
    w.ret(w.constant(0, BOOL))
    return w.finish()


def _stop_at(w: Writer, c: Context, entry: Array, place: Variable) -> None:
    """Make an event the end of the step and forget later ones."""
    n, time, x_new, stride = c.int("n"), entry[0], c.array("x_new"), c.int("event_stride")
    c.set_real("t_new", time)
    with w.loop(n) as j:
        x_new[j] = entry.at(2)[j]
    margin = 4.0 * RESOLUTION * (w.fabs(time) + c.real("h"))
    with w.forever() as leave:
        place.set(place.value + 1)
        leave(place.value >= c.int("events"))
        leave(c.array("event_records")[place.value * stride] > time + margin)
    c.set_int("events", place.value)


def _watch() -> str:
    """`watch(c, record)`: looks for events in the step in hand; true where a terminal one ended it."""
    w, c = function("watch", BOOL, quick=True, record=PTR)
    record, new, old = w.array("record"), c.array("guard_end"), c.array("guard_start")
    first = c.int("events")
    a = w.variable(0.0)
    resting = w.variable(0, INT)
    with w.loop(c.int("n_guards")) as g:
        resting.set(w.select(old[g].equals(0.0), 1, resting.value, INT))
    samples = c.int("samples")
    with w.loop(samples + 1, start=1 - resting.value) as k:
        b = w.select(k.equals(0), SHORTLY_AFTER, w.real(k) / w.real(samples))
        inside = k < samples
        with w.when(inside):
            _guards_at(w, c, record, b, new)
        with w.when(~inside):
            c.evaluate("guards", c.cell("t_new"), c.array("x_new"), new)
        w.call("watch_part", [c.base, record, a.value, b, first])
        with w.when(w.call("cut", [c.base, first], BOOL)):
            w.ret(w.constant(1, BOOL))
        a.set(b)
    w.ret(w.constant(0, BOOL))
    return w.finish()
