"""One-ports: storage, dissipation, sources. Laws are written for power into the element; sources for power out."""

from __future__ import annotations

from dataclasses import field
from typing import ClassVar

import casadi as ca

from multibond.elements.law import LawWriter
from multibond.expr import matrix, vector
from multibond.graph.component import Element, Number, Parameter, component, parameter
from multibond.graph.port import Port, PowerPort, SignalPort


@component
class OnePort(Element):
    """An element with a single port.

    split: the port is drawn as that many scalar ports, `port_1` and so on (a field in a scalar graph).
    role: what it stands for, where the energy audit or a method treats it apart ("gravity", "parasitic", "rotation").
    """

    role: str = field(default="", kw_only=True, metadata={"parameter": Parameter(structural=True, shape="word")})
    split: bool = field(default=False, kw_only=True, metadata={"parameter": Parameter(structural=True, shape="flag")})

    inward: ClassVar[bool] = True

    def power_ports(self, size: int | None = None) -> tuple[PowerPort, ...]:
        """The power port, or its scalar ports where it is split."""
        size = self.size_hint() if size is None else size
        if self.split:
            return tuple(PowerPort(f"port_{k + 1}", 1, inward=self.inward) for k in range(size or 1))
        return (PowerPort("port", size, inward=self.inward),)

    def ports(self) -> tuple[Port, ...]:
        return self.power_ports()


@component
class I(OnePort):  # noqa: E742 - the field's own name
    """Inertia: stores momentum p with p = I f and dp/dt = e.

    inertia: scalar, vector (diagonal) or symmetric matrix (field)  [effort·s/flow]; start: momentum p at the start.

    >>> I("coil", 2e-3)
    """

    inertia: Number = parameter(unit="effort.s/flow", sign="not negative", shape=None)
    start: Number = parameter(default=0.0, unit="effort.s", start=True, shape=None)

    code: ClassVar[str] = "I"
    causality: ClassVar[str] = "prefers flow"

    def states(self, sizes: dict[str, int]) -> dict[str, int]:
        return {"p": sizes["port"]}

    def law(self, at: LawWriter) -> None:
        p, inertia = at.state("p"), matrix(self.inertia, at.size())
        at.zero(p - inertia @ at.f())
        at.rate("p", at.e())
        at.stored(0.5 * ca.dot(at.f(), inertia @ at.f()))


@component
class C(OnePort):
    """Compliance: stores displacement q with q = C e and dq/dt = f.

    compliance: scalar, vector (diagonal) or symmetric matrix (field)  [flow·s/effort]; start: q at the start.
    rest: displacement without effort, subtracted from the signal `displacement` where one is connected.
    With that signal the element follows it and has no state of its own: e = (displacement - rest) / C.

    >>> C("capacitor", 1e-6)
    """

    compliance: Number = parameter(unit="flow.s/effort", sign="not negative", shape=None)
    start: Number = parameter(default=0.0, unit="flow.s", start=True, shape=None)
    rest: Number = parameter(default=0.0, unit="flow.s", shape=None)

    code: ClassVar[str] = "C"
    causality: ClassVar[str] = "prefers effort"

    def ports(self) -> tuple[Port, ...]:
        return (*self.power_ports(), SignalPort("displacement", self.size_hint() or 1, "in", optional=True))

    def states(self, sizes: dict[str, int]) -> dict[str, int]:
        return {"q": sizes["port"]}

    def law(self, at: LawWriter) -> None:
        compliance = matrix(self.compliance, at.size())
        if "displacement" in at.signals:
            stretch = at.signal("displacement") - vector(self.rest, at.size())
            at.zero(stretch - compliance @ at.e())
        else:
            q = at.state("q")
            at.zero(q - compliance @ at.e())
            at.rate("q", at.f())
        at.stored(0.5 * ca.dot(at.e(), compliance @ at.e()))


@component
class R(OnePort):
    """Dissipates power: e = R f, power into the element is positive.

    resistance: scalar, vector (diagonal) or matrix (field)  [effort/flow]

    >>> R("bearing", 1e-3)
    """

    resistance: Number = parameter(unit="effort/flow", sign="not negative", shape=None)

    code: ClassVar[str] = "R"

    def law(self, at: LawWriter) -> None:
        at.zero(at.e() - matrix(self.resistance, at.size()) @ at.f())


@component
class Se(OnePort):
    """Source of effort: e = effort, whatever the flow. Power out of the source is positive.

    >>> Se("battery", 12.0)
    """

    effort: Number = parameter(default=0.0, unit="effort", shape=None, live=True)

    code: ClassVar[str] = "Se"
    causality: ClassVar[str] = "gives effort"
    inward: ClassVar[bool] = False

    def law(self, at: LawWriter) -> None:
        at.zero(at.e() - vector(self.effort, at.size()))


@component
class Sf(OnePort):
    """Source of flow: f = flow, whatever the effort. Power out of the source is positive.

    >>> Sf("wall", 0.0)
    """

    flow: Number = parameter(default=0.0, unit="flow", shape=None)

    code: ClassVar[str] = "Sf"
    causality: ClassVar[str] = "gives flow"
    inward: ClassVar[bool] = False

    def law(self, at: LawWriter) -> None:
        at.zero(at.f() - vector(self.flow, at.size()))


@component
class EulerGyrator(OnePort):
    """Gyroscopic torque of a rotating body in its own axes: e = ω × (J ω). It stores and loses nothing.

    inertia: vector (principal moments) or symmetric matrix, the same as that of the I beside it  [kg.m²]
    """

    inertia: Number = parameter(unit="kg.m^2", sign="not negative", shape=None)

    code: ClassVar[str] = "EJS"
    causality: ClassVar[str] = "gives effort"

    def ports(self) -> tuple[Port, ...]:
        return self.power_ports(3)

    def law(self, at: LawWriter) -> None:
        w = at.f()
        at.zero(at.e() - ca.cross(w, matrix(self.inertia, 3) @ w))


@component
class Constraint(OnePort):
    """Holds its flow at zero, and its `gap` with it: the effort is whatever that takes. Power out is positive.

    gap: signal of the displacement that must vanish (holonomic), whose rate is the flow; without it only the flow is
    held. The effort is the unknown constraint force. In the tree of a mechanism the element imposes the flow (as Sf 0
    would); where the flow is given already its effort is a Lagrange multiplier; a method may put spring and damper in
    its place.
    role: what it holds ("rotation", "translation"), which decides the stiffness that method "rc" uses.
    """

    code: ClassVar[str] = "L"
    causality: ClassVar[str] = "constraint"
    inward: ClassVar[bool] = False

    def ports(self) -> tuple[Port, ...]:
        return (*self.power_ports(), SignalPort("gap", self.size_hint() or 1, "in", optional=True))

    def law(self, at: LawWriter) -> None:
        gap = at.signal("gap") if "gap" in at.signals else None
        for k in range(at.size()):
            at.hold(k, None if gap is None else gap[k])
