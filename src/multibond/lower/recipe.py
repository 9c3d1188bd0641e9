"""From what a system was compiled, so that it can be compiled again with other numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from multibond.rewrite.parasitic import Parasitic

if TYPE_CHECKING:
    from multibond.lower.system import System


@dataclass(frozen=True)
class Recipe:
    """The model, graph or part, and what `compile` was asked for."""

    model: Any = None
    parasitic: Parasitic | None = None
    form: str = "auto"
    cuts: tuple[str, ...] = ()
    prefer: Mapping[str, str] | None = None
    depth: int = 2

    @property
    def name(self) -> str:
        """The name of the model; empty for graphs."""
        return str(getattr(self.model, "name", ""))

    @property
    def wishes(self) -> dict[str, Any]:
        """The keywords of `compile`."""
        names = ("parasitic", "form", "cuts", "prefer", "depth")
        return {name: getattr(self, name) for name in names}


@dataclass(frozen=True)
class Change:
    """A system is another one with other numbers."""

    system: System
    values: Mapping[str, Any]


@dataclass(frozen=True)
class Renewal:
    """A system is another one with other values in some elements, or other pivots, as seen from given states."""

    system: System
    values: Mapping[str, Mapping[str, Any]]
    views: Sequence[Mapping[tuple[str, str], Any]]
