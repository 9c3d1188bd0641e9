"""Straight lines of the time in exact numbers: where the conditions of a model change next.

A number that a user writes is a double; what it means is taken to be the simplest fraction that rounds to it: 0.1 is
1/10, 0.7e-3 is 7/10000, 0.0033333333333333335 is 1/300. All that follows is exact, so that 0.1 + 0.2 is 0.3 and the
ten-millionth multiple of a period is where it should be.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import NamedTuple

import casadi as ca
import numpy as np

from multibond.equations.timed import Timed
from multibond.expr import SX, Function, cse
from multibond.formula.pieces import Pieces, data_of

WITHIN = Fraction(511, 1024)
"""What a double may stand for: numbers nearer to it than this part of the way to the next one."""


def exact(number: float) -> Fraction:
    """The simplest fraction that rounds to a double."""
    if number == 0.0:
        return Fraction(0)
    if number < 0.0:
        return -exact(-number)
    whole = Fraction(number)
    if whole.denominator == 1:
        return whole
    below = whole - WITHIN * (whole - Fraction(math.nextafter(number, 0.0)))
    above = whole + WITHIN * (Fraction(math.nextafter(number, math.inf)) - whole)
    return _simplest(below, above)


def _simplest(low: Fraction, high: Fraction) -> Fraction:
    """The fraction of least denominator between two positive ones, by their continued fractions (Stern and Brocot)."""
    parts: list[int] = []
    while True:
        floor = low.numerator // low.denominator
        if floor == low or floor + 1 <= high:
            parts.append(floor if floor == low else floor + 1)
            break
        parts.append(floor)
        low, high = 1 / (high - floor), 1 / (low - floor)
    found = Fraction(parts.pop())
    for part in reversed(parts):
        found = part + 1 / found
    return found


class Line(NamedTuple):
    """A value just after an instant, and how fast it goes from there on."""

    value: Fraction
    slope: Fraction

    @property
    def sign(self) -> int:
        """The sign just after the instant."""
        leading = self.value or self.slope
        return (leading > 0) - (leading < 0)

    def less(self, other: Line) -> Line:
        """The difference."""
        return Line(self.value - other.value, self.slope - other.slope)

    def times(self, factor: Fraction | int) -> Line:
        """A multiple."""
        return Line(self.value * factor, self.slope * factor)

    def floor(self) -> int:
        """The whole part just after the instant."""
        whole = math.floor(self.value)
        return whole - 1 if whole == self.value and self.slope < 0 else whole

    def truncated(self) -> int:
        """The value without its fraction, just after the instant."""
        return self.floor() if self.sign >= 0 else -self.times(-1).floor()


def _still(value: Fraction | int) -> Line:
    return Line(Fraction(value), Fraction(0))


Reading = tuple[int, tuple[int, ...], tuple[int, ...], Pieces | None]
"""One operation: which, the places of values that it reads and writes, and the data of a look-up."""


class Conditions:
    """The conditions of a model that are known by time, for given numbers of its parameters; asked as the time goes on.

    Those of each part are asked anew only when one of them has changed.
    """

    def __init__(self, parts: Sequence[Timed], time: SX, p: SX, numbers: np.ndarray) -> None:
        self._parts = [_Part(timed, time, p, numbers) for timed in parts]
        self._next: list[Fraction | None] = [Fraction(-1)] * len(parts)
        self.reads = frozenset[int]().union(*(part.reads for part in self._parts))
        """Which of the numbers count."""

    def after(self, t: Fraction) -> Fraction | None:
        """The first instant later than a time at which a condition changes; None if there is none any more."""
        for k, (part, known) in enumerate(zip(self._parts, self._next, strict=True)):
            if known is not None and known <= t:
                self._next[k] = part.after(t)
        return min((each for each in self._next if each is not None), default=None)


class _Part:
    """Conditions that have to do with one another."""

    def __init__(self, timed: Timed, time: SX, p: SX, numbers: np.ndarray) -> None:
        function = Function("timed", [time, p], [ca.densify(cse(timed.where))])
        nodes, at = function.instructions_sx(), dict[int, int]()
        self._values, self._steps, self._levels = list[Line | None](), list[Reading](), timed.levels
        self._out, self._time, self.reads = dict[int, int](), set[int](), set[int]()
        moving = set[int]()
        for k in range(function.n_instructions()):
            op, read, written = (
                function.instruction_id(k),
                function.instruction_input(k),
                function.instruction_output(k),
            )
            if op == ca.OP_OUTPUT:
                self._out[written[1]] = at[read[0]]
                continue
            places = tuple(range(len(self._values), len(self._values) + len(written)))
            sources = () if op in (ca.OP_INPUT, ca.OP_CONST) else tuple(at[slot] for slot in read)
            self._values += [None] * len(written)
            at |= zip(written, places, strict=True)
            if op == ca.OP_CONST:
                self._values[places[0]] = _still(exact(function.instruction_constant(k)))
            elif op == ca.OP_INPUT and read[0]:
                self._values[places[0]] = _number(float(numbers[read[1]]))
                self.reads.add(read[1])
            elif op == ca.OP_INPUT:
                self._time |= set(places)
                moving |= set(places)
            else:
                data = data_of(nodes[k].which_function()) if op == ca.OP_CALL else None
                step: Reading = (op, sources, places, data)
                if moving.isdisjoint(sources):
                    self._do(step, self._values)
                else:
                    moving |= set(places)
                    self._steps.append(step)

    def after(self, t: Fraction) -> Fraction | None:
        """The first instant later than a time at which one of them changes."""
        values = list(self._values)
        for place in self._time:
            values[place] = Line(t, Fraction(1))
        for step in self._steps:
            self._do(step, values)
        found = [_gap(values[self._out[k]], levels) for k, levels in enumerate(self._levels) if k in self._out]
        ahead = [each for each in found if each is not None]
        return t + min(ahead) if ahead else None

    @staticmethod
    def _do(step: Reading, values: list[Line | None]) -> None:
        op, sources, places, data = step
        if data is not None:
            for place, value in zip(places, _row(data, [values[k] for k in sources]), strict=False):
                values[place] = value
        else:
            values[places[0]] = _operation(op, [values[k] for k in sources])


def _gap(line: Line | None, levels: tuple[float, ...] | None) -> Fraction | None:
    """How long until a line meets its next level."""
    if line is None or not line.slope:
        return None
    up = line.slope > 0
    if levels is None:
        return ((math.floor(line.value) + 1 if up else math.ceil(line.value) - 1) - line.value) / line.slope
    near = int(np.searchsorted(levels, float(line.value)))
    around = [exact(level) - line.value for level in levels[max(near - 1, 0) : near + 2]]
    return min((gap / line.slope for gap in around if gap and (gap > 0) == up), default=None)


def _number(value: float) -> Line | None:
    return _still(exact(value)) if math.isfinite(value) else None


def _row(data: Pieces, places: Sequence[Line | None]) -> list[Line | None]:
    """What a look-up gives just after an instant."""
    width = data.rows.shape[1]
    index = 0
    for breaks, place in zip(data.breaks, places, strict=True):
        if place is None:
            return [None] * width
        near = int(np.searchsorted(breaks, float(place.value)))
        first = max(near - 1, 0)
        passed = sum(place.less(_still(exact(each))).sign >= 0 for each in breaks[first : near + 1].tolist())
        index = index * (breaks.size + 1) + first + passed
    return [_still(exact(each)) for each in data.rows[index].tolist()]


def _operation(op: int, lines: Sequence[Line | None]) -> Line | None:
    """The result of an operation; None where it is no straight line, or no number."""
    known = [line for line in lines if line is not None]
    if len(known) < len(lines):
        return None
    if op in _LINEAR:
        return _LINEAR[op](*known)
    if any(line.slope for line in known):
        return None
    parts = [SX(float(line.value)) for line in known]
    value = float(SX.binary(op, *parts) if len(parts) == 2 else SX.unary(op, parts[0]))
    return _still(exact(value)) if math.isfinite(value) else None


def _product(a: Line, b: Line) -> Line | None:
    if a.slope and b.slope:
        return None
    return Line(a.value * b.value, a.value * b.slope + a.slope * b.value)


def _quotient(a: Line, b: Line) -> Line | None:
    return None if b.slope or not b.value else a.times(1 / b.value)


def _rest(a: Line, b: Line) -> Line | None:
    ratio = _quotient(a, b)
    return None if ratio is None else a.less(b.times(ratio.truncated()))


_LINEAR: dict[int, Callable[..., Line | None]] = {
    ca.OP_ASSIGN: lambda a: a,
    ca.OP_ADD: lambda a, b: Line(a.value + b.value, a.slope + b.slope),
    ca.OP_SUB: Line.less,
    ca.OP_NEG: lambda a: a.times(-1),
    ca.OP_TWICE: lambda a: a.times(2),
    ca.OP_MUL: _product,
    ca.OP_SQ: lambda a: _product(a, a),
    ca.OP_DIV: _quotient,
    ca.OP_INV: lambda a: _quotient(_still(1), a),
    ca.OP_FMOD: _rest,
    ca.OP_FLOOR: lambda a: _still(a.floor()),
    ca.OP_CEIL: lambda a: _still(-a.times(-1).floor()),
    ca.OP_SIGN: lambda a: _still(a.sign),
    ca.OP_FABS: lambda a: a.times(-1) if a.sign < 0 else a,
    ca.OP_FMIN: lambda a, b: a if a.less(b).sign <= 0 else b,
    ca.OP_FMAX: lambda a, b: a if a.less(b).sign >= 0 else b,
    ca.OP_LT: lambda a, b: _still(a.less(b).sign < 0),
    ca.OP_LE: lambda a, b: _still(a.less(b).sign <= 0),
    ca.OP_EQ: lambda a, b: _still(a.less(b).sign == 0),
    ca.OP_NE: lambda a, b: _still(a.less(b).sign != 0),
    ca.OP_NOT: lambda a: _still(a.sign == 0),
    ca.OP_AND: lambda a, b: _still(bool(a.sign and b.sign)),
    ca.OP_OR: lambda a, b: _still(bool(a.sign or b.sign)),
    ca.OP_IF_ELSE_ZERO: lambda a, b: b if a.sign else _still(0),
}
"""What straight lines give under each operation, just after an instant."""
