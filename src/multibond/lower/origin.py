"""The machine as it was drawn, behind a rewriting of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from multibond.lower.system import System


@dataclass(frozen=True)
class Origin:
    """Gives the system of the machine as drawn.

    velocities: what the independent velocities of the rewriting are of; every: all of those they were chosen from.
    """

    make: Callable[[], System]
    velocities: tuple[str, ...] = ()
    every: tuple[str, ...] = ()

    def __call__(self) -> System:
        return self.make()
