"""Machines of our own references A05a to A05i that are no examples: trees and loops in space, from library parts."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

import multibond as mb
from multibond import spatial as sp

MSL_DOWN = (0.0, -9.80665, 0.0)


def in_a_row(model: mb.Model, *frames: Any) -> None:
    """Connect frames two by two: the first to the second, the third to the fourth, and so on."""
    for a, b in zip(frames[::2], frames[1::2], strict=True):
        model.connect(a, b)


def double_pendulum_in_space() -> mb.Model:
    """A05b: a body on a hinge about z, and on it another on a hinge about y."""
    model = mb.Model("double_pendulum_in_space")
    world = model.add(sp.World())
    first = model.add(sp.Revolute("first", "z", 0.3, 0.0))
    second = model.add(sp.Revolute("second", "y", 0.5, 2.0))
    upper = model.add(sp.Body("upper", 2.0, (0.02, 0.09, 0.10), (0.3, 0, 0), points=((0.6, 0, 0),)))
    lower = model.add(sp.Body("lower", 1.5, (0.015, 0.06, 0.05), (0.25, 0, 0.05)))
    in_a_row(model, world.frame, first.frame_a, first.frame_b, upper.frame)
    in_a_row(model, upper.frame_1, second.frame_a, second.frame_b, lower.frame)
    return model


def slanted(angle: float, turning: tuple[float, float, float]) -> dict[str, Any]:
    """Start of a ball joint turned about y, with an angular velocity given in the world's axes."""
    c, s = math.cos(angle), math.sin(angle)
    R_WB = np.array([[c, 0.0, s], [0.0, 1.0, 0.0], [-s, 0.0, c]])
    quaternion = (math.cos(angle / 2), 0.0, math.sin(angle / 2), 0.0)
    return {"quaternion": quaternion, "angular_velocity": R_WB.T @ turning}


def spherical_pendulum(form: str = "ball") -> mb.Model:
    """A05c: a point mass 1 m from the origin, 60° out, going round at 3 rad/s.

    form: "ball", on a massless rod on a ball joint; "rod", on a rod that only keeps its distance.
    """
    model = mb.Model("spherical_pendulum")
    world, bob = model.add(sp.World(gravity=(0.0, 0.0, -9.81))), model.add(sp.PointMass("bob", 1.0))
    if form == "rod":
        out, down = math.sin(math.pi / 3), math.cos(math.pi / 3)
        way = model.add(sp.FreeTranslation("way", (out, 0.0, -down), (0.0, 3.0 * out, 0.0)))
        rod = model.add(sp.SphericalSpherical("rod", 1.0))
        model.connect(world.frame, way.frame_a, rod.frame_a)
        model.connect(way.frame_b, rod.frame_b, bob.frame)
    else:
        ball = model.add(sp.Spherical("ball", **slanted(-math.pi / 3, (0.0, 0.0, 3.0))))
        rod = model.add(sp.Rod("rod", (0.0, 0.0, -1.0)))
        in_a_row(model, world.frame, ball.frame_a, ball.frame_b, rod.frame_a, rod.frame_b, bob.frame)
    return model


def bar_on_a_ball() -> mb.Model:
    """A05c, bar: a body with three different moments on a ball joint, 60° out."""
    model = mb.Model("bar_on_a_ball")
    world = model.add(sp.World(gravity=(0.0, 0.0, -9.81)))
    start = slanted(-math.pi / 3, (0.0, 0.0, 0.0)) | {"angular_velocity": (0.5, 1.0, 4.0)}
    ball = model.add(sp.Spherical("ball", **start))
    bar = model.add(sp.Body("bar", 2.0, (0.10, 0.12, 0.03), (0.0, 0.0, -0.5)))
    in_a_row(model, world.frame, ball.frame_a, ball.frame_b, bar.frame)
    return model


def driven_crane() -> mb.Model:
    """A05f: a cart with friction, pushed to and fro, and a load that hangs from it."""
    model = mb.Model("driven_crane")
    world, cart = model.add(sp.World()), model.add(sp.Body("cart", 10.0))
    rail = model.add(sp.Prismatic("rail", "x", 0.0, 0.0, damping=2.0, force="30*sin(1.5*t)"))
    hinge = model.add(sp.Revolute("hinge", "z", 0.4, 0.0))
    load = model.add(sp.Body("load", 5.0, (0.4, 0.4, 0.4), (0.0, -2.0, 0.0)))
    model.connect(world.frame, rail.frame_a)
    model.connect(rail.frame_b, cart.frame, hinge.frame_a)
    model.connect(hinge.frame_b, load.frame)
    return model


def four_bar_in_space(ball: str = "ball") -> mb.Model:
    """A05h, Fourbar1 of the Modelica Standard Library: crank, slider, and a bar between them; one freedom.

    ball: "ball", or "hinges" for three hinges in its place, as there.
    """
    model = mb.Model("four_bar_in_space")
    world, wall = model.add(sp.World(gravity=MSL_DOWN)), model.add(sp.Fixed("wall", (1.2, 0.0, 0.0)))
    j1 = model.add(sp.Revolute("j1", "x", 0.0, math.radians(300.0)))
    j2 = model.add(sp.Prismatic("j2", "x", mb.Guess(-0.2)))
    vectors = {"b1": (0.0, 0.5, 0.1), "b2": (0.0, 0.2, 0.0), "b3": (-1.0, 0.3, 0.1)}
    b1, b2, b3 = (model.add(sp.Cylinder(name, r, diameter=0.05)) for name, r in vectors.items())
    rev, rev1 = (model.add(sp.Revolute(name, axis, mb.Guess(0.0))) for name, axis in (("rev", "y"), ("rev1", "z")))
    in_a_row(model, world.frame, j1.frame_a, j1.frame_b, b1.frame_a)
    in_a_row(model, wall.frame, j2.frame_a, j2.frame_b, b2.frame_a, b2.frame_b, rev.frame_a)
    in_a_row(model, rev.frame_b, rev1.frame_a, rev1.frame_b, b3.frame_a)
    end = b1.frame_b
    if ball == "hinges":
        for axis in "xy":
            hinge = model.add(sp.Revolute(f"ball_{axis}", axis, mb.Guess(0.0)))
            model.connect(end, hinge.frame_a)
            end = hinge.frame_b
    last = model.add(sp.Revolute("ball_z", "z", mb.Guess(0.0)) if ball == "hinges" else sp.Spherical("ball"))
    in_a_row(model, end, last.frame_a, last.frame_b, b3.frame_b)
    return model


CRANK, ROCKER, FOOT, LIFT, SPEED = 0.2, 0.5, np.array([0.3, 0.9, 0.0]), math.radians(100.0), 6.0
"""Lengths of the RSSR loop [m], its second pivot [m], start angle of the rocker [rad], start speed of the crank."""


def rssr(coupler: str = "body") -> mb.Model:
    """A05i: a crank about z, a rocker about x, and a bar between two balls that joins their tips.

    coupler: "body", a body on two balls, which may spin about its line and does not at the start; "rod", a thin rod as
    one constraint, which has no spin.
    """
    model = mb.Model("rssr")
    world, wall = model.add(sp.World(gravity=(0.0, 0.0, -9.81))), model.add(sp.Fixed("wall", FOOT))
    crank_joint = model.add(sp.Revolute("crank_joint", "z", 0.0, SPEED))
    rocker_joint = model.add(sp.Revolute("rocker_joint", "x", mb.Guess(LIFT)))
    crank = model.add(_bar("crank", 0.6, (CRANK, 0.0, 0.0)))
    rocker = model.add(_bar("rocker", 1.0, (0.0, ROCKER, 0.0)))
    in_a_row(model, world.frame, crank_joint.frame_a, crank_joint.frame_b, crank.frame)
    in_a_row(model, wall.frame, rocker_joint.frame_a, rocker_joint.frame_b, rocker.frame)
    line = _rssr_line()
    if coupler == "rod":
        rod = model.add(sp.SphericalSpherical("coupler", float(np.linalg.norm(line)), 1.2))
        in_a_row(model, crank.frame_1, rod.frame_a, rod.frame_b, rocker.frame_1)
    else:
        _coupler(model, line)
    return model


def _bar(name: str, mass: float, reach: tuple[float, float, float]) -> sp.Body:
    """A thin even bar, with a second frame at its end."""
    r = np.array(reach)
    inertia = mass / 12 * (r @ r * np.eye(3) - np.outer(r, r))
    return sp.Body(name, mass, inertia, 0.5 * r, points=(reach,))


def _rssr_line() -> np.ndarray:
    """From the crank's tip to the rocker's at the start  [m]."""
    return FOOT + ROCKER * np.array([0.0, math.cos(LIFT), math.sin(LIFT)]) - [CRANK, 0.0, 0.0]


def _coupler(model: mb.Model, line: np.ndarray) -> None:
    """The bar on two balls, without spin about its line: ω = line × (v_C - v_B) / length²."""
    length = float(np.linalg.norm(line))
    lift = ROCKER * np.array([0.0, -math.sin(LIFT), math.cos(LIFT)])
    v_B = np.array([0.0, CRANK * SPEED, 0.0])
    rate = line @ v_B / (line @ lift)
    turning = np.cross(line, rate * lift - v_B) / length**2
    across = np.cross((1.0, 0.0, 0.0), line / length)
    quaternion = np.array([1.0 + line[0] / length, *across])
    R_WB = _matrix(quaternion / np.linalg.norm(quaternion))
    start = {"quaternion": mb.Guess(quaternion / np.linalg.norm(quaternion))}
    start |= {"angular_velocity": R_WB.T @ (turning - [0.0, 0.0, SPEED])}
    first, second = model.add(sp.Spherical("B", **start)), model.add(sp.Spherical("C"))
    moment = 1.2 * length**2 / 12
    bar = sp.Body("coupler", 1.2, (0.002, moment, moment), (length / 2, 0, 0), points=((length, 0, 0),))
    bar = model.add(bar)
    in_a_row(model, "crank.frame_1", first.frame_a, first.frame_b, bar.frame)
    in_a_row(model, "rocker.frame_1", second.frame_a, second.frame_b, bar.frame_1)


def _matrix(quaternion: np.ndarray) -> np.ndarray:
    """The rotation matrix of a unit quaternion (w, x, y, z)."""
    w, v = quaternion[0], quaternion[1:]
    K = np.array([[0.0, -v[2], v[1]], [v[2], 0.0, -v[0]], [-v[1], v[0], 0.0]])
    return np.eye(3) + 2 * w * K + 2 * K @ K
