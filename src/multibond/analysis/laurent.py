"""Sums of products of named quantities with whole exponents, also negative ones: what gains of linear elements are.

The gains of scalar elements are single products (1/I, R, 1/m), so paths and loops need no division. Where an element
divides by a sum (the inverse of a field), that sum gets a name of its own, w1, w2, …
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from math import gcd, lcm, prod
from typing import Any

from multibond.errors import Finding, StructureError

MOST_PRODUCTS = 100_000
"""More products of parameters than this are not multiplied out."""

Monomial = tuple[tuple[str, int], ...]
"""Names with their exponents, in order of name, none of them zero."""


@dataclass(frozen=True)
class Laurent:
    """A sum of products: by monomial its coefficient, none of them zero."""

    terms: dict[Monomial, Fraction]
    home: Laurents = field(repr=False, compare=False)

    def __add__(self, other: Laurent) -> Laurent:
        self.home.spend(len(self.terms) // 4)
        terms = dict(self.terms)
        for monomial, c in other.terms.items():
            terms[monomial] = terms.get(monomial, Fraction(0)) + c
        return Laurent({m: c for m, c in terms.items() if c}, self.home)

    def __neg__(self) -> Laurent:
        return Laurent({m: -c for m, c in self.terms.items()}, self.home)

    def __sub__(self, other: Laurent) -> Laurent:
        return self + -other

    def __mul__(self, other: Laurent) -> Laurent:
        self.home.spend(len(self.terms) * len(other.terms))
        terms: dict[Monomial, Fraction] = {}
        for a, c in self.terms.items():
            for b, d in other.terms.items():
                monomial = times(a, b)
                terms[monomial] = terms.get(monomial, Fraction(0)) + c * d
        return Laurent({m: c for m, c in terms.items() if c}, self.home)

    def __truediv__(self, other: Laurent) -> Laurent:
        if len(other.terms) != 1:
            return self * self.home.inverse(other)
        ((monomial, c),) = other.terms.items()
        return self * Laurent({tuple((name, -k) for name, k in monomial): 1 / c}, self.home)

    def __bool__(self) -> bool:
        return bool(self.terms)

    def names(self) -> set[str]:
        """The quantities in it."""
        return {name for monomial in self.terms for name, _ in monomial}

    def value(self, numbers: Mapping[str, Any]) -> Any:
        """The number that it is for given quantities."""
        return sum(float(c) * prod(numbers[name] ** k for name, k in m) for m, c in self.terms.items())

    def by_power(self, name: str) -> dict[int, Laurent]:
        """Its parts by the exponent of one quantity."""
        parts: dict[int, dict[Monomial, Fraction]] = {}
        for monomial, c in self.terms.items():
            power = dict(monomial).get(name, 0)
            parts.setdefault(power, {})[tuple(f for f in monomial if f[0] != name)] = c
        return {power: Laurent(terms, self.home) for power, terms in parts.items()}


def times(a: Monomial, b: Monomial) -> Monomial:
    """The product of two monomials."""
    powers = dict(a)
    for name, k in b:
        powers[name] = powers.get(name, 0) + k
    return tuple(sorted((name, k) for name, k in powers.items() if k))


class Laurents:
    """Sums of products as a kind of number; `terms` holds the sums that something was divided by: w1 = 1 / sum."""

    def __init__(self) -> None:
        self.terms: dict[str, Laurent] = {}
        self.left = MOST_PRODUCTS

    def spend(self, products: int) -> None:
        """Count products; a result that takes too many would fill a book."""
        self.left -= products
        if self.left < 0:
            raise too_long(f"It takes more than {MOST_PRODUCTS} products of parameters.")

    def number(self, value: Fraction) -> Laurent:
        """A constant."""
        return Laurent({(): value} if value else {}, self)

    def quantity(self, name: str, power: int = 1) -> Laurent:
        """One quantity, to a power."""
        return Laurent({((name, power),): Fraction(1)}, self)

    def inverse(self, of: Laurent) -> Laurent:
        """One over a sum, under a name of its own."""
        name = next((n for n, known in self.terms.items() if known.terms == of.terms), f"w{len(self.terms) + 1}")
        self.terms[name] = of
        return self.quantity(name)

    def other(self, operation: int, arguments: Sequence[Any]) -> Any:
        """Roots and the like have no place in a gain."""
        raise StructureError(
            Finding(
                "a gain of the graph is no fraction of its parameters.",
                f"It needs the operation number {operation} of them.",
                "Give numbers, or use `mb.analyse` for ranks and orders.",
            )
        )


def too_long(fact: str) -> StructureError:
    """The refusal to write out what nobody would read."""
    cure = "Keep only some parameters as symbols: symbols=False, or a list of their names."
    return StructureError(Finding("the transfer function is too long to be written out.", fact, cure))


def cleared(sums: Sequence[Laurent]) -> list[Laurent]:
    """The same sums times one product, so that no exponent is negative and nothing is common to all of them."""
    names = sorted({name for one in sums for name in one.names()})
    lowest = {name: min(dict(m).get(name, 0) for one in sums for m in one.terms) for name in names}
    factor: Monomial = tuple((name, -k) for name, k in lowest.items() if k)
    coefficients = [c for one in sums for c in one.terms.values()]
    scale = Fraction(lcm(*(c.denominator for c in coefficients)), _common(coefficients))
    return [Laurent({times(m, factor): c * scale for m, c in one.terms.items()}, one.home) for one in sums]


def _common(coefficients: Iterable[Fraction]) -> int:
    """What all coefficients have in common once they are whole."""
    found = list(coefficients)
    whole = lcm(*(c.denominator for c in found))
    return gcd(*(int(c * whole) for c in found)) or 1
