"""Machines for the tests of the state space, each with the story of its case."""

from __future__ import annotations

import math

import multibond as mb
from multibond import electrical as el
from multibond import rotational as ro
from multibond import spatial as sp
from multibond.examples import disc
from multibond.graph.graph import Graph


def pendulum(*, speed: float = 0.3) -> mb.Model:
    """A hinge with a damper and a body whose centre lies off the axis: case (15)."""
    model = mb.Model("pendulum")
    world = model.add(sp.World())
    hip = model.add(sp.Revolute("hip", axis="z", angle=0.5, speed=speed, damping=0.1))
    bob = model.add(sp.Body("bob", mass=1.0, inertia=(0.1, 0.2, 0.15), centre=(0.1, -0.5, 0.05)))
    model.connect(world.frame, hip.frame_a)
    model.connect(hip.frame_b, bob.frame)
    return model


def flying(*, tail: bool = True) -> mb.Model:
    """A body that nothing holds on a spring, with one hinged to it: the joint that sets it free is kept as it is."""
    model = mb.Model("flying")
    world, hook = model.add(sp.World()), model.add(sp.Spring("hook", 40.0))
    body, rod = model.add(sp.Body("body", mass=2.0, inertia=(0.1, 0.2, 0.15))), model.add(sp.Rod("rod", (0.2, 0.1, 0)))
    model.connect(world.frame, hook.frame_a)
    model.connect(body.frame, rod.frame_a)
    model.connect(rod.frame_b, hook.frame_b)
    if tail:
        hinge = model.add(sp.Revolute("hinge", axis="z", angle=0.3, speed=0.5, stiffness=2.0))
        end = model.add(sp.Body("tail", mass=0.5, inertia=(0.01, 0.02, 0.02), centre=(0.1, 0, 0)))
        model.connect(body.frame, hinge.frame_a)
        model.connect(hinge.frame_b, end.frame)
    return model


def through_damper() -> mb.Model:
    """A mass tied to a massless point that a damper and a spring hold: case (14), the tie's force is R v at once."""
    model = mb.Model("through_damper")
    v, tie, point = model.add(mb.One("v")), model.add(mb.Zero("tie")), model.add(mb.One("point"))
    model.bond(mb.Se("push", lambda t: 3 * mb.sin(2 * t)), v)
    model.bond(v, mb.I("mass", 2.0, start=1.0))
    model.bond(v, tie)
    model.bond(tie, point)
    model.bond(mb.Constraint("rope", size=1), tie)
    model.bond(point, mb.R("oil", 0.7))
    model.bond(point, mb.C("spring", 0.05, start=0.02))
    return model


def mixed() -> mb.Model:
    """Two masses tied rigidly (15), the second tied to a massless damper (14): rows of both kinds."""
    model = mb.Model("mixed")
    first, second, point = model.add(mb.One("first")), model.add(mb.One("second")), model.add(mb.One("point"))
    rod, rope = model.add(mb.Zero("rod")), model.add(mb.Zero("rope"))
    model.bond(mb.Se("push", lambda t: 3 * mb.cos(t)), first)
    model.bond(first, mb.I("m1", 2.0, start=1.0))
    model.bond(first, rod)
    model.bond(rod, second)
    model.bond(mb.Constraint("rigid", size=1), rod)
    model.bond(second, mb.I("m2", 0.5, start=0.25))
    model.bond(second, rope)
    model.bond(rope, point)
    model.bond(mb.Constraint("pull", size=1), rope)
    model.bond(point, mb.R("oil", 0.7))
    model.bond(second, mb.C("spring", 0.05, start=0.02))
    return model


def motor_arm() -> mb.Model:
    """A direct-current motor drives an arm through a twisting shaft: electrical and spatial storages in one X."""
    model = mb.Model("motor_arm")
    source, ground = model.add(el.VoltageSource("source", lambda t: 6 + mb.sin(3 * t))), model.add(el.Ground())
    motor = model.add(el.DCMotor("motor", resistance=1.0, inductance=5e-3, constant=0.1, inertia=2e-3, damping=1e-3))
    shaft = model.add(ro.Spring("shaft", 40.0))
    world = model.add(sp.World())
    hinge = model.add(sp.Revolute("hinge", axis="z", angle=0.2, speed=0.4))
    arm = model.add(sp.Body("arm", mass=0.3, inertia=(1e-3, 2e-4, 1e-3), centre=(0.0, -0.2, 0.0)))
    elbow = model.add(sp.Universal("elbow", axis="x", second_axis="y", angles=(0.3, -0.2), speeds=(0.5, 0.1)))
    reach = model.add(sp.Rod("reach", (0.0, -0.4, 0.0)))
    hand = model.add(sp.Body("hand", mass=0.1, inertia=(3e-4, 2e-4, 3e-4), centre=(0.0, -0.1, 0.02)))
    model.connect(source.pin_p, motor.pin_p)
    model.connect(source.pin_n, motor.pin_n, ground.pin)
    model.connect(motor.flange, shaft.flange_a)
    model.connect(shaft.flange_b, hinge.flange)
    model.connect(world.frame, hinge.frame_a)
    model.connect(hinge.frame_b, arm.frame, reach.frame_a)
    model.connect(reach.frame_b, elbow.frame_a)
    model.connect(elbow.frame_b, hand.frame)
    return model


def disc_with_constraint(*, scalar: bool) -> Graph:
    """The disc with sliding mass, its hole a constraint in place of a zero flow source: three momenta, one effort.

    Drawn with scalar bonds, the four transformers of A01 hold an algebraic loop inside the junction structure.
    """
    graph = mb.expand(disc(scalar=scalar, stiffness=30.0))
    return graph.with_(elements=graph.elements | {"hole": mb.Constraint("hole", size=1)})


def spun_rotor() -> mb.Model:
    """A hinge turned at a given speed through a constraint, a second body on it: dU1/dt and the rate of J_C count."""
    model = mb.Model("spun_rotor")
    world = model.add(sp.World())
    hinge = model.add(sp.Revolute("hinge", axis=(1, 2, 2), angle=0.4))
    body = model.add(sp.Body("body", mass=1.3, inertia=(0.1, 0.2, 0.15), centre=(0.1, -0.5, 0.2)))
    ball = model.add(sp.Spherical("ball", quaternion=(1.0, 0.0, 0.0, 0.0), angular_velocity=(0.3, 0.2, -0.4)))
    bob = model.add(sp.Body("bob", mass=0.4, inertia=(0.01, 0.02, 0.025), centre=(0.0, -0.2, 0.0)))
    drive, tie = model.add(mb.Sf("drive", lambda t: 1 + mb.sin(3 * t), size=1)), model.add(mb.Zero("tie", size=1))
    model.connect(world.frame, hinge.frame_a)
    model.connect(hinge.frame_b, body.frame, ball.frame_a)
    model.connect(ball.frame_b, bob.frame)
    model.bond(drive, tie)
    model.bond(tie, hinge.flange)
    model.bond(mb.Constraint("clutch", size=1), tie)
    return model


def braked_hinge() -> mb.Model:
    """A body on a hinge whose flange is tied to a massless brake: joint rows as in (15), the tie's as in (14)."""
    model = mb.Model("braked_hinge")
    world = model.add(sp.World())
    hinge = model.add(sp.Revolute("hinge", axis=(1, 2, 2), angle=0.4, speed=2.0))
    body = model.add(sp.Body("body", mass=1.3, inertia=(0.1, 0.2, 0.15), centre=(0.1, -0.5, 0.2)))
    tie, drum = model.add(mb.Zero("tie", size=1)), model.add(mb.One("drum", size=1))
    model.connect(world.frame, hinge.frame_a)
    model.connect(hinge.frame_b, body.frame)
    model.bond(hinge.flange, tie)
    model.bond(tie, drum)
    model.bond(drum, mb.R("brake", 0.8, size=1))
    model.bond(mb.Constraint("belt", size=1), tie)
    return model


def skate() -> mb.Model:
    """A mass on a runner that turns freely: no flow across the runner, drag along it; the tie is a vector of two.

    Which combination of its rows is held and which is dragged depends on the angle: rows split in turned axes.
    """
    model = mb.Model("skate", size=2)
    turn, v, slide = model.add(mb.One("turn", size=1)), model.add(mb.One("v")), model.add(mb.Zero("slide"))
    angle, along = model.add(mb.Dq("angle", start=0.7, size=1)), model.add(mb.One("along", size=1))
    axes, turned = model.add(mb.DirectSum("axes", 1, 1)), model.add(mb.MTF("A01", 2, 2, inverse="transpose"))
    entries = model.add(mb.blocks.Function("entries", ["cos(u)", "-sin(u)", "sin(u)", "cos(u)"]))
    model.bond(turn, mb.I("yaw", 0.2, start=0.3, size=1))
    model.bond(turn, angle)
    model.bond(v, mb.I("mass", 3.0, start=(6 * math.cos(0.7), 6 * math.sin(0.7)), size=2))
    model.bond(along, axes.part_1)
    model.bond(along, mb.R("drag", 0.9, size=1))
    model.bond(mb.Sf("edge", 0.0, size=1), axes.part_2)
    model.bond(axes.whole, turned.a)
    model.bond(turned, slide)
    model.bond(slide, v)
    model.bond(mb.Constraint("runner", size=2), slide)
    model.signal(angle.value, entries.u)
    model.signal(entries.y, turned.modulus)
    return model


def through_gyrator() -> mb.Model:
    """Two masses tied to the ends of a gyrator: no resistance at all, and still case (14), by J_Cu2 alone."""
    model = mb.Model("through_gyrator")
    first, second = model.add(mb.One("first")), model.add(mb.One("second"))
    left, right, gyrator = model.add(mb.Zero("left")), model.add(mb.Zero("right")), model.add(mb.GY("spin", 0.4))
    model.bond(first, mb.I("m1", 2.0, start=1.0))
    model.bond(second, mb.I("m2", 0.5, start=0.7))
    model.bond(first, left)
    model.bond(left, gyrator)
    model.bond(gyrator, right)
    model.bond(right, second)
    model.bond(mb.Constraint("tie_1", size=1), left)
    model.bond(mb.Constraint("tie_2", size=1), right)
    return model


def ladder() -> mb.Model:
    """Two resistors around a node without storage: each needs what the other gives, an algebraic loop J_LL."""
    model = mb.Model("ladder")
    first, node, last = model.add(mb.One("first")), model.add(mb.Zero("node")), model.add(mb.One("last"))
    model.bond(mb.Se("battery", 12 + mb.sin(mb.t)), first)
    model.bond(first, mb.R("line", 2.0))
    model.bond(first, node)
    model.bond(node, mb.R("leak", 5.0))
    model.bond(node, last)
    model.bond(last, mb.R("winding", 1.0))
    model.bond(last, mb.I("coil", 0.3, start=0.2))
    return model
