"""Modes that have died out: steps stay inside the border of stability, so that values between them can be trusted."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.linalg import expm

import multibond as mb
from multibond.solve.methods import DEFAULT, METHODS

TIMES = np.linspace(0.0, 1.0, 1001)


def two_speeds(fast: float) -> tuple[mb.Model, np.ndarray]:
    """Two capacitors, a resistor between them and one to ground; the model and its matrix of rates."""
    model = mb.Model("filter")
    node, i, end = model.add(mb.Zero("node")), model.add(mb.One("i")), model.add(mb.Zero("end"))
    model.bond(node, mb.C("first", 1.0, start=1.0))
    model.bond(node, i)
    model.bond(i, mb.R("between", 2.0 / fast))
    model.bond(i, end)
    model.bond(end, mb.C("second", 1.0, start=-0.5))
    model.bond(end, mb.R("out", 2.0))
    g = fast / 2.0
    return model, np.array([[-g, g], [g, -g - 0.5]])


@pytest.mark.parametrize("fast", [20.0, 43.0, 150.0, 250.0])
def test_values_between_steps(fast: float) -> None:
    """Against the matrix exponential at a thousand times, most of them between steps, at the default tolerance."""
    model, rates = two_speeds(fast)
    run = mb.simulate(model, 1.0)
    exact = np.array([expm(rates * t) @ (1.0, -0.5) for t in TIMES])
    assert run.pieces[0].trajectory.method == "dop853"
    assert np.abs(run.values(["first.q", "second.q"], TIMES) - exact).max() < 3e-9
    assert np.diff(run.t).max() <= METHODS[DEFAULT].traits.reach / fast
    assert run.t.size < 100 + fast


@pytest.mark.parametrize(("fast", "left"), [(3.0, True), (43.0, False)])
def test_a_mode_that_lives_holds_nothing_back(fast: float, left: bool) -> None:
    """One that decays by less than five e-foldings is left to the error estimate, as all are if a solver is named."""
    model, _ = two_speeds(fast)
    chosen, named = mb.simulate(model, 1.0).t, mb.simulate(model, 1.0, solver="dop853").t
    assert np.array_equal(chosen, named) == left
