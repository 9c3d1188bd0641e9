"""The record of a file that has no room for it: a file of its own, bound to the data by their hash.

Two files cannot be moved at once. So the record goes first, and tells both records, that of the data to come and that
of the data which are still there, each with the hash of its data; then the data; then the record alone. Whenever a
writer is killed, one of the two records told fits the data that are there.
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

from multibond.errors import FileError, Finding
from multibond.export.place import Anywhere, put_text

Beside = dict[str, Any]
"""What the file of a record holds: record, units, data_sha256, and `before` while data are on their way."""


def place_of(target: Path) -> Path:
    """Where the record of a file is."""
    return target.with_name(f"{target.name}.json")


def hash_of(path: Path) -> str:
    """SHA-256 of a file."""
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def announce(target: Path, about: Beside) -> Path:
    """Write a record before its data, keeping the one that fits the data still there."""
    old = fitting(target)
    return _write(target, about if old is None else about | {"before": old})


def settle(target: Path, about: Beside) -> Path:
    """Write a record alone, once its data are there."""
    return _write(target, about)


def _write(target: Path, about: Beside) -> Path:
    return put_text(place_of(target), f"{json.dumps(about, indent=2, ensure_ascii=False)}\n")


def fitting(target: Path) -> Beside | None:
    """The record that belongs to the data as they are; None where there is none."""
    try:
        told = json.loads(place_of(target).read_text(encoding="utf-8"))
        now = hash_of(target)
    except (OSError, ValueError):
        return None
    for found in (told, told.get("before")) if isinstance(told, dict) else ():
        if isinstance(found, dict) and found.get("data_sha256") == now:
            return {key: value for key, value in found.items() if key != "before"}
    return None


def read_record(path: Anywhere) -> Beside:
    """The record and units of a .csv or .mat file that `save` wrote; raises where the record is not that of the data.

    A save that was killed half-way is put right: the record that fits the data stays alone.

    >>> read_record("run.csv")["record"]["solver"]
    """
    target = Path(path)
    found = fitting(target)
    if found is None:
        raise FileError(_strange(target))
    if json.loads(place_of(target).read_text(encoding="utf-8")) != found:
        settle(target, found)
    return found


def _strange(target: Path) -> Finding:
    there, beside = target.is_file(), place_of(target)
    if not there or not beside.is_file():
        missing = str(beside if there else target)
        return Finding(f"{target.name!r} has no record.", f"There is no file {missing!r}.", "Save the run again.")
    fact = f"{beside.name!r} tells of data with another hash: one of the two files was changed or moved by itself."
    return Finding(f"{target.name!r} does not belong to its record.", fact, "Save the run again.", (str(target),))
