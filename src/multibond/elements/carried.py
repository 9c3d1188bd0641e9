"""What appears when an element is carried over a modulated transformer: virtual inertia, transformed gyrators, moduli.

With v₂ = B v₁ at the transformer, an inertia J behind it is felt in front of it as e = Bᵀ d(J B v)/dt: the virtual
inertia BᵀJB and the gyristor BᵀJḂ in one law (Tiernego & Bos 1985, eq. 7; Boudon et al. 2017, eqs 12 to 17). It holds
½ vᵀBᵀJB v and loses nothing. Derivatives of B come from automatic differentiation.
"""

from __future__ import annotations

from typing import Any, ClassVar

import casadi as ca
import numpy as np

from multibond.elements.kinematics import SignalElement
from multibond.elements.law import LawWriter
from multibond.elements.oneport import Constraint, OnePort
from multibond.expr import SX, constant, flat, matrix
from multibond.graph.component import Number, component, parameter
from multibond.graph.port import Port, SignalPort


def as_matrix(entries: SX, rows: int, columns: int, transposed: bool = False) -> SX:
    """A matrix of rows × columns from its entries, row after row; `transposed`: from those of its transpose."""
    return ca.reshape(entries, rows, columns) if transposed else ca.reshape(entries, columns, rows).T


@component
class Carried(OnePort):
    """Base of what stands in front of a transformer B of rows × columns; its port has `columns` components.

    modulus: the matrix B, row after row; left out, the signal `modulus` gives it. transposed: read it as Bᵀ.
    """

    inertia: Number = parameter(unit="effort.s/flow", shape=None)
    rows: int = parameter(default=1, structural=True, sign="count")
    columns: int = parameter(default=1, structural=True, sign="count")
    transposed: bool = parameter(default=False, structural=True, shape="flag")
    modulus: Number = parameter(default=None, shape=None)

    def _values(self) -> list[tuple[str, Any]]:
        return []  # the inertia has as many components as the far side of the transformer

    def size_hint(self) -> int | None:
        return int(self.columns)

    def ports(self) -> tuple[Port, ...]:
        rows, columns = int(self.rows), int(self.columns)
        given = SignalPort("modulus", rows * columns, "in", optional=self.modulus is not None)
        return (*self.power_ports(columns), given)

    def carried_over(self, at: LawWriter) -> SX:
        """The modulus B."""
        given = at.signal("modulus") if self.modulus is None else self.modulus
        entries = given if isinstance(given, SX) else constant(given)
        return as_matrix(entries, int(self.rows), int(self.columns), self.transposed)


@component
class VirtualInertia(Carried):
    """An inertia carried over a transformer: e = Bᵀ d(J B f)/dt, energy ½ (B f)ᵀ J (B f). Nothing is lost.

    inertia: J, number, diagonal or matrix of the far side  [effort·s/flow]; B: rows × columns.
    independent: it gives the flow, from the momentum p = BᵀJB f with dp/dt = e + ḂᵀJB f; BᵀJB must be regular.
    Otherwise the flow is given, p = J B f is the momentum behind the transformer, and it is differentiated.
    start: p at the start.

    >>> VirtualInertia("rotor", (1.0, 2.0, 3.0), rows=3, columns=1)
    """

    independent: bool = parameter(default=False, structural=True, shape="flag")
    start: Number = parameter(default=0.0, unit="effort.s", start=True, shape=None)

    code: ClassVar[str] = "I~"

    def causality_at(self, port: str, component: int = 0) -> str:
        return "gives flow" if self.independent else "gives effort"

    def states(self, sizes: dict[str, int]) -> dict[str, int]:
        return {"p": int(self.columns if self.independent else self.rows)}

    def law(self, at: LawWriter) -> None:
        B, J = self.carried_over(at), matrix(self.inertia, int(self.rows))
        at.stored(0.5 * ca.dot(B @ at.f(), J @ B @ at.f()))
        if not self.independent:
            at.zero(at.e() - B.T @ at.derivative(J @ B @ at.f(), "p"))
            return
        p = at.state("p")
        v = ca.solve(B.T @ J @ B, p)
        at.zero(at.f() - v)
        at.rate("p", at.e() + at.derivative(B).T @ J @ B @ v)


@component
class VirtualStorage(VirtualInertia):
    """The part of a virtual inertia that stores: e = J' df/dt + ½ dJ'/dt f with J' = BᵀJB, energy ½ fᵀJ'f.

    The power of the changing inertia, ½ fᵀ dJ'/dt f, is the symmetric part of the gyristor BᵀJḂ; beside it stands the
    skew part, a `ModulatedGyristor`. Parameters as those of `VirtualInertia`; its momentum is p = J'f.
    """

    code: ClassVar[str] = "I~s"

    def states(self, sizes: dict[str, int]) -> dict[str, int]:
        return {"p": int(self.columns)}

    def law(self, at: LawWriter) -> None:
        B = self.carried_over(at)
        inertia = B.T @ matrix(self.inertia, int(self.rows)) @ B
        rate = at.derivative(inertia)
        at.stored(0.5 * ca.dot(at.f(), inertia @ at.f()))
        if not self.independent:
            at.zero(at.e() - at.derivative(inertia @ at.f(), "p") + 0.5 * rate @ at.f())
            return
        v = ca.solve(inertia, at.state("p"))
        at.zero(at.f() - v)
        at.rate("p", at.e() + 0.5 * rate @ v)


@component
class ModulatedGyristor(Carried):
    """The part of a virtual inertia that only turns power: e = ½ (BᵀJḂ - ḂᵀJB) f, the skew part of the gyristor BᵀJḂ.

    inertia: J of the far side; B: rows × columns. It stores and loses nothing.
    """

    code: ClassVar[str] = "MGR"
    causality: ClassVar[str] = "gives effort"

    def law(self, at: LawWriter) -> None:
        B = self.carried_over(at)
        gyristor = B.T @ matrix(self.inertia, int(self.rows)) @ at.derivative(B)
        at.zero(at.e() - 0.5 * (gyristor - gyristor.T) @ at.f())


@component
class TransformedGyrator(Carried):
    """An Euler gyrator carried over a transformer: e = Bᵀ (ω × J ω) with ω = B f. It stores and loses nothing.

    inertia: J of the body behind, three moments or a matrix  [kg.m²]; B: 3 × columns.
    """

    rows: int = parameter(default=3, structural=True, sign="count")

    code: ClassVar[str] = "EJS~"
    causality: ClassVar[str] = "gives effort"

    def law(self, at: LawWriter) -> None:
        B = self.carried_over(at)
        w = B @ at.f()
        at.zero(at.e() - B.T @ ca.cross(w, matrix(self.inertia, 3) @ w))


@component
class TransportGyrator(Carried):
    """What a mass feels in a frame that turns: e = m W f, W = ½ (BᵀḂ − ḂᵀB), which is ω × m v. Nothing is lost.

    inertia: m, one number  [kg]; B: the rotation from the moving frame.
    """

    code: ClassVar[str] = "mW"
    causality: ClassVar[str] = "gives effort"

    def law(self, at: LawWriter) -> None:
        B = self.carried_over(at)
        turn = B.T @ at.derivative(B)
        at.zero(at.e() - matrix(self.inertia, 1)[0] * 0.5 * (turn - turn.T) @ at.f())


@component
class BreakVariable(Constraint):
    """Opens a causal cycle: its effort is the unknown that keeps its flow at zero (Boudon et al.: an MSe)."""

    code: ClassVar[str] = "MSe"
    causality: ClassVar[str] = "gives effort"


@component
class MatrixProduct(SignalElement):
    """product = first · second, each a matrix as a signal, row after row: rows × inner times inner × columns.

    first_transposed, second_transposed: the signal holds the entries of the transpose.
    """

    rows: int = parameter(default=1, structural=True, sign="count")
    inner: int = parameter(default=1, structural=True, sign="count")
    columns: int = parameter(default=1, structural=True, sign="count")
    first_transposed: bool = parameter(default=False, structural=True, shape="flag")
    second_transposed: bool = parameter(default=False, structural=True, shape="flag")

    code: ClassVar[str] = "A B"

    def ports(self) -> tuple[Port, ...]:
        rows, inner, columns = int(self.rows), int(self.inner), int(self.columns)
        inputs = (SignalPort("first", rows * inner), SignalPort("second", inner * columns))
        return (*inputs, SignalPort("product", rows * columns, "out"))

    def law(self, at: LawWriter) -> None:
        rows, inner, columns = int(self.rows), int(self.inner), int(self.columns)
        first = as_matrix(at.signal("first"), rows, inner, self.first_transposed)
        second = as_matrix(at.signal("second"), inner, columns, self.second_transposed)
        at.give("product", flat(first @ second))


@component
class MatrixInverse(SignalElement):
    """inverse = input⁻¹, both square matrices as signals, row after row; the input must stay regular."""

    order: int = parameter(default=1, structural=True, sign="count")

    code: ClassVar[str] = "A^-1"

    def ports(self) -> tuple[Port, ...]:
        entries = int(self.order) ** 2
        return (SignalPort("input", entries), SignalPort("inverse", entries, "out"))

    def law(self, at: LawWriter) -> None:
        order = int(self.order)
        at.give("inverse", flat(ca.inv(as_matrix(at.signal("input"), order, order))))


@component
class Beside(SignalElement):
    """whole = [1 B]: a unit matrix beside a matrix of rows × columns, as signals, row after row."""

    rows: int = parameter(default=1, structural=True, sign="count")
    columns: int = parameter(default=1, structural=True, sign="count")
    transposed: bool = parameter(default=False, structural=True, shape="flag")

    code: ClassVar[str] = "1 B"

    def ports(self) -> tuple[Port, ...]:
        rows, columns = int(self.rows), int(self.columns)
        return (SignalPort("input", rows * columns), SignalPort("whole", rows * (rows + columns), "out"))

    def law(self, at: LawWriter) -> None:
        rows, columns = int(self.rows), int(self.columns)
        B = as_matrix(at.signal("input"), rows, columns, self.transposed)
        at.give("whole", flat(ca.horzcat(SX.eye(rows), B)))


@component
class Dependence(SignalElement):
    """All velocities from the independent ones: M = [1; T] with G M = 0, for conditions G q̇ = 0 (Boudon, eq. 10).

    G: rows × columns as the signal `input`, row after row. kept: rows of G that are used; dependent: columns whose
    velocities follow from the others, as many; M has a row for each column of G, a column for each independent one.
    """

    rows: int = parameter(default=1, structural=True, sign="count")
    columns: int = parameter(default=2, structural=True, sign="count")
    kept: Number = parameter(default=(0,), structural=True, shape=None)
    dependent: Number = parameter(default=(1,), structural=True, shape=None)

    code: ClassVar[str] = "M_b"

    def independent(self) -> list[int]:
        """The columns of independent velocities."""
        return [k for k in range(int(self.columns)) if k not in self._indices(self.dependent)]

    @staticmethod
    def _indices(given: Any) -> list[int]:
        return [int(k) for k in np.ravel(given)]

    def ports(self) -> tuple[Port, ...]:
        rows, columns = int(self.rows), int(self.columns)
        return (SignalPort("input", rows * columns), SignalPort("M", columns * len(self.independent()), "out"))

    def law(self, at: LawWriter) -> None:
        rows, columns = int(self.rows), int(self.columns)
        G = as_matrix(at.signal("input"), rows, columns)[self._indices(self.kept), :]
        free, bound = self.independent(), self._indices(self.dependent)
        M = SX(columns, len(free))
        M[free, :] = SX.eye(len(free))
        M[bound, :] = -ca.solve(G[:, bound], G[:, free])
        at.give("M", flat(M))


ALL = (
    *(VirtualInertia, VirtualStorage, ModulatedGyristor, TransformedGyrator, TransportGyrator, BreakVariable),
    *(MatrixProduct, MatrixInverse, Beside, Dependence),
)
