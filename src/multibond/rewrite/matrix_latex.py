"""Matrices in LaTeX: expressions of CasADi, trigonometric sums and quotients, under the names of their symbols."""

from __future__ import annotations

import re

import casadi as ca

from multibond.expr import SX, Function, column, cse
from multibond.rewrite.quotients import Fraction
from multibond.rewrite.trig import Angle, Monomial, NotTrigonometric, Trig, trig_of

SUM, PRODUCT, POWER, ATOM = 1, 2, 3, 4
CALLS = {ca.OP_SIN: r"\sin", ca.OP_COS: r"\cos", ca.OP_TAN: r"\tan", ca.OP_EXP: r"\exp", ca.OP_LOG: r"\ln"}
Text = tuple[str, int]


def combined(expression: SX) -> str:
    """A scalar expression in LaTeX: with the sines and cosines of sums of angles where that is shorter."""
    plain = latex(expression)
    try:
        found = trig_of(expression)
    except NotTrigonometric:
        return plain
    text = written(found)
    return text if len(text) < len(plain) else plain


def written(part: Trig) -> str:
    """A trigonometric sum in LaTeX: positive terms first, else as they come."""
    order = sorted(part.terms, key=lambda key: part.terms[key] < 0)
    text = ""
    for key in order:
        value = part.terms[key]
        term = _term(abs(value), *key)
        text += (" - " if text else "-") + term if value < 0 else (" + " if text else "") + term
    return text or "0"


def _term(value: float, monomial: Monomial, angle: Angle, word: str) -> str:
    factors = [_symbol(name) + (f"^{power}" if power > 1 else "") for name, power in monomial]
    if angle:
        inner = "".join(_multiple(name, count, k) for k, (name, count) in enumerate(angle))
        factors.append(rf"\{word}\left({inner}\right)")
    if abs(value - 1.0) > 1e-12 or not factors:
        factors.insert(0, _number(value)[0])
    return r" \, ".join(factors)


def _multiple(name: str, count: int, place: int) -> str:
    sign = "-" if count < 0 else "+"
    size = "" if abs(count) == 1 else rf"{abs(count)} \, "
    return (f" {sign} " if place else ("-" if count < 0 else "")) + size + _symbol(name)


def quotient(part: Fraction) -> str:
    """whole + above / below in LaTeX."""
    text = _number(part.whole)[0] if part.whole or not part.above.terms else ""
    if not part.above.terms:
        return text
    falls = all(value < 0 for value in part.above.terms.values())
    above = written(-part.above if falls else part.above)
    one = part.below.number
    rest = above if one == 1.0 else rf"\frac{{{above}}}{{{written(part.below)}}}"
    if one == 1.0 and falls and len(part.above.terms) > 1:
        rest = rf"\left({above}\right)"
    return f"{text} {'-' if falls else '+'} {rest}" if text else f"{'-' if falls else ''}{rest}"


def velocity(name: str) -> str:
    """The rate of a joint's coordinate, or the flow of another element: `B[1]` as q̇ with its owner and number."""
    path, _, lane = name.partition("[")
    return _symbol(f"{path}.q'" + (f"_{lane.rstrip(']')}" if lane else ""))


def factor(text: str) -> str:
    """An entry before the velocity that it multiplies."""
    if text in ("1", "-1"):
        return text.removesuffix("1")
    plain = re.sub(r"\\left\(.*?\\right\)", "", text)
    alone = not re.search(r" [+-] ", re.sub(r"\\frac\{.*\}\{.*\}", "", plain))
    return (text if alone else rf"\left({text}\right)") + r" \, "


def latex(expression: SX) -> str:
    """A scalar expression in LaTeX's mathematics mode, under the names of its symbols.

    >>> latex(SX.sym("crank.angle") ** 2)
    '\\\\mathrm{crank.angle}^2'
    """
    symbols = ca.symvar(expression)
    function = Function("f", [column(symbols)], [ca.densify(cse(expression))])
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
    word, rate = word.removesuffix("'"), word.endswith("'")
    owner = owner.removesuffix(".motion").replace("_", r"\_")
    head = word if len(word) == 1 else rf"\mathrm{{{word}}}".replace("_", r"\_")
    head = rf"\dot{{{head}}}" if rate else head
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
