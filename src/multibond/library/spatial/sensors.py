"""Sensors in space: signals of poses, velocities, accelerations, distances and cut forces. They take no power.

Every signal has a port of its name and can be read from a run by that name.
"""

from __future__ import annotations

from typing import Any

from multibond.elements import Da, Df, Line, LinearMap, PowerSensor, Reading, Resolve, Shift
from multibond.errors import Finding
from multibond.graph.component import Element, Number, Part, component, parameter
from multibond.graph.expand import Inside
from multibond.graph.port import FramePort, Port, PortRef, SignalPort
from multibond.library.spatial.drawing import between, lead_poses, word_fault


def outlets(*signals: tuple[str, int]) -> tuple[SignalPort, ...]:
    """Signal ports that give values."""
    return tuple(SignalPort(name, size, "out", optional=True) for name, size in signals)


def in_axes(inside: Inside, name: str, value: Any, attitude: Any, *, back: bool) -> None:
    """Turn a signal by an attitude (backwards with `back`) and lead it to the own port of that name."""
    turn = inside.add(Resolve(f"{name}_axes", back))
    inside.signal(value, turn.value)
    inside.signal(attitude, turn.attitude)
    inside.signal(turn.result, inside.own(name))


def read_pose(inside: Inside, sequence: Any, attitude: Any, position: Any) -> None:
    """Lead a pose, in all its forms, to the own ports."""
    reading = inside.add(Reading("reading", sequence))
    inside.signal(attitude, reading.attitude_in)
    inside.signal(position, reading.position_in)
    for name, _ in POSE:
        inside.signal(getattr(reading, name), inside.own(name))


POSE = (("position", 3), ("attitude", 9), ("quaternion", 4), ("angles", 3))
PAIR = (FramePort("frame_a"), FramePort("frame_b"))


@component
class PoseSensor(Part):
    """Where a frame is in the world: position  [m], attitude (nine numbers), quaternion (w, x, y, z), angles  [rad].

    sequence: the axes about which the angles turn one after another.

    >>> PoseSensor("camera", sequence="zyx")
    """

    sequence: Number = parameter(default="xyz", structural=True, shape="axes")

    def faults(self) -> list[Finding]:
        return Reading(self.name, self.sequence).faults()

    def ports(self) -> tuple[Port, ...]:
        return (FramePort("frame"), *outlets(*POSE))

    def build(self, inside: Inside) -> None:
        frame = inside.frame("frame")
        read_pose(inside, self.sequence, frame.attitude, frame.position)

    def observables(self) -> dict[str, str]:
        return {name: f"reading.{name}" for name, _ in POSE}


@component
class RelativePoseSensor(Part):
    """Where frame_b is against frame_a: position in a's axes  [m], attitude, quaternion, angles  [rad].

    sequence: the axes about which the angles turn one after another.

    >>> RelativePoseSensor("gauge")
    """

    sequence: Number = parameter(default="xyz", structural=True, shape="axes")

    def faults(self) -> list[Finding]:
        return Reading(self.name, self.sequence).faults()

    def ports(self) -> tuple[Port, ...]:
        return (*PAIR, *outlets(*POSE))

    def build(self, inside: Inside) -> None:
        pose = between(inside).pose
        read_pose(inside, self.sequence, pose.turn, pose.offset)

    def observables(self) -> dict[str, str]:
        return {name: f"reading.{name}" for name, _ in POSE}


@component
class Rates(Part):
    """Base of sensors of velocity and acceleration."""

    def sense(self, inside: Inside, name: str, where: Any) -> Any:
        """Attach the sensor of a flow, or of its rate; returns its signal."""
        sensor: Element = inside.add(Df(name, size=3) if "velocity" in name else Da(name, size=3))
        inside.bond(where, sensor)
        return sensor.value


@component
class Absolute(Rates):
    """Base of sensors of the motion of one frame in the world."""

    resolved: str = parameter(default="world", structural=True, shape="word")

    def names(self) -> tuple[str, str]:
        """The signals: of translation and of rotation."""
        raise TypeError(type(self).__name__)

    def faults(self) -> list[Finding]:
        return word_fault(self, "resolved", ("world", "frame"))

    def ports(self) -> tuple[Port, ...]:
        return (FramePort("frame"), *outlets(*((name, 3) for name in self.names())))

    def build(self, inside: Inside) -> None:
        frame, (moving, turning) = inside.frame("frame"), self.names()
        straight = self.sense(inside, f"{moving}_sensor", frame.translation)
        turned = self.sense(inside, f"{turning}_sensor", frame.rotation)
        if self.resolved == "world":
            inside.signal(straight, inside.own(moving))
            in_axes(inside, turning, turned, frame.attitude, back=False)
        else:
            in_axes(inside, moving, straight, frame.attitude, back=True)
            inside.signal(turned, inside.own(turning))

    def observables(self) -> dict[str, str]:
        moving, turning = self.names()
        if self.resolved == "world":
            return {moving: f"{moving}_sensor.value", turning: f"{turning}_axes.result"}
        return {moving: f"{moving}_axes.result", turning: f"{turning}_sensor.value"}


@component
class VelocitySensor(Absolute):
    """How a frame moves in the world: velocity of its origin  [m/s] and angular_velocity  [rad/s].

    resolved: the axes of both signals, "world" or "frame".

    >>> VelocitySensor("gyro", resolved="frame")
    """

    def names(self) -> tuple[str, str]:
        return ("velocity", "angular_velocity")


@component
class AccelerationSensor(Absolute):
    """How the motion of a frame in the world changes: acceleration of its origin  [m/s²] and angular_acceleration.

    Without gravity: a frame that rests shows zero. resolved: the axes of both signals, "world" or "frame".

    >>> AccelerationSensor("bump")
    """

    def names(self) -> tuple[str, str]:
        return ("acceleration", "angular_acceleration")


@component
class Against(Rates):
    """Base of sensors of the motion of frame_b as an observer in frame_a sees it."""

    resolved: str = parameter(default="frame_a", structural=True, shape="word")

    def names(self) -> tuple[str, str]:
        """The signals: of translation and of rotation."""
        raise TypeError(type(self).__name__)

    def faults(self) -> list[Finding]:
        return word_fault(self, "resolved", ("frame_a", "frame_b", "world"))

    def ports(self) -> tuple[Port, ...]:
        return (*PAIR, *outlets(*((name, 3) for name in self.names())))

    def build(self, inside: Inside) -> None:
        motion, (moving, turning) = between(inside), self.names()
        straight = self.sense(inside, f"{moving}_sensor", motion.v)
        turned = self.sense(inside, f"{turning}_sensor", motion.w)
        if self.resolved == "world":
            in_axes(inside, moving, straight, inside.frame("frame_a").attitude, back=False)
            in_axes(inside, turning, turned, inside.frame("frame_b").attitude, back=False)
        elif self.resolved == "frame_a":
            inside.signal(straight, inside.own(moving))
            in_axes(inside, turning, turned, motion.pose.turn, back=False)
        else:
            in_axes(inside, moving, straight, motion.pose.turn, back=True)
            inside.signal(turned, inside.own(turning))

    def observables(self) -> dict[str, str]:
        plain = {"frame_a": self.names()[0], "frame_b": self.names()[1]}.get(self.resolved)
        return {n: f"{n}_sensor.value" if n == plain else f"{n}_axes.result" for n in self.names()}


@component
class RelativeVelocitySensor(Against):
    """How frame_b moves as seen from frame_a: velocity  [m/s] and angular_velocity  [rad/s].

    resolved: the axes of both signals, "frame_a", "frame_b" or "world".

    >>> RelativeVelocitySensor("slip", resolved="frame_b")
    """

    def names(self) -> tuple[str, str]:
        return ("velocity", "angular_velocity")


@component
class RelativeAccelerationSensor(Against):
    """How the motion of frame_b as seen from frame_a changes: acceleration  [m/s²] and angular_acceleration  [rad/s²].

    The angular one is the rate of the relative angular velocity in b's axes. resolved: the axes of both signals.

    >>> RelativeAccelerationSensor("shake")
    """

    def names(self) -> tuple[str, str]:
        return ("acceleration", "angular_acceleration")


@component
class DistanceSensor(Part):
    """The distance between the origins of two frames  [m].

    >>> DistanceSensor("radar")
    """

    def ports(self) -> tuple[Port, ...]:
        return (*PAIR, *outlets(("distance", 1)))

    def build(self, inside: Inside) -> None:
        line = inside.add(Line("line"))
        inside.signal(inside.frame("frame_a").position, line.position_a)
        inside.signal(inside.frame("frame_b").position, line.position_b)
        inside.signal(line.length, inside.own("distance"))

    def observables(self) -> dict[str, str]:
        return {"distance": "line.length"}


@component
class CutSensor(Part):
    """Joins two frames rigidly and tells what passes: force  [N] and torque  [N.m] of a on b, power  [W] from a to b.

    resolved: the axes of force and torque, "frame" (that of both sides) or "world".

    >>> CutSensor("load_cell")
    """

    resolved: str = parameter(default="frame", structural=True, shape="word")

    def faults(self) -> list[Finding]:
        return word_fault(self, "resolved", ("frame", "world"))

    def ports(self) -> tuple[Port, ...]:
        return (*PAIR, *outlets(("force", 3), ("torque", 3), ("power", 1)))

    def build(self, inside: Inside) -> None:
        a, b = inside.frame("frame_a"), inside.frame("frame_b")
        lead_poses(inside, inside.add(Shift("shift", (0.0, 0.0, 0.0))), a, b)
        straight, turning = (inside.add(PowerSensor(name, size=3)) for name in ("straight", "turning"))
        total = inside.add(LinearMap("total", [[1.0, 1.0]]))
        for sensor, inlet, outlet, k in (
            (straight, a.translation, b.translation, 1),
            (turning, a.rotation, b.rotation, 2),
        ):
            inside.bond(inlet, sensor.a)
            inside.bond(sensor.b, outlet)
            inside.signal(PortRef(sensor.name, "power"), getattr(total, f"in_{k}"))
        inside.signal(total.out_1, inside.own("power"))
        if self.resolved == "world":
            inside.signal(straight.effort, inside.own("force"))
            in_axes(inside, "torque", turning.effort, a.attitude, back=False)
        else:
            in_axes(inside, "force", straight.effort, a.attitude, back=True)
            inside.signal(turning.effort, inside.own("torque"))

    def observables(self) -> dict[str, str]:
        if self.resolved == "world":
            return {"force": "straight.effort", "torque": "torque_axes.result", "power": "total.out_1"}
        return {"force": "force_axes.result", "torque": "turning.effort", "power": "total.out_1"}


ALL = (
    *(PoseSensor, RelativePoseSensor, VelocitySensor, RelativeVelocitySensor),
    *(AccelerationSensor, RelativeAccelerationSensor, DistanceSensor, CutSensor),
)
