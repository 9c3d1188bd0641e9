"""The machine as it was drawn, behind a rewriting of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from multibond.lower.system import System


Modes = tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Origin:
    """Gives the system of the machine as drawn, in the modes it begins in or, by element, in others.

    velocities: what the independent velocities of the rewriting are of; every: all of those they were chosen from.
    """

    make: Callable[[Modes], System]
    velocities: tuple[str, ...] = ()
    every: tuple[str, ...] = ()

    def __call__(self) -> System:
        return self.make(())

    def beside(self, system: System) -> System:
        """The machine as drawn in the modes of a system in its rewriting."""
        elements = system.dae.graph.elements
        return self.make(tuple((p, str(vars(e)["mode"])) for p, e in sorted(elements.items()) if "mode" in vars(e)))
