"""Every joint by its household name: the part, its geometry by hand, and how its start values are called."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from multibond import planar as pl
from multibond import spatial as sp

from .geometry import NONE, Kind, X, Y, Z

ANGLE, PLACE = {"angle": ("q", 0), "speed": ("u", 0)}, {"position": ("q", 0), "speed": ("u", 0)}
ANY = {"coordinates": ("q", slice(None)), "speeds": ("u", slice(None))}


@dataclass(frozen=True)
class Type:
    """A joint's class with its axes; starts: which coordinates or speeds each start value is; drive: its parameter."""

    part: Any
    fixed: dict[str, Any]
    kind: Kind
    starts: dict[str, tuple[str, Any]]
    drive: str = ""
    factor: float = field(default=1.0)
    """What a start value is multiplied by to give the coordinate (the elongation of a Telescope)."""

    @property
    def single(self) -> bool:
        """Whether it can have a spring along its one coordinate."""
        return "stiffness" in self.part.parameters() and self.kind.freedoms == 1

    @property
    def damped(self) -> bool:
        """Whether it can have a damper."""
        return "damping" in self.part.parameters() and self.kind.freedoms > 0

    def begin(self, q: np.ndarray, u: np.ndarray) -> dict[str, Any]:
        """Start values in the part's own words."""
        values = {"q": q, "u": u}
        found = {name: values[which][place] for name, (which, place) in self.starts.items()}
        return {n: v / self.factor if n == "elongation" else v for n, v in found.items()}


def axes(rng: np.random.Generator) -> np.ndarray:
    """Three random axes, perpendicular to one another, one a row."""
    return np.linalg.qr(rng.standard_normal((3, 3)))[0]


def revolute(rng: np.random.Generator) -> Type:
    a = axes(rng)[0]
    return Type(sp.Revolute, {"axis": a}, Kind(a[None]), ANGLE, "torque")


def prismatic(rng: np.random.Generator) -> Type:
    a = axes(rng)[0]
    return Type(sp.Prismatic, {"axis": a}, Kind(NONE, a[None]), PLACE, "force")


def screw(rng: np.random.Generator) -> Type:
    a, pitch = axes(rng)[0], rng.uniform(0.3, 1.2)
    return Type(
        sp.Screw, {"axis": a, "pitch": pitch}, Kind(a[None], a[None], lead=pitch / (2 * np.pi)), ANGLE, "torque"
    )


def cylindrical(rng: np.random.Generator) -> Type:
    a = axes(rng)[0]
    starts = {"angle": ("q", 0), "position": ("q", 1), "speeds": ("u", slice(None))}
    return Type(sp.Cylindrical, {"axis": a}, Kind(a[None], a[None]), starts, "force")


def universal(rng: np.random.Generator) -> Type:
    a, b, _ = axes(rng)
    starts = {"angles": ("q", slice(None)), "speeds": ("u", slice(None))}
    return Type(sp.Universal, {"axis": a, "second_axis": b}, Kind(np.array([a, b])), starts, "torque")


def plate(rng: np.random.Generator) -> Type:
    a, b, _ = axes(rng)
    starts = {"angle": ("q", 0), "position": ("q", slice(1, 3)), "speeds": ("u", slice(None))}
    kind = Kind(a[None], np.array([b, np.cross(a, b)]))
    return Type(sp.Planar, {"axis": a, "along": b}, kind, starts, "force")


def ball(rng: np.random.Generator) -> Type:
    starts = {"quaternion": ("q", slice(None)), "angular_velocity": ("u", slice(None))}
    return Type(sp.Spherical, {}, Kind(np.eye(3), quaternion=True), starts, "torque")


def ball_by_angles(rng: np.random.Generator) -> Type:
    order = rng.permutation(3)
    turns = np.eye(3)[order if rng.random() < 0.5 else [order[0], order[1], order[0]]]
    starts = {"angles": ("q", slice(None)), "angular_velocity": ("u", slice(None))}
    kind = Kind(turns)
    return Type(sp.Spherical, {"sequence": [tuple(axis) for axis in turns]}, kind, starts, "torque")


def free_translation(rng: np.random.Generator) -> Type:
    starts = {"position": ("q", slice(None)), "velocity": ("u", slice(None))}
    return Type(sp.FreeTranslation, {}, Kind(NONE, np.eye(3)), starts, "force")


def free(rng: np.random.Generator) -> Type:
    q = {"quaternion": ("q", slice(0, 4)), "position": ("q", slice(4, 7))}
    u = {"angular_velocity": ("u", slice(0, 3)), "velocity": ("u", slice(3, 6))}
    return Type(sp.Free, {}, Kind(np.eye(3), np.eye(3), quaternion=True), q | u)


def weld(rng: np.random.Generator) -> Type:
    return Type(sp.Weld, {}, Kind(), {})


def any_joint(rng: np.random.Generator, freedoms: int | None = None) -> Type:
    """A generic joint with random free motions about and along random axes, three turns either way."""
    turns, slides = int(rng.integers(0, 4)), int(rng.integers(0, 4))
    while not (1 <= turns + slides <= 5 and freedoms in (None, turns + slides)):
        turns, slides = int(rng.integers(0, 4)), int(rng.integers(0, 4))
    about, along = axes(rng)[:turns], np.eye(3) if slides == 3 else axes(rng)[:slides]
    angles = turns == 3 and rng.random() < 0.5
    fixed = {"turns": [tuple(v) for v in about], "slides": [tuple(v) for v in along], "angles": bool(angles)}
    return Type(sp.Joint, fixed, Kind(about, along.reshape(-1, 3), turns == 3 and not angles), ANY, "force")


SPATIAL: dict[str, Callable[[np.random.Generator], Type]] = {
    "Revolute": revolute,
    "Prismatic": prismatic,
    "Screw": screw,
    "Cylindrical": cylindrical,
    "Universal": universal,
    "Planar": plate,
    "Spherical": ball,
    "Spherical by angles": ball_by_angles,
    "FreeTranslation": free_translation,
    "Free": free,
    "Weld": weld,
    "any Joint": any_joint,
}


# -- in the plane ------------------------------------------------------------------------------------------------------


def _flat(rng: np.random.Generator) -> np.ndarray:
    angle = rng.uniform(-np.pi, np.pi)
    return np.array([np.cos(angle), np.sin(angle), 0.0])


def telescope(rng: np.random.Generator) -> Type:
    a, length = _flat(rng), rng.uniform(0.4, 1.0)
    starts = {"elongation": ("q", 0), "speed": ("u", 0)}
    return Type(pl.Telescope, {"vector": length * a[:2]}, Kind(NONE, a[None]), starts, "force", length)


def _slider(rng: np.random.Generator) -> Type:
    a = _flat(rng)
    return Type(pl.Prismatic, {"axis": a[:2]}, Kind(NONE, a[None]), PLACE, "force")


def _loose(part: Any) -> Callable[[np.random.Generator], Type]:
    q = {"angle": ("q", 0), "position": ("q", slice(1, 3))}
    u = {"angular_velocity": ("u", 0), "velocity": ("u", slice(1, 3))}
    return lambda rng: Type(part, {}, Kind(Z[None], np.array([X, Y])), q | u, "force")


def any_planar(rng: np.random.Generator) -> Type:
    """A generic joint of the plane with two or three free motions along random axes."""
    turns, slides = ((True, 1), (False, 2), (True, 2))[int(rng.integers(3))]
    a = _flat(rng)
    along = np.array([a, np.cross(Z, a)])[:slides]
    fixed = {"turns": turns, "slides": [tuple(v[:2]) for v in along]}
    return Type(pl.Joint, fixed, Kind(Z[None] if turns else NONE, along), ANY, "force")


PLANAR: dict[str, Callable[[np.random.Generator], Type]] = {
    "Revolute": lambda rng: Type(pl.Revolute, {}, Kind(Z[None]), ANGLE, "torque"),
    "Prismatic": _slider,
    "Telescope": telescope,
    "Free": _loose(pl.Free),
    "Bushing": _loose(pl.Bushing),
    "Weld": lambda rng: Type(pl.Weld, {}, Kind(), {}),
    "any Joint": any_planar,
}
