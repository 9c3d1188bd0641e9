"""MultiBody examples of the Modelica Standard Library, and a system of MultiBondLib.

Origin: figures printed with the libraries (tolerance about 1e-4; whole signals are in `test_signals.py`), and solutions
with SciPy where the motion is sensitive.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.spatial.transform import Rotation

import multibond as mb
from multibond import spatial as sp
from multibond.errors import ParameterError

from . import msl

JOINTS = ("first", "second")
DOUBLE = (
    (0.5, -1.511686, -0.5528209),
    (1, -2.915659, -0.5152209),
    (2, -0.03596894, -0.9040944),
    (3, -2.317929, -1.736492),
)
FIGURES: dict[str, tuple[Callable[[], mb.Model], list[tuple[float, str, object]]]] = {
    "Elementary.Pendulum": (
        msl.pendulum,
        [
            (0.5, "rev.angle", -1.94693),
            (1, "rev.angle", -2.580711),
            (2, "rev.angle", -1.576188),
            (5, "rev.angle", -1.679635),
        ],
    ),
    "Elementary.DoublePendulum": (
        msl.double_pendulum,
        [(t, f"{name}.angle", value) for t, *values in DOUBLE for name, value in zip(JOINTS, values, strict=True)],
    ),
    "Elementary.FreeBody": (msl.free_body, [(10, "body.frame.position", (0.1960936, -0.4625704, 0.08060991))]),
    "Elementary.PendulumWithSpringDamper": (
        msl.pendulum_with_spring_damper,
        [
            (1, "slider.position", 0.7418368),
            (1, "hinge.angle", -1.356946),
            (10, "slider.position", 0.7468496),
            (10, "hinge.angle", -1.332908),
        ],
    ),
    "Elementary.ThreeSprings": (
        msl.three_springs,
        [(10, "body.frame.position", (-0.01991225, -0.8415324, 0.2570034))],
    ),
    "Elementary.SpringMassSystem": (
        msl.spring_mass_system,
        [(5, "p1.position", 0.63309), (5, "p2.position", 0.63309), (5, "p1.speed", 1.38926), (5, "p2.speed", 1.38926)],
    ),
    "Elementary.PointGravity": (msl.point_gravity, []),
    "Constraints.SphericalConstraint": (msl.spherical_constraint, []),
}
ENDS = {"Elementary.Pendulum": 5.0, "Elementary.DoublePendulum": 3.0, "Elementary.SpringMassSystem": 5.0}
ENDS |= {"Elementary.PointGravity": 5.0}


@pytest.fixture(scope="module", params=FIGURES)
def case(request: pytest.FixtureRequest) -> tuple[str, mb.Run]:
    name = request.param
    return name, mb.simulate(FIGURES[name][0](), ENDS.get(name, 10.0), rtol=1e-10).check()


def test_printed_figures(case: tuple[str, mb.Run]) -> None:
    name, run = case
    for t, what, value in FIGURES[name][1]:
        error = np.abs(run[what](t) - np.asarray(value)).max()
        print(f"{name} {what} at {t} s: {error:.1e}")
        assert error < 1e-4


def test_energy_balances(case: tuple[str, mb.Run]) -> None:
    assert case[1].energy().residual < 1e-9


def test_point_gravity_against_kepler() -> None:
    """An orbit by SciPy, and a conserved energy v²/2 - mu/r."""
    run = mb.simulate(msl.point_gravity(), 5.0, rtol=1e-11).check()

    def orbit(_: float, z: np.ndarray) -> np.ndarray:
        return np.concatenate([z[3:], -z[:3] / np.linalg.norm(z[:3]) ** 3])

    times = np.linspace(0.0, 5.0, 26)
    for k, start in ((1, (0, 0.6, 0, 1, 0, 0)), (2, (0.6, 0.6, 0, 0.6, 0, 0))):
        wanted = solve_ivp(orbit, (0.0, 5.0), start, "DOP853", times, rtol=1e-12, atol=1e-13).y.T
        place, speed = run[f"body{k}.position"](times), run[f"body{k}.velocity"](times)
        np.testing.assert_allclose(place, wanted[:, :3], atol=1e-7)
        level = 0.5 * (speed**2).sum(axis=1) - 1 / np.linalg.norm(place, axis=1)
        np.testing.assert_allclose(level, level[0], atol=1e-8)
    fall = sum(1 / np.linalg.norm(run[f"body{k}.position"](5.0)) for k in (1, 2)) - 1 / 0.6 - 1 / np.hypot(0.6, 0.6)
    assert run.energy().gravity == pytest.approx(fall, abs=1e-8)
    assert run.energy().supplied == 0.0


def skew(w: np.ndarray) -> np.ndarray:
    return np.array([[0, -w[2], w[1]], [w[2], 0, -w[0]], [-w[1], w[0], 0]])


def test_free_body_against_newton_and_euler() -> None:
    """A ball of inertia (unit tensor) with two springs, in coordinates of its centre of mass and a rotation matrix."""
    turn = Rotation.from_euler("XYZ", [10.0, 10.0, 10.0], degrees=True).as_matrix()
    middle, ends = np.array([0.2, 0, 0]), np.array([[0, 0, 0], [0.4, 0, 0]])
    walls, weight = np.array([[0, 0, 0], [0.8, 0, 0]]), np.array([0.0, -9.80665, 0.0])

    def motion(_: float, z: np.ndarray) -> np.ndarray:
        c, v, R, w = z[:3], z[3:6], z[6:15].reshape(3, 3), z[15:]
        arms = (ends - middle) @ R.T
        pulls = -20.0 * (c + arms - walls)
        return np.concatenate([v, weight + pulls.sum(0), (R @ skew(w)).ravel(), R.T @ np.cross(arms, pulls).sum(0)])

    start = np.concatenate([np.array([0.2, -0.5, 0.1]) + turn @ middle, np.zeros(3), turn.ravel(), np.zeros(3)])
    times = np.linspace(0.0, 10.0, 41)
    wanted = solve_ivp(motion, (0.0, 10.0), start, "DOP853", times, rtol=1e-12, atol=1e-13).y.T
    run = mb.simulate(msl.free_body(), 10.0, rtol=1e-11)
    np.testing.assert_allclose(run["body.position"](times), wanted[:, :3], atol=1e-7)
    np.testing.assert_allclose(run["body.angular_velocity"](times), wanted[:, 15:], atol=1e-7)


def test_spherical_constraint_against_euler() -> None:
    """Euler's equations about the ball: unit tensor and Steiner's part of 1 kg at 0.2 m."""
    turn = Rotation.from_euler("XYZ", [10.0, 55.0, 68.0], degrees=True).as_matrix()
    J, pivot, wall = np.diag([1.0, 1.04, 1.04]), np.array([0.2, -0.3, 0.2]), np.array([0.8, 0.0, 0.3])

    def motion(_: float, z: np.ndarray) -> np.ndarray:
        R, w = z[:9].reshape(3, 3), z[9:]
        tip = R @ [0.4, 0, 0]
        torque = np.cross(0.5 * tip, [0.0, -9.80665, 0.0]) + np.cross(tip, -20.0 * (pivot + tip - wall))
        return np.concatenate([(R @ skew(w)).ravel(), np.linalg.solve(J, R.T @ torque - np.cross(w, J @ w))])

    start, times = np.concatenate([turn.ravel(), np.zeros(3)]), np.linspace(0.0, 10.0, 41)
    wanted = solve_ivp(motion, (0.0, 10.0), start, "DOP853", times, rtol=1e-12, atol=1e-13).y.T
    run = mb.simulate(msl.spherical_constraint(), 10.0, rtol=1e-11)
    np.testing.assert_allclose(run["body.angular_velocity"](times), wanted[:, 9:], atol=1e-7)


def test_double_pendulum_of_boxes_against_lagrange() -> None:
    """m = 13.86 kg each, moment about the middle m (0.5² + 0.06²) / 12; the damper acts on the first hinge."""
    m, half = 7700 * 0.5 * 0.06**2, 0.25
    moment, g = m * (0.5**2 + 0.06**2) / 12, 9.80665

    def motion(_: float, z: np.ndarray) -> list[float]:
        a, b, u, v = z
        c, s = np.cos(a - b), np.sin(a - b)
        mass = [[moment + m * (half**2 + 0.25), m * 0.5 * half * c], [m * 0.5 * half * c, moment + m * half**2]]
        right = [
            -m * 0.5 * half * s * v**2 - m * g * (half + 0.5) * np.cos(a) - 0.1 * u,
            m * 0.5 * half * s * u**2 - m * g * half * np.cos(b),
        ]
        return [u, v, *np.linalg.solve(mass, right)]

    times = np.linspace(0.0, 3.0, 31)
    wanted = solve_ivp(motion, (0.0, 3.0), [0.0] * 4, "DOP853", times, rtol=1e-12, atol=1e-13).y
    run = mb.simulate(msl.double_pendulum(), 3.0, rtol=1e-11)
    np.testing.assert_allclose(run["first.angle"](times), wanted[0], atol=1e-7)
    np.testing.assert_allclose(run["second.angle"](times), wanted[1] - wanted[0], atol=1e-7)


def three_bodies() -> mb.Model:
    """MultiBondLib's ThreeBodySystem: masses of 1e11 kg that attract one another."""
    model = mb.Model("three")
    world, pool = model.add(sp.World(gravity=(0, 0, 0))), model.add(sp.GravityPool("pool", masses=(1e11,) * 3))
    starts = (((3, 0, 0), (0, 0.8, 0)), ((-3, 0, 0), (0, -0.8, 0)), ((0, 0, -3), (0, 0, 0.8)))
    for k, (place, speed) in enumerate(starts, 1):
        space = model.add(sp.Free(f"space{k}", position=place, velocity=speed))
        body = model.add(sp.Body(f"body{k}", 1e11, (0.02, 0.02, 0.02)))
        model.connect(world.frame, space.frame_a)
        model.connect(space.frame_b, body.frame, getattr(pool, f"frame_{k}"))
    return model


def test_three_bodies_attract_one_another() -> None:
    run = mb.simulate(three_bodies(), 10.0, rtol=1e-11).check()
    figures = {
        1.0: (2.750332, 0.775978, -0.138743),
        5.0: (0.902835, -1.85519, 1.281278),
        10.0: (1.007456, 1.002265, 0.912268),
    }
    for t, place in figures.items():
        np.testing.assert_allclose(run["body1.position"](t), place, atol=6e-7)
        momentum = sum(run[f"body{k}.momentum"](t) for k in (1, 2, 3))
        np.testing.assert_allclose(momentum, [0.0, 0.0, 8e10], atol=10.0)
    assert run.energy().residual < 1e-9


def test_an_indefinite_inertia_is_refused() -> None:
    """MultiBondLib's SphericalSpring has moments of 0.01 and products of 0.1 kg.m²: no body has these."""
    tensor = np.full((3, 3), 0.1) + np.diag([-0.09] * 3)
    with pytest.raises(ParameterError) as caught:
        sp.Body("body", 2.0, tensor)
    assert str(caught.value) == (
        "Body 'body': no distribution of mass has this inertia.\n"
        "  Principal moments -0.09, -0.09, 0.21: none may be negative, nor larger than the sum of the other two.\n"
        "  Correct the inertia, or say allow_unphysical=True to insist."
    )
