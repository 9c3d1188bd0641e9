"""Signs of couplers with a matrix and of direct sums, whole and unfolded, against linear algebra done by hand.

In all of them two coils meet across a coupler, each on a 1-junction with a resistance and a source: the rates of
their momenta follow from the moduli.
"""

from __future__ import annotations

import numpy as np
import pytest
from scipy.linalg import expm

import multibond as mb
from multibond.errors import CausalityError, StructureError
from multibond.solve.solution import Solution

RNG = np.random.default_rng(41)
B32, B23, G33 = RNG.uniform(0.3, 1.5, (3, 2)), RNG.uniform(-1.5, -0.3, (2, 3)), RNG.uniform(-1.0, 1.0, (3, 3))
Q3 = np.linalg.qr(RNG.standard_normal((3, 3)))[0]
P3 = np.outer(Q3[:, 0], Q3[:, 0])
"""Projects on a line: only one of three components passes."""
UNTIL = 0.8


def side(model: mb.Model, name: str, size: int, inertia: float) -> mb.Element:
    """A 1-junction with a coil (or none), a resistance of one and a source of one, two, three."""
    junction = model.add(mb.One(name, size=size))
    if inertia:
        model.bond(junction, mb.I(f"{name}_coil", np.full(size, inertia)))
    model.bond(junction, mb.R(f"{name}_loss", np.ones(size)))
    model.bond(mb.Se(f"{name}_source", np.arange(1.0, size + 1.0)), junction)
    return junction


def at_depth(model: mb.Model, depth: int) -> Solution:
    return mb.simulate(model if depth == 1 else model.open(depth=depth), UNTIL, rtol=1e-11)


def flows(run: Solution, name: str, size: int) -> np.ndarray:
    """Flow of a coil at the end, component after component at every depth; opening writes dots as dashes."""
    if f"{name}.f" in run.names:
        return np.atleast_1d(run[f"{name}.f"](UNTIL))
    return np.array([float(run[f"{name}-{k + 1}.f"](UNTIL)) for k in range(size)])


def from_rest(A: np.ndarray, b: np.ndarray) -> np.ndarray:
    """x' = A x + b from zero, at the end."""
    n = len(b)
    whole = np.zeros((n + 1, n + 1))
    whole[:n, :n], whole[:n, n] = A, b
    return expm(whole * UNTIL)[:n, n]


def gyrating(G: np.ndarray) -> np.ndarray:
    """e_a = G f_b pulls on side a, e_b = Gᵀ f_a pushes side b; inertias 2 and 1, resistances and sources as above."""
    a, b = G.shape
    A = np.block([[-np.eye(a) / 2, -G / 2], [G.T, -np.eye(b)]])
    return from_rest(A, np.concatenate([np.arange(1.0, a + 1.0) / 2, np.arange(1.0, b + 1.0)]))


@pytest.mark.parametrize("depth", [1, 2, 3])
@pytest.mark.parametrize("G", [B32, G33, np.diag([0.5, -1.0])], ids=["tall", "square", "diagonal"])
def test_gyrator(G: np.ndarray, depth: int) -> None:
    model = mb.Model("gyrator")
    rows, columns = G.shape
    a, b = side(model, "left", rows, 2.0), side(model, "right", columns, 1.0)
    modulus = np.diag(G) if rows == 2 else G
    gyrator = model.add(mb.GY("gyrator", modulus))
    model.bond(a, gyrator.a)
    model.bond(gyrator.b, b)
    run = at_depth(model, depth)
    found = np.concatenate([flows(run, "left_coil", rows), flows(run, "right_coil", columns)])
    np.testing.assert_allclose(found, gyrating(G), atol=1e-9)


@pytest.mark.parametrize("depth", [1, 2, 3])
@pytest.mark.parametrize("G", [B32, B23, G33], ids=["tall", "wide", "square"])
def test_modulated_gyrator(G: np.ndarray, depth: int) -> None:
    """The modulus is what a sensor reads, row after row."""
    model = mb.Model("modulated")
    rows, columns = G.shape
    a, b = side(model, "left", rows, 2.0), side(model, "right", columns, 1.0)
    gyrator = model.add(mb.MGY("gyrator", rows, columns))
    model.bond(a, gyrator.a)
    model.bond(gyrator.b, b)
    model.signal(given(model, G), gyrator.modulus)
    run = at_depth(model, depth)
    found = np.concatenate([flows(run, "left_coil", rows), flows(run, "right_coil", columns)])
    np.testing.assert_allclose(found, gyrating(G), atol=1e-9)


def given(model: mb.Model, values: np.ndarray) -> mb.PortRef:
    """A signal of constant values: the flow that a source keeps."""
    kept = model.add(mb.One("kept", size=values.size))
    sensor = model.add(mb.Df("sensor", size=values.size))
    model.bond(mb.Sf("keeper", values.ravel()), kept)
    model.bond(kept, sensor)
    return sensor.value


def transforming(B: np.ndarray) -> np.ndarray:
    """f_b = B f_a: side b hangs on side a, (2 + Bᵀ B) f_a' = s_a + Bᵀ s_b - (1 + Bᵀ B) f_a."""
    b, a = B.shape
    M, D = 2 * np.eye(a) + B.T @ B, np.eye(a) + B.T @ B
    f = from_rest(-np.linalg.solve(M, D), np.linalg.solve(M, np.arange(1.0, a + 1.0) + B.T @ np.arange(1.0, b + 1.0)))
    return np.concatenate([f, B @ f])


@pytest.mark.parametrize("depth", [1, 2, 3])
@pytest.mark.parametrize("signal", ["", "rows", "columns"])
@pytest.mark.parametrize("B", [B32, B23, Q3, P3], ids=["tall", "wide", "rotation", "projection"])
def test_transformer(B: np.ndarray, signal: str, depth: int) -> None:
    """Constant, or as a signal of its rows or of its columns."""
    model = mb.Model("transformer")
    rows, columns = B.shape
    a, b = side(model, "left", columns, 2.0), side(model, "right", rows, 1.0)
    how = "transpose" if B is Q3 else "none"
    if signal:
        transformer = mb.MTF("transformer", rows, columns, transposed=signal == "columns", inverse=how)
    else:
        transformer = mb.TF("transformer", B, inverse=how)
    transformer = model.add(transformer)
    model.bond(a, transformer.a)
    model.bond(transformer.b, b)
    if signal:
        model.signal(given(model, B if signal == "rows" else B.T), transformer.modulus)
    run = at_depth(model, depth)
    found = np.concatenate([flows(run, "left_coil", columns), flows(run, "right_coil", rows)])
    np.testing.assert_allclose(found, transforming(B), atol=1e-9)
    if depth == 3:
        check_entries(run, "transformer", B, found[:columns])


def check_entries(run: Solution, name: str, B: np.ndarray, f: np.ndarray) -> None:
    """Unfolded, each entry hands on its share of the flow along its half-arrows."""
    for (i, j), value in np.ndenumerate(B):
        if value:
            assert run[f"{name}-{i + 1}{j + 1}.b.f"](UNTIL) == pytest.approx(value * f[j])


@pytest.mark.parametrize("depth", [1, 2, 3])
@pytest.mark.parametrize(
    ("B", "signal"),
    [(Q3, False), (Q3, True), (np.diag([0.5, -1.5, 2.0]), False)],
    ids=["rotation", "rotation as a signal", "diagonal"],
)
def test_transformer_driven_backwards(B: np.ndarray, signal: bool, depth: int) -> None:
    """The flow is given at b: f_a = B⁻¹ f_b, and what a takes comes back to the source at b as B⁻ᵀ e_a."""
    model = mb.Model("backwards")
    load, drive = model.add(mb.One("load", size=3)), np.array([1.0, -2.0, 0.5])
    model.bond(mb.R("loss", np.array([1.0, 2.0, 3.0])), load)
    how = "transpose" if B is Q3 else "divide"
    kind = mb.MTF("it", 3, 3, inverse=how) if signal else mb.TF("it", B if B is Q3 else np.diag(B), inverse=how)
    transformer, out = model.add(kind), model.add(mb.One("out", size=3))
    model.bond(load, transformer.a)
    model.bond(transformer.b, out)
    model.bond(mb.Sf("drive", drive), out)
    if signal:
        model.signal(given(model, B), transformer.modulus)
    run = at_depth(model, depth)
    f = np.linalg.solve(B, drive)
    np.testing.assert_allclose(flows(run, "loss", 3), f, atol=1e-12)
    back = [run["drive.e"](0.0)] if "drive.e" in run.names else [run[f"drive-{k}.e"](0.0) for k in (1, 2, 3)]
    expected = np.linalg.solve(B.T, np.array([1.0, 2.0, 3.0]) * f)
    np.testing.assert_allclose(np.ravel(back), expected, atol=1e-12)
    if depth == 3:
        check_entries(run, "it", np.linalg.inv(B) if B is not Q3 else B.T, drive)


@pytest.mark.parametrize("depth", [1, 2, 3])
@pytest.mark.parametrize("arrows", [(1, 1, 1), (-1, -1, -1), (1, -1, 1), (-1, 1, 1), (1, 1, -1)])
def test_direct_sum(arrows: tuple[int, int, int], depth: int) -> None:
    """Two coils of 1 and 2, and a load of 3 that carries the flows of both with the signs of their half-arrows."""
    model = mb.Model("sum")
    first, second, whole = (side(model, n, k, i) for n, k, i in (("one", 1, 2.0), ("two", 2, 2.0), ("all", 3, 0.0)))
    both = model.add(mb.DirectSum("both", 1, 2))
    for end, port, sign in ((first, both.part_1, arrows[0]), (second, both.part_2, arrows[1])):
        model.bond(*((end, port) if sign > 0 else (port, end)))
    model.bond(*((both.whole, whole) if arrows[2] > 0 else (whole, both.whole)))
    run = at_depth(model, depth)
    parts = np.concatenate([flows(run, "one_coil", 1), flows(run, "two_coil", 2)])
    signs = arrows[2] * np.array([arrows[0], arrows[1], arrows[1]])
    push = np.array([1.0, 1.0, 2.0]) + signs * [1.0, 2.0, 3.0]
    np.testing.assert_allclose(parts, from_rest(-np.eye(3), push / 2), atol=1e-9)
    np.testing.assert_allclose(flows(run, "all_loss", 3), signs * parts, atol=1e-9)


def test_twin_circuits_with_dependent_coils_both_run() -> None:
    """1 V on two coils of 1 H in series, twice in one model: 0.5 A after a second in both."""
    model = mb.Model("twins")
    for k in (1, 2):
        current = model.add(mb.One(f"current{k}"))
        model.bond(mb.Se(f"source{k}", 1.0), current)
        model.bond(current, mb.I(f"first{k}", 1.0))
        model.bond(current, mb.I(f"second{k}", 1.0))
    run = mb.simulate(model, 1.0)
    for k in (1, 2):
        assert run[f"first{k}.f"](1.0) == pytest.approx(0.5)


@pytest.mark.parametrize("depth", [1, 2, 3])
def test_gyroscopic_torque(depth: int) -> None:
    """J ω' = -ω × J ω for a full tensor of inertia, at the start of a run and after it by its invariants."""
    model, J, w = mb.Model("top"), np.array([[2.0, 0.3, -0.2], [0.3, 3.0, 0.4], [-0.2, 0.4, 4.0]]), (1.0, -2.0, 0.5)
    spin = model.add(mb.One("spin", size=3))
    model.bond(spin, mb.I("body", J, start=J @ w))
    model.bond(spin, mb.EulerGyrator("gyroscopic", J))
    run = at_depth(model, depth)
    h = 1e-4
    early = [run["body.p"](k * h) for k in (0, 1, 2)]
    slope = (-3 * early[0] + 4 * early[1] - early[2]) / (2 * h)
    np.testing.assert_allclose(slope, -np.cross(w, J @ w), atol=1e-5)
    assert np.linalg.norm(run["body.p"](UNTIL)) == pytest.approx(np.linalg.norm(J @ w))


def test_gyroscopic_torque_drawn_backwards_is_not_unfolded() -> None:
    """Its sign would depend on the drawing."""
    model = mb.Model("top")
    spin = model.add(mb.One("spin", size=3))
    model.bond(spin, mb.I("body", (1.0, 2.0, 3.0)))
    model.bond(mb.EulerGyrator("gyroscopic", (1.0, 2.0, 3.0)), spin)
    with pytest.raises(Exception, match="half-arrow"):
        model.open(depth=3)


ONE_WAY = {"tall": B32, "wide": B23, "projection": P3, "zero on the diagonal": np.array([1.0, 0.0, 2.0])}


@pytest.mark.parametrize("name", ONE_WAY)
def test_flow_passes_one_way_where_the_modulus_has_no_inverse(name: str) -> None:
    """The coil behind the transformer depends on the one before it; a flow given there is met where it can be."""
    B, shape = ONE_WAY[name], np.atleast_2d(np.diag(ONE_WAY[name]) if ONE_WAY[name].ndim == 1 else ONE_WAY[name]).shape
    model = mb.Model("one way")
    a, b = side(model, "left", shape[1], 2.0), side(model, "right", shape[0], 1.0)
    transformer = model.add(mb.TF("transformer", B))
    model.bond(a, transformer.a)
    model.bond(transformer.b, b)
    assert mb.causality(model).dependent == (("right_coil", tuple(range(shape[0]))),)
    run = at_depth(model, 1)
    full = np.diag(B) if B.ndim == 1 else B
    found = np.concatenate([flows(run, "left_coil", shape[1]), flows(run, "right_coil", shape[0])])
    np.testing.assert_allclose(found, transforming(full), atol=1e-9)
    assert run.energy().residual < 1e-10
    model.bond(mb.Sf("drive", np.ones(shape[0])), b)
    if name == "wide":
        driven = flows(at_depth(model, 1), "left_coil", 3)
        np.testing.assert_allclose(B @ driven, np.ones(2), atol=1e-9)
    else:
        with pytest.raises((CausalityError, StructureError), match="'transformer"):
            mb.compile(model)


# -- wires -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("depth", [1, 2, 3])
@pytest.mark.parametrize("arrows", [(1, 1), (-1, 1), (1, -1), (-1, -1)])
def test_permutation(arrows: tuple[int, int], depth: int) -> None:
    """Component k of b is component order[k] of a, with the signs of both half-arrows."""
    model, order = mb.Model("order"), [2, 0, 1]
    a, b = side(model, "left", 3, 2.0), side(model, "right", 3, 0.0)
    wires = model.add(mb.Permutation("wires", order))
    model.bond(*((a, wires.a) if arrows[0] > 0 else (wires.a, a)))
    model.bond(*((wires.b, b) if arrows[1] > 0 else (b, wires.b)))
    run = at_depth(model, depth)
    sign = arrows[0] * arrows[1]
    push = np.arange(1.0, 4.0) + sign * np.array([2.0, 3.0, 1.0])
    left = from_rest(-np.eye(3), push / 2)
    np.testing.assert_allclose(flows(run, "left_coil", 3), left, atol=1e-9)
    np.testing.assert_allclose(flows(run, "right_loss", 3), sign * left[order], atol=1e-9)


@pytest.mark.parametrize("depth", [1, 2, 3])
def test_direct_sum_of_four(depth: int) -> None:
    """Bonds of 1, 2, 1 and 3 become one of 7, in their order."""
    model, sizes = mb.Model("sum"), (1, 2, 1, 3)
    both = model.add(mb.DirectSum("both", 1, 2, more=(1, 3)))
    for k, size in enumerate(sizes):
        model.bond(side(model, f"side{k}", size, 2.0), f"both.part_{k + 1}")
    model.bond(both.whole, side(model, "all", 7, 0.0))
    run = at_depth(model, depth)
    push = np.array([1, 1, 2, 1, 1, 2, 3]) + np.arange(1.0, 8.0)
    expected = from_rest(-np.eye(7), push / 2)
    found = np.concatenate([flows(run, f"side{k}_coil", size) for k, size in enumerate(sizes)])
    np.testing.assert_allclose(found, expected, atol=1e-9)
    np.testing.assert_allclose(flows(run, "all_loss", 7), expected, atol=1e-9)


@pytest.mark.parametrize("depth", [1, 2, 3])
@pytest.mark.parametrize("arrow", [1, -1])
def test_power_sensor(arrow: int, depth: int) -> None:
    """It changes nothing and reads what goes from a to b: effort, flow, and their product over all components."""
    model = mb.Model("metered")
    a, b = side(model, "left", 3, 2.0), side(model, "right", 3, 0.0)
    meter = model.add(mb.PowerSensor("meter", size=3))
    for tail, head in ((a, meter.a), (meter.b, b)):
        model.bond(*((tail, head) if arrow > 0 else (head, tail)))
    run = at_depth(model, depth)
    left = from_rest(-np.eye(3), np.arange(1.0, 4.0))
    np.testing.assert_allclose(flows(run, "left_coil", 3), left, atol=1e-9)
    effort = left - np.arange(1.0, 4.0)
    np.testing.assert_allclose(run["meter.flow"](UNTIL), arrow * left, atol=1e-9)
    np.testing.assert_allclose(run["meter.effort"](UNTIL), arrow * effort, atol=1e-9)
    assert run["meter.power"](UNTIL) == pytest.approx(effort @ left, abs=1e-9)
