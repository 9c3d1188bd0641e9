"""What robotics people ask of a system, as expressions of time, states and parameters: the unknowns filled in."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import casadi as ca

from multibond.equations.mechanism import Mechanism
from multibond.equations.reduce import Reduced
from multibond.expr import SX, column, cse, flat


@dataclass(frozen=True)
class Motion:
    """The expressions of a mechanism whose unknowns are formulas of its states; matrices row after row."""

    mechanism: Mechanism

    @property
    def r(self) -> Reduced:
        """The equations."""
        return self.mechanism.r

    @property
    def serves(self) -> bool:
        """Whether the unknowns are such formulas: neither iterated nor found by sweeps over a long tree."""
        return self.r.solver is not None and not self.r.implicit

    @property
    def is_tree(self) -> bool:
        """Whether M and h are formulas too: no loops, and no other unknowns to be solved for."""
        return self.serves and not self.mechanism.forces and not self.mechanism.others

    @cached_property
    def unknowns(self) -> SX:
        """All unknowns; with forces among them they are solved twice, for digits."""
        r = self.r
        y = ca.densify(r.y)
        return y + ca.substitute(r.newton_step, r.whole.y, y) if self.mechanism.forces else y

    def filled(self, expression: SX) -> SX:
        """An expression with the unknowns in their places."""
        y = self.r.whole.y
        return cse(ca.densify(ca.substitute(expression, y, ca.densify(self.unknowns)) if y.numel() else expression))

    @cached_property
    def mass(self) -> SX:
        """M in the speeds of the tree."""
        rates = self.mechanism.rates
        M = ca.jacobian(self.mechanism.balances[rates], self.r.whole.y[rates])
        return cse(flat(ca.densify(0.5 * (M + M.T))))

    def efforts(self, rates: SX) -> SX:
        """What the drives of the tree's motions must give for their rates; h where these are zero."""
        y = SX.zeros(self.r.whole.y.numel())
        y[self.mechanism.rates] = rates
        return cse(ca.densify(ca.substitute(self.mechanism.balances[self.mechanism.rates], self.r.whole.y, y)))

    def total(self, expression: SX, of: SX) -> SX:
        """The derivative of an expression through the unknowns: dy = -R_y⁻¹ R_of, with the factors of R_y."""
        direct, keep, w = ca.jacobian(expression, of), list(self.r.kept), self.r.whole
        if not keep or not of.numel() or not ca.depends_on(expression, w.y[keep]):
            return direct
        assert self.r.solver is not None
        slopes = ca.horzsplit(ca.jacobian(self.r.residual[keep], of))
        inner = [self.r.solver.solve(-ca.densify(each)) for each in slopes]
        return direct + ca.jacobian(expression, w.y[keep]) @ ca.horzcat(*inner)

    def linear(self, wanted: SX, inputs: Sequence[int]) -> SX:
        """Rates and wanted variables, then their slopes by states, then by inputs among the parameters."""
        w = self.r.whole
        both = column([w.xdot, wanted])
        slopes = [flat(self.total(both, of)) for of in (w.x, w.p[list(inputs)] if inputs else SX(0, 1))]
        return self.filled(column([both, *slopes]))
