"""Large families of random cases take turns: a tenth of each runs at every commit, all of them in `make proof`.

Which tenth the commit's hash decides. `ROTATION=<commit>` repeats what ran there, `ROTATION=3` runs the fourth tenth of
every family, `ROTATION=all` runs everything. A variable of a family's name in capitals (`CROSSINGS=all`) says so for
that family alone.
"""

from __future__ import annotations

import functools
import hashlib
import os
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import TypeVar

EVERY = -1
"""The share that is the whole family."""
Item = TypeVar("Item")


@functools.cache
def commit() -> str:
    """The commit that is checked out; empty where there is no repository."""
    command = ["git", "rev-parse", "HEAD"]
    try:
        told = subprocess.run(command, cwd=Path(__file__).parent, capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return ""
    return told.stdout.strip()


def turn(name: str = "") -> str:
    """What decides for a family: the environment's word, else the commit."""
    own = os.environ.get(name.upper(), "") if name.isidentifier() else ""
    return own or os.environ.get("ROTATION", "") or commit()


def share(name: str, count: int = 10) -> int:
    """Which of `count` parts of a family runs; EVERY for all of them."""
    wish = turn(name)
    if wish == "all":
        return EVERY
    if not wish or (wish.isdigit() and len(wish) < 4):  # longer digits are a commit
        return int(wish or 0) % count
    return int(hashlib.sha256(f"{wish} {name}".encode()).hexdigest(), 16) % count


def tenth(items: Sequence[Item], *, of: str) -> list[Item]:
    """The items of a family that run now: every tenth, and at least one."""
    count = min(10, len(items))
    part = share(of, count) if count else EVERY
    return list(items) if part == EVERY else list(items[part::count])


def header() -> str:
    """One line that says what runs and how to run it again."""
    wish = turn()
    if wish == "all":
        return "rotation: every part of every family"
    told = f"share {share('')} (no commit)" if not wish else f"ROTATION={wish}"
    return f"rotation: a tenth of each large family; the same again with {told}"
