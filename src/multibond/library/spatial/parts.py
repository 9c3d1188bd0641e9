"""World, Body and Rod: what is fixed, what has mass, what keeps a distance."""

from __future__ import annotations

from typing import Any

import numpy as np

from multibond.elements import MTF, TF, Anchor, EulerGyrator, I, One, Se, Sf, Shift, Zero
from multibond.errors import Finding
from multibond.expr import SX, column, constant, vector
from multibond.graph.component import Number, Part, component, parameter
from multibond.graph.expand import Inside
from multibond.graph.frames import FrameTerminals
from multibond.graph.port import FramePort, Port
from multibond.rotation import skew


def is_zero(value: Any) -> bool:
    """Whether a parameter is absent or structurally zero."""
    if value is None:
        return True
    return value.nnz() == 0 if isinstance(value, SX) else not np.any(value)


def carried(inside: Inside, a: FrameTerminals, name: str, reach: Any, outlet: Any) -> None:
    """Velocity of a point at `reach` (in the frame's axes): v = v_a + R (ω × reach), led to `outlet`.

    Draws rot → ×(reach) → MTF⟨R⟩ → 0 and trans → 0 → outlet (Boudon et al., Fig. 2).
    """
    if is_zero(reach):
        through = inside.add(One(f"{name}_through", size=3))
        inside.bond(a.translation, through)
        inside.bond(through, outlet)
        return
    lever = inside.add(TF(f"{name}_lever", -skew(vector(reach, 3)), inverse="none"))
    turn = inside.add(MTF(f"{name}_turn", 3, 3, inverse="transpose"))
    total = inside.add(Zero(f"{name}_sum", size=3))
    inside.bond(a.rotation, lever)
    inside.bond(lever, turn)
    inside.bond(turn, total)
    inside.bond(a.translation, total)
    inside.bond(total, outlet)
    inside.signal(a.attitude, turn.modulus)


@component
class World(Part):
    """The inertial frame, and gravity.

    gravity: acceleration of free fall  [m/s²], 9.81 along -y where nothing else is said.
    """

    name: str = "world"
    gravity: Number = parameter(default=(0.0, -9.81, 0.0), unit="m/s^2", shape=(3,))

    def ports(self) -> tuple[Port, ...]:
        return (FramePort("frame"),)

    def surroundings(self) -> dict[str, Any]:
        """What every body is told."""
        return {"gravity": self.gravity}

    def build(self, inside: Inside) -> None:
        frame = inside.frame("frame")
        pose = inside.add(Anchor("pose"))
        inside.bond(inside.add(Sf("rotation", 0.0, size=3)), frame.rotation)
        inside.bond(inside.add(Sf("translation", 0.0, size=3)), frame.translation)
        inside.signal(pose.attitude, frame.attitude)
        inside.signal(pose.position, frame.position)


@component
class Body(Part):
    """A rigid body: Newton and Euler as a multibond graph (Boudon et al., Fig. 2).

    mass  [kg]; centre: position of the centre of mass in the frame  [m];
    inertia: about the centre of mass, in the frame's axes: three principal moments or a symmetric matrix  [kg.m²].
    allow_unphysical: accept an inertia that no distribution of mass has.
    Variables: position, velocity, momentum (of the centre of mass, in world axes), angular_velocity (in body axes),
    attitude; the frame's own origin is `frame.position`.

    >>> Body("foot", mass=1.0, inertia=(0.08, 0.001, 0.08))
    """

    mass: Number = parameter(unit="kg", sign="not negative")
    inertia: Number = parameter(default=(0.0, 0.0, 0.0), unit="kg.m^2", shape=None)
    centre: Number = parameter(default=(0.0, 0.0, 0.0), unit="m", shape=(3,))
    allow_unphysical: bool = parameter(default=False, structural=True, shape="flag")

    def ports(self) -> tuple[Port, ...]:
        return (FramePort("frame"),)

    def faults(self) -> list[Finding]:
        tensor = np.asarray(self.inertia)
        if tensor.shape not in ((3,), (3, 3)):
            fact = "It needs three principal moments, or a symmetric 3 by 3 matrix."
            return [
                Finding(
                    f"Body {self.name!r}: inertia has the wrong shape.", fact, "Give (Ixx, Iyy, Izz).", (self.name,)
                )
            ]
        full = np.diag(tensor) if tensor.ndim == 1 else tensor
        if not np.allclose(full, full.T):
            return [self._fault("The matrix is not symmetric.", "Give the same product of inertia on both sides.")]
        moments = np.linalg.eigvalsh(full)
        slack = 1e-9 * max(float(np.abs(moments).max()), 1e-30)
        if not self.allow_unphysical and (moments[0] < -slack or moments[0] + moments[1] < moments[2] - slack):
            principal = ", ".join(f"{m:.6g}" for m in moments)
            return [
                self._fault(
                    f"Principal moments {principal}: none may be negative, nor larger than the sum of the other two.",
                    "Correct the inertia, or say allow_unphysical=True to insist.",
                )
            ]
        return []

    def _fault(self, fact: str, cure: str) -> Finding:
        return Finding(f"Body {self.name!r}: no distribution of mass has this inertia.", fact, cure, (self.name,))

    def build(self, inside: Inside) -> None:
        frame = inside.frame("frame")
        v = inside.add(One("v", size=3))
        if is_zero(self.centre):
            inside.bond(frame.translation, v)
        else:
            carried(inside, frame, "centre", self.centre, v)
            place = inside.add(Shift("centre", self.centre))
            inside.signal(frame.attitude, place.attitude_a)
            inside.signal(frame.position, place.position_a)
        inside.bond(v, inside.add(I("mass", self.mass, size=3)))
        flat = vector(inside.surrounding("planar_gravity", constant(np.zeros(2))), 2)
        gravity = inside.surrounding("gravity", column([flat, SX(1, 1)]))
        if not is_zero(gravity) and not is_zero(self.mass):
            inside.bond(inside.add(Se("weight", vector(gravity, 3) * self.mass, size=3, role="gravity")), v)
        if not is_zero(self.inertia):
            w = inside.add(One("w", size=3))
            inside.bond(frame.rotation, w)
            inside.bond(w, inside.add(I("inertia", self.inertia, size=3)))
            inside.bond(w, inside.add(EulerGyrator("gyroscopic", self.inertia)))

    def observables(self) -> dict[str, str]:
        return {
            "position": "frame.position" if is_zero(self.centre) else "centre.position_b",
            "velocity": "mass.f",
            "momentum": "mass.p",
            "attitude": "frame.attitude",
        } | ({} if is_zero(self.inertia) else {"angular_velocity": "inertia.f"})


@component
class Rod(Part):
    """A massless rigid link: frame_b stands at `vector` from frame_a, with the same axes.

    >>> Rod("leg", (0, -0.5, 0))
    """

    vector: Number = parameter(unit="m", shape=(3,))

    def ports(self) -> tuple[Port, ...]:
        return (FramePort("frame_a"), FramePort("frame_b"))

    def build(self, inside: Inside) -> None:
        a, b = inside.frame("frame_a"), inside.frame("frame_b")
        shift = inside.add(Shift("shift", self.vector))
        w = inside.add(One("w", size=3))
        inside.bond(a.rotation, w)
        inside.bond(w, b.rotation)
        carried(inside, a, "tip", self.vector, b.translation)
        inside.signal(a.attitude, shift.attitude_a)
        inside.signal(a.position, shift.position_a)
        inside.signal(b.attitude, shift.attitude_b)
        inside.signal(b.position, shift.position_b)
