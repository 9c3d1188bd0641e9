"""Sums of products of symbols with the sine or cosine of a sum of angles: the form in which mechanisms are written.

Every product of sines and cosines becomes a sum of them, cos a cos b - sin a sin b = cos(a + b), so that what belongs
to parallel axes is written with the sum of their angles, and what cancels is gone.

>>> a, b = SX.sym("a"), SX.sym("b")
>>> trig_of(ca.cos(a) * ca.cos(b) - ca.sin(a) * ca.sin(b)).terms
{((), (('a', 1), ('b', 1)), 'cos'): 1.0}
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import casadi as ca

from multibond.expr import SX, Function, column

Monomial = tuple[tuple[str, int], ...]
"""Symbols with their powers, by name."""
Angle = tuple[tuple[str, int], ...]
"""Symbols with whole factors, by name; the first is positive."""
Key = tuple[Monomial, Angle, str]
ONE: Key = ((), (), "cos")
SMALL = 1e-11
MOST = 400
"""Expressions of more terms than this are left as they are."""


class NotTrigonometric(Exception):
    """The expression has another form: a quotient, a root, a function of something else."""


@dataclass(frozen=True)
class Trig:
    """A sum: by symbols, angle and "cos" or "sin" the coefficient."""

    terms: Mapping[Key, float] = field(default_factory=dict)

    def __add__(self, other: Trig) -> Trig:
        terms = dict(self.terms)
        for key, value in other.terms.items():
            terms[key] = terms.get(key, 0.0) + value
        return _cleaned(terms)

    def __neg__(self) -> Trig:
        return self.times(-1.0)

    def __sub__(self, other: Trig) -> Trig:
        return self + -other

    def times(self, factor: float) -> Trig:
        """The sum times a number."""
        return Trig({key: factor * value for key, value in self.terms.items()})

    def __mul__(self, other: Trig) -> Trig:
        if len(self.terms) * len(other.terms) > MOST * MOST:
            raise NotTrigonometric
        terms: dict[Key, float] = {}
        for (m, a, f), x in self.terms.items():
            for (n, b, g), y in other.terms.items():
                for angle, word, share in _product(a, f, b, g):
                    key = (_merged(m, n), angle, word)
                    terms[key] = terms.get(key, 0.0) + share * x * y
        if len(terms) > MOST:
            raise NotTrigonometric
        return _cleaned(terms)

    @property
    def number(self) -> float | None:
        """The constant that it is; None where it is none."""
        return sum(self.terms.values()) if set(self.terms) <= {ONE} else None


def _cleaned(terms: Mapping[Key, float]) -> Trig:
    largest = max((abs(v) for v in terms.values()), default=0.0)
    return Trig({k: v for k, v in sorted(terms.items()) if abs(v) > SMALL * max(largest, 1.0)})


def _merged(one: Mapping | tuple, two: tuple, sign: int = 1) -> tuple[tuple[str, int], ...]:
    found = dict(one)
    for name, count in two:
        found[name] = found.get(name, 0) + sign * count
    return tuple(sorted((name, count) for name, count in found.items() if count))


def _product(a: Angle, f: str, b: Angle, g: str) -> list[tuple[Angle, str, float]]:
    """f(a) g(b) as a sum."""
    plus, minus = _merged(a, b), _merged(a, b, -1)
    if f == g:
        parts = [(minus, "cos", 0.5), (plus, "cos", 0.5 if f == "cos" else -0.5)]
    else:
        parts = [(plus, "sin", 0.5), (minus, "sin", 0.5 if f == "sin" else -0.5)]
    return [_upright(*part) for part in parts if part[0] or part[1] == "cos"]


def _upright(angle: Angle, word: str, share: float) -> tuple[Angle, str, float]:
    """The same with an angle whose first factor is positive."""
    if not angle or angle[0][1] > 0:
        return angle, word, share
    return tuple((name, -count) for name, count in angle), word, share if word == "cos" else -share


def trig_of(expression: SX) -> Trig:
    """An expression as such a sum; refuses what is none."""
    symbols = ca.symvar(expression)
    function = Function("f", [column(symbols)], [ca.densify(expression)])
    work: dict[int, Trig] = {}
    result = Trig()
    for k in range(function.n_instructions()):
        kind, given, made = function.instruction_id(k), function.instruction_input(k), function.instruction_output(k)
        if kind == ca.OP_OUTPUT:
            result = work[given[0]]
        elif kind == ca.OP_INPUT:
            work[made[0]] = Trig({(((symbols[given[1]].name(), 1),), (), "cos"): 1.0})
        elif kind == ca.OP_CONST:
            work[made[0]] = _cleaned({ONE: function.instruction_constant(k)})
        else:
            work[made[0]] = _operation(kind, [work[g] for g in given])
    return result


def _operation(kind: int, given: list[Trig]) -> Trig:
    a, b = given[0], given[-1]
    if kind in (ca.OP_SIN, ca.OP_COS):
        return Trig(dict([_called(a, "sin" if kind == ca.OP_SIN else "cos")]))
    plain = {
        ca.OP_ADD: lambda: a + b,
        ca.OP_SUB: lambda: a - b,
        ca.OP_MUL: lambda: a * b,
        ca.OP_NEG: lambda: -a,
        ca.OP_SQ: lambda: a * a,
        ca.OP_TWICE: lambda: a.times(2.0),
    }
    if kind in plain:
        return plain[kind]()
    if kind == ca.OP_DIV and b.number:
        return a.times(1.0 / b.number)
    raise NotTrigonometric


def _called(angle: Trig, word: str) -> tuple[Key, float]:
    """The sine or cosine of a sum of symbols with whole factors."""
    found: dict[str, int] = {}
    for (monomial, inner, _), value in angle.terms.items():
        if inner or len(monomial) != 1 or monomial[0][1] != 1 or value != round(value):
            raise NotTrigonometric
        found[monomial[0][0]] = round(value)
    if not found:
        raise NotTrigonometric
    turned, word, sign = _upright(tuple(sorted(found.items())), word, 1.0)
    return ((), turned, word), sign
