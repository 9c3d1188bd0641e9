"""The order in which paths stand wherever they are listed: word by word, numbers in them by their value.

j1, j2, j10    rod, rod.mass, rod2    a.9.b, a.10.a
"""

from __future__ import annotations

import re
from functools import lru_cache

Key = tuple[tuple[str | int, ...], ...]

DIGITS = re.compile(r"([0-9]+)")


@lru_cache(maxsize=1 << 16)
def natural(path: str) -> tuple[Key, str]:
    """The key by which to sort paths; "j02" and "j2" differ too.

    >>> sorted(["j10", "j2"], key=natural)
    ['j2', 'j10']
    """
    return tuple(_word(word) for word in path.split(".")), path


def _word(word: str) -> tuple[str | int, ...]:
    """Text and numbers in turn: the first is text, so that like is compared with like."""
    return tuple(int(part) if k % 2 else part for k, part in enumerate(DIGITS.split(word)))
