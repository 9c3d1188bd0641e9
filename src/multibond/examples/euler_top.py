"""A body thrown into empty space, with three different moments of inertia.

Nothing acts on it, yet its angular velocity wanders: the gyroscopic torque moves spin from axis to axis, while energy
and angular momentum stay. Its angular velocity is known in elliptic functions. Figures: our own reference A05d.
"""

from __future__ import annotations

from collections.abc import Sequence

import multibond as mb
from multibond import spatial as sp


def euler_top(
    *,
    mass: float = 1.0,
    inertia: Sequence[float] = (1.0, 2.0, 3.0),
    angular_velocity: Sequence[float] = (1.0, 0.2, 0.6),
) -> mb.Model:
    """A free body without gravity, its centre at rest.

    mass  [kg]; inertia: principal moments  [kg.m²]; angular_velocity: at the start, in the body's axes  [rad/s].
    """
    model = mb.Model("euler_top")
    world = model.add(sp.World(gravity=(0.0, 0.0, 0.0)))
    space = model.add(
        sp.Free(
            "space",
            position=(0.0, 0.0, 0.0),
            quaternion=(1.0, 0.0, 0.0, 0.0),
            velocity=(0.0, 0.0, 0.0),
            angular_velocity=angular_velocity,
        )
    )
    top = model.add(sp.Body("top", mass=mass, inertia=inertia))
    model.connect(world.frame, space.frame_a)
    model.connect(space.frame_b, top.frame)
    return model
