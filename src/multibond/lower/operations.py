"""Operations of a function, counted: arithmetic ones, and functions such as sin or sqrt."""

from __future__ import annotations

import casadi as ca

from multibond.expr import Function

FREE = {ca.OP_INPUT, ca.OP_OUTPUT, ca.OP_CONST, ca.OP_ASSIGN}
PLAIN = {ca.OP_ADD, ca.OP_SUB, ca.OP_MUL, ca.OP_DIV, ca.OP_NEG, ca.OP_SQ, ca.OP_TWICE, ca.OP_INV}


def operations(function: Function) -> tuple[int, int]:
    """Arithmetic operations, and functions."""
    found = [function.instruction_id(k) for k in range(function.n_instructions())]
    worked = [operation for operation in found if operation not in FREE]
    plain = sum(operation in PLAIN for operation in worked)
    return plain, len(worked) - plain
