"""A fast wheel at the end of a long arm that hangs on a ball, let go level.

It does not fall: the arm walks round the upright axis, dipping and rising as it goes, for it was let go without
precession. It turns about 67 times for each nod, so steps are short; quaternions have no position that they fear.
Figures: the example GyroscopicEffect of MultiBondLib 1.3 (Zimmer and Cellier 2006, Table 3).
"""

from __future__ import annotations

import math

import multibond as mb
from multibond import spatial as sp


def gyroscope(*, spin: float = 80.0 * math.pi, length: float = 2.0) -> mb.Model:
    """The arm starts along x from the ball at the origin, gravity along -y; the wheel turns about the arm.

    spin: of arm and wheel about the arm at the start  [rad/s]; length of the arm  [m]. The wheel has 2 kg; its moment
    about the arm stays, so that `ball.angular_velocity[0]` never changes.
    """
    model = mb.Model("gyroscope")
    world = model.add(sp.World())
    ball = model.add(sp.Spherical("ball", quaternion=(1.0, 0.0, 0.0, 0.0), angular_velocity=(spin, 0.0, 0.0)))
    arm = model.add(sp.Rod("arm", (length, 0.0, 0.0)))
    wheel = model.add(sp.Body("wheel", mass=2.0, inertia=(0.12, 0.06, 0.06)))
    model.connect(world.frame, ball.frame_a)
    model.connect(ball.frame_b, arm.frame_a)
    model.connect(arm.frame_b, wheel.frame)
    return model
