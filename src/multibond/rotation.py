"""Rotations on numbers and symbols alike. `R_AB` holds B's axes in A; quaternions are scalar first."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import casadi as ca
import numpy as np

from multibond.expr import SX, Expr, constant

TINY = 1e-8
"""Below this square of an angle the first terms of a series are exact to the last digit."""
TURN = 2 * np.pi
"""A full turn  [rad]."""
_EXACT_TURN = Fraction("6.28318530717958647692528676655900576839433879875021")
AXES = {"x": (1.0, 0.0, 0.0), "y": (0.0, 1.0, 0.0), "z": (0.0, 0.0, 1.0)}


def whole_turns(angles: np.ndarray) -> np.ndarray:
    """How many turns of each angle are left out where it is kept within one; angles of less than a turn stay."""
    far = np.isfinite(angles) & (np.abs(angles) > TURN)
    return np.where(far, np.rint(np.where(far, angles, 0.0) / TURN), 0.0)


def without_turns(angle: float, turns: float) -> float:
    """An angle less a number of whole turns, rounded once."""
    return float(Fraction(float(angle)) - int(turns) * _EXACT_TURN)


def unit_axis(axis: str | Sequence[float]) -> np.ndarray:
    """An axis by letter (`"x"`, `"-z"`) or vector, as a unit vector."""
    if isinstance(axis, str):
        sign = -1.0 if axis.startswith("-") else 1.0
        return sign * np.array(AXES[axis.lstrip("+-")])
    vector = np.array(axis, float)
    length = float(np.linalg.norm(vector))
    if length == 0.0:
        raise ValueError("an axis needs a direction")
    return vector if abs(length - 1.0) < 1e-15 else vector / length


def across(axis: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Two unit vectors that complete `axis` to a right-handed frame (first, second, axis)."""
    helper = np.zeros(3)
    helper[int(np.argmin(np.abs(axis)))] = 1.0
    first = np.cross(helper, axis)
    first /= np.linalg.norm(first)
    return first, np.cross(axis, first)


def skew(v: Expr) -> SX:
    """The matrix of the cross product: skew(a) b = a × b."""
    v = v if isinstance(v, SX) else constant(v)
    return ca.skew(v)


def about(axis: np.ndarray, angle: Expr) -> SX:
    """Rotation by `angle` about a unit axis (Rodrigues)."""
    along = np.outer(axis, axis)
    return (
        constant(along)
        + ca.cos(angle) * constant(np.eye(3) - along)
        + ca.sin(angle) * constant(np.array(ca.DM(ca.skew(ca.DM(axis)))))
    )


def of_quaternion(q: SX) -> SX:
    """Rotation matrix of a unit quaternion (w, x, y, z)."""
    w, x, y, z = q[0], q[1], q[2], q[3]
    return ca.vertcat(
        ca.horzcat(1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)),
        ca.horzcat(2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)),
        ca.horzcat(2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)),
    )


def quaternion_rate(q: SX, w: SX) -> SX:
    """Rate of a quaternion under an angular velocity given in the turned axes: q' = q ∘ (0, w) / 2."""
    return 0.5 * ca.vertcat(-ca.dot(q[1:4], w), q[0] * w + ca.cross(q[1:4], w))


def quaternion_symbolic(R: SX) -> SX:
    """Unit quaternion of a rotation matrix, from the largest of its four components (Shepperd 1978)."""
    squares = [
        1 + R[0, 0] + R[1, 1] + R[2, 2],
        1 + R[0, 0] - R[1, 1] - R[2, 2],
        1 - R[0, 0] + R[1, 1] - R[2, 2],
        1 - R[0, 0] - R[1, 1] + R[2, 2],
    ]
    turn = [R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]]
    fold = [R[2, 1] + R[1, 2], R[0, 2] + R[2, 0], R[1, 0] + R[0, 1]]
    rows = [
        [squares[0], turn[0], turn[1], turn[2]],
        [turn[0], squares[1], fold[2], fold[1]],
        [turn[1], fold[2], squares[2], fold[0]],
        [turn[2], fold[1], fold[0], squares[3]],
    ]
    best, value = squares[0], ca.vertcat(*rows[0])
    for square, row in zip(squares[1:], rows[1:], strict=True):
        value = ca.if_else(square > best, ca.vertcat(*row), value)
        best = ca.fmax(best, square)
    return value / (2 * ca.sqrt(best))


def turn_vector(q: SX) -> SX:
    """Axis times angle of a unit quaternion, the shorter way round: at most half a turn."""
    q = ca.if_else(q[0] < 0, -q, q)
    s2 = ca.dot(q[1:4], q[1:4])
    s = ca.sqrt(ca.if_else(s2 < TINY, 1.0, s2))
    return q[1:4] * ca.if_else(s2 < TINY, 2 + s2 / 3, 2 * ca.atan2(s, q[0]) / s)


def turn_rate(q: SX) -> SX:
    """The matrix from an angular velocity in the turned axes to the rate of `turn_vector`."""
    v = turn_vector(q)
    a2 = ca.dot(v, v)
    half = 0.5 * ca.sqrt(ca.if_else(a2 < TINY, 1.0, a2))
    bend = ca.if_else(a2 < TINY, 1 / 12, (1 - half / ca.tan(half)) / (4 * half**2))
    return SX.eye(3) + 0.5 * skew(v) + bend * skew(v) @ skew(v)


def quaternion_of(matrix: np.ndarray) -> np.ndarray:
    """Unit quaternion of a rotation matrix, numerically, with non-negative scalar part."""
    m = np.asarray(matrix, float)
    trial = np.array(
        [
            [m[0, 0] + m[1, 1] + m[2, 2], 0, 0, 0],
            [m[2, 1] - m[1, 2], m[0, 0] - m[1, 1] - m[2, 2], 0, 0],
            [m[0, 2] - m[2, 0], m[0, 1] + m[1, 0], m[1, 1] - m[0, 0] - m[2, 2], 0],
            [m[1, 0] - m[0, 1], m[0, 2] + m[2, 0], m[1, 2] + m[2, 1], m[2, 2] - m[0, 0] - m[1, 1]],
        ]
    )
    values, vectors = np.linalg.eigh(trial)
    q = vectors[:, int(np.argmax(values))]
    return q if q[0] >= 0 else -q
