"""What a model holds, as one immutable value: its sheet; and a sheet used as a part of another."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from multibond.border import public
from multibond.graph.component import Component, Part, component
from multibond.graph.edge import At, Edge
from multibond.graph.origin import Origin
from multibond.graph.port import Port


@public
@dataclass(frozen=True)
class Sheet:
    """What a model holds: components by number, edges, exposed ports, layout, names of variables."""

    components: dict[int, Component] = field(default_factory=dict)
    edges: tuple[Edge, ...] = ()
    exposed: dict[str, At] = field(default_factory=dict)
    layout: dict[str, tuple[float, float]] = field(default_factory=dict)
    next_id: int = 0
    names: dict[str, str] = field(default_factory=dict)
    """Household names of variables inside, as an opened part brings them: alias -> "component.variable"."""
    origins: dict[int, Origin] = field(default_factory=dict)
    """By number of an element of an opened graph where it comes from."""
    shared: dict[str, Any] = field(default_factory=dict)
    """Shared parameters: numbers, or expressions of other shared parameters."""
    frames: dict[str, dict[str, At]] = field(default_factory=dict)
    """By name the frames of an opened graph: each member's junction, or a port that has its signal."""
    units: dict[str, str] = field(default_factory=dict)
    """Units of shared parameters, as they were first typed with one."""

    def number_of(self, name: str) -> int | None:
        """The number of the component with this name."""
        return next((k for k, c in self.components.items() if c.name == name), None)


@dataclass(frozen=True)
class Library:
    """The file that a model was opened from, and what stood in it: a model used from a file stays a use of that file.

    pinned: the inner parameters that the use itself gives, also where they equal the file's. height, count: how many
    levels of models and how many components stand inside.
    """

    path: Path
    sheet: Sheet
    size: int | None = None
    pinned: tuple[str, ...] = ()
    height: int = 1
    count: int = 0


@component
class Submodel(Part):
    """A model used as a part of another; its exposed ports are its ports. library: the file it comes from.

    given: what the model around it says of its shared parameters: numbers, or expressions of that model's own.
    """

    sheet: Sheet = field(default_factory=Sheet)
    size: int | None = None
    library: Library | None = None
    given: dict[str, Any] = field(default_factory=dict)

    def ports(self) -> tuple[Port, ...]:
        exposed, components = self.sheet.exposed, self.sheet.components
        inner = {k: {p.name: p for p in components[k].ports()} for k in {at.component for at in exposed.values()}}
        return tuple(replace(inner[at.component][at.port], name=name) for name, at in exposed.items())
