"""The grammar of formulas in files: infix arithmetic, comparisons, calls, indices, lists. Nothing is ever executed.

3*f**3 + where(abs(f) > 1e-3, sign(f), f/1e-3)
[0, sin(2*pi*50*t), 0]
table(t, [0, 1, 2], [0, 5, 0], smooth, extend)
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache
from typing import Any

from lark import Lark, Token, Transformer, v_args
from lark.exceptions import UnexpectedCharacters, UnexpectedInput, UnexpectedToken

from multibond.errors import Finding, FormulaError
from multibond.formula import faults
from multibond.formula.limits import NUMBERS
from multibond.formula.operations import FUNCTIONS
from multibond.formula.table import TABLES
from multibond.formula.tree import Formula, apply, formula_of, node, number, variable

_GRAMMAR = rf"""
?start: either
?either: both | either _OR both -> or_
?both: negation | both _AND negation -> and_
?negation: comparison | _NOT negation -> not_
?comparison: sum | sum COMPARISON sum -> compare
?sum: product | sum "+" product -> add | sum "-" product -> subtract
?product: signed | product "*" signed -> multiply | product "/" signed -> divide | product "%" signed -> remainder
?signed: power | "-" signed -> negative | "+" signed -> positive
?power: atom | atom ("**" | "^") signed -> power
?atom: NUMBER -> number
     | NAME -> name
     | NAME "(" [either ("," either)*] ")" -> call
     | atom "[" INDEX "]" -> index
     | NUMBERS -> numbers
     | "[" either ("," either)* "]" -> list
     | "(" either ")"

COMPARISON: "<=" | ">=" | "==" | "!=" | "<" | ">"
NUMBER.2: /(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?/
NUMBERS.2: /{NUMBERS}/
INDEX.1: /\d{{1,9}}/
_OR: /or\b/
_AND: /and\b/
_NOT: /not\b/
NAME: /(?!(?:or|and|not)\b)[A-Za-z_][A-Za-z_0-9]*/
%ignore /\s+/
"""


class _Misplaced(Exception):
    """A fault at a place of the text."""

    def __init__(self, place: int, remark: str) -> None:
        super().__init__(remark)
        self.place, self.remark = place, remark


def read(text: str) -> Formula:
    """The formula that a text writes, with whatever names it uses."""
    try:
        return formula_of(_reader().parse(text))
    except _Misplaced as fault:
        raise FormulaError(faults.unreadable(text, fault.place, fault.remark)) from None
    except UnexpectedInput as fault:
        raise FormulaError(_syntax(text, fault)) from None


@cache
def _reader() -> Lark:
    return Lark(_GRAMMAR, parser="lalr", lexer="contextual", transformer=_Builder(), maybe_placeholders=False)


def _syntax(text: str, fault: UnexpectedInput) -> Finding:
    ended = isinstance(fault, UnexpectedToken) and fault.token.type == "$END"
    place = len(text) if ended else max(fault.pos_in_stream or 0, 0)
    allowed = set(fault.allowed if isinstance(fault, UnexpectedCharacters) else getattr(fault, "expected", ()))
    given = "the formula ends here" if ended else f"{text[place]!r} cannot stand here"
    cure = "Correct the formula there."
    if not ended and text[place] in "<>=!" and "NUMBER" not in allowed:
        cure = "Compare two values with < <= > >= == !=, and join comparisons with and."
    return faults.unreadable(text, place, f"{_expected(allowed, text[:place])} is expected; {given}.", cure)


def _expected(allowed: set[str], before: str) -> str:
    """What may stand after a text, in words."""
    if "NUMBER" in allowed:
        return "A number, a name or '('"
    if "INDEX" in allowed:
        return "The number of a component"
    opened = _open_bracket(before)
    return "An operator" if not opened else f"An operator, ',' or {')' if opened == '(' else ']'!r}"


def _open_bracket(text: str) -> str:
    """The innermost bracket that is not closed."""
    waiting: list[str] = []
    for character in text:
        if character in "([":
            waiting.append(character)
        elif character in ")]" and waiting:
            waiting.pop()
    return waiting[-1] if waiting else ""


def _operator(kind: str) -> Callable[..., Formula]:
    return lambda self, *values: apply(kind, *values)


@v_args(inline=True)
class _Builder(Transformer[Token, Any]):
    """Makes formulas while the text is read, without recursion."""

    or_, and_, not_ = _operator("or"), _operator("and"), _operator("not")
    add, subtract, multiply = _operator("+"), _operator("-"), _operator("*")
    divide, remainder, power = _operator("/"), _operator("%"), _operator("**")

    def compare(self, left: Any, sign: Token, right: Any) -> Formula:
        return apply(str(sign), left, right)

    def negative(self, value: Any) -> Formula:
        return -formula_of(value)

    def positive(self, value: Any) -> Formula:
        return formula_of(value)

    def number(self, token: Token) -> Formula:
        return number(float(token))

    def numbers(self, token: Token) -> tuple[float, ...]:
        return tuple(float(entry) for entry in token[1:-1].split(","))

    def name(self, token: Token) -> Formula:
        return number(math.pi) if token == "pi" else variable(str(token))

    def list(self, *items: Any) -> Any:
        """A vector of formulas; rows of numbers stay numbers, for tables."""
        return tuple(items) if all(isinstance(item, tuple) for item in items) else apply("vector", *items)

    def index(self, whole: Any, place: Token) -> Formula:
        return formula_of(whole)[int(place)]

    def call(self, name: Token, *values: Any) -> Formula:
        if name in TABLES:
            return TABLES[name].read(*values)
        place = name.start_pos or 0
        if name not in FUNCTIONS:
            known = faults.nearest(str(name), (*FUNCTIONS, *TABLES))
            raise _Misplaced(place, f"{str(name)!r} is no function. {known}")
        arity = FUNCTIONS[name].arity
        if len(values) != arity:
            raise _Misplaced(place, f"{name} takes {arity} argument{'s' * (arity > 1)}, not {len(values)}.")
        return node(str(name), *map(formula_of, values))
