"""Faults of components in the user's words: names they do not have, values their parameters cannot have."""

from __future__ import annotations

import re
from dataclasses import replace
from difflib import get_close_matches
from math import radians
from typing import TYPE_CHECKING, Any

import numpy as np

from multibond.errors import Finding

if TYPE_CHECKING:
    from multibond.graph.component import Component, Parameter


DEGREES = re.compile(r"\s*([-+]?\d{1,12}(?:\.\d{0,12})?)\s*(?:°|deg|degs|degrees?)\s*", re.IGNORECASE)
"""An angle in degrees as people write it."""


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
    angle = about.unit == "rad" and isinstance(getattr(item, name), str)
    return Finding(
        f"{type(item).__name__} {item.name!r}: {name} cannot be {shown(getattr(item, name))}.",
        f"{reason[:1].upper()}{reason[1:]}{unit}.",
        "Give a number of radians; mb.deg(30) is 30 degrees." if angle else f"Give a possible value for {name}.",
        (item.name,),
    )


def in_radians(value: Any) -> str:
    """The cure for degrees as text, such as 30deg, "30 deg" or 30°, alone or in a list; nothing for other values."""
    for text in value if isinstance(value, list) else [value]:
        found = DEGREES.fullmatch(text) if isinstance(text, str) else None
        if found:
            angle = float(found[1])
            return f"Give radians, without a unit: {angle:g} degrees are {radians(angle):.10g}."
    return ""


def bad_formula(item: Component, name: str, fault: Finding) -> Finding:
    """A fault of a formula, with the component and parameter it belongs to."""
    return replace(fault, problem=f"{type(item).__name__} {item.name!r}, {name}: {fault.problem}", paths=(item.name,))


def shown(value: Any) -> str:
    """A value as a user would type it."""
    if isinstance(value, np.ndarray):
        return repr(value.tolist())
    return repr(value)
