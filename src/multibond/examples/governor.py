"""A centrifugal governor: two weights on jointed bars fly outwards as the shaft speeds up, and draw a collar down.

Collar and bars have no mass. Left and right each close a planar loop of three hinges and the collar's slide, which in
space holds three directions twice: six constraints are redundant, named in `mb.count`, and what moves is left to two
freedoms, the turning shaft and the collar. Figures: the example CentrifugalForce of MultiBondLib 1.3 (Zimmer and
Cellier 2006, Table 3).
"""

from __future__ import annotations

import math

import multibond as mb
from multibond import spatial as sp

STIFFNESS, REST, DAMPING = 160.0, 1.6, 16.0
"""Of the spring and damper between hub and collar  [N/m, m, N.s/m]."""


def governor(*, torque: float = 10.0, height: float = 1.45, bar: float = 1.3) -> mb.Model:
    """The shaft turns about y from rest, the hub sits at the origin, the collar slides along the shaft above it.

    torque: on the shaft  [N.m]; height of the collar over the hub at the start  [m]; bar: length of all four bars  [m].
    """
    model = mb.Model("governor")
    world = model.add(sp.World())
    shaft = model.add(sp.Revolute("shaft", axis="y", angle=0.0, speed=0.0, torque=torque))
    hub = model.add(sp.Body("hub", mass=4.0, inertia=(0.05, 0.05, 0.05)))
    collar = model.add(sp.Prismatic("collar", axis="y", position=height, speed=0.0))
    strut = model.add(sp.SpringDamper("strut", stiffness=STIFFNESS, damping=DAMPING, rest=REST))
    model.connect(world.frame, shaft.frame_a)
    model.connect(shaft.frame_b, hub.frame, collar.frame_a, strut.frame_a)
    model.connect(collar.frame_b, strut.frame_b)
    for side, sign in (("left", -1.0), ("right", 1.0)):
        _side(model, side, sign * math.acos(0.5 * height / bar), bar)
    return model


def _side(model: mb.Model, side: str, lean: float, bar: float) -> None:
    """A bar up from the hub, a bar down from the collar with the weight at its end, and the hinge where they meet."""
    low = model.add(sp.Revolute(f"{side}_low", axis="-z", angle=mb.Guess(lean)))
    high = model.add(sp.Revolute(f"{side}_high", axis="z", angle=mb.Guess(lean)))
    knee = model.add(sp.Revolute(f"{side}_knee", axis="z"))
    lower = model.add(sp.Rod(f"{side}_lower", (0.0, bar, 0.0)))
    upper = model.add(sp.Rod(f"{side}_upper", (0.0, -bar, 0.0)))
    weight = model.add(sp.Body(f"{side}_weight", mass=2.0, inertia=(0.05, 0.05, 0.05)))
    model.connect("hub.frame", low.frame_a)
    model.connect("collar.frame_b", high.frame_a)
    model.connect(low.frame_b, lower.frame_a)
    model.connect(high.frame_b, upper.frame_a)
    model.connect(lower.frame_b, knee.frame_a)
    model.connect(upper.frame_b, knee.frame_b, weight.frame)
