"""Linear blocks given by polynomials or matrices: transfer functions, filters, delays."""

from __future__ import annotations

from math import comb, factorial
from typing import ClassVar

import casadi as ca
import numpy as np

from multibond.elements.blocks.block import Block, Through, length, whole_number
from multibond.elements.blocks.realization import (
    Realization,
    continuous,
    dimensions,
    matrices,
    state_space_faults,
    transfer_faults,
)
from multibond.elements.law import LawWriter
from multibond.errors import Finding
from multibond.expr import SX, column
from multibond.graph.component import Number, component, parameter
from multibond.graph.port import Port, SignalPort


@component
class TransferFunction(Block):
    """Y = numerator(s) / denominator(s) · U, at rest at the start; coefficients with the highest power first.

    The degree of the numerator may not exceed that of the denominator.

    >>> TransferFunction("plant", (1.0,), (1.0, 0.4, 1.0))
    """

    numerator: Number = parameter(shape=None)
    denominator: Number = parameter(shape=None)

    code: ClassVar[str] = "G(s)"

    def faults(self) -> list[Finding]:
        return transfer_faults(self)

    def ports(self) -> tuple[Port, ...]:
        return (SignalPort("u"), SignalPort("y", 1, "out"))

    def states(self, sizes: dict[str, int]) -> dict[str, int]:
        order = length(self.denominator) - 1
        return {"x": order} if order else {}

    def law(self, at: LawWriter) -> None:
        linear_law(at, continuous(self.numerator, self.denominator))


@component
class StateSpace(Block):
    """dx/dt = A x + B u,  y = C x + D u;  x = `start` at the start.

    A: n by n (a list: its diagonal); B: n by m (a list: one input); C: p by n (a list: one output); D: p by m, or none.

    >>> StateSpace("plant", A=[[0.0, 1.0], [-4.0, -0.4]], B=(0.0, 1.0), C=(1.0, 0.0))
    """

    A: Number = parameter(shape=None)
    B: Number = parameter(shape=None)
    C: Number = parameter(shape=None)
    D: Number = parameter(default=None, shape=None)
    start: Number = parameter(default=0.0, start=True, shape=None)

    code: ClassVar[str] = "ABCD"

    def faults(self) -> list[Finding]:
        return state_space_faults(self)

    def ports(self) -> tuple[Port, ...]:
        _, inputs, outputs = dimensions(self)
        return (SignalPort("u", inputs), SignalPort("y", outputs, "out"))

    def states(self, sizes: dict[str, int]) -> dict[str, int]:
        return {"x": dimensions(self)[0]}

    def law(self, at: LawWriter) -> None:
        linear_law(at, matrices(self))


@component
class LowPass(Through):
    """Butterworth filter: flat below `frequency` [Hz], falling by `order` · 20 dB per decade above; gain 1 at rest.

    At the frequency itself the amplitude is 1/√2 whatever the order.

    >>> LowPass("antialias", frequency=200.0, order=4)
    """

    frequency: Number = parameter(unit="Hz", sign="positive")
    order: int = parameter(default=2, structural=True)

    code: ClassVar[str] = "low"

    def faults(self) -> list[Finding]:
        return [*super().faults(), *whole_number(self, "order", 1, 12)]

    def states(self, sizes: dict[str, int]) -> dict[str, int]:
        return {"x": int(self.order) * self.width()}

    def law(self, at: LawWriter) -> None:
        """Sections of second order one after the other, and one of first order where the order is odd."""
        n, order, w = self.width(), int(self.order), 2 * np.pi * self.frequency
        signal, parts, rates = at.signal("u"), ca.vertsplit(at.state("x"), n), []
        for k in range(order // 2):
            y, v = parts[2 * k : 2 * k + 2]
            damping = np.sin(np.pi * (2 * k + 1) / (2 * order))
            rates += [w * v, w * (signal - y - 2 * damping * v)]
            signal = y
        if order % 2:
            rates.append(w * (signal - parts[-1]))
            signal = parts[-1]
        at.rate("x", column(rates))
        at.give("y", signal)


@component
class Delay(Block):
    """y(t) = u(t - time), approximately: the Padé approximation of exp(-s · time), all-pass of the given order.

    It keeps every amplitude and delays what changes slowly: at the angular frequency w the phase is wrong by less than
    1e-3 rad where w · time is below 0.2, 0.9, 1.9, 3.1 for the orders 1 to 4, and 1.4 more for each further order. What
    is faster, as a jump of u, arrives early and with an oscillation. `SampledDelay` delays samples exactly.

    >>> Delay("pipe", time=0.2, order=4)
    """

    time: Number = parameter(unit="s", sign="positive")
    order: int = parameter(default=4, structural=True)

    code: ClassVar[str] = "delay"

    def faults(self) -> list[Finding]:
        return whole_number(self, "order", 1, 10)

    def ports(self) -> tuple[Port, ...]:
        return (SignalPort("u"), SignalPort("y", 1, "out"))

    def states(self, sizes: dict[str, int]) -> dict[str, int]:
        return {"x": int(self.order)}

    def law(self, at: LawWriter) -> None:
        n = int(self.order)
        powers = [(k, comb(n, k) * factorial(2 * n - k) * self.time**k) for k in reversed(range(n + 1))]
        over = [term if k % 2 == 0 else -term for k, term in powers]
        under = [term for _, term in powers]
        linear_law(at, continuous(column(over), column(under)))


def linear_law(at: LawWriter, system: Realization) -> None:
    """dx/dt = A x + B u,  y = C x + D u."""
    A, B, C, D = system
    u, x = at.signal("u"), at.states.get("x", SX(0, 1))
    if x.numel():
        at.rate("x", A @ x + B @ u)
    at.give("y", C @ x + D @ u)


ALL = (TransferFunction, StateSpace, LowPass, Delay)
