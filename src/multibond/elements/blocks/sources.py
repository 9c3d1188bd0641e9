"""Signals that depend on nothing but the time, and the input from outside.

Their jumps and corners are known before a run begins: a step ends at each, so that no cycle can be stepped over however
short its pulse is.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import field
from typing import ClassVar

import casadi as ca
import numpy as np

from multibond.elements.blocks.block import PERIOD, Source, fault, holds, single_number
from multibond.elements.law import LawWriter
from multibond.errors import Finding
from multibond.expr import SX, vector
from multibond.formula.value import whole
from multibond.graph.component import Number, Parameter, component, parameter


@component
class Constant(Source):
    """A signal that does not change: y = value.

    >>> Constant("setpoint", 2.0)
    """

    value: Number = parameter(default=1.0, shape=None)

    code: ClassVar[str] = "k"

    def law(self, at: LawWriter) -> None:
        at.give("y", vector(self.value, self.width()))


@component
class Input(Source):
    """A signal from outside: y = value, which may change from one step to the next while the system runs.

    >>> Input("joystick", size=2)
    """

    value: Number = parameter(default=0.0, shape=None, live=True)

    code: ClassVar[str] = "in"

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.width() > 1 and self.value.shape == ():
            each = np.full(self.width(), self.value)
            each.flags.writeable = False
            object.__setattr__(self, "value", each)

    def law(self, at: LawWriter) -> None:
        at.give("y", vector(self.value, self.width()))


@component
class Time(Source):
    """The time since the start of the run: y = t  [s].

    >>> Time("clock")
    """

    code: ClassVar[str] = "t"

    def law(self, at: LawWriter) -> None:
        at.give("y", vector(at.time, self.width()))


@component
class Step(Source):
    """A jump: y = offset before `time` [s], offset + height from then on.

    >>> Step("setpoint", 2.0, time=0.5)
    """

    height: Number = parameter(default=1.0, shape=None)
    time: Number = parameter(default=0.0, unit="s")
    offset: Number = parameter(default=0.0, shape=None)

    code: ClassVar[str] = "step"

    def law(self, at: LawWriter) -> None:
        n, on = self.width(), holds(at, at.time - self.time)
        at.give("y", vector(self.offset, n) + on * vector(self.height, n))


@component
class Ramp(Source):
    """A ramp: y = offset before `time` [s], then rising by `slope` each second, for ever or for `duration` [s].

    >>> Ramp("throttle", slope=0.2, duration=5.0)
    """

    slope: Number = parameter(default=1.0, unit="1/s", shape=None)
    time: Number = parameter(default=0.0, unit="s")
    duration: Number = parameter(default=None, unit="s", sign="not negative")
    offset: Number = parameter(default=0.0, shape=None)

    code: ClassVar[str] = "ramp"

    def law(self, at: LawWriter) -> None:
        n, since = self.width(), at.time - self.time
        rise = holds(at, since) * since
        if self.duration is not None:
            rise = ca.if_else(holds(at, since - self.duration), self.duration, rise)
        at.give("y", vector(self.offset, n) + rise * vector(self.slope, n))


@component
class Sine(Source):
    """y = offset + amplitude · sin(2π · frequency · t + phase); frequency in Hz, phase in rad.

    >>> Sine("shaker", amplitude=0.01, frequency=50.0)
    """

    amplitude: Number = parameter(default=1.0, shape=None)
    frequency: Number = parameter(default=1.0, unit="Hz", shape=None)
    phase: Number = parameter(default=0.0, unit="rad", shape=None)
    offset: Number = parameter(default=0.0, shape=None)

    code: ClassVar[str] = "sin"

    def law(self, at: LawWriter) -> None:
        n = self.width()
        angle = 2 * np.pi * at.time * vector(self.frequency, n) + vector(self.phase, n)
        at.give("y", vector(self.offset, n) + vector(self.amplitude, n) * ca.sin(angle))


@component
class Repeated(Source):
    """Base of shapes that begin at `time` [s], once or every `period` [s]."""

    time: Number = field(default=0.0, kw_only=True, metadata={"parameter": Parameter(unit="s")})
    period: Number = field(default=None, kw_only=True, metadata={"parameter": Parameter(optional=True, **PERIOD)})
    offset: Number = field(default=0.0, kw_only=True, metadata={"parameter": Parameter(shape=None)})

    def faults(self) -> list[Finding]:
        found = [*super().faults(), *single_number(self, "period")]
        if not found and self.period is not None and self.length() > self.period:
            fact = f"It lasts {self.length():g} s and returns every {float(self.period):g} s."
            found = [fault(self, "it overlaps its own next cycle", fact, "Make it shorter, or the period longer.")]
        return found

    def length(self) -> float:
        """How long one cycle differs from the offset  [s]."""
        raise TypeError(f"{type(self).__name__} has no length")

    def repeated(self, at: LawWriter, shape: Callable[[SX], SX]) -> SX:
        """The shape, a function of the time since its beginning, once or again and again."""
        since = at.time - self.time
        if self.period is None:
            return shape(since)
        cycles = since / self.period
        at.edge(cycles, whole)
        return holds(at, since) * shape(since - self.period * ca.floor(cycles))


@component
class Pulse(Repeated):
    """A pulse: y = offset + height for `duration` [s] from `time` [s] on, once or every `period` [s]; else y = offset.

    A square wave is a pulse that lasts half its period.

    >>> Pulse("square", 2.0, 0.5, period=1.0, offset=-1.0)
    """

    height: Number = parameter(default=1.0, shape=None)
    duration: Number = parameter(default=1.0, unit="s", sign="positive")

    code: ClassVar[str] = "pulse"

    def length(self) -> float:
        return float(self.duration)

    def law(self, at: LawWriter) -> None:
        n = self.width()
        on = self.repeated(at, lambda since: holds(at, since) * (1 - holds(at, since - self.duration)))
        at.give("y", vector(self.offset, n) + on * vector(self.height, n))


@component
class Trapezoid(Repeated):
    """A trapezoid: from `time` on y rises by `height` within `rise`, stays there for `hold`, falls within `fall` [s].

    >>> Trapezoid("speed", 3.0, rise=0.5, hold=2.0, fall=0.5, period=4.0)
    """

    height: Number = parameter(default=1.0, shape=None)
    rise: Number = parameter(default=1.0, unit="s", sign="positive")
    hold: Number = parameter(default=1.0, unit="s", sign="not negative")
    fall: Number = parameter(default=1.0, unit="s", sign="positive")

    code: ClassVar[str] = "trapezoid"

    def length(self) -> float:
        return float(self.rise + self.hold + self.fall)

    def law(self, at: LawWriter) -> None:
        n = self.width()
        at.give("y", vector(self.offset, n) + self.repeated(at, lambda t: self._cycle(at, t)) * vector(self.height, n))

    def _cycle(self, at: LawWriter, since: SX) -> SX:
        """One cycle of height 1."""
        held = since - self.rise
        falling = held - self.hold
        value = holds(at, since) * since / self.rise
        value = ca.if_else(holds(at, held), 1, value)
        value = ca.if_else(holds(at, falling), 1 - falling / self.fall, value)
        return ca.if_else(holds(at, falling - self.fall), 0, value)


ALL = (Constant, Input, Time, Step, Ramp, Sine, Pulse, Trapezoid)
