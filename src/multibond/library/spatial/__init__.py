"""Spatial mechanics: world, bodies, rods, joints, springs. Frames are joined with `Model.connect`."""

from multibond.library.spatial.forces import Damper, Spring
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
from multibond.library.spatial.parts import Body, Rod, World

ALL = (World, Body, Rod, Joint, *PRESETS, Spring, Damper)

__all__ = [
    "ALL",
    "PRESETS",
    "Body",
    "Cylindrical",
    "Damper",
    "Free",
    "FreeTranslation",
    "Joint",
    "Planar",
    "Prismatic",
    "Revolute",
    "Rod",
    "Screw",
    "Spherical",
    "Spring",
    "Universal",
    "Weld",
    "World",
]
