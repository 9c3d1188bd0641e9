"""What the time alone decides: conditions, whole parts and look-ups of expressions that are straight lines of the time.

When such a condition changes is known before a run begins. The equations of a cell read them at a clock of their own,
offset + rate · t with two run-time numbers: a run holds it (rate 0) somewhere between the instant before and the one
after, so that on the whole way from one to the other, both ends included, everything is smooth; whoever reads a
variable lets it go with the time, a few roundings ahead, and sees at an instant what holds from then on.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from enum import IntEnum
from itertools import pairwise

import casadi as ca
import numpy as np

from multibond.expr import SX, Function, column, nonzeros
from multibond.formula.pieces import data_of, is_derivative, is_lookup

AHEAD = 2.0**-50
"""Instants that are nearer to one another than this part of the time, four to eight roundings of it, are one."""
FREE = (0.0, 1.0 + AHEAD)
"""Offset and rate of a clock that goes with the time."""

COMPARED = (ca.OP_LT, ca.OP_LE, ca.OP_EQ, ca.OP_NE)
ZERO = (0.0,)


class Course(IntEnum):
    """How an expression goes with the time between two instants."""

    STILL = 0
    STRAIGHT = 1
    CURVED = 2
    STATE = 3
    """It depends on more than the time."""


@dataclass(frozen=True)
class Timed:
    """Expressions of time and parameters; a condition changes where one passes a level (any whole number if None)."""

    where: SX = field(default_factory=lambda: SX(0, 1))
    levels: tuple[tuple[float, ...] | None, ...] = ()


@dataclass(frozen=True)
class Decided:
    """Expressions whose conditions of the time read the clock, how each goes, and what decides the conditions."""

    expression: SX
    courses: tuple[Course, ...]
    timed: Timed


@dataclass(frozen=True)
class _Value:
    """One scalar on the way: as it is, with the clock in the place of the time, how it goes, whether time moves it."""

    plain: SX
    clocked: SX
    course: Course
    moves: bool


def decided(expression: SX, time: SX, clock: SX, parameters: SX) -> Decided:
    """An expression with its conditions of the time alone read at a clock, of which the offset and rate are given."""
    return _Reading(time, clock, parameters).of(expression)


class _Reading:
    """Goes through the operations of an expression once."""

    def __init__(self, time: SX, clock: SX, parameters: SX) -> None:
        self.time, self.parameters, self.numbers = time, parameters, clock
        self.clock = clock[0] + clock[1] * time
        self.where: list[SX] = []
        self.levels: list[tuple[float, ...] | None] = []

    def of(self, expression: SX) -> Decided:
        own = {part.element_hash() for part in ca.symvar(self.parameters)} if self.parameters.numel() else set[int]()
        inputs = ca.symvar(expression)
        function = Function("f", inputs, [expression])
        starts = [self._start(symbol, own) for symbol in inputs]
        nodes, at = function.instructions_sx(), dict[int, _Value]()
        found, courses = SX(function.sparsity_out(0)), [Course.STILL] * function.nnz_out(0)
        for k in range(function.n_instructions()):
            op, read, written = (
                function.instruction_id(k),
                function.instruction_input(k),
                function.instruction_output(k),
            )
            if op == ca.OP_INPUT:
                at[written[0]] = starts[read[0]]
            elif op == ca.OP_OUTPUT:
                found.nz[written[1]] = at[read[0]].plain
                courses[written[1]] = at[read[0]].course
            elif op == ca.OP_CONST:
                number = SX(function.instruction_constant(k))
                at[written[0]] = _Value(number, number, Course.STILL, moves=False)
            elif op == ca.OP_CALL:
                results = self._call(nodes[k].which_function(), [at[slot] for slot in read])
                at |= {slot: result for slot, result in zip(written, results, strict=True) if slot >= 0}
            else:
                at[written[0]] = self._operation(op, [at[slot] for slot in read])
        timed = Timed(ca.substitute(column(self.where), self.numbers, SX([0, 1])), tuple(self.levels))
        return Decided(found, tuple(courses), timed)

    def _start(self, symbol: SX, own: set[int]) -> _Value:
        if symbol.element_hash() == self.time.element_hash():
            return _Value(symbol, self.clock, Course.STRAIGHT, moves=True)
        still = symbol.element_hash() in own
        return _Value(symbol, symbol, Course.STILL if still else Course.STATE, moves=not still)

    def _operation(self, op: int, values: list[_Value]) -> _Value:
        straight = max(value.course for value in values) == Course.STRAIGHT
        if straight and op in _READ_AT_CLOCK and (op != ca.OP_FMOD or values[1].course == Course.STILL):
            return self._condition(op, values)
        plain, clocked = _apply(op, [v.plain for v in values]), _apply(op, [v.clocked for v in values])
        return _Value(plain, clocked, _course(op, values), any(value.moves for value in values))

    def _condition(self, op: int, values: list[_Value]) -> _Value:
        """An operation with a jump or a kink, decided at the clock."""
        plain, clocked = [v.plain for v in values], [v.clocked for v in values]
        level, whole, at_clock = _READ_AT_CLOCK[op](plain, clocked)
        self.where.append(level)
        self.levels.append(None if whole else ZERO)
        course = Course.STRAIGHT if op in _PASSED_ON else Course.STILL
        return _Value(at_clock, _apply(op, clocked), course, moves=True)

    def _call(self, function: Function, values: list[_Value]) -> list[_Value]:
        """A look-up is constant within a piece; other functions are as they come."""
        course, moves = max(value.course for value in values), any(value.moves for value in values)
        clocked = _called(function, [v.clocked for v in values]) if moves else []
        if is_lookup(function) and not is_derivative(function) and course == Course.STRAIGHT:
            for value, breaks in zip(values, data_of(function).breaks, strict=True):
                self.where.append(value.clocked)
                self.levels.append(tuple(np.asarray(breaks, float).tolist()))
            return [_Value(each, each, Course.STILL, moves=True) for each in clocked]
        plain = _called(function, [v.plain for v in values])
        course = Course.STILL if course == Course.STILL else max(course, Course.CURVED)
        pairs = zip(plain, clocked or plain, strict=True)
        return [_Value(one, other, course, moves) for one, other in pairs]


def _called(function: Function, scalars: list[SX]) -> list[SX]:
    """The results of a call, entry by entry, for the entries of its arguments one after the other."""
    ends = np.cumsum([0, *(function.nnz_in(k) for k in range(function.n_in()))]).tolist()
    given = [SX(function.sparsity_in(k), column(scalars[a:b])) for k, (a, b) in enumerate(pairwise(ends))]
    return ca.vertsplit(column([nonzeros(result) for result in function.call(given)]))


def _apply(op: int, parts: list[SX]) -> SX:
    return SX.binary(op, *parts) if len(parts) == 2 else SX.unary(op, parts[0])


def _course(op: int, values: list[_Value]) -> Course:
    """How the result of a smooth operation goes."""
    courses = [value.course for value in values]
    if Course.STATE in courses:
        return Course.STATE
    if op in (ca.OP_ADD, ca.OP_SUB, ca.OP_NEG, ca.OP_TWICE, ca.OP_ASSIGN):
        return max(courses)
    if (op == ca.OP_MUL and Course.STILL in courses) or (op == ca.OP_DIV and courses[1] == Course.STILL):
        return max(courses)
    if op == ca.OP_IF_ELSE_ZERO and courses[0] == Course.STILL:
        return courses[1]
    return Course.STILL if max(courses) == Course.STILL else Course.CURVED


def _whole_part(quotient: SX) -> SX:
    """The quotient without its fraction."""
    return ca.if_else(quotient < 0, ca.ceil(quotient), ca.floor(quotient))


Parts = list[SX]
Condition = Callable[[Parts, Parts], tuple[SX, bool, SX]]
"""From the arguments as they are and at the clock: what passes a level, whether any whole number is one, the result."""

_PASSED_ON = (ca.OP_FABS, ca.OP_FMIN, ca.OP_FMAX, ca.OP_FMOD)
"""Operations whose result goes as straight as their arguments."""


def _compared(op: int) -> Condition:
    return lambda _, at: (at[0] - at[1], False, SX.binary(op, *at))


def _told(op: int) -> Condition:
    return lambda _, at: (at[0], False, SX.unary(op, at[0]))


def _rounded(op: int) -> Condition:
    return lambda _, at: (at[0], True, SX.unary(op, at[0]))


_READ_AT_CLOCK: dict[int, Condition] = {
    **{op: _compared(op) for op in COMPARED},
    ca.OP_SIGN: _told(ca.OP_SIGN),
    ca.OP_FLOOR: _rounded(ca.OP_FLOOR),
    ca.OP_CEIL: _rounded(ca.OP_CEIL),
    ca.OP_FABS: lambda as_is, at: (at[0], False, ca.sign(at[0]) * as_is[0]),
    ca.OP_FMIN: lambda as_is, at: (at[0] - at[1], False, ca.if_else(at[0] <= at[1], as_is[0], as_is[1])),
    ca.OP_FMAX: lambda as_is, at: (at[0] - at[1], False, ca.if_else(at[0] >= at[1], as_is[0], as_is[1])),
    ca.OP_FMOD: lambda as_is, at: (at[0] / at[1], True, as_is[0] - as_is[1] * _whole_part(at[0] / at[1])),
}
