"""Machines of the library PlanarMechanics, rebuilt from their figures; gravity 9.81, angles counter-clockwise."""

from __future__ import annotations

import numpy as np
from tests.planar import machines
from tests.planar.machines import Bench

import multibond as mb
from multibond import planar as pl


def pendulum() -> mb.Model:
    """A body of 1 kg and 0.1 kg.m² at the end of a rod of 1 m."""
    b = Bench(pl)
    hinge, body = b.add("Revolute", "hinge", angle=0.0, speed=0.0), b.body("body", 1.0, 0.1, (1.0, 0.0))
    b.link(b.world.frame, hinge.frame_a)
    b.link(hinge.frame_b, body.frame)
    return b.model


def double_pendulum() -> mb.Model:
    """Rods of 1 and 0.4 m, bodies of 1 and 0.2 kg."""
    return machines.double_pendulum(pl, ((1.0, 0.0), 1.0, 0.1), ((0.4, 0.0), 0.2, 0.01))


def crane_crab() -> mb.Model:
    """A cart with a damper of 10 N.s/m, a bob that starts nearly upright."""
    return machines.crane_crab(pl, 1.0, (0.5, 0.1), (0.0, -1.0), np.deg2rad(150.0), 10.0)


def free_body() -> mb.Model:
    """A body that falls."""
    b = Bench(pl)
    b.body("body", 1.0, 0.1)
    return b.model


def spring_damper() -> mb.Model:
    """A body of 0.5 kg on a spring and a damper that act alike in both directions."""
    b = Bench(pl)
    post = b.model.add(pl.Fixed("post", (-1.0, 0.0)))
    soft = {"stiffness": (5.0, 5.0, 5.0), "damping": (1.0, 1.0, 1.0), "position": (2.0, 1.0)}
    mount, body = b.model.add(pl.Bushing("mount", **soft)), b.body("body", 0.5, 0.1)
    b.link(post.frame, mount.frame_a)
    b.link(mount.frame_b, body.frame)
    return b.model
