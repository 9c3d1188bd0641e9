"""Files on disk: text by suffix, JSON or YAML, read within limits and written whole or not at all."""

from __future__ import annotations

import os
import stat
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import Any

from multibond.errors import FileError, Finding
from multibond.graph import json_text
from multibond.graph.draft import draft

SUFFIX = ".mbg"
YAML_SUFFIXES = (".yaml", ".yml")
SUFFIXES = (SUFFIX, ".json", *YAML_SUFFIXES)

LARGEST = 20_000_000
"""Bytes above which a file is not opened: a hundred thousand components, or a million numbers."""

LARGEST_YAML = 500_000
"""The same for YAML, which is meant for hands and eyes and takes up to twelve microseconds a byte to read."""


def read_data(path: Path) -> Any:
    """The plain data in a file; raises one `FileError` where it cannot be read or is not what its suffix says."""
    text = _decoded(_bytes(path), path.name)
    if not text.strip():
        raise FileError(Finding(f"{path.name!r} is empty.", "There is no text in it.", "Is it the right file?"))
    return _notation(path).parse(text, path.name)


def write_data(data: dict[str, Any], target: Path) -> None:
    """Write plain data to a file: beside the old one first, then in its place, so that it is never half written."""
    content = _encoded(data, target)
    try:
        with draft(target) as beside:
            _write(content, beside, target)
    except (OSError, ValueError) as fault:
        raise FileError(_cannot(target.name, "written", fault)) from None


def _is_yaml(path: Path) -> bool:
    return path.suffix.lower() in YAML_SUFFIXES


def _notation(path: Path) -> Any:
    """The module that reads and writes a file; the one for YAML is imported when it is needed."""
    return import_module("multibond.graph.yaml_text") if _is_yaml(path) else json_text


def _limit(path: Path) -> int:
    return LARGEST_YAML if _is_yaml(path) else LARGEST


# -- reading -----------------------------------------------------------------------------------------------------------


def _bytes(path: Path) -> bytes:
    try:
        about = path.stat()
        if not stat.S_ISREG(about.st_mode):
            kind = "a folder" if stat.S_ISDIR(about.st_mode) else "no file that holds data"
            raise FileError(Finding(f"{path.name or '.'!r} cannot be read.", f"It is {kind}.", "Name a model file."))
        with open(path, "rb") as file:
            content = file.read(_limit(path) + 1)
    except FileNotFoundError:
        raise FileError(missing(path)) from None
    except (OSError, ValueError) as fault:
        raise fault if isinstance(fault, FileError) else FileError(_cannot(path.name, "read", fault)) from None
    if len(content) > _limit(path):
        raise FileError(_too_large(path, max(about.st_size, len(content))))
    return content


def _decoded(content: bytes, name: str) -> str:
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as fault:
        fact = f"Byte {fault.start} is no UTF-8."
        raise FileError(Finding(f"{name!r} is not text.", fact, "Is it a model file? Save it as UTF-8.")) from None


def missing(path: Path) -> Finding:
    """The fault of a file that is not there, with the models that are."""
    there: list[str] = []
    with suppress(OSError):
        there = sorted(p.name for p in path.parent.glob("*") if p.suffix in SUFFIXES and p.name.isprintable())
    models = f"Models there: {', '.join(there[:6])}." if there else "There is no model there."
    return Finding(f"there is no file {str(path)!r}.", models, "Check the name and the folder.")


def _too_large(path: Path, size: int) -> Finding:
    fact = f"It has {size / 1e6:.3g} MB; the limit is {_limit(path) / 1e6:g} MB."
    return Finding(f"{path.name!r} is too large for a model.", fact, "Is it the right file?")


def _cannot(name: str, verb: str, fault: Exception) -> Finding:
    reason = getattr(fault, "strerror", None) or str(fault)
    return Finding(f"{name!r} cannot be {verb}.", f"{reason}.", "Check the name, the folder and its permissions.")


# -- writing -----------------------------------------------------------------------------------------------------------


def _encoded(data: dict[str, Any], target: Path) -> bytes:
    try:
        content = _notation(target).to_text(data).encode("utf-8")
    except ValueError as fault:
        raise FileError(_cannot(target.name, "written", fault)) from None
    if len(content) > _limit(target):
        fact = f"It has {len(content) / 1e6:.3g} MB; the limit is {_limit(target) / 1e6:g} MB."
        cure = f"Save it as {target.stem}{SUFFIX}." if _is_yaml(target) else "Divide the model."
        raise FileError(Finding(f"{target.name!r} would be too large for a model.", fact, cure))
    return content


def _write(content: bytes, beside: Path, target: Path) -> None:
    mode = _mode(target)
    with open(beside, "xb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    if mode is not None:
        os.chmod(beside, mode)
    os.replace(beside, target)


def _mode(target: Path) -> int | None:
    """The permissions of the file that is there."""
    try:
        return target.stat().st_mode & 0o7777
    except FileNotFoundError:
        return None
