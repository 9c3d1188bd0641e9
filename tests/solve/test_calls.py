"""Calls of a system at one state and at many, into new arrays and into buffers, from one thread and from several."""

from __future__ import annotations

import gc
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any
from weakref import ref

import numpy as np
import pytest

import multibond as mb
from multibond import blocks
from multibond import rotational as ro
from multibond import spatial as sp
from multibond import translational as tr
from multibond.errors import ModelError, ParameterError, WrongArgument
from multibond.examples import EXAMPLES, arm, chain
from multibond.solve.plant import Plant

Answer = Callable[..., Any]
TREES = ("arm", "pendulum", "heavy_top", "euler_top", "chain", "motor_pendulum")
LOOPS = ("slider_crank", "planar_loop", "four_bar", "spatial_four_bar", "governor", "crane_crab")
SEVERAL = 5


def iterated() -> mb.Model:
    """A hinge with two dampers in a row, of which one has a cubic law: the speed between them is found by iteration."""
    model = mb.Model("oil")
    world, hip = model.add(sp.World()), model.add(sp.Revolute("hip", axis="z", speed=2.0))
    bob = model.add(sp.Body("bob", mass=1.0, inertia=(0.1, 0.1, 0.1), centre=(0.5, 0, 0)))
    oil, grease = model.add(ro.Damper("oil", torque="0.5*f + 0.2*f^3")), model.add(ro.Damper("grease", damping=0.3))
    ground = model.add(ro.Fixed("ground"))
    model.connect(world.frame, hip.frame_a)
    model.connect(hip.frame_b, bob.frame)
    model.connect(hip.flange, oil.flange_a)
    model.connect(oil.flange_b, grease.flange_a)
    model.connect(grease.flange_b, ground.flange)
    return model


def made(name: str) -> tuple[Plant, np.ndarray]:
    """A compiled machine, and several states of it, one row each, on its constraints."""
    models: dict[str, Callable[[], Any]] = {**EXAMPLES, "iterated": iterated, "long": lambda: chain(20)}
    system = mb.compile(models[name]())
    rng, shape, free = np.random.default_rng(7), system.reduced.shape, np.zeros(system.n, bool)
    states = []
    for _ in range(SEVERAL):
        x, _ = shape.settle_positions(system.x0 + 0.05 * rng.standard_normal(system.n), system.parameters, free)
        states.append(shape.settle_flows(x, system.parameters, free)[0])
    return system, np.array(states)


def answers(system: Plant) -> dict[str, Answer]:
    """Every call of a system that gives one array."""
    wanted = np.arange(1.0, 1.0 + len(system.independent))
    found: dict[str, Answer] = {
        "derivative": system.derivative,
        "mass_matrix": system.mass_matrix,
        "mass of the tree": lambda x, **k: system.mass_matrix(x, of="tree", **k),
        "bias": system.bias,
        "bias of the tree": lambda x, **k: system.bias(x, of="tree", **k),
        "drives": system.drives,
        "accelerations": system.accelerations,
        "inverse_dynamics": lambda x, **k: system.inverse_dynamics(x, wanted, **k),
    }
    if frame := next(reversed(system.mechanism.frames), ""):
        found["jacobian"] = lambda x, **k: system.jacobian(x, frame, **k)
        found["jacobian_rate"] = lambda x, **k: system.jacobian_rate(x, frame, **k)
        found["velocity"] = lambda x, **k: system.velocity(x, frame, **k)
    return found


@pytest.mark.parametrize("name", [*TREES, *LOOPS, "iterated", "long"])
def test_arrays_of_states_and_buffers_hold_what_single_calls_give(name: str) -> None:
    """Bit for bit, for trees and loops, native and worked out alike."""
    system, states = made(name)
    for what, call in answers(system).items():
        single = [np.asarray(call(x)) for x in states]
        np.testing.assert_array_equal(np.asarray(call(states)), single, err_msg=what)
        own, all_of_them = np.full(single[0].shape, np.nan), np.full((SEVERAL, *single[0].shape), np.nan)
        assert call(states[1], out=own) is own
        assert call(states, out=all_of_them) is all_of_them
        np.testing.assert_array_equal(own, single[1], err_msg=what)
        np.testing.assert_array_equal(all_of_them, single, err_msg=what)
        np.testing.assert_array_equal(np.asarray(call(states[1].tolist())), own, err_msg=what)
        np.testing.assert_array_equal(np.asarray(call(np.repeat(states[1], 2)[::2])), own, err_msg=what)
        assert np.asarray(call(states[:0])).shape == (0, *own.shape), what


@pytest.mark.parametrize("name", [*TREES, *LOOPS])
def test_reactions_and_slopes_of_arrays_of_states(name: str) -> None:
    """One more axis before the others, the same numbers."""
    system, states = made(name)
    at_once, one_by_one = system.reactions(states), [system.reactions(x) for x in states]
    for joint, reaction in at_once.items():
        np.testing.assert_array_equal(reaction.force, [each[joint].force for each in one_by_one])
        np.testing.assert_array_equal(reaction.torque, [each[joint].torque for each in one_by_one])
        assert reaction.unique == all(each[joint].unique for each in one_by_one)
    row = np.concatenate([np.r_[each.force, each.torque] for each in one_by_one[2].values()] or [np.zeros(0)])
    np.testing.assert_array_equal(system.reactions(states[2], out=np.empty(row.size)), row)
    linear, alone = system.jacobians(states), [system.jacobians(x) for x in states]
    for part in ("A", "B", "C", "D", "x", "rate", "tangent", "eigenvalues"):
        np.testing.assert_array_equal(np.asarray(getattr(linear, part)), [getattr(each, part) for each in alone], part)


@pytest.mark.parametrize("name", [*TREES, *LOOPS])
def test_native_calls_give_what_the_equations_give_step_by_step(name: str) -> None:
    """M, h, drives and slopes against residuals and their slopes at each state, solved for numbers."""
    system, states = made(name)
    m, w = system.mechanism, system.reduced.whole
    for x in states:
        y = np.zeros(system.dae.ny)
        balance = np.asarray(m.balance(0.0, x, y, system.parameters)).ravel()
        R, A = balance[: y.size], balance[y.size :].reshape(y.size, y.size).T
        if m.others:
            continue
        M = A[np.ix_(m.rates, m.rates)]
        size = max(1.0, float(np.abs(R).max(initial=0.0)))
        np.testing.assert_allclose(system.mass_matrix(x, of="tree"), 0.5 * (M + M.T), rtol=1e-12, atol=1e-13)
        np.testing.assert_allclose(system.bias(x, of="tree"), R[m.rates], rtol=1e-12, atol=1e-12 * size)
        rate = system.derivative(x)
        speeds = [rate[k] for k in m.speeds]
        np.testing.assert_allclose(
            np.asarray(system.accelerations(x))[: len(speeds)],
            speeds,
            rtol=1e-9,
            atol=1e-9 * max(1, np.abs(rate).max()),
        )
        value, slope = system.slopes.derivative(w.xdot)(x, system.parameters)
        linear = system.jacobians(x)
        np.testing.assert_allclose(linear.rate, value, rtol=1e-9, atol=1e-9 * max(1.0, float(np.abs(value).max())))
        np.testing.assert_allclose(linear.A, slope, rtol=1e-8, atol=1e-9 * max(1.0, float(np.abs(slope).max())))


def test_inputs_of_each_state() -> None:
    """One row of inputs for all states, or one for each."""
    model = mb.Model("pushed")
    cart, hand = model.add(tr.Mass("cart", mass=2.0)), model.add(tr.Force("hand"))
    push = model.add(blocks.Input("push", value=1.0))
    model.connect(hand.flange, cart.flange)
    model.signal(push.y, hand.input)
    system = mb.compile(model)
    states = np.random.default_rng(3).standard_normal((4, system.n))
    rows = np.array([[1.0], [-2.0], [0.5], [0.0]])
    each = [system.derivative(x, u) for x, u in zip(states, rows, strict=True)]
    np.testing.assert_array_equal(system.derivative(states, rows), each)
    np.testing.assert_array_equal(system.derivative(states, [3.0]), [system.derivative(x, [3.0]) for x in states])
    np.testing.assert_array_equal(
        system.derivative(states[0], {"push": -2.0})[-1], system.derivative(states[0], [-2.0])[-1]
    )
    np.testing.assert_array_equal(system.derivative(states), [system.derivative(x) for x in states])
    np.testing.assert_array_equal(system.jacobians(states, rows).rate, each)
    assert np.ptp([rate[-1] for rate in each]) == 3.0  # the momentum changes with the force
    with pytest.raises(ModelError, match="u cannot have 3 rows"):
        system.derivative(states, rows[:3])


@pytest.mark.parametrize("name", ["arm", "four_bar"])
def test_wanted_accelerations_of_each_state(name: str) -> None:
    """One row for all states, or one for each; by name; as many as there are independent motions."""
    system, states = made(name)
    count = len(system.independent)
    rows = np.random.default_rng(9).standard_normal((SEVERAL, count))
    each = [system.inverse_dynamics(x, a) for x, a in zip(states, rows, strict=True)]
    np.testing.assert_array_equal(np.asarray(system.inverse_dynamics(states, rows)), each)
    for x, a, effort in zip(states, rows, each, strict=True):
        np.testing.assert_array_equal(np.asarray(system.inverse_dynamics(x, a.tolist())), effort)
        by_name = dict(zip(system.independent, a, strict=True))
        np.testing.assert_array_equal(np.asarray(system.inverse_dynamics(x, by_name)), effort)
        M, h = np.asarray(system.mass_matrix(x)), np.asarray(system.bias(x))
        np.testing.assert_allclose(effort, M @ a + h, rtol=1e-9, atol=1e-9 * (1.0 + np.abs(h).max()))
    for wrong in (np.ones(count + 1), np.ones((SEVERAL, count + 1)), [1.0] * (count + 2)):
        with pytest.raises(ModelError, match="accelerations do not fit"):
            system.inverse_dynamics(states, wrong)


def buffers(shape: tuple[int, ...]) -> dict[str, Any]:
    """Buffers that a result of this shape does not fit into, by what is said of them."""
    locked = np.empty(shape)
    locked.flags.writeable = False
    return {
        f"an array of shape {(*shape, 2)}": np.empty((*shape, 2)),
        "an array of float32": np.empty(shape, np.float32),
        "an array of int64": np.empty(shape, int),
        "an array of complex128": np.empty(shape, complex),
        "an array of >f8": np.empty(shape, ">f8"),
        "a list": np.empty(shape).tolist(),
        "read-only": locked,
    } | ({"numbers lie apart": np.empty((*shape, 2))[..., 0]} if np.prod(shape) > 1 else {})


@pytest.mark.parametrize("name", ["arm", "four_bar", "long"])
def test_buffers_that_do_not_fit_are_refused_by_name(name: str) -> None:
    """Shape, kind of number, order in memory, and whether they may be written; nothing is written into them."""
    system, states = made(name)
    for what, call in answers(system).items():
        shape = np.shape(call(states[0]))
        for said, out in buffers(shape).items():
            with pytest.raises(ParameterError) as error:
                call(states[0], out=out)
            assert said in str(error.value) and str(shape) in str(error.value), what
        with pytest.raises(ParameterError, match="It takes an array"):
            call(states, out=np.empty(shape))


def test_states_that_do_not_fit_are_refused() -> None:
    """Too few, too many, no numbers; a time that is none."""
    system = mb.compile(arm())
    for x in (np.zeros(11), np.zeros((3, 11)), [0.0] * 13, np.zeros((2, 2, 12))):
        with pytest.raises(ModelError):
            system.bias(x)
        with pytest.raises(ModelError):
            system.derivative(x)
    with pytest.raises(WrongArgument, match="t"):
        system.bias(system.x0, t="now")  # type: ignore[arg-type]


def test_a_buffer_may_be_the_state_itself() -> None:
    """What is read is taken up before anything is written."""
    system, states = made("arm")
    rates, rate = system.derivative(states), system.derivative(states[0])
    both, one = states.copy(), states[0].copy()
    system.derivative(both, out=both)
    system.derivative(one, out=one)
    np.testing.assert_array_equal(both, rates)
    np.testing.assert_array_equal(one, rate)


def test_results_are_arrays_of_their_own() -> None:
    """A later call changes none that was handed out, and writing into one changes no later call."""
    system, states = made("arm")
    first = system.bias(states[0])
    kept = np.array(first)
    second = system.bias(states[1])
    np.testing.assert_array_equal(np.asarray(first), kept)
    system.bias(states[1], out=first)  # what was handed out serves as a buffer too
    np.testing.assert_array_equal(np.asarray(first), np.asarray(second))
    for call in (system.bias, system.mass_matrix, system.accelerations, lambda x: system.jacobians(x).tangent):
        found = call(states[0])
        before = np.array(found)
        np.asarray(found)[...] = 7.0
        np.testing.assert_array_equal(np.asarray(call(states[0])), before)


def test_named_arrays_of_many_states() -> None:
    """A name reads its row at every state."""
    system, states = made("arm")
    M, h = system.mass_matrix(states), system.bias(states)
    assert M.names == M.columns == h.names == system.independent
    np.testing.assert_array_equal(M["joint2"], np.asarray(M)[:, 2])
    np.testing.assert_array_equal(h["joint2"], np.asarray(h)[:, 2])
    np.testing.assert_array_equal(h.to_dict()["joint5"], np.asarray(h)[:, 5])
    for what, call in answers(system).items():
        if what == "derivative":
            continue
        at_once, single = call(states), call(states[2])
        for k, row in enumerate(single.names):
            np.testing.assert_array_equal(at_once[row][2], single[row], err_msg=f"{what}, {row}")
            np.testing.assert_array_equal(single[row], np.asarray(single)[k], err_msg=f"{what}, {row}")
    linear, alone = system.jacobians(states), system.jacobians(states[0])
    name = linear.states[3]
    np.testing.assert_array_equal(linear.A[name], np.asarray(linear.A)[:, 3])
    assert linear.B[name].shape == (SEVERAL, 0) and alone.B[name].shape == (0,)  # no inputs: rows all the same
    np.testing.assert_array_equal(alone.A[name], np.asarray(alone.A)[3])


@pytest.mark.parametrize("name", ["arm", "slider_crank", "long"])
def test_threads_may_call_one_system_at_the_same_time(name: str) -> None:
    """Each has memory of its own: every result is that of a single thread."""
    system, _ = made(name)
    rng = np.random.default_rng(11)
    states = system.x0 + 0.02 * rng.standard_normal((24, system.n))
    calls = [system.derivative, system.bias, system.mass_matrix, system.accelerations]
    calls += [lambda x: system.inverse_dynamics(x, np.ones(len(system.independent))), lambda x: system.jacobians(x).A]
    right = [[np.asarray(call(x)) for call in calls] for x in states]

    def work(k: int) -> bool:
        x, expected = states[k % len(states)], right[k % len(states)]
        return all(np.array_equal(np.asarray(call(x)), value) for call, value in zip(calls, expected, strict=True))

    with ThreadPoolExecutor(6) as pool:
        assert all(pool.map(work, range(600)))


def test_a_system_goes_with_its_last_user() -> None:
    """Calls hold no system: it is freed at once, not when the collector comes by."""
    system = mb.compile(arm())
    for call in answers(system).values():
        call(system.x0)
    system.jacobians(system.x0)
    system.reactions(system.x0)
    gc.collect()
    gc.disable()
    try:
        other = mb.with_parameters(system, {"link1.mass": 8.0})
        for call in answers(other).values():
            call(other.x0)
        seen = ref(other)
        del other, call
        assert seen() is None
    finally:
        gc.enable()
