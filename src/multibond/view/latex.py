"""Formulas and names in LaTeX.

>>> latex(divide(Symbol("coil.p"), Symbol("coil.inertia")))
'\\frac{p_{\\mathrm{coil}}}{I_{\\mathrm{coil}}}'

A variable is its letter with the path of its owner below it; a word without a letter of its own stands upright.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable

from multibond.view import formula as fo
from multibond.view.formula import ATOM, LOGIC, POWER, PRODUCT, RELATION, SIGN, SUM, Formula, text

LETTERS = {
    "e": "e", "f": "f", "p": "p", "q": "q", "u": "u", "effort": "E", "flow": "F", "power": "P",
    "resistance": "R", "inertia": "I", "compliance": "C", "modulus": "n",
    "mass": "m", "stiffness": "k", "damping": "d", "length": r"\ell", "vector": "r", "centre": "c", "gravity": "g",
    "angle": r"\varphi", "position": "x", "velocity": "v", "angular_velocity": r"\omega", "torque": r"\tau",
    "capacitance": "C", "inductance": "L", "voltage": "U", "current": "i", "constant": "k",
}  # fmt: skip
"""Letters for the last word of a name."""

FUNCTIONS = {"asin": "arcsin", "acos": "arccos", "atan": "arctan", "log": "ln"}
PLAIN = {"sin", "cos", "tan", "arcsin", "arccos", "arctan", "sinh", "cosh", "tanh", "exp", "ln", "min", "max"}
"""Functions that LaTeX has a command for."""

SIGNS = {"<=": r"\le", ">=": r"\ge", "==": "=", "!=": r"\ne", "and": r"\land", "or": r"\lor"}


class Letters:
    """LaTeX for names; two names that would look the same are written with their full word."""

    def __init__(self, names: Iterable[str] = ()) -> None:
        seen: dict[str, set[str]] = {}
        for name in names:
            base = _base(name)
            seen.setdefault(_lettered(base, short=True), set()).add(base)
        self._doubled = {base for group in seen.values() if len(group) > 1 for base in group}

    def __call__(self, name: str) -> str:
        """The LaTeX of a name such as `hip.angle`, `coil.p'` or `foot.position[1]`."""
        base, index, rate = _base(name), re.search(r"\[([\d,]+)\]", name), name.count("'")
        if shared := re.fullmatch(r"([a-z])(\d+)", base):
            return f"{shared[1]}_{{{shared[2]}}}"
        return _lettered(base, short=base not in self._doubled, index=index[1] if index else "", rate=rate)


def _base(name: str) -> str:
    return re.sub(r"\[[\d,]+\]|'", "", name)


def _lettered(base: str, *, short: bool, index: str = "", rate: int = 0) -> str:
    owner, _, word = base.rpartition(".")
    letter = LETTERS.get(word) if short else None
    head = letter or (word if len(word) == 1 else rf"\mathrm{{{_upright(word)}}}")
    head = rf"\{'d' * rate}ot{{{head}}}" if rate else head
    below = [rf"\mathrm{{{_upright(owner)}}}"] if owner else []
    below += [index] if index else []
    return f"{head}_{{{','.join(below)}}}" if below else head


def _upright(words: str) -> str:
    return re.sub(r"([_#&%$])", r"\\\1", words).replace("->", r"\to ").replace("-", r"\text{-}")


def latex(a: Formula, letters: Letters | None = None) -> str:
    """The formula in LaTeX's mathematics mode."""
    return _Writer(letters or Letters()).write(a)[0]


def broken(a: Formula, letters: Letters, width: int = 90) -> list[str]:
    """The formula in pieces that each fit on a line: a long sum is broken between its terms."""
    if not isinstance(a, fo.Sum):
        return [latex(a, letters)]
    pieces, room = [""], width
    for k, term in enumerate(a.terms):
        part, size = latex(fo.Sum((term,)), letters), len(text(term))
        if size > room and pieces[-1]:
            pieces.append("")
            room = width
        if k:
            part = f"- {part[1:]}" if part.startswith("-") else f"+ {part}"
        pieces[-1] += f" {part}" if pieces[-1] else part
        room -= size
    return pieces


class _Writer:
    """Writes formulas with one table of letters; every method gives the text and how tightly it holds together."""

    def __init__(self, letters: Letters) -> None:
        self.letters = letters

    def write(self, a: Formula) -> tuple[str, int]:
        """Any formula."""
        match a:
            case fo.Number(value):
                return decimal(value), SIGN if value < 0 else ATOM
            case fo.Symbol(name):
                return self.letters(name), ATOM
            case fo.Sum(terms):
                return self._sum(terms), SUM
            case fo.Product(coefficient, factors):
                return self._product(coefficient, factors)
            case fo.Power(base, exponent):
                return f"{self._tight(base, ATOM)}^{{{self.write(exponent)[0]}}}", POWER
            case fo.Call(name, arguments):
                return self._call(name, arguments)
            case fo.Relation("and" | "or" as word, left, right):
                return f"{self._tight(left, RELATION)} {SIGNS[word]} {self._tight(right, RELATION)}", LOGIC
            case fo.Relation(sign, left, right):
                return f"{self._tight(left, SUM)} {SIGNS.get(sign, sign)} {self._tight(right, SUM)}", RELATION
            case fo.Choice():
                return self._choice(a), ATOM

    def _tight(self, a: Formula, level: int) -> str:
        written, own = self.write(a)
        return written if own >= level else rf"\left({written}\right)"

    def _sum(self, terms: tuple[Formula, ...]) -> str:
        written = self._tight(terms[0], PRODUCT)
        for term in terms[1:]:
            part = self._tight(term, PRODUCT)
            written += f" - {part[1:]}" if part.startswith("-") else f" + {part}"
        return written

    def _product(self, coefficient: float, factors: tuple[tuple[Formula, float], ...]) -> tuple[str, int]:
        above = [(base, exponent) for base, exponent in factors if exponent > 0]
        below = [(base, -exponent) for base, exponent in factors if exponent < 0]
        over, under = _ratio(abs(coefficient))
        sign, level = ("-", PRODUCT) if coefficient < 0 else ("", PRODUCT)
        if not below and under == 1.0:
            return sign + self._row(over, above), level if sign or len(above) > 1 or over != 1.0 else POWER
        return rf"{sign}\frac{{{self._row(over, above)}}}{{{self._row(under, below)}}}", level

    def _row(self, coefficient: float, factors: list[tuple[Formula, float]]) -> str:
        """Factors side by side; a sum that stands alone needs no brackets."""
        if coefficient == 1.0 and len(factors) == 1 and factors[0][1] == 1.0:
            return self.write(factors[0][0])[0]
        parts = [] if coefficient == 1.0 and factors else [decimal(coefficient)]
        return r" \, ".join(parts + [self._raised(base, exponent) for base, exponent in factors])

    def _raised(self, base: Formula, exponent: float) -> str:
        if exponent == 1.0:
            return self._tight(base, POWER)
        if isinstance(base, fo.Call) and base.name in PLAIN and exponent == 2.0:
            argument = self.write(base.arguments[0])[0]
            return rf"\{base.name}^{{2}}\left({argument}\right)"
        if exponent == 0.5:
            return rf"\sqrt{{{self.write(base)[0]}}}"
        return f"{self._tight(base, ATOM)}^{{{decimal(exponent)}}}"

    def _call(self, name: str, arguments: tuple[Formula, ...]) -> tuple[str, int]:
        inside = ", ".join(self.write(argument)[0] for argument in arguments)
        if name == "sqrt":
            return rf"\sqrt{{{inside}}}", ATOM
        if name == "abs":
            return rf"\left|{inside}\right|", ATOM
        if name == "not":
            return rf"\lnot {self._tight(arguments[0], ATOM)}", LOGIC
        word = FUNCTIONS.get(name, name)
        head = rf"\{word}" if word in PLAIN else rf"\mathrm{{{_upright(word)}}}"
        return rf"{head}\left({inside}\right)", ATOM

    def _choice(self, a: fo.Choice) -> str:
        then, condition, otherwise = (self.write(part)[0] for part in (a.then, a.condition, a.otherwise))
        return rf"\begin{{cases}} {then} & {condition} \\ {otherwise} & \text{{else}} \end{{cases}}"


def decimal(value: float) -> str:
    """A number: 12, 0.25, 1.5·10^{-6}."""
    if not math.isfinite(value):
        return r"\infty" if value > 0 else r"-\infty" if value < 0 else r"\mathrm{nan}"
    mantissa, _, exponent = f"{value:.12g}".partition("e")
    if not exponent:
        return mantissa
    ten = f"10^{{{int(exponent)}}}"
    return ten if mantissa == "1" else rf"{mantissa} \cdot {ten}"


def _ratio(coefficient: float) -> tuple[float, float]:
    """A coefficient over a small whole number where it is one: 0.5 stands as 1 over 2."""
    for under in (2.0, 3.0, 4.0, 6.0, 8.0, 12.0):
        over = coefficient * under
        if over == int(over) and over < 100 and coefficient != int(coefficient):
            return over, under
    return coefficient, 1.0
