"""Small graphs, each made so that certain rewrites have something to do."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

import multibond as mb
from multibond import blocks

TURN = ["cos(u)", "-sin(u)", "0", "sin(u)", "cos(u)", "0", "0", "0", "1"]
TILT = ["1", "0", "0", "0", "cos(u)", "-sin(u)", "0", "sin(u)", "cos(u)"]
FIELD = np.array([[2.0, 0.3, -0.1], [0.3, 1.5, 0.2], [-0.1, 0.2, 1.0]])


def side(model: mb.Model, name: str, mass: object = 1.0, *, size: int = 1, start: object = 0.0) -> mb.One:
    """A 1-junction with an inertia and a resistance."""
    one = model.add(mb.One(name, size=size))
    model.bond(one, mb.I(f"{name}_mass", mass, start=start, size=size))
    model.bond(one, mb.R(f"{name}_loss", 0.3, size=size))
    return one


def modulated(model: mb.Model, item: mb.MTF, formulas: list[str], sensor: str) -> mb.MTF:
    """Add a transformer whose modulus is a list of formulas of what a sensor reads."""
    model.add(item)
    law = model.add(blocks.Function(f"{item.name}_law", formulas))
    model.signal(f"{sensor}.value", law.u)
    model.signal(law.y, item.modulus)
    return item


def row_of(*items: mb.Element) -> mb.Model:
    """A driven inertia, couplers in a row, and a load on a spring behind them."""
    model = mb.Model("row")
    left, right = side(model, "left", 2.0, start=1.0), model.add(mb.One("right"))
    model.bond(mb.Se("push", "sin(2*t)"), left)
    previous = left
    for item in items:
        coupler = model.add(item)
        model.bond(previous, coupler.a)
        previous = coupler.b
    model.bond(previous, right)
    model.bond(right, mb.C("spring", 0.4))
    model.bond(right, mb.R("friction", 0.2))
    return model


def loaded(coupler: mb.Element, *, size: int = 1, behind: object = 0.7, more: bool = True) -> mb.Model:
    """An inertia behind a coupler, alone or with a resistance beside it."""
    model = mb.Model("loaded")
    rows = coupler.ports()[1].size or size
    front = side(model, "front", 2.0, size=size, start=1.0)
    item, back = model.add(coupler), model.add(mb.One("back", size=rows))
    model.bond(front, item.a)
    model.bond(item.b, back)
    model.bond(back, mb.I("load", behind, size=rows))
    if more:
        model.bond(back, mb.R("drag", 0.4, size=rows))
    return model


def swinging(*, reversed_: bool = False) -> mb.Model:
    """A mass at a point that an angle moves, v = (-sin, cos) w: its inertia changes with the angle when a field."""
    model = mb.Model("swinging")
    turn = model.add(mb.One("turn"))
    model.bond(turn, mb.I("wheel", 0.5, start=1.0))
    model.bond(turn, mb.Dq("angle", start=0.3))
    lever = modulated(model, mb.MTF("lever", 2, 1), ["-(1 + u**2)*sin(u)", "(1 + u**2)*cos(u)"], "angle")
    point = model.add(mb.One("point", size=2))
    model.bond(*((lever.a, turn) if reversed_ else (turn, lever.a)))
    model.bond(*((point, lever.b) if reversed_ else (lever.b, point)))
    model.bond(point, mb.I("mass", (0.7, 1.1)))
    model.bond(mb.Se("weight", (0.0, -9.81), role="gravity"), point)
    return model


def turning() -> mb.Model:
    """A body behind two rotations in a row, with its Euler gyrator; the frame in front has an inertia of its own."""
    model = mb.Model("turning", size=3)
    front, body = model.add(mb.One("front")), model.add(mb.One("body"))
    model.bond(front, mb.I("frame", FIELD, start=(1.0, -0.5, 0.7)))
    model.bond(front, mb.Dq("angles"))
    for name, law in (("first", TURN), ("second", TILT)):
        item = model.add(mb.MTF(name, 3, 3, inverse="transpose"))
        block = model.add(blocks.Function(f"{name}_law", law))
        model.signal("angles.value[2]" if name == "first" else "angles.value[0]", block.u)
        model.signal(block.y, item.modulus)
    model.bond(front, "first.a")
    model.bond("first.b", "second.a")
    model.bond("second.b", body)
    model.bond(body, mb.I("rotor", (0.3, 0.5, 0.9)))
    model.bond(body, mb.EulerGyrator("gyroscopic", (0.3, 0.5, 0.9)))
    model.bond(body, mb.R("drag", (0.1, 0.2, 0.3)))
    return model


def spinning() -> mb.Model:
    """A body behind a fixed rotation, with its Euler gyrator, and nothing else."""
    model = mb.Model("spinning", size=3)
    front, body = model.add(mb.One("front")), model.add(mb.One("body"))
    model.bond(front, mb.I("frame", FIELD, start=(1.0, -0.5, 0.7)))
    fixed = np.array([[0.36, 0.48, -0.8], [-0.8, 0.6, 0.0], [0.48, 0.64, 0.6]])
    model.bond(front, model.add(mb.TF("fixed", fixed, "transpose")).a)
    model.bond("fixed.b", body)
    model.bond(body, mb.EulerGyrator("gyroscopic", (0.3, 0.5, 0.9)))
    model.bond(body, mb.I("rotor", (0.3, 0.5, 0.9)))
    return model


def moving_point() -> mb.Model:
    """A mass in world axes whose velocity is given in a frame that turns (Tiernego & Bos, section V)."""
    model = mb.Model("moving_point", size=2)
    turn, frame, world = model.add(mb.One("turn", size=1)), model.add(mb.One("frame")), model.add(mb.One("world"))
    model.bond(turn, mb.I("wheel", 1.5, start=2.0, size=1))
    model.bond(turn, mb.Dq("angle", size=1))
    rotation = ["cos(u)", "-sin(u)", "sin(u)", "cos(u)"]
    modulated(model, mb.MTF("A", 2, 2, inverse="transpose"), rotation, "angle")
    model.bond(frame, mb.C("spring", (0.2, 0.1), start=(0.1, -0.05)))
    model.bond(frame, mb.R("friction", (0.3, 0.2)))
    model.bond(frame, "A.a")
    model.bond("A.b", world)
    model.bond(world, mb.I("mass", 0.8, start=(0.4, -0.2), size=2))
    model.bond(mb.Se("weight", (0.0, -9.81 * 0.8), role="gravity"), world)
    return model


def summed(coupler: mb.Element, *, size: int = 2) -> mb.Model:
    """Two flows, one of them transformed, meet at a 0-junction: v₃ = v₂ + B v₁."""
    model = mb.Model("summed")
    item = model.add(coupler)
    first = side(model, "first", 2.0, size=item.ports()[0].size or size, start=1.0)
    second = side(model, "second", 1.5, size=size, start=-0.4)
    total, third = model.add(mb.Zero("total", size=size)), model.add(mb.One("third", size=size))
    model.bond(first, item.a)
    model.bond(item.b, total)
    model.bond(second, total)
    model.bond(total, third)
    model.bond(third, mb.C("spring", 0.5, size=size))
    model.bond(third, mb.R("friction", 0.2, size=size))
    return model


def crowded() -> mb.Model:
    """Junctions of one kind in a row, one that leads through, several storages and resistors on each."""
    model = mb.Model("crowded", size=2)
    ones = [model.add(mb.One(f"one{k}")) for k in range(3)]
    zeros = [model.add(mb.Zero(f"zero{k}")) for k in range(2)]
    through = model.add(mb.One("through"))
    model.bond(ones[0], ones[1])
    model.bond(ones[2], ones[1])
    model.bond(zeros[1], zeros[0])
    model.bond(ones[2], through)
    model.bond(through, zeros[0])
    model.bond(ones[0], mb.I("coil_a", (1.0, 2.0), start=(0.5, 0.2)))
    model.bond(mb.Se("push", (1.0, "cos(t)")), ones[0])
    model.bond(ones[1], mb.I("coil_b", np.array([[0.6, 0.1], [0.1, 0.9]]), start=(0.31, 0.14)))
    model.bond(ones[0], mb.I("coil_c", 0.4, start=(0.2, 0.04)))
    model.bond(zeros[0], mb.C("tank_c", 0.1, start=(0.02, 0.06)))
    model.bond(ones[2], mb.R("loss_a", 0.2))
    model.bond(ones[2], mb.R("loss_b", (0.1, 0.4)))
    model.bond(zeros[0], mb.C("tank_a", 0.5, start=(0.1, 0.3)))
    model.bond(zeros[1], mb.C("tank_b", (0.25, 1.0), start=(0.05, 0.6)))
    model.bond(zeros[1], mb.R("leak_a", 3.0))
    model.bond(zeros[1], mb.R("leak_b", (2.0, 5.0)))
    model.bond(zeros[0], mb.G("leak_c", 0.1))
    model.bond(zeros[0], mb.G("leak_d", (0.2, 0.05)))
    return model


def to_and_fro() -> mb.Model:
    """A 1-junction and a 0-junction with bonds there and back, which cancel."""
    model = mb.Model("to_and_fro")
    one, zero = side(model, "one", 1.2, start=0.8), model.add(mb.Zero("zero"))
    model.bond(one, zero)
    model.bond(zero, one)
    model.bond(one, mb.C("spring", 0.3))
    model.bond(zero, mb.C("tank", 0.6, start=0.2))
    model.bond(zero, mb.R("leak", 1.4))
    return model


def idle() -> mb.Model:
    """A mass between a wall that stands still, seen through a lever and a gyrator, and a force of zero."""
    model = mb.Model("idle")
    one, wall, gap = side(model, "one", 1.2, start=0.8), model.add(mb.One("wall")), model.add(mb.Zero("gap"))
    model.bond(mb.Sf("ground", 0.0), wall)
    model.bond(wall, mb.R("ground_loss", 2.0))
    model.bond(one, gap)
    model.bond(gap, mb.C("spring", 0.3))
    lever, motor = model.add(mb.TF("lever", 2.0)), model.add(mb.GY("motor", 0.7))
    model.bond(wall, lever.a)
    model.bond(lever.b, gap)
    model.bond(wall, motor.a)
    model.bond(motor.b, one)
    model.bond(mb.Se("nothing", 0.0), one)
    return model


ROTATION = np.array([[0.6, -0.8], [0.8, 0.6]])
REGULAR = np.array([[1.0, 0.5], [-0.3, 2.0]])
WIDE = np.array([[1.0, 0.5, -0.2], [-0.3, 2.0, 0.4]])

GRAPHS: dict[str, Callable[[], mb.Model]] = {
    "gear and gear": lambda: row_of(mb.TF("first", 2.0), mb.TF("second", -1.5)),
    "gear and motor": lambda: row_of(mb.TF("first", 2.0), mb.GY("second", 0.8)),
    "motor and gear": lambda: row_of(mb.GY("first", 0.8), mb.TF("second", 2.0)),
    "motor and generator": lambda: row_of(mb.GY("first", 0.8), mb.GY("second", 1.3)),
    "inertia behind a gear": lambda: loaded(mb.TF("gear", 3.0)),
    "inertia alone behind a gear": lambda: loaded(mb.TF("gear", 3.0), more=False),
    "inertia behind a rotation": lambda: loaded(mb.TF("A", ROTATION, "transpose"), size=2, behind=(0.5, 0.9)),
    "inertia behind a matrix": lambda: loaded(mb.TF("B", REGULAR), size=2, behind=(0.5, 0.9)),
    "inertia behind a wide matrix": lambda: loaded(mb.TF("B", WIDE), size=3, behind=REGULAR @ REGULAR.T),
    "swinging": swinging,
    "swinging, drawn backwards": lambda: swinging(reversed_=True),
    "turning": turning,
    "spinning": spinning,
    "moving point": moving_point,
    "sum behind a rotation": lambda: summed(mb.TF("A", ROTATION, "transpose")),
    "sum behind a diagonal": lambda: summed(mb.TF("D", (2.0, -0.5))),
    "sum behind a wide matrix": lambda: summed(mb.TF("B", WIDE)),
    "crowded": crowded,
    "to and fro": to_and_fro,
    "idle": idle,
}
