"""Angles in turn: an angle that goes round and round is a small number beside a whole number of turns.

A state q that sines and cosines read stands for the total angle q + 2π n; n lies behind the parameters and changes
between the steps of a run. Sine and cosine see q alone, as long as n comes into them with a whole factor; whatever
else reads the angle (springs, stops, gears, sensors) sees the total. From a path that is compared with an angle the
turns of that angle are taken first, so that a difference of two large angles loses no digits.

One pass over the instructions of a class: each value is carried with the turns that are left out of it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import casadi as ca

from multibond.equations.cellclass import Angle, CellClass
from multibond.expr import SX, Function, column
from multibond.rotation import TURN

WHOLE = 1e-12
"""A factor this near to a whole number is one."""
TRIGONOMETRY = (ca.OP_SIN, ca.OP_COS, ca.OP_TAN)
SUMS = (ca.OP_ADD, ca.OP_SUB)

CONSTANT, TIMED, FREE = range(3)
"""What a value depends on: on numbers and parameters only, on the time too, on anything else."""


@dataclass(frozen=True)
class Symbols:
    """The symbols of a class: angles with the turns left out of them, row by row; parameters; the time."""

    angles: SX
    turns: SX
    parameters: SX
    time: SX


@dataclass(frozen=True)
class _Part:
    """A value, what it depends on, and by whole number of turns the factor with which it is left out."""

    value: SX
    kind: int = FREE
    left_out: Mapping[int, SX] = field(default_factory=dict)


def in_turn(outputs: Sequence[SX], symbols: Symbols) -> tuple[list[SX], tuple[int, ...]]:
    """Expressions of total angles as expressions of angles in turn, and which angles sines and cosines read."""
    stacked = column([SX(output.nz[:]) for output in outputs])
    inputs = ca.symvar(stacked)
    function = Function("f", inputs, [stacked])
    walk = _Pass(symbols)
    values = iter(walk.run(function, inputs))
    found = []
    for output in outputs:
        fresh = SX(output.sparsity())
        for k in range(output.nnz()):
            fresh.nz[k] = next(values)
        found.append(fresh)
    return found, tuple(sorted(walk.read))


def with_angles_in_turn(kind: CellClass, angles: Sequence[Angle]) -> CellClass:
    """A class of total angles as one of angles in turn, whose turns stand behind its parameters."""
    if not angles:
        return kind
    turns = SX.sym("turns", len(angles))
    symbols = Symbols(kind.x[[angle.place for angle in angles]], turns, kind.p, kind.time)
    plain = _expressions(kind)
    fresh, read = in_turn(plain, symbols)
    told = tuple(replace(angle, turns=k in read) for k, angle in enumerate(angles))
    return replace(_with_expressions(kind, iter(fresh)), p=column([kind.p, turns]), angles=told)


SINGLE = ("xdot", "residual", "held_flow", "gap", "imposed_gap")
SEVERAL = ("pose_out", "flow_out", "rate_out", "effort_out")
NAMED = ("values", "energy")
AT_INSTANTS = ("switch_when", "edge_where", "update_to", "stored")


def _expressions(kind: CellClass) -> list[SX]:
    """All expressions of a class."""
    found = [getattr(kind, name) for name in SINGLE]
    found += [value for name in SEVERAL for value in getattr(kind, name)]
    found += [value for name in NAMED for value in getattr(kind, name).values()]
    return found + [getattr(kind.jumps, name) for name in AT_INSTANTS]


def _with_expressions(kind: CellClass, fresh: Iterator[SX]) -> CellClass:
    """The class with other expressions, in the same order."""
    new: dict[str, Any] = {name: next(fresh) for name in SINGLE}
    new |= {name: tuple(next(fresh) for _ in getattr(kind, name)) for name in SEVERAL}
    new |= {name: {key: next(fresh) for key in getattr(kind, name)} for name in NAMED}
    jumps = replace(kind.jumps, **{name: next(fresh) for name in AT_INSTANTS})
    return replace(kind, **new, jumps=jumps)


class _Pass:
    """The pass over one function."""

    def __init__(self, symbols: Symbols) -> None:
        self._angle = {symbols.angles[k].element_hash(): k for k in range(symbols.angles.numel())}
        self._constant = {s.element_hash() for s in ca.symvar(symbols.parameters)}
        self._time = symbols.time.element_hash()
        self._turns = [symbols.turns[k] for k in range(symbols.turns.numel())]
        self.read: set[int] = set()

    def run(self, function: Function, inputs: Sequence[SX]) -> list[SX]:
        """The entries of the function's one result."""
        at = dict[int, _Part]()
        nodes = function.instructions_sx() if function.find_functions() else []
        found = [SX(0)] * function.nnz_out(0)
        for k in range(function.n_instructions()):
            op, read, written = (
                function.instruction_id(k),
                function.instruction_input(k),
                function.instruction_output(k),
            )
            if op == ca.OP_OUTPUT:
                found[written[1]] = self._total(at[read[0]])
            elif op == ca.OP_INPUT:
                at[written[0]] = self._input(inputs[read[0]])
            elif op == ca.OP_CONST:
                at[written[0]] = _Part(SX(function.instruction_constant(k)), CONSTANT)
            elif op == ca.OP_CALL:
                results = _called(nodes[k].which_function(), [self._total(at[slot]) for slot in read])
                at |= {slot: _Part(results[j]) for j, slot in enumerate(written) if slot >= 0}
            else:
                at[written[0]] = self._operation(op, [at[slot] for slot in read])
        return found

    def _input(self, symbol: SX) -> _Part:
        key = symbol.element_hash()
        if key in self._angle:
            return _Part(symbol, FREE, {self._angle[key]: SX(1)})
        return _Part(symbol, CONSTANT if key in self._constant else TIMED if key == self._time else FREE)

    def _operation(self, op: int, given: list[_Part]) -> _Part:
        kind = max(part.kind for part in given)
        if any(part.left_out for part in given):
            if op in SUMS:
                return self._sum(op, *given)
            if (scale := _scale(op, given)) is not None:
                value = _apply(op, [part.value for part in given])
                left_out = next(part.left_out for part in given if part.left_out)
                return _Part(value, kind, {n: _snapped(scale(factor)) for n, factor in left_out.items()})
            if op in TRIGONOMETRY and all(map(_is_whole, given[0].left_out.values())):
                self._note(given[0])
                return _Part(_apply(op, [given[0].value]), kind)
            if op == ca.OP_FLOOR and all(_is_whole(TURN * factor) for factor in given[0].left_out.values()):
                self._note(given[0])
                return _Part(_apply(op, [given[0].value]), kind, given[0].left_out)
        return _Part(_apply(op, [self._total(part) for part in given]), kind)

    def _note(self, part: _Part) -> None:
        self.read |= set(part.left_out)

    def _sum(self, op: int, a: _Part, b: _Part) -> _Part:
        """A sum or a difference. What follows from the time alone is added to the turns, which it nearly cancels."""
        kind = max(a.kind, b.kind)
        for angle, path in ((a, b), (b, a)):
            if angle.left_out and path.kind == TIMED and not path.left_out:
                turns = self._turns_of(angle)
                path = replace(path, value=path.value - turns if op == ca.OP_SUB else path.value + turns)
                given = (angle, path) if angle is a else (path, angle)
                return _Part(_apply(op, [part.value for part in given]), kind)
        left_out = dict(a.left_out)
        for n, factor in b.left_out.items():
            before = left_out.get(n, SX(0))
            left_out[n] = _snapped(before - factor if op == ca.OP_SUB else before + factor)
        kept = {n: factor for n, factor in left_out.items() if not factor.is_zero()}
        return _Part(_apply(op, [a.value, b.value]), kind, kept)

    def _total(self, part: _Part) -> SX:
        """A value with its turns; small numbers are added up first."""
        return part.value + self._turns_of(part) if part.left_out else part.value

    def _turns_of(self, part: _Part) -> SX:
        """The turns that are left out of a value, as an angle."""
        turns = [factor * self._turns[n] for n, factor in part.left_out.items()]
        return TURN * sum(turns[1:], turns[0])


def _scale(op: int, given: Sequence[_Part]) -> Callable[[SX], SX] | None:
    """What an operation does to the turns that are left out, where it multiplies them by something constant."""
    if op == ca.OP_NEG:
        return lambda factor: -factor
    if op == ca.OP_TWICE:
        return lambda factor: 2 * factor
    if op == ca.OP_MUL:
        other = next((part for part in given if part.kind == CONSTANT), None)
        return None if other is None else lambda factor: factor * other.value
    if op == ca.OP_DIV and given[1].kind == CONSTANT:
        return lambda factor: factor / given[1].value
    return None


def _snapped(factor: SX) -> SX:
    """A factor that misses a whole number by rounding, as that number."""
    return SX(round(float(factor))) if _is_whole(factor) else factor


def _is_whole(factor: SX) -> bool:
    return factor.is_constant() and abs(float(factor) - round(float(factor))) < WHOLE


def _apply(op: int, values: Sequence[SX]) -> SX:
    return SX.binary(op, *values) if len(values) == 2 else SX.unary(op, values[0])


def _called(function: Function, entries: Sequence[SX]) -> list[SX]:
    """The entries of all results of a function of numbers of any shape."""
    rest, given = list(entries), []
    for k in range(function.n_in()):
        sparsity = function.sparsity_in(k)
        argument = SX(sparsity)
        for j in range(sparsity.nnz()):
            argument.nz[j] = rest.pop(0)
        given.append(argument)
    return [SX(result.nz[j]) for result in function.call(given) for j in range(result.nnz())]
