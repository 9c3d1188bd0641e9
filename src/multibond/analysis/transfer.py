"""Transfer functions of linear graphs by causal paths: two polynomials in s whose coefficients are the parameters.

>>> h = transfer(drive, "battery", "rotor.f")
>>> print(h)
>>> h(2j)                        # its value at a complex frequency, for the parameters of the model
>>> h(2j, {"rotor.inertia": 1})  # ... or for others
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np

from multibond.analysis.ends import InputEnd, OutputEnd, input_ends, output_ends
from multibond.analysis.laurent import Laurent, Laurents, cleared
from multibond.analysis.mason import Mason, Way, mason
from multibond.analysis.parameters import entries
from multibond.analysis.reasons import require_linear
from multibond.analysis.signals import Signals, signals_of
from multibond.border import public
from multibond.errors import Finding, ModelError, unknown_name
from multibond.graph.graph import Graph
from multibond.graph.model import Model
from multibond.view import formula as fo
from multibond.view.formula import Formula, Number, Symbol, text
from multibond.view.latex import Letters, latex

HUGE = Fraction(2) ** 500
"""Coefficients below are left as they are; floating point ends at 2 to the power 1024."""


@dataclass(frozen=True)
class CausalWay:
    """A causal path or loop: the storages that it passes, and its gain."""

    names: tuple[str, ...]
    gain: str

    def __str__(self) -> str:
        return f"{' → '.join(self.names)}: {self.gain}"


@public
@dataclass(frozen=True)
class TransferFunction:
    """output(s) = H(s) · input(s), as polynomials whose coefficients are sums of products of parameters.

    numerator, denominator: by power of s. parameters: numbers by name. terms: by name the sum that it is one over.
    variable: the effort, flow or signal
    that the input gives. paths, loops: what Mason's rule is made of.
    """

    input: str
    output: str
    numerator: dict[int, Laurent]
    denominator: dict[int, Laurent]
    parameters: dict[str, float]
    terms: dict[str, Laurent]
    variable: str = ""
    paths: tuple[CausalWay, ...] = ()
    loops: tuple[CausalWay, ...] = ()

    @property
    def relative_order(self) -> int | None:
        """Degree of the denominator less that of the numerator; None where the input has no effect."""
        return max(self.denominator) - max(self.numerator) if self.numerator else None

    @cached_property
    def numbers(self) -> tuple[np.ndarray, np.ndarray]:
        """Coefficients of numerator and denominator for the model's parameters, highest power of s first."""
        return self.coefficients({})

    def coefficients(self, parameters: Mapping[str, float]) -> tuple[np.ndarray, np.ndarray]:
        """Coefficients of numerator and denominator, highest power of s first, some parameters with other numbers."""
        for name in parameters:
            if name not in self.parameters:
                raise unknown_name("the transfer function", name, self.parameters)
        values: dict[str, Any] = {**self.parameters, **parameters}
        for name, of in self.terms.items():
            values[name] = 1.0 / of.value(values)
        return _numbers(self.numerator, values), _numbers(self.denominator, values)

    def __call__(self, s: complex, parameters: Mapping[str, float] | None = None) -> complex:
        """The value at a complex frequency  [rad/s]."""
        above, below = self.coefficients(parameters or {})
        return complex(np.polyval(above, s) / np.polyval(below, s))

    def poles(self) -> np.ndarray:
        """Where the denominator vanishes, for the model's parameters  [rad/s]."""
        return np.roots(self.numbers[1])

    def zeros(self) -> np.ndarray:
        """Where the numerator vanishes, for the model's parameters  [rad/s]."""
        return np.roots(self.numbers[0])

    def formula(self) -> Formula:
        """The quotient as a formula."""
        if not self.numerator:
            return Number(0.0)
        return fo.divide(_polynomial(self.numerator), _polynomial(self.denominator))

    def text(self) -> str:
        """The transfer function as one line, after the terms that it uses."""
        lines = [f"{name} = 1/({text(_sum(of))})" for name, of in self.terms.items()]
        return "\n".join([*lines, f"{self.output} / {self.input} = {text(self.formula())}"])

    def latex(self) -> str:
        """The transfer function in LaTeX's mathematics mode."""
        letters = Letters([*self.parameters, *self.terms])
        parts = [rf"{letters(n)} = \frac{{1}}{{{latex(_sum(of), letters)}}}" for n, of in self.terms.items()]
        above, below = (latex(_polynomial(part), letters) for part in (self.numerator, self.denominator))
        quotient = rf"\frac{{{above}}}{{{below}}}" if self.numerator else "0"
        ratio = rf"\frac{{{letters(self.output)}}}{{{letters(self.variable)}}}"
        return r",\quad ".join([*parts, f"{ratio} = {quotient}"])

    def report(self) -> str:
        """The function, its paths and its loops."""
        lines = [self.text(), "paths", *(f"  {way}" for way in self.paths)]
        return "\n".join([*lines, "loops", *(f"  {way}" for way in self.loops)])

    def _repr_latex_(self) -> str:
        return f"$\\displaystyle {self.latex()}$"

    def __str__(self) -> str:
        return self.text()


def transfer(
    model: Model | Graph, input: str, output: str, *, symbols: bool | Sequence[str] = True
) -> TransferFunction:
    """The transfer function of a linear graph from an input to an output, by Mason's rule on its causal paths.

    input: a source by name (`battery`, `force[1]` for a component). output: a variable by name (`rotor.f`).
    symbols: which parameters stay symbols, by name; all, or with False none: then coefficients are plain numbers.

    >>> transfer(drive, "battery", "rotor.f").numbers
    """
    signals = signals_of(model)
    source = _single(input_ends(signals, [input]), input)
    sink = _single(output_ends(signals, [output]), output)
    signals = signals.driven([source.node])
    require_linear(signals, [sink])
    kind = Laurents()
    found = mason(signals, source, sink, kind, _quantities(signals, symbols, kind))
    return _transfer(signals, source, sink, found, kind)


def _quantities(signals: Signals, symbols: bool | Sequence[str], kind: Laurents) -> dict[str, Laurent]:
    """For every parameter its symbol, or its number."""
    known = {e.name: e.value for e in entries(signals.graph)}
    kept = {name for name in known if symbols} if isinstance(symbols, bool) else set(symbols)
    for name in sorted(kept - set(known)):
        raise unknown_name("the model", name, known, offer="Name parameters.")
    return {n: kind.quantity(n) if n in kept else kind.number(Fraction(value)) for n, value in known.items()}


def _transfer(signals: Signals, source: InputEnd, sink: OutputEnd, found: Mason, kind: Laurents) -> TransferFunction:
    above, below = found.numerator, kind.number(Fraction(1))
    if above:
        above, below = _within_floats(cleared([above, found.denominator]), kind)
    lead = below.by_power("s")[max(below.by_power("s"))]
    if all(c < 0 for c in lead.terms.values()):
        above, below = -above, -below
    numbers = {e.name: e.value for e in entries(signals.graph)}
    used = set().union(*(part.names() for part in (above, below, *kind.terms.values())))
    terms = {name: of for name, of in kind.terms.items() if _needed(name, [above, below], kind)}
    return TransferFunction(
        source.name, sink.name, above.by_power("s"), below.by_power("s"),
        {name: value for name, value in numbers.items() if name in used}, terms, source.variable(signals),
        tuple(_told(signals, source, sink, way) for way in found.paths),
        tuple(_told(signals, source, sink, way, closed=True) for way in found.loops),
    )  # fmt: skip


def _within_floats(parts: Sequence[Laurent], kind: Laurents) -> list[Laurent]:
    """The same quotient by smaller numbers where exact coefficients have outgrown floating point."""
    largest = max(abs(c) for part in parts for c in part.terms.values())
    return list(parts) if largest < HUGE else [part * kind.number(1 / largest) for part in parts]


def _needed(name: str, sums: list[Laurent], kind: Laurents) -> bool:
    """Whether a term is used, directly or inside another one."""
    if any(name in one.names() for one in sums):
        return True
    return any(name in of.names() and _needed(other, sums, kind) for other, of in kind.terms.items())


def _told(signals: Signals, source: InputEnd, sink: OutputEnd, way: Way, *, closed: bool = False) -> CausalWay:
    names = {len(signals.nodes): source.name, len(signals.nodes) + 1: sink.name}
    nodes = (*way.nodes, way.nodes[0]) if closed else way.nodes
    return CausalWay(
        tuple(names.get(k) or signals.nodes[k].name for k in nodes), text(_polynomial(way.gain.by_power("s")))
    )


def _single(ends: Any, name: str) -> Any:
    if len(ends) == 1:
        return ends[0]
    listed = ", ".join(repr(end.name) for end in ends)
    raise ModelError(
        Finding(f"{name!r} has {len(ends)} components.", f"They are {listed}.", "Name one of them.", (name,))
    )


# -- writing ---------------------------------------------------------------------------------------------------------


def _numbers(polynomial: dict[int, Laurent], values: Mapping[str, Any]) -> np.ndarray:
    powers = range(max(polynomial, default=0), -1, -1)
    return np.array([float(polynomial[k].value(values)) if k in polynomial else 0.0 for k in powers])


def _polynomial(parts: dict[int, Laurent]) -> Formula:
    """A polynomial in s, highest power first."""
    total: Formula = fo.ZERO
    for power in sorted(parts, reverse=True):
        factor = _sum(parts[power])
        rising = fo.power(Symbol("s"), Number(float(power))) if power else Number(1.0)
        total = fo.add(total, _scaled(factor, rising))
    return total


def _scaled(factor: Formula, rising: Formula) -> Formula:
    return rising if factor == Number(1.0) else fo.multiply(factor, rising)


def _sum(of: Laurent) -> Formula:
    total: Formula = fo.ZERO
    for monomial, c in sorted(of.terms.items()):
        product: Formula = Number(1.0)
        for name, k in monomial:
            raised = fo.power(Symbol(name), Number(float(k))) if k != 1 else Symbol(name)
            product = raised if product == Number(1.0) else fo.multiply(product, raised)
        total = fo.add(total, fo.scaled(float(c), product))
    return total
