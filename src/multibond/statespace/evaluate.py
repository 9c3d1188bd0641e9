"""Everything at one state: the symbols of a structure as numbers, and what the formulae make of them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import casadi as ca
import numpy as np

from multibond.errors import Finding, StructureError
from multibond.expr import SX, Function, column
from multibond.statespace.formulae import Array, Conditions, Numbers, Rates, Transfer, conditions, transfer
from multibond.statespace.structure import Structure

FIELDS = ("i", "L", "u1", "u2", "E", "read")


@dataclass(frozen=True)
class Moment:
    """A state with its matrices and constraint efforts."""

    X: Array
    numbers: Numbers
    transfer: Transfer
    conditions: Conditions
    U2: Array

    def inputs(self, field: str) -> Array:
        """What the ports of a field receive."""
        return self.transfer.inputs(self.numbers.rows[field], self.X, self.numbers.U1, self.U2)


@dataclass(frozen=True)
class Evaluator:
    """A structure as functions of (t, X, q, p)."""

    structure: Structure

    def numbers(self, t: float, X: Array, q: Array, p: Array) -> Numbers:
        """Fields and junction structure at a state."""
        J, F, R, R_E, U1 = (np.asarray(part) for part in self._matrices(t, X, q, p))
        return Numbers(J, F, R, R_E, U1.ravel(), {name: self.structure.index(name) for name in FIELDS})

    def rates(self, t: float, X: Array, q: Array, p: Array, readings: Array) -> Array:
        """dq/dt for what the readers read."""
        return np.asarray(self._rates(t, X, q, p, readings)).ravel()

    def gaps(self, t: float, X: Array, q: Array, p: Array) -> Array:
        """Displacements that constraints should keep at zero; zero where a constraint only holds a flow."""
        return np.asarray(self._gaps(t, X, q, p)).ravel()

    def moment(self, t: float, X: Array, q: Array, p: Array, rank: int) -> Moment:
        """All at a state; rank: of T_LE."""
        n = self.numbers(t, X, q, p)
        w = transfer(n)
        idle = np.zeros(n.rows["u2"].size)
        speed = self.rates(t, X, q, p, w.inputs(n.rows["read"], X, n.U1, idle))
        J_C, U1 = (np.asarray(part) for part in self._moving(t, X, q, p, speed))
        held = conditions(n, w, X, Rates(J_C.reshape(idle.size, n.J.shape[1]), U1.ravel()), rank)
        try:
            return Moment(X, n, w, held, -np.linalg.solve(held.K, held.k))
        except np.linalg.LinAlgError:
            raise StructureError(_singular()) from None

    @cached_property
    def _matrices(self) -> Function:
        s = self.structure
        parts = [ca.densify(part) for part in (s.J, s.F, s.R, s.R_E, s.U1)]
        return Function("matrices", s.ground.arguments, parts, {"cse": True})

    @cached_property
    def _rates(self) -> Function:
        s = self.structure
        return Function("rates", [*s.ground.arguments, s.ground.readings], [ca.densify(s.rates)])

    @cached_property
    def _gaps(self) -> Function:
        ground = self.structure.ground
        held = [ground.speech.put(SX(gap)) for m in ground.of("u2") for _, gap in sorted(m.law.writer.held.items())]
        return Function("gaps", ground.arguments, [ca.densify(column(held))])

    @cached_property
    def _moving(self) -> Function:
        """(t, X, q, p, dq/dt) → rates of the constraint rows of J and of the known sources."""
        s, ground = self.structure, self.structure.ground
        speed = SX.sym("speed", ground.q.numel())
        J_C = s.J[s.index("u2").tolist(), :]
        parts = [ca.reshape(_along(s, ca.vec(J_C), speed), *J_C.shape), _along(s, s.U1, speed)]
        return Function("moving", [*ground.arguments, speed], [ca.densify(part) for part in parts], {"cse": True})


def _along(structure: Structure, value: SX, speed: SX) -> SX:
    """The time derivative of an expression of q and t, for a given dq/dt."""
    ground = structure.ground
    moved = ca.jtimes(value, ground.q, speed) if ground.q.numel() else SX.zeros(*value.shape)
    return moved + ca.jacobian(value, ground.speech.time)


def _singular() -> Finding:
    return Finding(
        "the constraint efforts have no value in this state.",
        "The matrix of their equations is singular here: a position in line, or a state that breaks the constraints.",
        "Use another state, or compile(), which passes through such positions.",
    )
