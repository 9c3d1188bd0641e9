"""A crane crab from bare 3-bonds (v_x, v_y, ω): a cart that slides along x, and a load that swings from it on a rod.

Drawn raw, as one graph of elements and partial junctions, or grouped into the parts that it is made of: wall, prismatic
joint, carriage, revolute joint, rod and load. Both give the same motion, bit for bit. The angle counts clockwise.
(Zimmer and Cellier 2006, Figs 9 to 11; first examples of MultiBondLib.)
"""

from __future__ import annotations

import multibond as mb
from multibond import blocks

ROD = (1.0, -3.0)
"""From the cart to the load at the start  [m]."""
GRAVITY = 9.81
PARTS = {
    "prismatic": ["slide", "guide", "direction", "along", "position", "trolley"],
    "carriage": ["cart", "frame"],
    "revolute": ["joint", "turn", "angle", "hub", "hook"],
    "rod": ["rod", "rod_modulus"],
    "load": ["bob", "mass", "weight"],
}
"""The elements of each part."""


def crane_crab(*, grouped: bool = False) -> mb.Model:
    """A cart and a load of 1 kg each, at rest with the rod aslant. grouped: as parts.

    `position.q` and `angle.q` tell where they are; grouped they are `prismatic.position.q` and `revolute.angle.q`.
    """
    model = mb.Model("crane_crab", size=3)
    _cart(model)
    _hinge(model)
    _load(model)
    for name, members in PARTS.items() if grouped else ():
        mb.group(model, members, name)
    return model


def _cart(model: mb.Model) -> None:
    """The wall holds all components but the slide along x, which the joint adds to the cart's velocity."""
    cart, along = model.add(mb.One("cart")), model.add(mb.One("along", size=1))
    slide, guide = model.add(mb.wiring.PartialZero("slide", (0, 1))), model.add(mb.MTF("guide", 2, 1))
    direction = model.add(blocks.Constant("direction", (1.0, 0.0)))
    model.bond(mb.Sf("wall", (0.0, 0.0, 0.0)), slide.whole)
    model.bond(slide.whole, cart)
    model.signal(direction.y, guide.modulus)
    model.bond(along, guide)
    model.bond(guide, slide.part)
    model.bond(along, mb.Dq("position", size=1))
    model.bond(along, mb.I("trolley", 0.0, size=1))
    model.bond(cart, mb.I("frame", (1.0, 1.0, 1.0)))


def _hinge(model: mb.Model) -> None:
    """The joint adds a rotation of its own to the cart's velocity; an I of zero gives it its place among the flows."""
    hook, turn = model.add(mb.One("hook")), model.add(mb.One("turn", size=1))
    joint = model.add(mb.wiring.PartialZero("joint", (2,)))
    model.bond("cart", joint.whole)
    model.bond(joint.whole, hook)
    model.bond(turn, joint.part)
    model.bond(turn, mb.I("hub", 0.0, size=1))
    model.bond(turn, mb.Dq("angle", size=1))


def _load(model: mb.Model) -> None:
    """A rod turned clockwise by φ, r = (c x + s y, -s x + c y): f_b = f_a + ω · dr/dφ; at its end mass and weight."""
    x, y = ROD
    across, down = f"{-x}*sin(u) + {y}*cos(u)", f"{-x}*cos(u) - {y}*sin(u)"
    modulus = model.add(blocks.Function("rod_modulus", ["1", "0", across, "0", "1", down, "0", "0", "1"]))
    rod, bob = model.add(mb.MTF("rod", 3, 3)), model.add(mb.One("bob"))
    model.signal("angle.value", modulus.u)
    model.signal(modulus.y, rod.modulus)
    model.bond("hook", rod)
    model.bond(rod, bob)
    model.bond(bob, mb.I("mass", (1.0, 1.0, 0.0)))
    model.bond(mb.Se("weight", (0.0, -GRAVITY, 0.0), role="gravity"), bob)
