"""Which tenth of a large family is tried today: told by the commit, so that a repeat tries the same."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Sequence
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import TypeVar

T = TypeVar("T")


@cache
def commit() -> str:
    """The commit that is checked out; the same word for all where there is none."""
    done = subprocess.run(["git", "rev-parse", "HEAD"], cwd=Path(__file__).parent, capture_output=True, text=True)
    return done.stdout.strip() or "no commit"


def share(name: str, count: int = 10) -> int:
    """Which of `count` parts of a family is tried: from its name and the commit; ROTATION gives another number."""
    given = os.environ.get("ROTATION", "")
    digest = sha256(f"{commit()} {name}".encode()).digest()
    return (int(given) if given else int.from_bytes(digest[:8], "big")) % count


def tenth(items: Sequence[T], *, of: str) -> list[T]:
    """The items whose turn it is; an environment variable of the family's name in capitals gives 0 to 9, or all."""
    given = os.environ.get(of.upper(), "")
    if given == "all":
        return list(items)
    return list(items[int(given) % 10 if given else share(of) :: 10])
