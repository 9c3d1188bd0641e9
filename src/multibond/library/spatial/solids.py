"""Bodies of a shape and a density: box, cylinder and sphere, full or hollow, between two frames."""

from __future__ import annotations

from typing import Any

import casadi as ca
import numpy as np

from multibond.errors import Finding
from multibond.expr import SX, vector
from multibond.graph.component import Number, Part, component, parameter
from multibond.graph.expand import Inside
from multibond.graph.origin import Form
from multibond.graph.port import FramePort, Port
from multibond.library.spatial.bodies import draw_body
from multibond.library.spatial.drawing import rigid

STEEL = 7700.0


@component
class Solid(Part):
    """Base of bodies with a shape: frame_b stands at `vector` from frame_a, the centre of mass in the middle."""

    density: Number = parameter(default=STEEL, unit="kg/m^3", sign="positive", kw_only=True)

    def reach(self) -> SX:
        """From frame_a to frame_b  [m]."""
        return vector(self.vector, 3)

    def tensor(self, density: Any) -> tuple[SX, SX]:
        """Mass and inertia about the centre, in the frame's axes, for a density."""
        raise TypeError(type(self).__name__)

    def form(self) -> Form:
        """How it looks."""
        return Form(type(self).__name__.lower(), self.reach(), (self.diameter,))

    @property
    def mass(self) -> float:
        """Mass  [kg]."""
        return float(ca.evalf(self.tensor(self.density)[0]))

    @property
    def inertia(self) -> np.ndarray:
        """Inertia about the centre of mass, in the frame's axes  [kg.m²]."""
        return np.array(ca.evalf(ca.densify(self.tensor(self.density)[1])))

    def ports(self) -> tuple[Port, ...]:
        return (FramePort("frame_a", optional=True), FramePort("frame_b", optional=True))

    def build(self, inside: Inside) -> None:
        mass, inertia = self.tensor(self.density)
        draw_body(inside, inside.frame("frame_a"), mass, inertia, 0.5 * self.reach(), self.form())
        rigid(inside, inside.frame("frame_a"), inside.frame("frame_b"), self.reach(), ("shift", "through", "tip"))

    def observables(self) -> dict[str, str]:
        return {
            "position": "frame_a.position" if self.reach().nnz() == 0 else "centre.position_b",
            "velocity": "mass.f",
            "momentum": "mass.p",
            "attitude": "frame_a.attitude",
            "angular_velocity": "inertia.f",
        }

    def too_wide(self, pairs: tuple[tuple[str, str], ...]) -> list[Finding]:
        """Holes that are not smaller than what they are in."""
        found = []
        for hole, whole in pairs:
            inner, outer = float(getattr(self, hole)), float(getattr(self, whole))
            if inner >= outer:
                problem = f"{type(self).__name__} {self.name!r}: nothing is left around its hole."
                fact = f"{hole} is {inner:g} m, {whole} is {outer:g} m."
                found.append(Finding(problem, fact, f"Give {hole} < {whole}.", (self.name,)))
        return found

    def no_length(self) -> list[Finding]:
        """A shape along a vector of length zero."""
        if self.reach().nnz():
            return []
        problem = f"{type(self).__name__} {self.name!r} has no direction."
        return [Finding(problem, "Its vector is zero.", "Give the vector from frame_a to frame_b.", (self.name,))]


def _block(mass: SX, edges: tuple[SX, SX, SX], axes: tuple[SX, SX, SX]) -> tuple[SX, SX]:
    """Mass and inertia of a full block with edges along axes."""
    squares = [edge**2 for edge in edges]
    moments = [sum(squares, SX(0)) - square for square in squares]
    parts = [m * axis @ axis.T for m, axis in zip(moments, axes, strict=True)]
    return mass, mass / 12 * sum(parts[1:], parts[0])


@component
class Box(Solid):
    """A box along `vector`, from frame_a in the middle of one face to frame_b in the middle of the other.

    vector  [m]; width, height: edges across it  [m]; across: direction of the width (its part across the vector).
    inner_width, inner_height: of a hole along the vector  [m]; density  [kg/m³], 7700 (steel) if nothing else is said.

    >>> Box("bar", (0.5, 0, 0), width=0.06)
    """

    vector: Number = parameter(unit="m", shape=(3,))
    width: Number = parameter(unit="m", sign="positive")
    height: Number = parameter(default=None, unit="m", sign="positive")
    across: Number = parameter(default="y", structural=True, shape="axis")
    inner_width: Number = parameter(default=0.0, unit="m", sign="not negative")
    inner_height: Number = parameter(default=0.0, unit="m", sign="not negative")

    def faults(self) -> list[Finding]:
        found = self.no_length()
        if not found and not np.any(np.abs(np.cross(self.vector, self.across)) > 1e-9 * np.linalg.norm(self.vector)):
            problem, fact = f"Box {self.name!r} has no width.", "across runs along the vector."
            found.append(Finding(problem, fact, "Give a direction across the vector.", (self.name,)))
        if self.height is None or not np.any(self.inner_height):
            return found
        return found + self.too_wide((("inner_width", "width"), ("inner_height", "height")))

    def form(self) -> Form:
        height = self.width if self.height is None else self.height
        return Form("box", self.reach(), (self.width, height), tuple(map(float, self.across)))

    def tensor(self, density: Any) -> tuple[SX, SX]:
        length = ca.norm_2(self.reach())
        first = self.reach() / length
        third = ca.cross(first, vector(self.across, 3))
        third = third / ca.norm_2(third)
        axes = (first, ca.cross(third, first), third)
        height, hole = self.width if self.height is None else self.height, self.inner_height
        outer, inner = (
            (length, vector(self.width, 1), vector(height, 1)),
            (length, vector(self.inner_width, 1), vector(hole, 1)),
        )
        full, empty = (_block(density * e[0] * e[1] * e[2], e, axes) for e in (outer, inner))
        return full[0] - empty[0], full[1] - empty[1]


@component
class Cylinder(Solid):
    """A cylinder along `vector`, from frame_a to frame_b in the middles of its ends.

    vector  [m]; diameter, inner_diameter (of a tube)  [m]; density  [kg/m³].

    >>> Cylinder("shaft", (0, 0.2, 0), diameter=0.05)
    """

    vector: Number = parameter(unit="m", shape=(3,))
    diameter: Number = parameter(unit="m", sign="positive")
    inner_diameter: Number = parameter(default=0.0, unit="m", sign="not negative")

    def faults(self) -> list[Finding]:
        return [*self.no_length(), *self.too_wide((("inner_diameter", "diameter"),))]

    def tensor(self, density: Any) -> tuple[SX, SX]:
        length = ca.norm_2(self.reach())
        axis = self.reach() / length
        full, empty = (
            self._full(density, length, 0.5 * vector(d, 1), axis) for d in (self.diameter, self.inner_diameter)
        )
        return full[0] - empty[0], full[1] - empty[1]

    @staticmethod
    def _full(density: Any, length: SX, radius: SX, axis: SX) -> tuple[SX, SX]:
        mass = density * np.pi * radius**2 * length
        along, across = 0.5 * mass * radius**2, mass * (3 * radius**2 + length**2) / 12
        return mass, across * SX.eye(3) + (along - across) * axis @ axis.T


@component
class Sphere(Solid):
    """A ball with its centre half way from frame_a to frame_b.

    diameter, inner_diameter (of a hollow ball)  [m]; vector: from frame_a to frame_b  [m]; density  [kg/m³].

    >>> Sphere("ball", diameter=0.1)
    """

    diameter: Number = parameter(unit="m", sign="positive")
    inner_diameter: Number = parameter(default=0.0, unit="m", sign="not negative")
    vector: Number = parameter(default=(0.0, 0.0, 0.0), unit="m", shape=(3,))

    def faults(self) -> list[Finding]:
        return self.too_wide((("inner_diameter", "diameter"),))

    def tensor(self, density: Any) -> tuple[SX, SX]:
        full, empty = (self._full(density, 0.5 * vector(d, 1)) for d in (self.diameter, self.inner_diameter))
        return full[0] - empty[0], full[1] - empty[1]

    @staticmethod
    def _full(density: Any, radius: SX) -> tuple[SX, SX]:
        mass = density * 4 / 3 * np.pi * radius**3
        return mass, 0.4 * mass * radius**2 * SX.eye(3)
