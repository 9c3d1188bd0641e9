"""Mechanisms that fold or come into line with equal lengths, and their one equation of motion by closed forms."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import numpy as np
from scipy.integrate import solve_ivp

import multibond as mb
from multibond import planar as pl

G = 9.81


class Drawing:
    """A model in the plane or in space, with points given in the plane."""

    def __init__(self, library: ModuleType) -> None:
        self.library, self.plane = library, library is pl
        self.model = mb.Model("folding")
        self.world = self.model.add(library.World(gravity=(0.0, -G)) if self.plane else library.World())

    def at(self, x: float, y: float) -> tuple[float, ...]:
        return (x, y) if self.plane else (x, y, 0.0)

    def body(self, name: str, mass: float, inertia: float, x: float = 0.0, y: float = 0.0) -> Any:
        moment = inertia if self.plane else (inertia, inertia, inertia)
        return self.model.add(self.library.Body(name, mass=mass, inertia=moment, centre=self.at(x, y)))

    def rod(self, name: str, x: float, y: float) -> Any:
        return self.model.add(self.library.Rod(name, self.at(x, y)))

    def hinge(self, name: str, angle: Any = None, **more: Any) -> Any:
        given = {} if angle is None else {"angle": angle}
        return self.model.add(self.library.Revolute(name, **given, **more))

    def link(self, *frames: Any) -> None:
        self.model.connect(*frames)


def slider_crank(
    library: ModuleType, speed: float, angle: float = 0.6, *, rod_mass: float = 0.7, **more: Any
) -> mb.Model:
    """Crank and rod of 0.5 m; the slider runs along x. Folded at ±90° the slider stands on the crank's pivot."""
    d = Drawing(library)
    crank, beam = d.hinge("crank", angle, speed=speed, **more), d.hinge("pin", mb.Guess(-2 * angle))
    end = d.hinge("wrist", mb.Guess(angle))
    axis = {} if d.plane else {"axis": "x"}
    axis = {"axis": (1.0, 0.0)} if d.plane else axis
    guide = d.model.add(library.Prismatic("guide", position=mb.Guess(float(np.cos(angle))), **axis))
    web, rod = d.rod("web", 0.5, 0.0), d.rod("rod", 0.5, 0.0)
    bodies = (
        d.body("wheel", 1.0, 0.2),
        d.body("shaft", rod_mass, 0.03, 0.25, 0.0) if rod_mass else None,
        d.body("piston", 0.8, 0.01),
    )
    d.link(d.world.frame, crank.frame_a, guide.frame_a)
    d.link(crank.frame_b, bodies[0].frame, web.frame_a)
    d.link(web.frame_b, beam.frame_a)
    d.link(beam.frame_b, rod.frame_a, *([bodies[1].frame] if bodies[1] else []))
    d.link(rod.frame_b, end.frame_a)
    d.link(guide.frame_b, end.frame_b, bodies[2].frame)
    return d.model


def crank_angle(
    t: np.ndarray, speed: float, angle: float = 0.6, rod_mass: float = 0.7, friction: float = 0.0
) -> np.ndarray:
    """The rod stands at -φ: its centre at (0.75 cos φ, 0.25 sin φ), the piston at cos φ."""
    m, M = rod_mass, 0.8
    J = 0.03 if rod_mass else 0.0

    def rate(_: float, y: np.ndarray) -> list[float]:
        q, v = y
        s, c = np.sin(q), np.cos(q)
        mass = 0.2 + J + m * (0.5625 * s**2 + 0.0625 * c**2) + M * s**2
        slope = 2 * s * c * (m * 0.5 + M)
        force = -G * m * 0.25 * c - friction * np.sign(v)
        return [v, (force - 0.5 * slope * v**2) / mass]

    return solve_ivp(rate, (0.0, t[-1]), [angle, speed], "DOP853", t, rtol=1e-13, atol=1e-13).y[0]


def cranks(library: ModuleType, count: int, angle: float = 0.6, speed: float = -5.0, **more: Any) -> mb.Model:
    """Equal cranks of 0.5 m, one metre apart, on one coupler."""
    d = Drawing(library)
    coupler = d.body("coupler", 2.0, 0.3)
    for k in range(count):
        given = {"speed": speed, **more} if k == 0 else {}
        hinge = d.hinge(f"A{k}", angle if k == 0 else mb.Guess(angle), **given)
        wheel, arm = d.body(f"wheel{k}", 1.0, 0.1), d.rod(f"arm{k}", 0.5, 0.0)
        pin = d.hinge(f"B{k}", mb.Guess(-angle))
        post, eye = d.rod(f"post{k}", 1.0 * k, 0.0), d.rod(f"eye{k}", 1.0 * k, 0.0)
        d.link(d.world.frame, post.frame_a)
        d.link(post.frame_b, hinge.frame_a)
        d.link(hinge.frame_b, wheel.frame, arm.frame_a)
        d.link(arm.frame_b, pin.frame_a)
        d.link(coupler.frame, eye.frame_a)
        d.link(pin.frame_b, eye.frame_b)
    return d.model


def common_angle(t: np.ndarray, count: int, angle: float = 0.6, speed: float = -5.0) -> np.ndarray:
    inertia = 0.1 * count + 2.0 * 0.25

    def rate(_: float, y: np.ndarray) -> list[float]:
        return [y[1], -G * 2.0 * 0.5 * np.cos(y[0]) / inertia]

    return solve_ivp(rate, (0.0, t[-1]), [angle, speed], "DOP853", t, rtol=1e-13, atol=1e-13).y[0]
