"""What one evaluation of the right-hand side costs, counted in operations."""

from __future__ import annotations

from dataclasses import dataclass

import casadi as ca

from multibond.border import public
from multibond.equations.dae import backward_function, forward_function
from multibond.expr import Function
from multibond.lower.system import System, model_function, right_hand_side

FREE = {ca.OP_INPUT, ca.OP_OUTPUT, ca.OP_CONST, ca.OP_ASSIGN}
PLAIN = {ca.OP_ADD, ca.OP_SUB, ca.OP_MUL, ca.OP_DIV, ca.OP_NEG, ca.OP_SQ, ca.OP_TWICE, ca.OP_INV}


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
    if r.factors is not None:
        form = "one straight line"
        if r.implicit:
            steps = sum(_count(model_function(r, ca.cse(r.newton_step))))
            form += f", and {steps} operations for each step of Newton's method"
        return Cost(*_count(model_function(r, right_hand_side(r))), form)
    kinds = [_sum(_count(forward_function(kind)), _count(backward_function(kind))) for kind in dae.classes]
    arithmetic, functions = 0, 0
    for row in dae.rows:
        arithmetic, functions = _sum((arithmetic, functions), kinds[row.kind])
    return Cost(
        arithmetic, functions, f"loops over {len(dae.rows)} cells of {len(dae.classes)} classes (solving not counted)"
    )


def _sum(a: tuple[int, int], b: tuple[int, int]) -> tuple[int, int]:
    return a[0] + b[0], a[1] + b[1]


def _count(function: Function) -> tuple[int, int]:
    operations = [function.instruction_id(k) for k in range(function.n_instructions())]
    worked = [operation for operation in operations if operation not in FREE]
    plain = sum(operation in PLAIN for operation in worked)
    return plain, len(worked) - plain
