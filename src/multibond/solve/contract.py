"""The contract between a model, the compiled integrators, and whoever starts a run.

1. A model is a set of native functions `void f(t, x, p, out, work)`: t points to the time [s], x to the n states, p to
   the parameters, out to the result, work to scratch memory of `work_size` doubles. They must not keep anything.
2. `rhs` writes n derivatives; without states, one number that is NaN where the model has no solution. `jacobian` writes
   the n x n matrix d rhs / dx, column by column; `partial_t` writes d rhs / dt. Implicit methods need both.
3. `position_step` writes n states and one number: one Newton step towards the constraints, and the scaled error of the
   constraints before that step. `velocity_step` writes n states whose speeds obey the constraints.
4. `guards` writes one number for each guard. A change of sign is an event; direction +1 asks for rising, -1 for
   falling, 0 for both; a terminal event ends the run. A guard that is exactly zero at the start does not fire at once.
5. An integrator advances from t0 to t1 >= t0 without returning to Python except to enlarge its buffers. Each accepted
   step is projected, then stored with the coefficients of its dense output.
6. A step is accepted where the RMS of error / (atol + rtol max|x|) is at most 1; a state whose atol is infinite does
   not count, and changes nothing in the others to the last bit. A derivative that is not finite and a
   projection that does not converge count as rejected steps. Where a group of loops loses its hold (see `holds`) the
   step ends there, and the run with it.
7. States that are angles leave whole turns out, which stand among the parameters; where an accepted step ends beyond a
   turn, its turns are taken from the state and added there. States are told with all their turns.
8. A run never raises because of the motion: it ends with a `Status` and keeps the trajectory up to there.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from multibond.errors import Finding, ParameterError, SimulationError
from multibond.rotation import TURN, whole_turns, without_turns
from multibond.solve.context import FUNCTIONS, Block, Layout
from multibond.solve.methods import METHODS, Integrator, integrator
from multibond.solve.status import Status

__all__ = [
    "METHODS",
    "Event",
    "Integrated",
    "NativeModel",
    "Statistics",
    "Status",
    "Steps",
    "Trajectory",
    "Watch",
    "integrate",
]

Vector = NDArray[np.float64]

SINGULAR = 1.5e-5
"""A position may be singular where the hold of a group of loops is below this part of its usual size. The hold falls as
the root of a mismatch of lengths: this one belongs to about 1e-10 of the length."""
MOST_MEMORY = 4_000_000_000
"""A run that would store more than so many bytes ends before."""
SAMPLES = 8
"""Parts of a step in which guards are looked at."""
FIRST_ROWS, ROWS = 16, 128
"""Steps and events for which there is room at first, as many stretches have one or two; steps where more come."""
FIRST_WINDOW = 256
"""Steps after which a run first tells how far it is."""
PATIENCE, HOPELESS = 100_000, 100
"""After so many steps a run ends that would, at the pace so far, need so many times the largest number of steps."""


@dataclass(frozen=True)
class Angles:
    """Which states are angles, and where among the parameters the whole turns lie that each leaves out."""

    states: tuple[int, ...] = ()
    turns: tuple[int, ...] = ()

    def told(self, x: Vector, turns: Vector) -> Vector:
        """States, one row a time, with the turns that they leave out added in place."""
        if self.states:
            x[:, list(self.states)] += TURN * turns
        return x


class InTurn(NamedTuple):
    """An angle in turn, the whole turns it leaves out, and the two together as one number."""

    angle: float
    turns: float
    total: float


@dataclass(frozen=True)
class NativeModel:
    """Addresses of the functions of a model, see 1 to 4 of the contract."""

    n: int
    rhs: int
    n_guards: int = 0
    work_size: int = 0
    jacobian: int | None = None
    partial_t: int | None = None
    position_step: int | None = None
    velocity_step: int | None = None
    guards: int | None = None
    angles: Angles = Angles()
    work_start: Vector | None = field(default=None, repr=False)
    """What the scratch memory holds at the start, where that matters."""
    holds: Vector = field(default_factory=lambda: np.zeros(0), repr=False)
    """How large the holds of groups of loops usually are, which `rhs` leaves at the beginning of the scratch memory."""
    keep: object = field(default=None, repr=False)
    """Whatever owns the native code; it lives as long as this model."""
    again: tuple[Callable[..., NativeModel], tuple[object, ...]] | None = field(default=None, repr=False)
    """What makes these functions once more, in this process or another; guards are left out."""

    def __reduce__(self) -> tuple[object, ...]:
        if self.again is None:
            raise TypeError(
                "native functions cannot be pickled.\n  Nothing says how to make them.\n  Pickle the system."
            )
        return self.again


@dataclass(frozen=True)
class Event:
    """A guard changed its sign: time [s], index of the guard, state just after."""

    time: float
    guard: int
    state: Vector


@dataclass(frozen=True)
class Statistics:
    """Work done in a run."""

    accepted: int
    rejected: int
    evaluations: int
    jacobians: int


@dataclass(frozen=True)
class Trajectory:
    """Times and states at the ends of the steps, events, how the run ended; `at` gives states in between."""

    t: Vector
    x: Vector
    events: tuple[Event, ...]
    status: Status
    statistics: Statistics
    method: str

    def at(self, times: ArrayLike) -> Vector:
        """States at times within the run, one row each."""
        raise TypeError(type(self).__name__)

    @property
    def numbers(self) -> Vector:
        """The parameters with which it was integrated."""
        raise TypeError(type(self).__name__)

    @property
    def end_of_angles(self) -> dict[int, InTurn]:
        """By the place of their turns, the angles at the end with all their digits, where these are known."""
        return {}

    def continued(self, time: float) -> Vector:
        """The state that the last step would lead to a little after its end, without projection onto anything new."""
        return self.at([time])[0]

    def without_last_step(self) -> Trajectory:
        """The same trajectory ending one step earlier."""
        return self.up_to(self.t.size - 2)

    def up_to(self, step: int) -> Trajectory:
        """The same trajectory ending at the end of a step, counted from the start as number zero."""
        end = self.t[step]
        kept = tuple(e for e in self.events if e.time <= end)
        return replace(self, t=self.t[: step + 1], x=self.x[: step + 1], events=kept, status=Status.EVENT)


@dataclass(frozen=True)
class Integrated(Trajectory):
    """A trajectory that an integrator has made."""

    _block: Block = field(repr=False)
    _integrator: Integrator = field(repr=False)
    _model: NativeModel = field(repr=False)

    def __setstate__(self, state: dict[str, object]) -> None:
        """As it was pickled or copied, with the addresses of the functions as they are here."""
        self.__dict__.update(state)
        self._block.set_int(**{name: getattr(self._model, name) or 0 for name in FUNCTIONS}, n_guards=0)

    def at(self, times: ArrayLike) -> Vector:
        """States at times within the run, one row each; they obey the constraints like the stored states."""
        wanted = np.ascontiguousarray(np.atleast_1d(np.asarray(times, dtype=np.float64)))
        self._check_times(wanted)
        if not self._block.int("steps"):
            return np.repeat(self.x[:1], wanted.size, axis=0)
        out = np.empty((wanted.size, self._model.n))
        failures = self._integrator.interpolate(self._block.address, wanted.ctypes.data, wanted.size, out.ctypes.data)
        if failures:
            raise SimulationError(
                Finding(
                    f"{failures} of {wanted.size} states could not be put onto the constraints.",
                    f"Between {wanted.min():.6g} s and {wanted.max():.6g} s Newton's method did not converge.",
                    "Choose a smaller rtol, or ask for times before the run stopped.",
                )
            )
        return out

    @property
    def numbers(self) -> Vector:
        """The parameters with which it was integrated; states are told with the turns that are left out on the way."""
        found = self._block.array("p").copy()
        if self._model.angles.turns:
            found[list(self._model.angles.turns)] = self._block.array("first_turns")
        return found

    def continued(self, time: float) -> Vector:
        out = np.empty((1, self._model.n))
        clock = np.array([time], dtype=np.float64)
        self._integrator.interpolate(self._block.address, clock.ctypes.data, 1, out.ctypes.data)
        return out[0]

    @property
    def end_of_angles(self) -> dict[int, InTurn]:
        """By the place of their turns, the angles at the end with all their digits."""
        angles, block = self._model.angles, self._block
        ends, turns = block.array("x")[list(angles.states)].tolist(), block.array("turns").tolist()
        return {
            place: InTurn(angle, n, angle + TURN * n) for place, angle, n in zip(angles.turns, ends, turns, strict=True)
        }

    def _check_times(self, wanted: Vector) -> None:
        """Refuse times outside the run (rounding aside), and runs without dense output."""
        if not self._block.int("dense"):
            problem = "the trajectory has no states between its steps."
            raise ParameterError(Finding(problem, "The run was made with dense=False.", "Run again with dense=True."))
        first, last = self.t[0], self.t[-1]
        margin = 1e-12 * max(abs(first), abs(last))
        if wanted.size and not (first - margin <= wanted.min() and wanted.max() <= last + margin):
            fact = f"It runs from {first:g} s to {last:g} s, wanted are {wanted.min():g} s to {wanted.max():g} s."
            problem = "the trajectory is not known at every wanted time."
            raise ParameterError(Finding(problem, fact, "Ask for times in that range, or run longer."))


class BrokenOff(KeyboardInterrupt):
    """Ctrl-C during a stretch: the trajectory so far, and the system that it is of."""

    system: Any = None

    def __init__(self, trajectory: Integrated) -> None:
        super().__init__()
        self.trajectory = trajectory


@dataclass(frozen=True)
class Steps:
    """How a run steps.

    method: one of `METHODS`. atol: one number, or one for each state. first_step, max_step: lengths of steps  [s].
    step: length of fixed steps  [s], for "rk4", "heun", "euler" only. dense: whether states between steps can be read.
    least_hold: the run ends where the hold of a group of loops falls below this part of its usual size.
    """

    method: str = "dop853"
    rtol: float = 1e-9
    atol: ArrayLike = 1e-12
    first_step: float | None = None
    max_step: float = np.inf
    step: float | None = None
    projection_tolerance: float = 1e-12
    max_steps: int = 10_000_000
    dense: bool = True
    least_hold: float = SINGULAR


@dataclass(frozen=True)
class Watch:
    """What is watched on the way.

    directions, terminal: one entry for each guard; by default both directions, not terminal. resting: guards that count
    as exactly zero at the start; after an impact those that caused it belong there. progress: is told the time reached
    about ten times a second.
    """

    directions: Sequence[int] | None = None
    terminal: Sequence[bool] | None = None
    resting: Sequence[int] = ()
    progress: Callable[[float], None] | None = None


def integrate(
    model: NativeModel,
    t0: float,
    t1: float,
    x0: ArrayLike,
    p: ArrayLike = (),
    steps: Steps = Steps(),
    watch: Watch = Watch(),
    *,
    after: Trajectory | None = None,
) -> Integrated:
    """Advance a model from t0 to t1 [s]; after: what ended where this begins, whose angles it goes on with exactly."""
    return Integration(model, steps).run(t0, t1, x0, p, steps, watch, after=after)


class Integration:
    """A model and a method made ready for many runs of like kind."""

    def __init__(self, model: NativeModel, steps: Steps) -> None:
        self.model, self.chosen = model, integrator(steps.method)
        self._layout = _layout(model, self.chosen, dense=steps.dense)
        self._start = model.work_start

    def run(
        self, t0: float, t1: float, x0: ArrayLike, p: ArrayLike, steps: Steps, watch: Watch,
        *, after: Trajectory | None = None,
    ) -> Integrated:  # fmt: skip
        """Advance from t0 to t1 [s]; after: as in `integrate`."""
        model, chosen = self.model, self.chosen
        _check(model, steps, t0, t1, chosen)
        block = Block.like(self._layout)
        block.set_array(p=np.array(p, dtype=np.float64).ravel())
        block.array("x")[:] = np.asarray(x0, dtype=np.float64).reshape(model.n)
        if self._start is not None:
            block.array("work")[:] = self._start
        _leave_out_turns(block, model.angles, {} if after is None else after.end_of_angles)
        fixed = steps.step or 0.0
        block.set_real(t=t0, t0=t0, t1=t1, rtol=steps.rtol, max_step=steps.max_step, step=fixed)
        block.set_real(projection_tolerance=steps.projection_tolerance, error_old=1e-4, least_hold=steps.least_hold)
        if model.holds.size:
            block.array("usual_holds")[:] = model.holds
            block.array("stage_holds")[:] = np.inf
        block.set_real(h_next=fixed or steps.first_step or 0.0)
        room = MOST_MEMORY // (8 * block.int("stride"))
        tolerance = block.array("atol")
        tolerance[:] = steps.atol
        counted = int(np.count_nonzero(tolerance < np.inf))
        block.set_int(max_steps=min(steps.max_steps, room), counted=counted)
        if model.n_guards:
            block.array("directions")[:] = 0 if watch.directions is None else watch.directions
            block.array("terminal")[:] = 0 if watch.terminal is None else watch.terminal
        _grow(block, "records", "stride", "capacity", "steps", FIRST_ROWS)
        room = FIRST_ROWS + _of_one_step(model.n_guards)
        _grow(block, "event_records", "event_stride", "event_capacity", "events", room)
        return _run(model, chosen, block, watch)


def _check(model: NativeModel, steps: Steps, t0: float, t1: float, chosen: Integrator) -> None:
    """Refuse what cannot be meant."""
    method, step = steps.method, steps.step
    if not t1 >= t0:
        problem = f"the run cannot end at {t1:g} s."
        raise ParameterError(Finding(problem, f"It starts at {t0:g} s.", "Choose an end after the start."))
    if chosen.fixed != (step is not None and step > 0):
        need = "needs a positive step" if chosen.fixed else "chooses its steps itself"
        cure = "Give step=..., in seconds." if chosen.fixed else "Leave step out, or use method='rk4'."
        raise ParameterError(Finding(f"method '{method}' {need}.", f"step is {step}.", cure))
    if chosen.implicit and (model.jacobian is None or model.partial_t is None):
        fact = "The model has no jacobian or no partial_t."
        problem = f"method '{method}' needs derivatives of the model."
        raise ParameterError(Finding(problem, fact, "Emit both, or choose an explicit method."))


def _layout(model: NativeModel, chosen: Integrator, *, dense: bool) -> Layout:
    """The counts and arrays of a context."""
    n, guards = model.n, model.n_guards
    count = len(model.angles.states)
    record = 2 + n * (1 + chosen.coefficients) + count
    shapes: dict[str, tuple[int, ...]] = {
        **dict.fromkeys(("x", "x_new", "atol", "trial"), (n,)),
        **dict.fromkeys(("guard_start", "guard_end", "guard_trial", "directions", "terminal"), (guards,)),
        "work": (model.work_size,), "stages": (chosen.stages, max(1, n)), "projected": (n + 1,),
        "point": (max(1, n),), "record": (record,),
    }  # fmt: skip
    if chosen.implicit:
        # Without states a model still writes one number, as the right-hand side does.
        shapes |= {"matrix": (max(1, n * n),), "factors": (n * n,), "slope_t": (max(1, n),), "pivots": (n,)}
    watched = model.holds.size
    shapes |= {"usual_holds": (watched,), "stage_holds": (chosen.stages + 1,), "looks": (chosen.looks, 2)}
    return Layout(
        shapes,
        **{name: getattr(model, name) or 0 for name in FUNCTIONS},
        n=n,
        n_guards=guards,
        holds=watched,
        n_angles=count,
        dense=int(dense),
        stride=record if dense else 2 + n + count,
        event_stride=2 + n + count,
        moved=int(model.position_step is not None or model.velocity_step is not None),
        samples=SAMPLES,
        cause=Status.TOO_SMALL,
    )


def _leave_out_turns(block: Block, angles: Angles, known: Mapping[int, InTurn]) -> None:
    """Angles that are total at the start lose their whole turns, as at ends of steps; some are known in turn."""
    x, p = block.array("x"), block.array("p")
    states, places = np.array(angles.states, np.int64), np.array(angles.turns, np.int64)
    first, turns = p[places], whole_turns(x[states])
    for k, (state, place) in enumerate(zip(states, places, strict=True)):
        before = known.get(int(place))
        if before is not None and before.total == x[state]:
            x[state], turns[k] = before.angle, before.turns
        elif turns[k]:
            x[state] = without_turns(float(x[state]), turns[k])
    p[places] += turns
    block.set_array(angles=states, turn_places=places, turns=turns, first_turns=first)
    block.set_array(turns_in_step=np.zeros(states.size))


def _grow(
    block: Block, name: str, stride: str, capacity: str, used: str, least: int, most: float = np.inf
) -> None:  # fmt: skip
    """Enlarge a buffer fourfold, to no less and no more rows than given, and keep what it holds."""
    rows = int(min(max(least, 4 * block.int(capacity)), max(most, block.int(capacity) + 1)))
    fresh = np.empty((rows, block.int(stride)))
    if block.int(used):
        fresh[: block.int(used)] = block.array(name)[: block.int(used)]
    block.set_array(**{name: fresh})
    block.set_int(**{capacity: rows})


def _run(model: NativeModel, chosen: Integrator, block: Block, watch: Watch) -> Integrated:
    """Enter the compiled loop until it ends for another reason than full buffers; Ctrl-C is heard between windows."""
    status = Status(chosen.start(block.address))
    if watch.resting:
        block.array("guard_start")[list(watch.resting)] = 0.0
    if status == Status.DONE:
        status = Status.FULL
    window = FIRST_WINDOW
    try:
        while status == Status.FULL:
            if block.int("steps") >= block.int("capacity") and _is_hopeless(block):
                return _trajectory(model, chosen, block, Status.TOO_MANY)
            _make_room(block, model.n_guards)
            if watch.progress is not None:
                watch.progress(block.real("t"))
            status, window = _advance_a_while(chosen, block, window)
    except KeyboardInterrupt:
        raise BrokenOff(_trajectory(model, chosen, block, Status.INTERRUPTED)) from None
    return _trajectory(model, chosen, block, status)


def _is_hopeless(block: Block) -> bool:
    """Whether a run creeps so slowly that it would need very many times the largest number of steps."""
    steps, done = block.int("steps"), block.real("t") - block.real("t0")
    whole = block.real("t1") - block.real("t0")
    return steps > PATIENCE and done * HOPELESS * block.int("max_steps") < steps * whole


def _of_one_step(guards: int) -> int:
    """The most events that one step may bring."""
    return guards * (SAMPLES + 1)


def _make_room(block: Block, guards: int) -> None:
    """Enlarge the buffers that are full."""
    if block.int("steps") >= block.int("capacity"):
        _grow(block, "records", "stride", "capacity", "steps", ROWS, most=block.int("max_steps") + 1)
    if block.int("event_capacity") - block.int("events") < _of_one_step(guards):
        _grow(block, "event_records", "event_stride", "event_capacity", "events", 0)


def _advance_a_while(chosen: Integrator, block: Block, window: int) -> tuple[Status, int]:
    """Advance by no more than `window` steps; the next window is one that takes about a tenth of a second."""
    rows, began = block.int("capacity"), perf_counter()
    block.set_int(capacity=min(rows, block.int("steps") + window))
    status = Status(chosen.advance(block.address))
    block.set_int(capacity=rows)
    spent = perf_counter() - began
    return status, max(1, 2 * window if spent < 0.05 else window // 2 if spent > 0.2 else window)


def _events(angles: Angles, n: int, block: Block) -> tuple[Event, ...]:
    """Crossings with the states there, angles with all their turns."""
    if not block.int("events"):
        return ()
    found = block.array("event_records")[: block.int("events")]
    states = angles.told(found[:, 2 : 2 + n].copy(), found[:, 2 + n :])
    return tuple(Event(float(row[0]), int(row[1]), state) for row, state in zip(found, states, strict=True))


def _trajectory(model: NativeModel, chosen: Integrator, block: Block, status: Status) -> Integrated:
    """Gather what the compiled loop has stored."""
    n, steps = model.n, block.int("steps")
    if FIRST_ROWS < 2 * steps < block.int("capacity"):
        block.set_array(records=block.array("records")[: max(steps, 1)].copy())
    records, angles, t = block.array("records")[:steps], model.angles, np.empty(steps + 1)
    t[:steps], t[steps] = records[:, 0], block.real("t")
    x = np.empty((steps + 1, n))
    x[:steps], x[steps] = records[:, 2 : 2 + n], block.array("x")
    if angles.states:
        behind = records.shape[1] - len(angles.states)
        x = angles.told(x, np.vstack([records[:, behind:], block.array("turns")]))
    return Integrated(
        t=t,
        x=x,
        events=_events(angles, n, block),
        status=status,
        statistics=Statistics(*block.counts("accepted", "rejected", "evaluations", "jacobians")),
        method=chosen.name,
        _block=block,
        _integrator=chosen,
        _model=model,
    )
