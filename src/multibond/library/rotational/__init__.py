"""Rotation about one axis. Flanges share their angular velocity [rad/s]; torques [N.m] add up to zero where they meet.

Parts between two flanges count angles and speeds of flange_b against flange_a. `ALL` lists every part.
"""

from multibond.library.rotational import drives, friction, gears, shafts
from multibond.library.rotational.drives import AngleSensor, Speed, SpeedSensor, Torque, TorqueSensor
from multibond.library.rotational.flanges import TwoFlanges, flange
from multibond.library.rotational.friction import Backlash, Brake, Clutch, Freewheel, Friction
from multibond.library.rotational.gears import Gear, Planetary
from multibond.library.rotational.shafts import Damper, Fixed, Inertia, Spring, SpringDamper

ALL = (*shafts.ALL, *drives.ALL, *gears.ALL, *friction.ALL)

__all__ = [
    "ALL",
    "AngleSensor",
    "Backlash",
    "Brake",
    "Clutch",
    "Damper",
    "Fixed",
    "Freewheel",
    "Friction",
    "Gear",
    "Inertia",
    "Planetary",
    "Speed",
    "SpeedSensor",
    "Spring",
    "SpringDamper",
    "Torque",
    "TorqueSensor",
    "TwoFlanges",
    "flange",
]
