"""Blocks against closed forms and SciPy: whole responses, filters by frequency, control loops around a DC motor."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

import numpy as np
import pytest
from scipy import signal
from scipy.integrate import solve_ivp
from scipy.interpolate import pade

import multibond as mb
from multibond import blocks as b
from multibond.elements.blocks.block import Block

TIMES = np.linspace(0.0, 4.0, 161)
AGREE = 1e-8


def chain(*items: Block) -> mb.Model:
    """Blocks one behind the other."""
    model = mb.Model("chain")
    for item in items:
        model.add(item)
    for one, other in pairwise(items):
        model.signal(one.y, other.u)
    return model


def response(*items: Block, times: np.ndarray = TIMES) -> np.ndarray:
    """What comes out of the last block of a chain."""
    run = mb.simulate(chain(*items), float(times[-1]), rtol=1e-10, atol=1e-13)
    return run[f"{items[-1].name}.y"](times)


def agree(found: np.ndarray, wanted: np.ndarray) -> None:
    """Equal to 1e-8 at every time, for signals of the order of one."""
    assert np.abs(found - wanted).max() < AGREE * max(1.0, np.abs(wanted).max())


# -- linear blocks -----------------------------------------------------------------------------------------------------

FRACTIONS = {
    "lag": ((2.0,), (0.5, 1.0)),
    "oscillator": ((3.0, 2.0), (1.0, 0.4, 4.0)),
    "with an integrator": ((2.0, 3.0), (1.0, 2.0, 3.0, 0.0)),
    "two integrators": ((-1.0,), (2.0, 0.0, 0.0)),
    "jumping with its input": ((1.0, 0.0, 2.0), (1.0, 3.0, 2.0)),
    "fast and badly scaled": ((5e-4, 3.0), (1e-6, 2e-3, 1.0)),
    "unstable": ((1.0,), (1.0, -0.3, 1.0)),
    "eighth order": ((1.0,), tuple(np.poly([-1, -1.5, -2, -2.5, -3, -3.5, -4, -4.5]))),
}


@pytest.mark.parametrize("name", FRACTIONS)
def test_transfer_functions_step_like_those_of_scipy(name: str) -> None:
    over, under = FRACTIONS[name]
    _, wanted = signal.step(signal.lti(over, under), T=TIMES)
    agree(response(b.Step("u", 1.5), b.TransferFunction("g", over, under)), 1.5 * wanted)


def test_a_transfer_function_of_degree_zero_is_a_gain() -> None:
    agree(response(b.Sine("u"), b.TransferFunction("g", (3.0,), (-2.0,))), -1.5 * np.sin(2 * np.pi * TIMES))


def test_the_states_of_a_fast_transfer_function_are_of_the_size_of_its_input() -> None:
    """Balanced scaling: without it they would differ by the powers of the poles, here up to 1e9."""
    under = np.poly([-900.0, -1000.0, -1100.0])
    run = mb.simulate(chain(b.Step("u"), b.TransferFunction("g", under[-1:], under)), 0.1)
    largest = np.abs(run["g.x"](np.linspace(0.0, 0.1, 200))).max(axis=0)
    assert largest.min() > 0.05 and largest.max() < 1.5


def test_first_order() -> None:
    found = response(b.Step("u", 1.5), b.FirstOrder("g", 0.3, gain=2.0, start=-0.5))
    agree(found, 3.0 - 3.5 * np.exp(-TIMES / 0.3))


@pytest.mark.parametrize("damping", [0.0, 0.3, 1.0, 2.0])
def test_second_order(damping: float) -> None:
    """Free motion from a start value and a start speed, and a step, against the matrix exponential of SciPy."""
    w = 2 * np.pi * 0.7
    system = signal.StateSpace([[0, 1], [-w * w, -2 * damping * w]], [[0], [2.0 * w * w]], [[1, 0]], [[0]])
    _, wanted, _ = signal.lsim(system, np.full(TIMES.size, 1.5), TIMES, X0=[0.4, -1.0])
    item = b.SecondOrder("g", 0.7, damping=damping, gain=2.0, start=0.4, start_rate=-1.0)
    agree(response(b.Step("u", 1.5), item), wanted)


def test_filtered_derivative() -> None:
    """Of a sine, with the input's value before the start known: no jump but that of the slope."""
    w, T = 2 * np.pi, 0.05
    found = response(b.Sine("u", phase=0.3), b.Derivative("g", T, start=np.sin(0.3)))
    steady = (w / (1 + 1j * w * T) * np.exp(1j * (w * TIMES + 0.3))).real
    agree(found, steady - steady[0] * np.exp(-TIMES / T))


def test_state_space_with_two_inputs_and_two_outputs() -> None:
    A, B = np.array([[-0.5, 2.0], [-2.0, -0.3]]), np.array([[1.0, 0.5], [-0.2, 1.0]])
    C, D = np.array([[1.0, 0.0], [0.3, -1.0]]), np.array([[0.0, 0.1], [0.2, 0.0]])

    def u(t: float | np.ndarray) -> np.ndarray:
        return np.array([np.sin(2 * np.pi * t), 2 * np.sin(2 * np.pi * 0.5 * t + 1.0)])

    found = response(
        b.Sine("u", (1.0, 2.0), (1.0, 0.5), phase=(0.0, 1.0)), b.StateSpace("g", A, B, C, D, start=(0.5, -0.2))
    )
    x = integrated(lambda t, x: A @ x + B @ u(t), [0.5, -0.2])
    agree(found, (C @ x + D @ u(TIMES)).T)


def integrated(rate: Callable[..., np.ndarray | list[float]], start: list[float]) -> np.ndarray:
    """The states of an independent integration at the times."""
    run = solve_ivp(rate, (0.0, TIMES[-1]), start, method="DOP853", t_eval=TIMES, rtol=1e-12, atol=1e-13, max_step=1e-2)
    return run.y


# -- filters and delays ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("order", range(1, 9))
def test_low_pass_is_that_of_butterworth(order: int) -> None:
    over, under = signal.butter(order, 2 * np.pi * 1.5, analog=True)
    _, wanted = signal.step(signal.lti(over, under), T=TIMES)
    agree(response(b.Step("u"), b.LowPass("g", 1.5, order)), wanted)


@pytest.mark.parametrize("order", range(1, 6))
def test_delay_is_the_approximation_of_pade(order: int) -> None:
    taylor = [(-0.5) ** k / np.prod(np.arange(1.0, k + 1)) for k in range(2 * order + 1)]
    over, under = pade(taylor, order)
    _, wanted = signal.step(signal.lti(over.coeffs, under.coeffs), T=TIMES)
    agree(response(b.Step("u"), b.Delay("g", 0.5, order)), wanted)


# -- limits ------------------------------------------------------------------------------------------------------------


def test_an_integrator_at_its_limit_is_not_wound_up() -> None:
    """Every half period it climbs or falls by up to 1/π from where it is, no further than a limit."""
    found = response(b.Sine("u"), b.Integrator("g", start=0.05, lower=-0.05, upper=0.2))
    t, wanted, level = TIMES, np.empty(TIMES.size), 0.05
    for half in range(9):
        inside = (t >= 0.5 * half) & (t <= 0.5 * half + 0.5)
        way = (1 - np.cos(2 * np.pi * (t[inside] - 0.5 * half))) / (2 * np.pi)
        sign = 1 if half % 2 == 0 else -1
        wanted[inside] = np.clip(level + sign * way, -0.05, 0.2)
        level = float(np.clip(level + sign / np.pi, -0.05, 0.2))
    agree(found, wanted)


def test_a_limited_rate() -> None:
    """At full speed until what is left is done within the time constant, then exponentially; down likewise."""
    found = response(b.Pulse("u", 1.0, 2.0), b.RateLimiter("g", 2.0, fall=1.0, time_constant=0.05))
    t, up = TIMES, 0.45
    rising = np.where(t < up, 2.0 * t, 1.0 - 0.1 * np.exp(-(t - up) / 0.05))
    top = 1.0 - 0.1 * np.exp(-(2.0 - up) / 0.05)
    down = 2.0 + (top - 0.05)
    falling = np.where(t < down, top - (t - 2.0), 0.05 * np.exp(-np.maximum(t - down, 0.0) / 0.05))
    agree(found, np.where(t < 2.0, rising, falling))


def test_jumps_and_corners_of_sources() -> None:
    """The integral of each, in closed form."""
    t = TIMES
    step = -0.5 * t + 2.0 * np.maximum(t - 0.37, 0)
    agree(response(b.Step("u", 2.0, time=0.37, offset=-0.5), b.Integrator("g")), step)
    ramp = 0.5 * (np.maximum(t - 0.37, 0) ** 2 - np.maximum(t - 1.59, 0) ** 2)
    agree(response(b.Ramp("u", 2.0, time=0.37, duration=1.22), b.Integrator("g")), 2.0 * ramp)
    pulse = np.clip(t - 0.37, 0.0, 1e-3)
    agree(response(b.Pulse("u", 1e3, 1e-3, time=0.37), b.Integrator("g")), 1e3 * pulse)


def test_a_loop_without_memory_is_solved_also_at_its_limit() -> None:
    """y = 5 (u - y), kept between -1 and 1: y is 5/6 of u, or the limit."""
    model = mb.Model("loop")
    u, error, gain = model.add(b.Sine("u", 2.0)), model.add(b.Sum("error", "+-")), model.add(b.Gain("gain", 5.0))
    limit, total = model.add(b.Limiter("limit", -1.0, 1.0)), model.add(b.Integrator("total"))
    model.signal(u.y, error.u_1)
    model.signal(error.y, gain.u)
    model.signal(gain.y, limit.u)
    model.signal(limit.y, error.u_2, total.u)
    run = mb.simulate(model, 4.0, rtol=1e-10, atol=1e-13)
    agree(run["limit.y"](TIMES), np.clip(5 / 3 * np.sin(2 * np.pi * TIMES), -1.0, 1.0))
    edge = np.arcsin(0.6) / (2 * np.pi)
    half = 0.5 - 2 * edge + 2 * 5 / 3 * (1 - 0.8) / (2 * np.pi)
    agree(run["total.y"](np.array([0.5, 1.0, 3.5])), np.array([half, 0.0, half]))


def test_a_curved_loop_is_solved() -> None:
    """y = cos y."""
    model = mb.Model("loop")
    f, total = model.add(b.Function("f", "cos(u)")), model.add(b.Integrator("total"))
    through = model.add(b.Gain("through", 1.0))
    model.signal(f.y, through.u, total.u)
    model.signal(through.y, f.u)
    agree(mb.simulate(model, 4.0)["total.y"](TIMES), 0.7390851332151607 * TIMES)


# -- control loops -----------------------------------------------------------------------------------------------------

RESISTANCE, INDUCTANCE, TORQUE, INERTIA, FRICTION = 1.2, 5e-3, 0.08, 2e-4, 1e-3


def drive(controller: Block, setpoint: Block) -> mb.Model:
    """A DC motor whose voltage a controller sets, from the speed of its shaft."""
    model = mb.Model("drive")
    current, shaft = model.add(mb.One("current")), model.add(mb.One("shaft"))
    source = model.add(mb.MSe("source"))
    model.bond(source, current)
    model.bond(current, mb.R("winding", RESISTANCE))
    model.bond(current, mb.I("coil", INDUCTANCE))
    gyrator = model.add(mb.GY("motor", TORQUE))
    model.bond(current, gyrator)
    model.bond(gyrator, shaft)
    model.bond(shaft, mb.I("rotor", INERTIA))
    model.bond(shaft, mb.R("bearing", FRICTION))
    speed = model.add(mb.Df("speed"))
    model.bond(shaft, speed)
    model.add(setpoint)
    model.add(controller)
    model.signal(setpoint.y, controller.setpoint)
    model.signal(speed.value, controller.measured)
    model.signal(controller.y, source.effort)
    return model


def motor(voltage: float, i: float, w: float) -> list[float]:
    """Rates of current and speed, from Kirchhoff and Newton."""
    return [(voltage - RESISTANCE * i - TORQUE * w) / INDUCTANCE, (TORQUE * i - FRICTION * w) / INERTIA]


@pytest.mark.parametrize("limit", [None, 24.0, 12.0])
def test_pid_around_a_dc_motor(limit: float | None) -> None:
    """Against the same loop written out and integrated by SciPy."""
    k, Ti, Td, N, weight, c = 0.4, 0.08, 0.01, 8.0, 0.7, 0.2

    def rates(t: float, x: np.ndarray) -> list[float]:
        i, w, total, lag = x
        r = 100.0
        rest = c * r - w - lag
        wish = k * (weight * r - w) + total + k * N * rest
        voltage = wish if limit is None else min(max(wish, -limit), limit)
        track = (voltage - wish) / np.sqrt(Ti * Td)
        return [*motor(voltage, i, w), k / Ti * (r - w) + track, N / Td * rest]

    limits = {} if limit is None else {"lower": -limit, "upper": limit}
    pid = b.PID("pid", k, Ti, Td, filter=N, setpoint_weight=weight, derivative_weight=c, **limits)
    times = np.linspace(0.0, 1.0, 101)
    run = mb.simulate(drive(pid, b.Constant("set", 100.0)), 1.0, rtol=1e-10, atol=1e-13)
    known = solve_ivp(rates, (0, 1), [0.0] * 4, method="DOP853", t_eval=times, rtol=1e-12, atol=1e-13, max_step=1e-4)
    agree(run["speed.value"](times), known.y[1])
    agree(run["coil.f"](times), known.y[0])
    assert run["pid.y"](times).max() == pytest.approx(limit, rel=1e-12) if limit else run["pid.y"](times).max() > 24.0


def test_back_calculation_prevents_the_overshoot_of_a_wound_up_integral() -> None:
    """A step that needs the full voltage for a while: with tracking little overshoot, without it a large one."""
    times = np.linspace(0.0, 3.0, 601)
    top = {}
    for name, tracking in (("tracking", None), ("none", 1e9)):
        pid = b.PID("pid", 0.2, 0.02, lower=-12.0, upper=12.0, tracking_time=tracking)
        run = mb.simulate(drive(pid, b.Constant("set", 100.0)), 3.0)
        top[name] = run["speed.value"](times).max() / 100.0
        assert run["speed.value"](3.0) == pytest.approx(100.0, rel=1e-3)
    assert top["tracking"] < 1.05 and top["none"] > 1.2
