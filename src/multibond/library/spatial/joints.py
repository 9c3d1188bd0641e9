"""Joints by their household names: presets of which relative motions are free, with start values in plain words."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from multibond.elements.motions import MotionKind
from multibond.errors import Finding
from multibond.graph.component import Number, component, parameter
from multibond.graph.start import joined
from multibond.library.spatial.joint import NO_AXES, Mobility, Moving, Single, rows
from multibond.library.spatial.joint_faults import sequence_faults

ONE, STILL, NOWHERE = (1.0, 0.0, 0.0, 0.0), (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
SPACE = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))


@component
class Turning(Single):
    """Base of joints whose one coordinate is an angle."""

    damping: Number = parameter(default=0.0, unit="N.m.s/rad", sign="not negative", kw_only=True)
    friction: Number = parameter(default=0.0, unit="N.m", sign="not negative", kw_only=True)
    static: Number = parameter(default=None, unit="N.m", sign="not negative", kw_only=True)
    stiffness: Number = parameter(default=0.0, unit="N.m/rad", sign="not negative", kw_only=True)
    rest: Number = parameter(default=0.0, unit="rad", kw_only=True)
    lower: Number = parameter(default=None, unit="rad", missing=-math.inf, kw_only=True)
    upper: Number = parameter(default=None, unit="rad", missing=math.inf, kw_only=True)


@component
class Sliding(Single):
    """Base of joints whose one coordinate is a length."""

    damping: Number = parameter(default=0.0, unit="N.s/m", sign="not negative", kw_only=True)
    friction: Number = parameter(default=0.0, unit="N", sign="not negative", kw_only=True)
    static: Number = parameter(default=None, unit="N", sign="not negative", kw_only=True)
    stiffness: Number = parameter(default=0.0, unit="N/m", sign="not negative", kw_only=True)
    rest: Number = parameter(default=0.0, unit="m", kw_only=True)
    lower: Number = parameter(default=None, unit="m", missing=-math.inf, kw_only=True)
    upper: Number = parameter(default=None, unit="m", missing=math.inf, kw_only=True)


@component
class Revolute(Turning):
    """A hinge: b turns about `axis` against a.

    angle, speed, acceleration: start values, b against a  [rad, rad/s, rad/s²]; damping  [N.m.s/rad]; torque: drive on
    b, counted about the axis  [N.m]; stiffness  [N.m/rad] with its angle `rest`; friction  [N.m], `static` before it
    slips; lower, upper: stops  [rad], hit with `restitution`; driven: the angle as a formula of t; steady: start with
    speed and acceleration zero; method: how this joint is held, whatever the model's method.

    >>> Revolute("hip", axis="z", angle=0.5, damping=0.1)
    """

    axis: Number = parameter(default="z", structural=True, shape="axis")
    angle: Number = parameter(default=None, unit="rad", start=True)
    speed: Number = parameter(default=None, unit="rad/s", start=True)
    acceleration: Number = parameter(default=None, unit="rad/s^2", start=True, kw_only=True)
    torque: Number = parameter(default=None, unit="N.m", live=True, formula=("t",), kw_only=True)

    def motion(self) -> MotionKind:
        return MotionKind(rows(self.axis), NO_AXES)

    def start_values(self) -> dict[str, Any]:
        return {"q": self.angle, "u": self.speed, "a": self.acceleration}

    def drive(self) -> Any:
        return self.torque

    def observables(self) -> dict[str, str]:
        return super().observables() | {"angle": "motion.q", "speed": "motion.f"}


@component
class Prismatic(Sliding):
    """A slider: b moves along `axis`, fixed in a.

    position, speed, acceleration: start values  [m, m/s, m/s²]; damping  [N.s/m]; force: drive on b along the axis
    [N]; stiffness  [N/m] with its position `rest`; friction  [N], `static` before it slips; lower, upper: stops  [m],
    hit with `restitution`; driven: the position as a formula of t; steady: start with speed and acceleration zero;
    method: how this joint is held, whatever the model's method.
    """

    axis: Number = parameter(default="x", structural=True, shape="axis")
    position: Number = parameter(default=None, unit="m", start=True)
    speed: Number = parameter(default=None, unit="m/s", start=True)
    acceleration: Number = parameter(default=None, unit="m/s^2", start=True, kw_only=True)
    force: Number = parameter(default=None, unit="N", live=True, formula=("t",), kw_only=True)

    def motion(self) -> MotionKind:
        return MotionKind(NO_AXES, rows(self.axis))

    def start_values(self) -> dict[str, Any]:
        return {"q": self.position, "u": self.speed, "a": self.acceleration}

    def drive(self) -> Any:
        return self.force

    def observables(self) -> dict[str, str]:
        return super().observables() | {"position": "motion.q", "speed": "motion.f"}


@component
class Screw(Turning):
    """A screw: b turns about `axis` and moves along it by `pitch` for each full turn.

    pitch  [m]; angle, speed, acceleration: start values  [rad, rad/s, rad/s²]; torque: drive on b  [N.m].

    >>> Screw("spindle", axis="x", pitch=0.005)
    """

    axis: Number = parameter(default="z", structural=True, shape="axis")
    pitch: Number = parameter(default=0.01, unit="m", sign="not zero")
    angle: Number = parameter(default=None, unit="rad", start=True)
    speed: Number = parameter(default=None, unit="rad/s", start=True)
    acceleration: Number = parameter(default=None, unit="rad/s^2", start=True, kw_only=True)
    torque: Number = parameter(default=None, unit="N.m", live=True, formula=("t",), kw_only=True)

    def motion(self) -> MotionKind:
        return MotionKind(rows(self.axis), rows(self.axis), lead=self.pitch / (2 * math.pi))

    def start_values(self) -> dict[str, Any]:
        return {"q": self.angle, "u": self.speed, "a": self.acceleration}

    def drive(self) -> Any:
        return self.torque

    def observables(self) -> dict[str, str]:
        return super().observables() | {"angle": "motion.q", "speed": "motion.f"}


@component
class Cylindrical(Moving):
    """A shaft in a bush: b turns about `axis` and slides along it.

    angle, position: start coordinates  [rad, m]; speeds: of turning and sliding  [rad/s, m/s]; accelerations: of both.
    force: drive on b, a torque and a force  [N.m, N]. For both freedoms or one each, the turn first: damping, friction,
    stiffness with rest, lower and upper stops, driven.

    >>> Cylindrical("sleeve", axis="x", upper=(None, 0.2), driven=("3*t", None))
    """

    axis: Number = parameter(default="z", structural=True, shape="axis")
    angle: Number = parameter(default=None, unit="rad", start=True)
    position: Number = parameter(default=None, unit="m", start=True)
    speeds: Number = parameter(default=None, unit="rad/s, m/s", start=True)
    accelerations: Number = parameter(default=None, unit="rad/s^2, m/s^2", start=True, kw_only=True)
    force: Number = parameter(default=None, unit="N.m, N", live=True, shape=(2,), formula=("t",), kw_only=True)

    def motion(self) -> MotionKind:
        return MotionKind(rows(self.axis), rows(self.axis))

    def start_values(self) -> dict[str, Any]:
        q = joined([(self.angle, (0.0,)), (self.position, (0.0,))])
        return {"q": q, "u": self.speeds, "a": self.accelerations}

    def drive(self) -> Any:
        return self.force

    def observables(self) -> dict[str, str]:
        return super().observables() | {"angle": "motion.q[0]", "position": "motion.q[1]"}


@component
class AllTurning(Moving):
    """Base of joints with several freedoms that are all rotations."""

    damping: Number = parameter(default=0.0, unit="N.m.s/rad", sign="not negative", shape=None, kw_only=True)
    friction: Number = parameter(default=0.0, unit="N.m", sign="not negative", shape=None, kw_only=True)
    static: Number = parameter(default=None, unit="N.m", sign="not negative", shape=None, kw_only=True)
    stiffness: Number = parameter(default=0.0, unit="N.m/rad", sign="not negative", shape=None, kw_only=True)
    rest: Number = parameter(default=0.0, unit="rad", shape=None, kw_only=True)
    lower: Number = parameter(default=None, unit="rad", shape=None, missing=-math.inf, kw_only=True)
    upper: Number = parameter(default=None, unit="rad", shape=None, missing=math.inf, kw_only=True)


@component
class AllSliding(Moving):
    """Base of joints with several freedoms that are all translations."""

    damping: Number = parameter(default=0.0, unit="N.s/m", sign="not negative", shape=None, kw_only=True)
    friction: Number = parameter(default=0.0, unit="N", sign="not negative", shape=None, kw_only=True)
    static: Number = parameter(default=None, unit="N", sign="not negative", shape=None, kw_only=True)
    stiffness: Number = parameter(default=0.0, unit="N/m", sign="not negative", shape=None, kw_only=True)
    rest: Number = parameter(default=0.0, unit="m", shape=None, kw_only=True)
    lower: Number = parameter(default=None, unit="m", shape=None, missing=-math.inf, kw_only=True)
    upper: Number = parameter(default=None, unit="m", shape=None, missing=math.inf, kw_only=True)


@component
class Universal(AllTurning):
    """A Cardan joint: b turns about `axis`, fixed in a, and about `second_axis`, fixed in b and perpendicular to it.

    angles, speeds, accelerations: start values, two each  [rad, rad/s, rad/s²]; damping: one value or two
    [N.m.s/rad]; torque: two  [N.m]. So are friction, stiffness with rest, lower and upper stops, driven.
    """

    axis: Number = parameter(default="x", structural=True, shape="axis")
    second_axis: Number = parameter(default="y", structural=True, shape="axis")
    angles: Number = parameter(default=None, unit="rad", start=True)
    speeds: Number = parameter(default=None, unit="rad/s", start=True)
    accelerations: Number = parameter(default=None, unit="rad/s^2", start=True, kw_only=True)
    torque: Number = parameter(default=None, unit="N.m", live=True, shape=(2,), formula=("t",), kw_only=True)

    def motion(self) -> MotionKind:
        return MotionKind(rows(self.axis, self.second_axis), NO_AXES)

    def start_values(self) -> dict[str, Any]:
        return {"q": self.angles, "u": self.speeds, "a": self.accelerations}

    def drive(self) -> Any:
        return self.torque

    def observables(self) -> dict[str, str]:
        return super().observables() | {"angles": "motion.q"}


@component
class Planar(Moving):
    """A joint of two plates: b slides in the plane across `axis` and turns about it.

    along: the first direction of sliding, fixed in a; the second is axis × along. angle, position: start coordinates,
    the position along both directions  [rad, m]; speeds: of turning and of both slides  [rad/s, m/s]. In this order
    are, where one value is not for all: damping, friction, stiffness with rest, lower and upper stops, driven.
    """

    axis: Number = parameter(default="z", structural=True, shape="axis")
    along: Number = parameter(default="x", structural=True, shape="axis")
    angle: Number = parameter(default=None, unit="rad", start=True)
    position: Number = parameter(default=None, unit="m", start=True)
    speeds: Number = parameter(default=None, unit="rad/s, m/s", start=True)
    accelerations: Number = parameter(default=None, unit="rad/s^2, m/s^2", start=True, kw_only=True)
    force: Number = parameter(default=None, unit="N.m, N", live=True, shape=(3,), formula=("t",), kw_only=True)

    def motion(self) -> MotionKind:
        a, b = self.axis, self.along
        across = (a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])
        return MotionKind(rows(self.axis), rows(self.along, across))

    def start_values(self) -> dict[str, Any]:
        q = joined([(self.angle, (0.0,)), (self.position, (0.0, 0.0))])
        return {"q": q, "u": self.speeds, "a": self.accelerations}

    def drive(self) -> Any:
        return self.force

    def observables(self) -> dict[str, str]:
        return super().observables() | {
            "angle": "motion.q[0]",
            "position_1": "motion.q[1]",
            "position_2": "motion.q[2]",
        }


@component
class Spherical(AllTurning):
    """A ball joint: all rotations are free.

    quaternion: start attitude of b in a (w, x, y, z); angular_velocity: of b against a, in b's axes  [rad/s];
    damping: one value or three  [N.m.s/rad]; torque: three, in b's axes  [N.m]. sequence: three axes, such as "zyx", to
    have angles about them in turn as coordinates, with the start `angles`; a run stops by name where the first and the
    third axis fall together. Springs, stops and given paths are for angles: stiffness with rest, lower, upper, driven.
    """

    quaternion: Number = parameter(default=None, start=True)
    angular_velocity: Number = parameter(default=None, unit="rad/s", start=True)
    angular_acceleration: Number = parameter(default=None, unit="rad/s^2", start=True, kw_only=True)
    sequence: Number = parameter(default=(), structural=True, shape="axes", kw_only=True)
    angles: Number = parameter(default=None, unit="rad", start=True, kw_only=True)
    torque: Number = parameter(default=None, unit="N.m", live=True, shape=(3,), formula=("t",), kw_only=True)

    def faults(self) -> list[Finding]:
        return sequence_faults(self, self.sequence, self.quaternion, self.angles) or super().faults()

    def motion(self) -> MotionKind:
        return MotionKind(rows(*(self.sequence if len(self.sequence) else SPACE)), NO_AXES, len(self.sequence) > 0)

    def start_values(self) -> dict[str, Any]:
        q = self.angles if len(self.sequence) else self.quaternion
        return {"q": q, "u": self.angular_velocity, "a": self.angular_acceleration}

    def drive(self) -> Any:
        return self.torque

    def observables(self) -> dict[str, str]:
        attitude = {"angles" if len(self.sequence) else "quaternion": "motion.q"}
        return super().observables() | attitude | {"angular_velocity": "motion.f"}


@component
class FreeTranslation(AllSliding):
    """b moves freely along all axes of a, and keeps its attitude.

    position, velocity, acceleration: of b in a's axes  [m, m/s, m/s²]; force: drive on b  [N]. For all axes or one for
    each: damping, friction, stiffness with rest, lower and upper stops, driven.
    """

    position: Number = parameter(default=None, unit="m", start=True)
    velocity: Number = parameter(default=None, unit="m/s", start=True)
    acceleration: Number = parameter(default=None, unit="m/s^2", start=True, kw_only=True)
    force: Number = parameter(default=None, unit="N", live=True, shape=(3,), formula=("t",), kw_only=True)

    def motion(self) -> MotionKind:
        return MotionKind(NO_AXES, rows(*SPACE))

    def start_values(self) -> dict[str, Any]:
        return {"q": self.position, "u": self.velocity, "a": self.acceleration}

    def drive(self) -> Any:
        return self.force

    def observables(self) -> dict[str, str]:
        return super().observables() | {"position": "motion.q", "velocity": "motion.f"}


@component
class Free(Moving):
    """No joint at all: b moves freely against a. Gives a free body its start values.

    position, velocity: of b in a's axes  [m, m/s]; quaternion (w, x, y, z); angular_velocity in b's axes  [rad/s].
    acceleration, angular_acceleration: rates of these at the start  [m/s², rad/s²].
    sequence: three axes, such as "xyz", to have angles about them in turn, starting at `angles`, not a quaternion; a
    run stops by name where the first and the third axis fall together.
    """

    position: Number = parameter(default=None, unit="m", start=True)
    quaternion: Number = parameter(default=None, start=True)
    velocity: Number = parameter(default=None, unit="m/s", start=True)
    angular_velocity: Number = parameter(default=None, unit="rad/s", start=True)
    acceleration: Number = parameter(default=None, unit="m/s^2", start=True, kw_only=True)
    angular_acceleration: Number = parameter(default=None, unit="rad/s^2", start=True, kw_only=True)
    sequence: Number = parameter(default=(), structural=True, shape="axes", kw_only=True)
    angles: Number = parameter(default=None, unit="rad", start=True, kw_only=True)

    def motion(self) -> MotionKind:
        axes = rows(*(self.sequence if len(self.sequence) else SPACE))
        return MotionKind(axes, rows(*SPACE), len(self.sequence) > 0)

    def faults(self) -> list[Finding]:
        return self._shape_faults() or [
            *sequence_faults(self, self.sequence, self.quaternion, self.angles),
            *super().faults(),
        ]

    def _shape_faults(self) -> list[Finding]:
        lengths = {"position": 3, "quaternion": 4, "velocity": 3, "angular_velocity": 3}
        given = [(name, np.shape(getattr(self, name)), n) for name, n in lengths.items()]
        return [
            Finding(
                f"Free {self.name!r}: {name} cannot be {getattr(self, name)}.",
                f"It needs {n} numbers.",
                f"Give {n} numbers for {name}, or leave it out.",
                (self.name,),
            )
            for name, shape, n in given
            if getattr(self, name) is not None and shape != (n,)
        ]

    def start_values(self) -> dict[str, Any]:
        attitude = (self.angles, STILL) if len(self.sequence) else (self.quaternion, ONE)
        q = [attitude, (self.position, NOWHERE)]
        u = [(self.angular_velocity, STILL), (self.velocity, STILL)]
        a = [(self.angular_acceleration, STILL), (self.acceleration, STILL)]
        return {"q": joined(q), "u": joined(u), "a": joined(a)}


@component
class Weld(Mobility):
    """No motion at all: b is fixed to a. Unlike a plain connection it tells its reaction and can be cut."""

    def motion(self) -> MotionKind:
        return MotionKind(NO_AXES, NO_AXES)


PRESETS = (Revolute, Prismatic, Screw, Cylindrical, Universal, Planar, Spherical, FreeTranslation, Free, Weld)
