"""Two massless bars between a fixed hinge and a sprung slider, with a pendulum at their apex.

A planar loop of three hinges and a slider in space: over-determined by three, which the library reports and handles.
Figures: the example PlanarLoop of MultiBondLib 1.3 (Zimmer and Cellier 2006, Table 3).
"""

from __future__ import annotations

from typing import Any

import multibond as mb
from multibond import spatial as sp

STIFFNESS, REST, DAMPING = 50.0, 1.6, 2.0
"""Of the slider's spring and damper  [N/m, m, N.s/m]."""


def planar_loop(*, spring: str = "parts", position: float = 2.0) -> mb.Model:
    """The slider starts at `position` on the x axis  [m], everything at rest, the pendulum across the slider's bar.

    spring: "parts" puts `Spring` and `Damper` between the world and the slider's frame, "guide" gives the same
    stiffness and damping to the slider's joint. Angles are positive about +z; those of MultiBondLib are clockwise.
    """
    if spring not in ("parts", "guide"):
        raise ValueError("spring is 'parts' or 'guide'")
    model = mb.Model("planar_loop")
    world = model.add(sp.World())
    extra: dict[str, Any] = {"stiffness": STIFFNESS, "rest": REST, "damping": DAMPING} if spring == "guide" else {}
    guide = model.add(sp.Prismatic("guide", axis="x", position=position, speed=0.0, **extra))
    left = model.add(sp.Revolute("left", angle=mb.Guess(0.3)))
    right = model.add(sp.Revolute("right", angle=mb.Guess(-0.3)))
    left_bar = model.add(sp.Rod("left_bar", (0.0, -3.0, 0.0)))
    right_bar = model.add(sp.Rod("right_bar", (0.0, -3.0, 0.0)))
    apex = model.add(sp.Revolute("apex"))
    swing = model.add(sp.Revolute("swing", angle=0.0, speed=0.0))
    arm = model.add(sp.Rod("arm", (2.0, 0.0, 0.0)))
    bob = model.add(sp.Body("bob", mass=2.0, inertia=(0.05, 0.05, 0.05)))
    model.connect(world.frame, guide.frame_a, left.frame_a)
    model.connect(guide.frame_b, right.frame_a)
    model.connect(left.frame_b, left_bar.frame_a)
    model.connect(right.frame_b, right_bar.frame_a)
    model.connect(left_bar.frame_b, apex.frame_a)
    model.connect(right_bar.frame_b, apex.frame_b, swing.frame_a)
    model.connect(swing.frame_b, arm.frame_a)
    model.connect(arm.frame_b, bob.frame)
    if spring == "parts":
        _between(model, world, guide)
    return model


def _between(model: mb.Model, world: sp.World, guide: sp.Prismatic) -> None:
    coil = model.add(sp.Spring("spring", stiffness=STIFFNESS, rest=REST))
    damper = model.add(sp.Damper("damper", damping=DAMPING))
    model.connect(world.frame, coil.frame_a, damper.frame_a)
    model.connect(guide.frame_b, coil.frame_b, damper.frame_b)
