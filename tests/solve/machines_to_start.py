"""Machines whose starts are judged by geometry of their own: a two-link chain to a place, a slider crank."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

import multibond as mb
from multibond import planar as pl
from multibond import spatial as sp

UPPER, LOWER = 0.5, 0.5
CRANK, ROD = 0.1, 0.2


def two_links(tip: mb.Component, *, library: Any = sp, tip_first: bool = False, **joints: Any) -> mb.Model:
    """Two hinged links whose end is held against the world by the joint `tip`."""
    model = mb.Model("links")
    body = {"inertia": (0.1, 0.1, 0.1) if library is sp else 0.1}
    flat = (lambda v: (*v, 0.0)) if library is sp else tuple
    parts = [library.World(), library.Revolute("hip", angle=joints.get("hip", mb.Guess(0.3)))]
    parts += [library.Revolute("elbow", angle=joints.get("elbow", mb.Guess(0.3))), tip]
    parts += [library.Rod("upper", flat((UPPER, 0.0))), library.Rod("lower", flat((LOWER, 0.0)))]
    parts += [library.Body(name, 1.0, **body) for name in ("one", "two")]
    for part in reversed(parts) if tip_first else parts:
        model.add(part)
    model.connect("world.frame", "hip.frame_a", "tip.frame_a")
    model.connect("hip.frame_b", "upper.frame_a")
    model.connect("upper.frame_b", "one.frame", "elbow.frame_a")
    model.connect("elbow.frame_b", "lower.frame_a")
    model.connect("lower.frame_b", "two.frame", "tip.frame_b")
    return model


def end_of_links(found: Any) -> np.ndarray:
    """Where the end of both links stands, and how it is turned."""
    hip, elbow = found["hip.angle"], found["elbow.angle"]
    x = UPPER * math.cos(hip) + LOWER * math.cos(hip + elbow)
    y = UPPER * math.sin(hip) + LOWER * math.sin(hip + elbow)
    return np.array([x, y, math.remainder(hip + elbow, 2 * math.pi)])


def slider_crank(
    crank: Any = 3.0,
    piston: Any = None,
    rod: Any = ROD,
    *,
    library: Any = sp,
    names: str = "ABCG",
    turned: bool = False,
) -> mb.Model:
    """Crank, rod and piston; the coordinate of the piston is its place on the line through the bearing."""
    a, b, c, g = names
    model, flat = mb.Model("crank"), (lambda x: (x, 0.0, 0.0)) if library is sp else (lambda x: (x, 0.0))
    inertia = (0.1, 0.1, 0.1) if library is sp else 0.1
    parts = [library.World(), library.Revolute(a, angle=crank), library.Revolute(b), library.Revolute(c)]
    parts += [library.Prismatic(g, axis="x", position=piston), library.Rod("crank", flat(CRANK))]
    parts += [library.Rod("rod", flat(rod)), library.Body("wheel", 1.0, inertia=inertia)]
    parts += [library.Body("piston", 1.0, inertia=inertia)]
    for part in reversed(parts) if turned else parts:
        model.add(part)
    model.connect("world.frame", f"{a}.frame_a", f"{g}.frame_a")
    model.connect(f"{a}.frame_b", "crank.frame_a", "wheel.frame")
    model.connect("crank.frame_b", f"{b}.frame_a")
    model.connect(f"{b}.frame_b", "rod.frame_a")
    model.connect("rod.frame_b", f"{c}.frame_a")
    model.connect(f"{g}.frame_b", f"{c}.frame_b", "piston.frame")
    return model


def places(angle: float) -> tuple[float, float]:
    """Both places of the piston at an angle of the crank."""
    middle, half = CRANK * math.cos(angle), math.sqrt(ROD**2 - (CRANK * math.sin(angle)) ** 2)
    return middle + half, middle - half


LIBRARIES = (sp, pl)
