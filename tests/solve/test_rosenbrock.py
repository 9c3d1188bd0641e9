"""Coefficients of Rosenbrock methods against the conditions of order, and their stability (Hairer and Wanner, IV.7)."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

import multibond as mb
from multibond.errors import ParameterError
from multibond.solve.methods import METHODS, listed
from multibond.solve.rodas4p import RODAS4P
from multibond.solve.rodas5p import RODAS5P
from multibond.solve.rosenbrock import Rosenbrock

from .models import T, build, integrate, states

TABLES = {table.name: table for table in (RODAS4P, RODAS5P)}
IMPLICIT = [name for name, method in METHODS.items() if method.implicit]


def test_all_are_listed() -> None:
    assert set(TABLES) == set(IMPLICIT)


def square(rows: tuple[dict[int, float], ...]) -> np.ndarray:
    out = np.zeros((len(rows), len(rows)))
    for i, row in enumerate(rows):
        for j, value in row.items():
            out[i, j] = value
    return out


def plain(table: Rosenbrock) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """α, Γ and b of the method before its transformation: u = Γ k, A = α Γ⁻¹, C = 1/γ - Γ⁻¹, m = b Γ⁻¹."""
    gamma = np.linalg.inv(np.eye(table.stages) / table.gamma - square(table.c))
    last = np.array([table.b.get(k, 0.0) for k in range(table.stages)])
    return square(table.a) @ gamma, gamma, last @ gamma


@pytest.mark.parametrize("name", TABLES)
def test_conditions_of_order(name: str) -> None:
    """Up to order 4 for the step, up to 3 for the step without its last u, from which the error is estimated."""
    table = TABLES[name]
    alpha, gamma, b = plain(table)
    beta, one = alpha + gamma, np.ones(table.stages)
    a, bb = alpha @ one, beta @ one
    np.testing.assert_allclose(a, table.c_time, atol=1e-12)
    np.testing.assert_allclose(gamma @ one, table.d_time, atol=1e-12)
    low = b - gamma[-1]
    for weights, order in ((b, 4), (low, 3)):
        assert weights @ one == pytest.approx(1, abs=1e-12)
        assert weights @ bb == pytest.approx(1 / 2, abs=1e-12)
        assert weights @ a**2 == pytest.approx(1 / 3, abs=1e-12)
        assert weights @ beta @ bb == pytest.approx(1 / 6, abs=1e-12)
        if order == 4:
            assert weights @ a**3 == pytest.approx(1 / 4, abs=1e-12)
            assert weights @ (a * (alpha @ bb)) == pytest.approx(1 / 8, abs=1e-12)
            assert weights @ beta @ a**2 == pytest.approx(1 / 12, abs=1e-12)
            assert weights @ beta @ beta @ bb == pytest.approx(1 / 24, abs=1e-12)


@pytest.mark.parametrize("name", TABLES)
def test_stiffly_accurate_and_l_stable(name: str) -> None:
    """b is the last row of β; R(z) = 1 + z bᵀ(1 - zβ)⁻¹1 is at most 1 on the imaginary axis and 0 at infinity."""
    table = TABLES[name]
    alpha, gamma, b = plain(table)
    beta, one = alpha + gamma, np.ones(table.stages)
    np.testing.assert_allclose(beta[-1], b, atol=1e-12)
    size = [
        abs(1 + z * (b @ np.linalg.solve(np.eye(table.stages) - z * beta, one))) for z in 1j * np.logspace(-3, 6, 400)
    ]
    assert max(size) <= 1 + 1e-9
    assert abs(1 - b @ np.linalg.solve(beta, one)) < 1e-11
    assert table.traits.border == np.inf


@cache
def prothero_robinson(rate: float):
    """x' = rate (x - sin t) + cos t: the solution sin t, and whatever is beside it dies out."""
    import casadi as ca

    x = states(1)
    return build(x, rate * (x - ca.sin(T)) + ca.cos(T))


@pytest.mark.parametrize("name", IMPLICIT)
@pytest.mark.parametrize("rate", [-1e3, -1e6, -1e9])
def test_prothero_and_robinson(name: str, rate: float) -> None:
    """Few large steps follow the slow solution, with no order lower than three (two is what such methods fall to)."""
    errors = []
    for count in (10, 20):
        h = 2.0 / count
        run = integrate(prothero_robinson(rate), 0, 2.0, [0.0], [0.0], method=name, rtol=1e9, first_step=h, max_step=h)
        assert len(run.t) == count + 1
        errors.append(float(np.abs(run.x[:, 0] - np.sin(run.t)).max()))
    assert errors[0] < 1e-4
    assert errors[1] < 1e-13 or np.log2(errors[0] / errors[1]) > 2.5


@pytest.mark.parametrize("name", IMPLICIT)
def test_what_is_beside_dies_out_in_one_step(name: str) -> None:
    """From one beside the slow solution a step of 1e8 decay times comes back to it."""
    run = integrate(prothero_robinson(-1e9), 0, 0.1, [1.0], [0.0], method=name, rtol=1e9, first_step=0.1, max_step=0.1)
    assert run.x[-1, 0] == pytest.approx(np.sin(0.1), abs=1e-6)


RODAS3 = Rosenbrock(
    name="rodas3",
    order=3,
    dense_order=0,
    gamma=0.5,
    c_time=(0.0, 0.0, 1.0, 1.0),
    d_time=(0.5, 1.5, 0.0, 0.0),
    a=({}, {}, {0: 2.0}, {0: 2.0, 2: 1.0}),
    b={0: 2.0, 2: 1.0, 3: 1.0},
    c=({}, {0: 4.0}, {0: 1.0, 1: -1.0}, {0: 1.0, 1: -1.0, 2: -8 / 3}),
    h=(),
)
"""A. Sandu and others, Benchmarking stiff ODE solvers for atmospheric chemistry problems II (1997): order 3."""


def test_one_more_method_is_one_table_and_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    """Listed, it is known everywhere: a stiff circuit runs with it, and what it should not be asked is refused."""
    monkeypatch.setitem(METHODS, RODAS3.name, listed(RODAS3))
    model = mb.Model("circuit")
    loop = model.add(mb.One("loop"))
    for item in (mb.Se("battery", 1.0), mb.R("wire", 1e6), mb.I("coil", 1.0), mb.R("lamp", 1.0)):
        model.bond(*((item, loop) if item.name == "battery" else (loop, item)))
    run = mb.simulate(model, 1.0, solver="rodas3", rtol=1e-6)
    assert run.trajectory.method == "rodas3"
    assert run.t.size < 300
    assert run["coil.f"](1.0) == pytest.approx(1 / (1e6 + 1), rel=1e-5)
    with pytest.raises(ParameterError, match="chooses its steps itself"):
        mb.simulate(model, 1.0, solver="rodas3", step=1e-3)
