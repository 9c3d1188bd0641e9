"""Formulas as text: the grammar of files, and LaTeX."""

from __future__ import annotations

import math

from multibond.formula.operations import ALL, FUNCTIONS
from multibond.formula.tree import Formula, fold

Piece = tuple[str, int]
"""A text and how strongly it holds together: 9 for what needs no parentheses anywhere."""

ATOM, POWER, SIGN = 9, 8, 7
STRENGTH = {
    "or": 1,
    "and": 2,
    "not": 3,
    **dict.fromkeys(("<", "<=", ">", ">=", "==", "!="), 4),
    **dict.fromkeys("+-", 5),
    **dict.fromkeys("*/%", 6),
    "neg": SIGN,
    "**": POWER,
}
TIGHT = ("*", "/", "%", "**")


def text(formula: Formula) -> str:
    """The formula in the grammar of files, with as few parentheses as possible."""
    return fold(formula, _piece)[0]


def number_text(value: float) -> str:
    """A number that reads back to the last digit."""
    if abs(value) == math.pi:
        return "pi" if value > 0 else "-pi"
    whole = abs(value) < 1e15 and value == int(value)
    return repr(value).removesuffix(".0") if whole else repr(value)


def _piece(part: Formula, inputs: list[Piece]) -> Piece:
    if part.kind in ("number", "live"):
        number = part.data if part.kind == "number" else part.data.value
        return number_text(number), SIGN if math.copysign(1.0, number) < 0 else ATOM
    if part.kind in ("variable", "shared"):
        return str(part.data), ATOM
    listed = ", ".join(content for content, _ in inputs)
    if part.kind == "vector":
        return f"[{listed}]", ATOM
    if part.kind == "index":
        return f"{_held(inputs[0], ATOM)}[{part.data}]", ATOM
    if part.kind == "table":
        return part.data.text(listed), ATOM
    if part.kind in FUNCTIONS:
        return f"{part.kind}({listed})", ATOM
    return _operator(part.kind, inputs), STRENGTH[part.kind]


def _operator(kind: str, inputs: list[Piece]) -> str:
    strength = STRENGTH[kind]
    if kind == "neg":
        return f"-{_held(inputs[0], SIGN)}"
    if kind == "not":
        return f"not {_held(inputs[0], strength)}"
    left, right = strength, strength + 1
    if kind == "**":
        left, right = ATOM, SIGN
    elif strength == STRENGTH["<"]:
        left = strength + 1
    joint = kind if kind in TIGHT else f" {kind} "
    return f"{_held(inputs[0], left)}{joint}{_held(inputs[1], right)}"


def _held(piece: Piece, strength: int) -> str:
    content, own = piece
    return content if own >= strength else f"({content})"


# -- LaTeX -------------------------------------------------------------------------------------------------------------


def latex(formula: Formula) -> str:
    """The formula as LaTeX."""
    return fold(formula, _latex)[0]


def _latex(part: Formula, inputs: list[Piece]) -> Piece:
    if part.kind in ("number", "live"):
        number = part.data if part.kind == "number" else part.data.value
        return number_text(number).replace("pi", r"\pi"), SIGN if number < 0 else ATOM
    if part.kind in ("variable", "shared"):
        name = str(part.data)
        return name if len(name) == 1 else _upright(name.replace("_", r"\_")), ATOM
    contents = [content for content, _ in inputs]
    if part.kind == "vector":
        return r"\begin{bmatrix} " + r" \\ ".join(contents) + r" \end{bmatrix}", ATOM
    if part.kind == "index":
        return f"{_wrapped(inputs[0], ATOM)}_{{{part.data}}}", ATOM
    if part.kind == "table":
        return f"{_upright('table')}({', '.join(contents)})", ATOM
    form = ALL[part.kind].latex
    if part.kind in FUNCTIONS or part.kind == "/":
        return form.format(*contents), ATOM
    strength = STRENGTH[part.kind]
    needs = {"**": (ATOM, 0), "neg": (SIGN,), "not": (strength,)}.get(part.kind, (strength, strength + 1))
    return form.format(*(_wrapped(p, s) for p, s in zip(inputs, needs, strict=True))), strength


def _upright(word: str) -> str:
    return rf"\mathrm{{{word}}}"


def _wrapped(piece: Piece, strength: int) -> str:
    content, own = piece
    return content if own >= strength else rf"\left({content}\right)"
