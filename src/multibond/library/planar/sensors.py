"""What reads frames in the plane and gives signals; sensors take no power."""

from __future__ import annotations

from multibond.elements import Df, PlanarLine
from multibond.graph.component import Part, component
from multibond.graph.expand import Inside
from multibond.graph.port import PlanarFramePort, Port, SignalPort


@component
class PoseSensor(Part):
    """Where a frame is: signals `position`  [m] and `angle`  [rad], in the world."""

    def ports(self) -> tuple[Port, ...]:
        signals = (SignalPort("position", 2, "out", True), SignalPort("angle", 1, "out", True))
        return (PlanarFramePort("frame"), *signals)

    def build(self, inside: Inside) -> None:
        frame = inside.plane("frame")
        inside.signal(frame.position, inside.own("position"))
        inside.signal(frame.angle, inside.own("angle"))


@component
class VelocitySensor(Part):
    """How a frame moves: the signal `velocity` (v_x, v_y, ω) in world axes  [m/s, rad/s]."""

    def ports(self) -> tuple[Port, ...]:
        return (PlanarFramePort("frame"), SignalPort("velocity", 3, "out", True))

    def build(self, inside: Inside) -> None:
        sensor = inside.add(Df("sensor", size=3))
        inside.bond(inside.plane("frame").plane, sensor)
        inside.signal(sensor.value, inside.own("velocity"))

    def observables(self) -> dict[str, str]:
        return {"velocity": "sensor.value"}


@component
class DistanceSensor(Part):
    """How far two frames are apart: the signal `length`  [m]."""

    def ports(self) -> tuple[Port, ...]:
        return (PlanarFramePort("frame_a"), PlanarFramePort("frame_b"), SignalPort("length", 1, "out", True))

    def build(self, inside: Inside) -> None:
        line = inside.add(PlanarLine("line"))
        inside.signal(inside.plane("frame_a").position, line.position_a)
        inside.signal(inside.plane("frame_b").position, line.position_b)
        inside.signal(line.length, inside.own("length"))

    def observables(self) -> dict[str, str]:
        return {"length": "line.length"}
