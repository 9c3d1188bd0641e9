"""Machines of the Modelica Standard Library's MultiBody examples, rebuilt from their figures.

The world's gravity is 9.80665 m/s² along -y there, the density of boxes 7700 kg/m³.
"""

from __future__ import annotations

import numpy as np

import multibond as mb
from multibond import rotational as ro
from multibond import spatial as sp
from multibond import translational as tr

DOWN = (0.0, -9.80665, 0.0)
FIXED_SIDE = (-0.15, 1.0, 0.0)
MOVING = {"crank": (0.4, 0.0, 0.0), "coupler": (0.1, 1.1, 0.0), "rocker": (0.65, 0.1, 0.0)}
"""Sides of the planar four-bar at the start  [m]."""


def world(model: mb.Model) -> sp.World:
    return model.add(sp.World(gravity=DOWN))


def pendulum() -> mb.Model:
    model = mb.Model("pendulum")
    ground, rev = world(model), model.add(sp.Revolute("rev", angle=0.0, speed=0.0))
    body = model.add(sp.Body("body", 1.0, inertia=(1e-3, 1e-3, 1e-3), centre=(0.5, 0, 0)))
    damper, wall = model.add(ro.Damper("damper", 0.1)), model.add(ro.Fixed("wall"))
    model.connect(ground.frame, rev.frame_a)
    model.connect(rev.frame_b, body.frame)
    model.connect(wall.flange, damper.flange_a)
    model.connect(damper.flange_b, rev.flange)
    return model


def double_pendulum() -> mb.Model:
    model = mb.Model("double")
    ground, first = world(model), model.add(sp.Revolute("first", angle=0.0, speed=0.0, damping=0.1))
    second = model.add(sp.Revolute("second", angle=0.0, speed=0.0))
    upper, lower = (model.add(sp.Box(name, (0.5, 0, 0), width=0.06)) for name in ("upper", "lower"))
    model.connect(ground.frame, first.frame_a)
    model.connect(first.frame_b, upper.frame_a)
    model.connect(upper.frame_b, second.frame_a)
    model.connect(second.frame_b, lower.frame_a)
    return model


def free_body() -> mb.Model:
    """A floating body on two springs without length; it starts turned by 10° about each axis."""
    model = mb.Model("free")
    ground, wall = world(model), model.add(sp.Fixed("wall", (0.8, 0, 0)))
    space = model.add(sp.Free("space", (0.2, -0.5, 0.1), sequence="xyz", angles=np.deg2rad([10.0, 10.0, 10.0])))
    body = model.add(sp.Body("body", 1.0, (1.0, 1.0, 1.0), (0.2, 0, 0), points=((0.4, 0, 0),)))
    one, two = (model.add(sp.Spring(name, 20.0)) for name in ("one", "two"))
    model.connect(ground.frame, space.frame_a, one.frame_a)
    model.connect(space.frame_b, body.frame, one.frame_b)
    model.connect(wall.frame, two.frame_a)
    model.connect(two.frame_b, body.frame_1)
    return model


def pendulum_with_spring_damper() -> mb.Model:
    model = mb.Model("swing")
    ground, bar = world(model), model.add(sp.Rod("bar", (0.3, 0, 0)))
    hinge, slider = model.add(sp.Revolute("hinge", angle=0.0, speed=0.0)), sp.Prismatic("slider", "x", 0.5, 0.0)
    slider, body = model.add(slider), model.add(sp.Body("body", 1.0, (1.0, 1.0, 1.0)))
    spring, damper = model.add(sp.Spring("spring", 20.0, rest=0.2)), model.add(sp.Damper("damper", 1.0))
    model.connect(ground.frame, bar.frame_a)
    model.connect(bar.frame_b, hinge.frame_a)
    model.connect(hinge.frame_b, slider.frame_a, spring.frame_a, damper.frame_a)
    model.connect(slider.frame_b, body.frame, spring.frame_b, damper.frame_b)
    return model


def three_springs() -> mb.Model:
    """Three springs meet at a point without mass, one of them carries a body."""
    model = mb.Model("three")
    world(model)
    first, third = model.add(sp.Fixed("first", (0.3, 0, 0))), model.add(sp.Fixed("third", (0, 0, 0.3)))
    springs = [model.add(sp.Spring(f"spring{k}", c, rest=0.1)) for k, c in ((1, 20.0), (2, 40.0), (3, 20.0))]
    point = model.add(sp.FreeTranslation("point", position=mb.Guess((0.1, -0.2, 0.2))))
    body = model.add(sp.Body("body", 0.8, (0.1, 0.1, 0.1), (0, -0.2, 0)))
    space = model.add(sp.Free("space", position=(0.5, -0.3, 0.0)))
    model.connect("world.frame", point.frame_a, space.frame_a)
    model.connect(first.frame, springs[0].frame_a)
    model.connect(third.frame, springs[2].frame_a)
    model.connect(springs[0].frame_b, springs[2].frame_b, springs[1].frame_a, point.frame_b)
    model.connect(springs[1].frame_b, body.frame, space.frame_b)
    return model


def spring_mass_system() -> mb.Model:
    """Two masses on sliders: one on a spring at the slider's flange, one on a spring in space."""
    model = mb.Model("masses")
    world(model)
    for k, x in ((1, 0.3), (2, 0.6)):
        wall = model.add(sp.Fixed(f"wall{k}", (x, 0, 0)))
        slider = model.add(sp.Prismatic(f"p{k}", "-y", 0.1, 0.0))
        body = model.add(sp.Body(f"body{k}", 1.0, (1e-3, 1e-3, 1e-3)))
        model.connect(wall.frame, slider.frame_a)
        model.connect(slider.frame_b, body.frame)
    spring, ground = model.add(tr.Spring("spring1", 30.0)), model.add(tr.Fixed("ground"))
    model.connect(ground.flange, spring.flange_a)
    model.connect(spring.flange_b, "p1.flange")
    other = model.add(sp.Spring("spring2", 30.0, rest=0.1))
    model.connect("wall2.frame", other.frame_a)
    model.connect("p2.frame_b", other.frame_b)
    return model


def point_gravity() -> mb.Model:
    model = mb.Model("planets")
    ground = model.add(sp.World(mu=1.0))
    for k, place, speed in ((1, (0, 0.6, 0), (1, 0, 0)), (2, (0.6, 0.6, 0), (0.6, 0, 0))):
        space = model.add(sp.Free(f"space{k}", position=place, velocity=speed))
        body = model.add(sp.Body(f"body{k}", 1.0, (0.1, 0.1, 0.1)))
        model.connect(ground.frame, space.frame_a)
        model.connect(space.frame_b, body.frame)
    return model


def spherical_constraint() -> mb.Model:
    """A body on a ball joint in a turned frame, its other end on a spring without length."""
    model = mb.Model("ball")
    world(model)
    turned = model.add(sp.Fixed("turned", (0.2, -0.3, 0.2), axes="xyz", angles=np.deg2rad([10.0, 55.0, 68.0])))
    ball = model.add(sp.Spherical("ball", angular_velocity=(0.0, 0.0, 0.0)))
    body = model.add(sp.Body("body", 1.0, (1.0, 1.0, 1.0), (0.2, 0, 0), points=((0.4, 0, 0),)))
    spring, wall = model.add(sp.Spring("spring", 20.0)), model.add(sp.Fixed("wall", (0.8, 0, 0.3)))
    model.connect(turned.frame, ball.frame_a)
    model.connect(ball.frame_b, body.frame)
    model.connect(wall.frame, spring.frame_a)
    model.connect(spring.frame_b, body.frame_1)
    return model


def fourbar_1(*, ball: bool = False) -> mb.Model:
    """Loops.Fourbar1: three bars of steel in space. Three hinges stand for a ball joint; ball: use one."""
    model = mb.Model("fourbar_1")
    ground, base = world(model), model.add(sp.Rod("base", (1.2, 0, 0)))
    j1 = model.add(sp.Revolute("j1", "x", angle=0.0, speed=np.deg2rad(300.0)))
    j2 = model.add(sp.Prismatic("j2", "x", mb.Guess(-0.2)))
    rev, rev1 = (model.add(sp.Revolute(n, axis, angle=mb.Guess(0.0))) for n, axis in (("rev", "y"), ("rev1", "z")))
    bars = {"b1": (0, 0.5, 0.1), "b2": (0, 0.2, 0), "b3": (-1, 0.3, 0.1)}
    b1, b2, b3 = (model.add(sp.Cylinder(name, vector, 0.05)) for name, vector in bars.items())
    model.connect(ground.frame, j1.frame_a, base.frame_a)
    model.connect(j1.frame_b, b1.frame_a)
    model.connect(base.frame_b, j2.frame_a)
    model.connect(j2.frame_b, b2.frame_a)
    model.connect(b2.frame_b, rev.frame_a)
    model.connect(rev.frame_b, rev1.frame_a)
    model.connect(rev1.frame_b, b3.frame_a)
    end = b1.frame_b
    hinges = [(n, sp.Revolute(n, axis)) for n, axis in (("j3", "x"), ("j4", "y"), ("j5", "z"))]
    for _, joint in [("j3", sp.Spherical("j3"))] if ball else hinges:
        model.add(joint)
        model.connect(end, joint.frame_a)
        end = joint.frame_b
    model.connect(end, b3.frame_b)
    return model


def planar_fourbar() -> mb.Model:
    """Loops.PlanarFourbar: four hinges, three bars of steel, a damper on the first hinge."""
    model = mb.Model("planar_fourbar")
    ground, post = world(model), model.add(sp.Rod("post", FIXED_SIDE))
    first = model.add(sp.Revolute("first", angle=0.0, speed=0.0, damping=0.1))
    second, fourth = (model.add(sp.Revolute(name, angle=mb.Guess(0.0))) for name in ("second", "fourth"))
    third = model.add(sp.Revolute("third"))
    crank, coupler, rocker = (model.add(sp.Box(name, vector, width=0.05)) for name, vector in MOVING.items())
    model.connect(ground.frame, first.frame_a, post.frame_a)
    model.connect(first.frame_b, crank.frame_a)
    model.connect(crank.frame_b, second.frame_a)
    model.connect(second.frame_b, coupler.frame_a)
    model.connect(post.frame_b, fourth.frame_a)
    model.connect(fourth.frame_b, rocker.frame_a)
    model.connect(rocker.frame_b, third.frame_a)
    model.connect(coupler.frame_b, third.frame_b)
    return model
