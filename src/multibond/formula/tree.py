"""`Formula`: an immutable expression of named variables, written with Python's operators.

A formula knows its structure, so it can be printed, saved, drawn and differentiated, which a Python function cannot.
Nothing here walks by recursion: `fold` visits a formula of any depth in a loop.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

import numpy as np

from multibond.errors import FormulaError
from multibond.formula import faults
from multibond.formula.operations import FUNCTIONS

Result = TypeVar("Result")

DEEPEST = 100
"""Levels of nesting a formula may have; a long sum or product is one level."""

LARGEST = 10_000
"""Numbers, names and operators a formula may have."""

HIGHEST = 1000.0
"""The largest constant exponent."""

CHAINS = (("+", "-"), ("*", "/", "%"), ("and",), ("or",))
"""Operators that stand in a row without parentheses."""


@dataclass(frozen=True)
class Shared:
    """A shared parameter of a model as a formula holds it: its name, and the value that the name stands for now."""

    name: str
    value: float | tuple[float, ...] = field(compare=False)

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True)
class Live:
    """A number of a formula as a symbol: the path of the formula, its place there, the symbol, the value so far."""

    path: str
    place: int
    symbol: Any = field(compare=False)
    value: float = field(compare=False)

    def __str__(self) -> str:
        return f"{self.path}[{self.place}]"


@dataclass(frozen=True, eq=False, repr=False, slots=True)
class Formula:
    """An expression of named variables, compared and hashed by its structure.

    Operators and the functions of `multibond` build it: `325 * mb.sin(2 * mb.pi * 50 * mb.t)`. Comparisons (< <= > >=,
    `equals`, `differs`) and conditions joined by & | ~ are 1 where they hold and 0 elsewhere.
    kind: the operator or function, or "number", "variable", "shared" (a shared parameter), "live" (a number as a
    symbol), "index", "vector", "table"; data: the number, name, `Shared`, `Live`, index or table. shape: () for one
    number, (n,) for a vector of n.

    >>> mb.t ** 2 + 1
    Formula('t**2 + 1')
    """

    kind: str
    arguments: tuple[Formula, ...]
    data: Any
    level: int
    count: int
    shape: tuple[int, ...]

    # -- reading -------------------------------------------------------------------------------------------------------

    @property
    def variables(self) -> frozenset[str]:
        """The names it uses."""
        return frozenset(node.data for node in self.nodes() if node.kind == "variable")

    @property
    def shared(self) -> dict[str, Shared]:
        """The shared parameters that it uses, by name."""
        return {node.data.name: node.data for node in self.nodes() if node.kind == "shared"}

    @property
    def live(self) -> tuple[Live, ...]:
        """Its numbers that are symbols, each once."""
        return tuple(dict.fromkeys(node.data for node in self.nodes() if node.kind == "live"))

    @property
    def components(self) -> int:
        """How many components it speaks of: its own, or up to the highest it picks from a variable; at least 1."""
        picked = [node.data + 1 for node in self.nodes() if node.kind == "index"]
        return max(*self.shape, *picked, 1, 1)

    def evaluate(self, values: Mapping[str, Any]) -> Any:
        """Its value for given numbers, arrays or symbols by name.

        Arrays are taken entry by entry; an index q[k] picks component k along the first axis.

        >>> (mb.t ** 2).evaluate({"t": 3.0})
        9.0
        """
        from multibond.formula.value import value

        return value(self, values)

    def edges(self) -> tuple[Formula, ...]:
        """Formulas that change sign where this one jumps or has a kink (`where`, `abs`, `floor`, ...)."""
        from multibond.formula.value import edges

        return edges(self)

    def latex(self) -> str:
        """The formula as LaTeX."""
        from multibond.formula.show import latex

        return latex(self)

    def nodes(self) -> Iterator[Formula]:
        """Every part of the formula, arguments before what uses them."""
        waiting: list[tuple[Formula, bool]] = [(self, False)]
        while waiting:
            node, ready = waiting.pop()
            if ready or not node.arguments:
                yield node
            else:
                waiting.append((node, True))
                waiting.extend((child, False) for child in reversed(node.arguments))

    def __iter__(self) -> Iterator[Formula]:
        """The components of a vector."""
        if not self.shape:
            raise FormulaError(faults.no_vector(self))
        return (self[k] for k in range(self.shape[0]))

    def __str__(self) -> str:
        from multibond.formula.show import text

        return text(self)

    def __repr__(self) -> str:
        return f"Formula({str(self)!r})"

    # -- structure -----------------------------------------------------------------------------------------------------

    def _key(self) -> tuple[Any, ...]:
        return tuple((n.kind, n.data.hex() if n.kind == "number" else n.data, len(n.arguments)) for n in self.nodes())

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Formula):
            return self is other or (self.count == other.count and self._key() == other._key())
        if isinstance(other, int | float | np.ndarray | np.generic):
            raise FormulaError(faults.no_truth(f"{self} == {other}", "Write `mb.where(a.equals(b), yes, no)`"))
        return NotImplemented

    def __hash__(self) -> int:
        return hash(self._key())

    def __bool__(self) -> bool:
        raise FormulaError(faults.no_truth(str(self), "Write `mb.where(condition, a, b)`, and & | ~ for and, or, not"))

    def __copy__(self) -> Formula:
        return self

    def __deepcopy__(self, memo: object) -> Formula:
        return self

    def __reduce__(self) -> Any:
        from multibond.formula.capture import reread

        names = {each: f"live_{k}_" for k, each in enumerate(self.live)}
        plain = replaced(self, lambda leaf: variable(names[leaf.data]) if leaf.kind == "live" else leaf)
        return reread, (str(plain), tuple(self.shared.values()), {name: each for each, name in names.items()})

    # -- building ------------------------------------------------------------------------------------------------------

    def __getitem__(self, index: int) -> Formula:
        """Component `index` of a vector, from 0."""
        if isinstance(index, bool) or not isinstance(index, int | np.integer) or index < 0:
            raise FormulaError(faults.bad_index(self, index))
        if self.shape and index >= self.shape[0]:
            raise FormulaError(faults.bad_index(self, index))
        return self.arguments[index] if self.kind == "vector" else node("index", self, data=int(index))

    def equals(self, other: Any) -> Formula:
        """1 where both are equal, otherwise 0 (`==` compares structures)."""
        return node("==", self, formula_of(other))

    def differs(self, other: Any) -> Formula:
        """1 where both differ, otherwise 0."""
        return node("!=", self, formula_of(other))

    def __add__(self, other: Any) -> Formula:
        return _binary("+", self, other)

    def __radd__(self, other: Any) -> Formula:
        return _binary("+", other, self)

    def __sub__(self, other: Any) -> Formula:
        return _binary("-", self, other)

    def __rsub__(self, other: Any) -> Formula:
        return _binary("-", other, self)

    def __mul__(self, other: Any) -> Formula:
        return _binary("*", self, other)

    def __rmul__(self, other: Any) -> Formula:
        return _binary("*", other, self)

    def __truediv__(self, other: Any) -> Formula:
        return _binary("/", self, other)

    def __rtruediv__(self, other: Any) -> Formula:
        return _binary("/", other, self)

    def __mod__(self, other: Any) -> Formula:
        return _binary("%", self, other)

    def __rmod__(self, other: Any) -> Formula:
        return _binary("%", other, self)

    def __pow__(self, other: Any) -> Formula:
        return _binary("**", self, other)

    def __rpow__(self, other: Any) -> Formula:
        return _binary("**", other, self)

    def __lt__(self, other: Any) -> Formula:
        return _binary("<", self, other)

    def __le__(self, other: Any) -> Formula:
        return _binary("<=", self, other)

    def __gt__(self, other: Any) -> Formula:
        return _binary(">", self, other)

    def __ge__(self, other: Any) -> Formula:
        return _binary(">=", self, other)

    def __and__(self, other: Any) -> Formula:
        return _binary("and", self, other)

    def __rand__(self, other: Any) -> Formula:
        return _binary("and", other, self)

    def __or__(self, other: Any) -> Formula:
        return _binary("or", self, other)

    def __ror__(self, other: Any) -> Formula:
        return _binary("or", other, self)

    def __invert__(self) -> Formula:
        return node("not", self)

    def __neg__(self) -> Formula:
        return number(-self.data) if self.kind == "number" else node("neg", self)

    def __pos__(self) -> Formula:
        return self

    def __abs__(self) -> Formula:
        return node("abs", self)

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **options: Any) -> Any:
        """NumPy's own functions build formulas too: `np.sin(mb.t)`, `np.array([1, 2]) * mb.t`."""
        kind = _UFUNCS.get(ufunc)
        if kind is None or method != "__call__" or options:
            return NotImplemented
        return apply(kind, *inputs)


_UFUNCS = {op.numeric: name for name, op in FUNCTIONS.items() if isinstance(op.numeric, np.ufunc)} | {
    np.add: "+",
    np.subtract: "-",
    np.multiply: "*",
    np.divide: "/",
    np.power: "**",
    np.mod: "%",
    np.negative: "neg",
    np.less: "<",
    np.less_equal: "<=",
    np.greater: ">",
    np.greater_equal: ">=",
}


# -- nodes -------------------------------------------------------------------------------------------------------------


def node(kind: str, *arguments: Formula, data: Any = None) -> Formula:
    """One more operation on formulas, refused where it makes the formula too large or its vectors do not fit."""
    level = max((a.level + _deeper(kind, k, a) for k, a in enumerate(arguments)), default=1)
    count = 1 + sum(a.count for a in arguments)
    if level > DEEPEST or count > LARGEST:
        raise FormulaError(faults.too_large(DEEPEST, LARGEST))
    if kind == "**" and _is_absurd(arguments[1]):
        raise FormulaError(faults.absurd_exponent(arguments[1], HIGHEST))
    return Formula(kind, arguments, data, level, count, _shape(kind, arguments))


def _is_absurd(exponent: Formula) -> bool:
    """Whether an exponent without variables is beyond what anybody means."""
    if exponent.variables or exponent.live:
        return False
    return bool(np.any(np.abs(exponent.evaluate({})) > HIGHEST))


def _deeper(kind: str, place: int, argument: Formula) -> int:
    """Levels that an operation adds to an argument: none where it continues a row of like operators."""
    return 0 if place == 0 and any(kind in row and argument.kind in row for row in CHAINS) else 1


def _shape(kind: str, arguments: Sequence[Formula]) -> tuple[int, ...]:
    shapes = {a.shape for a in arguments if a.shape}
    if kind == "vector":
        if shapes or not arguments:
            raise FormulaError(faults.bad_vector(empty=not arguments))
        return (len(arguments),)
    if kind == "index" or not shapes:
        return ()
    if len(shapes) > 1:
        raise FormulaError(faults.different_lengths(sorted(shape[0] for shape in shapes)))
    return shapes.pop()


def number(value: Any) -> Formula:
    """A constant."""
    try:
        plain = float(value)
    except OverflowError:
        plain = math.inf
    if not math.isfinite(plain):
        raise FormulaError(faults.not_finite(plain))
    return Formula("number", (), plain, 1, 1, ())


def variable(name: str) -> Formula:
    """A variable by name."""
    return Formula("variable", (), name, 1, 1, ())


def shared(name: str, value: Any) -> Formula:
    """A shared parameter of a model, with the number or the numbers that it stands for now."""
    numbers = tuple(value) if np.ndim(value) else float(value)
    return Formula("shared", (), Shared(name, numbers), 1, 1, np.shape(numbers))


def live(leaf: Live) -> Formula:
    """A number that is a symbol."""
    return Formula("live", (), leaf, 1, 1, ())


def vector(items: Sequence[Any]) -> Formula:
    """Several formulas or numbers as one vector."""
    return node("vector", *(formula_of(item) for item in items))


def formula_of(value: Any) -> Formula:
    """A number or a list of numbers and formulas as a formula."""
    if isinstance(value, Formula):
        return value
    if isinstance(value, bool | int | float | np.number | np.bool_):
        return number(value)
    if isinstance(value, np.ndarray) and value.ndim == 0:
        return formula_of(value.item())
    if isinstance(value, list | tuple) or (isinstance(value, np.ndarray) and value.ndim == 1):
        return vector(list(value))
    raise FormulaError(faults.not_a_formula(value))


def apply(kind: str, *arguments: Any) -> Formula:
    """An operator or function on formulas and numbers."""
    return node(kind, *(formula_of(a) for a in arguments))


def _binary(kind: str, left: Any, right: Any) -> Formula:
    known = Formula | bool | int | float | np.number | np.ndarray | list | tuple
    if not isinstance(left, known) or not isinstance(right, known):
        return NotImplemented
    return apply(kind, left, right)


# -- walking -----------------------------------------------------------------------------------------------------------


def fold(formula: Formula, combine: Callable[[Formula, list[Result]], Result]) -> Result:
    """What `combine` makes of the whole, given what it makes of the parts."""
    results: list[Result] = []
    for part in formula.nodes():
        first = len(results) - len(part.arguments)
        inputs = results[first:]
        del results[first:]
        results.append(combine(part, inputs))
    return results[0]


def replaced(formula: Formula, put: Callable[[Formula], Formula]) -> Formula:
    """The formula with other leaves: what `put` makes of each number, name and shared parameter."""

    def again(part: Formula, inputs: list[Formula]) -> Formula:
        return node(part.kind, *inputs, data=part.data) if part.arguments else put(part)

    return fold(formula, again)
