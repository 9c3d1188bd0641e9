"""Motion along one line. Flanges share their velocity [m/s]; forces [N] add up to zero where they meet.

Parts between two flanges count lengths and velocities of flange_b against flange_a. `ALL` lists every part.
"""

from multibond.library.translational import bodies, drives, friction, levers
from multibond.library.translational.bodies import Damper, Fixed, Mass, Spring, SpringDamper
from multibond.library.translational.drives import Force, ForceSensor, PositionSensor, Velocity, VelocitySensor
from multibond.library.translational.flanges import TwoFlanges, flange
from multibond.library.translational.friction import Brake, Friction, Stop
from multibond.library.translational.levers import Lever, Rack

ALL = (*bodies.ALL, *drives.ALL, *levers.ALL, *friction.ALL)

__all__ = [
    "ALL",
    "Brake",
    "Damper",
    "Fixed",
    "Force",
    "ForceSensor",
    "Friction",
    "Lever",
    "Mass",
    "PositionSensor",
    "Rack",
    "Spring",
    "SpringDamper",
    "Stop",
    "TwoFlanges",
    "Velocity",
    "VelocitySensor",
    "flange",
]
