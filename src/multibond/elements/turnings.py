"""How one frame may turn against another: not at all, about one, two or three axes in turn, or as a ball.

Each answers the same questions: how many coordinates it has, the attitude they make, their rate for a given flow, the
directions of free and held rotations, what must vanish where the joint is a cut, the coordinates of a given attitude.
Flow is the relative angular velocity along the free directions, in b's axes.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import casadi as ca
import numpy as np

from multibond.expr import SX, column, constant
from multibond.rotation import TURN, about, across, of_quaternion, quaternion_rate, quaternion_symbolic

SKEW = 1e-9
"""Axes whose cosine is larger than this are not perpendicular."""


@dataclass(frozen=True)
class Turning:
    """Base: no rotation is free."""

    axes: np.ndarray
    """One row for each free rotation, in order."""

    @property
    def coordinates(self) -> int:
        """How many numbers the attitude takes."""
        return len(self.axes)

    def attitude(self, q: SX) -> SX:
        """R_AB for coordinates q."""
        return SX.eye(3)

    def rate(self, q: SX, u: SX) -> SX:
        """dq/dt for the free flow u."""
        return u

    def basis(self, R_AB: SX) -> SX:
        """Columns: directions of the free rotations, then of the held ones, in b's axes."""
        return constant(np.eye(3))

    def gap(self, R_AB: SX) -> SX:
        """What vanishes in an assembled joint; its rate is the held flow."""
        lower, upper = [R_AB[2, 1], R_AB[0, 2], R_AB[1, 0]], [R_AB[1, 2], R_AB[2, 0], R_AB[0, 1]]
        return 0.5 * (column(lower) - column(upper))

    def read(self, R_AB: SX) -> SX:
        """The coordinates of an assembled joint, angles within half a turn."""
        return SX(0, 1)

    def apart(self, q: SX, given: SX) -> SX:
        """What vanishes where coordinates stand for the same attitude as given ones, full turns and signs aside."""
        return ca.atan2(ca.sin(q - given), ca.cos(q - given))

    def nearest(self, q: SX, near: SX) -> SX:
        """Coordinates of the same attitude as q, those next to `near`: whole turns, and signs, are its own."""
        return q + TURN * ca.floor((near - q) / TURN + 0.5)

    def singular(self, q: SX) -> SX | None:
        """What vanishes where the rate of the coordinates has no value; None where there is no such place."""
        return None

    @property
    def fault(self) -> str:
        """What is wrong with the axes, or nothing."""
        return ""


class Hinge(Turning):
    """One rotation about an axis that is fixed in both frames."""

    def attitude(self, q: SX) -> SX:
        return about(self.axes[0], q)

    def basis(self, R_AB: SX) -> SX:
        return constant(np.column_stack([self.axes[0], *across(self.axes[0])]))

    def gap(self, R_AB: SX) -> SX:
        first, second = across(self.axes[0])
        image = R_AB.T @ constant(self.axes[0])
        return column([ca.dot(constant(second), image), -ca.dot(constant(first), image)])

    def read(self, R_AB: SX) -> SX:
        first, second = (constant(v) for v in across(self.axes[0]))
        image = R_AB @ first
        return ca.atan2(ca.dot(second, image), ca.dot(first, image))


class Cross(Turning):
    """Two rotations: about an axis fixed in a, then about one fixed in b; the two are perpendicular."""

    def attitude(self, q: SX) -> SX:
        return about(self.axes[0], q[0]) @ about(self.axes[1], q[1])

    def basis(self, R_AB: SX) -> SX:
        first, second = R_AB.T @ constant(self.axes[0]), constant(self.axes[1])
        return ca.horzcat(first, second, ca.cross(first, second))

    def gap(self, R_AB: SX) -> SX:
        return -ca.dot(R_AB.T @ constant(self.axes[0]), constant(self.axes[1]))

    def read(self, R_AB: SX) -> SX:
        first, second = self.axes
        third = constant(np.cross(first, second))
        image, back = R_AB @ constant(second), R_AB.T @ constant(first)
        return column(
            [
                ca.atan2(ca.dot(third, image), ca.dot(constant(second), image)),
                ca.atan2(ca.dot(third, back), ca.dot(constant(first), back)),
            ]
        )

    @property
    def fault(self) -> str:
        return _perpendicular(self.axes)


class Ball(Turning):
    """Three rotations as a quaternion; the flow is the relative angular velocity in b's axes."""

    @property
    def coordinates(self) -> int:
        return 4

    def attitude(self, q: SX) -> SX:
        return of_quaternion(q)

    def rate(self, q: SX, u: SX) -> SX:
        return quaternion_rate(q, u)

    def gap(self, R_AB: SX) -> SX:
        return SX(0, 1)

    def read(self, R_AB: SX) -> SX:
        return quaternion_symbolic(R_AB)

    def apart(self, q: SX, given: SX) -> SX:
        return _turn_between(self.attitude(given), self.attitude(q))

    def nearest(self, q: SX, near: SX) -> SX:
        return ca.if_else(ca.dot(q, near) < 0, -q, q)


class Sequence(Turning):
    """Three rotations as angles about three axes in turn (Cardan: all different; Euler: the third is the first).

    The flow is the relative angular velocity in b's axes, as of a ball; the angles' rates have no value where the first
    and the third axis fall together (Boudon et al. 2017, Fig. 3).
    """

    def attitude(self, q: SX) -> SX:
        return about(self.axes[0], q[0]) @ about(self.axes[1], q[1]) @ about(self.axes[2], q[2])

    def rate(self, q: SX, u: SX) -> SX:
        first, second, third = self._directions(q)
        volume = ca.dot(first, ca.cross(second, third))
        pairs = ((second, third), (third, first), (first, second))
        return column([ca.dot(ca.cross(a, b), u) / volume for a, b in pairs])

    def _directions(self, q: SX) -> tuple[SX, SX, SX]:
        """The three axes in b's axes."""
        outer = about(self.axes[2], q[2])
        inner = about(self.axes[1], q[1]) @ outer
        return inner.T @ constant(self.axes[0]), outer.T @ constant(self.axes[1]), constant(self.axes[2])

    def gap(self, R_AB: SX) -> SX:
        return SX(0, 1)

    def read(self, R_AB: SX) -> SX:
        first, second, normal = (*self.axes[:2], np.cross(self.axes[0], self.axes[1]))
        image, back = R_AB @ constant(self.axes[2]), R_AB.T @ constant(first)

        def along(axis: np.ndarray, vector: SX) -> SX:
            return ca.dot(constant(axis), vector)

        across_first = ca.sqrt(along(second, image) ** 2 + along(normal, image) ** 2)
        if self._cardan:
            sign = float(np.sign(normal @ self.axes[2]))
            one = ca.atan2(-sign * along(second, image), sign * along(normal, image))
            two = ca.atan2(sign * along(first, image), across_first)
            return column([one, two, ca.atan2(-sign * along(second, back), along(first, back))])
        sign = float(np.sign(first @ self.axes[2]))
        one = ca.atan2(sign * along(second, image), -sign * along(normal, image))
        two = ca.atan2(across_first, sign * along(first, image))
        return column([one, two, ca.atan2(sign * along(second, back), along(normal, back))])

    def apart(self, q: SX, given: SX) -> SX:
        return _turn_between(self.attitude(given), self.attitude(q))

    def nearest(self, q: SX, near: SX) -> SX:
        half = np.pi
        other = column([q[0] + half, (half if self._cardan else 0.0) - q[1], q[2] + half])
        one, two = super().nearest(q, near), super().nearest(other, near)
        return ca.if_else(ca.fabs(two[1] - near[1]) < ca.fabs(one[1] - near[1]), two, one)

    @property
    def _cardan(self) -> bool:
        return abs(float(self.axes[0] @ self.axes[2])) < 0.5

    def singular(self, q: SX) -> SX:
        return ca.cos(q[1]) if self._cardan else ca.sin(q[1])

    @property
    def fault(self) -> str:
        both = abs(float(self.axes[0] @ self.axes[2]))
        if not _perpendicular(self.axes) and min(both, 1.0 - both) > SKEW:
            return "the third axis must be perpendicular to the first or along it"
        return _perpendicular(self.axes)


def _turn_between(R: SX, other: SX) -> SX:
    """Axis times the sine of half the angle between two attitudes."""
    return quaternion_symbolic(R.T @ other)[1:4]


def _perpendicular(axes: np.ndarray) -> str:
    wrong = [k for k in range(len(axes) - 1) if abs(float(axes[k] @ axes[k + 1])) > SKEW]
    words = {0: "first and second", 1: "second and third"}
    return f"its {words[wrong[0]]} axes are not perpendicular" if wrong else ""


def turning(axes: np.ndarray, angles: bool) -> Turning:
    """The rotation about given axes, rows in order; three of them make a ball unless angles are wanted."""
    kinds: tuple[Callable[[np.ndarray], Turning], ...] = (Turning, Hinge, Cross, Sequence if angles else Ball)
    return kinds[len(axes)](axes)
