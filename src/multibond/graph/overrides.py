"""A model used from a file, with some inner parameters of its own: which ones differ, and putting them in."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from multibond.graph.component import Component
from multibond.graph.inert import Inert
from multibond.graph.place import Faults, short, shown
from multibond.graph.sharing import measured_in, submodel_with
from multibond.graph.sheet import Sheet, Submodel
from multibond.graph.values import declared, expression_to_json, shared_from_json, to_json

Values = dict[str, Any]
Change = Callable[[Component, Values, str], Component | None]
"""Makes a component with other values, given as JSON data; None where there is a fault."""


# -- writing -----------------------------------------------------------------------------------------------------------


def differences(old: Sheet, new: Sheet, prefix: str = "") -> Values | None:
    """The parameters of `new` that differ from `old`, by dotted path, as JSON data; None where more differs than that.

    >>> differences(leg, changed_leg)
    {'foot.mass': 2.0}
    """
    if old is new:
        return {}
    frame = [(s.edges, s.exposed, s.layout, s.names, s.origins, s.frames, s.components.keys()) for s in (old, new)]
    if frame[0] != frame[1] or old.shared.keys() != new.shared.keys():
        return None
    given = {k: expression_to_json(v) for k, v in new.shared.items()}
    found: Values = {prefix + k: v for k, v in given.items() if v != expression_to_json(old.shared[k])}
    for number, item in new.components.items():
        inner = _between(old.components[number], item, f"{prefix}{item.name}.")
        if inner is None:
            return None
        found |= inner
    return found


def _between(a: Component, b: Component, prefix: str) -> Values | None:
    if a is b:
        return {}
    if type(a) is not type(b) or a.name != b.name:
        return None
    if isinstance(a, Submodel) and isinstance(b, Submodel):
        return differences(a.sheet, b.sheet, prefix) if a.size == b.size and a.given == b.given else None
    try:
        before, after = values_of(a), values_of(b)
    except ValueError:
        return None
    if before.keys() - after.keys() or getattr(a, "type_name", "") != getattr(b, "type_name", ""):
        return None
    return {f"{prefix}{k}": v for k, v in after.items() if k not in before or json.dumps(v) != json.dumps(before[k])}


def values_of(item: Component) -> Values:
    """All parameters of a component as JSON data; raises a ValueError where one cannot be written."""
    if isinstance(item, Inert):
        return dict(item.given or {})
    told = item.expressions
    return {
        name: to_json(told.get(name, getattr(item, name)), about) for name, (about, _) in declared(type(item)).items()
    }


def value_at(sheet: Sheet, path: str) -> Any:
    """A parameter inside a sheet as JSON data; raises a LookupError where there is none."""
    name, _, rest = path.partition(".")
    if not rest and name in sheet.shared:
        return expression_to_json(sheet.shared[name])
    item = next((c for c in sheet.components.values() if c.name == name), None)
    if item is None:
        raise LookupError(path)
    return value_at(item.sheet, rest) if isinstance(item, Submodel) else values_of(item)[rest]


def with_given(item: Submodel, values: Mapping[str, Any], shared: Mapping[str, Any]) -> Submodel:
    """A model used as a part, with values of its shared parameters from JSON data; shared: those around it."""
    units = {name: measured_in(item.sheet, name) for name in values}
    return submodel_with(item, {name: shared_from_json(name, v, units[name], shared) for name, v in values.items()})


# -- reading -----------------------------------------------------------------------------------------------------------


def overridden(sheet: Sheet, given: Mapping[str, Any], change: Change, faults: Faults, user: str) -> Sheet:
    """The sheet with other inner parameters; all of one component are changed together.

    given: JSON data by dotted path. user: the component that uses the sheet, for faults.
    """
    by_component: dict[str, Values] = {}
    for path, value in given.items():
        owner, _, name = path.rpartition(".")
        by_component.setdefault(owner, {})[name] = value
    for owner, values in by_component.items():
        changed = _changed(sheet, owner.split("."), values, change, faults, user)
        sheet = sheet if changed is None else changed
    return sheet


def _changed(
    sheet: Sheet, way: Sequence[str], values: Values, change: Change, faults: Faults, user: str
) -> Sheet | None:
    number = sheet.number_of(way[0])
    item = None if number is None else sheet.components[number]
    inner: Component | None = None
    if isinstance(item, Submodel) and len(way) > 1:
        below = _changed(item.sheet, way[1:], values, change, faults, f"{user}.{way[0]}")
        inner = None if below is None else replace(item, sheet=below)
    elif isinstance(item, Submodel) and values.keys() <= item.sheet.shared.keys():
        inner = faults.attempt(lambda: with_given(item, values, {}), f"{user}.{way[0]}")
    elif item is None or len(way) > 1 or isinstance(item, Submodel):
        names = [c.name for c in sheet.components.values()]
        problem = f"component {shown(user)} has no {short('.'.join([*way, next(iter(values))]).strip('.'))} to change."
        faults.tell(problem, faults.nearest(way[0], names), "Name a parameter inside: component.parameter.", user)
    else:
        inner = change(item, values, f"{user}.{way[0]}")
    return None if inner is None or number is None else replace(sheet, components={**sheet.components, number: inner})
