"""Poses as signals: where frames are, beside the bonds that say how they move.

A pose is an equality signal, so that each of these elements can compute it outwards or inwards; which way is chosen by
the spanning tree (`structure.tree`). Attitudes travel as nine numbers, row after row.
"""

from __future__ import annotations

from typing import Any, ClassVar

import casadi as ca
import numpy as np

from multibond.elements.law import LawWriter
from multibond.elements.motions import MotionKind
from multibond.elements.oneport import OnePort
from multibond.errors import Finding
from multibond.expr import SX, column, constant, flat, matrix, section, square, vector
from multibond.graph.component import Component, Element, Number, component, parameter
from multibond.graph.port import Port, SignalPort
from multibond.rotation import skew

TURNS = "turns"
"""The state of a cut joint that follows full turns of its angles, and the sign of its quaternion."""


@component
class SignalElement(Element):
    """Base of elements that carry no power."""

    causality: ClassVar[str] = "none"


@component
class FixedPose(SignalElement):
    """Base of elements that give a frame its pose, from which the tree of a mechanism starts."""

    code: ClassVar[str] = "pose"


@component
class RigidLink(SignalElement):
    """Base of elements that keep two frames a and b at a fixed distance: the pose of one gives that of the other."""

    code: ClassVar[str] = "shift"


@component
class Anchor(FixedPose):
    """Holds a frame's pose in the world: position and attitude do not change.

    at: position  [m]; turn: attitude, a rotation matrix, where it is not that of the world.
    """

    at: Number = parameter(default=(0.0, 0.0, 0.0), unit="m", shape=(3,))
    turn: Number = parameter(default=None, shape=None)

    @property
    def origin(self) -> bool:
        """Whether it is the frame of the world itself."""
        nowhere = self.at.nnz() == 0 if isinstance(self.at, SX) else not np.any(self.at)
        return self.turn is None and nowhere

    def ports(self) -> tuple[Port, ...]:
        return (SignalPort("attitude", 9, "out"), SignalPort("position", 3, "out"))

    def law(self, at: LawWriter) -> None:
        at.give("attitude", flat(turned(self.turn)))
        at.give("position", vector(self.at, 3))


@component
class GivenPose(FixedPose):
    """A frame's pose as given by signals: whatever computes them moves the frame, and must give its flow too."""

    def ports(self) -> tuple[Port, ...]:
        given = (SignalPort("given_attitude", 9), SignalPort("given_position", 3))
        return (*given, SignalPort("attitude", 9, "out"), SignalPort("position", 3, "out"))

    def law(self, at: LawWriter) -> None:
        at.give("attitude", at.signal("given_attitude"))
        at.give("position", at.signal("given_position"))


@component
class Shift(RigidLink):
    """A frame b at a fixed vector r from frame a, in a's axes, and turned: p_b = p_a + R_WA r, R_WB = R_WA R_AB.

    vector: r  [m]; turn: R_AB, a rotation matrix, where the axes differ.
    """

    vector: Number = parameter(unit="m", shape=(3,))
    turn: Number = parameter(default=None, shape=None)

    def ports(self) -> tuple[Port, ...]:
        return _pose_ports()

    def law(self, at: LawWriter) -> None:
        r, R_AB = vector(self.vector, 3), turned(self.turn)
        if at.role == "outward":
            R_WA = square(at.signal("attitude_a"))
            at.give("position_b", at.signal("position_a") + R_WA @ r)
            at.give("attitude_b", flat(R_WA @ R_AB))
        else:
            R_WA = square(at.signal("attitude_b")) @ R_AB.T
            at.give("position_a", at.signal("position_b") - R_WA @ r)
            at.give("attitude_a", flat(R_WA))


@component
class Line(SignalElement):
    """The line from position a to position b: its length and its direction (a row of three for a transformer).

    Further signals: `vector` from a to b; `excess` of the length over `rest`  [m]; `point` at a `fraction` of the way.
    """

    rest: Number = parameter(default=0.0, unit="m", sign="not negative")
    fraction: Number = parameter(default=0.0)

    code: ClassVar[str] = "line"
    dimensions: ClassVar[int] = 3

    def ports(self) -> tuple[Port, ...]:
        return (
            SignalPort("position_a", self.dimensions),
            SignalPort("position_b", self.dimensions),
            SignalPort("length", 1, "out"),
            SignalPort("direction", self.dimensions, "out"),
            SignalPort("vector", self.dimensions, "out", optional=True),
            SignalPort("excess", 1, "out", optional=True),
            SignalPort("point", self.dimensions, "out", optional=True),
        )

    def law(self, at: LawWriter) -> None:
        d = at.signal("position_b") - at.signal("position_a")
        length = ca.norm_2(d)
        at.give("length", length)
        at.give("direction", d / length)
        at.give("vector", d)
        at.give("excess", length - vector(self.rest, 1))
        at.give("point", at.signal("position_a") + vector(self.fraction, 1) * d)


@component
class LinearMap(SignalElement):
    """Signals out = matrix · signals in + offset, each a scalar: `in_1`, `in_2`, … and `out_1`, `out_2`, …"""

    matrix: Number = parameter(shape=None)
    offset: Number = parameter(default=0.0, shape=None)

    code: ClassVar[str] = "map"

    def _shape(self) -> tuple[int, int]:
        shape = self.matrix.shape or (1,)
        return (shape[0], shape[1]) if len(shape) == 2 and shape[1] > 1 else (shape[0], shape[0])

    def ports(self) -> tuple[Port, ...]:
        rows, columns = self._shape()
        inputs = tuple(SignalPort(f"in_{k + 1}") for k in range(columns))
        return inputs + tuple(SignalPort(f"out_{k + 1}", 1, "out") for k in range(rows))

    def law(self, at: LawWriter) -> None:
        rows, columns = self._shape()
        value = matrix(self.matrix, columns) @ column([at.signal(f"in_{k + 1}") for k in range(columns)])
        value = value + vector(self.offset, rows)
        for k in range(rows):
            at.give(f"out_{k + 1}", value[k])


@component
class FreeMotion(OnePort):
    """Base of the free motions of joints: coordinates q, driven by the flow u of the port, and the pose they make.

    start, speed, acceleration: q, u and du/dt at the start. path: the coordinates of a driven joint, formulas of the
    time t, and `led` which of them it gives, counted from 0 (all where nothing is said); the signal `gap_driven` tells
    how far the joint is from its path, without full turns.
    """

    start: Number = parameter(default=None, start=True, shape=None, kw_only=True)
    speed: Number = parameter(default=None, start=True, shape=None, kw_only=True)
    acceleration: Number = parameter(default=None, start=True, shape=None, kw_only=True)
    path: Number = parameter(default=None, shape="law", formula=("t",), kw_only=True)
    led: Number = parameter(default=(), structural=True, shape=None, kw_only=True)

    code: ClassVar[str] = "q"
    causality: ClassVar[str] = "motion"

    @property
    def motion(self) -> MotionKind:
        """The geometry of this joint."""
        raise TypeError(type(self).__name__)

    def _values(self) -> list[tuple[str, Any]]:
        return []  # coordinates and speeds may differ in number: a quaternion has four

    def faults(self) -> list[Finding]:
        return axes_faults(self, self.motion)

    def start_values(self) -> dict[str, Any]:
        given = {"q": self.start, "u": self.speed, "a": self.acceleration}
        return given if any(value is not None for value in given.values()) else {}

    def states(self, sizes: dict[str, int]) -> dict[str, int]:
        return {"q": self.motion.coordinates} if self.motion.coordinates else {}

    def turning_states(self, sizes: dict[str, int]) -> dict[str, int]:
        kind = self.motion
        return {"q": kind.angle_count if kind.lead is None else 1, TURNS: kind.angle_count}

    def followed(self, at: LawWriter, q: SX) -> SX:
        """Coordinates of a cut, as read from its pose: where others read them, a state follows their full turns."""
        if TURNS not in at.states:
            return q
        near = at.state(TURNS)
        q = self.motion.nearest(q, near)
        at.rate(TURNS, section(self.motion.rate(q, at.f()), 0, near.numel()))
        return q

    @property
    def led_lanes(self) -> tuple[int, ...]:
        """The coordinates that the path gives."""
        if self.path is None:
            return ()
        return tuple(int(k) for k in np.ravel(self.led)) or tuple(range(self.motion.coordinates))

    def path_ports(self) -> list[SignalPort]:
        """The signal that tells how far a driven joint is from its path."""
        return [SignalPort("gap_driven", len(self.led_lanes), "out", True)] if self.led_lanes else []

    def _give_path(self, at: LawWriter, q: SX) -> None:
        if self.led_lanes:
            away = q[list(self.led_lanes)] - at.value(self.path, len(self.led_lanes))
            turned = sum(k < self.motion.angle_count for k in self.led_lanes)
            angles = section(away, 0, turned)
            at.give(
                "gap_driven", column([ca.atan2(ca.sin(angles), ca.cos(angles)), section(away, turned, away.numel())])
            )


@component
class Motion(FreeMotion):
    """The free motion of a joint: its coordinates q, driven by the flow u of its port, and the relative pose they make.

    slides: axes of the free translations, fixed in a; turns: axes of the free rotations, in order; then b stands turned
    at the end of the slides. angles: three rotations as angles in turn, instead of a quaternion. lead: of a screw, the
    way along its axis for each radian  [m/rad]. path, led: the coordinates of a driven joint, formulas of the time t.
    The port has no effort. In the tree its flow is a state, as if it stood on a vanishing inertia, and the balance
    e = 0 determines its rate; at a cut the port only reads the flow.
    Signals: pose of both frames; `turn` (R_AB), `lever` (ω ↦ ω × p_AB), `basis` (directions of the free and held
    rotations, columns in b's axes), `gap_rotation` and `gap_translation` for the constraints, `gap_driven` (how far a
    driven joint is from its path, without full turns), `q`; of angles in turn also `rates` (u ↦ dq/dt).
    """

    turns: Number = parameter(default=(), structural=True, shape="axes")
    slides: Number = parameter(default=(), structural=True, shape="axes")
    angles: bool = parameter(default=False, structural=True, shape="flag")
    lead: Number = parameter(default=None, unit="m/rad")

    @property
    def motion(self) -> MotionKind:
        """The geometry of this joint."""
        return MotionKind(self.turns, self.slides, self.angles, self.lead)

    def ports(self) -> tuple[Port, ...]:
        kind = self.motion
        held_r, held_t = 3 - kind.turns, 3 - kind.slides
        gaps = [SignalPort("gap_rotation", held_r, "out", True)] if held_r else []
        gaps += [SignalPort("gap_translation", held_t, "out", True)] if held_t else []
        gaps += [SignalPort("gap_screw", 1, "out", True)] if kind.lead is not None else []
        return (
            *(self.power_ports(kind.freedoms) if kind.freedoms else ()),
            *_pose_ports(),
            SignalPort("turn", 9, "out", True),
            SignalPort("lever", 9, "out", True),
            SignalPort("basis", 9, "out", True),
            *([SignalPort("rates", kind.freedoms**2, "out", True)] if kind.mixed else []),
            *([SignalPort("q", kind.coordinates, "out", True)] if kind.coordinates else []),
            *gaps,
            *self.path_ports(),
        )

    def law(self, at: LawWriter) -> None:
        kind = self.motion
        if kind.freedoms:
            at.zero(at.e())
        if at.role == "cut":
            R_WA, R_WB = square(at.signal("attitude_a")), square(at.signal("attitude_b"))
            R_AB, p_AB = R_WA.T @ R_WB, R_WA.T @ (at.signal("position_b") - at.signal("position_a"))
            q = self.followed(at, kind.coordinates_of(R_AB, p_AB))
        else:
            q = at.state("q") if kind.coordinates else SX(0, 1)
            R_AB, p_AB = kind.pose(q)
            if kind.coordinates:
                at.rate("q", kind.rate(q, at.f()))
            self._pass_pose(at, R_AB, p_AB)
        at.give("turn", flat(R_AB))
        at.give("lever", flat(-skew(p_AB)))
        at.give("basis", flat(kind.basis(R_AB)))
        if kind.coordinates:
            at.give("q", q)
        if kind.mixed:
            u = SX.sym("u", kind.freedoms)
            at.give("rates", flat(ca.densify(ca.jacobian(kind.rate(q, u), u))))
        held_rotation, held_translation = kind.gaps(R_AB, p_AB)
        at.give("gap_rotation", held_rotation)
        at.give("gap_translation", held_translation)
        if kind.lead is not None:
            at.give("gap_screw", kind.screw_gap(R_AB, p_AB))
        self._give_path(at, q)

    def _pass_pose(self, at: LawWriter, R_AB: SX, p_AB: SX) -> None:
        if at.role == "outward":
            R_WA = square(at.signal("attitude_a"))
            at.give("attitude_b", flat(R_WA @ R_AB))
            at.give("position_b", at.signal("position_a") + R_WA @ p_AB)
        else:
            R_WA = square(at.signal("attitude_b")) @ R_AB.T
            at.give("attitude_a", flat(R_WA))
            at.give("position_a", at.signal("position_b") - R_WA @ p_AB)


def axes_faults(item: Component, kind: MotionKind) -> list[Finding]:
    """What is wrong with the axes of a motion or of a joint."""
    if not kind.fault:
        return []
    axes = [*kind.turn_axes.tolist(), *kind.slide_axes.tolist()]
    return [
        Finding(
            f"{type(item).__name__} {item.name!r}: {kind.fault}.",
            f"Its axes: {', '.join(str(axis) for axis in axes)}.",
            "Choose axes that are perpendicular to one another.",
            (item.name,),
        )
    ]


def turned(turn: Any) -> SX:
    """A constant rotation matrix; none is the identity."""
    return constant(np.eye(3)) if turn is None else matrix(turn, 3)


def _pose_ports() -> tuple[SignalPort, ...]:
    return (
        SignalPort("attitude_a", 9, "either"),
        SignalPort("position_a", 3, "either"),
        SignalPort("attitude_b", 9, "either"),
        SignalPort("position_b", 3, "either"),
    )
