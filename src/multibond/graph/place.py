"""Where something stands in a file, and the faults found there."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from difflib import get_close_matches
from reprlib import Repr
from typing import Any, TypeVar

from multibond.errors import FileError, Finding, MultibondError

Made = TypeVar("Made")

Loc = tuple[str | int, ...]

DEEPEST = 50
"""How deep models may stand within models."""

NESTED = 2 * DEEPEST + 6
"""How deep lists and tables may stand within one another: a model within a model takes two."""

MANY = 50
"""Faults after which nearest names are not looked for: that takes long in a large file."""

MOST = 200
"""Faults after which a file is not read on."""


LINE = 400
"""Letters that a line of a fault may have."""

LONGEST_NAME = 200
"""Letters that the name of a component or type may have."""


def place(loc: Loc) -> str:
    """A place in the data in words: components[3].parameters.mass."""
    return "".join(map(_step, loc)).removeprefix(".") or "the top level"


def _step(step: str | int) -> str:
    """One step of a place; a key that is no plain word stands in quotes, so that a message stays one line."""
    return f".{step}" if isinstance(step, str) and _is_plain(step) else f"[{short(step)}]"


def _is_plain(word: str) -> bool:
    return len(word) <= 60 and re.fullmatch(r"[\w.-]+", word) is not None


_brief = Repr()
_brief.maxlist = _brief.maxdict = 20
_brief.maxstring = _brief.maxlong = _brief.maxother = 100


def short(value: Any) -> str:
    """A value as text that fits into a message."""
    try:
        text = _brief.repr(value)
    except ValueError:  # an integer of more digits than Python writes
        return "a number of thousands of digits"
    return text if len(text) <= 40 else f"{text[:38]} …"


def shown(path: str) -> str:
    """A dotted path in quotes, shortened where it is endless."""
    return repr(path if len(path) <= LONGEST_NAME else f"{path[: LONGEST_NAME - 2]} …")


def brief(finding: Finding) -> Finding:
    """A finding whose lines are no longer than one can read, where a class quotes what it was given."""
    lines = (finding.problem, finding.fact, finding.cure)
    problem, fact, cure = (line if len(line) <= LINE else f"{line[: LINE - 2]} …" for line in lines)
    return Finding(problem, fact, cure, finding.paths)


def nearest(name: str, known: Iterable[str]) -> str:
    """A sentence with the names that may be meant."""
    names, word = sorted(known), name[:80]
    near = get_close_matches(word, names, n=3, cutoff=0.85) or get_close_matches(word, names, n=3, cutoff=0.5)
    near += [n for n in names if n.rpartition(".")[2] == name and n not in near]
    if near:
        return f"Nearest: {', '.join(short(n) for n in near)}."
    if not names:
        return "Nothing is known there."
    return f"Known: {listed(names)}."


def listed(names: Sequence[str]) -> str:
    """Names in a row: the first dozen, in quotes where one is no plain word."""
    words = [name if _is_plain(name) else short(name) for name in names[:12]]
    return f"{', '.join(words) or 'none'}{' …' if len(names) > 12 else ''}"


class Faults(list[Finding]):
    """The faults of a file as they are found; raises all at once when there are too many to go on."""

    def tell(self, problem: str, fact: str, cure: str, *paths: str) -> None:
        """One more fault."""
        self.take(Finding(problem, fact, cure, paths))

    def take(self, *findings: Finding) -> None:
        """More faults."""
        self.extend(findings)
        if len(self) >= MOST:
            last = Finding("there may be more faults.", f"The first {MOST} are listed.", "Correct these first.")
            raise FileError(*self[:MOST], last)

    def attempt(self, make: Callable[[], Made], path: str) -> Made | None:
        """What `make` makes; None where it finds a fault, which is told of the component at a path."""
        try:
            return make()
        except MultibondError as error:
            self.take(*(brief(replace(fault, paths=(path,))) for fault in error.findings))
        return None

    def nearest(self, name: str, known: Iterable[str]) -> str:
        """The names that may be meant; not looked for any more in a file that is wrong throughout."""
        return nearest(name, known) if len(self) < MANY else "It is not known."


def too_deep(where: str = "") -> Finding:
    """The fault of a bottomless file."""
    fact = f"Models stand within models (or lists within lists) more than {DEEPEST} deep{where}."
    return Finding("the model is nested too deep.", fact, "Put fewer levels inside one another.")


def is_deep(data: Any) -> bool:
    """Whether lists and tables stand deeper within one another than any model needs."""
    level = [data] if isinstance(data, dict | list) else []
    for _ in range(NESTED):
        held = {
            id(child): child
            for holder in level
            for child in (holder.values() if isinstance(holder, dict) else holder)
            if isinstance(child, dict | list)
        }
        level = list(held.values())
        if not level:
            return False
    return True
