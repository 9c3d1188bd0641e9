"""Machines to invert: each built for a given input, with the names of its input and its output."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

import multibond as mb
from multibond import electrical as el
from multibond import rotational as ro
from multibond import spatial as sp
from multibond import translational as tr

FIELD = [[1.3, 0.2, -0.1], [0.2, 0.9, 0.15], [-0.1, 0.15, 1.1]]


@dataclass(frozen=True)
class Machine:
    """build: the model for given inputs, one formula or number for each component; inputs, outputs: by name.

    order: how often the outputs have to be differentiated in all. target: smooth outputs that begin at rest.
    """

    build: Callable[[list[Any]], mb.Model]
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    order: int
    components: int = 1
    size: float = 1.0
    until: float = 2.0


def _value(given: list[Any]) -> Any:
    return given[0] if len(given) == 1 else given


def drive(given: list[Any]) -> mb.Model:
    """A motor: voltage, winding, coil, gyrator, rotor."""
    m = mb.Model("drive")
    current, speed, motor = m.add(mb.One("current")), m.add(mb.One("speed")), m.add(mb.GY("motor", 0.5))
    m.bond(mb.Se("battery", _value(given)), current)
    for part in (mb.R("winding", 1.2), mb.I("coil", 0.2)):
        m.bond(current, part)
    m.bond(current, motor.a)
    m.bond(motor.b, speed)
    for part in (mb.I("rotor", 0.1), mb.R("friction", 0.05)):
        m.bond(speed, part)
    return m


def ladder(given: list[Any]) -> mb.Model:
    """Three resistors and three capacitors in a row."""
    m = mb.Model("ladder")
    last: Any = mb.Se("source", _value(given))
    for k, (r, c) in enumerate(((1.0, 0.5), (0.8, 0.4), (1.3, 0.3))):
        one, zero = m.add(mb.One(f"i{k}")), m.add(mb.Zero(f"u{k}"))
        m.bond(last, one)
        m.bond(one, mb.R(f"r{k}", r))
        m.bond(one, zero)
        m.bond(zero, mb.C(f"c{k}", c))
        last = zero
    return m


def tanks(given: list[Any]) -> mb.Model:
    """A pump, two tanks with a pipe between them, an outlet; the half-arrow points to the pump."""
    m = mb.Model("tanks")
    first, second, pipe = m.add(mb.Zero("first")), m.add(mb.Zero("second")), m.add(mb.One("pipe"))
    m.bond(first, mb.Sf("pump", _value(given)))
    m.bond(first, mb.C("tank1", 0.7))
    m.bond(first, pipe)
    m.bond(pipe, mb.R("throttle", 0.9))
    m.bond(pipe, second)
    m.bond(second, mb.C("tank2", 1.1))
    m.bond(second, mb.R("outlet", 2.0))
    return m


def divider(given: list[Any]) -> mb.Model:
    """A resistor before a capacitor: its voltage follows at once."""
    m = mb.Model("divider")
    one = m.add(mb.One("current"))
    m.bond(mb.Se("source", _value(given)), one)
    m.bond(one, mb.R("r", 2.0))
    m.bond(one, mb.C("c", 0.4))
    return m


def gear(given: list[Any]) -> mb.Model:
    """Two inertias on a gear, one of them dependent, and a spring behind them."""
    m = mb.Model("gear")
    fast, slow, box = m.add(mb.One("fast")), m.add(mb.One("slow")), m.add(mb.TF("box", 0.25))
    m.bond(mb.Se("torque", _value(given)), fast)
    m.bond(fast, mb.I("rotor", 0.3))
    m.bond(fast, box.a)
    m.bond(box.b, slow)
    for part in (mb.I("load", 2.0), mb.R("bearing", 0.4), mb.C("shaft", 0.5)):
        m.bond(slow, part)
    return m


def block(given: list[Any]) -> mb.Model:
    """A vector of three: inertia with a full field, friction, a spring."""
    m = mb.Model("block", size=3)
    v = m.add(mb.One("v"))
    m.bond(mb.Se("force", given), v)
    for part in (mb.I("mass", FIELD), mb.R("friction", (0.3, 0.5, 0.2)), mb.C("spring", (0.5, 0.8, 1.1))):
        m.bond(v, part)
    return m


def table(given: list[Any]) -> mb.Model:
    """Two forces on a table through a full transformer, its velocity over springs to a second mass: vectors of two."""
    m = mb.Model("table", size=2)
    hand, plate, gap, tool = m.add(mb.One("hand")), m.add(mb.One("plate")), m.add(mb.Zero("gap")), m.add(mb.One("tool"))
    levers = m.add(mb.TF("levers", [[1.0, 0.4], [-0.3, 0.8]]))
    m.bond(mb.Se("force", given), hand)
    m.bond(plate, levers.a)
    m.bond(levers.b, hand)
    m.bond(plate, mb.I("slab", (1.2, 0.8)))
    m.bond(plate, gap)
    stretch = m.add(mb.One("stretch"))
    m.bond(gap, stretch)
    m.bond(stretch, mb.C("legs", (0.2, 0.3)))
    m.bond(stretch, mb.R("pads", (0.5, 0.6)))
    m.bond(gap, tool)
    m.bond(tool, mb.I("head", (0.5, 0.4)))
    return m


def top(given: list[Any]) -> mb.Model:
    """A rotating body with torques about its own axes: Euler's equations."""
    m = mb.Model("top", size=3)
    w = m.add(mb.One("w"))
    m.bond(mb.Se("torque", given), w)
    m.bond(w, mb.I("body", (1.0, 2.0, 3.0)))
    m.bond(w, mb.EulerGyrator("gyroscopic", (1.0, 2.0, 3.0)))
    return m


def hardening(given: list[Any]) -> mb.Model:
    """A mass on a spring that hardens; its displacement is read."""
    m = mb.Model("hardening")
    v = m.add(mb.One("v"))
    m.bond(mb.Se("force", _value(given)), v)
    m.bond(v, mb.I("mass", 0.8))
    m.bond(v, mb.R("damper", 0.3))
    m.bond(v, mb.C("spring", effort="4*q + 3*q**3"))
    m.bond(v, mb.Dq("place"))
    return m


def crane(given: list[Any]) -> mb.Model:
    """PlanarMechanics' crane crab with its load above it."""
    model = mb.Model("crane")
    world = model.add(sp.World())
    rail = model.add(sp.Prismatic("rail", axis="x", position=0.0, speed=0.0))
    cart = model.add(sp.Body("cart", mass=1.0))
    hinge = model.add(sp.Revolute("hinge", axis="z", angle=-0.5, speed=0.0))
    rod = model.add(sp.Rod("rod", (0.0, 1.0, 0.0)))
    load = model.add(sp.Body("load", mass=0.5, inertia=(0.1, 0.1, 0.1)))
    push = model.add(tr.Force("push", _value(given)))
    model.connect(world.frame, rail.frame_a)
    model.connect(rail.frame_b, cart.frame, hinge.frame_a)
    model.connect(hinge.frame_b, rod.frame_a)
    model.connect(rod.frame_b, load.frame)
    model.connect(push.flange, rail.flange)
    return model


def arm(given: list[Any]) -> mb.Model:
    """Two links with a motor in each joint, the axes at right angles."""
    model = mb.Model("arm")
    world = model.add(sp.World())
    last = world.frame
    for k, axis in enumerate("zx"):
        joint = model.add(sp.Revolute(f"joint{k}", axis=axis, angle=0.0, speed=0.0, damping=0.2))
        rod = model.add(sp.Rod(f"rod{k}", (0.1, -0.6, 0.05)))
        body = model.add(sp.Body(f"body{k}", mass=1.0 + 0.3 * k, inertia=(0.02, 0.03, 0.04)))
        motor = model.add(ro.Torque(f"motor{k}", given[k]))
        model.connect(last, joint.frame_a)
        model.connect(joint.frame_b, rod.frame_a)
        model.connect(rod.frame_b, body.frame)
        model.connect(motor.flange, joint.flange)
        last = rod.frame_b
    return model


def lift(given: list[Any]) -> mb.Model:
    """A direct-current motor that lifts a pendulum: voltage to angle through three storages."""
    model = mb.Model("lift")
    source, ground = model.add(el.VoltageSource("source", _value(given))), model.add(el.Ground())
    motor = model.add(el.DCMotor("motor", resistance=1.0, inductance=5e-2, constant=0.4, inertia=2e-2, damping=1e-2))
    world = model.add(sp.World())
    hinge = model.add(sp.Revolute("hinge", axis="z", angle=0.0, speed=0.0))
    rod = model.add(sp.Rod("rod", (0.0, -0.2, 0.0)))
    bob = model.add(sp.Body("bob", mass=0.3))
    model.connect(source.pin_p, motor.pin_p)
    model.connect(source.pin_n, motor.pin_n, ground.pin)
    model.connect(motor.flange, hinge.flange)
    model.connect(world.frame, hinge.frame_a)
    model.connect(hinge.frame_b, rod.frame_a)
    model.connect(rod.frame_b, bob.frame)
    return model


MACHINES = {
    "drive": Machine(drive, ("battery",), ("rotor.f",), 2),
    "ladder": Machine(ladder, ("source",), ("c2.e",), 3),
    "tanks": Machine(tanks, ("pump",), ("tank2.e",), 2),
    "divider": Machine(divider, ("source",), ("r.e",), 0),
    "gear": Machine(gear, ("torque",), ("load.f",), 1),
    "block": Machine(block, ("force",), ("mass.f",), 3, 3),
    "table": Machine(table, ("force",), ("slab.f",), 2, 2),
    "top": Machine(top, ("torque",), ("body.f",), 3, 3),
    "hardening": Machine(hardening, ("force",), ("place",), 2),
    "arm": Machine(arm, ("motor0", "motor1"), ("joint0.angle", "joint1.angle"), 4, 2),
    "lift": Machine(lift, ("source",), ("hinge.angle",), 3),
}


def rising(size: float, k: int) -> tuple[str, Callable[[np.ndarray], np.ndarray]]:
    """A smooth function that begins at rest to the fourth order, as text and as numbers."""
    rate = 1.0 + 0.3 * k
    return f"{size} * tanh({rate} * t)**5", lambda t: size * np.tanh(rate * t) ** 5
