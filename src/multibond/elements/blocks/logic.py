"""Truth values: comparing, combining, choosing, and a relay that remembers."""

from __future__ import annotations

from typing import ClassVar

import casadi as ca

from multibond.elements.blocks.block import Block, Through, fault, holds, is_true, limit_faults, numbered, whole_number
from multibond.elements.law import LawWriter
from multibond.errors import Finding
from multibond.expr import SX, vector
from multibond.graph.component import Number, component, parameter
from multibond.graph.port import Port, SignalPort

RELATIONS = (">", "<")


@component
class Compare(Block):
    """y = 1 where u > level (relation ">") or u < level (relation "<"), 0 elsewhere; equal counts as true.

    level: a number, or the signal `than` where one is connected.

    >>> Compare("full", ">", 0.9)
    """

    relation: str = parameter(default=">", structural=True, shape="word")
    level: Number = parameter(default=0.0, shape=None)

    code: ClassVar[str] = "≷"

    def faults(self) -> list[Finding]:
        if self.relation in RELATIONS:
            return super().faults()
        return [fault(self, f"relation cannot be {self.relation!r}", 'Relations: ">" and "<".', "Choose one of these.")]

    def ports(self) -> tuple[Port, ...]:
        n = self.width()
        return (SignalPort("u", n), SignalPort("than", n, "in", optional=True), SignalPort("y", n, "out"))

    def law(self, at: LawWriter) -> None:
        level = at.signal("than") if "than" in at.signals else vector(self.level, self.width())
        above = at.signal("u") - level
        at.give("y", holds(at, above if self.relation == ">" else -above))


@component
class Gate(Block):
    """Base of gates: truth values `u_1`, `u_2`, ... in, one truth value out."""

    inputs: int = parameter(default=2, structural=True)

    def faults(self) -> list[Finding]:
        return whole_number(self, "inputs", 1) or super().faults()

    def ports(self) -> tuple[Port, ...]:
        return (*numbered("u", int(self.inputs), self.width()), SignalPort("y", self.width(), "out"))

    def truths(self, at: LawWriter) -> SX:
        """How many of the inputs are true, component by component."""
        values = (is_true(at, at.signal(f"u_{k + 1}")) for k in range(int(self.inputs)))
        return sum(values, SX.zeros(self.width()))


@component
class And(Gate):
    """y = 1 where all inputs are true.

    >>> And("enabled", 3)
    """

    code: ClassVar[str] = "&"

    def law(self, at: LawWriter) -> None:
        at.give("y", self.truths(at) >= int(self.inputs))


@component
class Or(Gate):
    """y = 1 where at least one input is true.

    >>> Or("alarm")
    """

    code: ClassVar[str] = "≥1"

    def law(self, at: LawWriter) -> None:
        at.give("y", self.truths(at) >= 1)


@component
class Xor(Gate):
    """y = 1 where an odd number of inputs is true: with two inputs, exactly one.

    >>> Xor("landing")
    """

    code: ClassVar[str] = "=1"

    def law(self, at: LawWriter) -> None:
        at.give("y", ca.fmod(self.truths(at), 2))


@component
class Not(Through):
    """y = 1 where u is false.

    >>> Not("idle")
    """

    code: ClassVar[str] = "¬"

    def law(self, at: LawWriter) -> None:
        at.give("y", 1 - is_true(at, at.signal("u")))


@component
class Select(Block):
    """y = the signal `yes` where the truth value `condition` is true, otherwise the signal `no`.

    >>> Select("source")
    """

    code: ClassVar[str] = "?"

    def ports(self) -> tuple[Port, ...]:
        n = self.width()
        return (SignalPort("condition"), SignalPort("yes", n), SignalPort("no", n), SignalPort("y", n, "out"))

    def law(self, at: LawWriter) -> None:
        at.give("y", ca.if_else(is_true(at, at.signal("condition")), at.signal("yes"), at.signal("no")))


@component
class Relay(Block):
    """Switches on when u rises above `upper` and off when it falls below `lower`; in between it stays as it was.

    y = on or y = off; mode: "on" or "off" at the start. Without a band (lower = upper) a feedback switches without end.

    >>> Relay("thermostat", lower=19.0, upper=21.0, on=0.0, off=1500.0)
    """

    lower: Number = parameter(default=-1.0)
    upper: Number = parameter(default=1.0)
    on: Number = parameter(default=1.0)
    off: Number = parameter(default=0.0)
    mode: str = parameter(default="off", structural=True, shape="word")

    code: ClassVar[str] = "relay"
    modes: ClassVar[tuple[str, ...]] = ("on", "off")

    def faults(self) -> list[Finding]:
        if self.mode in self.modes:
            return limit_faults(self)
        return [fault(self, f"mode cannot be {self.mode!r}", 'It starts "on" or "off".', "Choose one of these.")]

    def ports(self) -> tuple[Port, ...]:
        return (SignalPort("u"), SignalPort("y", 1, "out"))

    def law(self, at: LawWriter) -> None:
        u = at.signal("u")
        if self.mode == "on":
            at.give("y", SX(self.on))
            at.switch("off", self.lower - u)
        else:
            at.give("y", SX(self.off))
            at.switch("on", u - self.upper)


ALL = (Compare, And, Or, Xor, Not, Select, Relay)
