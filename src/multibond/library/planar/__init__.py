"""Mechanics in the plane: world, bodies, rods, joints, springs, forces, sensors, and the bridge to space.

Frames have one bond of three (v_x, v_y, ω) in world axes; angles count counter-clockwise, about +z.
"""

from multibond.library.planar.bridge import Bridge
from multibond.library.planar.forces import Damper, Force, LineForce, Spring, Torque
from multibond.library.planar.joints import PRESETS, Bushing, Free, Joint, Prismatic, Revolute, Telescope, Weld
from multibond.library.planar.parts import Body, Fixed, Lever, PointMass, Rod, World
from multibond.library.planar.sensors import DistanceSensor, PoseSensor, VelocitySensor

ALL = (
    *(World, Fixed, Body, PointMass, Rod, Lever, Joint, *PRESETS, Bridge),
    *(Spring, Damper, Force, Torque, LineForce, PoseSensor, VelocitySensor, DistanceSensor),
)

__all__ = [
    "ALL",
    "PRESETS",
    "Body",
    "Bridge",
    "Bushing",
    "Damper",
    "DistanceSensor",
    "Fixed",
    "Force",
    "Free",
    "Joint",
    "Lever",
    "LineForce",
    "PointMass",
    "PoseSensor",
    "Prismatic",
    "Revolute",
    "Rod",
    "Spring",
    "Telescope",
    "Torque",
    "VelocitySensor",
    "Weld",
    "World",
]
