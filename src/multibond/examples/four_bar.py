"""A crank that turns all the way round and a rocker that only rocks, joined by a coupler.

Four plain hinges make a planar loop in space, over-determined by three; the forces in the plane are determined all the
same. Figures: our own reference A05g (uniform thin bars of 2 kg/m).
"""

from __future__ import annotations

import math

import multibond as mb
from multibond import spatial as sp


def four_bar(
    *,
    crank: float = 0.3,
    coupler: float = 0.9,
    rocker: float = 0.7,
    ground: float = 1.0,
    angle: float = math.radians(60.0),
    speed: float = 8.0,
    density: float = 2.0,
) -> mb.Model:
    """Ground pivots O at the origin and D at `ground` along x; all axes z; the coupler's far end C above the line BD.

    crank, coupler, rocker: lengths  [m]; angle, speed of the crank at the start  [rad, rad/s]; density of the bars
    [kg/m].
    """
    model = mb.Model("four_bar")
    world = model.add(sp.World())
    base = model.add(sp.Rod("base", (ground, 0.0, 0.0)))
    O = model.add(sp.Revolute("O", angle=angle, speed=speed))
    B = model.add(sp.Revolute("B", angle=mb.Guess(0.5 - angle)))
    C = model.add(sp.Revolute("C"))
    D = model.add(sp.Revolute("D", angle=mb.Guess(1.7)))
    crank_root, crank_tip = _bar(model, "crank", crank, density)
    coupler_root, coupler_tip = _bar(model, "coupler", coupler, density)
    rocker_root, rocker_tip = _bar(model, "rocker", rocker, density)
    model.connect(world.frame, O.frame_a, base.frame_a)
    model.connect(base.frame_b, D.frame_a)
    model.connect(O.frame_b, crank_root)
    model.connect(crank_tip, B.frame_a)
    model.connect(B.frame_b, coupler_root)
    model.connect(D.frame_b, rocker_root)
    model.connect(rocker_tip, C.frame_a)
    model.connect(C.frame_b, coupler_tip)
    return model


def _bar(model: mb.Model, name: str, length: float, density: float) -> tuple:
    """A uniform thin bar along x; returns the frames at its two ends."""
    mass = density * length
    moment = mass * length**2 / 12
    body = model.add(sp.Body(name, mass=mass, inertia=(0.0, moment, moment), centre=(length / 2, 0.0, 0.0)))
    rod = model.add(sp.Rod(f"{name}_rod", (length, 0.0, 0.0)))
    model.connect(body.frame, rod.frame_a)
    return body.frame, rod.frame_b
