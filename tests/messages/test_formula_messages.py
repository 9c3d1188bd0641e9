"""The whole text of what can be said of a formula."""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from typing import Any

import pytest

import multibond as mb
from multibond.errors import FormulaError, ParameterError
from multibond.formula import parse, read_formula, variable

TEXTS = {
    "3*(": """the formula '3*(' cannot be read.
  3*(
     ^ A number, a name or '(' is expected; the formula ends here.
  Correct the formula there.""",
    "sn(t) + 1": """the formula 'sn(t) + 1' cannot be read.
  sn(t) + 1
  ^ 'sn' is no function. Nearest: 'sin', 'sinh', 'sign'.
  Correct the formula there.""",
    "2*velocity": """the formula '2*velocity' cannot be read.
  2*velocity
    ^ 'velocity' is not known. Nearest: 'velocities'.
  Correct the formula there.""",
    "where(t > 1, 2)": """the formula 'where(t > 1, 2)' cannot be read.
  where(t > 1, 2)
  ^ where takes 3 arguments, not 2.
  Correct the formula there.""",
    "f $ 2": """the formula 'f $ 2' cannot be read.
  f $ 2
    ^ An operator is expected; '$' cannot stand here.
  Correct the formula there.""",
    "min(f, [1": """the formula 'min(f, [1' cannot be read.
  min(f, [1
           ^ An operator, ',' or ']' is expected; the formula ends here.
  Correct the formula there.""",
    "velocities[t]": """the formula 'velocities[t]' cannot be read.
  velocities[t]
             ^ The number of a component is expected; 't' cannot stand here.
  Correct the formula there.""",
    "0 < t < 1": """the formula '0 < t < 1' cannot be read.
  0 < t < 1
        ^ An operator is expected; '<' cannot stand here.
  Compare two values with < <= > >= == !=, and join comparisons with and.""",
    "t**2**12": """the formula has an absurd exponent.
  The exponent '2**12' is beyond 1000.
  Check the exponent, or use exp.""",
    "1e999*t": """the formula has a constant that is not finite.
  It is inf.
  Give a finite number.""",
    "[1, 2] + [1, 2, t]": """the formula combines vectors of different lengths.
  They have 2 and 3 components.
  Make them equally long.""",
    "[t, [1, t]]": """the formula has a list within a list.
  A formula is a number or a vector of numbers.
  Write one list of numbers.""",
    "[1, t][2]": """'[1, t]' has no component 2.
  It has the components 0 to 1.
  Use one of its components.""",
    "table(t, [0, 1])": """a call of table cannot be read.
  It is written table(argument, [x, ...], [y, ...]), with the words smooth and extend after it where wanted.
  Correct the call.""",
    "table(t, [0, f], [1, 2])": """a table cannot be read.
  It is written table(argument, [x, ...], [y, ...]), and '[0, f]' is no list of numbers.
  Give lists of numbers.""",
    "table(t, [0, 2, 1], [1, 2, 3])": """the points of a table do not increase in x.
  x[1] = 2 is followed by 1.
  Sort them, and remove doubles.""",
}


@pytest.mark.parametrize("text", TEXTS)
def test_texts_that_cannot_be_read(text: str) -> None:
    with pytest.raises(FormulaError) as caught:
        parse(text, ["t", "f", "velocities"])
    assert str(caught.value) == TEXTS[text]


def test_a_long_text_is_shown_around_the_place() -> None:
    text = " + ".join(f"a{k}" for k in range(100)) + " ++* b" + " + c" * 50
    with pytest.raises(FormulaError) as caught:
        parse(text)
    _, shown, caret, _ = str(caught.value).split("\n")
    assert len(shown) < 70 and shown[caret.index("^")] == "*"


FUNCTIONS: dict[str, tuple[Callable[..., Any], str]] = {
    "an if": (
        lambda t: 1 if t > 0 else 2,
        """the function cannot be read as a formula.
  The formula 't > 0' is neither true nor false. It has no value before the run, so Python's `if`, `and`, `or`, `not` \
and `==` cannot ask for one.
  Write `mb.where(condition, a, b)`, and & | ~ for and, or, not.""",
    ),
    "an ==": (
        lambda t: 1 if t == 3 else 2,
        """the function cannot be read as a formula.
  The formula 't == 3' is neither true nor false. It has no value before the run, so Python's `if`, `and`, `or`, `not` \
and `==` cannot ask for one.
  Write `mb.where(a.equals(b), yes, no)`.""",
    ),
    "math": (
        lambda t: math.sin(t),
        """the function cannot be read as a formula.
  It stops with TypeError: must be real number, not Formula.
  Use mb.sin, mb.sqrt and the like instead of math, and mb.where(condition, a, b) instead of if.""",
    ),
    "two variables": (
        lambda f, g: f * g,
        """the function cannot be read as a formula.
  Its argument 'g' is not known. Known: f, t.
  Write `lambda t, f: ...` (arguments that are not used may be left out).""",
    ),
    "starred": (
        lambda *all_of_them: 1,
        """the function cannot be read as a formula.
  It has * or keyword arguments.
  Write `lambda t, f: ...` (arguments that are not used may be left out).""",
    ),
    "nothing": (
        lambda t: None,
        """the function cannot be read as a formula.
  A value cannot be part of a formula. It is a NoneType; a formula is made of numbers, variables and functions of \
multibond.
  Use numbers, lists of numbers, mb.t, mb.sin and the like.""",
    ),
    "equal variables": (
        lambda t, f: 1 if t == f else 2,
        """the function cannot be read as a formula.
  At t = 0, f = 0 it gives 1.0, and the formula '2' does not.
  Use mb.sin, mb.sqrt and the like instead of math, and mb.where(condition, a, b) instead of if.""",
    ),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions_that_are_no_formula(name: str) -> None:
    function, wanted = FUNCTIONS[name]
    with pytest.raises(FormulaError) as caught:
        read_formula(function, ["t", "f"])
    assert str(caught.value) == wanted


def test_a_function_that_changes_its_mind_is_refused() -> None:
    def noise(t: Any) -> Any:
        return random.random() * t

    with pytest.raises(FormulaError, match="the function 'noise' cannot be read as a formula"):
        read_formula(noise, ["t"])


@pytest.mark.parametrize(
    ("do", "words"),
    [
        (lambda: bool(mb.t > 1), ("'t > 1' is neither true nor false", "mb.where")),
        (lambda: mb.t == 1.0, ("'t == 1.0'", "equals")),
        (lambda: mb.t[-1], ("'t' has no component -1", "counted from 0")),
        (lambda: list(mb.t), ("'t' cannot be taken apart", "q[0]")),
        (lambda: mb.t * [], ("an empty list",)),
        (lambda: mb.t * math.inf, ("not finite",)),
        (lambda: mb.t * 10**400, ("not finite",)),
        (lambda: mb.sin(mb.t).evaluate({"time": 1.0}), ("'t', which is not there", "Known: time")),
        (lambda: variable("q")[3].evaluate({"q": [1.0, 2.0]}), ("'q' has no component 3", "0 to 1")),
        (lambda: mb.Table([0], [1]), ("at least two points in x", "It has 1")),
        (lambda: mb.Table([0, 1], [1, math.nan]), ("values that are not finite",)),
        (lambda: mb.Table([0, 1], ["a", "b"]), ("something that is no number",)),
        (lambda: mb.Table([0, 1, 2], [1, 2], beyond="up"), ("ask for 3 values and 2 are given", "beyond='up'")),
        (lambda: mb.Table2([0, 1], [0, 1, 1], [[1, 2, 3], [4, 5, 6]]), ("do not increase in y",)),
        (lambda: mb.Table([0, 1], [1, 2])(1, 2), ("It has 1 arguments and is given 2",)),
        (lambda: read_formula(mb.Table2([0, 1], [0, 1], [[1, 2], [3, 4]]), ["t"]), ("more arguments than",)),
    ],
)
def test_what_cannot_be_done_with_a_formula(do: Callable[[], object], words: tuple[str, ...]) -> None:
    with pytest.raises(FormulaError) as caught:
        do()
    assert all(word in str(caught.value) for word in words)
    for finding in caught.value.findings:
        assert all(line.strip().endswith(".") for line in (finding.problem, finding.fact, finding.cure))


def test_nothing_is_too_deep_to_be_refused() -> None:
    deep = ("sin(" * 2000 + "t", "(" * 5000, "-" * 9000 + "t", "t**" * 3000 + "t", "[" * 9000, "not " * 2000 + "t")
    for text in deep:
        with pytest.raises(FormulaError):
            parse(text)
    assert parse("(" * 2000 + "t" + ")" * 2000) == mb.t
    doubled = mb.t
    with pytest.raises(FormulaError, match="too large"):
        for _ in range(200):
            doubled = doubled * doubled
    nested = mb.t
    with pytest.raises(FormulaError, match="too large"):
        for _ in range(200):
            nested = mb.sin(nested)


def test_a_component_says_which_parameter() -> None:
    with pytest.raises(FormulaError) as caught:
        mb.Se("mains", "325*sn(t)")
    assert str(caught.value).startswith("Se 'mains', effort: the formula '325*sn(t)' cannot be read.\n  325*sn(t)\n")
    assert caught.value.paths == ("mains",)


def test_numbers_and_formulas_are_told_together() -> None:
    with pytest.raises(ParameterError) as caught:
        mb.Se("bad name", "3*")
    assert not isinstance(caught.value, FormulaError)
    assert len(caught.value.findings) == 2


def test_where_only_numbers_are_taken() -> None:
    with pytest.raises(ParameterError, match="It must be a number, not text"):
        mb.TF("gear", "2*t")
