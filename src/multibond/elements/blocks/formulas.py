"""Blocks whose law the user writes: a formula of the inputs and the time, or a table."""

from __future__ import annotations

from typing import ClassVar

from multibond.elements.blocks.block import Block, Through, numbered, whole_number
from multibond.elements.law import LawWriter
from multibond.errors import Finding
from multibond.expr import SX, column, symbol
from multibond.formula import Formula
from multibond.graph.component import Number, component, parameter
from multibond.graph.port import Port, SignalPort

INPUTS = ("u", "u_1", "u_2", "u_3", "u_4")
"""The inputs that a formula may name."""


@component
class Function(Block):
    """y = formula of the inputs and the time t, written with the functions of `mb` or as a text.

    The inputs are those that the formula names: `u`, or `u_1` to `u_4`; with size=3 each of them has the components
    u[0], u[1], u[2]. A formula of u as a whole works component by component; a list of formulas gives a vector.

    >>> Function("drag", "0.6 * u * abs(u)")
    >>> Function("power", lambda u_1, u_2: u_1 * u_2)
    """

    formula: Number = parameter(shape=None, formula=(INPUTS[0], "t", *INPUTS[1:]))

    code: ClassVar[str] = "f(u)"

    def faults(self) -> list[Finding]:
        return []

    def ports(self) -> tuple[Port, ...]:
        return (*(SignalPort(name, self.size or 1) for name in self._inputs()), SignalPort("y", self._outputs(), "out"))

    def _inputs(self) -> list[str]:
        return [name for name in INPUTS if isinstance(self.formula, Formula) and name in self.formula.variables]

    def _outputs(self) -> int:
        """How many components the formula gives."""
        if not isinstance(self.formula, Formula):
            return self.width()
        inputs = {name: symbol(name, self.size or 1) for name in self._inputs()}
        return SX(self.formula.evaluate({"t": symbol("t"), **inputs})).numel()

    def law(self, at: LawWriter) -> None:
        at.give("y", at.value(self.formula, self._outputs(), **{name: at.signal(name) for name in self._inputs()}))


@component
class Lookup(Through):
    """y = table(u): a `mb.Table`, read component by component.

    >>> Lookup("fan", mb.Table([0, 1, 2], [0, 10, 15]))
    """

    table: Number = parameter(formula=("u",))

    code: ClassVar[str] = "table"

    def law(self, at: LawWriter) -> None:
        at.give("y", at.value(self.table, self.width(), u=at.signal("u")))


@component
class Lookup2(Block):
    """y = table(u_1, u_2): a `mb.Table2`, read component by component.

    >>> Lookup2("torque", mb.Table2([0, 1000], [0, 1], [[0, 50], [0, 80]]))
    """

    table: Number = parameter(formula=("u_1", "u_2"))

    code: ClassVar[str] = "table"

    def ports(self) -> tuple[Port, ...]:
        return (*numbered("u", 2, self.width()), SignalPort("y", self.width(), "out"))

    def law(self, at: LawWriter) -> None:
        signals = {name: at.signal(name) for name in ("u_1", "u_2")}
        at.give("y", at.value(self.table, self.width(), **signals))


@component
class Join(Block):
    """Puts signals `u_1`, `u_2`, ... of `size` components each one below the other: y = (u_1, u_2, ...).

    The way back needs no block: `model.signal("join.y[1]", ...)` leads one component on.

    >>> Join("position", 3)
    """

    inputs: int = parameter(default=2, structural=True)

    code: ClassVar[str] = "join"

    def faults(self) -> list[Finding]:
        return whole_number(self, "inputs", 1)

    def ports(self) -> tuple[Port, ...]:
        count = int(self.inputs)
        return (*numbered("u", count, self.size or 1), SignalPort("y", count * (self.size or 1), "out"))

    def law(self, at: LawWriter) -> None:
        at.give("y", column([at.signal(f"u_{k + 1}") for k in range(int(self.inputs))]))


ALL = (Function, Lookup, Lookup2, Join)
