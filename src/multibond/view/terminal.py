"""The terminal that commands write to: with colours and bold letters, or plain where `NO_COLOR` is set."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import Console


def plain() -> bool:
    """Whether nothing but text may come out: the variable NO_COLOR is there and not empty."""
    return bool(os.environ.get("NO_COLOR"))


def console(*, stderr: bool = False) -> Console:
    """Where to print; lines are not broken, and text is taken as it is."""
    from rich.console import Console

    return Console(
        stderr=stderr,
        soft_wrap=True,
        highlight=False,
        markup=False,
        color_system=None if plain() else "auto",
    )
