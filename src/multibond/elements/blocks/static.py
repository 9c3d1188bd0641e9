"""Blocks without memory: y is a formula of the inputs at the same instant."""

from __future__ import annotations

from typing import ClassVar

import casadi as ca

from multibond.elements.blocks.block import Block, Through, fault, limit_faults, limited, numbered
from multibond.elements.law import LawWriter
from multibond.errors import Finding
from multibond.expr import SX, matrix, vector
from multibond.formula.value import whole
from multibond.graph.component import Number, component, parameter
from multibond.graph.port import Port, SignalPort


@component
class Gain(Block):
    """y = gain · u.

    gain: a number, a vector (one for each component) or a matrix (as many inputs as columns, outputs as rows).

    >>> Gain("rack", 0.02)
    """

    gain: Number = parameter(shape=None)

    code: ClassVar[str] = "k"

    def faults(self) -> list[Finding]:
        return [] if self._is_matrix() else super().faults()

    def _is_matrix(self) -> bool:
        return len(self.gain.shape) == 2 and self.gain.shape[1] > 1

    def ports(self) -> tuple[Port, ...]:
        rows, columns = self.gain.shape if self._is_matrix() else (self.width(), self.width())
        return (SignalPort("u", columns), SignalPort("y", rows, "out"))

    def law(self, at: LawWriter) -> None:
        at.give("y", matrix(self.gain, at.signal("u").numel()) @ at.signal("u"))


@component
class Sum(Block):
    """y = ± u_1 ± u_2 ± ...; signs: one "+" or "-" for each input.

    >>> Sum("error", "+-")
    """

    signs: str = parameter(default="++", structural=True, shape="word")

    code: ClassVar[str] = "Σ"

    def faults(self) -> list[Finding]:
        if self.signs and set(self.signs) <= set("+-"):
            return []
        return [
            fault(self, f"signs cannot be {self.signs!r}", "Every input has a + or a -.", 'Write for example "+-".')
        ]

    def ports(self) -> tuple[Port, ...]:
        return (*numbered("u", len(self.signs), self.width()), SignalPort("y", self.width(), "out"))

    def law(self, at: LawWriter) -> None:
        terms = [
            at.signal(f"u_{k + 1}") if sign == "+" else -at.signal(f"u_{k + 1}") for k, sign in enumerate(self.signs)
        ]
        at.give("y", sum(terms, SX.zeros(self.width())))


@component
class Product(Block):
    """y = u_1 · u_2 · ..., component by component; operations: "*" or "/" for each input.

    >>> Product("efficiency", "*/")
    """

    operations: str = parameter(default="**", structural=True, shape="word")

    code: ClassVar[str] = "Π"

    def faults(self) -> list[Finding]:
        if self.operations and set(self.operations) <= set("*/"):
            return []
        problem = f"operations cannot be {self.operations!r}"
        return [fault(self, problem, "Every input has a * or a /.", 'Write for example "**".')]

    def ports(self) -> tuple[Port, ...]:
        return (*numbered("u", len(self.operations), self.width()), SignalPort("y", self.width(), "out"))

    def law(self, at: LawWriter) -> None:
        product = SX.ones(self.width())
        for k, operation in enumerate(self.operations):
            u = at.signal(f"u_{k + 1}")
            product = product * u if operation == "*" else product / u
        at.give("y", product)


@component
class Limiter(Through):
    """y = u, kept between `lower` and `upper` (None: no limit).

    >>> Limiter("valve", 0.0, 1.0)
    """

    lower: Number = parameter(default=None, shape=None)
    upper: Number = parameter(default=None, shape=None)

    code: ClassVar[str] = "limit"

    def faults(self) -> list[Finding]:
        return super().faults() or limit_faults(self)

    def law(self, at: LawWriter) -> None:
        at.give("y", limited(at, at.signal("u"), self.lower, self.upper))


@component
class DeadZone(Through):
    """y = 0 for u between `lower` and `upper`; outside y is what u has beyond the limit.

    >>> DeadZone("play", -0.01, 0.01)
    """

    lower: Number = parameter(default=-1.0, shape=None)
    upper: Number = parameter(default=1.0, shape=None)

    code: ClassVar[str] = "dead"

    def faults(self) -> list[Finding]:
        return super().faults() or limit_faults(self)

    def law(self, at: LawWriter) -> None:
        u = at.signal("u")
        at.give("y", u - limited(at, u, self.lower, self.upper))


@component
class Quantizer(Through):
    """y = u rounded to the nearest multiple of `step`; halves are rounded up.

    >>> Quantizer("encoder", 2 * 3.141592653589793 / 4096)
    """

    step: Number = parameter(sign="positive", shape=None)

    code: ClassVar[str] = "steps"

    def law(self, at: LawWriter) -> None:
        step = vector(self.step, self.width())
        count = at.signal("u") / step + 0.5
        at.edge(count, whole)
        at.give("y", step * ca.floor(count))


@component
class Probe(Through):
    """Watches a signal under a name of its own: y = u.

    >>> Probe("speed")
    """

    code: ClassVar[str] = "probe"

    def law(self, at: LawWriter) -> None:
        at.give("y", at.signal("u"))


ALL = (Gain, Sum, Product, Limiter, DeadZone, Quantizer, Probe)
