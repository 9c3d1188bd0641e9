"""The loop over the steps as LLVM IR: step control, projection, storage, events.

The text is the same for every method; the method brings `attempt` and `finish`.
"""

from __future__ import annotations

from multibond.lower.writer import BOOL, INT, PTR, REAL, Array, Value, Writer
from multibond.solve.context import Context, function
from multibond.solve.status import Status

SAFETY = 0.9
SMALLEST_FACTOR = 0.2
NOT_FINITE_FACTOR = 0.1
PROJECTION_FACTOR = 0.25
SMALLEST_STEP = 16.0 * 2.0**-52
LEAST_FIRST = 64.0 * SMALLEST_STEP


def driver_text(order: int, beta: float, largest_growth: float, end_stage: int, rows: int, *, end_known: bool) -> str:
    """The functions `start` and `advance`.

    `order` and `beta` are those of the step control, `end_stage` is the row of the derivative at the end of the step,
    `rows` the number of rows; `end_known` says that `attempt` has computed the one at the end already.
    """
    return (
        _start(order)
        + _propose(order, beta, largest_growth)
        + _reject(order)
        + _complete(end_stage, end_known)
        + _interpolant(rows)
        + _store()
        + _commit(end_stage)
        + _advance()
    )


def _start(order: int) -> str:
    """`start(c)`: derivative, guards and, where none was given, the length of the first step (Hairer et al., II.4)."""
    w, c = function("start", INT, quick=True, internal=False)
    n, x, f = c.int("n"), c.array("x"), c.array("stages")
    c.rate(c.cell("t"), x, 0, f)
    c.bump("evaluations")
    with w.when(~(w.call("all_finite", [x, n], BOOL) & w.call("all_finite", [f, c.rates()], BOOL))):
        w.ret(Status.NOT_FINITE)
    with w.when(c.int("n_guards") > 0):
        c.evaluate("guards", c.cell("t"), x, c.array("guard_start"))
    with w.when(c.real("h_next") > 0.0):
        w.ret(Status.DONE)
    size, slope = _norm(w, c, x), _norm(w, c, f)
    short = w.select((size < 1e-5) | (slope < 1e-5), 1e-6, 0.01 * size / slope)
    h = w.minimum(w.minimum(short, c.real("max_step")), c.real("t1") - c.real("t"))
    trial, change = c.array("trial"), c.array("point")
    with w.loop(n) as j:
        trial[j] = x[j] + h * f[j]
    c.set_real("clock", c.real("t") + h)
    c.evaluate("rhs", c.cell("clock"), trial, change)
    c.bump("evaluations")
    with w.loop(n) as j:
        change[j] = change[j] - f[j]
    bend = w.maximum(slope, _norm(w, c, change) / h)
    longer = w.select(bend <= 1e-15, w.maximum(1e-6, h * 1e-3), w.math("pow", 0.01 / bend, 1.0 / order))
    # A state that has only just left zero says nothing about how long a step may be.
    least = LEAST_FIRST * w.fabs(c.real("t"))
    c.set_real("h_next", w.maximum(w.minimum(100.0 * h, longer), least))
    w.ret(Status.DONE)
    return _all_finite() + w.finish()


def _norm(w: Writer, c: Context, vector: Array) -> Value:
    """RMS of a vector scaled by atol + rtol |x|."""
    n, x, atol = c.int("n"), c.array("x"), c.array("atol")
    total = w.variable(0.0)
    with w.loop(n) as j:
        part = vector[j] / (atol[j] + c.real("rtol") * w.fabs(x[j]))
        total.set(total.value + part * part)
    return w.math("llvm.sqrt.f64", c.mean(total.value))


def _all_finite() -> str:
    """`all_finite(x, n)`."""
    w = Writer("all_finite", {"x": PTR, "n": INT}, BOOL, quick=True)
    x, total = w.array("x"), w.variable(0.0)
    with w.loop(w.parameter("n")) as j:
        total.set(total.value + (x[j] - x[j]))
    w.ret(total.value.equals(0.0))
    return w.finish()


def _propose(order: int, beta: float, largest_growth: float) -> str:
    """`propose(c, error)`: length of the next step after an accepted one, PI control (Gustafsson 1991)."""
    w, c = function("propose", None, quick=True, error=REAL)
    error = w.maximum(w.parameter("error"), 1e-10)
    factor = SAFETY * w.math("pow", error, -(1.0 / order - 0.75 * beta))
    if beta:
        factor = factor * w.math("pow", c.real("error_old"), beta)
    limit = w.select(c.int("retry").differs(0), 1.0, largest_growth)
    factor = w.minimum(w.maximum(SMALLEST_FACTOR, factor), limit)
    c.set_real("h_next", c.real("h") * factor)
    c.set_real("error_old", w.maximum(error, 1e-4))
    c.set_int("retry", 0)
    return w.finish()


def _reject(order: int) -> str:
    """`reject(c, error)`: a shorter step after a rejected one; NaN stands for a value that is not finite."""
    w, c = function("reject", None, quick=True, error=REAL)
    error = w.parameter("error")
    finite = error < float("inf")
    factor = w.maximum(SMALLEST_FACTOR, SAFETY * w.math("pow", error, -1.0 / order))
    c.set_real("h_next", c.real("h") * w.select(finite, factor, NOT_FINITE_FACTOR))
    c.set_int("cause", w.select(finite, Status.TOO_SMALL, Status.NOT_FINITE, INT))
    c.set_int("retry", 1)
    c.set_int("jacobian_valid", 1)
    c.bump("rejected")
    return w.finish()


def _complete(end_stage: int, end_known: bool) -> str:
    """`complete(c)`: project the new state and take its derivative; false where that fails (the step is rejected)."""
    w, c = function("complete", BOOL, quick=True)
    x_new, end = c.array("x_new"), c.array("stages").at(c.int("n") * end_stage)
    with w.when(~w.call("project", [c.base, c.cell("t_new"), x_new], BOOL)):
        w.call("reject", [c.base, w.constant(float("nan"), REAL)])
        c.set_real("h_next", c.real("h") * PROJECTION_FACTOR)
        c.set_int("cause", Status.PROJECTION_FAILED)
        w.ret(w.constant(0, BOOL))
    needed = c.int("moved").differs(0) if end_known else w.constant(1, BOOL)
    with w.when(needed):
        c.rate(c.cell("t_new"), x_new, end_stage, end)
        c.bump("evaluations")
    with w.when(~w.call("all_finite", [end, c.rates()], BOOL)):
        w.call("reject", [c.base, w.constant(float("nan"), REAL)])
        w.ret(w.constant(0, BOOL))
    w.ret(w.constant(1, BOOL))
    return w.finish()


def _record(w: Writer, c: Context) -> tuple[Array, Array]:
    """Where the step in hand is kept, and where it is worked out."""
    place, dense = c.array("records").at(c.int("steps") * c.int("stride")), c.int("dense").differs(0)
    return place, Array(w, w.raw(f"select i1 {dense.name}, ptr {place.pointer}, ptr {c.array('record').pointer}"))


def _interpolant(rows: int) -> str:
    """`interpolant(c)`: the step as a function of time, where it is asked for; false where it has no value.

    rows: how many rows of stages there are. Where one of them finds no unknowns the step is rejected.
    """
    w, c = function("interpolant", BOOL, quick=True)
    n, x, (_, record) = c.int("n"), c.array("x"), _record(w, c)
    record[0] = c.real("t")
    record[1] = c.real("h")
    with w.loop(n) as j:
        record.at(2)[j] = x[j]
    with w.when(c.int("dense").differs(0) | (c.int("n_guards") > 0) | (c.int("holds") > 0)):
        w.call("finish", [c.base, record])
        with w.when(~w.call("all_finite", [c.array("stages"), n * rows], BOOL)):
            w.call("reject", [c.base, w.constant(float("nan"), REAL)])
            w.ret(w.constant(0, BOOL))
    w.ret(w.constant(1, BOOL))
    return w.finish()


def _store() -> str:
    """`store(c)`: write the step into the buffer; true where a terminal event or a singular position cut it short."""
    w, c = function("store", BOOL, quick=True)
    n, dense, (place, record) = c.int("n"), c.int("dense").differs(0), _record(w, c)
    with w.when(~dense), w.loop(n + 2) as j:
        place[j] = record[j]
    with w.loop(c.int("n_angles")) as a:
        place.at(c.int("stride") - c.int("n_angles"))[a] = c.array("turns")[a]
    c.bump("steps")
    cut = w.variable(0, BOOL)
    with w.when(c.int("n_guards") > 0):
        cut.set(w.call("watch", [c.base, record], BOOL))
    with w.when(c.int("holds") > 0):
        lost = w.call("loses_hold", [c.base, record], BOOL)
        cut.set(cut.value | lost)
    w.ret(cut.value)
    return w.finish()


def _commit(end_stage: int) -> str:
    """`commit(c)`: the end of the step becomes the start of the next."""
    w, c = function("commit", quick=True)
    n, x, x_new, stages = c.int("n"), c.array("x"), c.array("x_new"), c.array("stages")
    end = stages.at(n * end_stage)
    with w.loop(n) as j:
        x[j] = x_new[j]
        stages[j] = end[j]
    w.call("leave_out_turns", [c.base, x, c.array("turns")])
    holds = c.array("stage_holds")
    holds[0] = holds[end_stage]
    c.set_real("t", c.real("t_new"))
    c.set_int("jacobian_valid", 0)
    c.bump("accepted")
    return w.finish()


def _advance() -> str:
    """`advance(c)`: steps until the end, a terminal event, a failure, or full buffers; returns a `Status`."""
    w, c = function("advance", INT, quick=True, internal=False)
    with w.forever():
        with w.when(c.real("t") >= c.real("t1")):
            w.ret(Status.DONE)
        _return_if_out_of_room(w, c)
        _choose_step(w, c)
        error = w.call("attempt", [c.base], REAL)
        good = w.variable(0, INT)
        with w.when(error <= 1.0):
            good.set(w.new(f"zext i1 {w.call('complete', [c.base], BOOL).name} to i64", INT))
            with w.when(good.value.differs(0)):
                good.set(w.new(f"zext i1 {w.call('interpolant', [c.base], BOOL).name} to i64", INT))
        with w.when(~(error <= 1.0)):
            w.call("reject", [c.base, error])
        with w.when(good.value.differs(0)):
            cut = w.call("store", [c.base], BOOL)
            w.call("propose", [c.base, error])
            w.call("commit", [c.base])
            with w.when(cut):
                w.ret(w.select(c.int("singular").differs(0), Status.SINGULAR, Status.EVENT, INT))
        with w.when(good.value.equals(0) & (c.real("step") > 0.0)):
            w.ret(c.int("cause"))
    return w.finish()


def _return_if_out_of_room(w: Writer, c: Context) -> None:
    """Leave where the next step might not fit into the buffers, or where enough steps were tried."""
    with w.when(c.int("accepted") + c.int("rejected") >= c.int("max_steps")):
        w.ret(Status.TOO_MANY)
    events_left = c.int("event_capacity") - c.int("events")
    largest = c.int("n_guards") * (c.int("samples") + 1)
    with w.when((c.int("steps") >= c.int("capacity")) | (events_left < largest)):
        w.ret(Status.FULL)


def _choose_step(w: Writer, c: Context) -> None:
    """Set h and t_new; the last step ends exactly at t1, fixed steps end at multiples of the step."""
    t, t1, fixed = c.real("t"), c.real("t1"), c.real("step")
    wish = w.minimum(c.real("h_next"), c.real("max_step"))
    # Written so that a NaN also ends the run.
    enough = (wish >= SMALLEST_STEP * w.fabs(t)) | (wish >= t1 - t)
    with w.when(~(enough & (wish > 0.0))):
        w.ret(c.int("cause"))
    multiple = c.real("t0") + w.real(c.int("accepted") + 1) * fixed
    is_fixed = fixed > 0.0
    end = w.select(is_fixed, multiple, t + wish)
    # A last step that would be a sliver is joined to the one before.
    reach = w.select(is_fixed, multiple + 1e-9 * fixed, t + 1.01 * wish)
    end = w.select(reach >= t1, t1, end)
    c.set_real("t_new", end)
    c.set_real("h", end - t)
