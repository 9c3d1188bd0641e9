"""Formulas as people write them: sums of products with signs, fractions and powers, built from plain operations.

>>> x, m = Symbol("x"), Symbol("m")
>>> text(subtract(multiply(m, square(x)), divide(x, m)))
'm*x**2 - x/m'

Nothing is rearranged that would hide where a term comes from: terms keep their order, signs move to the front, equal
factors become a power. The text of a formula is Python: evaluated, it gives the formula's value.
"""

from __future__ import annotations

import math
from dataclasses import dataclass


@dataclass(frozen=True)
class Number:
    """A constant."""

    value: float


@dataclass(frozen=True)
class Symbol:
    """A variable or parameter by name."""

    name: str


@dataclass(frozen=True)
class Sum:
    """Terms added in order; a term carries its sign in its own coefficient."""

    terms: tuple[Formula, ...]


@dataclass(frozen=True)
class Product:
    """A coefficient times factors, each with its exponent; negative exponents stand below the line."""

    coefficient: float
    factors: tuple[tuple[Formula, float], ...]


@dataclass(frozen=True)
class Power:
    """A base with an exponent that is a formula itself."""

    base: Formula
    exponent: Formula


@dataclass(frozen=True)
class Call:
    """A function of one or two arguments: sin, atan2, max ..."""

    name: str
    arguments: tuple[Formula, ...]


@dataclass(frozen=True)
class Relation:
    """A comparison or a connection of conditions: <, <=, >, >=, ==, !=, and, or."""

    sign: str
    left: Formula
    right: Formula


@dataclass(frozen=True)
class Choice:
    """One formula where a condition holds, another elsewhere."""

    condition: Formula
    then: Formula
    otherwise: Formula


Formula = Number | Symbol | Sum | Product | Power | Call | Relation | Choice

ZERO = Number(0.0)

SHORT = 8
"""Digits up to which an inverse is written as a decimal number; 1/3 stays a fraction."""


# -- building ----------------------------------------------------------------------------------------------------------


def add(a: Formula, b: Formula) -> Formula:
    """a + b; two choices by opposite conditions become one."""
    if a == ZERO:
        return b
    if b == ZERO:
        return a
    if isinstance(a, Choice) and isinstance(b, Choice) and ZERO == a.otherwise == b.otherwise:
        if b.condition == opposite(a.condition):
            return Choice(a.condition, a.then, b.then)
        if a.condition == opposite(b.condition):
            return Choice(b.condition, b.then, a.then)
    return Sum((*_terms(a), *_terms(b)))


def subtract(a: Formula, b: Formula) -> Formula:
    """a - b."""
    return add(a, negative(b))


def negative(a: Formula) -> Formula:
    """-a: the sign goes to every term of a sum."""
    if isinstance(a, Number):
        return Number(-a.value) if a.value else ZERO
    if isinstance(a, Sum):
        return Sum(tuple(negative(term) for term in a.terms))
    return scaled(-1.0, a)


def scaled(coefficient: float, a: Formula) -> Formula:
    """A number times a formula."""
    if isinstance(a, Number) or coefficient == 0.0:
        return Number(coefficient * a.value) if isinstance(a, Number) else ZERO
    own, factors = _parts(a)
    return _product(coefficient * own, factors)


def multiply(a: Formula, b: Formula) -> Formula:
    """a b, with equal factors put together."""
    if isinstance(a, Number):
        return scaled(a.value, b)
    if isinstance(b, Number):
        return scaled(b.value, a)
    (first, left), (second, right) = _parts(a), _parts(b)
    return _product(first * second, _merged((*left, *right)))


def divide(a: Formula, b: Formula) -> Formula:
    """a / b."""
    return multiply(a, inverse(b))


def inverse(a: Formula) -> Formula:
    """1 / a."""
    if isinstance(a, Number) and a.value and len(repr(1.0 / a.value)) <= SHORT:
        return Number(1.0 / a.value)
    coefficient, factors = _parts(a)
    return _product(1.0 / coefficient, tuple((base, -exponent) for base, exponent in factors))


def square(a: Formula) -> Formula:
    """a squared."""
    coefficient, factors = _parts(a)
    return _product(coefficient**2, tuple((base, 2.0 * exponent) for base, exponent in factors))


def power(a: Formula, b: Formula) -> Formula:
    """a to the power b."""
    if isinstance(b, Number) and isinstance(a, Symbol | Call):
        return _product(1.0, ((a, b.value),))
    return Power(a, b)


def compare(sign: str, a: Formula, b: Formula) -> Formula:
    """A comparison; a number stands on the right."""
    if isinstance(a, Number) and sign in ("<", "<="):
        return Relation(sign.replace("<", ">"), b, a)
    return Relation(sign, a, b)


def opposite(condition: Formula) -> Formula:
    """The condition that holds where the given one does not."""
    return Call("not", (condition,))


def _terms(a: Formula) -> tuple[Formula, ...]:
    return a.terms if isinstance(a, Sum) else (a,)


def _parts(a: Formula) -> tuple[float, tuple[tuple[Formula, float], ...]]:
    return (a.coefficient, a.factors) if isinstance(a, Product) else (1.0, ((a, 1.0),))


def _product(coefficient: float, factors: tuple[tuple[Formula, float], ...]) -> Formula:
    if coefficient == 1.0 and len(factors) == 1 and factors[0][1] == 1.0:
        return factors[0][0]
    return Product(coefficient, factors) if factors else Number(coefficient)


def _merged(factors: tuple[tuple[Formula, float], ...]) -> tuple[tuple[Formula, float], ...]:
    """Equal factors as a power, unless they would cancel (x/x says something where x may be zero); symbols first."""
    found: list[tuple[Formula, float]] = []
    for base, exponent in factors:
        at = next((k for k, (other, own) in enumerate(found) if other == base and own * exponent > 0), None)
        if at is None:
            found.append((base, exponent))
        else:
            found[at] = (base, found[at][1] + exponent)
    return tuple(sorted(found, key=lambda factor: _rank(factor[0])))


def _rank(base: Formula) -> int:
    return 0 if isinstance(base, Symbol) else 2 if isinstance(base, Sum) else 1


# -- writing -----------------------------------------------------------------------------------------------------------

CHOICE, LOGIC, RELATION, SUM, PRODUCT, SIGN, POWER, ATOM = range(8)
"""How tightly a text holds together, from loose to tight."""


def text(a: Formula) -> str:
    """The formula as one line of Python."""
    return _write(a)[0]


def _write(a: Formula) -> tuple[str, int]:
    """The text and how tightly it holds together."""
    match a:
        case Number(value):
            return number(value), SIGN if value < 0 else ATOM
        case Symbol(name):
            return name, ATOM
        case Sum(terms):
            return _sum(terms), SUM
        case Product(coefficient, factors):
            return _fraction(coefficient, factors)
        case Power(base, exponent):
            return f"{_tight(base, ATOM)}**{_tight(exponent, POWER)}", POWER
        case Call("not", (condition,)):
            return f"not {_tight(condition, RELATION)}", LOGIC
        case Call(name, arguments):
            return f"{name}({', '.join(text(argument) for argument in arguments)})", ATOM
        case Relation("and" | "or" as word, left, right):
            return f"{_tight(left, RELATION)} {word} {_tight(right, RELATION)}", LOGIC
        case Relation(sign, left, right):
            return f"{_tight(left, SUM)} {sign} {_tight(right, SUM)}", RELATION
        case Choice(condition, then, otherwise):
            return f"{_tight(then, SUM)} if {_tight(condition, LOGIC)} else {_tight(otherwise, SUM)}", CHOICE


def _tight(a: Formula, level: int) -> str:
    written, own = _write(a)
    return written if own >= level else f"({written})"


def _sum(terms: tuple[Formula, ...]) -> str:
    written = _tight(terms[0], PRODUCT)
    for term in terms[1:]:
        part = _tight(term, PRODUCT)
        written += f" - {part[1:]}" if part.startswith("-") else f" + {part}"
    return written


def _fraction(coefficient: float, factors: tuple[tuple[Formula, float], ...]) -> tuple[str, int]:
    above = [_raised(base, exponent) for base, exponent in factors if exponent > 0]
    below = [_raised(base, -exponent) for base, exponent in factors if exponent < 0]
    if abs(coefficient) != 1.0 or not above:
        above.insert(0, number(abs(coefficient)))
    line = "*".join(above)
    if below:
        line += f"/{below[0]}" if len(below) == 1 else f"/({'*'.join(below)})"
    single = len(above) == 1 and not below
    if coefficient < 0:
        return f"-{line}", PRODUCT
    return line, POWER if single else PRODUCT


def _raised(base: Formula, exponent: float) -> str:
    if exponent == 1.0:
        return _tight(base, POWER)
    return f"{_tight(base, ATOM)}**{number(exponent)}"


def number(value: float) -> str:
    """The shortest text that gives the number back, whole numbers without a point."""
    whole = math.isfinite(value) and value == int(value) and abs(value) < 1e15
    return str(int(value)) if whole else repr(float(value))
