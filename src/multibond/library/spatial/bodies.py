"""What has mass: rigid bodies with any number of points to attach to, and point masses."""

from __future__ import annotations

from typing import Any

import numpy as np

from multibond.elements import EulerGyrator, I, One, Shift
from multibond.errors import Finding
from multibond.expr import SX
from multibond.graph.component import Number, Part, component, parameter
from multibond.graph.expand import FrameTerminals, Inside
from multibond.graph.origin import Form
from multibond.graph.port import FramePort, Port
from multibond.library.spatial.drawing import carried, is_zero, point_mass, rigid


def draw_body(
    inside: Inside, frame: FrameTerminals, mass: Any, inertia: Any, centre: Any, form: Form | None = None
) -> None:
    """Newton and Euler as a multibond graph (Boudon et al., Fig. 2); form: how the body looks."""
    v = inside.add(One("v", size=3))
    position = frame.position
    if is_zero(centre):
        inside.bond(frame.translation, v)
    else:
        carried(inside, frame, "centre", centre, v)
        place = inside.add(Shift("centre", centre))
        inside.signal(frame.attitude, place.attitude_a)
        inside.signal(frame.position, place.position_a)
        position = place.position_b
    point_mass(inside, v, mass, position, form)
    if not is_zero(inertia):
        w = inside.add(One("w", size=3))
        inside.bond(frame.rotation, w)
        inside.bond(w, inside.add(I("inertia", inertia, size=3)))
        inside.bond(w, inside.add(EulerGyrator("gyroscopic", inertia)))


@component
class Body(Part):
    """A rigid body: Newton and Euler as a multibond graph (Boudon et al., Fig. 2).

    mass  [kg]; centre: position of the centre of mass in the frame  [m];
    inertia: about the centre of mass, in the frame's axes: three principal moments or a symmetric matrix  [kg.m²].
    points: further places to attach to, positions in the frame, one a row: they become frame_1, frame_2, …  [m].
    allow_unphysical: accept an inertia that no distribution of mass has.
    Variables: position, velocity, momentum (of the centre of mass, in world axes), angular_velocity (in body axes),
    attitude; the frame's own origin is `frame.position`.

    >>> Body("foot", mass=1.0, inertia=(0.08, 0.001, 0.08))
    >>> Body("plate", mass=1.0, inertia=(0.1, 0.1, 0.2), points=((1, 0, 0), (0, 1, 0)))
    """

    mass: Number = parameter(unit="kg", sign="not negative")
    inertia: Number = parameter(default=(0.0, 0.0, 0.0), unit="kg.m^2", shape=None)
    centre: Number = parameter(default=(0.0, 0.0, 0.0), unit="m", shape=(3,))
    allow_unphysical: bool = parameter(default=False, structural=True, shape="flag")
    points: Number = parameter(default=None, unit="m", shape=None)

    def reaches(self) -> list[Any]:
        """The positions of further frames."""
        if self.points is None:
            return []
        table = self.points.T if isinstance(self.points, SX) and self.points.shape[1] == 1 else self.points
        rows = table if isinstance(table, SX) else np.atleast_2d(table)
        return [rows[k, :].T if isinstance(rows, SX) else rows[k] for k in range(rows.shape[0])]

    def ports(self) -> tuple[Port, ...]:
        return tuple(FramePort(name, optional=True) for name in ("frame", *self._others()))

    def _others(self) -> list[str]:
        return [f"frame_{k + 1}" for k in range(len(self.reaches()))]

    def faults(self) -> list[Finding]:
        if self.points is not None and np.atleast_2d(self.points).shape[1] != 3:
            problem, fact = f"Body {self.name!r}: points has the wrong shape.", "Each point needs three coordinates."
            return [Finding(problem, fact, "Give rows of three: ((1, 0, 0), (0, 1, 0)).", (self.name,))]
        tensor = np.asarray(self.inertia)
        if tensor.shape not in ((3,), (3, 3)):
            problem, cure = f"Body {self.name!r}: inertia has the wrong shape.", "Give (Ixx, Iyy, Izz)."
            fact = "It needs three principal moments, or a symmetric 3 by 3 matrix."
            return [Finding(problem, fact, cure, (self.name,))]
        full = np.diag(tensor) if tensor.ndim == 1 else tensor
        if not np.allclose(full, full.T):
            return [self._fault("The matrix is not symmetric.", "Give the same product of inertia on both sides.")]
        return self._moment_faults(np.linalg.eigvalsh(full))

    def _moment_faults(self, moments: np.ndarray) -> list[Finding]:
        slack = 1e-9 * max(float(np.abs(moments).max()), 1e-30)
        if self.allow_unphysical or (moments[0] >= -slack and moments[0] + moments[1] >= moments[2] - slack):
            return []
        principal = ", ".join(f"{m:.6g}" for m in moments)
        return [
            self._fault(
                f"Principal moments {principal}: none may be negative, nor larger than the sum of the other two.",
                "Correct the inertia, or say allow_unphysical=True to insist.",
            )
        ]

    def _fault(self, fact: str, cure: str) -> Finding:
        return Finding(f"Body {self.name!r}: no distribution of mass has this inertia.", fact, cure, (self.name,))

    def build(self, inside: Inside) -> None:
        frame = inside.frame("frame")
        draw_body(inside, frame, self.mass, self.inertia, self.centre)
        for port, reach in zip(self._others(), self.reaches(), strict=True):
            names = (f"{port}_shift", f"{port}_w", f"{port}_tip")
            rigid(inside, frame, inside.frame(port), reach, names)

    def observables(self) -> dict[str, str]:
        return {
            "position": "frame.position" if is_zero(self.centre) else "centre.position_b",
            "velocity": "mass.f",
            "momentum": "mass.p",
            "attitude": "frame.attitude",
        } | ({} if is_zero(self.inertia) else {"angular_velocity": "inertia.f"})


@component
class PointMass(Part):
    """A mass without extension at the origin of its frame: it resists no turning.

    mass  [kg]. Variables: position, velocity, momentum, in world axes.

    >>> PointMass("bob", 2.0)
    """

    mass: Number = parameter(unit="kg", sign="not negative")

    def ports(self) -> tuple[Port, ...]:
        return (FramePort("frame", optional=True),)

    def build(self, inside: Inside) -> None:
        frame = inside.frame("frame")
        v = inside.add(One("v", size=3))
        inside.bond(frame.translation, v)
        point_mass(inside, v, self.mass, frame.position)

    def observables(self) -> dict[str, str]:
        return {"position": "frame.position", "velocity": "mass.f", "momentum": "mass.p"}
