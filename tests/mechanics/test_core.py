"""The constraint core against dense solutions: pivots, ranks, redundant rows, links without mass, random loops."""

from __future__ import annotations

import casadi as ca
import numpy as np
import pytest
from tests.joints.drawing import Drawing
from tests.joints.numbers import draw
from tests.joints.plans import spatial_plan
from tests.lower.native import evaluate

import multibond as mb
from multibond import spatial as sp
from multibond.equations.consistent import sample_states
from multibond.equations.pivoted import pivoted, pivoted_general
from multibond.expr import SX, Function
from multibond.lower.system import System

from .folding import cranks, slider_crank


@pytest.mark.parametrize(("size", "rank"), [(2, 1), (2, 2), (3, 3), (5, 3), (12, 9)])
@pytest.mark.parametrize("symmetric", [True, False])
def test_a_solution_with_pivots_in_symbols_and_in_machine_code(size: int, rank: int, symmetric: bool) -> None:
    """Both solve S x = c of a given rank, and give the same last pivot."""
    rng = np.random.default_rng(5)
    W = rng.standard_normal((rank + 2, rank)) @ rng.standard_normal((rank, size))
    S = W.T @ W if symmetric else rng.standard_normal((size, rank)) @ rng.standard_normal((rank, size))
    c = S @ rng.standard_normal(size)
    packed = np.array([S[i, j] for i in range(size) for j in (range(i + 1) if symmetric else range(size))])
    function = (pivoted if symmetric else pivoted_general)(size, rank)
    x, last = (np.asarray(v).ravel() for v in function(packed, c))
    np.testing.assert_allclose(S @ x, c, atol=1e-10 * np.abs(S).max())
    assert np.count_nonzero(x) <= rank
    s, b = SX.sym("s", packed.size), SX.sym("c", size)
    (native,) = evaluate(Function("f", [s, b], [ca.vertcat(*function.call([s, b]))]), packed, c)
    np.testing.assert_allclose(native, np.append(x, last), rtol=1e-9, atol=1e-12)


def dense(system: System, x: np.ndarray) -> np.ndarray:
    """The rates of all states with all rows solved at once, least forces where they are not determined."""
    r = system.reduced
    w = r.whole
    parts = [ca.densify(r.residual), ca.densify(ca.jacobian(r.residual, w.y)), ca.densify(w.xdot)]
    function = Function("all", [w.t, w.x, w.y, w.p], parts)
    zero = np.zeros(r.dae.ny)
    b, A, _ = (np.asarray(v) for v in function(0.0, x, zero, system.parameters))
    rows, columns = (1.0 / np.maximum(np.abs(A).max(axis=side), 1e-12) for side in (1, 0))
    y = columns * np.linalg.lstsq(rows[:, None] * A * columns, -rows * b[:, 0], rcond=1e-11)[0]
    return np.asarray(function(0.0, x, y, system.parameters)[2])[:, 0]


def agree(system: System, count: int = 4) -> None:
    r, p = system.reduced, system.parameters
    for x in [system.x0, *sample_states(r.dae, r.shape, system.x0, p, count)]:
        if (system.hold(0.0, x) < 1e-2 * system.usual_hold).any():
            continue
        expected = dense(system, x)
        size = max(1.0, float(np.abs(expected).max()))
        np.testing.assert_allclose(system.derivative(x), expected, rtol=0, atol=1e-7 * size)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("kind", ["Revolute", "Prismatic", "Universal", "Spherical", "FreeTranslation"])
def test_random_loops(kind: str, seed: int) -> None:
    plan = spatial_plan(kind, 2)
    agree(mb.compile(Drawing(plan, draw(plan, 300 + seed)).model(), form="line"))


@pytest.mark.parametrize("method", ["auto", "multiplier", "zcp"])
@pytest.mark.parametrize("count", [2, 3, 8])
def test_redundant_rows(count: int, method: str) -> None:
    system = mb.compile(cranks(sp, count), method)
    assert sum(g.rank for g in system.reduced.solver.groups) == system.reduced.redundancy.rank
    agree(system)


def test_a_rod_without_mass() -> None:
    system = mb.compile(slider_crank(sp, 3.0, rod_mass=0.0))
    assert system.reduced.solver.shift is not None
    agree(system)


@pytest.mark.parametrize("count", [2, 3])
def test_the_hold_falls_as_the_distance_whatever_the_number_of_loops(count: int) -> None:
    system = mb.compile(cranks(sp, count))
    holds = []
    for angle in (2e-3, 1e-3):
        x = mb.with_parameters(system, {"A0.angle": angle}).x0
        holds.append(system.hold(0.0, x))
    np.testing.assert_allclose(holds[0] / holds[1], 2.0, rtol=0.05)
