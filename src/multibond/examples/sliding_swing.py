"""An arm that turns, a body that swings from it, and a mass that slides along that body on a spring.

The machine of Wang, Tao & Liu (2013): three bodies, two hinges, a slider. The arm only turns about the upright axis, so
it is a scalar inertia beside the vector ones of the other two. Data are the paper's; its drawing is not in its text, so
the geometry is our own (reference A04) and the paper's plots are not comparable with ours.

`mb.statespace(sliding_swing())` gives its fields, junction structure and the constraint forces at all three joints.
"""

from __future__ import annotations

import multibond as mb
from multibond import rotational as ro
from multibond import spatial as sp

MOMENT = 4.167e-4


def sliding_swing(
    *, swing_axis: str = "y", swing: float = 0.5, turn_speed: float = 1.0, torque: float = 0.1
) -> mb.Model:
    """Gravity 9.8 along -z; J1 turns about z at the origin, J2 is 0.3 m out, J3 slides along the swinging body.

    swing_axis: "y", across the arm, or "x", along it; swing: angle of J2 at the start  [rad]; turn_speed of the arm at
    the start  [rad/s]; torque on the arm  [N.m].
    """
    model = mb.Model("sliding_swing")
    world = model.add(sp.World(gravity=(0.0, 0.0, -9.8)))
    J1 = model.add(sp.Revolute("J1", axis="z", angle=0.0, speed=turn_speed, torque=torque))
    turning = model.add(ro.Inertia("turning", MOMENT))
    arm = model.add(sp.Rod("arm", (0.3, 0.0, 0.0)))
    J2 = model.add(sp.Revolute("J2", axis=swing_axis, angle=swing, speed=0.0))
    m1 = model.add(sp.Body("m1", mass=1.0, inertia=(MOMENT,) * 3, centre=(0.0, 0.0, -0.1)))
    guide = model.add(sp.Rod("guide", (0.0, 0.0, -0.1)))
    J3 = model.add(sp.Prismatic("J3", axis="-z", position=0.15, speed=0.0, stiffness=500.0, rest=0.15))
    m2 = model.add(sp.Body("m2", mass=1.0, inertia=(MOMENT,) * 3))
    model.connect(world.frame, J1.frame_a)
    model.connect(J1.flange, turning.flange)
    model.connect(J1.frame_b, arm.frame_a)
    model.connect(arm.frame_b, J2.frame_a)
    model.connect(J2.frame_b, m1.frame, guide.frame_a)
    model.connect(guide.frame_b, J3.frame_a)
    model.connect(J3.frame_b, m2.frame)
    return model
