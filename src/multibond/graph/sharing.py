"""Shared parameters in a sheet: a change of one goes to every component, and every model inside, that uses it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from multibond.errors import Finding, FormulaError, ParameterError, UnknownName, unknown_name
from multibond.formula import Formula, parse
from multibond.graph.component import Component, means_text
from multibond.graph.expressions import (
    bound,
    entries,
    is_current,
    kept,
    leaves,
    names_in,
    no_parameter,
    number_of,
    read_text,
    unit_typed,
    values_of,
)
from multibond.graph.sheet import Sheet, Submodel
from multibond.graph.wrong_values import bad_formula
from multibond.unit_text import means_quantity

SHAPES_OF_WORDS = ("word", "flag", "axis", "axes", "law", "laws")
"""Shapes of parameters in which a text is no number."""


def renewed(item: Component, values: Mapping[str, Any], owner: str) -> Component:
    """The component with its expressions of the present values; itself where they hold these already.

    owner: the name of the model, for faults.
    """
    given = item.given if isinstance(item, Submodel) else item.expressions
    for name, value in given.items():
        for missing in sorted(names_in(value) - values.keys()):
            raise no_parameter(owner, missing, values, f"{item.name!r} uses it for its {name}.")
    stale = {name: bound(value, values) for name, value in given.items() if not is_current(value, values)}
    if not stale:
        return item
    return submodel_with(item, stale) if isinstance(item, Submodel) else item.replace(**stale)


def with_shared(sheet: Sheet, name: str, value: Any, owner: str) -> Sheet:
    """The sheet with another value of a shared parameter, and all that uses it."""
    typed = unit_typed(value)
    units = {name: typed, **sheet.units} if typed else sheet.units
    table = {**sheet.shared, name: _read(value, name, sheet, sheet, owner)}
    values = values_of(table, owner)
    table = {key: bound(entry, values) for key, entry in table.items()}
    components = {number: renewed(item, values, owner) for number, item in sheet.components.items()}
    return replace(sheet, shared=table, components=components, units=units)


def _read(value: Any, name: str, within: Sheet, around: Sheet, owner: str) -> Any:
    """The value of a shared parameter within a sheet; names in texts mean those of the sheet around it, the owner's."""
    return kept(value, name, measured_in(within, name), values_of(around.shared, owner))


def _is_itself(leaf: Any, name: str) -> bool:
    """Whether an expression is a shared parameter and nothing else, or its negative."""
    leaf = leaf.arguments[0] if isinstance(leaf, Formula) and leaf.kind == "neg" else leaf
    return isinstance(leaf, Formula) and leaf.kind == "shared" and leaf.data.name == name


def measured_in(sheet: Sheet, name: str) -> str:
    """The unit of a shared parameter: as it was typed, or as those have it that take its value as it is."""
    if name in sheet.units:
        return sheet.units[name]
    found: list[str] = []
    for item in sheet.components.values():
        given = item.given if isinstance(item, Submodel) else item.expressions
        for own in (own for own, value in given.items() if any(_is_itself(leaf, name) for leaf in entries(value))):
            found.append(measured_in(item.sheet, own) if isinstance(item, Submodel) else item.parameters()[own].unit)
    return ", ".join(dict.fromkeys(unit for unit in found if unit))


def submodel_with(item: Submodel, given: Mapping[str, Any]) -> Submodel:
    """A model used as a part, with other values of its shared parameters."""
    sheet = item.sheet
    for name, value in given.items():
        if name not in sheet.shared:
            raise unknown_name(f"Model {item.name!r}", name, sheet.shared)
        sheet = with_shared(sheet, name, number_of(value), item.name)
    return item.lends_origin(replace(item, sheet=sheet, given={**item.given, **given}))


def without_shared(sheet: Sheet, name: str, owner: str) -> Sheet:
    """The sheet without a shared parameter that nothing uses."""
    users = [item.name for item in sheet.components.values() if name in used_by(item)]
    users += [other for other, value in sheet.shared.items() if name in names_in(value)]
    if users:
        fact = f"It is used by {', '.join(users)}."
        raise ParameterError(Finding(f"{name!r} cannot be removed from {owner!r}.", fact, "Give numbers there first."))
    shared, units = ({k: v for k, v in table.items() if k != name} for table in (sheet.shared, sheet.units))
    return replace(sheet, shared=shared, units=units)


def used_by(item: Component) -> frozenset[str]:
    """The shared parameters that a component uses."""
    given = item.given if isinstance(item, Submodel) else item.expressions
    return frozenset(name for value in given.values() for name in names_in(value))


def with_value(sheet: Sheet, path: str, value: Any, owner: str) -> Sheet:
    """The sheet with one parameter changed, level by level; a name without a dot is a shared parameter."""
    name, _, rest = path.partition(".")
    if not rest and name in sheet.shared:
        return with_shared(sheet, name, value, owner)
    number = sheet.number_of(name)
    if number is None or not rest:
        if number is not None:
            item = sheet.components[number]
            names = item.sheet.shared if isinstance(item, Submodel) else item.parameters()
            fact = f"It has the parameters {', '.join(names)}." if names else "It has no parameters."
            cure = (
                f"Name one of them too: '{name}.{next(iter(names))}'." if names else "Set a parameter of another one."
            )
            problem = f"{name!r} is a component, and no parameter of {owner!r}."
            raise UnknownName(Finding(problem, fact, cure, (name,)))
        raise unknown_name(f"Model {owner!r}", name, (*sheet.shared, *(c.name for c in sheet.components.values())))
    item = sheet.components[number]
    if isinstance(item, Submodel) and (rest in item.sheet.shared or "." not in rest):
        changed: Component = submodel_with(item, {rest: _read(value, rest, item.sheet, sheet, owner)})
    elif isinstance(item, Submodel):
        _require_plain(value, path, item.name)
        changed = item.lends_origin(replace(item, sheet=with_value(item.sheet, rest, value, item.name)))
    else:
        changed = item.replace(**{rest: _meant(item, rest, value, sheet, owner)})
    values = values_of(sheet.shared, owner)
    return replace(sheet, components={**sheet.components, number: renewed(changed, values, owner)})


def with_numbers(sheet: Sheet, found: Mapping[str, np.ndarray], prefix: str = "") -> Sheet:
    """The sheet with numbers in the place of some parameters of components, by their paths."""
    components = {}
    for number, item in sheet.components.items():
        path = f"{prefix}{item.name}."
        if isinstance(item, Submodel):
            components[number] = item.lends_origin(replace(item, sheet=with_numbers(item.sheet, found, path)))
            continue
        new = {n: found[f"{path}{n}"] for n in item.parameters() if f"{path}{n}" in found}
        shaped = {n: value.reshape(np.shape(getattr(item, n))) for n, value in new.items()}
        components[number] = item.replace(**shaped) if shaped else item
    return replace(sheet, components=components)


def _require_plain(value: Any, path: str, inside: str) -> None:
    """Refuse an expression of one model's parameters in another: a name may mean something else there."""
    if names_in(value):
        problem = f"{path!r} cannot be an expression of parameters from outside of {inside!r}."
        fact = f"Names in {inside!r} mean its own parameters."
        cure = f"Make it a parameter of {inside!r}, and set that: set('{inside}.L', 2*L)."
        raise ParameterError(Finding(problem, fact, cure, (path,)))


def _meant(item: Component, name: str, value: Any, sheet: Sheet, owner: str) -> Any:
    """The value for a component's parameter: a text may be a number with its unit, or an expression."""
    about = item.parameters().get(item.former.get(name, name))
    if about is None or not means_text(value):
        return value
    if about.formula:
        values = values_of(sheet.shared, owner)
        return leaves(value, lambda leaf: _law(item, name, leaf, values) if isinstance(leaf, str) else leaf)
    if about.shape in SHAPES_OF_WORDS:
        return value
    try:
        return read_text(value, about.unit, values_of(sheet.shared, owner))
    except ValueError as fault:
        if isinstance(fault, ParameterError):
            raise
        problem = f"{type(item).__name__} {item.name!r}: {name} cannot be {value!r}."
        fact = f"{str(fault)[:1].upper()}{str(fault)[1:]} (in {about.unit or 'plain numbers'})."
        raise ParameterError(Finding(problem, fact, f"Give a possible value for {name}.", (item.name,))) from None


def _law(item: Component, name: str, text: str, values: Mapping[str, Any]) -> Any:
    """The formula that a text writes, of the law's variables and shared parameters; a number with its unit stays."""
    if means_quantity(text):
        return text
    try:
        return parse(text, item.parameters()[item.former.get(name, name)].formula, values)
    except FormulaError as fault:
        raise FormulaError(*(bad_formula(item, name, finding) for finding in fault.findings)) from None


def changed_values(old: Sheet, new: Sheet, prefix: str = "") -> Iterator[tuple[str, Any]]:
    """Parameters of components that differ between two sheets of the same components, by path, with the new value."""
    for number, item in new.components.items():
        before, path = old.components[number], f"{prefix}{item.name}"
        if before is item:
            continue
        if isinstance(item, Submodel) and isinstance(before, Submodel):
            yield from changed_values(before.sheet, item.sheet, f"{path}.")
            continue
        for name in item.parameters():
            if not same(getattr(before, name), getattr(item, name)):
                yield f"{path}.{name}", getattr(item, name)


def same(a: Any, b: Any) -> bool:
    """Whether two values of a parameter are alike."""
    if isinstance(a, np.ndarray) and isinstance(b, np.ndarray):
        return a.shape == b.shape and bool(np.array_equal(a, b))
    if isinstance(a, Formula) and isinstance(b, Formula):
        return a == b and all(np.array_equal(a.shared[k].value, b.shared[k].value) for k in a.shared)
    return type(a) is type(b) and bool(np.all(a == b))
