"""Machines to look at."""

from __future__ import annotations

import multibond as mb
from multibond import electrical as el
from multibond import spatial as sp


def rlc() -> mb.Model:
    """A series circuit in scalar bonds."""
    m = mb.Model("rlc")
    i = m.add(mb.One("current"))
    m.bond(mb.Se("battery", 12.0), i)
    m.bond(i, mb.R("winding", 1.2))
    m.bond(i, mb.I("coil", 2e-3))
    m.bond(i, mb.C("cap", 1e-3))
    return m


def pendulum(*, backwards: bool = False) -> mb.Model:
    """A pendulum from parts; `backwards` adds and connects them in the opposite order."""
    m = mb.Model("arm")
    parts = [
        sp.World(),
        sp.Revolute("hip", axis="z", angle=0.5, damping=0.1),
        sp.Rod("leg", (0.0, -0.5, 0.0)),
        sp.Body("foot", mass=1.0, inertia=(0.08, 0.001, 0.08)),
    ]
    joins = [("world.frame", "hip.frame_a"), ("hip.frame_b", "leg.frame_a"), ("leg.frame_b", "foot.frame")]
    for part in reversed(parts) if backwards else parts:
        m.add(part)
    for join in reversed(joins) if backwards else joins:
        m.connect(*(reversed(join) if backwards else join))
    return m


def slider_crank(*, backwards: bool = False) -> mb.Model:
    """A slider crank from parts, with a loop."""
    m = mb.Model("slider_crank")
    parts = [
        sp.World(),
        sp.Revolute("O", angle=0.5, torque=10.0),
        sp.Revolute("B"),
        sp.Revolute("C", damping=2.0),
        sp.Prismatic("guide", damping=5.0),
        sp.Body("crank", mass=1.0, inertia=(1.0, 1.0, 1.0), centre=(0.1, 0.0, 0.0)),
        sp.Rod("crank_rod", (0.2, 0.0, 0.0)),
        sp.Body("rod", mass=1.0, inertia=(1.0, 1.0, 1.0), centre=(0.5, 0.0, 0.0)),
        sp.Rod("rod_rod", (1.0, 0.0, 0.0)),
        sp.Body("piston", mass=2.0, inertia=(1.0, 1.0, 1.0)),
    ]
    joins = [
        ("world.frame", "O.frame_a", "guide.frame_a"),
        ("O.frame_b", "crank.frame"),
        ("crank.frame", "crank_rod.frame_a"),
        ("crank_rod.frame_b", "B.frame_a"),
        ("B.frame_b", "rod.frame"),
        ("rod.frame", "rod_rod.frame_a"),
        ("rod_rod.frame_b", "C.frame_a"),
        ("C.frame_b", "piston.frame", "guide.frame_b"),
    ]
    for part in reversed(parts) if backwards else parts:
        m.add(part)
    for join in reversed(joins) if backwards else joins:
        m.connect(*(reversed(join) if backwards else join))
    return m


def motor() -> mb.Model:
    """A motor at its supply: pins, a flange, a gyrator."""
    m = mb.Model("drive")
    supply, ground = m.add(el.VoltageSource("supply", voltage=12.0)), m.add(el.Ground())
    motor = m.add(el.DCMotor("motor", resistance=1.0, inductance=1e-3, constant=0.05, inertia=1e-4, damping=1e-4))
    m.connect(supply.pin_p, motor.pin_p)
    m.connect(supply.pin_n, motor.pin_n, ground.pin)
    return m


def tethered() -> mb.Model:
    """Two free bodies and a spring."""
    m = mb.Model("tethered")
    m.add(sp.World())
    stone = m.add(sp.Body("stone", mass=1.0, inertia=(0.1, 0.2, 0.25)))
    weight = m.add(sp.Body("anchor", mass=3.0, inertia=(0.1, 0.2, 0.25)))
    spring = m.add(sp.Spring("spring", stiffness=10.0, rest=1.0))
    m.connect(weight.frame, spring.frame_a)
    m.connect(stone.frame, spring.frame_b)
    return m


def chain(links: int = 6) -> mb.Model:
    """A chain so long that its drawing goes on in further rows."""
    m = mb.Model("chain")
    at = m.add(sp.World()).frame
    for k in range(links):
        hinge = m.add(sp.Revolute(f"hinge{k}"))
        body = m.add(sp.Body(f"body{k}", mass=1.0, inertia=(0.1, 0.1, 0.1)))
        rod = m.add(sp.Rod(f"rod{k}", (0.0, -0.5, 0.0)))
        m.connect(at, hinge.frame_a)
        m.connect(hinge.frame_b, body.frame)
        m.connect(body.frame, rod.frame_a)
        at = rod.frame_b
    return m


def nested() -> mb.Model:
    """A model that uses another model as a part."""
    inner = mb.Model("leg")
    hinge = inner.add(sp.Revolute("knee", angle=0.3))
    body = inner.add(sp.Body("shank", mass=1.0, inertia=(0.1, 0.1, 0.1), centre=(0.0, -0.2, 0.0)))
    inner.connect(hinge.frame_b, body.frame)
    inner.expose("frame", hinge.frame_a)
    m = mb.Model("walker")
    world, leg = m.add(sp.World()), m.add(inner)
    m.connect(world.frame, leg.frame)
    return m


DRAWINGS = [(make, depth) for make in (rlc, pendulum, slider_crank, motor, tethered, chain, nested) for depth in (1, 2)]
