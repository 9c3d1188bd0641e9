"""Zero crossings against closed forms."""

from __future__ import annotations

import casadi as ca
import numpy as np
import pytest

import multibond as mb
from multibond.errors import ParameterError
from multibond.examples import chain
from multibond.solve.contract import METHODS, Status

from .models import T, ball, build, integrate, oscillator, states

TIGHT = {"rtol": 1e-13, "atol": 1e-14}


def _times(run, guard: int) -> list[float]:
    return [event.time for event in run.events if event.guard == guard]


@pytest.mark.parametrize("method", [name for name in METHODS if METHODS[name].order > 1])
def test_ball_hits_the_ground_on_time(method: str) -> None:
    step = 0.01 if METHODS[method].fixed else None
    run = integrate(ball(), 0, 5, [2.0, 1.0], [0.0], method=method, step=step, directions=[-1], terminal=[True])
    fall = (1 + np.sqrt(1 + 2 * 9.81 * 2)) / 9.81
    assert run.status is Status.EVENT
    assert run.t[-1] == pytest.approx(fall, abs=1e-12)
    assert run.events[0].guard == 0
    np.testing.assert_allclose(run.x[-1], [0, 1 - 9.81 * fall], atol=1e-11)
    np.testing.assert_array_equal(run.x[-1], run.events[0].state)
    assert run.x[-1][0] <= 0, "the state lies just after the crossing"


def test_directions_choose_among_the_zeros_of_a_sine() -> None:
    for direction, expected in ((1, [2, 4, 6]), (-1, [1, 3, 5]), (0, [1, 2, 3, 4, 5, 6])):
        run = integrate(oscillator(), 0, 20, [0.0, 1.0], [1.0], directions=[direction, 0, 0], **TIGHT)
        np.testing.assert_allclose(_times(run, 0), np.array(expected) * np.pi, atol=1e-10)


def test_events_come_in_time_order() -> None:
    run = integrate(oscillator(), 0, 20, [0.0, 1.0], [1.0], max_step=20, rtol=1e-6, atol=1e-6)
    times = [event.time for event in run.events]
    assert len(times) == 6 + 6 + 7
    assert times == sorted(times)


def test_events_that_are_not_terminal_do_not_change_the_run() -> None:
    plain = integrate(oscillator(), 0, 20, [0.0, 1.0], [1.0])
    stopped = integrate(oscillator(), 0, 20, [0.0, 1.0], [1.0], terminal=[False, False, True])
    assert len(plain.t) > len(stopped.t)
    np.testing.assert_array_equal(plain.t[: len(stopped.t) - 1], stopped.t[:-1])
    np.testing.assert_allclose(plain.at([stopped.t[-1]])[0], stopped.x[-1], atol=1e-15)


def test_a_terminal_event_drops_later_ones_of_the_same_step() -> None:
    x = states(1)
    model = build(x, ca.SX(1), guards=ca.vertcat(x - 0.3, x - 0.2, x - 0.1))
    run = integrate(model, 0, 1, [0.0], [0.0], terminal=[True, True, False], first_step=1.0)
    assert [event.guard for event in run.events] == [2, 1]
    assert run.t[-1] == pytest.approx(0.2, abs=1e-14)


def test_simultaneous_terminal_events_are_all_reported() -> None:
    x = states(1)
    model = build(x, ca.SX(1), guards=ca.vertcat(x - 0.3, 2 * x - 0.6))
    run = integrate(model, 0, 1, [0.0], [0.0], terminal=[True, True], first_step=1.0)
    assert sorted(event.guard for event in run.events) == [0, 1]


def test_many_guards_find_room_for_their_events() -> None:
    """A thousand guards, one after the other through zero in a single step: none is lost and the run ends."""
    x, count = states(1), 1000
    model = build(x, ca.SX(1), guards=ca.vertcat(*(x - (k + 0.5) / count for k in range(count))))
    run = integrate(model, 0, 1, [0.0], [0.0], first_step=1.0)
    assert [event.guard for event in run.events] == list(range(count))
    np.testing.assert_allclose([e.time for e in run.events], (np.arange(count) + 0.5) / count, atol=1e-12)


def test_a_guard_that_is_zero_at_the_start_does_not_fire_at_once() -> None:
    run = integrate(oscillator(), 0, 2, [0.0, 1.0], [1.0])
    assert _times(run, 0) == []


def test_a_short_hop_from_the_ground_is_seen() -> None:
    for speed in (1.0, 1e-1, 1e-2):
        run = integrate(ball(), 0, 5, [0.0, speed], [0.0], directions=[-1], terminal=[True])
        assert run.t[-1] == pytest.approx(2 * speed / 9.81, rel=1e-9)


def test_resting_guards_count_as_zero_at_the_start() -> None:
    below = [-1e-17, 1.0]
    fired = integrate(ball(), 0, 0.1, below, [0.0])
    resting = integrate(ball(), 0, 0.1, below, [0.0], resting=[0])
    assert len(fired.events) == 1
    assert len(resting.events) == 0


def test_bouncing_ball_follows_its_closed_form() -> None:
    restitution, speed, expected, t = 0.8, 2.0, 0.0, 0.0
    state = np.array([0.0, speed])
    for bounce in range(12):
        run = integrate(ball(), t, t + 5, state, [0.0], directions=[-1], terminal=[True], resting=[0] * (bounce > 0))
        expected += 2 * speed * restitution**bounce / 9.81
        assert run.status is Status.EVENT
        assert run.t[-1] == pytest.approx(expected, abs=1e-10)
        t, state = run.t[-1], run.x[-1] * [1, -restitution]


def test_a_dip_within_one_long_step_is_seen() -> None:
    x = states(1)
    model = build(x, ca.SX(1), guards=(x - 0.5) ** 2 - 0.04)
    run = integrate(model, 0, 1, [0.0], [0.0], first_step=1.0)
    assert len(run.t) == 2
    np.testing.assert_allclose([event.time for event in run.events], [0.3, 0.7], atol=1e-13)


def test_time_events_are_located_to_the_resolution_of_the_clock() -> None:
    x = states(1)
    model = build(x, -x, guards=T - 1000.25)
    run = integrate(model, 1000, 1001, [1.0], [0.0], terminal=[True])
    assert run.t[-1] == pytest.approx(1000.25, abs=1e-12)


def test_steep_and_flat_guards_are_located() -> None:
    x = states(1)
    for guard in (ca.tanh(1e6 * (x - 0.3)), (x - 0.3) ** 5, ca.sign(x - 0.3), (x - 0.3) * 1e-200):
        run = integrate(build(x, ca.SX(1), guards=guard), 0, 1, [0.0], [0.0], terminal=[True])
        assert run.t[-1] == pytest.approx(0.3, abs=1e-10)


def test_crossings_in_a_long_tree_are_those_of_the_same_tree_in_one_line() -> None:
    """Long trees run as loops of code; their guards read states, and forces are refused by name."""
    model = chain(8)
    joint = next(item.name for item in model.components if isinstance(item, mb.spatial.Revolute))
    looped, line = (mb.compile(model, form=form) for form in ("loops", "line"))
    assert looped.reduced.solver is None
    found, true = (mb.simulate(system, 1.0, events={f"{joint}.speed": -0.5}).events for system in (looped, line))
    assert len(found) == len(true) > 0
    np.testing.assert_allclose([e.time for e in found], [e.time for e in true], rtol=0, atol=1e-7)
    with pytest.raises(ParameterError, match='form="line"'):
        mb.simulate(looped, 1.0, events={f"{joint}.reaction_force[0]": 0.0})
    mb.simulate(line, 0.1, events={f"{joint}.reaction_force[0]": 0.0})
