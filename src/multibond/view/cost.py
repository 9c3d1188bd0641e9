"""What one evaluation of the right-hand side costs, counted in operations."""

from __future__ import annotations

from dataclasses import dataclass

from multibond.border import public
from multibond.equations.dae import backward_function, forward_function
from multibond.expr import cse
from multibond.lower.operations import operations
from multibond.lower.system import System, model_function, right_hand_side


@public
@dataclass(frozen=True)
class Cost:
    """Operations: arithmetic ones, and functions such as sin or sqrt. form: one straight line, or loops over cells."""

    arithmetic: int
    functions: int
    form: str

    def __str__(self) -> str:
        return f"{self.arithmetic} arithmetic operations, {self.functions} functions, as {self.form}"


def cost_of(system: System) -> Cost:
    """Count the operations of the derivative of all states."""
    r, dae = system.reduced, system.dae
    if r.solver is not None:
        form = "one straight line"
        if r.implicit:
            steps = sum(operations(model_function(r, cse(r.newton_step))))
            form += f", and {steps} operations for each step of Newton's method"
        return Cost(*operations(model_function(r, right_hand_side(r))), form)
    kinds = [_sum(operations(forward_function(kind)), operations(backward_function(kind))) for kind in dae.classes]
    arithmetic, functions = 0, 0
    for row in dae.rows:
        arithmetic, functions = _sum((arithmetic, functions), kinds[row.kind])
    return Cost(
        arithmetic, functions, f"loops over {len(dae.rows)} cells of {len(dae.classes)} classes (solving not counted)"
    )


def _sum(a: tuple[int, int], b: tuple[int, int]) -> tuple[int, int]:
    return a[0] + b[0], a[1] + b[1]
