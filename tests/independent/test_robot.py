"""The robot with six axes against an independent Newton-Euler: what robotics people ask for, at 50 states."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

import multibond as mb
from multibond.examples.robot import (
    DRIVES,
    END,
    INDUCTANCE,
    LOAD,
    PATH_TIME,
    RESISTANCE,
    ROBOT_LINKS,
    START,
    robot,
    robot_body,
)
from multibond.solve.plant import Plant

from .newton_euler import attitudes, cross, loads, mass_matrix, poses, torques, with_load

SEED, STATES, N = 1990, 50, 6
LINKS = [*ROBOT_LINKS[:5], with_load(ROBOT_LINKS[5], *LOAD)]
DOWN = np.array([0.0, -9.81, 0.0])
NOTHING = np.zeros(N)


@pytest.fixture(scope="module")
def body() -> Plant:
    return mb.compile(robot_body())


@pytest.fixture(scope="module")
def driven() -> Plant:
    return mb.compile(robot())


def states(system: Plant) -> Iterator[tuple[np.ndarray, np.ndarray, np.ndarray]]:
    """Random states, with their angles and speeds; all else (currents, controllers) is random too."""
    print(f"seed {SEED}: {STATES} states")
    rng = np.random.default_rng(SEED)
    at_q = [system.state_names.index(f"joint{k}.motion.q") for k in range(N)]
    at_u = [system.state_names.index(f"joint{k}.motion.u") for k in range(N)]
    for _ in range(STATES):
        x = rng.normal(size=system.n)
        x[at_q], x[at_u] = rng.uniform(-np.pi, np.pi, N), rng.uniform(-3.0, 3.0, N)
        yield x, x[at_q], x[at_u]


class Worst:
    """The largest error found, relative to the largest number of each quantity."""

    def __init__(self) -> None:
        self.error = 0.0

    def look(self, found: np.ndarray, expected: np.ndarray) -> None:
        self.error = max(self.error, float(np.abs(np.asarray(found) - expected).max() / np.abs(expected).max()))

    def check(self, what: str) -> None:
        print(f"{what}: {self.error:.1e} of the largest")
        assert self.error <= 1e-10


def test_mass_matrix(body: Plant) -> None:
    worst = Worst()
    for x, q, _ in states(body):
        worst.look(body.mass_matrix(x), mass_matrix(LINKS, poses(LINKS, q)))
    assert body.mass_matrix(x).names == tuple(f"joint{k}" for k in range(N))
    worst.check("mass matrix")


def test_bias_and_inverse_dynamics(body: Plant) -> None:
    bias, inverse = Worst(), Worst()
    rng = np.random.default_rng(SEED + 1)
    for x, q, u in states(body):
        pose, a = poses(LINKS, q), rng.normal(size=N, scale=10.0)
        bias.look(body.bias(x), torques(LINKS, pose, u, NOTHING, DOWN))
        inverse.look(body.inverse_dynamics(x, a), torques(LINKS, pose, u, a, DOWN))
    bias.check("bias")
    inverse.check("inverse dynamics")


def free_fall(q: np.ndarray, u: np.ndarray) -> np.ndarray:
    pose = poses(LINKS, q)
    return np.linalg.solve(mass_matrix(LINKS, pose), -torques(LINKS, pose, u, NOTHING, DOWN))


def test_accelerations_and_reactions(body: Plant) -> None:
    forward, force, torque = Worst(), Worst(), Worst()
    for x, q, u in states(body):
        a = free_fall(q, u)
        forward.look(body.accelerations(x), a)
        forward.look(body.derivative(x)[body.mechanism.speeds], a)
        found = body.reactions(x)
        expected = loads(LINKS, poses(LINKS, q), u, a, DOWN)
        axes = attitudes(LINKS, q)
        force.look([found[f"joint{k}"].force for k in range(N)], [axes[k].T @ expected[k][0] for k in range(N)])
        torque.look([found[f"joint{k}"].torque for k in range(N)], [axes[k].T @ expected[k][1] for k in range(N)])
    assert all(r.unique for r in found.values())
    for worst, what in ((forward, "accelerations"), (force, "reaction forces"), (torque, "reaction torques")):
        worst.check(what)


def test_frame_jacobian(body: Plant) -> None:
    """Of the hand: columns are axes and levers; with its rate it gives the hand's acceleration."""
    slopes, rate = Worst(), Worst()
    for x, q, u in states(body):
        pose = poses(LINKS, q)
        tip = pose[5][4]
        J = np.column_stack([np.concatenate([axis, cross(axis, tip - p)]) for axis, _, _, _, p in pose])
        slopes.look(body.jacobian(x, "link5.frame"), J)
        slopes.look(body.velocity(x, "link5.frame"), J @ u)
        rate.look(body.jacobian_rate(x, "link5.frame"), tip_acceleration(pose, u))
    slopes.check("frame Jacobian")
    rate.check("its rate")


def tip_acceleration(pose: list[tuple], u: np.ndarray) -> np.ndarray:
    """Angular and linear acceleration of the last hinge with constant speeds, link by link."""
    w, dw, a = np.zeros(3), np.zeros(3), np.zeros(3)
    for (axis, step, *_), speed in zip(pose, u, strict=True):
        a = a + cross(dw, step) + cross(w, cross(w, step))
        dw = dw + cross(w, axis) * speed
        w = w + axis * speed
    return np.concatenate([dw, a])


def test_rotors_and_motors(driven: Plant) -> None:
    """With drives: rotors count with the square of their ratio, currents push, the winding follows its voltage."""
    matrix, forward, current = Worst(), Worst(), Worst()
    ratio, rotor = np.array([d.ratio for d in DRIVES]), np.array([d.rotor for d in DRIVES])
    constant, friction = np.array([d.constant for d in DRIVES]), np.array([d.friction for d in DRIVES])
    at_p = [driven.state_names.index(f"motor{k}.coil.p") for k in range(N)]
    for x, q, u in states(driven):
        pose, i = poses(LINKS, q), x[at_p] / INDUCTANCE
        M = mass_matrix(LINKS, pose) + np.diag(ratio**2 * rotor)
        push = ratio * constant * i - ratio**2 * friction * u
        matrix.look(driven.mass_matrix(x), M)
        forward.look(driven.accelerations(x), np.linalg.solve(M, push - torques(LINKS, pose, u, NOTHING, DOWN)))
        volts = 0.5 * (ratio * 5.0 * (np.array(START) - q) - ratio * u) + x[[at(driven, k) for k in range(N)]]
        current.look(driven.derivative(x)[at_p], volts - RESISTANCE * i - constant * ratio * u)
    matrix.check("mass matrix with rotors")
    forward.check("accelerations with motors")
    current.check("voltages of the controllers")


def at(system: Plant, k: int) -> int:
    return system.state_names.index(f"pid{k}.sum")


@pytest.mark.slow
def test_it_moves_to_its_end_angles() -> None:
    """The controllers lead all axes to their ends; the power of the sources is accounted for."""
    run = mb.simulate(robot(), 5.0)
    for k in range(N):
        off = abs(run[f"joint{k}.angle"](5.0) - END[k])
        print(f"joint{k}: {off:.1e} rad off at the end")
        assert off < 1e-4
    assert abs(run.energy().residual) < 1e-8


@pytest.mark.slow
def test_controlled_motion() -> None:
    """Angles and currents on the way, against Newton-Euler, motors and controllers integrated by SciPy."""
    from scipy.integrate import solve_ivp

    ratio, rotor = np.array([d.ratio for d in DRIVES]), np.array([d.rotor for d in DRIVES])
    constant, friction = np.array([d.constant for d in DRIVES]), np.array([d.friction for d in DRIVES])
    start, way = np.array(START), np.array(END) - np.array(START)

    def rates(t: float, z: np.ndarray) -> np.ndarray:
        q, u, i, total = np.split(z, 4)
        s = min(t / PATH_TIME, 1.0)
        path, pace = start + way * s**3 * (10 - 15 * s + 6 * s**2), way * 30 * s**2 * (1 - s) ** 2 / PATH_TIME
        error = ratio * (5.0 * (path - q) + pace - u)
        pose = poses(LINKS, q)
        push = ratio * constant * i - ratio**2 * friction * u - torques(LINKS, pose, u, NOTHING, DOWN)
        du = np.linalg.solve(mass_matrix(LINKS, pose) + np.diag(ratio**2 * rotor), push)
        di = (0.5 * error + total - RESISTANCE * i - constant * ratio * u) / INDUCTANCE
        return np.concatenate([u, du, di, 0.5 * error / 0.05])

    begin = np.concatenate([start, np.zeros(3 * N)])
    expected = solve_ivp(rates, (0.0, 0.15), begin, "DOP853", rtol=1e-10, atol=1e-11).y[:, -1]
    run = mb.simulate(robot(), 0.15, rtol=1e-11)
    angles = np.array([run[f"joint{k}.angle"](0.15) for k in range(N)])
    currents = np.array([run[f"motor{k}.current"](0.15) for k in range(N)])
    print(f"angles within {np.abs(angles - expected[:N]).max():.1e} rad after {np.abs(expected[:N] - start).max():.2g}")
    np.testing.assert_allclose(angles, expected[:N], atol=1e-9)
    np.testing.assert_allclose(currents, expected[2 * N : 3 * N], atol=1e-7)
