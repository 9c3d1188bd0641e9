"""Where the elements of a graph come from: the part that drew each, and what it is there. Names carry no meaning.

A part says it where it adds an element; rewriting, unfolding and files keep it. What users place themselves, and what
old files do not tell, stands for itself, and what it is follows from its type.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

DRIVE = "drive"
"""Role of the effort that a joint's own drive gives."""

LOOSE = "loose"
"""Role of the motion of a joint that was added to a body that nothing holds."""

REFERENCE = "reference"
"""Role of the zero that was added to a node because nothing decides the potentials there."""


@dataclass(frozen=True)
class Form:
    """The form of a solid between two frames, for pictures.

    kind: "box", "cylinder" or "sphere"; along: from end to end in the axes of its frame, about the centre of its mass;
    sizes: the diameter, or width and height  [m]; across: direction of a box's width.
    """

    kind: str
    along: Any
    sizes: tuple[Any, ...]
    across: tuple[float, ...] = (0.0, 0.0, 0.0)


@dataclass(frozen=True)
class Origin:
    """Where an element comes from: path and type of the part that drew it, what it is there, and the solid's form.

    role: what the type alone does not say, as DRIVE; empty for most.

    >>> Origin("hip", "Revolute", "drive")
    """

    part: str
    kind: str = ""
    role: str = ""
    form: Form | None = None

    def within(self, prefix: str) -> Origin:
        """The same in a model that is used as a part of another one."""
        return replace(self, part=f"{prefix}{self.part}")


def upwards(path: str) -> Iterator[str]:
    """A path, and those of everything around it."""
    while path:
        yield path
        path = path.rpartition(".")[0]
