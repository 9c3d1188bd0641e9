"""One parameter's value as JSON data, and back, without losing a digit.

Numbers stay numbers, vectors and matrices become lists, an axis along x, y or z its letter, a `Guess` the object
{"guess": 1.2}, also as an entry of a list, a formula the object {"formula": "3*f**3"}, an entry that is left out null.
Both ways raise a ValueError whose text is the reason, for the caller to put a place to; a formula that cannot be read
raises its own `FormulaError`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import MISSING, Field, fields
from types import MappingProxyType
from typing import Any

import numpy as np

from multibond.errors import ParameterError
from multibond.expr import SX, Function
from multibond.formula import Formula, parse, require_short
from multibond.graph.component import Component, Parameter
from multibond.graph.expressions import kept, names_in, no_value, read_text
from multibond.graph.start import FREE, GUESSED, Guess, StartVector
from multibond.rotation import AXES, unit_axis

LETTERS = {sign + letter: unit_axis(sign + letter) for letter in AXES for sign in ("", "-")}
"""The axes that are written as a letter."""

SMALL = 1e-15
"""A vector whose length differs from one by no more than this is a unit vector up to rounding."""


EMPTY: Mapping[str, Any] = MappingProxyType({})
"""No shared parameters."""

MOST = 1000
"""The largest count in a file (of components, inputs, rows)."""

WIDEST = 1000
"""The largest number of rows and columns of a matrix in a file."""


def is_whole(about: Parameter) -> bool:
    """Whether a parameter is a count (a size, a number of rows)."""
    return about.structural and about.shape == ()


def declared(kind: type[Component]) -> dict[str, tuple[Parameter, Any]]:
    """The parameters of a type: what each may be, and its default (MISSING where it must be given)."""
    by_name: dict[str, Field[Any]] = {f.name: f for f in fields(kind)}
    return {name: (about, by_name[name].default) for name, about in kind.parameters().items()}


def is_default(value: Any, default: Any, about: Parameter) -> bool:
    """Whether a kept value is, to the last digit, what the type has without being told."""
    if default is MISSING or isinstance(value, StartVector | SX | Formula):
        return False
    if value is None or default is None:
        return value is default
    if about.shape in ("word", "flag"):
        return value == default
    if about.shape == "axes":
        usual = np.array([unit_axis(axis) for axis in default]).reshape(-1, 3)
    else:
        usual = unit_axis(default) if about.shape == "axis" else np.array(default, float)
    given = np.asarray(value, float)
    return given.shape == usual.shape and given.tobytes() == usual.tobytes()


def _moderate(array: np.ndarray, about: Parameter) -> np.ndarray:
    """The array itself; a short file could otherwise ask for all memory there is."""
    if is_whole(about) and np.abs(array).max(initial=0.0) > MOST:
        raise ValueError(f"a count goes up to {MOST}")
    if array.ndim == 2 and max(array.shape) > WIDEST:
        raise ValueError(f"a matrix has at most {WIDEST} rows and columns")
    return array


# -- to JSON -----------------------------------------------------------------------------------------------------------


def to_json(value: Any, about: Parameter) -> Any:
    """A kept value as JSON data."""
    if value is None or about.shape in ("word", "flag"):
        return value
    if not isinstance(value, Formula) and names_in(value):
        return expression_to_json(value)
    if isinstance(value, StartVector):
        return _guesses(value, about)
    if isinstance(value, tuple):
        return [to_json(law, about) for law in value]
    if isinstance(value, Formula):
        text = str(value)
        require_short(text)
        return {"formula": text}
    array = _numbers_of(value) if isinstance(value, SX) else np.asarray(value, float)
    if about.missing is not None and array.ndim == 1:
        return [None if entry == about.missing else entry for entry in array.tolist()]
    if not np.isfinite(array).all():
        raise ValueError("it must be finite")
    _moderate(array, about)
    if about.shape == "axis":
        return _letter(array)
    if about.shape == "axes":
        return [_letter(axis) for axis in array]
    return int(array) if is_whole(about) and array == np.floor(array) else array.tolist()


def _guesses(value: StartVector, about: Parameter) -> Any:
    """One guess, or a list of numbers, guesses and what is left out."""
    if value.guessed.all():
        return {"guess": value.values.tolist()}
    if value.ndim > 1:
        raise ValueError("a matrix is guessed as a whole")
    entries = zip(value.values.tolist(), value.kinds.tolist(), strict=True)
    return [{"guess": v} if k == GUESSED else None if k == FREE or v == about.missing else v for v, k in entries]


def expression_to_json(value: Any) -> Any:
    """An expression of shared parameters, a guess of one, or a number, as JSON data: lists stay lists."""
    if isinstance(value, list | tuple):
        return [expression_to_json(entry) for entry in value]
    if isinstance(value, Guess):
        return {"guess": expression_to_json(value.values if value.typed is None else value.typed)}
    if value is None:
        return None
    return {"formula": str(value)} if isinstance(value, Formula) else np.asarray(value, float).tolist()


def _letter(axis: np.ndarray) -> Any:
    return next((name for name, known in LETTERS.items() if np.array_equal(known, axis)), axis.tolist())


def _numbers_of(value: SX) -> np.ndarray:
    """The numbers in an expression without symbols."""
    if not value.is_constant():
        raise ValueError("it is a formula of symbols, and a file holds numbers")
    array = np.array(Function("value", [], [value])()["o0"].full())
    return array.reshape(()) if array.size == 1 else array.ravel() if array.shape[1] == 1 else array


# -- from JSON ---------------------------------------------------------------------------------------------------------


def from_json(value: Any, about: Parameter, shared: Mapping[str, Any] = EMPTY) -> Any:
    """JSON data as the value a component is made with; shared: values of the model's shared parameters."""
    if value is None and about.optional:
        return None
    if isinstance(value, dict) and "guess" in value:
        return _guess(value, about, shared)
    if about.shape == "word":
        return _of_kind(value, str, "it must be a word in quotes")
    if about.shape == "flag":
        return _of_kind(value, bool, "it must be true or false")
    if about.shape == "axis":
        return _axis(value)
    if about.shape == "axes":
        return [_axis(axis) for axis in _of_kind(value, list, "it must be a list of axes")]
    if about.shape == "laws" and isinstance(value, list):
        return [None if law is None else _formula(law, about, shared) for law in value]
    if about.shape in ("law", "laws") or (about.formula and isinstance(value, dict)):
        return _formula(value, about, shared)
    if isinstance(value, dict) and "formula" not in value:
        return _guess(value, about, shared)
    if isinstance(value, list) and any(entry is None or _is_guess(entry) for entry in value):
        return [_entry(entry, about, shared) for entry in value]
    if has_expressions(value):
        return expression_from_json(value, about.unit, shared)
    array = _array(value)
    if is_whole(about) and (array.shape != () or array != np.floor(array)):
        raise ValueError("it must be a whole number")
    return _moderate(array, about)


def has_expressions(value: Any) -> bool:
    """Whether JSON data hold expressions or texts, alone or in lists."""
    if isinstance(value, list):
        return any(has_expressions(entry) for entry in value)
    return isinstance(value, str) or (isinstance(value, dict) and set(value) == {"formula"})


def expression_from_json(value: Any, unit: str, shared: Mapping[str, Any]) -> Any:
    """Numbers, numbers with units and expressions of shared parameters, as they stand in JSON data."""
    return read_text(typed_from_json(value), unit, shared)


def typed_from_json(value: Any) -> Any:
    """JSON data as one types them in Python: numbers and texts, of which an expression is one too."""
    if isinstance(value, list):
        return [typed_from_json(entry) for entry in value]
    text = value.get("formula") if isinstance(value, dict) and set(value) == {"formula"} else value
    return text if isinstance(text, str) else _number(value)


def shared_from_json(name: str, value: Any, unit: str, shared: Mapping[str, Any]) -> Any:
    """The value of a shared parameter, measured in `unit`, from JSON data; shared: those that it may use."""
    try:
        typed = typed_from_json(value)
    except ValueError as fault:
        raise ParameterError(no_value(name, value, str(fault))) from None
    return kept(typed, name, unit, shared)


def exact(item: Component, given: dict[str, Any]) -> Component:
    """The component with its axes as given, where normalising a unit vector once more has changed the last digit."""
    for name, about in item.parameters().items():
        if about.shape == "axis" and isinstance(given.get(name), np.ndarray):
            axis = given[name]
            if abs(float(np.linalg.norm(axis)) - 1.0) <= SMALL:
                axis.flags.writeable = False
                object.__setattr__(item, name, axis)
    return item


def _of_kind(value: Any, kind: type, reason: str) -> Any:
    if not isinstance(value, kind):
        raise ValueError(reason)
    return value


def _axis(value: Any) -> Any:
    if isinstance(value, str):
        return value
    array = _array(value)
    if array.shape != (3,) or not 1e-100 < float(np.abs(array).max()) < 1e100:
        raise ValueError("an axis is 'x', 'y', 'z' or three numbers, not all zero")
    return array


def _guess(value: dict[str, Any], about: Parameter, shared: Mapping[str, Any]) -> Guess:
    if not (about.start or about.numeric):
        raise ValueError("it cannot be guessed; start values can, and numbers that may change in a run")
    if set(value) != {"guess"}:
        raise ValueError('a guess is written {"guess": 1.2}')
    given = value["guess"]
    return Guess(expression_from_json(given, about.unit, shared) if has_expressions(given) else _array(given))


def _is_guess(value: Any) -> bool:
    return isinstance(value, dict) and "formula" not in value


def _entry(value: Any, about: Parameter, shared: Mapping[str, Any]) -> Any:
    """An entry of a list: a number, a guess, an expression, or null where it may be left out."""
    if _is_guess(value):
        return _guess(value, about, shared)
    if value is None and (about.start or about.missing is not None):
        return None
    return expression_from_json(value, about.unit, shared)


def _formula(value: Any, about: Parameter, shared: Mapping[str, Any]) -> Formula:
    text = value["formula"] if isinstance(value, dict) and set(value) == {"formula"} else None
    if not isinstance(text, str):
        raise ValueError(f'a formula is written {{"formula": "2*{about.formula[0]}"}}')
    return parse(text, about.formula, shared)


def _array(value: Any) -> np.ndarray:
    """A number, a list of numbers, or a list of rows."""
    if not isinstance(value, list):
        return np.array(_number(value))
    if not any(isinstance(row, list) for row in value):
        return np.array([_number(entry) for entry in value], float)
    rows = [[_number(entry) for entry in row] if isinstance(row, list) else None for row in value]
    widths = {-1 if row is None else len(row) for row in rows}
    if len(widths) != 1:
        raise ValueError("all rows of a matrix need the same number of numbers")
    return np.array(rows, float)


def _number(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise ValueError(f"it must be a number, not {_word(value)}")
    return _finite(value)


def _finite(value: float) -> float:
    try:
        number = float(value)
    except OverflowError:
        number = math.inf
    if not math.isfinite(number):
        raise ValueError("it must be finite")
    return number


def _word(value: Any) -> str:
    words = {bool: "true or false", str: "text", list: "a list", dict: "an object", type(None): "null"}
    return words.get(type(value), type(value).__name__)
