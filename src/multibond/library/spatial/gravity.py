"""Masses that attract one another: a pair, or any number."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np

from multibond.elements import Gravitation, One, Zero
from multibond.expr import SX, vector
from multibond.graph.component import Number, Part, component, parameter
from multibond.graph.expand import FrameTerminals, Inside
from multibond.graph.port import FramePort, Port

G = 6.6743e-11
"""Constant of gravitation  [N.m²/kg²]."""


def attract(inside: Inside, a: FrameTerminals, b: FrameTerminals, strength: Any, name: str = "") -> None:
    """Draw the attraction of two masses at the origins of frames; strength: G times both masses  [N.m²]."""
    total, path = inside.add(Zero(f"relative{name}", size=3)), inside.add(One(f"approach{name}", size=3))
    pull = inside.add(Gravitation(f"pull{name}", strength, role="gravity"))
    inside.bond(b.translation, total)
    inside.bond(total, a.translation)
    inside.bond(total, path)
    inside.bond(pull, path)
    inside.signal(b.position, pull.position)
    inside.signal(a.position, pull.centre)


@component
class Attraction(Part):
    """Two masses at the origins of frame_a and frame_b attract each other: G mass_a mass_b / distance².

    mass_a, mass_b  [kg]; constant: G  [N.m²/kg²]. It brings no mass: connect bodies to the frames.

    >>> Attraction("tide", mass_a=5.97e24, mass_b=7.35e22)
    """

    mass_a: Number = parameter(unit="kg", sign="positive")
    mass_b: Number = parameter(unit="kg", sign="positive")
    constant: Number = parameter(default=G, unit="N.m^2/kg^2", sign="positive")

    def ports(self) -> tuple[Port, ...]:
        return (FramePort("frame_a"), FramePort("frame_b"))

    def build(self, inside: Inside) -> None:
        strength = self.constant * self.mass_a * self.mass_b
        attract(inside, inside.frame("frame_a"), inside.frame("frame_b"), strength)

    def observables(self) -> dict[str, str]:
        return {"pull": "pull.e"}


@component
class GravityPool(Part):
    """Any number of masses, each at the origin of one of the frames frame_1, frame_2, …, attract one another.

    masses  [kg]; constant: G  [N.m²/kg²]. It brings no mass: connect bodies to the frames.

    >>> GravityPool("sky", masses=(1e11, 1e11, 1e11))
    """

    masses: Number = parameter(unit="kg", sign="not negative", shape=None)
    constant: Number = parameter(default=G, unit="N.m^2/kg^2", sign="positive")

    def _count(self) -> int:
        return self.masses.numel() if isinstance(self.masses, SX) else int(np.size(self.masses))

    def ports(self) -> tuple[Port, ...]:
        return tuple(FramePort(f"frame_{k + 1}") for k in range(self._count()))

    def build(self, inside: Inside) -> None:
        masses = vector(self.masses, self._count())
        for i, j in combinations(range(self._count()), 2):
            a, b = (inside.frame(f"frame_{k + 1}") for k in (i, j))
            attract(inside, a, b, self.constant * masses[i] * masses[j], f"_{i + 1}_{j + 1}")
