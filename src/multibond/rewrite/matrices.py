"""Matrices of a graph as values: an expression of positions and parameters, its number at the start, its LaTeX."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import casadi as ca
import numpy as np

from multibond.expr import SX, Function, column
from multibond.graph.graph import Graph
from multibond.rewrite.edit import number_of


@dataclass(frozen=True)
class Matrix:
    """A matrix that depends on positions, and where it says so on velocities.

    rows, columns: what they stand for, in the model's names. symbols: by name what it is a function of; start: their
    values at the start. Parameters have the graph's own numbers.

    >>> minimal(model).Mb.value
    """

    name: str
    expression: SX
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    symbols: dict[str, SX]
    start: dict[str, np.ndarray]
    graph: Graph

    @property
    def value(self) -> np.ndarray:
        """The number at the start."""
        return self.at({})

    def at(self, values: Mapping[str, Any]) -> np.ndarray:
        """The number at other values of some symbols, given by name; the others are as at the start."""
        known = self.start | {name: np.ravel(np.asarray(v, float)) for name, v in values.items()}
        used = [name for name, symbol in self.symbols.items() if ca.depends_on(self.expression, symbol)]
        symbols = column([self.symbols[name] for name in used])
        numbers = np.concatenate([np.zeros(0), *(known[name] for name in used)])
        found = ca.substitute(self.expression, symbols, SX(numbers)) if used else self.expression
        return number_of(self.graph, found).reshape(self.expression.shape)

    def part(self, name: str, expression: SX, rows: tuple[str, ...], columns: tuple[str, ...]) -> Matrix:
        """Another matrix of the same symbols."""
        return replace(self, name=name, expression=expression, rows=rows, columns=columns)

    def with_symbols(self, more: dict[str, SX]) -> Matrix:
        """The matrix with further symbols, zero at the start."""
        rest = {name: np.zeros(symbol.numel()) for name, symbol in more.items()}
        return replace(self, symbols={**self.symbols, **more}, start={**self.start, **rest})

    def latex(self) -> str:
        """The matrix in LaTeX, entry by entry."""
        entries = [[latex(SX(self.expression[i, j])) for j in range(len(self.columns))] for i in range(len(self.rows))]
        body = r" \\ ".join(" & ".join(row) for row in entries)
        return rf"{self.name} = \begin{{bmatrix}} {body} \end{{bmatrix}}"

    def __str__(self) -> str:
        table = np.array2string(self.value, precision=6, suppress_small=True)
        return f"{self.name}: {', '.join(self.rows)} from {', '.join(self.columns)}\n{table}"


# -- LaTeX -------------------------------------------------------------------------------------------------------------

SUM, PRODUCT, POWER, ATOM = 1, 2, 3, 4
CALLS = {ca.OP_SIN: r"\sin", ca.OP_COS: r"\cos", ca.OP_TAN: r"\tan", ca.OP_EXP: r"\exp", ca.OP_LOG: r"\ln"}
Text = tuple[str, int]


def latex(expression: SX) -> str:
    """A scalar expression in LaTeX's mathematics mode, under the names of its symbols.

    >>> latex(SX.sym("crank.angle") ** 2)
    '\\\\mathrm{crank.angle}^2'
    """
    symbols = ca.symvar(expression)
    function = Function("f", [column(symbols)], [ca.densify(ca.cse(expression))])
    work: dict[int, Text] = {}
    result = ("0", ATOM)
    for k in range(function.n_instructions()):
        kind, given, made = function.instruction_id(k), function.instruction_input(k), function.instruction_output(k)
        if kind == ca.OP_OUTPUT:
            result = work[given[0]]
        elif kind == ca.OP_INPUT:
            work[made[0]] = (_symbol(symbols[given[1]].name()), ATOM)
        elif kind == ca.OP_CONST:
            work[made[0]] = _number(function.instruction_constant(k))
        else:
            work[made[0]] = _operation(kind, [work[g] for g in given])
    return result[0]


def _symbol(name: str) -> str:
    """`crank.motion.q` as q with its owner below, a component as an index."""
    base, _, index = name.rpartition("_") if re.search(r"_\d+$", name) else (name, "", "")
    owner, _, word = base.rpartition(".")
    owner = owner.removesuffix(".motion").replace("_", r"\_")
    head = word if len(word) == 1 else rf"\mathrm{{{word}}}".replace("_", r"\_")
    below = [part for part in (rf"\mathrm{{{owner}}}" if owner else "", index) if part]
    return f"{head}_{{{','.join(below)}}}" if below else head


def _number(value: float) -> Text:
    return (f"{value:.6g}", ATOM if value >= 0 else SUM)


def _operation(kind: int, given: list[Text]) -> Text:
    a = given[0]
    b = given[1] if len(given) > 1 else a
    table: dict[int, Text] = {
        ca.OP_ADD: (f"{a[0]} + {_in(b, PRODUCT)}", SUM),
        ca.OP_SUB: (f"{a[0]} - {_in(b, PRODUCT)}", SUM),
        ca.OP_MUL: (rf"{_in(a, PRODUCT)} \, {_in(b, PRODUCT)}", PRODUCT),
        ca.OP_DIV: (rf"\frac{{{a[0]}}}{{{b[0]}}}", ATOM),
        ca.OP_NEG: (f"-{_in(a, PRODUCT)}", SUM),
        ca.OP_SQ: (f"{_in(a, ATOM)}^2", POWER),
        ca.OP_TWICE: (rf"2 \, {_in(a, PRODUCT)}", PRODUCT),
        ca.OP_INV: (rf"\frac{{1}}{{{a[0]}}}", ATOM),
        ca.OP_SQRT: (rf"\sqrt{{{a[0]}}}", ATOM),
        ca.OP_POW: (f"{_in(a, ATOM)}^{{{b[0]}}}", POWER),
        ca.OP_CONSTPOW: (f"{_in(a, ATOM)}^{{{b[0]}}}", POWER),
    }
    if kind in table:
        return table[kind]
    word = CALLS.get(kind, rf"\mathrm{{f_{{{kind}}}}}")
    return (rf"{word}\left({', '.join(text for text, _ in given)}\right)", ATOM)


def _in(text: Text, least: int) -> str:
    return text[0] if text[1] >= least else rf"\left({text[0]}\right)"
