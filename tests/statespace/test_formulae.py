"""The formulae on random matrices, against all field equations solved at once, and against differences in time."""

from __future__ import annotations

import numpy as np
import pytest

from multibond.statespace.formulae import Numbers, Rates, conditions, split_rows, transfer

SIZES = {"i": 5, "L": 3, "u1": 2, "u2": 4, "E": 3, "read": 2}


def random_numbers(seed: int) -> Numbers:
    """Random fields around a random skew junction structure; readers have rows and no columns."""
    rng = np.random.default_rng(seed)
    start, rows = 0, {}
    for name, size in SIZES.items():
        rows[name] = np.arange(start, start + size)
        start += size
    J = rng.standard_normal((start, start))
    J = (J - J.T)[:, : start - SIZES["read"]]
    R = rng.standard_normal((3, 3))
    turn = rng.standard_normal((3, 3))
    F = np.diag(rng.uniform(0.5, 2.0, SIZES["i"]))
    return Numbers(J, F, R @ R.T, turn - turn.T, rng.standard_normal(SIZES["u1"]), rows)


@pytest.mark.parametrize("seed", range(5))
def test_closing_the_fields_is_solving_them_all_at_once(seed: int) -> None:
    n, rng = random_numbers(seed), np.random.default_rng(100 + seed)
    X, U2 = rng.standard_normal(SIZES["i"]), rng.standard_normal(SIZES["u2"])
    inner = np.concatenate([n.rows["L"], n.rows["E"]])
    law = np.block([[n.R, np.zeros((3, 3))], [np.zeros((3, 3)), n.R_E]])
    given = n.J[:, n.rows["i"]] @ n.F @ X + n.J[:, n.rows["u1"]] @ n.U1 + n.J[:, n.rows["u2"]] @ U2
    into = np.linalg.solve(np.eye(6) - n.J[np.ix_(inner, inner)] @ law, given[inner])
    every = given + n.J[:, inner] @ law @ into
    w = transfer(n)
    np.testing.assert_allclose(w.inputs(np.arange(n.J.shape[0]), X, n.U1, U2), every, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(w.inputs(n.rows["L"], X, n.U1, U2), into[:3], rtol=1e-9, atol=1e-9)


def test_direct_rows_hold_the_flow_at_zero() -> None:
    n, X = random_numbers(7), np.linspace(-1.0, 1.0, 5)
    w = transfer(n)
    nothing = Rates(np.zeros((4, n.J.shape[1])), np.zeros(2))
    found = conditions(n, w, X, nothing, rank=4)
    U2 = -np.linalg.solve(found.K, found.k)
    np.testing.assert_allclose(w.inputs(n.rows["u2"], X, n.U1, U2), 0.0, atol=1e-11)


def test_differentiated_rows_hold_its_rate_at_zero() -> None:
    """J_C and U1 change at given rates; with U2 from (15) the flow J_C (F X, U1) does not, to first order."""
    n, rng = random_numbers(3), np.random.default_rng(9)
    C = n.rows["u2"]
    for field in ("L", "E", "u2"):
        n.J[np.ix_(C, n.rows[field])] = n.J[np.ix_(n.rows[field], C)] = 0.0
    change = np.zeros((4, n.J.shape[1]))
    change[:, np.concatenate([n.rows["i"], n.rows["u1"]])] = rng.standard_normal((4, 7))
    rates, X = Rates(change, rng.standard_normal(2)), rng.standard_normal(5)
    w = transfer(n)
    found = conditions(n, w, X, rates, rank=0)
    speed = w.inputs(n.rows["i"], X, n.U1, -np.linalg.solve(found.K, found.k))

    def flow(h: float) -> np.ndarray:
        J_C = n.J[C] + h * change
        return J_C[:, n.rows["i"]] @ n.F @ (X + h * speed) + J_C[:, n.rows["u1"]] @ (n.U1 + h * rates.U1)

    np.testing.assert_allclose((flow(1e-5) - flow(-1e-5)) / 2e-5, 0.0, atol=1e-8)


def test_rows_split_into_filled_and_empty_combinations() -> None:
    rng = np.random.default_rng(2)
    half = rng.standard_normal((4, 2))
    T_LE = half @ half.T
    M, N = split_rows(T_LE, 2)
    np.testing.assert_allclose(N.T @ T_LE, 0.0, atol=1e-13)
    np.testing.assert_allclose(np.hstack([M, N]).T @ np.hstack([M, N]), np.eye(4), atol=1e-13)
    assert np.linalg.matrix_rank(M.T @ T_LE) == 2
    for rank in (0, 4):
        np.testing.assert_array_equal(np.hstack(split_rows(T_LE, rank)), np.eye(4))
