"""Files are written beside their place and moved there when they are complete: never half a file."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

from multibond.errors import FileError, Finding, UnknownEnding
from multibond.graph.draft import draft

Anywhere = str | os.PathLike[str]


def require_place(path: Anywhere) -> Path:
    """The path as a `Path`, or an error where no file can be written there."""
    target = Path(path)
    if target.is_dir():
        raise FileError(
            Finding(f"{str(target)!r} cannot be written.", "It is a folder.", "Name a file in it.", (str(target),))
        )
    folder = target.parent
    if not folder.is_dir():
        fact = f"{str(folder)!r} is a file." if folder.exists() else f"There is no folder {str(folder)!r}."
        raise FileError(Finding(f"{target.name!r} cannot be written.", fact, "Make the folder, or name another."))
    return target


def put(path: Anywhere, write: Callable[[Path], object], before: Callable[[Path], object] | None = None) -> Path:
    """Let `write` fill a new file of the same name, then put it in its place; returns the path.

    before: is called with the complete new file, just before it is moved.
    """
    target = require_place(path)
    final = Path(os.path.realpath(target))
    try:
        with draft(final) as beside:
            write(beside)
            if final.exists():
                os.chmod(beside, final.stat().st_mode & 0o7777)
            if before is not None:
                before(beside)
            os.replace(beside, final)
    except OSError as fault:
        reason = fault.strerror or str(fault)
        cure = "Check the name, the folder and its permissions."
        raise FileError(Finding(f"{target.name!r} cannot be written.", f"{reason}.", cure)) from None
    return target


def put_text(path: Anywhere, text: str) -> Path:
    """Write text as UTF-8."""
    return put(path, lambda beside: beside.write_text(text, encoding="utf-8", newline="\n"))


def unknown_ending(path: Path, known: tuple[str, ...]) -> UnknownEnding:
    """The error for an ending that says no known format."""
    given = f"The ending {path.suffix!r} is not known" if path.suffix else "It has no ending"
    fact = f"{given}; known are {', '.join(known)}."
    return UnknownEnding(Finding(f"{path.name!r} has no known format.", fact, "Choose one of these endings."))
