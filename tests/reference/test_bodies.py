"""Open mechanisms against stored trajectories: pendulum, free top, heavy top."""

from __future__ import annotations

import numpy as np
import pytest

import multibond as mb
from multibond.examples import euler_top, heavy_top, pendulum

from .table import Check, Reading, compare, table


@pytest.mark.parametrize(("damping", "mark"), [(10.0, "B10"), (0.0, "B0"), (0.1, "B0p1")])
@pytest.mark.parametrize("method", ["auto", "multiplier"])
def test_pendulum(damping: float, mark: str, method: str) -> None:
    """A01; origin: one coordinate, absolute coordinates, Jacobi's elliptic functions."""
    run = mb.simulate(pendulum(damping=damping), 10.0, rtol=1e-11, method=method)
    checks = [
        Check(f"gamma_{mark}", "hinge.angle", 1e-8),
        Check(f"omega_{mark}", "hinge.speed", 1e-8),
        Check(f"Fx_{mark}", "hinge.reaction_force[0]", 1e-8, 10.0),
        Check(f"Fy_{mark}", "hinge.reaction_force[1]", 1e-8, 10.0),
    ]
    compare(run, table("A01_pendulum"), checks)


def attitude_off(data: dict[str, np.ndarray]) -> Reading:
    """How far the quaternion is from the table's, whatever its sign."""
    there = np.column_stack([data[f"q{k}"] for k in range(4)])

    def combine(coordinates: np.ndarray) -> np.ndarray:
        here = coordinates[:, :4]
        sign = np.sign(np.sum(here * there, axis=1))[:, None]
        return np.abs(sign * here - there).max(axis=1)

    return Reading(("space.coordinates",), combine)


def test_euler_top() -> None:
    """A05d; origin: Jacobi's elliptic functions for the angular velocity, an ODE for the attitude."""
    data = table("A05d_euler_top")
    run = mb.simulate(euler_top(), 20.0, rtol=1e-11)
    spin = [
        Check(f"w{a}{kind}", f"top.angular_velocity[{k}]") for k, a in enumerate("xyz") for kind in ("", "_analytic")
    ]
    attitude = Check("q", attitude_off(data))
    compare(run, data | {"q": np.zeros(data["t"].size)}, [*spin, attitude])


def test_euler_top_keeps_its_momentum() -> None:
    run = mb.simulate(euler_top(), 20.0, rtol=1e-11)
    t = np.linspace(0.0, 20.0, 101)
    R_WB = run["space.frame_b.attitude"](t).reshape(-1, 3, 3)
    L = np.einsum("kij,kj->ki", R_WB, run["top.angular_velocity"](t) * [1.0, 2.0, 3.0])
    np.testing.assert_allclose(L, np.broadcast_to(L[0], L.shape), atol=1e-9)


@pytest.mark.parametrize("method", ["auto", "multiplier"])
def test_heavy_top(method: str) -> None:
    """A05e; origin: Lagrange in Euler angles, absolute coordinates."""
    run = mb.simulate(heavy_top(), 2.0, rtol=1e-11, method=method)
    centre = [Check(f"{a}G", f"axle.frame_b.position[{k}]", 1e-8) for k, a in enumerate("xyz")]
    force = [Check(f"F{a}", f"tip.reaction_force[{k}]", 1e-8, 10.0) for k, a in enumerate("xyz")]
    compare(run, table("A05e_heavy_top"), [*centre, *force])
