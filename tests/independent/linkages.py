"""Closed linkages beyond the plane, each drawn in one position: points and axes of its joints in the world.

All frames are parallel to the world's in that position, so that a link is a body at its first joint with a rod to each
of the others, and every joint stands at zero.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

import multibond as mb
from multibond import spatial as sp

GROUND = "ground"


@dataclass(frozen=True)
class At:
    """A joint of a linkage: the two links it joins, its point, and how it is made."""

    a: str
    b: str
    point: tuple[float, ...]
    make: Callable[[str], Any]


def hinge(axis: Any, **values: Any) -> Callable[[str], Any]:
    """A revolute joint about an axis of the world."""
    return lambda name: (
        sp.Revolute(name, axis=tuple(np.asarray(axis, float)), **values)
        if not isinstance(axis, str)
        else sp.Revolute(name, axis=axis, **values)
    )


def linkage(
    name: str, joints: dict[str, At], *, density: float = 1.0, gravity: Any = (0.0, -9.81, 0.0), massless: Any = ()
) -> mb.Model:
    """A model of links and joints; a link's mass is its extent times the density, spread over its joints' points."""
    model = mb.Model(name)
    world = model.add(sp.World(gravity=gravity))
    links: dict[str, list[tuple[str, str, np.ndarray]]] = {}
    for joint, at in joints.items():
        links.setdefault(at.a, []).append((joint, "frame_a", np.array(at.point, float)))
        links.setdefault(at.b, []).append((joint, "frame_b", np.array(at.point, float)))
        model.add(at.make(joint))
    for link, ends in links.items():
        origin = np.zeros(3) if link == GROUND else ends[0][2]
        base = world.frame if link == GROUND else _body(model, link, np.array([p for *_, p in ends]), density, massless)
        for joint, port, point in ends:
            reach = point - origin
            end = base
            if np.abs(reach).max() > 0:
                rod = model.add(sp.Rod(f"{link}_to_{joint}", reach))
                model.connect(base, rod.frame_a)
                end = rod.frame_b
            model.connect(end, f"{joint}.{port}")
    return model


def _body(model: mb.Model, link: str, points: np.ndarray, density: float, massless: Any) -> Any:
    middle = points.mean(axis=0)
    spread = points - middle
    extent = max(float(np.linalg.norm(spread, axis=1).max()), 0.05)
    mass = 0.0 if link in massless else density * extent
    J = mass * (np.eye(3) * ((spread**2).sum() / len(points) + 0.1 * extent**2) - spread.T @ spread / len(points))
    return model.add(sp.Body(link, mass=mass, inertia=J, centre=middle - points[0])).frame


# -- the linkages ------------------------------------------------------------------------------------------------------


def bennett(error: float = 0.0, *, speed: float = 3.0) -> mb.Model:
    """Four hinges in space, lengths a, b, a, b and twists with sin α / a = sin β / b; `error` spoils one length."""
    a, b, alpha = 1.0, 1.6, np.deg2rad(35.0)
    beta = np.arcsin(b / a * np.sin(alpha))
    theta = 1.1
    phi = 2 * np.arctan(np.sin((beta + alpha) / 2) / np.sin((beta - alpha) / 2) / np.tan(theta / 2))
    T, places = np.eye(4), []
    for length, twist, turn in ((a, alpha, theta), (b, beta, phi), (a, alpha, -theta), (b, beta, -phi)):
        places.append((T[:3, 3].copy(), T[:3, 2].copy()))
        T = T @ _hartenberg(turn, length, twist)
    np.testing.assert_allclose(T, np.eye(4), atol=1e-12)
    (p0, z0), (p1, z1), (p2, z2), (p3, z3) = places
    joints = {
        "A": At(GROUND, "left", p0, hinge(z0, angle=0.0, speed=speed)),
        "B": At("left", "coupler", p1 * (1 + error), hinge(z1)),
        "C": At("coupler", "right", p2, hinge(z2)),
        "D": At(GROUND, "right", p3, hinge(z3)),
    }
    return linkage("bennett", joints, gravity=(0.0, 0.0, -9.81))


def _hartenberg(turn: float, length: float, twist: float) -> np.ndarray:
    """From a hinge to the next: turn about z, go along x, twist about x."""
    c, s, ct, st = np.cos(turn), np.sin(turn), np.cos(twist), np.sin(twist)
    return np.array(
        [[c, -s * ct, s * st, length * c], [s, c * ct, -c * st, length * s], [0.0, st, ct, 0.0], [0.0, 0.0, 0.0, 1.0]]
    )


def sarrus(*, speed: float = -1.0) -> mb.Model:
    """Two folded pairs of plates at right angles lift a table straight up: six hinges, one freedom."""
    h, r = 0.6, 0.4
    joints = {
        "A1": At(GROUND, "low_x", (1.0, 0.0, 0.0), hinge("y", speed=speed, stiffness=60.0, damping=0.5)),
        "A2": At("low_x", "high_x", (1.0 + r, 0.0, h), hinge("y")),
        "A3": At("high_x", "table", (1.0, 0.0, 2 * h), hinge("y")),
        "B1": At(GROUND, "low_y", (0.0, 1.0, 0.0), hinge("x")),
        "B2": At("low_y", "high_y", (0.0, 1.0 + r, h), hinge("x")),
        "B3": At("high_y", "table", (0.0, 1.0, 2 * h), hinge("x")),
    }
    return linkage("sarrus", joints, gravity=(0.0, 0.0, -9.81))


def _feet(radius: float, height: float, offsets: tuple[float, float], phase: float) -> list[tuple[float, ...]]:
    angles = [
        np.deg2rad(phase + 120.0 * k + sign * offset)
        for k in range(3)
        for sign, offset in ((-1, offsets[0]), (1, offsets[1]))
    ]
    return [(radius * np.cos(t), radius * np.sin(t), height) for t in angles]


def stewart() -> mb.Model:
    """A platform on six legs, each a universal joint, a slider with spring and damper, and a ball (6-UPS)."""
    low, high = _feet(1.2, 0.0, (12.0, 12.0), 0.0), _feet(0.7, 1.0, (48.0, 48.0), 0.0)
    joints = {}
    for k, (foot, head) in enumerate(zip(low, high, strict=True), 1):
        along = np.subtract(head, foot) / np.linalg.norm(np.subtract(head, foot))
        first = np.cross(along, (0.0, 0.0, 1.0))
        first /= np.linalg.norm(first)
        second = np.cross(along, first)
        middle = tuple(0.5 * (np.array(foot) + head))
        joints[f"U{k}"] = At(GROUND, f"low{k}", foot, _universal(first, second))
        joints[f"P{k}"] = At(f"low{k}", f"high{k}", middle, _slider(along, 4000.0 + 200.0 * k))
        joints[f"S{k}"] = At(f"high{k}", "platform", head, sp.Spherical)
    return linkage("stewart", joints, gravity=(0.0, 0.0, -9.81), density=5.0)


def _universal(first: np.ndarray, second: np.ndarray) -> Callable[[str], Any]:
    return lambda name: sp.Universal(name, axis=first, second_axis=second)


def _slider(along: np.ndarray, stiffness: float) -> Callable[[str], Any]:
    return lambda name: sp.Prismatic(name, axis=along, position=mb.Guess(0.0), stiffness=stiffness, damping=20.0)


def rotary_stewart() -> mb.Model:
    """A platform on six cranks, each with a rod between two balls (6-RSS); every rod may spin about itself."""
    low, high = _feet(1.2, 0.0, (12.0, 12.0), 0.0), _feet(0.7, 1.0, (48.0, 48.0), 0.0)
    joints = {}
    for k, (foot, head) in enumerate(zip(low, high, strict=True), 1):
        out = np.array([foot[0], foot[1], 0.0]) / np.hypot(foot[0], foot[1])
        knee = np.array(foot) + 0.35 * out + np.array([0.0, 0.0, 0.1])
        axis = np.cross(out, (0.0, 0.0, 1.0))
        turn = {"stiffness": 600.0 + 40.0 * k, "damping": 6.0}
        joints[f"R{k}"] = At(GROUND, f"crank{k}", foot, hinge(axis, angle=mb.Guess(0.0), **turn))
        joints[f"L{k}"] = At(f"crank{k}", f"rod{k}", tuple(knee), sp.Spherical)
        joints[f"S{k}"] = At(f"rod{k}", "platform", head, sp.Spherical)
    return linkage("rotary_stewart", joints, gravity=(0.0, 0.0, -9.81), density=5.0)


def double_cardan(angle: float = 25.0, *, speed: float = 10.0) -> mb.Model:
    """Two parallel shafts joined by a slanting one with two universal joints: both turn alike."""
    t = np.deg2rad(angle)
    middle = np.array([0.0, 0.0, 0.3])
    end = middle + 0.5 * np.array([np.sin(t), 0.0, np.cos(t)])
    slant = np.array([np.sin(t), 0.0, np.cos(t)])
    fork = np.cross(slant, (0.0, 1.0, 0.0))
    joints = {
        "input": At(GROUND, "shaft_in", (0.0, 0.0, 0.0), hinge("z", angle=0.0, speed=speed)),
        "first": At("shaft_in", "slanting", tuple(middle), lambda n: sp.Universal(n, axis="y", second_axis=fork)),
        "second": At("shaft_out", "slanting", tuple(end), lambda n: sp.Universal(n, axis="y", second_axis=fork)),
        "output": At(GROUND, "shaft_out", tuple(end + np.array([0.0, 0.0, 0.3])), hinge("z")),
    }
    return linkage("double_cardan", joints, gravity=(0.0, 0.0, 0.0))


def scissor_lift(stages: int = 10, *, angle: float = 0.5) -> mb.Model:
    """Crossed bars on top of one another; the left foot is a hinge, the right one slides against a spring."""
    L, stiffness = 1.0, 40.0 * stages**2
    spring = {"stiffness": stiffness, "rest": -0.2, "damping": 0.02 * stiffness}
    c, s = L * np.cos(angle), L * np.sin(angle)
    joints: dict[str, At] = {"foot": At(GROUND, "up1", (0.0, 0.0, 0.0), hinge("z"))}
    joints["rail"] = At(GROUND, "shoe", (c, 0.0, 0.0), lambda n: sp.Prismatic(n, axis="x", position=0.0, **spring))
    joints["toe"] = At("shoe", "down1", (c, 0.0, 0.0), hinge("z"))
    for k in range(1, stages + 1):
        y = (k - 1) * s
        joints[f"cross{k}"] = At(f"up{k}", f"down{k}", (c / 2, y + s / 2, 0.0), hinge("z"))
        if k < stages:
            joints[f"left{k}"] = At(f"down{k}", f"up{k + 1}", (0.0, y + s, 0.0), hinge("z"))
            joints[f"right{k}"] = At(f"up{k}", f"down{k + 1}", (c, y + s, 0.0), hinge("z"))
    return linkage("scissor_lift", joints, massless=("shoe",))


def double_wishbone() -> mb.Model:
    """A wheel carrier on two arms and a tie rod, with a spring at the lower arm's hinge."""
    joints = {
        "lower": At(GROUND, "lower_arm", (0.0, 0.0, 0.0), hinge("z", stiffness=4000.0, rest=0.3, damping=60.0)),
        "lower_ball": At("lower_arm", "carrier", (0.4, -0.02, 0.0), sp.Spherical),
        "upper": At(GROUND, "upper_arm", (0.08, 0.3, 0.02), hinge((0.05, 0.0, 1.0))),
        "upper_ball": At("upper_arm", "carrier", (0.36, 0.32, -0.02), sp.Spherical),
        "rack": At(GROUND, "tie_rod", (0.05, 0.1, 0.15), lambda n: sp.Universal(n, axis="y", second_axis="z")),
        "tie_ball": At("tie_rod", "carrier", (0.4, 0.1, 0.13), sp.Spherical),
    }
    return linkage("double_wishbone", joints, density=8.0)
