"""The geometry of the plane: rotations, levers, and which relative motions a joint leaves free.

Angles count counter-clockwise, about +z. As `motions` this is geometry only: no mass, no force, no time derivative.
"""

from __future__ import annotations

from dataclasses import dataclass

import casadi as ca
import numpy as np

from multibond.elements.motions import MotionKind
from multibond.expr import SX, column, constant, flat, section
from multibond.rotation import about

NORMAL = np.array([[0.0, 0.0, 1.0]])
"""The axis of all rotations in the plane."""


def turned(angle: SX) -> SX:
    """Rotation in the plane by an angle."""
    return about(NORMAL[0], angle)[:2, :2]


def lever(arm: SX) -> SX:
    """The modulus of a lever with a given arm, row after row."""
    modulus = SX.eye(3)
    modulus[:2, 2] = column([-arm[1], arm[0]])
    return flat(modulus)


@dataclass(frozen=True)
class PlanarKind(MotionKind):
    """A joint in the plane: slides along axes in the plane, fixed in a, then perhaps a turn."""

    @property
    def fault(self) -> str:
        """What is wrong with the axes, or nothing."""
        return "an axis leads out of the plane" if np.any(self.slide_axes[:, 2]) else super().fault

    @property
    def directions(self) -> np.ndarray:
        """Columns: directions of the free translations, then of the held ones, in a's axes."""
        flat_axes = self.slide_axes[:, :2]
        if self.slides == 1:
            (x, y) = flat_axes[0]
            return np.array([[x, -y], [y, x]])
        return flat_axes.T if self.slides else np.eye(2)

    def placed(self, q: SX) -> tuple[SX, SX]:
        """Angle and p_AB_A for coordinates q."""
        angle = q[0] if self.turns else SX(1, 1)
        slid = section(q, self.turns, self.freedoms)
        return angle, constant(self.slide_axes[:, :2].T) @ slid if self.slides else SX(2, 1)

    def held(self, angle: SX, p_AB: SX) -> tuple[SX, SX]:
        """Displacements that vanish in an assembled joint, whole turns aside; their rates are the held flows."""
        turn = SX(0, 1) if self.turns else _within_half_a_turn(angle)
        return turn, constant(self.directions[:, self.slides :].T) @ p_AB

    def read(self, angle: SX, p_AB: SX) -> SX:
        """The coordinates of an assembled joint, the angle within half a turn."""
        turn = _within_half_a_turn(angle) if self.turns else SX(0, 1)
        return column([turn, constant(self.directions[:, : self.slides].T) @ p_AB])


def _within_half_a_turn(angle: SX) -> SX:
    return ca.atan2(ca.sin(angle), ca.cos(angle))
