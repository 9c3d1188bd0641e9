"""A file in the making: written in a hidden folder beside its place, and moved there when it is complete.

The folder holds a lock for as long as its writer lives. What killed writers have left behind is known by a lock that
anyone can take, and removed when the next file is written there; drafts of other writers that live are left alone.
"""

from __future__ import annotations

import os
import secrets
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

PREFIX, LOCK = ".multibond-", "lock"


@contextmanager
def draft(target: Path) -> Iterator[Path]:
    """A path on the same disk under which a file can be written, to be moved to `target`; nothing of it stays."""
    sweep(target.parent)
    folder, lock = _claim(target.parent)
    try:
        yield folder / target.name
    finally:
        _remove(folder)
        lock.close()


def sweep(place: Path) -> None:
    """Remove what writers have left that are no longer there."""
    with suppress(OSError, ValueError):
        for name in [name for name in os.listdir(place) if name.startswith(PREFIX)]:
            with suppress(OSError):
                _remove_dead(place / name)


def _claim(place: Path) -> tuple[Path, IO[bytes]]:
    """A new folder and its lock, held; once more where it was swept away between its making and its locking."""
    while True:
        folder = place / f"{PREFIX}{secrets.token_hex(8)}"
        folder.mkdir(mode=0o700)
        with suppress(FileNotFoundError):
            lock = open(folder / LOCK, "wb")  # noqa: SIM115 -- held until the draft is done
            _take(lock, wait=True)
            if (folder / LOCK).exists():
                return folder, lock
            lock.close()


def _remove_dead(folder: Path) -> None:
    try:
        with open(folder / LOCK, "r+b") as lock:
            if _take(lock, wait=False):
                _remove(folder)
    except FileNotFoundError:
        os.rmdir(folder)


def _remove(folder: Path) -> None:
    """Remove a folder, its lock last: while that is there, it can be swept again."""
    with suppress(OSError):
        for name in os.listdir(folder):
            if name != LOCK:
                os.unlink(folder / name)
    shutil.rmtree(folder, ignore_errors=True)


def _take(lock: IO[bytes], *, wait: bool) -> bool:
    """Lock a file for as long as it is open; whether that was possible. Processes that end give their locks back."""
    try:
        if os.name == "nt":
            import msvcrt

            msvcrt.locking(lock.fileno(), msvcrt.LK_LOCK if wait else msvcrt.LK_NBLCK, 1)  # pyright: ignore[reportAttributeAccessIssue] -- Windows only
        else:
            import fcntl

            fcntl.flock(lock, fcntl.LOCK_EX if wait else fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True
