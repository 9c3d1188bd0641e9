"""Faults of components in the user's words: names they do not have, values their parameters cannot have."""

from __future__ import annotations

from dataclasses import replace
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any

import numpy as np

from multibond.errors import Finding
from multibond.unit_text import unit_of

if TYPE_CHECKING:
    from multibond.graph.component import Component, Parameter

LONGEST = 300
"""Letters of a value that is quoted."""


def no_such(item: Component, name: str, ports: list[str]) -> Finding:
    """A name after the dot that the component does not have."""
    near = get_close_matches(name, [*ports, *item.parameters()], n=2, cutoff=0.5)
    nearest = f"Nearest: {', '.join(repr(n) for n in near)}. " if near else ""
    return Finding(
        f"{type(item).__name__} {item.name!r} has no port or parameter {name!r}.",
        f"{nearest}Ports: {', '.join(ports) or 'none'}.",
        f"Parameters: {', '.join(item.parameters()) or 'none'}.",
    )


def bad_value(item: Component, name: str, about: Parameter, reason: str) -> Finding:
    """A value that a parameter cannot have."""
    unit = f" (in {about.unit})" if about.unit else ""
    text = isinstance(getattr(item, name), str) and unit_of(about.unit.partition(", ")[0]) is not None
    return Finding(
        f"{type(item).__name__} {item.name!r}: {name} cannot be {shown(getattr(item, name))}.",
        f"{reason[:1].upper()}{reason[1:]}{unit}.",
        f"Give a number, or one with its unit such as '{_example(about.unit)}'."
        if text
        else f"Give a possible value for {name}.",
        (item.name,),
    )


def _example(unit: str) -> str:
    """A number with a unit, as it may be typed."""
    return "30 deg" if unit.startswith("rad") else f"2 {unit.partition(', ')[0]}"


def bad_formula(item: Component, name: str, fault: Finding) -> Finding:
    """A fault of a formula, with the component and parameter it belongs to."""
    return replace(fault, problem=f"{type(item).__name__} {item.name!r}, {name}: {fault.problem}", paths=(item.name,))


def shown(value: Any) -> str:
    """A value as a user would type it."""
    text = repr(value.tolist() if isinstance(value, np.ndarray) else value)
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 2]} …"
