"""Machines with every kind of load, and the inertia of their bodies about the centre."""

from __future__ import annotations

import multibond as mb
from multibond import planar as pl
from multibond import spatial as sp

CRANK = {"crank": (1.0, 1.0, 1.0), "rod": (1.0, 1.0, 1.0), "piston": (1.0, 1.0, 1.0)}
LOADED = {"b1": (0.1, 0.2, 0.25), "b2": (0.02, 0.03, 0.04)}
FLAT = {"crank": 0.02, "rod": 0.1, "piston": 0.1}


def loaded() -> mb.Model:
    """Two bodies in space: a Cardan joint, a bushing, forces and torques of all kinds, a strut to a wall."""
    m = mb.Model("loaded")
    m.add(sp.World(gravity=(0.0, 0.0, -9.81)))
    m.add(sp.Fixed("wall", (1.0, 0.5, 0.2)))
    m.add(sp.Universal("U", axis="x", second_axis="y", damping=0.2))
    m.add(sp.Body("b1", mass=1.0, inertia=LOADED["b1"], centre=(0.1, 0.05, -0.3), points=((0.0, 0.1, -0.5),)))
    m.add(sp.Bushing("mount", stiffness=400.0, damping=2.0, turn_stiffness=20.0, turn_damping=0.5))
    m.add(sp.Body("b2", mass=0.5, inertia=LOADED["b2"], centre=(0.0, 0.1, 0.05)))
    m.add(sp.Force("push", force=(1.0, "2*sin(3*t)", 0.5)))
    m.add(sp.Torque("twist", torque=(0.1, 0.0, "0.3*cos(2*t)"), resolved="world"))
    m.add(sp.WorldForce("wind", force=(2.0, 1.0, 0.0), resolved="frame"))
    m.add(sp.WorldTorque("magnet", torque=(0.0, 0.2, 0.1)))
    m.add(sp.SpringDamper("strut", stiffness=30.0, damping=1.0, rest=0.5))
    m.connect("world.frame", "U.frame_a", "push.frame_a")
    m.connect("U.frame_b", "b1.frame", "twist.frame_a")
    m.connect("b1.frame_1", "mount.frame_a", "magnet.frame")
    m.connect("mount.frame_b", "b2.frame", "push.frame_b", "twist.frame_b", "wind.frame", "strut.frame_b")
    m.connect("wall.frame", "strut.frame_a")
    return m


def screwed() -> mb.Model:
    """A nut with its centre beside the axis, driven down and up a spindle."""
    m = mb.Model("screwed")
    m.add(sp.World(gravity=(0.0, 0.0, -9.81)))
    m.add(sp.Screw("spindle", axis="z", pitch=0.3, torque="2*sin(5*t)"))
    m.add(sp.Body("nut", mass=1.0, inertia=(0.1, 0.2, 0.3), centre=(0.1, 0.05, 0.0)))
    m.connect("world.frame", "spindle.frame_a")
    m.connect("spindle.frame_b", "nut.frame")
    return m


def planar_crank() -> mb.Model:
    """A slider crank in the plane, with a spring between piston and wall, a wind and a torque."""
    m = mb.Model("planar_crank")
    m.add(pl.World())
    m.add(pl.Fixed("wall", (1.2, 0.1)))
    m.add(pl.Revolute("O", angle=0.5, torque=4.0, damping=0.1))
    m.add(pl.Revolute("B"))
    m.add(pl.Revolute("C"))
    m.add(pl.Prismatic("guide", axis="x", damping=1.0))
    m.add(pl.Body("crank", mass=1.0, inertia=FLAT["crank"], centre=(0.1, 0.0)))
    m.add(pl.Rod("crank_rod", (0.2, 0.0)))
    m.add(pl.Body("rod", mass=1.0, inertia=FLAT["rod"], centre=(0.3, 0.02)))
    m.add(pl.Rod("rod_rod", (0.6, 0.0)))
    m.add(pl.Body("piston", mass=2.0, inertia=FLAT["piston"]))
    m.add(pl.Spring("spring", stiffness=50.0, rest=0.4))
    m.add(pl.Force("wind", force=(1.0, "sin(t)"), axes="frame"))
    m.add(pl.Torque("brake", torque=-0.5))
    m.connect("world.frame", "O.frame_a", "guide.frame_a")
    m.connect("O.frame_b", "crank.frame", "crank_rod.frame_a")
    m.connect("crank_rod.frame_b", "B.frame_a")
    m.connect("B.frame_b", "rod.frame", "rod_rod.frame_a", "wind.frame", "brake.frame")
    m.connect("rod_rod.frame_b", "C.frame_a")
    m.connect("C.frame_b", "piston.frame", "guide.frame_b", "spring.frame_a")
    m.connect("wall.frame", "spring.frame_b")
    return m
