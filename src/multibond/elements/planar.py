"""Poses in the plane as signals: position (two numbers) and angle, counter-clockwise about +z, beside 3-bonds.

A bond of the plane has the flows (v_x, v_y, ω) and the efforts (f_x, f_y, torque), in world axes. A `lever` is the
modulus of the transformer that leads it from one point of a body to another: v_b = v_a + ω (-r_y, r_x), same ω.
"""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from multibond.elements.kinematics import FixedPose, FreeMotion, Line, RigidLink, SignalElement
from multibond.elements.law import LawWriter
from multibond.elements.planes import NORMAL, PlanarKind, lever, turned
from multibond.errors import Finding
from multibond.expr import SX, flat, vector
from multibond.graph.component import Component, Number, component, parameter
from multibond.graph.port import Port, SignalPort
from multibond.rotation import about, of_quaternion


def _pose_ports() -> tuple[SignalPort, ...]:
    sides = [(SignalPort(f"position_{s}", 2, "either"), SignalPort(f"angle_{s}", 1, "either")) for s in "ab"]
    return sides[0] + sides[1]


@component
class PlanarAnchor(FixedPose):
    """Holds the pose of a frame in the plane.

    at: its position  [m]; angle  [rad]
    """

    at: Number = parameter(default=(0.0, 0.0), unit="m", shape=(2,))
    angle: Number = parameter(default=0.0, unit="rad")

    def ports(self) -> tuple[Port, ...]:
        return (SignalPort("position", 2, "out"), SignalPort("heading", 1, "out"))

    def law(self, at: LawWriter) -> None:
        at.give("position", vector(self.at, 2))
        at.give("heading", vector(self.angle, 1))


@component
class GivenPlanarPose(FixedPose):
    """A planar frame's pose as given by signals: whatever computes them must give its flow too."""

    def ports(self) -> tuple[Port, ...]:
        given = (SignalPort("given_position", 2), SignalPort("given_angle"))
        return (*given, SignalPort("position", 2, "out"), SignalPort("angle", 1, "out"))

    def law(self, at: LawWriter) -> None:
        at.give("position", at.signal("given_position"))
        at.give("angle", at.signal("given_angle"))


@component
class PlanarShift(RigidLink):
    """A frame b fixed to frame a: p_b = p_a + R(φ_a) vector, φ_b = φ_a + turn. It tells its `lever`.

    vector: in a's axes  [m]; turn  [rad]
    """

    vector: Number = parameter(unit="m", shape=(2,))
    turn: Number = parameter(default=0.0, unit="rad")

    def ports(self) -> tuple[Port, ...]:
        return (*_pose_ports(), SignalPort("lever", 9, "out", True))

    def law(self, at: LawWriter) -> None:
        turn = vector(self.turn, 1)
        outward = at.role == "outward"
        angle = at.signal("angle_a") if outward else at.signal("angle_b") - turn
        arm = turned(angle) @ vector(self.vector, 2)
        if outward:
            at.give("position_b", at.signal("position_a") + arm)
            at.give("angle_b", angle + turn)
        else:
            at.give("position_a", at.signal("position_b") - arm)
            at.give("angle_a", angle)
        at.give("lever", lever(arm))


@component
class PlanarArm(SignalElement):
    """The `lever` of a rod: a vector turned by the signal `angle` and stretched by the factor `ampl`, where led to it.

    vector: of the rod at the angle zero  [m]. (Zimmer and Cellier 2006, transformer with elongation factor.)
    """

    vector: Number = parameter(unit="m", shape=(2,))

    code: ClassVar[str] = "arm"

    def ports(self) -> tuple[Port, ...]:
        return (SignalPort("angle"), SignalPort("ampl", optional=True), SignalPort("lever", 9, "out"))

    def law(self, at: LawWriter) -> None:
        arm = turned(at.signal("angle")) @ vector(self.vector, 2)
        at.give("lever", lever(arm * at.signal("ampl") if "ampl" in at.signals else arm))


@component
class PlanarLine(Line):
    """The line from position a to position b in the plane: its length and its direction (a row of two)."""

    dimensions: ClassVar[int] = 2


@component
class PlanarMotion(FreeMotion):
    """The free motion of a joint in the plane: its coordinates q (the angle first), driven by the flow of its port.

    turns: whether b may turn; slides: axes of the free translations, fixed in a. Its port is that of a `Motion`.
    Signals: pose of both frames; `turn` (R_WA, four numbers), `lever` (of the arm from a to b), `gap_rotation` and
    `gap_translation` for the constraints, `q`.
    """

    turns: bool = parameter(default=False, structural=True, shape="flag")
    slides: Number = parameter(default=(), structural=True, shape="axes")

    @property
    def motion(self) -> PlanarKind:
        """The geometry of this joint."""
        return PlanarKind(NORMAL[: int(self.turns)], self.slides)

    def ports(self) -> tuple[Port, ...]:
        kind = self.motion
        gaps = [] if kind.turns else [SignalPort("gap_rotation", 1, "out", True)]
        gaps += [SignalPort("gap_translation", 2 - kind.slides, "out", True)] if kind.slides < 2 else []
        return (
            *(self.power_ports(kind.freedoms) if kind.freedoms else ()),
            *_pose_ports(),
            SignalPort("turn", 4, "out", True),
            SignalPort("lever", 9, "out", True),
            *([SignalPort("q", kind.coordinates, "out", True)] if kind.coordinates else []),
            *gaps,
            *self.path_ports(),
        )

    def law(self, at: LawWriter) -> None:
        kind = self.motion
        if kind.freedoms:
            at.zero(at.e())
        if at.role == "cut":
            angle_a, arm = at.signal("angle_a"), at.signal("position_b") - at.signal("position_a")
            turn, p_AB = at.signal("angle_b") - angle_a, turned(angle_a).T @ arm
            q = self.followed(at, kind.read(turn, p_AB))
        else:
            q = at.state("q") if kind.coordinates else SX(0, 1)
            turn, p_AB = kind.placed(q)
            angle_a = self._pass_pose(at, turn, p_AB)
            if kind.coordinates:
                at.rate("q", kind.rate(q, at.f()))
        at.give("turn", flat(turned(angle_a)))
        at.give("lever", lever(turned(angle_a) @ p_AB))
        if kind.coordinates:
            at.give("q", q)
        gaps = kind.held(turn, p_AB)
        at.give("gap_rotation", gaps[0])
        at.give("gap_translation", gaps[1])
        self._give_path(at, q)

    def _pass_pose(self, at: LawWriter, turn: SX, p_AB: SX) -> SX:
        """Lead the pose from one side to the other; returns the angle of side a."""
        outward = at.role == "outward"
        angle_a = at.signal("angle_a") if outward else at.signal("angle_b") - turn
        arm = turned(angle_a) @ p_AB
        if outward:
            at.give("angle_b", angle_a + turn)
            at.give("position_b", at.signal("position_a") + arm)
        else:
            at.give("angle_a", angle_a)
            at.give("position_a", at.signal("position_b") - arm)
        return angle_a


@component
class Embedding(SignalElement):
    """The pose in space of a frame b that is carried by a frame a in a plane: p_b = origin + R₀ (x, y, 0).

    origin: of the plane  [m]; quaternion: its attitude R₀ (w, x, y, z). The attitude of b is R₀ turned by a's angle.
    """

    origin: Number = parameter(default=(0.0, 0.0, 0.0), unit="m", shape=(3,))
    quaternion: Number = parameter(default=(1.0, 0.0, 0.0, 0.0), shape=(4,))

    code: ClassVar[str] = "plane"

    def faults(self) -> list[Finding]:
        return attitude_faults(self, self.quaternion)

    def ports(self) -> tuple[Port, ...]:
        return (*_pose_ports()[:2], SignalPort("position_b", 3, "either"), SignalPort("attitude_b", 9, "either"))

    def law(self, at: LawWriter) -> None:
        R = of_quaternion(vector(self.quaternion, 4))
        at.give("position_b", vector(self.origin, 3) + R[:, :2] @ at.signal("position_a"))
        at.give("attitude_b", flat(R @ about(NORMAL[0], at.signal("angle_a"))))


def attitude_faults(item: Component, quaternion: Number) -> list[Finding]:
    """Whether a quaternion has not the length one that an attitude needs; symbols are taken as they are."""
    length = 1.0 if isinstance(quaternion, SX) else float(np.linalg.norm(quaternion))
    if abs(length - 1.0) < 1e-9:
        return []
    problem = f"{type(item).__name__} {item.name!r}: the quaternion is no attitude."
    return [Finding(problem, f"Its length is {length:.6g}, not 1.", "Divide it by its length.", (item.name,))]


ALL = (PlanarAnchor, GivenPlanarPose, PlanarShift, PlanarArm, PlanarLine, PlanarMotion, Embedding)
