"""Which tests killed the mutants of a function in an earlier hunt: they are tried first. Only a matter of speed.

`python tests/mutation/run.py --remember` writes into the table (killers.json) what it went over.
"""

from __future__ import annotations

import functools
import json
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

from mutants import Mutant

TABLE = Path(__file__).with_name("killers.json")


@functools.cache
def table() -> dict[str, dict[str, list[str]]]:
    """By file, then function: names of tests, the most frequent killer first."""
    return json.loads(TABLE.read_text()) if TABLE.exists() else {}


def of_function(mutant: Mutant) -> list[str]:
    """What killed mutants of the same function."""
    return table().get(mutant.file, {}).get(mutant.function, [])


def of_file(mutant: Mutant) -> list[str]:
    """What killed mutants of the same file."""
    found = [name for names in table().get(mutant.file, {}).values() for name in names]
    return list(dict.fromkeys(found))


def remember(deaths: Iterable[tuple[Mutant, str]]) -> None:
    """Write down who killed whom, in the place of what the table said of the same functions."""
    count: dict[str, dict[str, Counter[str]]] = {}
    for mutant, killer in deaths:
        count.setdefault(mutant.file, {}).setdefault(mutant.function, Counter())[killer] += 1
    new = {f: {g: [name for name, _ in c.most_common()] for g, c in by.items()} for f, by in count.items()}
    merged = {file: table().get(file, {}) | new.get(file, {}) for file in {*table(), *new}}
    TABLE.write_text(json.dumps(merged, indent=1, sort_keys=True) + "\n")
