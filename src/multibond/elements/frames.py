"""What forces and sensors between frames need: relative poses, readings of poses, rates of flows, gravitation.

Attitudes travel as nine numbers, row after row.
"""

from __future__ import annotations

from typing import ClassVar

import casadi as ca

from multibond.elements.kinematics import SignalElement
from multibond.elements.law import LawWriter
from multibond.elements.oneport import OnePort
from multibond.elements.sensors import Sensor
from multibond.elements.turnings import turning
from multibond.errors import Finding
from multibond.expr import flat, matrix, square, vector
from multibond.graph.component import Number, component, parameter
from multibond.graph.port import Port, SignalPort
from multibond.rotation import quaternion_symbolic, skew, turn_rate, turn_vector


@component
class Relative(SignalElement):
    """The pose of frame b against frame a.

    Signals: `turn` (R_AB), `offset` (p_AB, in a's axes)  [m], `lever` (ω ↦ ω × p_AB), `twist` (axis times angle of the
    turn, below half a turn)  [rad], `twist_rate` (the matrix from the relative angular velocity in b's axes to the rate
    of the twist).
    """

    code: ClassVar[str] = "relative"

    def ports(self) -> tuple[Port, ...]:
        poses = [SignalPort(f"{what}_{side}", n) for side in "ab" for what, n in (("attitude", 9), ("position", 3))]
        given = (("turn", 9), ("offset", 3), ("lever", 9), ("twist", 3), ("twist_rate", 9))
        return (*poses, *(SignalPort(name, n, "out", optional=True) for name, n in given))

    def law(self, at: LawWriter) -> None:
        R_WA, R_WB = square(at.signal("attitude_a")), square(at.signal("attitude_b"))
        R_AB, p_AB = R_WA.T @ R_WB, R_WA.T @ (at.signal("position_b") - at.signal("position_a"))
        q = quaternion_symbolic(R_AB)
        at.give("turn", flat(R_AB))
        at.give("offset", p_AB)
        at.give("lever", flat(-skew(p_AB)))
        at.give("twist", turn_vector(q))
        at.give("twist_rate", flat(turn_rate(q)))


@component
class Reading(SignalElement):
    """A pose for people: the signals `position`  [m], `attitude`, `quaternion` (w, x, y, z) and `angles`  [rad].

    sequence: the axes about which the angles turn one after another.
    """

    sequence: Number = parameter(default="xyz", structural=True, shape="axes")

    code: ClassVar[str] = "pose"

    def faults(self) -> list[Finding]:
        fault = turning(self.sequence, True).fault if len(self.sequence) == 3 else "it has not three angles"
        if not fault:
            return []
        fact = f"Its axes: {', '.join(str(axis) for axis in self.sequence.tolist()) or 'none'}."
        cure = 'Give three axes, such as "xyz", each perpendicular to the next.'
        return [Finding(f"the sequence of {self.name!r} makes no angles: {fault}.", fact, cure, (self.name,))]

    def ports(self) -> tuple[Port, ...]:
        given = (("position", 3), ("attitude", 9), ("quaternion", 4), ("angles", 3))
        read = (SignalPort("attitude_in", 9), SignalPort("position_in", 3))
        return (*read, *(SignalPort(name, n, "out", optional=True) for name, n in given))

    def law(self, at: LawWriter) -> None:
        R = square(at.signal("attitude_in"))
        at.give("position", at.signal("position_in"))
        at.give("attitude", at.signal("attitude_in"))
        at.give("quaternion", quaternion_symbolic(R))
        at.give("angles", turning(self.sequence, True).read(R))


@component
class Resolve(SignalElement):
    """A vector in other axes: the signal `result` = R · `value`; with `transposed` it is Rᵀ · `value`."""

    transposed: bool = parameter(default=False, structural=True, shape="flag")

    code: ClassVar[str] = "turn"

    def ports(self) -> tuple[Port, ...]:
        return (SignalPort("value", 3), SignalPort("attitude", 9), SignalPort("result", 3, "out"))

    def law(self, at: LawWriter) -> None:
        R = square(at.signal("attitude"))
        at.give("result", R.T @ at.signal("value") if self.transposed else R @ at.signal("value"))


@component
class Da(Sensor):
    """Reads the rate of the flow of a 1-junction (an acceleration); its effort is zero."""

    code: ClassVar[str] = "Da"
    causality: ClassVar[str] = "gives effort"

    def law(self, at: LawWriter) -> None:
        at.zero(at.e())
        at.give("value", at.derivative(at.f()))


@component
class Elastic(OnePort):
    """A spring in several directions that may be slack in some: e = stiffness · (displacement - rest).

    stiffness: number, vector (diagonal) or symmetric matrix  [effort/flow/s]; rest: displacement without effort.
    displacement: signal whose rate is the flow.
    """

    stiffness: Number = parameter(unit="effort/flow/s", sign="not negative", shape=None)
    rest: Number = parameter(default=0.0, unit="flow.s", shape=None)

    code: ClassVar[str] = "C"
    causality: ClassVar[str] = "gives effort"

    def ports(self) -> tuple[Port, ...]:
        return (*self.power_ports(), SignalPort("displacement", self.size_hint() or 1))

    def law(self, at: LawWriter) -> None:
        n = at.size()
        strain, stiffness = at.signal("displacement") - vector(self.rest, n), matrix(self.stiffness, n)
        at.zero(at.e() - stiffness @ strain)
        at.stored(0.5 * ca.dot(strain, stiffness @ strain))


@component
class Gravitation(OnePort):
    """The pull of a point on a mass: e = -strength d / |d|³ with d = position - centre. Power out is positive.

    strength: μ times the mass, or G times both masses  [N.m²]; position: signal of the mass; centre: signal of the
    point that pulls, the origin of the world where none is led to it.
    """

    strength: Number = parameter(unit="N.m^2", sign="not negative")

    code: ClassVar[str] = "Se"
    power: ClassVar[str] = "given"
    causality: ClassVar[str] = "gives effort"
    inward: ClassVar[bool] = False

    def ports(self) -> tuple[Port, ...]:
        return (*self.power_ports(3), SignalPort("position", 3), SignalPort("centre", 3, "in", optional=True))

    def law(self, at: LawWriter) -> None:
        d = at.signal("position") - at.signal("centre") if "centre" in at.signals else at.signal("position")
        at.zero(at.e() + vector(self.strength, 1) * d / ca.norm_2(d) ** 3)


ALL = (Relative, Reading, Resolve, Da, Elastic, Gravitation)
