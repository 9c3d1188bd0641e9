"""Look-up tables of one and two arguments, for numbers, arrays, symbols and formulas.

Between the given points a table is straight (continuous) or, where `smooth`, a natural cubic spline (two continuous
derivatives; it may swing a little beyond the given values). Beyond the first and last point it holds the end value or
extends straight with the end slope.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any, ClassVar, Literal

import numpy as np

from multibond.arguments import Row
from multibond.errors import Finding, FormulaError
from multibond.formula import faults
from multibond.formula.polynomial import Polynomial
from multibond.formula.show import number_text
from multibond.formula.spline import piece_coefficients, sign_changes
from multibond.formula.tree import Formula, formula_of, node

Beyond = Literal["hold", "extend"]

MOST = 200_000
"""Values of one table: more take gigabytes and minutes."""


class _Lookup:
    """What tables of any number of arguments share. Immutable, compared by content."""

    word: ClassVar[str]
    """Its name in formulas."""

    def __init__(self, axes: Sequence[Any], values: Any, smooth: bool, beyond: str) -> None:
        self.axes = tuple(_frozen(axis) for axis in axes)
        self.values = _frozen(values)
        self.smooth, self.beyond = bool(smooth), beyond
        findings = _faults(self.axes, self.values, beyond)
        if findings:
            raise FormulaError(*findings)

    def _content(self) -> tuple[Any, ...]:
        arrays = (*self.axes, self.values)
        return (self.word, self.smooth, self.beyond, *((array.shape, array.tobytes()) for array in arrays))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Lookup) and self._content() == other._content()

    def __hash__(self) -> int:
        return hash(self._content())

    def __repr__(self) -> str:
        sizes = " by ".join(str(axis.size) for axis in self.axes)
        return f"{type(self).__name__}({sizes} points{', smooth' * self.smooth}, beyond={self.beyond!r})"

    def __call__(self, *places: Any) -> Any:
        """The value at a place: a number, an array, a symbol, or a formula for a formula."""
        if len(places) != len(self.axes):
            fact = f"It has {len(self.axes)} arguments and is given {len(places)}."
            raise FormulaError(Finding("a table has a wrong number of arguments.", fact, "Correct the call."))
        if any(isinstance(place, Formula) for place in places):
            return node("table", *map(formula_of, places), data=self)
        return self._polynomial(*places)

    @cached_property
    def _polynomial(self) -> Polynomial:
        values = self.values
        for axis in self.axes:
            found = piece_coefficients(axis, values, self.smooth, self.beyond == "hold")
            values = np.moveaxis(found, (0, 1), (-2, -1))
        return Polynomial(self.axes, values)

    @cached_property
    def knots(self) -> tuple[Polynomial, ...]:
        """For each argument a function that changes sign at its points."""
        return tuple(Polynomial((axis,), sign_changes(axis)) for axis in self.axes)

    def text(self, arguments: str) -> str:
        """The look-up in the grammar of files."""
        lists = ", ".join(_list_text(array.tolist()) for array in (*self.axes, self.values))
        words = ", smooth" * self.smooth + ", extend" * (self.beyond == "extend")
        return f"{self.word}({arguments}, {lists}{words})"

    @classmethod
    def read(cls, *values: Any) -> Formula:
        """The look-up that a call in a formula's text means: arguments, lists of numbers, then the words."""
        words = [v.data for v in values if isinstance(v, Formula) and v.kind == "variable" and v.data in _WORDS]
        rest = [v for v in values if not (isinstance(v, Formula) and v.kind == "variable" and v.data in _WORDS)]
        count = len(rest) // 2
        if len(rest) != 2 * cls.arity + 1 or count != cls.arity:
            fact = f"It is written {cls.form}, with the words smooth and extend after it where wanted."
            raise FormulaError(Finding(f"a call of {cls.word} cannot be read.", fact, "Correct the call."))
        lists = [_numbers(v, cls.form) for v in rest[count:]]
        table = cls(*lists, smooth="smooth" in words, beyond="extend" if "extend" in words else "hold")
        return table(*map(formula_of, rest[:count]))

    arity: ClassVar[int]
    form: ClassVar[str]
    """How a call is written."""


class Table(_Lookup):
    """A function of one argument given by points (x, y).

    x: increasing; y: as many. smooth: a natural cubic spline instead of straight lines. beyond: "hold" keeps the end
    values outside, "extend" goes on straight with the end slopes.

    >>> Table([0, 1, 2], [0, 10, 0])(0.5)
    5.0
    >>> Table([0, 1, 2], [0, 10, 0])(mb.t)
    Formula('table(t, [0, 1, 2], [0, 10, 0])')
    """

    word, arity, form = "table", 1, "table(argument, [x, ...], [y, ...])"

    def __init__(self, x: Row, y: Row, smooth: bool = False, beyond: Beyond = "hold") -> None:
        super().__init__((x,), y, smooth, beyond)


class Table2(_Lookup):
    """A function of two arguments given on a grid: z[i][j] at (x[i], y[j]), bilinear or bicubic between the points.

    x, y: increasing; z: a row for each x. smooth: natural cubic splines along both arguments. beyond: as for `Table`,
    for each argument by itself.

    >>> Table2([0, 1], [0, 2], [[0, 2], [1, 3]])(0.5, 1.0)
    1.5
    """

    word, arity, form = "table2", 2, "table2(first, second, [x, ...], [y, ...], [[z, ...], ...])"

    def __init__(self, x: Row, y: Row, z: Row, smooth: bool = False, beyond: Beyond = "hold") -> None:
        super().__init__((x, y), z, smooth, beyond)


TABLES: dict[str, type[_Lookup]] = {kind.word: kind for kind in (Table, Table2)}
_WORDS = ("smooth", "extend")


def _frozen(value: Any) -> np.ndarray:
    try:
        array = np.array(value, float)
    except (TypeError, ValueError):
        fact = "Points are given as lists of numbers, rows of equal length for two arguments."
        raise FormulaError(Finding("a table holds something that is no number.", fact, "Correct the lists.")) from None
    array.flags.writeable = False
    return array


def _faults(axes: tuple[np.ndarray, ...], values: np.ndarray, beyond: str) -> list[Finding]:
    findings: list[Finding] = []
    for name, axis in zip("xy", axes, strict=False):
        findings += _axis_faults(name, axis)
    sizes = tuple(axis.size for axis in axes)
    if values.shape != sizes:
        given, wanted = (" by ".join(map(str, shape)) or "one number" for shape in (values.shape, sizes))
        fact = f"The points ask for {wanted} values and {given} are given."
        findings.append(Finding("a table has a wrong number of values.", fact, "Give one value for each point."))
    if values.size > MOST:
        fact = f"It has {values.size} values; a table may have {MOST}, as each becomes part of the compiled equations."
        findings.append(Finding("a table is too large.", fact, "Leave out points where it is nearly straight."))
    if not np.isfinite(values).all():
        fact = "One of them is infinite or no number."
        findings.append(Finding("a table has values that are not finite.", fact, "Correct the values."))
    if beyond not in ("hold", "extend"):
        fact = f"It says beyond={beyond!r}."
        findings.append(Finding("a table does not say what it does beyond its ends.", fact, "Say 'hold' or 'extend'."))
    return findings


def _axis_faults(name: str, axis: np.ndarray) -> list[Finding]:
    if axis.ndim != 1 or axis.size < 2:
        return [Finding(f"a table needs at least two points in {name}.", f"It has {axis.size}.", "Give more points.")]
    bad = np.flatnonzero(~(np.diff(axis) > 0) | ~np.isfinite(np.diff(axis)))
    if not bad.size:
        return []
    k = int(bad[0])
    fact = f"{name}[{k}] = {number_text(float(axis[k]))} is followed by {number_text(float(axis[k + 1]))}."
    return [Finding(f"the points of a table do not increase in {name}.", fact, "Sort them, and remove doubles.")]


def _numbers(value: Any, form: str) -> Any:
    """A list of numbers as the parser hands it over; constants such as pi are allowed."""
    if isinstance(value, tuple):
        return value
    found = formula_of(value)
    if found.kind != "vector" or found.variables:
        fact = f"It is written {form}, and {faults.shown(str(found))} is no list of numbers."
        raise FormulaError(Finding("a table cannot be read.", fact, "Give lists of numbers."))
    return found.evaluate({})


def _list_text(numbers: Any) -> str:
    if isinstance(numbers, list):
        return f"[{', '.join(map(_list_text, numbers))}]"
    return number_text(numbers)
