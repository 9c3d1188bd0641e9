"""The catalogue: every element and part by the name it has in files, "R" or "spatial.Revolute".

A new class enters it by standing in the list `ALL` of its room; a new library by one line in `LIBRARIES`.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from multibond import elements
from multibond.graph.component import Component
from multibond.library import electrical, rotational, spatial

LIBRARIES = MappingProxyType({"electrical": electrical, "rotational": rotational, "spatial": spatial})
"""The libraries of parts by the word that stands before the dot."""

CATALOGUE: Mapping[str, type[Component]] = MappingProxyType(
    {kind.__name__: kind for kind in (*elements.ALL, *elements.KINEMATIC)}
    | {f"{word}.{kind.__name__}": kind for word, library in LIBRARIES.items() for kind in library.ALL}
)
"""Every type by its name: elements plain, parts with their library. The kinematic elements stand in opened graphs."""
