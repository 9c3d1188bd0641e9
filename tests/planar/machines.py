"""Machines that are drawn alike in the plane and in space, where every axis of rotation is z."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from types import ModuleType
from typing import Any

import multibond as mb
from multibond import planar as pl
from multibond import spatial as sp

Parts = Callable[[ModuleType], mb.Model]


class Bench:
    """A model under construction from planar or spatial parts: vectors and inertias get what their library wants."""

    def __init__(self, library: ModuleType, gravity: Sequence[float] = (0.0, -9.81)) -> None:
        self.library, self.model = library, mb.Model("machine")
        self.world = self.model.add(library.World(gravity=self.at(*gravity)))

    def at(self, x: float, y: float) -> tuple[float, ...]:
        """A vector in the plane."""
        return (x, y) if self.library is pl else (x, y, 0.0)

    def rod(self, name: str, x: float, y: float) -> Any:
        """A rod."""
        return self.model.add(self.library.Rod(name, self.at(x, y)))

    def body(self, name: str, mass: float, inertia: float = 0.0, centre: Sequence[float] = (0.0, 0.0)) -> Any:
        """A body."""
        tensor = inertia if self.library is pl else (inertia, inertia, inertia)
        return self.model.add(self.library.Body(name, mass, tensor, self.at(*centre)))

    def add(self, kind: str, name: str, **values: Any) -> Any:
        """Any other part."""
        return self.model.add(getattr(self.library, kind)(name, **values))

    def link(self, *ports: Any) -> None:
        """Connect ports."""
        self.model.connect(*ports)


def double_pendulum(
    library: ModuleType, first: Any = ((2.0, 2.0), 2.0, 0.0), second: Any = ((0.0, -1.5), 1.0, 0.0)
) -> mb.Model:
    """Two rods with bodies at their ends; each is told as vector, mass and inertia (MultiBondLib: DoublePendulum)."""
    b = Bench(library)
    end = b.world.frame
    for k, (vector, mass, inertia) in enumerate((first, second), 1):
        joint = b.add("Revolute", f"j{k}", angle=0.0, speed=0.0)
        rod, bob = b.rod(f"r{k}", *vector), b.body(f"m{k}", mass, inertia)
        b.link(end, joint.frame_a)
        b.link(joint.frame_b, rod.frame_a)
        b.link(rod.frame_b, bob.frame)
        end = rod.frame_b
    return b.model


def crane_crab(
    library: ModuleType,
    cart: float = 2.0,
    bob: tuple[float, float] = (1.0, 0.0),
    rod: Sequence[float] = (1.0, 3.0),
    angle: float = 0.0,
    damping: float = 0.0,
) -> mb.Model:
    """A cart on a rail and a bob that swings from it (MultiBondLib: CraneCrab3; PlanarMechanics: CraneCrab)."""
    b = Bench(library)
    rail = b.add("Prismatic", "rail", axis="x", position=0.0, speed=0.0, damping=damping)
    hinge = b.add("Revolute", "hinge", angle=angle, speed=0.0)
    arm, load, car = b.rod("arm", *rod), b.body("bob", *bob), b.body("cart", cart)
    b.link(b.world.frame, rail.frame_a)
    b.link(rail.frame_b, car.frame, hinge.frame_a)
    b.link(hinge.frame_b, arm.frame_a)
    b.link(arm.frame_b, load.frame)
    return b.model


def kinematic_loop(library: ModuleType) -> mb.Model:
    """A slider on a spring, bars from it and from the origin to an apex, a pendulum at the apex (KinematicLoop2)."""
    b = Bench(library)
    slide = b.add("Prismatic", "slide", axis="x", position=2.0, speed=0.0, stiffness=50.0, rest=1.6, damping=2.0)
    near, far = (b.add("Revolute", n, angle=mb.Guess(a)) for n, a in (("near", 0.34), ("far", -0.34)))
    apex, swing = b.add("Revolute", "apex"), b.add("Revolute", "swing", angle=0.0, speed=0.0)
    left, right, arm = b.rod("left", 0.0, -3.0), b.rod("right", 0.0, -3.0), b.rod("arm", 2.0, 0.0)
    bob = b.body("bob", 2.0, 0.05)
    b.link(b.world.frame, slide.frame_a, near.frame_a)
    b.link(near.frame_b, left.frame_a)
    b.link(slide.frame_b, far.frame_a)
    b.link(far.frame_b, right.frame_a)
    b.link(left.frame_b, apex.frame_a)
    b.link(right.frame_b, apex.frame_b, swing.frame_a)
    b.link(swing.frame_b, arm.frame_a)
    b.link(arm.frame_b, bob.frame)
    return b.model


def parallelogram(library: ModuleType) -> mb.Model:
    """Four hinges, bars of 1 m, all horizontal at the start; bodies of 1 kg and 1 kg.m² at the moving corners.

    Three turn with a bar, one stands on the coupler (MultiBondLib: Planar.KinematicLoop).
    """
    b = Bench(library)
    upper, lower = b.add("Revolute", "upper", angle=0.0, speed=0.0), b.add("Revolute", "lower", angle=mb.Guess(0.0))
    outer, last = b.add("Revolute", "outer"), b.add("Revolute", "last")
    ground, coupler = b.rod("ground", 0.0, -1.0), b.rod("coupler", 0.0, -1.0)
    top, bottom = b.rod("top", 1.0, 0.0), b.rod("bottom", 1.0, 0.0)
    bodies = [b.body(f"b{k}", 1.0, 1.0) for k in range(4)]
    b.link(b.world.frame, upper.frame_a, ground.frame_a)
    b.link(ground.frame_b, lower.frame_a)
    b.link(upper.frame_b, top.frame_a)
    b.link(lower.frame_b, bottom.frame_a)
    b.link(top.frame_b, outer.frame_a, bodies[0].frame)
    b.link(outer.frame_b, coupler.frame_a)
    b.link(bottom.frame_b, last.frame_a, bodies[1].frame, bodies[2].frame)
    b.link(coupler.frame_b, last.frame_b, bodies[3].frame)
    return b.model


def free_body(library: ModuleType) -> mb.Model:
    """A body on a rod whose other end a spring holds to the origin (MultiBondLib: Planar.FreeBody)."""
    b = Bench(library)
    speed = 0.0 if library is pl else (0.0, 0.0, 0.0)
    free = b.add("Free", "free", position=b.at(1.2, -0.5), velocity=b.at(0.0, 0.0), angular_velocity=speed)
    rod, body, spring = (
        b.rod("rod", 1.0, 0.0),
        b.body("body", 1.0, 0.12),
        b.add("Spring", "spring", stiffness=10.0, rest=1.0),
    )
    b.link(b.world.frame, free.frame_a, spring.frame_a)
    b.link(free.frame_b, body.frame, rod.frame_b)
    b.link(rod.frame_a, spring.frame_b)
    return b.model


def limbs(library: ModuleType, **boom_values: Any) -> mb.Model:
    """A chain with everything along its joints: drive, damper, spring, and bodies with centres of their own."""
    soft = {"position": 0.5, "speed": 0.3, "stiffness": 30.0, "rest": 0.4, "damping": 1.5, "force": 2.0}
    b = Bench(library)
    hip = b.add("Revolute", "hip", angle=0.4, speed=-1.0, damping=0.3, stiffness=2.0, rest=0.1, torque=mb.sin(3 * mb.t))
    boom = b.add("Prismatic", "boom", axis=(0.6, 0.8, 0.0), **(boom_values or soft))
    wrist = b.add("Revolute", "wrist", angle=-0.7, speed=2.0, torque=0.4)
    rod, fore, hand = (
        b.rod("rod", 0.3, -0.8),
        b.body("fore", 1.3, 0.2, (0.1, -0.4)),
        b.body("hand", 0.7, 0.1, (0.2, 0.3)),
    )
    b.link(b.world.frame, hip.frame_a)
    b.link(hip.frame_b, rod.frame_a, fore.frame)
    b.link(rod.frame_b, boom.frame_a)
    b.link(boom.frame_b, wrist.frame_a)
    b.link(wrist.frame_b, hand.frame)
    return b.model


MACHINES: dict[str, tuple[Parts, float, tuple[str, ...]]] = {
    "double pendulum": (double_pendulum, 1.5, ("j1.angle", "j2.angle", "j1.speed", "j2.speed")),
    "crane crab": (crane_crab, 2.0, ("rail.position", "hinge.angle", "rail.speed", "hinge.speed")),
    "kinematic loop": (kinematic_loop, 2.0, ("slide.position", "swing.angle", "slide.speed", "apex.angle")),
    "parallelogram": (parallelogram, 0.5, ("upper.angle", "upper.speed", "last.angle")),
    "limbs": (limbs, 2.0, ("hip.angle", "hip.speed", "boom.position", "wrist.angle", "wrist.speed")),
}
"""Builders by library, how long they run, and what is compared."""
DRIVEN = {"driven": 0.5 + 0.1 * mb.sin(2 * mb.t)}
"""Of the boom of `limbs`, a path over time."""
LIBRARIES = {"plane": pl, "space": sp}
