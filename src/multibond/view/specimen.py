"""One component of a type, made with as little as the type needs: what a palette shows, and puts on a sheet."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import MISSING
from itertools import islice, product
from types import MappingProxyType
from typing import Any

from multibond.errors import MultibondError
from multibond.formula import Table, Table2
from multibond.graph.component import Component, Parameter
from multibond.graph.values import declared, to_json

NAME = "x"
MOST = 200
"""Attempts for a type, before it counts as one that cannot be guessed."""

SPECIAL: Mapping[str, Mapping[str, Any]] = MappingProxyType(
    {
        "MutualInductor": {"first": 1.0, "second": 1.0, "mutual": 0.5},
        "Motion": {"kind": "revolute"},
        "Lookup": {"table": Table([0.0, 1.0], [0.0, 1.0])},
        "Lookup2": {"table": Table2([0.0, 1.0], [0.0, 1.0], [[0.0, 1.0], [1.0, 2.0]])},
    }
)
"""By class of the house: values that fit only one another, or cannot be guessed."""


def specimen(kind: type[Component]) -> Component | None:
    """A component of a type with the values it needs, plain ones; None where these cannot be guessed.

    >>> specimen(mb.R)
    R('x', resistance=1.0)
    """
    for values in islice(_attempts(kind), MOST):
        try:
            item = kind(NAME, **values)
            item.ports()
            return item
        except (MultibondError, TypeError, ValueError, ArithmeticError, LookupError, AttributeError):
            continue  # the class is anybody's: whatever it does not take, another value may do
    return None


def given_values(item: Component) -> dict[str, Any]:
    """What was given to a specimen, as it stands in a file."""
    told = {name: (about, default) for name, (about, default) in declared(type(item)).items()}
    values = {name: getattr(item, name) for name in told}
    changed = [name for name, (about, default) in told.items() if default is MISSING or _differs(values[name], default)]
    return {name: to_json(values[name], told[name][0]) for name in changed}


def _differs(value: Any, default: Any) -> bool:
    return default is None and value is not None


def _attempts(kind: type[Component]) -> Iterator[dict[str, Any]]:
    """Values to try: what must be given, then one more that may be."""
    if kind.__name__ in SPECIAL and kind.__module__.startswith("multibond."):
        yield dict(SPECIAL[kind.__name__])
    told = declared(kind)
    needed = {name: list(_choices(about)) for name, (about, default) in told.items() if default is MISSING}
    every = [dict(zip(needed, values, strict=True)) for values in islice(product(*needed.values()), MOST)]
    yield from every
    for name, (about, default) in told.items():
        if default is None and not about.structural:
            yield from (every[0] | {name: choice} for choice in _choices(about))


def _choices(about: Parameter) -> Iterator[Any]:
    """Plain values that a parameter may have."""
    if about.shape == "flag":
        yield from (True, False)
    elif about.shape == "axis":
        yield "z"
    elif about.shape == "word":
        yield ""
    elif about.shape == "law" or (about.formula and about.shape is None):
        yield from (f"{about.formula[0]}", " + ".join(f"{name}**2" for name in about.formula))
    elif isinstance(about.shape, tuple) and about.shape:
        yield (1.0, *[0.0] * (about.shape[0] - 1))
    else:
        yield from (1.0, 0.0)
        if about.shape is None:
            yield from ((1.0, 1.0), (0, 1), (1.0, 1.0, 1.0), ((1.0, 0.0), (0.0, 1.0)))


__all__ = ["given_values", "specimen"]
