"""The geometry of joints: which relative motions are free, and what the others must keep at zero.

A motion is slides along axes fixed in a, then turns about axes in order; a screw couples the two. Rotational flow is
taken in b's axes, translational flow in a's. A kind is geometry only: no mass, no force, no time derivative.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import casadi as ca
import numpy as np

from multibond.elements.turnings import SKEW, Turning, turning
from multibond.expr import SX, column, constant, section
from multibond.rotation import about, across


@dataclass(frozen=True)
class MotionKind:
    """A joint that frees rotations about the rows of `turn_axes` and translations along those of `slide_axes`.

    Three slides count along a's own axes, whatever axes are named.
    angles: three rotations as angles about their axes in turn, not as a quaternion.
    lead: of a screw, how far b moves along the one axis for each radian; its turn and slide are one freedom.
    """

    turn_axes: np.ndarray
    slide_axes: np.ndarray
    angles: bool = False
    lead: Any = None

    def __post_init__(self) -> None:
        if len(self.slide_axes) == 3:
            object.__setattr__(self, "slide_axes", np.eye(3))

    @property
    def turns(self) -> int:
        """Number of free rotations."""
        return len(self.turn_axes)

    @property
    def slides(self) -> int:
        """Number of free translations."""
        return len(self.slide_axes)

    @property
    def freedoms(self) -> int:
        """Number of free flows."""
        return 1 if self.lead is not None else self.turns + self.slides

    @cached_property
    def turning(self) -> Turning:
        """The rotation."""
        return turning(self.turn_axes, self.angles)

    @property
    def coordinates(self) -> int:
        """Number of coordinates; a quaternion has four."""
        return 1 if self.lead is not None else self.turning.coordinates + self.slides

    @property
    def quaternion(self) -> bool:
        """Whether the first four coordinates are a quaternion."""
        return self.turning.coordinates == 4

    @property
    def mixed(self) -> bool:
        """Whether the rate of a coordinate depends on several flows: angles about three axes in turn."""
        return self.turns == 3 and not self.quaternion

    @property
    def angle_count(self) -> int:
        """How many of the first coordinates are angles, which may turn round and round."""
        return 0 if self.quaternion or self.lead is not None else self.turns

    @property
    def fault(self) -> str:
        """What is wrong with the axes, or nothing."""
        square = self.slide_axes @ self.slide_axes.T - np.eye(self.slides)
        if np.abs(square).max(initial=0.0) > SKEW:
            return "the axes of its slides are not perpendicular"
        return self.turning.fault

    # -- from coordinates ----------------------------------------------------------------------------------------------

    def pose(self, q: SX) -> tuple[SX, SX]:
        """R_AB and p_AB_A for coordinates q."""
        if self.lead is not None:
            return about(self.turn_axes[0], q), constant(self.slide_axes[0]) * q * self.lead
        count = self.turning.coordinates
        slides = section(q, count, count + self.slides)
        return self.turning.attitude(section(q, 0, count)), constant(self.slide_axes.T) @ slides if self.slides else SX(
            3, 1
        )

    def rate(self, q: SX, u: SX) -> SX:
        """dq/dt for the free flow u."""
        if self.lead is not None:
            return u
        turned = (
            self.turning.rate(section(q, 0, self.turning.coordinates), section(u, 0, self.turns))
            if self.turns
            else SX(0, 1)
        )
        return column([turned, section(u, self.turns, self.freedoms)])

    def singular(self, q: SX) -> SX | None:
        """What vanishes where the rate of the coordinates has no value."""
        return self.turning.singular(section(q, 0, self.turning.coordinates))

    # -- directions ----------------------------------------------------------------------------------------------------

    def basis(self, R_AB: SX) -> SX:
        """Columns: directions of the free rotations, then of the held ones, in b's axes."""
        return self.turning.basis(R_AB)

    @property
    def fixed_basis(self) -> np.ndarray | None:
        """The basis as numbers, where it does not depend on the pose."""
        return None if self.turns == 2 else np.array(ca.evalf(ca.densify(self.basis(SX.eye(3)))))

    def slide_basis(self) -> np.ndarray:
        """Columns: directions of the free translations, then of the held ones, in a's axes."""
        if self.slides == 2:
            return np.column_stack([*self.slide_axes, np.cross(*self.slide_axes)])
        return np.column_stack([*self.slide_axes, *across(self.slide_axes[0])]) if self.slides == 1 else np.eye(3)

    # -- from poses ----------------------------------------------------------------------------------------------------

    def gaps(self, R_AB: SX, p_AB: SX) -> tuple[SX, SX]:
        """Displacements that vanish in an assembled joint; their rates are the held flows."""
        if self.slides == 3:
            return self.turning.gap(R_AB), SX(0, 1)
        held = constant(self.slide_basis()[:, self.slides :].T)
        return self.turning.gap(R_AB), held @ p_AB if self.slides else p_AB

    def screw_gap(self, R_AB: SX, p_AB: SX) -> SX:
        """How far b stands from where its turn should have brought it; full turns are told by the distance."""
        along = ca.dot(constant(self.slide_axes[0]), p_AB)
        return -self.lead * self.turning.read(R_AB @ about(self.turn_axes[0], -along / self.lead))

    def coordinates_of(self, R_AB: SX, p_AB: SX) -> SX:
        """The coordinates of an assembled joint from its relative pose (angles within half a turn)."""
        slid = constant(self.slide_axes) @ p_AB if self.slides else SX(0, 1)
        if self.lead is not None:
            return slid / self.lead
        return column([self.turning.read(R_AB), slid])

    def apart(self, q: SX, given: np.ndarray, which: np.ndarray) -> SX:
        """What vanishes where coordinates read from a pose are given ones, full turns and quaternions' signs aside.

        which: the coordinates that are meant; of an attitude in part the numbers themselves are compared.
        """
        count = self.turning_coordinates
        some, rest = np.flatnonzero(which[:count]), np.flatnonzero(which[count:]) + count
        turned = SX(0, 1)
        if len(some) == count > 0:
            turned = self.turning.apart(section(q, 0, count), SX(given[:count]))
        elif some.size:
            near = SX(given[:count])
            turned = (self.turning.nearest(section(q, 0, count), near) - near)[some.tolist()]
        return column([turned, (q - SX(given))[rest.tolist()]]) if rest.size else turned

    @property
    def turning_coordinates(self) -> int:
        """How many coordinates a pose tells up to full turns or a sign only."""
        return 0 if self.lead is not None else self.turning.coordinates

    def nearest(self, q: SX, near: SX) -> SX:
        """Coordinates of the same pose as q, those of its turns next to `near`."""
        count = self.turning_coordinates
        return column([self.turning.nearest(section(q, 0, count), near), section(q, count, q.numel())]) if count else q
