"""Spatial mechanics: world, bodies, rods, joints, springs. Frames are joined with `Model.connect`."""

from multibond.library.spatial.forces import Damper, Spring
from multibond.library.spatial.joints import Free, Joint, Prismatic, Revolute, Spherical, Universal
from multibond.library.spatial.parts import Body, Rod, World

ALL = (World, Body, Rod, Revolute, Prismatic, Universal, Spherical, Free, Spring, Damper)

__all__ = [
    "ALL",
    "Body",
    "Damper",
    "Free",
    "Joint",
    "Prismatic",
    "Revolute",
    "Rod",
    "Spherical",
    "Spring",
    "Universal",
    "World",
]
