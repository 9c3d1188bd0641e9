"""Wang's three bodies against reference A04 (Lagrange's equations, 3 freedoms): motion and constraint forces."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np
import pytest
from tests.rotation import tenth

import multibond as mb
from multibond.examples import sliding_swing
from multibond.lower.system import System
from multibond.statespace.drift import integrate
from multibond.statespace.space import StateSpace

DATA = Path(__file__).parents[1] / "reference" / "data" / "A04_wang_spatial"
VARIANTS = {
    "reference": {"swing": 0.0, "turn_speed": 0.0},
    "reference_swing_lively": {},
    "reference_furuta_lively": {"swing_axis": "x"},
}
COLUMNS = {"J1.motion": "psi", "J2.motion": "phi", "J3.motion": "s"}


@cache
def table(name: str) -> np.ndarray:
    """A stored trajectory; its columns by name."""
    return np.genfromtxt(DATA / f"{name}.csv", delimiter=",", names=True)


@cache
def made(name: str) -> tuple[StateSpace, System]:
    model = sliding_swing(**VARIANTS[name])
    return mb.statespace(model), mb.compile(model, form="line")


def states(name: str) -> tuple[np.ndarray, np.ndarray]:
    """Times and states of the compiled system, filled in from the columns of the table."""
    system, data = made(name)[1], table(name)
    x = np.empty((data["t"].size, system.n))
    for place in system.dae.states:
        column = COLUMNS[place.path] + ("_d" if place.name == "u" else "")
        x[:, place.start] = data[column]
    return data["t"], x


@pytest.mark.parametrize("name", VARIANTS)
def test_the_force_across_the_slide(name: str) -> None:
    space, system = made(name)
    times, x = states(name)
    rows = space.from_system(system, x, times)
    found = np.array([space.resultants(row, t=t)["J3"]["force"] for t, row in zip(times, rows, strict=True)])
    wanted = table(name)["J3_resultant_transverse_force"]
    assert np.abs(found - wanted).max() < 1e-9 * max(1.0, wanted.max())


@pytest.mark.parametrize("name", VARIANTS)
def test_the_hinges_carry_what_newton_says(name: str) -> None:
    """J2 carries weight and acceleration of both bodies; the massless arm hands the same force on to J1.

    J1 also carries the moment of that force about the two axes across its own.
    """
    space, system = made(name)
    times, x = states(name)
    for t, row in list(zip(times, space.from_system(system, x, times), strict=True))[::25]:
        rates = dict(zip(space.state_names, space.derivative(row, t=t), strict=True))
        force = np.array([rates[f"m1.mass.p[{k}]"] + rates[f"m2.mass.p[{k}]"] for k in range(3)])
        force += [0.0, 0.0, 2 * 9.8]
        found = space.resultants(row, t=t)
        assert found["J2"]["force"] == pytest.approx(np.linalg.norm(force), rel=1e-10)
        np.testing.assert_allclose(space.constraint_forces(row, t=t)["J1.hold_translation"], force, atol=1e-9)
        assert found["J1"]["torque"] >= 0.3 * abs(force[2]) - found["J2"]["torque"] - 1e-9


@pytest.mark.slow
@pytest.mark.parametrize("name", tenth(list(VARIANTS), of="literal formulas"))
def test_the_motion_of_the_literal_formula(name: str) -> None:
    """Equation (15) integrated as it stands: right within its own drift."""
    space, data = made(name)[0], table(name)
    _, x = integrate(space.derivative, space.x0, 2.0, rtol=1e-9, atol=1e-11)
    end = dict(zip(space.state_names, x[-1], strict=True))
    k = int(np.flatnonzero(np.abs(data["t"] - 2.0) < 1e-9)[0])
    place = [end[f"m2.free.motion.q[{j}]"] for j in (4, 5, 6)]
    np.testing.assert_allclose(place, [data[c][k] for c in ("x2", "y2", "z2")], atol=1e-7)
    assert end["J1.motion.q"] == pytest.approx(data["psi"][k], abs=1e-7)
    assert end["J3.spring.q"] == pytest.approx(data["s"][k] - 0.15, abs=1e-7)
