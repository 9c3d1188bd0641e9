"""Transformers and gyrators: they pass power on, ideally, and turn efforts and flows into one another.

TF with modulus B:  f_b = B f_a,  e_a = Bᵀ e_b.     GY with modulus G:  e_a = G f_b,  e_b = Gᵀ f_a.
Port a is the inlet, port b the outlet. A constant matrix lets each component go either way, as far as its rank allows
(`structure.pivots`). A modulus that comes as a signal may lose its rank and passes flow one way only (from a to b);
`inverse` says how the other way is computed where it exists.
"""

from __future__ import annotations

from typing import ClassVar

import casadi as ca

from multibond.elements.law import LawWriter
from multibond.errors import Finding
from multibond.expr import SX, column, constant, matrix
from multibond.graph.component import Element, Number, component, parameter
from multibond.graph.port import Port, PowerPort, SignalPort


@component
class Coupler(Element):
    """Base of two-port couplers with a modulus."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if "column" in self.parameters() and _is_column(vars(self)["modulus"]):
            object.__setattr__(self, "column", True)

    def two_way(self) -> str:
        """How the modulus is inverted: "none", "transpose" or "divide"."""
        raise TypeError(f"{type(self).__name__} has no modulus")

    def by_component(self) -> bool:
        """Whether a constant matrix lets each component go either way, as far as its numbers allow."""
        return False


def transformer_law(at: LawWriter, modulus: SX, inverse: SX | None) -> None:
    """f_b = B f_a and e_a = Bᵀ e_b, written in the direction in which the flow is given."""
    if at.takes_flow("a") or inverse is None:
        at.zero(at.f("b") - modulus @ at.f("a"))
        at.zero(at.e("a") - modulus.T @ at.e("b"))
    else:
        at.zero(at.f("a") - inverse @ at.f("b"))
        at.zero(at.e("b") - inverse.T @ at.e("a"))


def lever_law(at: LawWriter, arm: SX) -> None:
    """v_b = v_a + arm ω with one ω, and efforts that do the same work, whatever is given on which side."""
    last = arm.numel()
    turning = at.f("a")[last] if at.takes_flow("a", last) else at.f("b")[last]
    at.zero(at.f("b") - at.f("a") - column([arm * turning, SX(1, 1)]))
    pushing = [at.e("b")[k] if at.takes_flow("a", k) else at.e("a")[k] for k in range(last)]
    at.zero(at.e("a") - at.e("b") - column([SX(last, 1), ca.dot(arm, column(pushing))]))


def gyrator_law(at: LawWriter, modulus: SX) -> None:
    """e_a = G f_b and e_b = Gᵀ f_a."""
    at.zero(at.e("a") - modulus @ at.f("b"))
    at.zero(at.e("b") - modulus.T @ at.f("a"))


def _is_column(modulus: Number) -> bool:
    """Whether a modulus was given as a matrix of one column, which a symbolic twin could not tell from a diagonal."""
    return not isinstance(modulus, SX) and modulus.ndim == 2 and modulus.shape[1] == 1 and modulus.shape[0] > 1


def _shape(modulus: Number, column: bool) -> tuple[int | None, int | None]:
    shape = modulus.shape
    if column:
        return (*shape, 1)[0], 1
    if len(shape) == 2 and shape != (1, 1) and shape[1] != 1:
        return shape[0], shape[1]
    rows = shape[0] if len(shape) and shape[0] > 1 else None
    return rows, rows


@component
class TF(Coupler):
    """Transformer with a constant modulus: f_b = B f_a, e_a = Bᵀ e_b.

    modulus: number, vector (diagonal) or matrix B, which need not be square. column: B has a single column (found from
    a matrix that is given so).
    inverse: "none" (flow passes from a to b only), "transpose" (orthogonal B), or "divide" (a number or diagonal that
    is not zero); "auto" takes "divide" where the modulus is a number or diagonal without zeros, and lets each component
    of a matrix go the way that its numbers allow.

    >>> TF("gear", 5.0)
    """

    modulus: Number = parameter(unit="flow/flow", shape=None)
    inverse: str = parameter(default="auto", structural=True, shape="word")
    column: bool = parameter(default=False, structural=True, shape="flag")

    code: ClassVar[str] = "TF"
    causality: ClassVar[str] = "transformer"

    def faults(self) -> list[Finding]:
        return _inverse_faults(self, self.inverse, ("auto", "none", "transpose", "divide"))

    def ports(self) -> tuple[Port, ...]:
        rows, columns = _shape(self.modulus, self.column)
        rows, columns = rows or self.size, columns or self.size
        return (PowerPort("a", columns), PowerPort("b", rows, inward=False))

    def two_way(self) -> str:
        """How the modulus is inverted as a whole: "none", "transpose" or "divide"."""
        return self.inverse if self.inverse != "auto" else _by_division(self)

    def by_component(self) -> bool:
        """Where nothing was said about the inverse and the modulus is a matrix, or has a zero."""
        return self.inverse == "auto" and self.two_way() == "none"

    def law(self, at: LawWriter) -> None:
        modulus = modulus_matrix(self, at.size("a"))
        transformer_law(at, modulus, _inverse(modulus, self.two_way()))


@component
class MTF(Coupler):
    """Transformer whose modulus comes as a signal, row after row: f_b = B f_a, e_a = Bᵀ e_b.

    rows, columns: shape of B. transposed: read the signal as Bᵀ.
    inverse: "none", "transpose" (for rotations), "divide" (a diagonal), or "lever": B is one but for its last column,
    what turns at the last component moves the others. Each component of a lever may have a causality of its own.
    """

    rows: int = parameter(default=1, structural=True, sign="count")
    columns: int = parameter(default=1, structural=True, sign="count")
    transposed: bool = parameter(default=False, structural=True, shape="flag")
    inverse: str = parameter(default="none", structural=True, shape="word")

    code: ClassVar[str] = "MTF"
    causality: ClassVar[str] = "transformer"

    def faults(self) -> list[Finding]:
        return _inverse_faults(self, self.inverse, ("none", "transpose", "divide", "lever"))

    def ports(self) -> tuple[Port, ...]:
        rows, columns = int(self.rows), int(self.columns)
        return (
            PowerPort("a", columns),
            PowerPort("b", rows, inward=False),
            SignalPort("modulus", rows * columns, "in"),
        )

    def two_way(self) -> str:
        """How the modulus is inverted."""
        return self.inverse

    def law(self, at: LawWriter) -> None:
        rows, columns = int(self.rows), int(self.columns)
        if self.transposed:
            modulus = ca.reshape(at.signal("modulus"), rows, columns)
        else:
            modulus = ca.reshape(at.signal("modulus"), columns, rows).T
        if self.inverse == "lever":
            lever_law(at, modulus[:-1, -1])
        else:
            transformer_law(at, modulus, _inverse(modulus, self.inverse))


@component
class GY(Coupler):
    """Gyrator with a constant modulus: e_a = G f_b, e_b = Gᵀ f_a.

    >>> GY("motor", 0.1)
    """

    modulus: Number = parameter(unit="effort/flow", shape=None)
    column: bool = parameter(default=False, structural=True, shape="flag")

    code: ClassVar[str] = "GY"
    causality: ClassVar[str] = "gyrator"

    def ports(self) -> tuple[Port, ...]:
        rows, columns = _shape(self.modulus, self.column)
        return (PowerPort("a", rows or self.size), PowerPort("b", columns or self.size, inward=False))

    def two_way(self) -> str:
        """Whether efforts may enter at both ports: where the modulus is a number or diagonal without zeros."""
        return _by_division(self)

    def by_component(self) -> bool:
        """Where the modulus is a matrix, or has a zero."""
        return self.two_way() == "none"

    def law(self, at: LawWriter) -> None:
        gyrator_law(at, modulus_matrix(self, at.size("a")))


@component
class MGY(Coupler):
    """Gyrator whose modulus comes as a signal: e_a = G f_b, e_b = Gᵀ f_a. Flow enters at both ports."""

    rows: int = parameter(default=1, structural=True, sign="count")
    columns: int = parameter(default=1, structural=True, sign="count")

    code: ClassVar[str] = "MGY"
    causality: ClassVar[str] = "gyrator"

    def ports(self) -> tuple[Port, ...]:
        rows, columns = int(self.rows), int(self.columns)
        return (
            PowerPort("a", rows),
            PowerPort("b", columns, inward=False),
            SignalPort("modulus", rows * columns, "in"),
        )

    def two_way(self) -> str:
        """A modulated gyrator may vanish, so efforts cannot enter at both ports."""
        return "none"

    def law(self, at: LawWriter) -> None:
        rows, columns = int(self.rows), int(self.columns)
        gyrator_law(at, ca.reshape(at.signal("modulus"), columns, rows).T)


def modulus_matrix(item: TF | GY, size: int) -> SX:
    """The constant modulus as a matrix, whatever it was given as; a number or diagonal gets this size."""
    modulus = item.modulus if isinstance(item.modulus, SX) else constant(item.modulus)
    return modulus if item.column or modulus.shape[1] > 1 else matrix(modulus, size)


def _by_division(item: TF | GY) -> str:
    """ "divide" where the constant modulus is a number or diagonal without zeros, else "none"."""
    value = item.modulus
    if item.column or (len(value.shape) == 2 and value.shape[1] > 1):
        return "none"
    nonzero = value.nnz() == value.numel() if isinstance(value, SX) else bool((value != 0).all())
    return "divide" if nonzero else "none"


def _inverse(modulus: SX, how: str) -> SX | None:
    if how == "transpose":
        return modulus.T
    if how == "divide":
        return ca.diag(1 / ca.diag(modulus))
    return None


def _inverse_faults(item: Element, given: str, allowed: tuple[str, ...]) -> list[Finding]:
    if given in allowed:
        return []
    return [
        Finding(
            f"{type(item).__name__} {item.name!r}: inverse cannot be {given!r}.",
            f"It is one of {', '.join(allowed)}.",
            "Choose one of these.",
            (item.name,),
        )
    ]
