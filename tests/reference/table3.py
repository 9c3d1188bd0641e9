"""Zimmer and Cellier's Table 3 by hand, in minimal coordinates."""

from __future__ import annotations

import casadi as ca
import numpy as np
from scipy.integrate import solve_ivp

from .lagrange import SX, G, Told, clockwise


def double_pendulum(q: SX) -> Told:
    """A1: points of 2 and 1 kg at the ends of rods (2, 2) and (0, -1.5)."""
    first = clockwise(q[0], 2.0, 2.0)
    return Told([(2.0, first), (1.0, first + clockwise(q[0] + q[1], 0.0, -1.5))], [], q)


def crane_crab(q: SX) -> Told:
    """A2: a cart of 2 kg at s, a bob of 1 kg on a rod (1, 3)."""
    cart = ca.vertcat(q[0], 0.0)
    return Told([(2.0, cart), (1.0, cart + clockwise(q[1], 1.0, 3.0))], [], q)


def planar_loop(q: SX) -> Told:
    """A4: the slider at s leans its bar of 3 m by asin(s / 6); rod and body of 2 kg stand at ψ from across that bar."""
    s, lean = q[0], ca.asin(q[0] / 6)
    apex = ca.vertcat(s / 2, -ca.sqrt(9 - s**2 / 4))
    turn = lean + q[1]
    body = apex + clockwise(turn, 2.0, 0.0)
    return Told([(2.0, body)], [(0.05, turn)], q, 25.0 * (s - 1.6) ** 2, lambda _, u: ca.vertcat(-2.0 * u[0], 0.0))


def governor(q: SX) -> Told:
    """A5: collar at s, shaft at θ; weights of 2 kg at height s/2, as far out as bars of 1.3 m allow."""
    s, turn = q[0], q[1]
    reach, lean = ca.sqrt(1.3**2 - s**2 / 4), ca.acos(s / 2.6)
    places = [ca.vertcat(k * reach * ca.cos(turn), s / 2, -k * reach * ca.sin(turn)) for k in (-1, 1)]
    turns = [(0.05, turn), (0.05, ca.vertcat(turn, lean)), (0.05, ca.vertcat(turn, lean))]
    points = [(2.0, place) for place in places]
    return Told(points, turns, q, 80.0 * (s - 1.6) ** 2, lambda _, u: ca.vertcat(-16.0 * u[0], 10.0))


def four_bar(q: SX) -> Told:
    """A6: crank at φ; the rod of length √1.10 from the post's end at (1.2 + s, 0.2, 0) ends at the crank's.

    In the post's axes the rod is Rz(turn) Ry(tilt) (-1, 0.3, 0.1): z gives the tilt, then x and y give the turn.
    """
    phi = q[0]
    tip = ca.vertcat(0.0, 0.5 * ca.cos(phi) - 0.1 * ca.sin(phi), 0.5 * ca.sin(phi) + 0.1 * ca.cos(phi))
    y, z = tip[1] - 0.2, tip[2]
    x = -ca.sqrt(1.10 - y**2 - z**2)
    s = -1.2 - x
    tilt = ca.asin(z / np.sqrt(1.01)) - np.arctan(0.1)
    turn = ca.atan2(-y, -x) - ca.atan2(-0.3, ca.cos(tilt) - 0.1 * ca.sin(tilt))
    head = ca.vertcat(1.2 + s, 0.2, 0.0)
    points = [(0.5, tip / 2), (0.5, (tip + head) / 2), (0.5, ca.vertcat(1.2 + s, 0.1, 0.0))]
    return Told(points, [(0.05, phi), (0.05, ca.vertcat(turn, tilt))], ca.vertcat(phi, s, turn, tilt))


def gyroscope(times: np.ndarray) -> np.ndarray:
    """A3 without any attitude: the arm's direction e and the angular momentum L about the ball, in the world.

    For a symmetric top L = I₁ ω₁ e + Iₜ e × e' with a constant ω₁, so e' = L × e / Iₜ; L' = 2 e × weight. The place of
    the wheel and its velocity.
    """
    across, weight = 2.0 * 2.0**2 + 0.06, np.array([0.0, -2.0 * G, 0.0])

    def rate(_: float, z: np.ndarray) -> np.ndarray:
        return np.concatenate([np.cross(z[3:], z[:3]) / across, np.cross(2.0 * z[:3], weight)])

    start, span = [1.0, 0.0, 0.0, 0.12 * 80.0 * np.pi, 0.0, 0.0], (0.0, float(times[-1]))
    found = solve_ivp(rate, span, start, "DOP853", times, rtol=1e-13, atol=1e-14).y.T
    return 2.0 * np.hstack([found[:, :3], np.cross(found[:, 3:], found[:, :3]) / across])
