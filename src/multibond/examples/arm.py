"""A robot arm with six hinges, let go.

Lengths and masses are those of the UR5 in its public description (URDF in
ros-industrial/universal_robot, ur_description); the position that counts as zero is our own: all links upright.
"""

from __future__ import annotations

from collections.abc import Sequence

import multibond as mb
from multibond.examples.links import Link, serial

UPPER, FORE, WRIST, FLANGE = (
    (0.22689, 0.22689, 0.0151074),
    (0.049443, 0.049443, 0.004095),
    (0.0025599, 0.0025599, 0.0021942),
    (8.4695e-05, 8.4695e-05, 0.00013211),
)

ARM_LINKS = (
    Link("z", (0.0, 0.0, 0.089159), 3.7, (0.0, 0.0, 0.0), (0.010267, 0.010267, 0.00666)),
    Link("y", (0.0, 0.13585, 0.0), 8.393, (0.0, 0.0, 0.28), UPPER),
    Link("y", (0.0, -0.1197, 0.425), 2.275, (0.0, 0.0, 0.196125), FORE),
    Link("y", (0.0, 0.0, 0.39225), 1.219, (0.0, 0.093, 0.0), WRIST),
    Link("z", (0.0, 0.093, 0.0), 1.219, (0.0, 0.0, 0.09465), WRIST),
    Link("y", (0.0, 0.0, 0.09465), 0.1879, (0.0, 0.065, 0.0), FLANGE),
)


def arm(
    *,
    angles: Sequence[float] = (0.0, 0.5, 0.8, -0.4, 0.3, 0.0),
    speeds: Sequence[float] = (0.0,) * 6,
) -> mb.Model:
    """The arm at given angles and speeds of its hinges, from the base outwards  [rad, rad/s]; gravity along -z."""
    return serial("arm", ARM_LINKS, angles, speeds)
