"""Forces and torques that a number, a formula of time or a signal gives, and the bushing between two frames."""

from __future__ import annotations

from typing import Any

from multibond.elements import MTF, Elastic, R
from multibond.errors import Finding
from multibond.graph.component import Element, Number, Part, component, parameter
from multibond.graph.expand import Inside
from multibond.graph.port import FramePort, Port
from multibond.library.spatial.drawing import between, input_port, is_zero, source, word_fault


def turned_source(inside: Inside, given: Element, attitude: Any, outlet: Any, back: bool = False) -> None:
    """Lead an effort through a rotation to an outlet: e_out = R e_given, or Rᵀ with `back`."""
    turn = inside.add(MTF("turned", 3, 3, transposed=back, inverse="transpose"))
    inside.bond(given, turn)
    inside.bond(turn, outlet)
    inside.signal(attitude, turn.modulus)


@component
class WorldForce(Part):
    """A force from outside on the origin of a frame.

    force: three numbers or formulas of time  [N]; where it is left out, what arrives at the signal `input`.
    resolved: the axes in which it is given, "world" or "frame" (a force that turns with the body).

    >>> WorldForce("wind", force=(10, 0, 0))
    >>> WorldForce("thrust", force=("5*sin(t)", 0, 0), resolved="frame")
    """

    force: Number = parameter(default=None, unit="N", live=True, shape=(3,), formula=("t",))
    resolved: str = parameter(default="world", structural=True, shape="word")

    def faults(self) -> list[Finding]:
        return word_fault(self, "resolved", ("world", "frame"))

    def ports(self) -> tuple[Port, ...]:
        return (FramePort("frame"), *input_port(self.force))

    def build(self, inside: Inside) -> None:
        frame, force = inside.frame("frame"), source(inside, "force", self.force)
        if self.resolved == "world":
            inside.bond(force, frame.translation)
        else:
            turned_source(inside, force, frame.attitude, frame.translation)

    def observables(self) -> dict[str, str]:
        return {"applied": "force.e"}


@component
class WorldTorque(Part):
    """A torque from outside on a frame.

    torque: three numbers or formulas of time  [N.m]; where it is left out, what arrives at the signal `input`.
    resolved: the axes in which it is given, "world" or "frame".

    >>> WorldTorque("magnet", torque=(0, 0, 2))
    """

    torque: Number = parameter(default=None, unit="N.m", live=True, shape=(3,), formula=("t",))
    resolved: str = parameter(default="world", structural=True, shape="word")

    def faults(self) -> list[Finding]:
        return word_fault(self, "resolved", ("world", "frame"))

    def ports(self) -> tuple[Port, ...]:
        return (FramePort("frame"), *input_port(self.torque))

    def build(self, inside: Inside) -> None:
        frame, torque = inside.frame("frame"), source(inside, "torque", self.torque)
        if self.resolved == "frame":
            inside.bond(torque, frame.rotation)
        else:
            turned_source(inside, torque, frame.attitude, frame.rotation, back=True)

    def observables(self) -> dict[str, str]:
        return {"applied": "torque.e"}


@component
class Force(Part):
    """A force of frame_a on the origin of frame_b; the same force backwards acts on a's body, at the same point.

    force: on b, three numbers or formulas of time  [N]; where it is left out, what arrives at the signal `input`.
    resolved: the axes in which it is given, "frame_a", "frame_b" or "world".

    >>> Force("ram", force=(0, 100, 0))
    """

    force: Number = parameter(default=None, unit="N", live=True, shape=(3,), formula=("t",))
    resolved: str = parameter(default="frame_a", structural=True, shape="word")

    def faults(self) -> list[Finding]:
        return word_fault(self, "resolved", ("frame_a", "frame_b", "world"))

    def ports(self) -> tuple[Port, ...]:
        return (FramePort("frame_a"), FramePort("frame_b"), *input_port(self.force))

    def build(self, inside: Inside) -> None:
        motion, force = between(inside), source(inside, "force", self.force)
        if self.resolved == "frame_a":
            inside.bond(force, motion.v)
        elif self.resolved == "frame_b":
            turned_source(inside, force, motion.pose.turn, motion.v)
        else:
            turned_source(inside, force, inside.frame("frame_a").attitude, motion.v, back=True)

    def observables(self) -> dict[str, str]:
        return {"applied": "force.e"}


@component
class Torque(Part):
    """A torque of frame_a on frame_b, and backwards on frame_a.

    torque: on b, three numbers or formulas of time  [N.m]; where it is left out, what arrives at the signal `input`.
    resolved: the axes in which it is given, "frame_a", "frame_b" or "world".

    >>> Torque("drive", torque=(0, 0, "sin(t)"))
    """

    torque: Number = parameter(default=None, unit="N.m", live=True, shape=(3,), formula=("t",))
    resolved: str = parameter(default="frame_a", structural=True, shape="word")

    def faults(self) -> list[Finding]:
        return word_fault(self, "resolved", ("frame_a", "frame_b", "world"))

    def ports(self) -> tuple[Port, ...]:
        return (FramePort("frame_a"), FramePort("frame_b"), *input_port(self.torque))

    def build(self, inside: Inside) -> None:
        motion, torque = between(inside), source(inside, "torque", self.torque)
        if self.resolved == "frame_b":
            inside.bond(torque, motion.w)
        elif self.resolved == "frame_a":
            turned_source(inside, torque, motion.pose.turn, motion.w, back=True)
        else:
            turned_source(inside, torque, inside.frame("frame_b").attitude, motion.w, back=True)

    def observables(self) -> dict[str, str]:
        return {"applied": "torque.e"}


@component
class Bushing(Part):
    """An elastic mount between two frames: springs and dampers in all six directions.

    stiffness, damping: along a's axes  [N/m, N.s/m]; turn_stiffness, turn_damping: about the axes  [N.m/rad,
    N.m.s/rad]; one value or three each. rest: where b stands without force, in a's axes  [m].
    The torque of the springs belongs to the vector axis · angle of b's turn against a, which stays below half a turn.
    Variables: displacement (in a's axes), twist, and what the springs take: spring_force, spring_torque.

    >>> Bushing("mount", stiffness=1e5, damping=100.0, turn_stiffness=(50, 50, 0))
    """

    stiffness: Number = parameter(default=0.0, unit="N/m", sign="not negative", shape=None)
    damping: Number = parameter(default=0.0, unit="N.s/m", sign="not negative", shape=None)
    turn_stiffness: Number = parameter(default=0.0, unit="N.m/rad", sign="not negative", shape=None)
    turn_damping: Number = parameter(default=0.0, unit="N.m.s/rad", sign="not negative", shape=None)
    rest: Number = parameter(default=(0.0, 0.0, 0.0), unit="m", shape=(3,))

    def faults(self) -> list[Finding]:
        names = ("stiffness", "damping", "turn_stiffness", "turn_damping")
        wrong = [n for n in names if getattr(self, n).shape not in ((), (1,), (3,), (3, 3))]
        problem = f"Bushing {self.name!r}: {', '.join(wrong)} has the wrong shape."
        fact = "There are three directions."
        return [Finding(problem, fact, "Give one value or three.", (self.name,))] if wrong else []

    def ports(self) -> tuple[Port, ...]:
        return (FramePort("frame_a"), FramePort("frame_b"))

    def build(self, inside: Inside) -> None:
        motion = between(inside)
        if not is_zero(self.stiffness):
            spring = inside.add(Elastic("spring", self.stiffness, self.rest, size=3))
            inside.bond(motion.v, spring)
            inside.signal(motion.pose.offset, spring.displacement)
        if not is_zero(self.turn_stiffness):
            spring, rate = Elastic("turn_spring", self.turn_stiffness, size=3), inside.add(MTF("rate", 3, 3))
            spring = inside.add(spring)
            inside.bond(motion.w, rate)
            inside.bond(rate, spring)
            inside.signal(motion.pose.twist_rate, rate.modulus)
            inside.signal(motion.pose.twist, spring.displacement)
        for name, value, where in (("damper", self.damping, motion.v), ("turn_damper", self.turn_damping, motion.w)):
            if not is_zero(value):
                inside.bond(where, inside.add(R(name, value, size=3)))

    def observables(self) -> dict[str, str]:
        forces = {} if is_zero(self.stiffness) else {"spring_force": "spring.e"}
        torques = {} if is_zero(self.turn_stiffness) else {"spring_torque": "turn_spring.e"}
        return {"displacement": "relative.offset", "twist": "relative.twist"} | forces | torques
