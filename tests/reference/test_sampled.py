"""Sampled blocks against recursions by hand and SciPy, repeated sources and relays against closed forms."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from scipy import signal
from scipy.linalg import expm

import multibond as mb
from multibond import blocks as b
from multibond.elements.blocks.block import Block
from multibond.errors import SimulationError

PERIOD = 0.05
INSTANTS = PERIOD * np.arange(60)
INPUT = np.sin(2 * np.pi * 0.7 * INSTANTS + 0.4)
"""What the sine below gives at the sample instants."""


def sine() -> Block:
    return b.Sine("u", frequency=0.7, phase=0.4)


def held(*items: Block, part: float = 0.5) -> np.ndarray:
    """The output of a chain behind the sine, somewhere between the sample instants."""
    model = mb.Model("chain")
    chain = (sine(), *items)
    for item in chain:
        model.add(item)
    for one, other in pairwise(chain):
        model.signal(one.y, other.u)
    run = mb.simulate(model, 3.0)
    return run[f"{items[-1].name}.y"](INSTANTS + part * PERIOD)


@pytest.mark.parametrize("part", [0.001, 0.5, 0.999])
def test_sample_and_hold(part: float) -> None:
    assert held(b.SampleHold("g", PERIOD), part=part) == pytest.approx(INPUT, abs=1e-12)


@pytest.mark.parametrize("samples", [1, 2, 7])
def test_a_sampled_delay_is_exact(samples: int) -> None:
    wanted = np.concatenate([np.full(samples, 0.3), INPUT[:-samples]])
    assert held(b.SampledDelay("g", PERIOD, samples, start=0.3)) == pytest.approx(wanted, abs=1e-12)


@pytest.mark.parametrize(
    ("over", "under"),
    [((0.2, 0.1), (1.0, -0.9)), ((0.3,), (2.0, -1.5, 0.4)), ((0.1, 0.2, 0.3), (1.0, 0.2, -0.4)), ((3.0,), (2.0,))],
)
def test_discrete_transfer_functions_are_those_of_scipy(over: tuple[float, ...], under: tuple[float, ...]) -> None:
    _, wanted = signal.dlsim(signal.dlti(over, under, dt=PERIOD), INPUT)
    found = held(b.DiscreteTransferFunction("g", PERIOD, over, under))
    assert found == pytest.approx(wanted.ravel(), abs=1e-12)


def test_discrete_state_space_is_that_of_scipy() -> None:
    A, B, C, D = [[0.9, 0.2], [-0.3, 0.8]], [[0.1], [0.5]], [[1.0, -0.4]], [[0.2]]
    _, wanted, _ = signal.dlsim(signal.dlti(A, B, C, D, dt=PERIOD), INPUT, x0=[0.5, -0.1])
    found = held(b.DiscreteStateSpace("g", PERIOD, A, B, C, D, start=(0.5, -0.1)))
    assert found == pytest.approx(wanted.ravel(), abs=1e-12)


@pytest.mark.parametrize("method", ["forward", "backward", "trapezoid"])
def test_discrete_integrator(method: str) -> None:
    before = np.concatenate([[0.0], INPUT[:-1]])
    added = {"forward": before, "backward": INPUT, "trapezoid": np.where(INSTANTS > 0, (before + INPUT) / 2, INPUT / 2)}
    found = held(b.DiscreteIntegrator("g", PERIOD, method, start=0.2))
    assert found == pytest.approx(0.2 + PERIOD * np.cumsum(added[method]), abs=1e-12)


def test_a_discrete_integrator_is_not_wound_up() -> None:
    wanted, level = np.empty(INPUT.size), 0.0
    for k, u in enumerate(INPUT):
        wanted[k] = level
        level = float(np.clip(level + PERIOD * u, -0.1, 0.15))
    found = held(b.DiscreteIntegrator("g", PERIOD, lower=-0.1, upper=0.15))
    assert found == pytest.approx(wanted, abs=1e-12)


# -- control loops -----------------------------------------------------------------------------------------------------


def cart(controller: Block) -> mb.Model:
    """A mass with a damper, pushed by a controller towards one."""
    model = mb.Model("cart")
    v = model.add(mb.One("v"))
    force, place = model.add(mb.MSe("force")), model.add(mb.Dq("place"))
    model.bond(force, v)
    model.bond(v, mb.I("mass", 2.0))
    model.bond(v, mb.R("damper", 0.8))
    model.bond(v, place)
    goal = model.add(b.Constant("goal", 1.0))
    model.add(controller)
    model.signal(goal.y, controller.setpoint)
    model.signal(place.value, controller.measured)
    model.signal(controller.y, force.effort)
    return model


@pytest.mark.parametrize("limit", [None, 1.5])
def test_discrete_pid_moves_a_cart(limit: float | None) -> None:
    """Against the recursion, with the motion between samples by the matrix exponential (the force is held)."""
    k, Ti, Td, N, T = 4.0, 2.0, 0.4, 6.0, 0.1
    push = expm(T * np.array([[0.0, 1.0, 0.0], [0.0, -0.4, 0.5], [0.0, 0.0, 0.0]]))
    x, total, slope, last, places = np.zeros(2), 0.3, 0.0, 0.0, []
    for _ in range(80):
        places.append(x[0])
        z = -x[0]
        slope = (Td * slope + k * N * Td * (z - last)) / (Td + N * T)
        wish = k * (0.8 - x[0]) + total + slope
        force = wish if limit is None else float(np.clip(wish, -limit, limit))
        total += T * (k * (1.0 - x[0]) / Ti + (force - wish) / np.sqrt(Ti * Td))
        last, x = z, (push @ [*x, force])[:2]
    limits = {} if limit is None else {"lower": -limit, "upper": limit}
    controller = b.DiscretePID("pid", k, Ti, Td, filter=N, setpoint_weight=0.8, start=0.3, period=T, **limits)
    run = mb.simulate(cart(controller), 8.0, rtol=1e-10, atol=1e-13)
    assert run["place.value"](T * np.arange(80)) == pytest.approx(np.array(places), abs=1e-8)


# -- repeated sources --------------------------------------------------------------------------------------------------


def integral(source: Block, times: np.ndarray) -> np.ndarray:
    """The integral of a source."""
    model = mb.Model("test")
    model.add(source)
    total = model.add(b.Integrator("total"))
    model.signal(source.y, total.u)
    return mb.simulate(model, float(times[-1]))["total.y"](times)


@pytest.mark.parametrize(("duration", "begin"), [(0.5, 0.0), (0.25, 0.3), (1e-4, 0.05), (1e-6, 2.5), (0.9, 0.7)])
def test_no_pulse_is_missed_however_short(duration: float, begin: float) -> None:
    """Each adds one to the integral; the shortest as exactly as the clock can tell its ends."""
    times = np.linspace(0.0, 7.0, 141)
    wanted = np.zeros(times.size)
    for k in range(8):
        wanted += np.clip(times - begin - k, 0.0, duration) / duration
    found = integral(b.Pulse("u", 1 / duration, duration, time=begin, period=1.0), times)
    assert np.abs(found - wanted).max() < (1e-9 if duration > 1e-5 else 1e-7)


def test_trapezoids() -> None:
    times = np.linspace(0.0, 5.0, 101)
    wanted = np.zeros(times.size)
    for k in range(8):
        corners = (0.13 + 0.7 * k + np.array([0.0, 0.1, 0.3, 0.35]), np.array([1.0, -1.0, -2.0, 2.0]) * 20.0)
        wanted += sum(c * 0.5 * np.maximum(times - t, 0.0) ** 2 for t, c in zip(*corners, strict=True))
    found = integral(b.Trapezoid("u", 2.0, 0.1, 0.2, 0.05, time=0.13, period=0.7), times)
    assert np.abs(found - wanted).max() < 1e-11


# -- relays ------------------------------------------------------------------------------------------------------------


def test_a_thermostat_swings_between_its_limits() -> None:
    """A room that cools with 100 s and warms towards 30 degrees: rise and fall times in closed form."""
    model = mb.Model("room")
    relay = model.add(b.Relay("thermostat", lower=19.0, upper=21.0, on=10.0, off=30.0, mode="off"))
    room = model.add(b.FirstOrder("room", 100.0, start=20.0))
    model.signal(relay.y, room.u)
    model.signal(room.y, relay.u)
    run = mb.simulate(model, 400.0, rtol=1e-10, atol=1e-12)
    times = np.linspace(0.0, 400.0, 801)
    wanted, t, level, goal = np.empty(times.size), 0.0, 20.0, 30.0
    while t < 400.0:
        turn = 21.0 if goal == 30.0 else 19.0
        later = t + 100.0 * np.log((goal - level) / (goal - turn))
        inside = (times >= t) & (times <= later)
        wanted[inside] = goal + (level - goal) * np.exp(-(times[inside] - t) / 100.0)
        t, level, goal = later, turn, 40.0 - goal
    assert np.abs(run["room.y"](times) - wanted).max() < 1e-8


# -- what happens in one instant ---------------------------------------------------------------------------------------


def test_a_chain_of_sampled_blocks_adds_no_delay() -> None:
    over, under = (0.2, 0.1), (1.0, -0.9)
    _, once = signal.dlsim(signal.dlti(over, under, dt=PERIOD), INPUT)
    _, twice = signal.dlsim(signal.dlti(over, under, dt=PERIOD), once.ravel())
    first, second = (b.DiscreteTransferFunction(name, PERIOD, over, under) for name in ("z", "a"))
    found = held(b.SampleHold("sample", PERIOD), first, b.Gain("gain", 2.0), second, b.SampleHold("hold", PERIOD))
    assert found == pytest.approx(2.0 * twice.ravel(), abs=1e-12)


def test_a_sampled_loop_reads_its_own_output_of_the_same_instant() -> None:
    """y_(k+1) = y_k + T (u_k - 3 y_k), through blocks that hold what they give."""
    model = mb.Model("loop")
    source, error = model.add(sine()), model.add(b.Sum("error", "+-"))
    total, gain = model.add(b.DiscreteIntegrator("total", PERIOD, start=0.4)), model.add(b.Gain("gain", 3.0))
    hold = model.add(b.SampleHold("hold", PERIOD))
    model.signal(source.y, error.u_1)
    model.signal(gain.y, hold.u)
    model.signal(hold.y, error.u_2)
    model.signal(error.y, total.u)
    model.signal(total.y, gain.u)
    wanted, y = [], 0.4
    for u in INPUT:
        wanted.append(y)
        y += PERIOD * (u - 3.0 * y)
    assert mb.simulate(model, 3.0)["total.y"](INSTANTS + 0.5 * PERIOD) == pytest.approx(np.array(wanted), abs=1e-12)


def test_two_periods() -> None:
    found = held(b.SampleHold("fast", PERIOD), b.SampledDelay("delay", PERIOD), b.SampleHold("slow", 3 * PERIOD))
    delayed = np.concatenate([[0.0], INPUT[:-1]])
    assert found == pytest.approx(np.repeat(delayed[::3], 3), abs=1e-12)


def test_a_sampled_loop_without_delay_is_named() -> None:
    model = mb.Model("loop")
    one, hold = model.add(b.Constant("one")), model.add(b.SampleHold("hold", PERIOD))
    total = model.add(b.Sum("total"))
    model.signal(one.y, total.u_1)
    model.signal(hold.y, total.u_2)
    model.signal(total.y, hold.u)
    with pytest.raises(SimulationError, match="the sampled blocks wait for one another at 0 s") as caught:
        mb.simulate(model, 1.0)
    assert "Put a SampledDelay into the loop." in str(caught.value)
