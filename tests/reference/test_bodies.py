"""The pendulum against its stored trajectory, and what a free top keeps."""

from __future__ import annotations

import numpy as np
import pytest

import multibond as mb
from multibond.examples import euler_top, pendulum

from .table import Check, compare, table


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


def test_euler_top_keeps_its_momentum() -> None:
    run = mb.simulate(euler_top(), 20.0, rtol=1e-11)
    t = np.linspace(0.0, 20.0, 101)
    R_WB = run["space.frame_b.attitude"](t).reshape(-1, 3, 3)
    L = np.einsum("kij,kj->ki", R_WB, run["top.angular_velocity"](t) * [1.0, 2.0, 3.0])
    np.testing.assert_allclose(L, np.broadcast_to(L[0], L.shape), atol=1e-9)
