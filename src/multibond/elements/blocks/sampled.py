"""Blocks that work at the sample instants 0, period, 2 period, ...: they read their input there and hold their output.

The laws below speak of the sequences of inputs u_0, u_1, ... and outputs y_0, y_1, ... At an instant all of them read
what the others give at that same instant; a chain of sampled blocks adds no delay.
"""

from __future__ import annotations

from typing import Any, ClassVar

from multibond.elements.blocks.block import (
    PERIOD,
    Block,
    clipped,
    fault,
    length,
    limit_faults,
    single_number,
    whole_number,
)
from multibond.elements.blocks.realization import (
    Realization,
    coefficients,
    companion,
    dimensions,
    matrices,
    state_space_faults,
    transfer_faults,
)
from multibond.elements.law import LawWriter
from multibond.errors import Finding
from multibond.expr import SX, column, section
from multibond.graph.component import Number, component, parameter
from multibond.graph.port import Port, SignalPort
from multibond.graph.start import joined, start_vector

METHODS = ("forward", "backward", "trapezoid")


@component
class Sampled(Block):
    """Base of sampled blocks with one input and one output. period: time between two samples  [s]."""

    period: Number = parameter(**PERIOD)

    def faults(self) -> list[Finding]:
        return [*super().faults(), *single_number(self, "period")]

    def ports(self) -> tuple[Port, ...]:
        return (SignalPort("u", self.width()), SignalPort("y", self.width(), "out"))

    def every(self) -> float:
        """Time between two samples  [s]."""
        return float(self.period)

    def hold(self, at: LawWriter, y: SX, **states: SX) -> None:
        """Give y and keep it until the next sample; renew the other states at the same time."""
        at.update("y", y, self.every())
        for name, value in states.items():
            at.update(name, value, self.every())
        at.give("y", at.state("y"))

    def hold_linear(self, at: LawWriter, system: Realization) -> None:
        """x_(k+1) = A x_k + B u_k,  y_k = C x_k + D u_k."""
        A, B, C, D = system
        u, x = at.signal("u"), at.states.get("x", SX(0, 1))
        self.hold(at, C @ x + D @ u, **({"x": A @ x + B @ u} if x.numel() else {}))


@component
class SampleHold(Sampled):
    """y_k = u_k: the input at the sample instant, held until the next.

    >>> SampleHold("converter", 1e-3)
    """

    code: ClassVar[str] = "S&H"

    def states(self, sizes: dict[str, int]) -> dict[str, int]:
        return {"y": self.width()}

    def law(self, at: LawWriter) -> None:
        self.hold(at, at.signal("u"))


@component
class SampledDelay(Sampled):
    """y_k = u_(k - samples), and `start` before there is such an input; samples = 1 is the unit delay.

    >>> SampledDelay("computing", 1e-3)
    """

    samples: int = parameter(default=1, structural=True)
    start: Number = parameter(default=0.0, start=True, shape=None)

    code: ClassVar[str] = "z⁻ⁿ"

    def faults(self) -> list[Finding]:
        return whole_number(self, "samples", 1) or super().faults()

    def states(self, sizes: dict[str, int]) -> dict[str, int]:
        return {"x": int(self.samples) * self.width(), "y": self.width()}

    def start_values(self) -> dict[str, Any]:
        n = self.width()
        return {"state": joined([(start_vector(self.start).ravel().spread(n), (0.0,) * n)] * int(self.samples))}

    def law(self, at: LawWriter) -> None:
        n, waiting = self.width(), at.state("x")
        rest = section(waiting, n, waiting.numel())
        self.hold(at, waiting[:n], x=column([rest, at.signal("u")]))


@component
class DiscreteIntegrator(Sampled):
    """Sums up its input; y = `start` at first. Between `lower` and `upper`, where given, and never wound up beyond.

    method "forward": y_k = y_(k-1) + T u_(k-1); "backward": y_k = y_(k-1) + T u_k;
    "trapezoid": y_k = y_(k-1) + T (u_(k-1) + u_k) / 2, with T the period and u = 0 before the start.

    >>> DiscreteIntegrator("position", 1e-3, method="trapezoid")
    """

    method: str = parameter(default="forward", structural=True, shape="word")
    start: Number = parameter(default=0.0, start=True, shape=None)
    lower: Number = parameter(default=None, shape=None)
    upper: Number = parameter(default=None, shape=None)

    code: ClassVar[str] = "Σ T"

    def faults(self) -> list[Finding]:
        if self.method in METHODS:
            return super().faults() or limit_faults(self)
        known = ", ".join(METHODS)
        return [fault(self, f"method cannot be {self.method!r}", f"Methods: {known}.", "Choose one of these.")]

    def states(self, sizes: dict[str, int]) -> dict[str, int]:
        return {"x": self.width(), "y": self.width()}

    def law(self, at: LawWriter) -> None:
        share = {"forward": 0.0, "backward": 1.0, "trapezoid": 0.5}[self.method]
        step = self.every() * at.signal("u")
        y = clipped(at.state("x") + share * step, self.lower, self.upper)
        self.hold(at, y, x=clipped(y + (1 - share) * step, self.lower, self.upper))


@component
class DiscreteTransferFunction(Sampled):
    """Y = numerator(z) / denominator(z) · U, at rest at the start; coefficients with the highest power first.

    >>> DiscreteTransferFunction("filter", 1e-3, (0.1, 0.0), (1.0, -0.9))
    """

    numerator: Number = parameter(shape=None)
    denominator: Number = parameter(shape=None)

    code: ClassVar[str] = "G(z)"

    def faults(self) -> list[Finding]:
        return [*transfer_faults(self), *single_number(self, "period")]

    def width(self) -> int:
        return 1

    def states(self, sizes: dict[str, int]) -> dict[str, int]:
        order = length(self.denominator) - 1
        return ({"x": order} if order else {}) | {"y": 1}

    def law(self, at: LawWriter) -> None:
        self.hold_linear(at, companion(*coefficients(self.numerator, self.denominator)))


@component
class DiscreteStateSpace(Sampled):
    """x_(k+1) = A x_k + B u_k,  y_k = C x_k + D u_k;  x_0 = `start`.

    A: n by n (a list: its diagonal); B: n by m (a list: one input); C: p by n (a list: one output); D: p by m, or none.

    >>> DiscreteStateSpace("observer", 0.01, A=[[1.0, 0.01], [0.0, 0.9]], B=(0.0, 0.01), C=(1.0, 0.0))
    """

    A: Number = parameter(shape=None)
    B: Number = parameter(shape=None)
    C: Number = parameter(shape=None)
    D: Number = parameter(default=None, shape=None)
    start: Number = parameter(default=0.0, start=True, shape=None)

    code: ClassVar[str] = "ABCD z"

    def faults(self) -> list[Finding]:
        return [*state_space_faults(self), *single_number(self, "period")]

    def ports(self) -> tuple[Port, ...]:
        _, inputs, outputs = dimensions(self)
        return (SignalPort("u", inputs), SignalPort("y", outputs, "out"))

    def states(self, sizes: dict[str, int]) -> dict[str, int]:
        states, _, outputs = dimensions(self)
        return {"x": states, "y": outputs}

    def law(self, at: LawWriter) -> None:
        self.hold_linear(at, matrices(self))


ALL = (SampleHold, SampledDelay, DiscreteIntegrator, DiscreteTransferFunction, DiscreteStateSpace)
