"""A number with its unit as people type it, "30 deg" or "2.5 kN/m", in SI.

A unit is a factor and a dimension. Angle counts as a dimension of its own: 50 Hz are no 50 rad/s.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass

from multibond.errors import briefly

BASE = ("m", "kg", "s", "A", "K", "mol", "rad")
"""What the exponents of a dimension belong to."""

PREFIXES = {"T": 1e12, "G": 1e9, "M": 1e6, "k": 1e3, "h": 1e2, "d": 1e-1, "c": 1e-2, "m": 1e-3}
PREFIXES |= {"u": 1e-6, "µ": 1e-6, "μ": 1e-6, "n": 1e-9, "p": 1e-12}

SPLIT = re.compile(r"\s*([-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)\s*((?:1\s*/)?\s*[^\W\d_][^()\[\]+]*|°C?)\s*")
"""A number and what follows it."""

FACTOR = re.compile(r"(1|[^\W\d_]+|°C?|Ω)(?:\^?([-+]?\d+(?:\.\d+)?))?")
"""One factor of a unit with its exponent."""

DEGREES = ("degC", "°C")
"""Units whose zero is not that of SI."""

ZERO_CELSIUS = 273.15  # K, by definition (BIPM, SI brochure, 9th edition)


@dataclass(frozen=True)
class Unit:
    """A unit: its size in SI and the exponents of its dimension, in the order of `BASE`."""

    factor: float
    dimension: tuple[float, ...]

    def __mul__(self, other: Unit) -> Unit:
        return Unit(self.factor * other.factor, tuple(map(sum, zip(self.dimension, other.dimension, strict=True))))

    def __pow__(self, exponent: float) -> Unit:
        return Unit(self.factor**exponent, tuple(exponent * part for part in self.dimension))


def _unit(factor: float = 1.0, **exponents: float) -> Unit:
    return Unit(factor, tuple(float(exponents.get(name, 0)) for name in BASE))


_newton, _joule = _unit(m=1, kg=1, s=-2), _unit(m=2, kg=1, s=-2)
_volt, _pascal = _unit(m=2, kg=1, s=-3, A=-1), _unit(m=-1, kg=1, s=-2)

PREFIXED = {
    "m": _unit(m=1),
    "g": _unit(1e-3, kg=1),
    "s": _unit(s=1),
    "A": _unit(A=1),
    "K": _unit(K=1),
    "mol": _unit(mol=1),
    "rad": _unit(rad=1),
    "N": _newton,
    "J": _joule,
    "W": _unit(m=2, kg=1, s=-3),
    "Pa": _pascal,
    "bar": Unit(1e5, _pascal.dimension),
    "V": _volt,
    "ohm": _unit(m=2, kg=1, s=-3, A=-2),
    "Ω": _unit(m=2, kg=1, s=-3, A=-2),
    "F": _unit(m=-2, kg=-1, s=4, A=2),
    "H": _unit(m=2, kg=1, s=-2, A=-2),
    "S": _unit(m=-2, kg=-1, s=3, A=2),
    "C": _unit(s=1, A=1),
    "Wb": _unit(m=2, kg=1, s=-2, A=-1),
    "T": _unit(kg=1, s=-2, A=-1),
    "Hz": _unit(s=-1),
    "l": _unit(1e-3, m=3),
    "L": _unit(1e-3, m=3),
    "P": _unit(0.1, m=-1, kg=1, s=-1),
    "St": _unit(1e-4, m=2, s=-1),
}
"""Units that take a prefix."""

PLAIN = {
    "1": _unit(),
    "min": _unit(60.0, s=1),
    "h": _unit(3600.0, s=1),
    "t": _unit(1e3, kg=1),
    "deg": _unit(math.pi / 180, rad=1),
    "°": _unit(math.pi / 180, rad=1),
    "rev": _unit(2 * math.pi, rad=1),
    "rpm": _unit(math.pi / 30, rad=1, s=-1),
    "in": _unit(0.0254, m=1),
    "inch": _unit(0.0254, m=1),
    "ft": _unit(0.3048, m=1),
    "lb": _unit(0.45359237, kg=1),
    "lbf": Unit(4.4482216152605, _newton.dimension),
    "psi": Unit(6894.757293168361, _pascal.dimension),
    "hp": _unit(745.6998715822702, m=2, kg=1, s=-3),
}
"""Units without prefix; the imperial ones as the international yard and pound define them."""


def quantity(text: str, unit: str) -> float | None:
    """The number, in SI, that a text such as "2.5 kN/m" gives for a parameter measured in `unit`.

    None where the text is no number with a unit; a ValueError where the unit is unknown or measures something else.

    >>> quantity("30 deg", "rad")
    0.5235987755982988
    """
    found = SPLIT.fullmatch(text)
    if found is None:
        return None
    number, given = float(found[1]), found[2].strip()
    if given in (*DEGREES, "C") and unit == "K":
        return number + ZERO_CELSIUS
    typed = unit_of(given)
    if typed is None:
        raise ValueError(f"the unit {briefly(given)} is not known")
    wanted = [known for known in map(unit_of, unit.split(", ")) if known is not None]
    if wanted and typed.dimension not in [known.dimension for known in wanted]:
        raise ValueError(f"the unit {briefly(given)} measures something else")
    return number * typed.factor


def means_quantity(text: str) -> bool:
    """Whether a text is a number with a unit behind it, known or not."""
    return SPLIT.fullmatch(text) is not None


def typed_unit(text: str) -> str:
    """The unit behind the number in a text; nothing where it is no number with a unit.

    >>> typed_unit("30 cm")
    'cm'
    """
    found = SPLIT.fullmatch(text)
    unit = "" if found is None else found[2].strip()
    return "K" if unit in DEGREES else unit


def unit_of(text: str) -> Unit | None:
    """The unit that a text such as "N.m.s/rad" names; None where a part of it is not known.

    >>> unit_of("kN/m").factor
    1000.0
    """
    total, sign, at = _unit(), 1.0, 0
    compact = re.sub(r"\s*([/.*·])\s*|\s+", lambda joint: joint[1] or ".", text.strip())
    while at < len(compact):
        found = FACTOR.match(compact, at)
        part = None if found is None else named(found[1])
        if found is None or part is None:
            return None
        try:
            total, at = total * part ** (sign * float(found[2] or 1)), found.end()
        except OverflowError:
            return None
        if at < len(compact):
            if compact[at] not in "/.*·" or at + 1 == len(compact):
                return None
            sign, at = (-1.0 if compact[at] == "/" else sign), at + 1
    return total if compact else None


def named(symbol: str) -> Unit | None:
    """A unit by its symbol, with or without a prefix."""
    if symbol in PLAIN or symbol in PREFIXED:
        return PLAIN.get(symbol) or PREFIXED[symbol]
    inner = PREFIXED.get(symbol[1:]) if symbol[0] in PREFIXES else None
    return None if inner is None else Unit(inner.factor * PREFIXES[symbol[0]], inner.dimension)
