"""A spinning top on its tip, let go at a slant.

It does not fall: it nods and walks round the vertical, and each nod ends in a cusp because it was let go without
precession (Lagrange's top). Figures: our own reference A05e.
"""

from __future__ import annotations

import math

import multibond as mb
from multibond import spatial as sp


def heavy_top(
    *, slant: float = math.radians(30.0), spin: float = 150.0, mass: float = 1.0, length: float = 0.1
) -> mb.Model:
    """A top on a ball joint at the world's origin; its axis is the body's z, gravity along -z.

    slant: angle between its axis and the vertical at the start  [rad]; spin about its axis  [rad/s]; mass  [kg];
    length from the tip to the centre of mass  [m].
    """
    model = mb.Model("heavy_top")
    world = model.add(sp.World(gravity=(0.0, 0.0, -9.81)))
    attitude = (math.cos(slant / 2), math.sin(slant / 2), 0.0, 0.0)
    tip = model.add(sp.Spherical("tip", quaternion=attitude, angular_velocity=(0.0, 0.0, spin)))
    axle = model.add(sp.Rod("axle", (0.0, 0.0, length)))
    top = model.add(sp.Body("top", mass=mass, inertia=(0.003, 0.003, 0.002)))
    model.connect(world.frame, tip.frame_a)
    model.connect(tip.frame_b, axle.frame_a)
    model.connect(axle.frame_b, top.frame)
    return model
