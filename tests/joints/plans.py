"""Random mechanisms: which bodies, which joints between them, where a loop closes. Numbers come in `numbers.py`.

The joint under test is called "it" and always lies in a loop. Bodies are counted from 1; the world is 0.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from .kinds import PLANAR, SPATIAL, Type, any_joint, axes, universal
from .kinds import ball as ball_type
from .kinds import revolute as hinge_type

POOL = {1: ("Revolute", "Revolute", "Prismatic", "Screw"), 2: ("Universal", "Cylindrical"), 3: ("Spherical", "Planar")}
"""Joints for the rest of a loop, by freedoms; those with four are generic."""


@dataclass(frozen=True)
class Edge:
    """A joint from body a to body b; whole: the part that holds it, where that is not the joint itself.

    closing: its frame on b stands where the loop closes; else b's own frame is the joint's.
    """

    name: str
    a: int
    b: int
    type: Type
    closing: bool = False
    whole: str = ""

    @property
    def first(self) -> bool:
        """Whether the start values of the part that holds it are its own."""
        return self.name in ("it.universal", "it.wheel_a")


@dataclass(frozen=True)
class Plan:
    """A mechanism without numbers.

    rods: SphericalSpherical parts between two bodies, by name. couplings: by name the two joints that move together.
    """

    name: str
    plane: bool
    bodies: int
    edges: tuple[Edge, ...]
    rods: tuple[tuple[str, int, int], ...] = ()
    couplings: tuple[tuple[str, str, str], ...] = ()

    @property
    def size(self) -> int:
        """Freedoms of a body."""
        return 3 if self.plane else 6


def split(total: int, parts: int, most: int, rng: np.random.Generator) -> list[int]:
    """A sum in so many parts from 1 to `most`."""
    while True:
        found = [int(k) for k in rng.integers(1, most + 1, parts)]
        if sum(found) == total:
            return found


def companions(freedoms: int, links: int, rng: np.random.Generator) -> list[Type]:
    """Joints for the rest of a loop, with so many freedoms together."""
    counts = split(freedoms, links, 4, rng)
    return [any_joint(rng, 4) if n == 4 else SPATIAL[str(rng.choice(POOL[n]))](rng) for n in counts]


def chain(name: str, types: list[Type], at: int, rng: np.random.Generator, *, plane: bool = False) -> Plan:
    """A loop world, 1, 2, …, world through all joints, the one at place `at` being "it"."""
    labels = [f"J{k}" for k in range(len(types))]
    labels[at] = "it"
    last = len(types) - 1
    edges = [Edge(labels[k], k, 0 if k == last else k + 1, t, k == last) for k, t in enumerate(types)]
    if rng.random() < 0.5:  # the other way round
        edges[-1] = replace(edges[-1], a=0, b=last)
    return Plan(name, plane, last, tuple(edges))


def with_branch(plan: Plan, rng: np.random.Generator) -> Plan:
    """The same with a body more, on one of the others."""
    pick = PLANAR["Revolute"] if plan.plane else SPATIAL[str(rng.choice(["Revolute", "Spherical"]))]
    edge = Edge("branch", int(rng.integers(1, plan.bodies + 1)), plan.bodies + 1, pick(rng))
    return replace(plan, bodies=plan.bodies + 1, edges=(*plan.edges, edge))


def spatial_plan(name: str, seed: int) -> Plan:
    """A random mechanism in space around a joint; every other one has a branch, or a second loop through a rod."""
    rng = np.random.default_rng([seed, len(name), *name.encode()])
    if name in COMPOUND:
        return COMPOUND[name](rng)
    it = SPATIAL[name](rng)
    mobility, bodies = int(rng.integers(2, 4)), 2 + seed % 2
    lacking = 6 + mobility - it.kind.freedoms
    rest = companions(min(max(lacking, bodies), 4 * bodies), bodies, rng)
    at = int(rng.integers(bodies + 1))
    plan = chain(name, [*rest[:at], it, *rest[at:]], at, rng)
    if mobility > 2 and seed % 2 == 0:
        return replace(plan, rods=(("strut", 0, int(rng.integers(1, bodies + 1))),))
    return with_branch(plan, rng) if seed % 3 == 0 else plan


def rod_plan(rng: np.random.Generator) -> Plan:
    """Two bodies in a row, and a rod with two balls from the second to the world."""
    types = companions(int(rng.integers(3, 6)), 2, rng)
    edges = tuple(Edge(f"J{k}", k, k + 1, t) for k, t in enumerate(types))
    return Plan("SphericalSpherical", False, 2, edges, rods=(("it", 2, 0),))


def cardan_rod_plan(rng: np.random.Generator) -> Plan:
    """Two bodies on joints of their own, and between them a rod with a Cardan joint and a ball, a third one on it."""
    first, second = companions(4, 2, rng)
    edges = (
        Edge("J0", 0, 1, first),
        Edge("J1", 0, 2, second),
        Edge("it.universal", 1, 3, universal(rng), whole="rod"),
        Edge("it.ball", 3, 2, ball_type(rng), True, "tip"),
    )
    return Plan("UniversalSpherical", False, 3, edges)


def gear_plan(rng: np.random.Generator) -> Plan:
    """Two wheels in a bearing on the first body, and a link with two balls between the wheels."""
    edges = (
        Edge("J0", 0, 1, hinge_type(rng)),
        Edge("it.wheel_a", 1, 2, hinge_type(rng), whole="gear"),
        Edge("it.wheel_b", 1, 3, hinge_type(rng), whole="gear"),
        Edge("J1", 2, 4, ball_type(rng)),
        Edge("J2", 4, 3, ball_type(rng), True),
    )
    return Plan("Gear", False, 4, edges)


def coupling_plan(rng: np.random.Generator) -> Plan:
    """A loop in which two hinges, or a hinge and a slider, move in a fixed ratio."""
    second = SPATIAL[str(rng.choice(["Revolute", "Prismatic", "Screw"]))](rng)
    types = [hinge_type(rng), second, any_joint(rng, 4), ball_type(rng)]
    plan = chain("Coupling", types, 1, rng)
    return replace(plan, couplings=(("pair", "J0", "it"),))


COMPOUND = {
    "SphericalSpherical": rod_plan,
    "UniversalSpherical": cardan_rod_plan,
    "Gear": gear_plan,
    "Coupling": coupling_plan,
}


def planar_plan(name: str, seed: int) -> Plan:
    """A random mechanism in the plane around a joint."""
    rng = np.random.default_rng([seed, 7, *name.encode()])
    it, bodies = PLANAR[name](rng), 2 + seed % 2
    lacking = 3 + int(rng.integers(1, 3)) - it.kind.freedoms
    rest = [PLANAR[str(rng.choice(["Revolute", "Revolute", "Prismatic"]))](rng) for _ in range(bodies)]
    while sum(t.kind.freedoms for t in rest) < lacking:
        k = min(range(bodies), key=lambda k: rest[k].kind.freedoms)
        rest[k] = PLANAR["any Joint"](rng)
    at = int(rng.integers(bodies + 1))
    plan = chain(name, [*rest[:at], it, *rest[at:]], at, rng, plane=True)
    return with_branch(plan, rng) if seed % 3 == 0 else plan


__all__ = ["COMPOUND", "Edge", "Plan", "axes", "planar_plan", "spatial_plan"]
