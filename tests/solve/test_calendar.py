"""The calendar of instants known beforehand: exact, without drift, and with one rule for what is one instant."""

from __future__ import annotations

import math
from fractions import Fraction

import casadi as ca
import numpy as np
import pytest

import multibond as mb
from multibond import blocks as b
from multibond.equations.timed import AHEAD, Course, Timed, decided
from multibond.formula.grammar import read
from multibond.solve.calendar import Calendar
from multibond.solve.exact import Conditions, exact

T, P = ca.SX.sym("t"), ca.SX.sym("p", 3)


def conditions(formula: str, numbers: tuple[float, ...] = (0.0, 0.0, 0.0)) -> Conditions | None:
    """What is known of a formula of t by the time alone."""
    made = read(formula)
    timed = of(made.evaluate({"t": T})).timed
    return Conditions([timed], T, P, np.array(numbers)) if timed.levels else None


def of(expression: ca.SX):
    return decided(ca.SX(expression), T, ca.SX.sym("clock", 2), P)


def first(found: Conditions | None, count: int) -> list[Fraction]:
    """The first instants."""
    times, t = [], Fraction(0)
    for _ in range(count):
        t = found.after(t) if found is not None and t is not None else None
        times.append(t)
    return times


# -- numbers -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("number", "meant"),
    [
        (0.1, Fraction(1, 10)),
        (0.7e-3, Fraction(7, 10000)),
        (1 / 300, Fraction(1, 300)),
        (1e-9, Fraction(1, 10**9)),
        (-0.3, Fraction(-3, 10)),
        (123.456, Fraction(123456, 1000)),
        (2.0**-20, Fraction(1, 2**20)),
        (1e22, Fraction(10**22)),
        (0.0, Fraction(0)),
        (3.0, Fraction(3)),
        (1 / 7e3, Fraction(1, 7000)),
        (1 / 44100, Fraction(1, 44100)),
    ],
)
def test_a_number_means_the_simplest_fraction_that_rounds_to_it(number: float, meant: Fraction) -> None:
    assert exact(number) == meant
    assert float(exact(number)) == number


def test_every_double_keeps_its_value() -> None:
    rng = np.random.default_rng(7)
    for number in rng.uniform(-1, 1, 300) * 10.0 ** rng.integers(-12, 12, 300):
        found = exact(float(number))
        assert float(found) == number
        smaller = [Fraction(round(float(number) * d), d) for d in range(1, min(found.denominator, 200))]
        assert all(float(each) != number for each in smaller)


def test_different_numbers_stay_different() -> None:
    for number in (0.1, 1 / 300, math.pi, 1e-3, 0.3):
        near = [number, math.nextafter(number, 0), math.nextafter(number, 9), number + 1e-9]
        assert len({exact(each) for each in near}) == 4


# -- samples -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("number", "meant"),
    [(1e-3, Fraction(1, 1000)), (0.7e-3, Fraction(7, 10000)), (1 / 300, Fraction(1, 300)), (0.1, Fraction(1, 10))],
)
def test_samples_do_not_drift(number: float, meant: Fraction) -> None:
    """Also the ten-millionth is where it should be, to the last bit."""
    calendar = Calendar((number,))
    for k in range(2000):
        assert calendar.next == float(k * meant) and calendar.due == {number}
        calendar.pass_on()
    (beat,) = calendar._beats
    beat.count = 10**7 - 1
    beat.go_on()
    assert beat.time == float(10**7 * meant)


def test_two_periods_meet_where_they_should() -> None:
    """0.7 ms and 1/300 s: together every 70 ms, 21 and 100 of them; nowhere else."""
    calendar, both, count = Calendar((0.7e-3, 1 / 300)), [], 0
    while calendar.next <= 1.4:
        due = calendar.pass_on()
        count += 1
        both += [count] if len(due) == 2 else []
    assert len(both) == 21
    assert count == 2001 + 421 - 21


# -- corners -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("formula", "times"),
    [
        ("where(t > 0.3, 1, 0)", [Fraction(3, 10), None]),
        ("where(t - 0.1 >= 0.2, 1, 0)", [Fraction(3, 10), None]),
        ("abs(2*t - 1) + abs(t - 0.75)", [Fraction(1, 2), Fraction(3, 4), None]),
        ("floor(10*t)", [Fraction(1, 10), Fraction(2, 10), Fraction(3, 10), Fraction(4, 10)]),
        ("floor(0.25 - t)", [Fraction(1, 4), Fraction(5, 4), Fraction(9, 4)]),
        ("-floor(-t/0.3)", [Fraction(3, 10), Fraction(6, 10), Fraction(9, 10)]),
        (
            "where(t % 0.02 < 0.005, 1, 0)",
            [Fraction(5, 1000), Fraction(20, 1000), Fraction(25, 1000), Fraction(40, 1000)],
        ),
        ("where((t + 0.01) % 0.02 < 0.005, 1, 0)", [Fraction(10, 1000), Fraction(15, 1000), Fraction(30, 1000)]),
        ("table(t, [0.1, 0.2, 0.7], [0, 1, 0])", [Fraction(1, 10), Fraction(2, 10), Fraction(7, 10), None]),
        ("table(t % 0.5, [0.1, 0.2], [0, 1])", [Fraction(1, 10), Fraction(2, 10), Fraction(5, 10), Fraction(6, 10)]),
        ("minimum(t, 0.4) + maximum(3*t, 1)", [Fraction(1, 3), Fraction(2, 5), None]),
        ("clip(t, 0.1, 0.3)", [Fraction(1, 10), Fraction(3, 10), None]),
        ("sign(t - 1)*t", [Fraction(1), None]),
        ("where(t > 0.1 and t < 0.2, 1, 0)", [Fraction(1, 10), Fraction(2, 10), None]),
        ("where(abs(t - 1) < 0.25, 1, 0)", [Fraction(3, 4), Fraction(1), Fraction(5, 4), None]),
        ("where(2*(t - floor(t)) > 1, 1, 0)", [Fraction(1, 2), Fraction(1), Fraction(3, 2)]),
        (
            "where(floor(t/0.1)*t > 0.5, 1, 0)",
            [Fraction(1, 10), Fraction(2, 10), Fraction(3, 10), Fraction(4, 10), Fraction(5, 10)],
        ),
        ("sin(t) + t**2", [None]),
    ],
)
def test_when_formulas_of_the_time_change(formula: str, times: list[Fraction | None]) -> None:
    """Exactly; some instants are found where nothing changes after all, but none is left out."""
    found = first(conditions(formula), 3 * len(times))
    assert [t for t in found if t in times or t is None][: len(times)] == times
    assert sum(t is not None for t in found) <= 2 * sum(t is not None for t in times) + 2 * len(times)


@pytest.mark.parametrize("formula", ["where(sin(t) > 0.3, 1, 0)", "abs(t**2 - 2)", "floor(exp(t))"])
def test_curved_conditions_are_left_to_the_integrator(formula: str) -> None:
    assert conditions(formula) is None


def test_the_same_value_at_both_ends_of_an_interval() -> None:
    """With the clock held between two instants a formula is smooth up to both, from the side it is on."""
    clock = ca.SX.sym("clock", 2)
    for text in ("floor(t / 0.1)", "t % 0.1", "where(t >= 0.3, 5, 2*t)", "abs(t - 0.3)", "minimum(t, 0.3)"):
        formula = read(text)
        found = decided(ca.SX(formula.evaluate({"t": T})), T, clock, P)
        function = ca.Function("read", [T, clock], [found.expression])
        for middle in (0.25, 0.35):
            for t in (middle - 0.05 + 1e-16, middle, middle + 0.05):
                near = min(max(t, middle - 0.05 + 1e-9), middle + 0.05 - 1e-9)
                assert float(function(t, [middle, 0.0])) == pytest.approx(
                    float(formula.evaluate({"t": near})), abs=1e-8
                )


def test_how_expressions_go() -> None:
    """What is still, straight, curved, or depends on more than the time."""
    x = ca.SX.sym("x")
    cases = {
        Course.STILL: [P[0], ca.floor(T), P[1] < T, ca.sin(P[0])],
        Course.STRAIGHT: [T, 2 * T - P[0], ca.fabs(T), ca.fmin(T, P[0]), T * ca.floor(T), ca.fmod(T, P[0]), T / P[0]],
        Course.CURVED: [T * T, ca.sin(T), 1 / T, ca.fmod(P[0], T), ca.fabs(T * T)],
        Course.STATE: [x, x + T, ca.floor(x), x > T],
    }
    for course, expressions in cases.items():
        for expression in expressions:
            assert of(expression).courses == (course,), expression


# -- one instant or two ------------------------------------------------------------------------------------------------


def merged(*times: float) -> list[tuple[float, bool]]:
    """Instants of a step at each time and of samples at 0.1 s: when, and whether it is a sample."""
    where = ca.vertcat(*(T - time for time in times))
    calendar, found = Calendar((0.1,)), []
    calendar.follow(Conditions([Timed(where, ((0.0,),) * len(times))], T, P, np.zeros(3)), 0.0)
    while calendar.next < 0.55:
        at = calendar.next
        found.append((at, bool(calendar.pass_on())))
    return found


@pytest.mark.parametrize("time", [0.3, 0.1 + 0.2, 0.3 * (1 + 2e-16), 0.3 * (1 - 3e-16), 1 - 0.7])
def test_times_that_differ_by_a_rounding_are_one(time: float) -> None:
    assert merged(time) == [(k / 10, True) for k in range(6)]


@pytest.mark.parametrize("apart", [1e-9, 1e-12, -1e-12, 1e-14, -1e-9])
def test_times_that_differ_by_more_are_two(apart: float) -> None:
    found = merged(0.3 + apart)
    assert len(found) == 7
    assert [t for t, sampled in found if not sampled] == [pytest.approx(0.3 + apart, abs=1e-17)]


def test_many_corners_within_a_rounding_are_passed_once() -> None:
    times = [0.25]
    for _ in range(6):
        times.append(math.nextafter(times[-1], 1))
    found = merged(*times)
    assert next(t for t, sampled in found if not sampled) == 0.25
    assert len(found) <= 6 + 2
    assert times[-1] - 0.25 > AHEAD * 0.25


# -- in models ---------------------------------------------------------------------------------------------------------


def test_no_guard_watches_what_the_calendar_knows() -> None:
    model = mb.Model("m")
    names = ["t % 0.1", "abs(t - 1)", "where(t > 0.2, 1, 0)", "table(t, [0, 1], [0, 1])", "floor(sin(t))"]
    for k, text in enumerate(names):
        model.add(b.Function(f"f{k}", text))
    for block in (b.Step("step"), b.Ramp("ramp", duration=1.0), b.Pulse("p", 1.0, 0.1, period=0.2), b.Trapezoid("z")):
        model.add(block)
    model.add(b.Limiter("limit", lower=0.1, upper=0.3))
    model.signal("ramp.y", "limit.u")
    system = mb.compile(model)
    watched = [kind.jumps.edges for kind in system.dae.classes]
    assert sum(map(len, watched)) == 1  # floor(sin(t)) alone
    assert not system.state_names


def test_changed_numbers_move_the_instants() -> None:
    """A corner, a period of pulses, a period of samples and a number of a formula, each changed after compilation."""
    model = mb.Model("m")
    for block in (
        b.Step("step", time=0.3),
        b.Pulse("pulse", 1.0, 0.01, period=0.1),
        b.Function("f", "where(t > 0.35, 1, 0)"),
    ):
        model.add(block)
        total = model.add(b.Integrator(f"of_{block.name}"))
        model.signal(f"{block.name}.y", total.u)
    model.add(b.Time("time"))
    hold = model.add(b.SampleHold("hold", 0.1))
    model.signal("time.y", hold.u)
    system = mb.compile(model)
    changes = {"step.time": 0.45, "pulse.period": 0.05, "hold.period": 0.07, "f.formula": "where(t > 0.15, 1, 0)"}
    run = mb.simulate(mb.with_parameters(system, changes), 1.0)
    assert run["of_step.y"](1.0) == pytest.approx(0.55, abs=1e-12)
    assert run["of_pulse.y"](1.0) == pytest.approx(0.2, abs=1e-12)
    assert run["of_f.y"](1.0) == pytest.approx(0.85, abs=1e-12)
    k = np.arange(15)
    assert run["hold.y"](k * 0.07 + 0.01) == pytest.approx(k * 0.07, abs=1e-15)
    plain = mb.simulate(system, 1.0)
    assert plain["of_step.y"](1.0) == pytest.approx(0.7, abs=1e-12)
    assert plain["of_pulse.y"](1.0) == pytest.approx(0.1, abs=1e-12)


def test_runs_leave_the_system_as_it_was() -> None:
    model = mb.Model("m")
    model.add(b.Step("step", time=0.3))
    system = mb.compile(model)
    before = system.parameters.copy()
    first, second = mb.simulate(system, 1.0), mb.simulate(system, 0.5)
    np.testing.assert_array_equal(system.parameters, before)
    assert first["step.y"](0.4) == second["step.y"](0.4) == 1.0 and first["step.y"](0.2) == 0.0


def test_a_stepper_keeps_the_calendar() -> None:
    """Three thousand steps of 0.1 ms: the time is a multiple to the last bit, and samples are those of one run."""
    model = mb.Model("m")
    for block in (b.Ramp("ramp", 1.0, time=0.05, duration=0.1), b.SampleHold("hold", 0.7e-3), b.Integrator("total")):
        model.add(block)
    model.signal("ramp.y", "hold.u")
    model.signal("hold.y", "total.u")
    whole, here = mb.simulate(model, 0.3), mb.stepper(model)
    for k in range(1, 3001):
        here.step(1e-4)
        assert here.t == k / 10000
        if k % 7 and k % 50 == 0:
            assert here["hold.y"] == pytest.approx(float(whole["hold.y"](here.t)), abs=1e-15)
    assert here["total.y"] == pytest.approx(float(whole["total.y"](0.3)), abs=1e-12)


def test_inputs_of_a_stepper_decide_conditions_of_the_time() -> None:
    """A formula compares the time with an input, which changes while it goes on."""
    model = mb.Model("m")
    model.add(b.Input("until", 10.0))
    model.add(b.Time("time"))
    model.add(b.Compare("over"))
    total = model.add(b.Integrator("total"))
    model.signal("time.y", "over.u")
    model.signal("until.y", "over.than")
    model.signal("over.y", total.u)
    here = mb.stepper(model)
    here.step(1.0, {"until": 5.0})
    here.step(1.0, {"until": 1.25})
    assert here["total.y"] == pytest.approx(0.75, abs=1e-12)
    here.step(1.0, {"until": 2.75})
    assert here["total.y"] == pytest.approx(1.0, abs=1e-12)


def test_a_force_that_turns_round() -> None:
    """A mass pushed to and fro by a formula of the time: eight stretches, and nothing lost between them."""
    model = mb.Model("m")
    v = model.add(mb.One("v"))
    model.bond(mb.Se("push", lambda t: mb.where(t % 0.5 < 0.25, 2.0, -2.0)), v)
    model.bond(v, mb.I("mass", 1.0))
    run = mb.simulate(model, 2.0)
    t = np.linspace(0, 2, 81)
    phase = t % 0.5
    np.testing.assert_allclose(run["mass.p"](t), 2 * np.minimum(phase, 0.5 - phase), atol=1e-12)
    assert len(run.pieces) == 8
