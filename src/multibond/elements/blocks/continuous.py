"""Blocks whose memory changes continuously, given by their physical meaning: integrators, lags, limits of speed.

A `frequency` is in Hz everywhere, a time in s. All of them start at rest unless a `start` is given.
"""

from __future__ import annotations

from typing import Any, ClassVar

import casadi as ca
import numpy as np

from multibond.elements.blocks.block import Through, clipped, holds, limit_faults, limited
from multibond.elements.law import LawWriter
from multibond.errors import Finding
from multibond.expr import column, vector
from multibond.graph.component import Number, component, parameter
from multibond.graph.start import joined, start_vector


@component
class Integrator(Through):
    """dy/dt = u, y = `start` at the start. At `upper` y does not grow, at `lower` it does not fall, whatever u is.

    It leaves a limit in the instant in which u turns back: nothing is wound up.

    >>> Integrator("tank", start=0.5, lower=0.0, upper=2.0)
    """

    start: Number = parameter(default=0.0, start=True, shape=None)
    lower: Number = parameter(default=None, shape=None)
    upper: Number = parameter(default=None, shape=None)

    code: ClassVar[str] = "∫"

    def faults(self) -> list[Finding]:
        return super().faults() or limit_faults(self)

    def states(self, sizes: dict[str, int]) -> dict[str, int]:
        return {"x": self.width()}

    def law(self, at: LawWriter) -> None:
        n, u, x = self.width(), at.signal("u"), at.state("x")
        rate = u
        if self.upper is not None:
            rate = ca.if_else(holds(at, x - vector(self.upper, n)) * holds(at, u), 0, rate)
        if self.lower is not None:
            rate = ca.if_else(holds(at, vector(self.lower, n) - x) * holds(at, -u), 0, rate)
        at.rate("x", rate)
        at.give("y", clipped(x, self.lower, self.upper))


@component
class Derivative(Through):
    """Filtered derivative: Y = s U / (1 + s · time_constant), a derivative for what is slower than `time_constant` [s].

    start: the input before the start; where it is not the first value of u, the output starts with that jump.

    >>> Derivative("acceleration", 1e-3)
    """

    time_constant: Number = parameter(unit="s", sign="positive", shape=None)
    start: Number = parameter(default=0.0, start=True, shape=None)

    code: ClassVar[str] = "d/dt"

    def states(self, sizes: dict[str, int]) -> dict[str, int]:
        return {"x": self.width()}

    def law(self, at: LawWriter) -> None:
        y = (at.signal("u") - at.state("x")) / vector(self.time_constant, self.width())
        at.rate("x", y)
        at.give("y", y)


@component
class FirstOrder(Through):
    """time_constant · dy/dt + y = gain · u; y = `start` at the start.

    >>> FirstOrder("heater", time_constant=30.0, gain=2.0)
    """

    time_constant: Number = parameter(unit="s", sign="positive", shape=None)
    gain: Number = parameter(default=1.0, shape=None)
    start: Number = parameter(default=0.0, start=True, shape=None)

    code: ClassVar[str] = "PT1"

    def states(self, sizes: dict[str, int]) -> dict[str, int]:
        return {"y": self.width()}

    def law(self, at: LawWriter) -> None:
        n, y = self.width(), at.state("y")
        at.rate("y", (vector(self.gain, n) * at.signal("u") - y) / vector(self.time_constant, n))
        at.give("y", y)


@component
class SecondOrder(Through):
    """y'' + 2 · damping · w · y' + w² y = gain · w² u with w = 2π · frequency; frequency of the undamped motion in Hz.

    damping: 1 is critical. start, start_rate: y and dy/dt at the start.

    >>> SecondOrder("suspension", frequency=1.2, damping=0.3)
    """

    frequency: Number = parameter(unit="Hz", sign="positive", shape=None)
    damping: Number = parameter(default=1.0, sign="not negative", shape=None)
    gain: Number = parameter(default=1.0, shape=None)
    start: Number = parameter(default=0.0, start=True, shape=None)
    start_rate: Number = parameter(default=0.0, unit="1/s", start=True, shape=None)

    code: ClassVar[str] = "PT2"

    def states(self, sizes: dict[str, int]) -> dict[str, int]:
        return {"x": 2 * self.width()}

    def start_values(self) -> dict[str, Any]:
        n = self.width()
        both = [start_vector(value).ravel().spread(n) for value in (self.start, self.start_rate)]
        return {"state": joined([(value, (0.0,) * n) for value in both])}

    def law(self, at: LawWriter) -> None:
        n, x, w = self.width(), at.state("x"), 2 * np.pi * vector(self.frequency, self.width())
        y, v, goal = x[:n], x[n:], vector(self.gain, n) * at.signal("u")
        at.rate("x", column([v, w * w * (goal - y) - 2 * vector(self.damping, n) * w * v]))
        at.give("y", y)


@component
class RateLimiter(Through):
    """y follows u, but rises no faster than `rise` and falls no faster than `fall` (by default as fast as it may rise).

    dy/dt = (u - y) / time_constant, kept between -fall and rise: where u is slow enough, y lags behind it by
    `time_constant` [s]. A smaller one follows more closely and makes the system stiffer.

    >>> RateLimiter("setpoint", rise=2.0, time_constant=1e-3)
    """

    rise: Number = parameter(unit="1/s", sign="positive", shape=None)
    fall: Number = parameter(default=None, unit="1/s", sign="positive", shape=None)
    time_constant: Number = parameter(default=1e-3, unit="s", sign="positive")
    start: Number = parameter(default=0.0, start=True, shape=None)

    code: ClassVar[str] = "rate"

    def states(self, sizes: dict[str, int]) -> dict[str, int]:
        return {"y": self.width()}

    def law(self, at: LawWriter) -> None:
        wish = (at.signal("u") - at.state("y")) / self.time_constant
        rise = vector(self.rise, self.width())
        fall = rise if self.fall is None else vector(self.fall, self.width())
        at.rate("y", limited(at, wish, -fall, rise))
        at.give("y", at.state("y"))


ALL = (Integrator, Derivative, FirstOrder, SecondOrder, RateLimiter)
