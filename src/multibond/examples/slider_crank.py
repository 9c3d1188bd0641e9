"""Crank, rod, piston: a closed loop that every engine has.

With three plain hinges and a slider it holds 20 conditions on 18 coordinates and still moves: three conditions say what
the others say already (they only matter if the axes are not quite parallel). With a universal joint and a ball joint in
the place of two hinges it moves the same way, and nothing is said twice. Figures: Boudon et al. (2017), Table 7; where
the table leaves a choice (place of the damper, centre of the crank, gravity) it is a parameter here.
"""

from __future__ import annotations

import multibond as mb
from multibond import spatial as sp

DAMPER_PLACES = ("ground-crank", "crank-rod", "rod-piston")


def slider_crank(
    *,
    joints: str = "hyperstatic",
    damper: str = "rod-piston",
    gravity: float = 0.0,
    crank_centre: float = 0.5,
    torque: float = 10.0,
    crank: float = 0.2,
    rod: float = 1.0,
) -> mb.Model:
    """A crank driven by a constant torque, stretched out along x and at rest at the start.

    joints: "hyperstatic" (hinges O, B, C and a slider) or "isostatic" (hinge O, universal B, ball C and a slider);
    damper: which joint has the damping of 2 N.m.s/rad; gravity along -y  [m/s²]; crank_centre: where the crank's centre
    of mass is, as a fraction of its length; torque on the crank  [N.m]; crank, rod: lengths  [m].
    """
    damping = {place: 2.0 if place == damper else 0.0 for place in DAMPER_PLACES}
    if damper not in damping or joints not in ("hyperstatic", "isostatic"):
        raise ValueError(f"damper is one of {DAMPER_PLACES}, joints 'hyperstatic' or 'isostatic'")
    model = mb.Model("slider_crank")
    world = model.add(sp.World(gravity=(0.0, -gravity, 0.0)))
    O = model.add(sp.Revolute("O", angle=0.0, speed=0.0, torque=torque, damping=damping["ground-crank"]))
    if joints == "hyperstatic":
        B = model.add(sp.Revolute("B", damping=damping["crank-rod"]))
        C = model.add(sp.Revolute("C", damping=damping["rod-piston"]))
    else:
        B = model.add(sp.Universal("B", axis="z", second_axis="y", damping=damping["crank-rod"]))
        C = model.add(sp.Spherical("C", damping=damping["rod-piston"]))
    guide = model.add(sp.Prismatic("guide", axis="x", position=mb.Guess(crank + rod), damping=5.0))
    crank_root, crank_tip = _bar(model, "crank", crank, crank_centre)
    rod_root, rod_tip = _bar(model, "rod", rod, 0.5)
    piston = model.add(sp.Body("piston", mass=1.0, inertia=(1.0, 1.0, 1.0)))
    model.connect(world.frame, O.frame_a, guide.frame_a)
    model.connect(O.frame_b, crank_root)
    model.connect(crank_tip, B.frame_a)
    model.connect(B.frame_b, rod_root)
    model.connect(rod_tip, C.frame_a)
    model.connect(C.frame_b, piston.frame, guide.frame_b)
    return model


def _bar(model: mb.Model, name: str, length: float, centre: float) -> tuple:
    """A bar along x of 1 kg and 1 kg.m²; returns the frames at its two ends."""
    body = model.add(sp.Body(name, mass=1.0, inertia=(1.0, 1.0, 1.0), centre=(centre * length, 0.0, 0.0)))
    rod = model.add(sp.Rod(f"{name}_rod", (length, 0.0, 0.0)))
    model.connect(body.frame, rod.frame_a)
    return body.frame, rod.frame_b
