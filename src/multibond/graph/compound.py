"""What a household name stands for: a variable, or where a vector was unfolded several, one for each component.

    "hip.motion.q"    "rod.mass.1.f, rod.mass.2.f, rod.mass.3.f"    "a.11.b.e + a.12.b.e, - a.21.b.e, 0"

Components stand between commas; each is a sum of variables.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

Terms = list[tuple[int, str]]
"""A sum: signs and variables."""


def is_compound(target: str) -> bool:
    """Whether several variables are meant."""
    return " " in target


def components(target: str) -> list[Terms]:
    """The sums that a target consists of."""
    return [_terms(part) for part in target.split(",")]


def _terms(part: str) -> Terms:
    sign, found = 1, []
    for word in part.split():
        if word in "+-":
            sign = 1 if word == "+" else -1
        elif word != "0":
            found.append((sign, word))
    return found


def written(sums: Sequence[Terms]) -> str:
    """The target of these sums."""
    return ", ".join(_written(terms) for terms in sums)


def _written(terms: Terms) -> str:
    text = " ".join(f"{'+' if sign > 0 else '-'} {name}" for sign, name in terms)
    return text.removeprefix("+ ") or "0"


def variables(target: str) -> list[str]:
    """All variables of a target."""
    return [name for terms in components(target) for _, name in terms]


def owners(target: str) -> set[str]:
    """The first words of its variables: the components of a model that they belong to."""
    return {name.partition(".")[0] for name in variables(target)}


def changed(target: str, change: Callable[[str], str]) -> str:
    """The target with every variable renamed."""
    return written([[(sign, change(name)) for sign, name in terms] for terms in components(target)])


def followed(aliases: dict[str, str], name: str) -> str:
    """What a name stands for in the end, where names stand for names."""
    seen: set[str] = set()
    while name in aliases and name not in seen:
        seen.add(name)
        name = aliases[name]
    return name


def split_index(name: str) -> tuple[str, int | None]:
    """A name without the index that picks a component of it, and this index."""
    match = re.fullmatch(r"(.*)\[(\d+)\]", name)
    return (match.group(1), int(match.group(2))) if match else (name, None)
