"""A serial mechanism from a table: hinge, body, rod to the next hinge, link after link."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

import multibond as mb
from multibond import spatial as sp

Triple = tuple[float, float, float]


@dataclass(frozen=True)
class Link:
    """One link: the axis of its hinge, where the hinge stands in the link before, and its mass.

    axis: "x", "y" or "z"; at  [m]; mass  [kg]; centre of mass  [m]; inertia about it: principal moments, or a matrix
    [kg.m²].
    """

    axis: str
    at: Triple
    mass: float
    centre: Triple
    inertia: Triple | tuple[Triple, Triple, Triple]


def serial(
    name: str,
    links: Sequence[Link],
    angles: Sequence[float],
    speeds: Sequence[float],
    gravity: Triple = (0.0, 0.0, -9.81),
) -> mb.Model:
    """Hang links `link0`, `link1`, ... on hinges `joint0`, `joint1`, ..., the first on the world."""
    model = mb.Model(name)
    end = model.add(sp.World(gravity=gravity)).frame
    for k, link in enumerate(links):
        if np.any(link.at):
            rod = model.add(sp.Rod(f"rod{k}", link.at))
            model.connect(end, rod.frame_a)
            end = rod.frame_b
        joint = model.add(sp.Revolute(f"joint{k}", axis=link.axis, angle=angles[k], speed=speeds[k]))
        body = model.add(sp.Body(f"link{k}", mass=link.mass, inertia=link.inertia, centre=link.centre))
        model.connect(end, joint.frame_a)
        model.connect(joint.frame_b, body.frame)
        end = body.frame
    return model
