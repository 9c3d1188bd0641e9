"""The geometry of joints: which relative motions are free, and what the others must keep at zero.

Each kind answers the same questions: how many turns and slides are free, the relative pose of b in a for given
coordinates, the rate of the coordinates for a given free flow, the directions of free and held rotations, what must
vanish when the joint is a cut, and the coordinates of a given relative pose. Rotational flow is taken in b's axes,
translational flow in a's.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import casadi as ca
import numpy as np

from multibond.expr import SX, column, constant
from multibond.rotation import about, across, of_quaternion, quaternion_rate


@dataclass(frozen=True)
class MotionKind:
    """Base: a joint that frees `turns` rotations and `slides` translations with `coordinates` numbers."""

    axis: np.ndarray
    second_axis: np.ndarray

    turns: ClassVar[int] = 0
    slides: ClassVar[int] = 0
    coordinates: ClassVar[int] = 0
    quaternion: ClassVar[bool] = False

    def pose(self, q: SX) -> tuple[SX, SX]:
        """R_AB and p_AB_A for coordinates q."""
        raise TypeError(type(self).__name__)

    def rate(self, q: SX, u: SX) -> SX:
        """dq/dt for the free flow u."""
        return u

    def basis(self, R_AB: SX) -> SX:
        """Columns: directions of the free rotations, then of the held ones, in b's axes."""
        return constant(np.eye(3))

    def fixed_basis(self) -> np.ndarray:
        """The basis as numbers, where it does not depend on the pose."""
        return np.array(ca.evalf(ca.densify(self.basis(SX.eye(3)))))

    def slide_basis(self) -> np.ndarray:
        """Columns: directions of the free translations, then of the held ones, in a's axes."""
        return np.eye(3)

    def gaps(self, R_AB: SX, p_AB: SX) -> tuple[SX, SX]:
        """Displacements that vanish in an assembled joint; their rates are the held flows."""
        raise TypeError(type(self).__name__)

    def coordinates_of(self, R_AB: SX, p_AB: SX) -> SX:
        """The coordinates of an assembled joint from its relative pose (angles within half a turn)."""
        raise TypeError(type(self).__name__)


def _turn_error(R_AB: SX) -> SX:
    """Small rotation vector of a nearly aligned pair of frames."""
    return 0.5 * column([R_AB[2, 1] - R_AB[1, 2], R_AB[0, 2] - R_AB[2, 0], R_AB[1, 0] - R_AB[0, 1]])


def _angle_about(axis: np.ndarray, R_AB: SX) -> SX:
    first, second = (constant(v) for v in across(axis))
    image = R_AB @ first
    return ca.atan2(ca.dot(second, image), ca.dot(first, image))


class Revolute(MotionKind):
    """One rotation about `axis`, which is fixed in both frames."""

    turns, slides, coordinates = 1, 0, 1

    def pose(self, q: SX) -> tuple[SX, SX]:
        return about(self.axis, q), SX(3, 1)

    def basis(self, R_AB: SX) -> SX:
        return constant(np.column_stack([self.axis, *across(self.axis)]))

    def gaps(self, R_AB: SX, p_AB: SX) -> tuple[SX, SX]:
        first, second = across(self.axis)
        image = R_AB.T @ constant(self.axis)
        return column([ca.dot(constant(second), image), -ca.dot(constant(first), image)]), p_AB

    def coordinates_of(self, R_AB: SX, p_AB: SX) -> SX:
        return _angle_about(self.axis, R_AB)


class Prismatic(MotionKind):
    """One translation along `axis`, fixed in a."""

    turns, slides, coordinates = 0, 1, 1

    def pose(self, q: SX) -> tuple[SX, SX]:
        return SX.eye(3), constant(self.axis) * q

    def slide_basis(self) -> np.ndarray:
        return np.column_stack([self.axis, *across(self.axis)])

    def gaps(self, R_AB: SX, p_AB: SX) -> tuple[SX, SX]:
        first, second = across(self.axis)
        return _turn_error(R_AB), column([ca.dot(constant(first), p_AB), ca.dot(constant(second), p_AB)])

    def coordinates_of(self, R_AB: SX, p_AB: SX) -> SX:
        return ca.dot(constant(self.axis), p_AB)


class Universal(MotionKind):
    """Two rotations: about `axis`, fixed in a, then about `second_axis`, fixed in b; the two are perpendicular."""

    turns, slides, coordinates = 2, 0, 2

    def pose(self, q: SX) -> tuple[SX, SX]:
        return about(self.axis, q[0]) @ about(self.second_axis, q[1]), SX(3, 1)

    def basis(self, R_AB: SX) -> SX:
        first = R_AB.T @ constant(self.axis)
        second = constant(self.second_axis)
        return ca.horzcat(first, second, ca.cross(first, second))

    def gaps(self, R_AB: SX, p_AB: SX) -> tuple[SX, SX]:
        image = R_AB.T @ constant(self.axis)
        return -ca.dot(image, constant(self.second_axis)), p_AB

    def coordinates_of(self, R_AB: SX, p_AB: SX) -> SX:
        third = np.cross(self.axis, self.second_axis)
        image = R_AB @ constant(self.second_axis)
        first_angle = ca.atan2(ca.dot(constant(third), image), ca.dot(constant(self.second_axis), image))
        back = R_AB.T @ constant(self.axis)
        second_angle = ca.atan2(ca.dot(constant(third), back), ca.dot(constant(self.axis), back))
        return column([first_angle, second_angle])


class Spherical(MotionKind):
    """Three rotations, as a quaternion; the flow is the relative angular velocity in b's axes."""

    turns, slides, coordinates = 3, 0, 4
    quaternion = True

    def pose(self, q: SX) -> tuple[SX, SX]:
        return of_quaternion(q), SX(3, 1)

    def rate(self, q: SX, u: SX) -> SX:
        return quaternion_rate(q, u)

    def gaps(self, R_AB: SX, p_AB: SX) -> tuple[SX, SX]:
        return SX(0, 1), p_AB

    def coordinates_of(self, R_AB: SX, p_AB: SX) -> SX:
        return quaternion_symbolic(R_AB)


class Free(MotionKind):
    """Everything: a quaternion and three displacements along a's axes."""

    turns, slides, coordinates = 3, 3, 7
    quaternion = True

    def pose(self, q: SX) -> tuple[SX, SX]:
        return of_quaternion(q[:4]), q[4:7]

    def rate(self, q: SX, u: SX) -> SX:
        return column([quaternion_rate(q[:4], u[:3]), u[3:6]])

    def gaps(self, R_AB: SX, p_AB: SX) -> tuple[SX, SX]:
        return SX(0, 1), SX(0, 1)

    def coordinates_of(self, R_AB: SX, p_AB: SX) -> SX:
        return column([quaternion_symbolic(R_AB), p_AB])


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
    best, value = squares[0], column(rows[0])
    for square, row in zip(squares[1:], rows[1:], strict=True):
        value = ca.if_else(square > best, column(row), value)
        best = ca.fmax(best, square)
    return value / (2 * ca.sqrt(best))


MOTIONS: dict[str, type[MotionKind]] = {
    "revolute": Revolute,
    "prismatic": Prismatic,
    "universal": Universal,
    "spherical": Spherical,
    "free": Free,
}
