"""Operations of a function, counted: arithmetic ones, and functions such as sin or sqrt."""

from __future__ import annotations

import casadi as ca

from multibond.equations.pivoted import kind_of
from multibond.expr import Function
from multibond.lower.lookup import called

FREE = {ca.OP_INPUT, ca.OP_OUTPUT, ca.OP_CONST, ca.OP_ASSIGN}
PLAIN = {ca.OP_ADD, ca.OP_SUB, ca.OP_MUL, ca.OP_DIV, ca.OP_NEG, ca.OP_SQ, ca.OP_TWICE, ca.OP_INV}


def operations(function: Function) -> tuple[int, int]:
    """Arithmetic operations, and functions."""
    found = [function.instruction_id(k) for k in range(function.n_instructions())]
    worked = [operation for operation in found if operation not in FREE and operation != ca.OP_CALL]
    plain = sum(operation in PLAIN for operation in worked)
    calls = called(function).values() if ca.OP_CALL in found else ()
    kinds = [kind_of(each) for each in calls]
    return plain + sum(_solving(*kind) for kind in kinds if kind), len(worked) - plain + kinds.count(None)


def _solving(kind: str, size: int, rank: int) -> int:
    """Operations of a solution with pivots chosen at every evaluation."""
    count = 0
    for k in range(rank):
        left = size - k - 1
        count += 1 + (left * (left + 1) if kind == "sym" else 2 * left * left) + 3 * left + 2 * (rank - 1 - k) + 1
    return count
