"""Samples and corners of sources and of formulas of the time, at, beside and between one another, by hand."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from scipy.optimize import brentq
from tests.gather import gather
from tests.reference.hand_loop import DAMPING, MASS, Signal, pid, pieces, repeated, run_by_hand, still
from tests.rotation import tenth

import multibond as mb
from multibond import blocks as b
from multibond.elements.blocks.block import Block

PERIODS = {"1/1000": 1e-3, "1/100": 1e-2, "7/10000": 0.7e-3, "1/300": 1 / 300}
"""As they are meant, and as they are given."""
STAIRS = Signal(
    lambda t: Fraction(t // Fraction("0.03")),
    lambda _: Fraction(0),
    lambda end: [k * Fraction("0.03") for k in range(1, int(end / Fraction("0.03")) + 1)],
)
SOURCES: dict[str, tuple[Block, Signal]] = {
    "step": (b.Step("goal", 1.5, time=0.3, offset=0.25), pieces("0 0.25 0", "0.3 1.75 0")),
    "step at the start": (b.Step("goal", 1.0, time=0.0), pieces("0 1 0")),
    "step beside": (b.Step("goal", 1.0, time=0.0305), pieces("0 0 0", "0.0305 1 0")),
    "step just after": (b.Step("goal", 1.0, time=0.03 + 1e-9), pieces("0 0 0", "0.030000001 1 0")),
    "step just before": (b.Step("goal", 1.0, time=0.03 - 1e-9), pieces("0 0 0", "0.029999999 1 0")),
    "step by a sum": (b.Step("goal", 1.0, time=0.1 + 0.2), pieces("0 0 0", "0.3 1 0")),
    "ramp": (b.Ramp("goal", 1.0, time=0.1, duration=0.2), pieces("0 0 0", "0.1 0 1", "0.3 0.2 0")),
    "ramp at the start": (b.Ramp("goal", 2.0), pieces("0 0 2")),
    "pulse": (b.Pulse("goal", 1.0, 0.2, time=0.1), pieces("0 0 0", "0.1 1 0", "0.3 0 0")),
    "pulses": (
        b.Pulse("goal", 2.0, 0.03, time=0.01, period=0.07, offset=-1.0),
        repeated(pieces("0 1 0", "0.03 -1 0"), "0.01", "0.07", "-1"),
    ),
    "trapezoid": (
        b.Trapezoid("goal", time=0.05, rise=0.1, hold=0.2, fall=0.1),
        pieces("0 0 0", "0.05 0 10", "0.15 1 0", "0.35 1 -10", "0.45 0 0"),
    ),
    "trapezoids": (
        b.Trapezoid("goal", 3.0, time=0.02, rise=0.01, hold=0.02, fall=0.04, period=0.1),
        repeated(pieces("0 0 300", "0.01 3 0", "0.03 3 -75", "0.07 0 0"), "0.02", "0.1"),
    ),
    "saw": (b.Function("goal", "t % 0.07"), repeated(pieces("0 0 1"), "0", "0.07")),
    "stairs": (b.Function("goal", "floor(t / 0.03)"), STAIRS),
    "train": (
        b.Function("goal", "where(t % 0.02 < 0.005, 1, -1)"),
        repeated(pieces("0 1 0", "0.005 -1 0"), "0", "0.02"),
    ),
    "roof": (b.Function("goal", "1 - abs(t - 0.3)"), pieces("0 0.7 1", "0.3 1 -1")),
    "clipped": (b.Function("goal", "clip(5 * t, 0.5, 1.5)"), pieces("0 0.5 0", "0.1 0.5 5", "0.3 1.5 0")),
    "table": (
        b.Function("goal", "table(t, [0.1, 0.2, 0.3], [0, 1, 0.5])"),
        pieces("0 0 0", "0.1 0 10", "0.2 1 -5", "0.3 0.5 0"),
    ),
    "stairs in a saw": (
        b.Function("goal", "floor((t % 0.1) / 0.03)"),
        repeated(pieces("0 0 0", "0.03 1 0", "0.06 2 0", "0.09 3 0"), "0", "0.1"),
    ),
}
UNTIL = Fraction(1, 2)
WANTED = sorted({Fraction(k, 400) for k in range(201)} | {Fraction(n) for n in ("0.03", "0.07", "0.301", "29/97")})
TIMES = np.array([float(t) for t in WANTED])
CASES = list(product(SOURCES, PERIODS, (False, True)))


def servo(goal: Block, *controllers: Block, load: bool = False) -> mb.Model:
    """A mass with a damper, pushed by a controller, and by the goal itself where it is a load too."""
    model = mb.Model("servo")
    v, force, place = model.add(mb.One("v")), model.add(mb.MSe("force")), model.add(mb.Dq("place"))
    for item in (mb.I("mass", MASS), mb.R("damper", DAMPING), place):
        model.bond(v, item)
    model.bond(force, v)
    model.add(goal)
    (controller,) = (model.add(c) for c in controllers)
    model.signal("goal.y", controller.setpoint)
    model.signal(place.value, controller.measured)
    model.signal(controller.y, force.effort)
    if load:
        other = model.add(mb.MSe("load"))
        model.bond(other, v)
        model.signal("goal.y", other.effort)
    return model


def test_a_sampled_servo_goes_as_by_hand() -> None:
    """Every source at every period, read at samples and, as a load, all the time."""

    def check(case: tuple[str, str, bool]) -> None:
        name, period, load = case
        block, signal = SOURCES[name]
        controller = b.DiscretePID("pid", 40.0, integral_time=2.0, period=PERIODS[period])
        run, every = mb.simulate(servo(block, controller, load=load), 0.5), Fraction(period)
        wanted = run_by_hand(UNTIL, [every], pid(40.0, 2.0, every), signal, signal if load else still(0.0), WANTED)
        found = np.column_stack([run[variable](TIMES) for variable in ("place.value", "mass.f")])
        assert np.abs(found - wanted).max() < 1e-9

    gather(tenth(CASES, of="servos by hand"), check)


@pytest.mark.parametrize("fast", ["inner", "outer"])
def test_two_rates_in_cascade(fast: str) -> None:
    """Speed from place by one controller, force from speed by the other, at 1 ms and 0.7 ms, in both orders."""
    rates = [(1e-3, Fraction(1, 1000)), (0.7e-3, Fraction(7, 10000))]
    (slow, slow_exact), (quick, quick_exact) = rates if fast == "inner" else rates[::-1]
    model = mb.Model("cascade")
    v, force = model.add(mb.One("v")), model.add(mb.MSe("force"))
    place, meter = model.add(mb.Dq("place")), model.add(mb.Df("meter"))
    for item in (mb.I("mass", MASS), mb.R("damper", DAMPING), place, meter):
        model.bond(v, item)
    model.bond(force, v)
    goal = model.add(b.Trapezoid("goal", time=0.05, rise=0.1, hold=0.2, fall=0.1))
    outer = model.add(b.DiscretePID("outer", 8.0, period=slow))
    inner = model.add(b.DiscretePID("inner", 60.0, integral_time=0.2, period=quick))
    for tail, head in (
        (goal.y, outer.setpoint), (place.value, outer.measured), (outer.y, inner.setpoint),
        (meter.value, inner.measured), (inner.y, force.effort),
    ):  # fmt: skip
        model.signal(tail, head)
    wish, held, total = 0.0, 0.0, 0.0

    def control(t: Fraction, due: set[int], x: np.ndarray, goal: float) -> float:
        nonlocal wish, held, total
        if 0 in due:
            wish = 8.0 * (goal - x[0])
        if 1 in due:
            held = 60.0 * (wish - x[1]) + total
            total += 60.0 * float(quick_exact) * (wish - x[1]) / 0.2
        return held

    run = mb.simulate(model, 0.5)
    wanted = run_by_hand(UNTIL, [slow_exact, quick_exact], control, SOURCES["trapezoid"][1], still(0.0), WANTED)
    found = np.column_stack([run[n](TIMES) for n in ("place.value", "mass.f")])
    assert np.abs(found - wanted).max() < 1e-9


def test_runs_that_end_at_an_instant() -> None:
    """A run up to a corner and a sample is the beginning of a longer one; nothing is passed at its end."""
    for name in ("ramp", "pulse", "step", "saw", "table"):
        controller = b.DiscretePID("pid", 40.0, integral_time=2.0, period=1e-3)
        model = servo(SOURCES[name][0], controller, load=True)
        short, long = mb.simulate(model, 0.3), mb.simulate(model, 0.5)
        t = np.linspace(0.0, 0.3, 61)[:-1]
        for variable in ("place.value", "mass.f", "pid.y"):
            np.testing.assert_allclose(short[variable](t), long[variable](t), atol=1e-9, rtol=0.0)
        assert short.t[-1] == 0.3
        assert short["place.value"](0.3) == pytest.approx(float(long["place.value"](0.3)), abs=1e-9)


def test_values_at_an_instant_are_those_just_after_it() -> None:
    """The source's and the sample's; a sample at the very instant of a jump sees what comes."""
    model = mb.Model("seen")
    for item in (b.Pulse("pulse", 1.0, 0.2, time=0.1), b.SampleHold("hold", 0.1), b.Integrator("total")):
        model.add(item)
    model.signal("pulse.y", "hold.u")
    model.signal("pulse.y", "total.u")
    run = mb.simulate(model, 0.5)
    at = np.array([0.1, 0.3])
    for name in ("pulse.y", "hold.y"):
        assert run[name](at).tolist() == [1.0, 0.0]
        assert run[name](at - 1e-12).tolist() == [0.0, 1.0]
        assert run[name](at + 1e-12).tolist() == [1.0, 0.0]
    assert run["total.y"](0.5) == pytest.approx(0.2, abs=1e-13)


# -- state events between samples --------------------------------------------------------------------------------------


def glide(v: float, pull: float, t: float) -> tuple[float, float]:
    """Way and speed after a time under a constant pull, with the damper."""
    end, rate = pull / DAMPING, DAMPING / MASS
    fall = -np.expm1(-rate * t)
    return end * t + (v - end) * fall / rate, v + (end - v) * fall


def _root(v: float, pull: float, within: float, place: float | None = None) -> float:
    """When the speed vanishes, or a place is reached."""

    def left(t: float) -> float:
        way, speed = glide(v, pull, t)
        return speed if place is None else way - place

    return float(brentq(left, 0.0, within, xtol=1e-16))


def test_dry_friction_between_samples() -> None:
    """A PI controller with 10 ms moves a mass on a dry floor, against the closed form from stop to stop."""
    period, limit, gain = 0.01, 12.0, 30.0
    model = servo(b.Pulse("goal", 1.0, 0.2, time=0.1), b.DiscretePID("pid", gain, integral_time=0.5, period=period))
    model.bond("v", mb.Friction("floor", limit))
    run = mb.simulate(model, 1.5, rtol=1e-10, atol=1e-13)
    x, v, total, times, states, rests = 0.0, 0.0, 0.0, [], [], 0
    for k in range(150):
        goal = 1.0 if 10 <= k < 30 else 0.0
        force = gain * (goal - x) + total
        total += gain * period * (goal - x) / 0.5
        left = period
        while left > 0:
            if v == 0.0 and abs(force) <= limit:
                break
            side = np.sign(v) if v else np.sign(force)
            pull = force - side * limit
            rest = glide(v, pull, left)[1]
            until = _root(v, pull, left) if v and rest * side < 0 else left
            way, later = glide(v, pull, until)
            rests += until < left and abs(force) <= limit
            x, v, left = x + way, (0.0 if until < left else later), left - until
        times.append((k + 1) * period)
        states.append((x, v))
    found = np.column_stack([run[name](np.array(times)) for name in ("place.value", "mass.f")])
    assert np.abs(found - np.array(states)).max() < 1e-9
    assert rests and sum(change.mode == "stick" for change in run.changes if change.time) == rests


def test_events_are_found_between_samples() -> None:
    """Crossings of a level are told at the roots of the motion between samples, up and down."""
    model = servo(b.Step("goal", 1.0, time=0.1), b.DiscretePID("pid", 200.0, period=1e-2))
    run = mb.simulate(model, 1.0, events={"place.value": (0.5, 0)})
    x, v, force, found = 0.0, 0.0, 0.0, []
    for k in range(100):
        force = 200.0 * ((1.0 if k >= 10 else 0.0) - x)
        way, later = glide(v, force, 0.01)
        if (x - 0.5) * (x + way - 0.5) < 0:
            found.append(0.01 * k + _root(v, force, 0.01, 0.5 - x))
        x, v = x + way, later
    assert len(found) >= 2
    np.testing.assert_allclose([e.time for e in run.events], found, atol=1e-9, rtol=0.0)


def test_hits_between_samples() -> None:
    """The controller drives the mass against a stop that gives back 0.7 of its speed, and again, between samples."""
    model = servo(b.Ramp("goal", 4.0, time=0.1, duration=0.2), b.DiscretePID("pid", 60.0, period=1e-2))
    model.bond("v", mb.Stop("wall", upper=0.3, restitution=0.7))
    run = mb.simulate(model, 0.8, rtol=1e-10, atol=1e-13)
    x, v, states, hits = 0.0, 0.0, [], []
    for k in range(80):
        force, t, left = 60.0 * (min(max(4.0 * (0.01 * k - 0.1), 0.0), 0.8) - x), 0.01 * k, 0.01
        while x + glide(v, force, left)[0] > 0.3:
            s = _root(v, force, left, 0.3 - x if x < 0.3 else -1e-300)  # from the wall itself: later than now
            x, v, t, left = 0.3, -0.7 * glide(v, force, s)[1], t + s, left - s
            hits.append(t)
        way, v = glide(v, force, left)
        x += way
        states.append((x, v))
    times = 0.01 * np.arange(1, 81)
    found = np.column_stack([run[name](times) for name in ("place.value", "mass.f")])
    assert len(hits) >= 2
    np.testing.assert_allclose([hit.time for hit in run.hits], hits, atol=1e-9, rtol=0.0)
    assert np.abs(found - np.array(states)).max() < 1e-8
