"""A crank about x drives a slide along x through a bar that moves in space: ball at one end, two hinges at the other.

Seven freedoms in one loop that takes six: one is left, and no constraint is redundant. It can be assembled with the
slide on either side of the crank; guesses say where. Figures: the example FourBarLoop of MultiBondLib 1.3 (Zimmer and
Cellier 2006, Table 3).
"""

from __future__ import annotations

import math
from typing import Any

import multibond as mb
from multibond import spatial as sp

CRANK, ROD, POST = (0.0, 0.5, 0.1), (1.0, -0.3, -0.1), (0.0, 0.2, 0.0)
"""From joint to joint, as everything stands at the start  [m]."""


def spatial_four_bar(*, speed: float = math.radians(300.0), position: float = -0.2, angle: float = 0.0) -> mb.Model:
    """The crank turns about x at the origin, the slide runs along x from (1.2, 0, 0) and carries a post.

    speed: of the crank at the start  [rad/s]; position, angle: guesses of the slide and of the hinge `turn`  [m, rad]:
    -0.2 and 0 fit, on the other side -2.2 and -2.56. Each bar has 0.5 kg in its middle. The rod hangs on the post by
    `turn` about z, then `tilt` about y.
    """
    model = mb.Model("spatial_four_bar")
    world = model.add(sp.World())
    pivot = model.add(sp.Revolute("pivot", axis="x", angle=0.0, speed=speed))
    ball = model.add(sp.Spherical("ball"))
    base = model.add(sp.Rod("base", (1.2, 0.0, 0.0)))
    slide = model.add(sp.Prismatic("slide", axis="x", position=mb.Guess(position)))
    turn = model.add(sp.Revolute("turn", axis="z", angle=mb.Guess(angle)))
    tilt = model.add(sp.Revolute("tilt", axis="y", angle=mb.Guess(0.0)))
    crank, rod, post = _bar(model, "crank", CRANK), _bar(model, "rod", ROD), _bar(model, "post", POST)
    model.connect(world.frame, pivot.frame_a, base.frame_a)
    model.connect(pivot.frame_b, crank.frame)
    model.connect(crank.frame_1, ball.frame_a)
    model.connect(ball.frame_b, rod.frame)
    model.connect(base.frame_b, slide.frame_a)
    model.connect(slide.frame_b, post.frame)
    model.connect(post.frame_1, turn.frame_a)
    model.connect(turn.frame_b, tilt.frame_a)
    model.connect(tilt.frame_b, rod.frame_1)
    return model


def _bar(model: mb.Model, name: str, vector: tuple[float, float, float]) -> Any:
    """A bar with its mass in the middle and frames at both ends."""
    middle = tuple(0.5 * x for x in vector)
    body = sp.Body(name, mass=0.5, inertia=(0.05, 0.05, 0.05), centre=middle, points=(vector,))
    return model.add(body)
