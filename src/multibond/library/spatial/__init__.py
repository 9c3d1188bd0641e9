"""Spatial mechanics: world, bodies, rods, joints, forces, sensors. Frames are joined with `Model.connect`."""

from multibond.library.spatial import sensors
from multibond.library.spatial.bodies import Body, PointMass
from multibond.library.spatial.couplings import Coupling, Gear
from multibond.library.spatial.forces import (
    Damper,
    LineForce,
    Spring,
    SpringDamper,
    SpringDamperSeries,
    SpringWithMass,
)
from multibond.library.spatial.gravity import Attraction, GravityPool
from multibond.library.spatial.joint import Joint
from multibond.library.spatial.joints import (
    PRESETS,
    Cylindrical,
    Free,
    FreeTranslation,
    Planar,
    Prismatic,
    Revolute,
    Screw,
    Spherical,
    Universal,
    Weld,
)
from multibond.library.spatial.loads import Bushing, Force, Torque, WorldForce, WorldTorque
from multibond.library.spatial.parts import Fixed, FixedRotation, Rod, World
from multibond.library.spatial.rods import SphericalSpherical, UniversalSpherical
from multibond.library.spatial.sensors import (
    AccelerationSensor,
    CutSensor,
    DistanceSensor,
    PoseSensor,
    RelativeAccelerationSensor,
    RelativePoseSensor,
    RelativeVelocitySensor,
    VelocitySensor,
)
from multibond.library.spatial.solids import Box, Cylinder, Sphere

ALL = (
    *(World, Fixed, Body, PointMass, Box, Cylinder, Sphere, Rod, FixedRotation, Joint, *PRESETS),
    *(SphericalSpherical, UniversalSpherical, Gear, Coupling, Attraction, GravityPool),
    *(Spring, Damper, SpringDamper, SpringDamperSeries, SpringWithMass, LineForce, Bushing),
    *(WorldForce, WorldTorque, Force, Torque, *sensors.ALL),
)

__all__ = [
    "ALL",
    "PRESETS",
    "AccelerationSensor",
    "Attraction",
    "Body",
    "Box",
    "Bushing",
    "Coupling",
    "CutSensor",
    "Cylinder",
    "Cylindrical",
    "Damper",
    "DistanceSensor",
    "Fixed",
    "FixedRotation",
    "Force",
    "Free",
    "FreeTranslation",
    "Gear",
    "GravityPool",
    "Joint",
    "LineForce",
    "Planar",
    "PointMass",
    "PoseSensor",
    "Prismatic",
    "RelativeAccelerationSensor",
    "RelativePoseSensor",
    "RelativeVelocitySensor",
    "Revolute",
    "Rod",
    "Screw",
    "Sphere",
    "Spherical",
    "SphericalSpherical",
    "Spring",
    "SpringDamper",
    "SpringDamperSeries",
    "SpringWithMass",
    "Torque",
    "Universal",
    "UniversalSpherical",
    "VelocitySensor",
    "Weld",
    "World",
    "WorldForce",
    "WorldTorque",
]
