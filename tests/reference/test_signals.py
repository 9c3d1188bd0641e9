"""Public signals of MSL MultiBody and PlanarMechanics, every column of every file but those of wheels and contact.

They are good to about 1e-4. Where one is further off, or a loop or a chaotic motion lets errors grow, our run is held
against another formulation too, to 1e-8.
"""

from __future__ import annotations

import functools

import casadi as ca
import numpy as np
import pytest

import multibond as mb

from . import msl
from .lagrange import SX, Told, clockwise, lagrange
from .signals import ALL, FOLDER, PM, read
from .table import Check, compare, table, within

ELSEWHERE = {"PlanarMechanics.InvertedCraneCrab"}
"""Needs the inverse model: all its columns are in `tests/analysis/test_inverse.py`."""
WHEELS = {
    "MSL.Elementary.RollingWheel",
    "PlanarMechanics.CounterSpin",
    "PlanarMechanics.VehicleComponents.TestIdealWheel",
}
"""Rolling and contact, which are not there yet."""
NOTHING = 1e-12
"""A signal below this is zero but for rounding."""


@functools.cache
def run_of(name: str) -> mb.Run:
    return mb.simulate(ALL[name].build(), max(ALL[name].limits), rtol=1e-12, atol=1e-14).check()


@pytest.mark.parametrize("name", ALL)
def test_public_signals(name: str) -> None:
    if not (FOLDER / f"{name}.csv").exists():
        pytest.skip("the public signals are not at hand")
    case, run = ALL[name], run_of(name)
    (_, t), *columns = read(name).items()
    assert {column for column, _ in columns} == set(case.names)
    for until, limit in case.limits.items():
        part = t <= until + 1e-9
        for column, wanted in columns:
            largest = np.abs(wanted).max()
            error = np.abs(case.of(run, column, t[part]) - wanted[part]).max() / (largest if largest > NOTHING else 1.0)
            print(f"{name} {column}: {error:.1e} up to {until:g} s, limit {limit:.0e}")
            assert error < limit, (column, until)


def test_no_file_is_left_out() -> None:
    if not FOLDER.exists():
        pytest.skip("the public signals are not at hand")
    assert {path.stem for path in FOLDER.glob("*.csv")} == set(ALL) | ELSEWHERE | WHEELS


PRINTED = {
    "MSL.Loops.Fourbar1": {
        "j1.angle": {0.25: 1.803754, 0.5: 4.533803, 1: 7.802134, 2: 16.53599, 5: 40.32824},
        "j1.speed": {0.25: 10.14903, 0.5: 8.874785, 1: 9.361588, 2: 10.44204, 5: 11.73942},
    },
    "MSL.Loops.PlanarFourbar": {"first.angle": {0.5: -3.294552, 1: -1.821068, 2: -3.624443, 5: -0.9397834}},
    "MSL.Elementary.PointGravity": {"body1.position[0]": {5: -0.2693036}, "body1.position[1]": {5: 0.4835614}},
    "PlanarMechanics.Pendulum": {"body.angle": {0.5: -1.071251, 1: -2.881661, 3: -1.137449}},
    "PlanarMechanics.DoublePendulum": {
        "j1.angle": {0.5: -1.053252, 1: -2.761315, 2: -1.321396},
        "j2.angle": {0.5: 0.4928576, 1: -0.6774936, 2: 0.5753362},
    },
    "PlanarMechanics.CraneCrab": {
        "bob.angle": {0.5: 1.984877, 1: -0.2657637, 2: -1.347282, 5: 0.5694928, 10: 0.6343828},
    },
    "PlanarMechanics.SpringDamperDemo": {
        "body.position[0]": {1: -1.693783, 5: -1.007315},
        "body.position[1]": {1: -1.668192, 5: -0.9882455},
    },
}
"""Figures printed with the libraries, by variable and time; they carry the errors of the signals."""


@pytest.mark.parametrize("name", PRINTED)
def test_printed_figures(name: str) -> None:
    """Within what the signals are good for, as fractions of the largest figure."""
    run, limits = run_of(name), ALL[name].limits
    for variable, figures in PRINTED[name].items():
        largest = max(abs(value) for value in figures.values())
        for time, wanted in figures.items():
            error = abs(run[variable](time) - wanted) / largest
            print(f"{name} {variable} at {time:g} s: {error:.1e}")
            assert error < next(limit for until, limit in limits.items() if time <= until), (variable, time)


@pytest.mark.parametrize("name", PM)
def test_energy_balances(name: str) -> None:
    """Those of the other library are in `test_msl.py`."""
    assert run_of(f"PlanarMechanics.{name}").energy().residual < 1e-9


# -- against other formulations ----------------------------------------------------------------------------------------


SLOW = pytest.mark.slow


@pytest.mark.parametrize(
    ("ball", "method"), [(False, "auto"), (True, "auto"), pytest.param(True, "multiplier", marks=SLOW)]
)
def test_fourbar_1(ball: bool, method: str) -> None:
    """A05h; origin: Lagrange with one coordinate; absolute coordinates with 17 constraints."""
    run = mb.simulate(msl.fourbar_1(ball=ball), 5.0, rtol=1e-12, method=method)
    names = {"j1_phi": "j1.angle", "j1_w": "j1.speed", "j2_s": "j2.position", "j2_v": "j2.speed"}
    names |= {"rev_phi": "rev.angle", "rev1_phi": "rev1.angle"}
    compare(run, table("A05h_spatial_fourbar_MSL_Fourbar1"), [Check(*pair, 1e-8) for pair in names.items()])
    assert run.energy().residual < 1e-9


def four_bar(q: SX) -> Told:
    """The planar four-bar of steel: where the circles of coupler and rocker meet, to the right of the line between."""
    crank, coupler, rocker = (np.linalg.norm(vector) for vector in msl.MOVING.values())
    knee, pivot = clockwise(-q[0], crank, 0.0), np.array(msl.FIXED_SIDE[:2])
    line = pivot - knee
    square = ca.sumsqr(line)
    along = (coupler**2 - rocker**2 + square) / 2
    height = ca.sqrt(coupler**2 * square - along**2)
    tip = knee + (along * line + height * ca.vertcat(line[1], -line[0])) / square
    bars = [(crank, 0 * knee, knee), (coupler, knee, tip), (rocker, pivot, tip)]
    mass = [7700.0 * length * 0.05**2 for length, _, _ in bars]
    points = [(m, (a + b) / 2) for m, (_, a, b) in zip(mass, bars, strict=True)]
    angles = [ca.atan2(b[1] - a[1], b[0] - a[0]) for _, a, b in bars]
    turns = [(m * (bar[0] ** 2 + 0.05**2) / 12, angle) for m, bar, angle in zip(mass, bars, angles, strict=True)]
    return Told(points, turns, q, 0.0, lambda _, u: -0.1 * u, 9.80665)


def double_pendulum(q: SX) -> Told:
    """Of PlanarMechanics, angles counter-clockwise."""
    first, total = clockwise(-q[0], 1.0, 0.0), q[0] + q[1]
    return Told([(1.0, first), (0.2, first + clockwise(-total, 0.4, 0.0))], [(0.1, q[0]), (0.01, total)], q)


def test_planar_fourbar_against_lagrange() -> None:
    run, t = run_of("MSL.Loops.PlanarFourbar"), np.linspace(0.0, 5.0, 201)
    within("angle and speed", run.values(["first.angle", "first.speed"], t), lagrange(four_bar, [0.0, 0.0], t), 1e-8)
    assert len(mb.explain(run.system).redundant) == 3
    assert run.energy().residual < 1e-9


def test_double_pendulum_against_lagrange() -> None:
    run, t = run_of("PlanarMechanics.DoublePendulum"), np.linspace(0.0, 10.0, 201)
    found = run.values(["j1.angle", "j2.angle", "j1.speed", "j2.speed"], t)
    within("angles and speeds", found, lagrange(double_pendulum, [0.0] * 4, t), 1e-8)


def test_signals_of_point_gravity_lose_energy() -> None:
    """Why they may be so far off: v²/2 - 1/r of their second body is no constant, that of ours is (`test_msl.py`)."""
    name = "MSL.Elementary.PointGravity"
    if not (FOLDER / f"{name}.csv").exists():
        pytest.skip("the public signals are not at hand")
    told = read(name)
    place, speed = (np.array([told[f"body2.{what}[{k}]"] for k in (1, 2, 3)]) for what in ("frame_a.r_0", "v_0"))
    level = 0.5 * (speed**2).sum(axis=0) - 1 / np.linalg.norm(place, axis=0)
    print(f"their energy: {np.ptp(level):.1e} J")
    assert np.ptp(level) > 4e-4
