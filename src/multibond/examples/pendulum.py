"""A bar on a hinge, let go from the horizontal.

With the damping of Boudon et al. (2017), Table 6, it creeps down without swinging; without damping it swings for ever,
with the period of an elliptic integral. Figures: Boudon et al., Table 6 (length 1 m, mass 1 kg, inertia 0.083 kg.m²,
damping 10 N.m.s/rad); start and gravity are ours.
"""

from __future__ import annotations

import multibond as mb
from multibond import spatial as sp


def pendulum(
    *, damping: float = 10.0, length: float = 1.0, mass: float = 1.0, inertia: float = 0.083, angle: float = 0.0
) -> mb.Model:
    """A bar hinged at the world's origin, along x at angle zero.

    damping of the hinge  [N.m.s/rad]; length  [m]; mass  [kg]; inertia about the centre of mass  [kg.m²]; angle: start
    value  [rad].
    """
    model = mb.Model("pendulum")
    world = model.add(sp.World())
    hinge = model.add(sp.Revolute("hinge", axis="z", angle=angle, speed=0.0, damping=damping))
    bar = model.add(sp.Body("bar", mass=mass, inertia=(0.0, inertia, inertia), centre=(length / 2, 0.0, 0.0)))
    model.connect(world.frame, hinge.frame_a)
    model.connect(hinge.frame_b, bar.frame)
    return model
