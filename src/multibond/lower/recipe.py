"""From what a system was compiled, so that it can be compiled again with other numbers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from multibond.rewrite.parasitic import Parasitic


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
