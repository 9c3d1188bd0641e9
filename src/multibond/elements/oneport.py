"""One-ports: what they have in common, and sources. Laws count power into the element, those of sources power out."""

from __future__ import annotations

from dataclasses import field
from typing import Any, ClassVar

import casadi as ca

from multibond.elements.law import LawWriter
from multibond.errors import Finding, ParameterError
from multibond.expr import SX, matrix
from multibond.graph.component import Element, Number, Parameter, component, parameter
from multibond.graph.port import Port, PowerPort, SignalPort


@component
class OnePort(Element):
    """An element with a single port.

    role: what it stands for, where the energy audit or a method treats it apart ("gravity", "parasitic", "rotation").
    """

    role: str = field(default="", kw_only=True, metadata={"parameter": Parameter(structural=True, shape="word")})

    inward: ClassVar[bool] = True

    def __post_init__(self) -> None:
        super().__post_init__()
        sizes = {name: n for name, value in self._values() if (n := _length(value)) > 1}
        if len({*sizes.values(), *([self.size] if self.size is not None else [])}) > 1:
            raise ParameterError(_misfit(self, sizes))

    def _values(self) -> list[tuple[str, Any]]:
        """Parameters that may have one value for each component."""
        told = self.parameters().items()
        return [(n, getattr(self, n)) for n, about in told if about.shape in (None, "law") and not about.structural]

    def size_hint(self) -> int | None:
        start = _length(getattr(self, "start", None)) if "start" in self.parameters() else 1
        return super().size_hint() or (start if start > 1 else None)

    def power_ports(self, size: int | None = None) -> tuple[PowerPort, ...]:
        """The power port, or its scalar ports where it is split."""
        return self.lanes(PowerPort("port", self.size_hint() if size is None else size, inward=self.inward))

    def ports(self) -> tuple[Port, ...]:
        return self.power_ports()


def _length(value: Any) -> int:
    """How many components a vector, a matrix or a list of formulas speaks of; one for all others."""
    shape = getattr(value, "shape", ())
    return int(shape[0]) if shape else 1


def _misfit(item: OnePort, sizes: dict[str, int]) -> Finding:
    told = [f"{name} has {n}" for name, n in sizes.items()]
    told += [] if item.size is None else [f"size is {item.size}"]
    problem = f"{type(item).__name__} {item.name!r}: its values do not fit together."
    return Finding(problem, f"{', '.join(told)}.", "Give one value, or one for each component.", (item.name,))


@component
class Se(OnePort):
    """Source of effort: e = effort, whatever the flow. Power out of the source is positive.

    effort: a number, a vector, or a formula of the time t, a text or a function of it  [effort]

    >>> Se("battery", 12.0)
    >>> Se("mains", 325 * mb.sin(2 * mb.pi * 50 * mb.t))
    """

    effort: Number = parameter(default=0.0, unit="effort", shape=None, live=True, formula=("t",))

    code: ClassVar[str] = "Se"
    power: ClassVar[str] = "given"
    causality: ClassVar[str] = "gives effort"
    inward: ClassVar[bool] = False

    def law(self, at: LawWriter) -> None:
        at.zero(at.e() - at.value(self.effort, at.size()))


@component
class Sf(OnePort):
    """Source of flow: f = flow, whatever the effort. Power out of the source is positive.

    flow: a number, a vector, or a formula of the time t, a text or a function of it  [flow]

    >>> Sf("wall", 0.0)
    >>> Sf("pump", lambda t: 2e-3 * mb.tanh(t))
    """

    flow: Number = parameter(default=0.0, unit="flow", shape=None, formula=("t",))

    code: ClassVar[str] = "Sf"
    power: ClassVar[str] = "given"
    causality: ClassVar[str] = "gives flow"
    inward: ClassVar[bool] = False

    def law(self, at: LawWriter) -> None:
        at.zero(at.f() - at.value(self.flow, at.size()))


@component
class Driver(OnePort):
    """Source of displacement: its flow is the derivative of a displacement that is given over time.

    displacement: a formula of the time t, a text or a function of it  [flow·s]. Power out of the source is positive.

    >>> Driver("cam", lambda t: 0.1 * mb.sin(3 * t))
    """

    displacement: Number = parameter(shape="law", formula=("t",))

    code: ClassVar[str] = "Sf"
    power: ClassVar[str] = "given"
    causality: ClassVar[str] = "gives flow"
    inward: ClassVar[bool] = False

    def law(self, at: LawWriter) -> None:
        moved = at.value(self.displacement, at.size())
        at.zero(at.f() - (ca.jacobian(moved, at.time) if at.time.is_symbolic() else SX(at.size(), 1)))


@component
class MSe(OnePort):
    """Source of an effort that a signal gives: e = effort. Power out of the source is positive."""

    code: ClassVar[str] = "MSe"
    power: ClassVar[str] = "given"
    causality: ClassVar[str] = "gives effort"
    inward: ClassVar[bool] = False

    def ports(self) -> tuple[Port, ...]:
        return (*self.power_ports(), SignalPort("effort", self.size_hint() or 1, "in"))

    def law(self, at: LawWriter) -> None:
        at.zero(at.e() - at.signal("effort"))


@component
class MSf(OnePort):
    """Source of a flow that a signal gives: f = flow. Power out of the source is positive."""

    code: ClassVar[str] = "MSf"
    power: ClassVar[str] = "given"
    causality: ClassVar[str] = "gives flow"
    inward: ClassVar[bool] = False

    def ports(self) -> tuple[Port, ...]:
        return (*self.power_ports(), SignalPort("flow", self.size_hint() or 1, "in"))

    def law(self, at: LawWriter) -> None:
        at.zero(at.f() - at.signal("flow"))


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
    method: how it is treated where that differs from the rest of the model ("multiplier", "rc").
    """

    method: str = parameter(default="", structural=True, shape="word", kw_only=True)

    code: ClassVar[str] = "L"
    power: ClassVar[str] = "given"
    causality: ClassVar[str] = "constraint"
    inward: ClassVar[bool] = False

    def ports(self) -> tuple[Port, ...]:
        return (*self.power_ports(), SignalPort("gap", self.size_hint() or 1, "in", optional=True))

    def law(self, at: LawWriter) -> None:
        gap = at.signal("gap") if "gap" in at.signals else None
        for k in range(at.size()):
            at.hold(k, None if gap is None else gap[k])
