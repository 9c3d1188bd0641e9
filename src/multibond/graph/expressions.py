"""Values that are expressions of a model's shared parameters: `mass=2 * rho * L`, alone or inside lists.

A component keeps the numbers that its expressions amount to now, and the expressions beside them. When a shared
parameter changes, the model makes the component again with the same expressions of the new value.
"""

from __future__ import annotations

import keyword
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np

from multibond.errors import Finding, ParameterError, UnknownName, unknown_name
from multibond.formula import Formula, parse
from multibond.formula.operations import FUNCTIONS
from multibond.formula.tree import formula_of, replaced, shared
from multibond.graph.start import Guess, StartVector, is_mixed
from multibond.unit_text import means_quantity, quantity, typed_unit

RESERVED = frozenset({"t", "pi", "e", "table", "or", "and", "not", *FUNCTIONS})
"""Words of formulas that no shared parameter can have as its name."""


def leaves(value: Any, change: Callable[[Any], Any]) -> Any:
    """A value with each entry of its lists, and what is typed in a Guess, changed."""
    if isinstance(value, Guess):
        return value if value.typed is None else Guess(leaves(value.typed, change))
    if isinstance(value, list | tuple):
        return type(value)(leaves(entry, change) for entry in value)
    if isinstance(value, np.ndarray) and value.dtype == object:
        return [leaves(entry, change) for entry in value]
    return change(value)


def entries(value: Any) -> Iterator[Any]:
    """Each entry of the lists in a value, and of what is typed in a Guess."""
    if isinstance(value, Guess):
        value = () if value.typed is None else value.typed
    if isinstance(value, list | tuple) or (isinstance(value, np.ndarray) and value.dtype == object):
        for entry in value:
            yield from entries(entry)
    else:
        yield value


def names_in(value: Any) -> frozenset[str]:
    """The shared parameters that a value uses."""
    return frozenset(name for leaf in entries(value) if isinstance(leaf, Formula) for name in leaf.shared)


def number_of(value: Any) -> Any:
    """The numbers that expressions amount to; what still depends on variables of a law stays a formula."""
    return leaves(value, _number)


def _number(leaf: Any) -> Any:
    plain = isinstance(leaf, Formula) and leaf.shared and not leaf.variables
    return leaf.evaluate({}) if plain else leaf


def bound(value: Any, values: Mapping[str, Any]) -> Any:
    """The same expression of the present values of shared parameters."""

    def put(leaf: Formula) -> Formula:
        return shared(leaf.data.name, values[leaf.data.name]) if leaf.kind == "shared" else leaf

    return leaves(value, lambda leaf: replaced(leaf, put) if isinstance(leaf, Formula) and leaf.shared else leaf)


def is_current(value: Any, values: Mapping[str, Any]) -> bool:
    """Whether an expression holds the present values already."""
    held = [each for leaf in entries(value) if isinstance(leaf, Formula) for each in leaf.shared.values()]
    return all(np.array_equal(each.value, values.get(each.name, ())) for each in held)


def numbers_in_place(value: Any) -> Any:
    """A law with the numbers of shared parameters in their place."""

    def put(leaf: Formula) -> Formula:
        return formula_of(leaf.data.value) if leaf.kind == "shared" else leaf

    return leaves(value, lambda leaf: replaced(leaf, put) if isinstance(leaf, Formula) and leaf.shared else leaf)


def read_text(value: Any, unit: str, values: Mapping[str, Any] | None = None) -> Any:
    """Numbers with units as numbers, and texts of shared parameters as expressions, in a value that means numbers."""

    def read(leaf: Any) -> Any:
        if not isinstance(leaf, str):
            return leaf
        number = quantity(leaf, unit)
        if number is not None:
            return number
        if not values:
            raise ValueError("it must be a number, not text")
        return parse(leaf, (), values)

    return leaves(value, read)


def guessed(value: Any, values: Mapping[str, Any]) -> Any:
    """What stands in a guess, with expressions of shared parameters in the place of texts; units wait for theirs."""

    def read(leaf: Any) -> Any:
        if not isinstance(leaf, str) or means_quantity(leaf):
            return leaf
        return parse(leaf, (), values)

    return leaves(value, read)


# -- the table of a model ----------------------------------------------------------------------------------------------


def require_name(name: Any, model: str) -> None:
    """Refuse a name that formulas could not tell from something else."""
    plain = isinstance(name, str) and name.isidentifier() and name.isascii()
    if not plain or name in RESERVED or keyword.iskeyword(name):
        fact = "Formulas use it: it begins with a letter, has letters, digits and '_', and is no word of formulas."
        problem = f"{name!r} cannot be the name of a parameter of {model!r}."
        raise ParameterError(Finding(problem, fact, "Choose another name."))


def unit_typed(value: Any) -> str:
    """The first unit that stands in a value; nothing where there is none."""
    return next((unit for leaf in entries(value) if isinstance(leaf, str) and (unit := typed_unit(leaf))), "")


def kept(value: Any, name: str, unit: str = "", values: Mapping[str, Any] | None = None) -> Any:
    """The value of a shared parameter as a model keeps it: an expression, a number, or numbers in a row.

    unit: what it is measured in, where that is known. values: shared parameters that a text may use.
    """
    if any(isinstance(entry, StartVector) for entry in (value if is_mixed(value) else [value])):
        fact = "It serves many places, and each of them would be found by itself."
        problem = f"the shared parameter {name!r} cannot be guessed: {value!r}."
        cure = "Give it a number, and the Guess to the parameter of the component that is to be found."
        raise ParameterError(Finding(problem, fact, cure))
    try:
        value = read_text(value, unit or unit_typed(value), values)
    except ValueError as fault:
        if isinstance(fault, ParameterError):
            raise
        raise ParameterError(no_value(name, value, f"{fault} (in {unit})" if unit else str(fault))) from None
    try:
        number = np.array(number_of(value), float)
    except (TypeError, ValueError, OverflowError) as fault:
        told = str(fault) if isinstance(fault, ValueError) and not isinstance(value, Formula) else "it must be a number"
        raise ParameterError(no_value(name, value, told)) from None
    if number.ndim > 1 or not np.isfinite(number).all():
        raise ParameterError(no_value(name, value, "it must be one finite number, or finite numbers in a row"))
    if names_in(value):
        return value
    return float(number) if number.ndim == 0 else tuple(number.tolist())


def no_value(name: str, value: Any, reason: str) -> Finding:
    """The fault of a value that a shared parameter cannot have."""
    problem = f"the parameter {name!r} cannot be {value!r}."
    return Finding(problem, f"{reason[:1].upper()}{reason[1:]}.", "Give a number, or an expression of parameters.")


def values_of(table: Mapping[str, Any], owner: str) -> dict[str, Any]:
    """The numbers of all shared parameters of a model; those that are expressions of others come after them."""
    found: dict[str, Any] = {}
    waiting = dict(table)
    while waiting:
        ready = [name for name, value in waiting.items() if names_in(value) <= found.keys()]
        if not ready:
            raise _undefined(waiting, table, owner)
        for name in ready:
            number = number_of(bound(waiting.pop(name), found))
            found[name] = float(number) if np.ndim(number) == 0 else tuple(np.asarray(number, float).tolist())
    return found


def _undefined(waiting: Mapping[str, Any], table: Mapping[str, Any], owner: str) -> UnknownName | ParameterError:
    for name, value in waiting.items():
        missing = sorted(names_in(value) - table.keys())
        if missing:
            return no_parameter(owner, missing[0], table, f"The parameter {name!r} uses it.")
    circle = ", ".join(sorted(waiting))
    problem = f"parameters of {owner!r} are defined by one another."
    return ParameterError(Finding(problem, f"These wait for each other: {circle}.", "Give one of them a number."))


def no_parameter(owner: str, name: str, table: Mapping[str, Any], user: str) -> UnknownName:
    """A shared parameter that the model does not have."""
    cure = f"{user} Make it first: {name} = model.parameter({name!r}, 0.3)."
    return unknown_name(f"Model {owner!r}", name, table, offer=cure)
