"""Every sign in the laws of the blocks: each law at a few points, against the formula worked out by hand."""

from __future__ import annotations

import numpy as np
import pytest

from multibond.elements import blocks as b
from multibond.elements.blocks.block import Block
from multibond.errors import ParameterError

from .block_samples import SAMPLES, law_at


def near(value: object, abs: float = 1e-12) -> object:
    """Equal up to rounding."""
    return pytest.approx(value, rel=1e-12, abs=abs)


# -- sources -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("time", "y"), [(0.0, -0.5), (0.29, -0.5), (0.3, 1.5), (9.0, 1.5)])
def test_step(time: float, y: float) -> None:
    assert law_at(SAMPLES[b.Step], time=time).y == near(y)


@pytest.mark.parametrize(("time", "y"), [(0.0, -0.5), (0.3, -0.5), (0.5, -0.1), (0.7, 0.3), (9.0, 0.3)])
def test_ramp(time: float, y: float) -> None:
    assert law_at(SAMPLES[b.Ramp], time=time).y == near(y)


def test_an_endless_ramp() -> None:
    assert law_at(b.Ramp("it", (1.0, -2.0)), time=9.0).y == near([9.0, -18.0])


@pytest.mark.parametrize("time", [0.0, 0.1, 1.7])
def test_sine(time: float) -> None:
    assert law_at(SAMPLES[b.Sine], time=time).y == near(0.3 + 2.0 * np.sin(3 * np.pi * time + 0.4))


def test_constants_and_time() -> None:
    assert law_at(SAMPLES[b.Constant]).y == near(3.0)
    assert law_at(SAMPLES[b.Input]).y == near([2.0, -1.0])
    assert law_at(SAMPLES[b.Time], time=1.3).y == near(1.3)


@pytest.mark.parametrize(("time", "y"), [(0.0, -1.0), (0.1, 1.0), (0.34, 1.0), (0.36, -1.0), (9.0, -1.0)])
def test_a_single_pulse(time: float, y: float) -> None:
    assert law_at(b.Pulse("it", 2.0, 0.25, time=0.1, offset=-1.0), time=time).y == near(y)


@pytest.mark.parametrize("begin", [0.0, 0.1, 0.4, 0.5, 1.3])
def test_pulses_begin_at_their_time_and_return(begin: float) -> None:
    pulse = b.Pulse("it", 2.0, 0.25, time=begin, period=0.5, offset=-1.0)
    for time in np.arange(0.0, 3.0, 0.0237):
        cycle = 0.5 * np.floor(time / 0.5)
        on = time >= begin and (time - begin) % 0.5 < 0.25
        assert law_at(pulse, states={"cycle": cycle}, time=time).y == near(1.0 if on else -1.0), time


def trapezoid(since: float) -> float:
    """The sample's shape: up to 2 in 0.1 s, there for 0.2 s, down in 0.05 s; from -1."""
    return float(np.interp(since, [0.0, 0.1, 0.3, 0.35], [-1.0, 1.0, 1.0, -1.0]))


def test_a_single_trapezoid() -> None:
    single = SAMPLES[b.Trapezoid].replace(period=None)
    for time in np.linspace(0.0, 1.0, 41):
        assert law_at(single, time=time).y == near(trapezoid(time - 0.1))


def test_a_trapezoid_may_fill_its_period_and_no_more() -> None:
    b.Trapezoid("it", rise=0.5, hold=0.25, fall=0.25, period=1.0)
    for longer in ({"rise": 0.6}, {"hold": 0.3}, {"fall": 0.3}):
        with pytest.raises(ParameterError, match="overlaps"):
            b.Trapezoid("it", **({"rise": 0.5, "hold": 0.25, "fall": 0.25, "period": 1.0} | longer))


def test_trapezoids_return() -> None:
    for time in np.arange(0.0, 3.0, 0.0237):
        since = (time - 0.1) % 0.5 if time >= 0.1 else -1.0
        assert law_at(SAMPLES[b.Trapezoid], time=time).y == near(trapezoid(since)), time


# -- without memory ----------------------------------------------------------------------------------------------------


def test_gain_of_every_shape() -> None:
    assert law_at(b.Gain("it", -2.0), {"u": 3.0}).y == near(-6.0)
    assert law_at(b.Gain("it", -2.0, size=2), {"u": (3.0, 1.0)}).y == near([-6.0, -2.0])
    assert law_at(b.Gain("it", (2.0, -3.0)), {"u": (5.0, 7.0)}).y == near([10.0, -21.0])
    assert law_at(SAMPLES[b.Gain], {"u": (1.0, 10.0)}).y == near([21.0, 43.0, -55.0])


def test_sum_and_product() -> None:
    assert law_at(SAMPLES[b.Sum], {"u_1": (1, 2), "u_2": (10, 20), "u_3": (100, 200)}).y == near([91.0, 182.0])
    assert law_at(SAMPLES[b.Product], {"u_1": 3.0, "u_2": -4.0, "u_3": 8.0}).y == near(-1.5)
    assert law_at(b.Product("it", "/"), {"u_1": -4.0}).y == near(-0.25)
    assert law_at(b.Sum("it", "-"), {"u_1": -4.0}).y == near(4.0)


@pytest.mark.parametrize(("u", "y"), [(-2.0, -0.5), (-0.4, -0.4), (0.7, 0.7), (2.0, 0.8)])
def test_limiter(u: float, y: float) -> None:
    assert law_at(SAMPLES[b.Limiter], {"u": u}).y == near(y)
    assert law_at(b.Limiter("it", upper=0.8), {"u": u}).y == near(min(u, 0.8))
    assert law_at(b.Limiter("it", lower=0.0), {"u": u}).y == near(max(u, 0.0))


def test_a_limiter_tells_where_its_kinks_are() -> None:
    assert sorted(np.abs(law_at(SAMPLES[b.Limiter], {"u": 0.1}).edges)) == near([0.6, 0.7])


@pytest.mark.parametrize(("u", "y"), [(-2.0, -1.8), (-0.1, 0.0), (0.2, 0.0), (2.0, 1.7)])
def test_dead_zone(u: float, y: float) -> None:
    assert law_at(SAMPLES[b.DeadZone], {"u": u}).y == near(y)


@pytest.mark.parametrize(("u", "y"), [(-0.2, -0.25), (-0.1, 0.0), (0.124, 0.0), (0.125, 0.25), (0.6, 0.5)])
def test_quantizer(u: float, y: float) -> None:
    assert law_at(SAMPLES[b.Quantizer], {"u": u}).y == near(y)
    assert law_at(SAMPLES[b.Quantizer], {"u": 0.125}).edges == near(0.0, abs=1e-15)


def test_probe() -> None:
    assert law_at(SAMPLES[b.Probe], {"u": (1.0, -2.0, 3.0)}).y == near([1.0, -2.0, 3.0])


# -- with memory -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("x", "u", "rate"),
    [(0.0, 2.0, 2.0), (0.0, -2.0, -2.0), (0.8, 2.0, 0.0), (0.8, -2.0, -2.0), (-0.5, -2.0, 0.0), (-0.5, 2.0, 2.0)],
)
def test_integrator(x: float, u: float, rate: float) -> None:
    found = law_at(SAMPLES[b.Integrator], {"u": u}, {"x": x})
    assert (found.rates["x"], found.y) == (near(rate), near(x))
    assert law_at(b.Integrator("it"), {"u": u}, {"x": x}).rates["x"] == near(u)


def test_lags() -> None:
    found = law_at(SAMPLES[b.Derivative], {"u": 0.7}, {"x": 0.2})
    assert (found.y, found.rates["x"]) == (near(5.0), near(5.0))
    found = law_at(SAMPLES[b.FirstOrder], {"u": 0.7}, {"y": 0.2})
    assert (found.y, found.rates["y"]) == (near(0.2), near((2.0 * 0.7 - 0.2) / 0.3))
    found, w = law_at(SAMPLES[b.SecondOrder], {"u": 0.7}, {"x": (0.2, 0.5)}), 2.4 * np.pi
    assert (found.y, found.rates["x"]) == (near(0.2), near([0.5, w * w * (1.4 - 0.2) - 0.6 * w * 0.5]))


@pytest.mark.parametrize(("u", "rate"), [(0.35, 1.0), (0.9, 2.0), (0.28, -0.4), (0.0, -1.0)])
def test_rate_limiter(u: float, rate: float) -> None:
    found = law_at(SAMPLES[b.RateLimiter], {"u": u}, {"y": 0.3})
    assert (found.rates["y"], found.y) == (near(rate), near(0.3))
    assert law_at(b.RateLimiter("it", 2.0), {"u": -9.0}, {"y": 0.3}).rates["y"] == near(-2.0)


def test_state_space_reads_lists_as_columns_and_rows() -> None:
    x, u = np.array([0.3, -0.7]), 0.9
    found = law_at(SAMPLES[b.StateSpace], {"u": u}, {"x": x})
    assert found.rates["x"] == near(np.array([[0.0, 1.0], [-4.0, -0.4]]) @ x + np.array([0.5, 1.0]) * u)
    assert found.y == near(np.array([1.0, 0.2]) @ x + 0.1 * u)


def test_state_space_with_several_inputs_and_outputs() -> None:
    A, B, C, D = np.diag([-1.0, -2.0]), np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]), np.eye(2), np.ones((2, 3))
    x, u = np.array([0.3, -0.7]), np.array([1.0, -2.0, 0.5])
    found = law_at(b.StateSpace("it", A=(-1.0, -2.0), B=B, C=C, D=D), {"u": u}, {"x": x})
    assert (found.rates["x"], found.y) == (near(A @ x + B @ u), near(C @ x + D @ u))
    row = law_at(b.StateSpace("it", A=(-1.0, -2.0), B=B, C=(1.0, 2.0), D=(1.0, 2.0, 3.0)), {"u": u}, {"x": x})
    assert row.y == near(np.array([1.0, 2.0]) @ x + np.array([1.0, 2.0, 3.0]) @ u)


# -- by frequency ------------------------------------------------------------------------------------------------------


def transmission(block: Block, frequencies: np.ndarray) -> np.ndarray:
    """The complex gain of a linear block, from its law: C (iw - A)⁻¹ B + D."""
    n = block.states({})["x"]
    zero, columns = np.zeros(n), np.eye(n)
    A = np.array([law_at(block, {"u": 0.0}, {"x": e}).rates["x"] for e in columns]).T
    B = law_at(block, {"u": 1.0}, {"x": zero}).rates["x"]
    C = np.array([law_at(block, {"u": 0.0}, {"x": e}).y.item() for e in columns])
    D = law_at(block, {"u": 1.0}, {"x": zero}).y.item()
    return np.array([C @ np.linalg.solve(1j * w * np.eye(n) - A, B) + D for w in frequencies])


@pytest.mark.parametrize(
    ("over", "under"),
    [((2.0, 3.0), (0.5, 1.0, 4.0)), ((-1.0, 2.0, 3.0), (-2.0, 1.0, 7.0)), ((1.0,), (3.0, 2.0, -1.0, 0.0, 0.0))],
)
def test_transfer_function(over: tuple[float, ...], under: tuple[float, ...]) -> None:
    s = 1j * np.array([0.1, 1.0, 10.0])
    found = transmission(b.TransferFunction("it", over, under), s.imag)
    assert found == near(np.polyval(over, s) / np.polyval(under, s))


@pytest.mark.parametrize("order", range(1, 13))
def test_low_pass_is_flat_and_falls(order: int) -> None:
    """Its poles lie on a circle, so that |H|² = 1 / (1 + (w/w0)^2n)."""
    ratio = np.array([0.1, 0.5, 1.0, 2.0, 10.0])
    found = transmission(b.LowPass("g", 1.5, order), 2 * np.pi * 1.5 * ratio)
    poles = np.exp(0.5j * np.pi * (1 + (2 * np.arange(order) + 1) / order))
    assert found == pytest.approx(np.prod(1 / (1 - 1j * ratio[:, None] / poles), axis=1), rel=1e-9)
    assert np.abs(found) == pytest.approx(1 / np.sqrt(1 + ratio ** (2 * order)), rel=1e-9)


@pytest.mark.parametrize("order", range(1, 11))
def test_delay_keeps_amplitudes_and_errs_no_more_in_phase_than_it_says(order: int) -> None:
    """The limits of the docstring: w T below 0.2, 0.9, 1.9, 3.1, and 1.4 more for each further order."""
    reach = (0.2, 0.9, 1.9, 3.1)[order - 1] if order <= 4 else 3.1 + 1.4 * (order - 4)
    w = np.linspace(0.01, reach, 30) / 0.5
    found = transmission(b.Delay("g", 0.5, order), w)
    assert np.abs(found) == pytest.approx(1.0, abs=1e-9)
    assert np.abs(np.angle(found * np.exp(1j * 0.5 * w))).max() < 1e-3


# -- controllers -------------------------------------------------------------------------------------------------------


def pid(limits: tuple[float, float] | None, r: float, m: float, total: float, lag: float) -> tuple[float, ...]:
    """Output, rate of the integral part and of the filter, of the sample, by hand."""
    rest = 0.3 * r - m - lag
    wish = 2.0 * (0.6 * r - m) + total + 2.0 * 10.0 * rest
    y = wish if limits is None else float(np.clip(wish, *limits))
    return y, 2.0 * (r - m) / 0.5 + (y - wish) / np.sqrt(0.5 * 0.1), 10.0 / 0.1 * rest


@pytest.mark.parametrize(("r", "m"), [(0.5, 0.1), (3.0, 0.1), (0.5, 2.1)])
def test_pid(r: float, m: float) -> None:
    found = law_at(SAMPLES[b.PID], {"setpoint": r, "measured": m}, {"sum": 0.7, "lag": 0.05})
    y, rate, lag = pid((-3.0, 3.0), r, m, 0.7, 0.05)
    assert (found.y, found.rates["sum"], found.rates["lag"]) == (near(y), near(rate), near(lag))
    parts = [found.outputs[name] for name in ("proportional", "integral", "derivative")]
    assert sum(parts) == near(pid(None, r, m, 0.7, 0.05)[0])
    assert parts[1] == near(0.7) and parts[2] == near(20.0 * (0.3 * r - m - 0.05))


def test_p_and_pi() -> None:
    signals = {"setpoint": 0.5, "measured": 0.2}
    assert law_at(b.PID("it", -2.0), signals).y == near(-0.6)
    found = law_at(b.PID("it", 2.0, 0.5, upper=0.4), signals, {"sum": 0.1})
    assert (found.y, found.rates["sum"]) == (near(0.4), near(2.0 * 0.3 / 0.5 + (0.4 - 0.7) / 0.5))
    found = law_at(b.PID("it", 2.0, 0.5, upper=0.4, tracking_time=0.1), signals, {"sum": 0.1})
    assert found.rates["sum"] == near(2.0 * 0.3 / 0.5 + (0.4 - 0.7) / 0.1)


@pytest.mark.parametrize(("r", "m"), [(0.5, 0.1), (3.0, 0.1), (0.5, 2.1)])
def test_discrete_pid(r: float, m: float) -> None:
    item = SAMPLES[b.DiscretePID].replace(derivative_weight=0.3)
    states = {"sum": 0.7, "slope": 0.2, "last": 0.05, "y": 0.1}
    found = law_at(item, {"setpoint": r, "measured": m}, states)
    z = 0.3 * r - m
    slope = (0.1 * 0.2 + 2.0 * 10.0 * 0.1 * (z - 0.05)) / (0.1 + 10.0 * 0.1)
    wish = 2.0 * (0.6 * r - m) + 0.7 + slope
    y = np.clip(wish, -3.0, 3.0)
    total = 0.7 + 0.1 * (2.0 * (r - m) / 0.5 + (y - wish) / np.sqrt(0.5 * 0.1))
    wanted = {"sum": total, "slope": slope, "last": z, "y": y}
    assert {name: value.item() for name, value in found.updates.items()} == near(wanted)
    assert found.y == near(0.1)


# -- logic -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("u", [0.2, 0.3, 0.4])
def test_compare(u: float) -> None:
    assert law_at(SAMPLES[b.Compare], {"u": u}).y == near(float(u <= 0.3))
    assert law_at(b.Compare("it", ">", 0.3), {"u": u}).y == near(float(u >= 0.3))
    assert law_at(b.Compare("it"), {"u": u, "than": 0.35}).y == near(float(u >= 0.35))


@pytest.mark.parametrize("inputs", list(np.ndindex(2, 2, 2)))
def test_gates(inputs: tuple[int, ...]) -> None:
    signals = {f"u_{k + 1}": float(value) for k, value in enumerate(inputs)}
    assert law_at(SAMPLES[b.And], signals).y == near(float(all(inputs)))
    assert law_at(SAMPLES[b.Or], signals).y == near(float(any(inputs)))
    assert law_at(SAMPLES[b.Xor], signals).y == near(float(sum(inputs) % 2))
    assert law_at(SAMPLES[b.Not], {"u": inputs[0]}).y == near(float(not inputs[0]))


def test_truth_begins_at_one_half() -> None:
    assert [law_at(b.Not("it"), {"u": u}).y.item() for u in (0.0, 0.49, 0.5, 2.0)] == [1.0, 1.0, 0.0, 0.0]


def test_select() -> None:
    choices = {"yes": (1.0, 2.0), "no": (-3.0, 4.0)}
    assert law_at(SAMPLES[b.Select], {"condition": 1.0, **choices}).y == near([1.0, 2.0])
    assert law_at(SAMPLES[b.Select], {"condition": 0.0, **choices}).y == near([-3.0, 4.0])


def test_relay() -> None:
    off = law_at(SAMPLES[b.Relay], {"u": 0.1})
    assert (off.y, off.switches) == (near(-1.0), {"on": near(0.1 - 0.4)})
    on = law_at(SAMPLES[b.Relay].replace(mode="on"), {"u": 0.1})
    assert (on.y, on.switches) == (near(2.0), {"off": near(-0.3 - 0.1)})


def test_bands_are_symmetric_unless_told() -> None:
    assert [law_at(b.DeadZone("it"), {"u": u}).y.item() for u in (-3.0, 0.9, 3.0)] == [-2.0, 0.0, 2.0]
    assert law_at(b.Relay("it"), {"u": 0.1}).switches["on"] == near(-0.9)
    assert law_at(b.Relay("it", mode="on"), {"u": 0.1}).switches["off"] == near(-1.1)


# -- sampled -----------------------------------------------------------------------------------------------------------


def test_sampled_delay() -> None:
    single = law_at(b.SampledDelay("it", 0.1), {"u": 9.0}, {"x": 2.0, "y": 0.5})
    assert (single.updates["y"], single.updates["x"]) == (near(2.0), near(9.0))
    found = law_at(SAMPLES[b.SampledDelay], {"u": 9.0}, {"x": (1.0, 2.0, 3.0), "y": 0.5})
    assert (found.updates["y"], found.updates["x"], found.y) == (near(1.0), near([2.0, 3.0, 9.0]), near(0.5))


@pytest.mark.parametrize(("method", "y", "x"), [("forward", 0.2, 0.6), ("backward", 0.6, 0.6), ("trapezoid", 0.4, 0.6)])
def test_discrete_integrator(method: str, y: float, x: float) -> None:
    item = SAMPLES[b.DiscreteIntegrator].replace(method=method)
    found = law_at(item, {"u": 4.0}, {"x": 0.2, "y": 7.0})
    assert (found.updates["y"], found.updates["x"], found.y) == (near(y), near(x), near(7.0))
    full = law_at(item, {"u": 90.0}, {"x": 0.2}).updates
    assert full["x"] == near(3.0)
    assert law_at(item, {"u": -90.0}, {"x": 0.2}).updates["x"] == near(-2.0)


def test_discrete_state_space() -> None:
    x, u = np.array([0.3, -0.7]), 0.9
    found = law_at(SAMPLES[b.DiscreteStateSpace], {"u": u}, {"x": x, "y": 0.1})
    assert found.updates["x"] == near(np.array([0.9, 0.5]) * x + np.array([0.1, 0.2]) * u)
    assert (found.updates["y"], found.y) == (near(np.array([1.0, 2.0]) @ x + 0.3 * u), near(0.1))


@pytest.mark.parametrize(("over", "under"), [((0.3, 0.2), (2.0, -0.9, 0.2)), ((0.3, 0.2, 0.1), (-1.0, 0.5, 0.2))])
def test_discrete_transfer_function(over: tuple[float, ...], under: tuple[float, ...]) -> None:
    """Against the difference equation a_0 y_k + a_1 y_(k-1) + ... = b_0 u_k + b_1 u_(k-1) + ..."""
    item = b.DiscreteTransferFunction("it", 0.1, over, under)
    b_, u = np.concatenate([np.zeros(3 - len(over)), over]), np.array([0.0, 0.0, 1.0, -0.4, 0.7, 0.2, -0.9])
    x, y = np.zeros(2), np.zeros(u.size)
    for k in range(2, u.size):
        found = law_at(item, {"u": u[k]}, {"x": x})
        y[k] = (b_ @ u[k - 2 : k + 1][::-1] - under[1] * y[k - 1] - under[2] * y[k - 2]) / under[0]
        assert found.updates["y"] == near(y[k])
        x = found.updates["x"]


def test_sample_and_hold() -> None:
    found = law_at(SAMPLES[b.SampleHold], {"u": 0.9}, {"y": 0.1})
    assert (found.updates["y"], found.y) == (near(0.9), near(0.1))


# -- formulas ----------------------------------------------------------------------------------------------------------


def test_formulas_and_tables() -> None:
    assert law_at(SAMPLES[b.Function], {"u_1": 2.0, "u_2": -3.0}, time=0.5).y == near(-6.5)
    assert law_at(b.Function("it", ["u[1]", "-u[0]"], size=2), {"u": (2.0, 3.0)}).y == near([3.0, -2.0])
    assert law_at(b.Function("it", (2.0, -1.0))).y == near([2.0, -1.0])
    assert law_at(SAMPLES[b.Lookup], {"u": 0.6}).y == near(0.5)
    assert law_at(SAMPLES[b.Lookup].replace(size=2), {"u": (0.2, 9.0)}).y == near([-1.0, 2.0])
    assert law_at(SAMPLES[b.Lookup2], {"u_1": 1.0, "u_2": 0.0}).y == near(3.5)
    assert law_at(SAMPLES[b.Join], {"u_1": (1.0, -2.0), "u_2": (3.0, -4.0)}).y == near([1.0, -2.0, 3.0, -4.0])
