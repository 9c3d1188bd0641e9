"""Trees against our own references A05a to A05f: every column, on the whole trajectory, by every exact method.

Errors are relative to the size of each variable; 1e-8 at a relative tolerance of 1e-11. The tables come from Lagrange's
equations and from absolute coordinates, which agree to 5e-12 and better.
"""

from __future__ import annotations

import numpy as np
import pytest

import multibond as mb
from multibond.examples import euler_top, heavy_top

from . import machines, msl
from .table import Read, Reading, alone, compare, sized, table, vector

EXACT = ["auto", "multiplier", "zcp", "minimal"]


@pytest.mark.parametrize("method", EXACT)
def test_double_pendulum_of_boxes(method: str) -> None:
    """A05a."""
    data = table("A05a_double_pendulum_MSL")
    columns = alone(phi1="first.angle", phi2="second.angle", w1="first.speed", w2="second.speed")
    run = mb.simulate(msl.double_pendulum(), 3.0, rtol=1e-11, method=method)
    compare(run, data, sized(data, *columns))


@pytest.mark.parametrize("method", EXACT)
def test_double_pendulum_in_space(method: str) -> None:
    """A05b."""
    data = table("A05b_double_pendulum_3D")
    columns = alone(q1="first.angle", q2="second.angle", w1="first.speed", w2="second.speed")
    run = mb.simulate(machines.double_pendulum_in_space(), 5.0, rtol=1e-11, method=method)
    compare(run, data, sized(data, *columns, vector("lower.position", "x2", "y2", "z2")))


def round_the_vertical() -> tuple[dict[str, Read], ...]:
    """Angles and rates of a point in spherical coordinates about -z, from its position and velocity."""
    where, both = ("bob.position",), ("bob.position", "bob.velocity")

    def leaning(r: np.ndarray, v: np.ndarray) -> np.ndarray:
        out = np.hypot(r[:, 0], r[:, 1])
        outwards = (r[:, 0] * v[:, 0] + r[:, 1] * v[:, 1]) / out
        return (out * v[:, 2] - r[:, 2] * outwards) / (out**2 + r[:, 2] ** 2)

    return alone(
        theta=Reading(where, lambda r: np.arctan2(np.hypot(r[:, 0], r[:, 1]), -r[:, 2])),
        phi=Reading(where, lambda r: np.unwrap(np.arctan2(r[:, 1], r[:, 0]))),
        theta_d=Reading(both, leaning),
        phi_d=Reading(both, lambda r, v: (r[:, 0] * v[:, 1] - r[:, 1] * v[:, 0]) / (r[:, 0] ** 2 + r[:, 1] ** 2)),
    )


TENSION: dict[str, Read] = {
    "ball": Reading(("bob.position", "ball.reaction_force"), lambda r, F: -np.sum(r * F, axis=1)),
    "rod": "rod.force",
}
"""The rod pulls the ball's seat towards the mass, one metre away."""


FORMS = [(form, method) for form in TENSION for method in EXACT if (form, method) != ("rod", "minimal")]
"""On a rod alone minimal coordinates keep two velocities of three; where x vanishes they leave x' open, and end."""


@pytest.mark.parametrize(("form", "method"), FORMS)
def test_spherical_pendulum(form: str, method: str) -> None:
    """A05c, a point mass: on a massless rod with a ball, and on a rod that is one constraint."""
    data = table("A05c_spherical_pendulum")
    run = mb.simulate(machines.spherical_pendulum(form), 10.0, rtol=1e-11, method=method)
    groups = (*round_the_vertical(), vector("bob.position", "x", "y", "z"), {"tension": TENSION[form]})
    compare(run, data, sized(data, *groups))


def quaternion_like(data: dict[str, np.ndarray], path: str) -> dict[str, Read]:
    """Quaternions, which tell the same attitude with either sign, with the table's signs."""
    there = np.column_stack([data[f"q{k}"] for k in range(4)])

    def component(k: int) -> Reading:
        return Reading((path,), lambda q: np.sign(np.sum(q[:, :4] * there, axis=1)) * q[:, k])

    return {f"q{k}": component(k) for k in range(4)}


@pytest.mark.parametrize("method", EXACT)
def test_bar_on_a_ball(method: str) -> None:
    """A05c, a body with three different moments."""
    data = table("A05c_spherical_pendulum", "reference_bar")
    run = mb.simulate(machines.bar_on_a_ball(), 10.0, rtol=1e-11, method=method)
    turning = vector("bar.angular_velocity", "wx", "wy", "wz")
    groups = (quaternion_like(data, "ball.quaternion"), turning, vector("bar.position", "xG", "yG", "zG"))
    compare(run, data, sized(data, *groups))


@pytest.mark.parametrize("method", EXACT)
def test_euler_top(method: str) -> None:
    """A05d; angular velocity also against Jacobi's elliptic functions."""
    data = table("A05d_euler_top")
    run = mb.simulate(euler_top(), 20.0, rtol=1e-11, method=method)
    spin = [vector("top.angular_velocity", *(f"w{a}{kind}" for a in "xyz")) for kind in ("", "_analytic")]
    compare(run, data, sized(data, quaternion_like(data, "space.coordinates"), *spin))


def angles_of_a_top() -> tuple[dict[str, Read], ...]:
    """Euler angles of R = Rz(φ) Rx(θ) Rz(ψ) and their rates, from attitude and angular velocity in the top's axes."""
    turned, both = ("tip.frame_b.attitude",), ("tip.frame_b.attitude", "top.angular_velocity")

    def precession(R: np.ndarray, w: np.ndarray) -> np.ndarray:
        return (R[:, 6] * w[:, 0] + R[:, 7] * w[:, 1]) / (R[:, 6] ** 2 + R[:, 7] ** 2)

    def nutation(R: np.ndarray, w: np.ndarray) -> np.ndarray:
        return (R[:, 7] * w[:, 0] - R[:, 6] * w[:, 1]) / np.hypot(R[:, 6], R[:, 7])

    return alone(
        phi=Reading(turned, lambda R: np.unwrap(np.arctan2(R[:, 2], -R[:, 5]))),
        theta=Reading(turned, lambda R: np.arctan2(np.hypot(R[:, 6], R[:, 7]), R[:, 8])),
        psi=Reading(turned, lambda R: np.unwrap(np.arctan2(R[:, 6], R[:, 7]))),
        phi_d=Reading(both, precession),
        theta_d=Reading(both, nutation),
        psi_d=Reading(both, lambda R, w: w[:, 2] - precession(R, w) * R[:, 8]),
    )


@pytest.mark.parametrize("method", EXACT)
def test_heavy_top(method: str) -> None:
    """A05e: the angles with their cusps, the centre, the force of the ground on the tip."""
    data = table("A05e_heavy_top")
    run = mb.simulate(heavy_top(), 2.0, rtol=1e-11, method=method)
    centre, force = vector("top.position", "xG", "yG", "zG"), vector("tip.reaction_force", "Fx", "Fy", "Fz")
    compare(run, data, sized(data, *angles_of_a_top(), centre, force))


@pytest.mark.parametrize("method", EXACT)
def test_driven_crane(method: str) -> None:
    """A05f."""
    data = table("A05f_crane_crab")
    run = mb.simulate(machines.driven_crane(), 10.0, rtol=1e-11, method=method)
    columns = alone(x="rail.position", phi="hinge.angle", v="rail.speed", w="hinge.speed")
    compare(run, data, sized(data, *columns))
