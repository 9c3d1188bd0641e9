"""What is made of one set of equations when first asked for, and kept with them.

Systems with the same equations and other numbers share it: functions, patterns, machine code. It goes with the last of
them; nothing is kept anywhere else.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from threading import RLock
from typing import Any, TypeVar

Item = TypeVar("Item")


class Kept:
    """Values by key, each made once, whichever thread asks first.

    >>> kept.get("silent", lambda: silent_states(reduced))
    """

    def __init__(self) -> None:
        self._made: dict[Hashable, Any] = {}
        self._lock = RLock()

    def __reduce__(self) -> tuple[type[Kept], tuple[()]]:
        """A copy begins with nothing, and makes for itself what it needs."""
        return Kept, ()

    def get(self, key: Hashable, make: Callable[[], Item]) -> Item:
        """What is kept under a key; made where nothing is yet."""
        if key not in self._made:
            with self._lock:
                if key not in self._made:
                    self._made[key] = make()
        return self._made[key]

    def latest(self, key: Hashable, mark: Hashable, make: Callable[[], Item]) -> Item:
        """What was made last under a key where it bears the same mark, such as the numbers it was made of; else anew.

        One value a key is kept, so that going through many numbers fills no memory.
        """
        found = self._made.get(key)
        if found is None or found[0] != mark:
            found = (mark, make())
            self._made[key] = found
        return found[1]
