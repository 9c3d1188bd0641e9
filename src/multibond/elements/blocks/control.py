"""Controllers."""

from __future__ import annotations

from dataclasses import field
from typing import ClassVar

from multibond.elements.blocks.block import PERIOD, Block, clipped, fault, limit_faults, limited, single_number
from multibond.elements.law import LawWriter
from multibond.errors import Finding
from multibond.expr import SX, vector
from multibond.graph.component import Number, Parameter, component, parameter
from multibond.graph.port import Port, SignalPort
from multibond.graph.start import start_vector


@component
class Controller(Block):
    """Base of PID controllers: their signals, their parameters, and what these may be."""

    gain: Number = parameter(default=1.0, shape=None)
    integral_time: Number = parameter(default=None, unit="s", sign="positive", shape=None)
    derivative_time: Number = parameter(default=None, unit="s", sign="positive", shape=None)
    filter: Number = parameter(default=10.0, sign="positive", shape=None)
    lower: Number = parameter(default=None, shape=None)
    upper: Number = parameter(default=None, shape=None)
    tracking_time: Number = parameter(default=None, unit="s", sign="positive", shape=None)
    setpoint_weight: Number = parameter(default=1.0, shape=None)
    derivative_weight: Number = parameter(default=0.0, shape=None)
    start: Number = parameter(default=0.0, start=True, shape=None)

    code: ClassVar[str] = "PID"

    def faults(self) -> list[Finding]:
        found = super().faults() or limit_faults(self)
        if self.integral_time is None and start_vector(self.start).values.any():
            fact = "start is the first value of its integral part, and it has no integral_time."
            found.append(fault(self, "it cannot start so", fact, "Give an integral_time, or leave start out."))
        return found

    def ports(self) -> tuple[Port, ...]:
        n = self.width()
        return (SignalPort("setpoint", n), SignalPort("measured", n), SignalPort("y", n, "out"))

    def value(self, name: str) -> SX:
        """A parameter, one value for each component."""
        return vector(getattr(self, name), self.width())

    def tracking(self) -> SX:
        """The time in which the integral part follows a limit  [s]: as given, or √(Ti Td), or Ti without a Td."""
        if self.tracking_time is not None:
            return self.value("tracking_time")
        if self.derivative_time is None:
            return self.value("integral_time")
        return (self.value("integral_time") * self.value("derivative_time")) ** 0.5


@component
class PID(Controller):
    """Controller with proportional, integral and filtered derivative action, in the standard form:

    y = k [ (b r - m) + 1/Ti ∫ (r - m) dt + s Td / (1 + s Td / N) (c r - m) ],  kept between `lower` and `upper`,

    of the signals `setpoint` r and `measured` m. gain k; integral_time Ti and derivative_time Td [s], None for none;
    filter N: the derivative acts below the angular frequency N / Td; setpoint_weight b; derivative_weight c.
    start: the integral part at the start. While the output is limited, the integral part is led back to where the
    limit is just met, within tracking_time Tt [s] (by default √(Ti Td), or Ti): dI/dt = k (r - m) / Ti + (y - v) / Tt,
    v being the output before it is limited. The signals `proportional`, `integral`, `derivative` are the three parts.

    >>> PID("speed", 2.0, integral_time=0.5, derivative_time=0.02, lower=-24.0, upper=24.0)
    """

    def ports(self) -> tuple[Port, ...]:
        parts = ("proportional", "integral", "derivative")
        return (*super().ports(), *(SignalPort(part, self.width(), "out", optional=True) for part in parts))

    def states(self, sizes: dict[str, int]) -> dict[str, int]:
        n = self.width()
        integral = {} if self.integral_time is None else {"sum": n}
        return integral | ({} if self.derivative_time is None else {"lag": n})

    def law(self, at: LawWriter) -> None:
        r, m, k = at.signal("setpoint"), at.signal("measured"), self.value("gain")
        parts = {"proportional": k * (self.value("setpoint_weight") * r - m)}
        if self.integral_time is not None:
            parts["integral"] = at.state("sum")
        if self.derivative_time is not None:
            rest = self.value("derivative_weight") * r - m - at.state("lag")
            parts["derivative"] = k * self.value("filter") * rest
            at.rate("lag", self.value("filter") / self.value("derivative_time") * rest)
        wish = sum(parts.values(), SX.zeros(self.width()))
        y = limited(at, wish, self.lower, self.upper)
        if self.integral_time is not None:
            at.rate("sum", k * (r - m) / self.value("integral_time") + (y - wish) / self.tracking())
        at.give("y", y)
        for name in ("proportional", "integral", "derivative"):
            at.give(name, parts.get(name, SX.zeros(self.width())))


@component
class DiscretePID(Controller):
    """The same controller computed at the sample instants 0, T, 2 T, ..., T being the period [s]; y is held in between.

    With e = r - m and z = c r - m at the instant k:  y_k = v_k kept between the limits,  v_k = k (b r - m) + I_k + D_k,
    I_(k+1) = I_k + k T e / Ti + T (y_k - v_k) / Tt,  D_k = (Td D_(k-1) + k N Td (z_k - z_(k-1))) / (Td + N T).
    Parameters as for `PID`; I_0 = start, D and z are zero before the start.

    >>> DiscretePID("speed", 2.0, integral_time=0.5, period=1e-3)
    """

    period: Number = field(kw_only=True, metadata={"parameter": Parameter(**PERIOD)})

    code: ClassVar[str] = "PID z"

    def faults(self) -> list[Finding]:
        return [*super().faults(), *single_number(self, "period")]

    def states(self, sizes: dict[str, int]) -> dict[str, int]:
        names = [] if self.integral_time is None else ["sum"]
        names += [] if self.derivative_time is None else ["slope", "last"]
        return dict.fromkeys([*names, "y"], self.width())

    def law(self, at: LawWriter) -> None:
        r, m, k, period = at.signal("setpoint"), at.signal("measured"), self.value("gain"), float(self.period)
        wish = k * (self.value("setpoint_weight") * r - m)
        if self.derivative_time is not None:
            Td, N, z = self.value("derivative_time"), self.value("filter"), self.value("derivative_weight") * r - m
            slope = (Td * at.state("slope") + k * N * Td * (z - at.state("last"))) / (Td + N * period)
            at.update("slope", slope, period)
            at.update("last", z, period)
            wish = wish + slope
        if self.integral_time is not None:
            wish = wish + at.state("sum")
        y = clipped(wish, self.lower, self.upper)
        if self.integral_time is not None:
            growth = k * (r - m) / self.value("integral_time") + (y - wish) / self.tracking()
            at.update("sum", at.state("sum") + period * growth, period)
        at.update("y", y, period)
        at.give("y", at.state("y"))


ALL = (PID, DiscretePID)
