"""Model files: `.mbg`, JSON data that is opened without running any code.

    >>> save(arm, "arm.mbg")
    >>> arm = load("arm.mbg")

A file holds for each component its name, its type in the catalogue and the parameters that differ from the default,
then who is connected to whom; numbers come back to the last digit. One line a component makes changes easy to compare.
`schema()` is the JSON Schema. What a file gives wrong is raised as one `FileError` with all its faults.
"""

from __future__ import annotations

import json
import os
import secrets
from importlib import import_module
from pathlib import Path
from typing import Any

from multibond.errors import FileError, Finding, raise_findings
from multibond.graph import data as _data
from multibond.graph.data import Types
from multibond.graph.model import Model

SUFFIX = ".mbg"

LARGEST = 100_000_000
"""Bytes above which a file is not opened."""


def load(path: str | os.PathLike[str], types: Types | None = None) -> Model:
    """The model in a file. types: what the type names mean; the whole catalogue where nothing is said."""
    return from_data(_parse(_read(Path(path)), Path(path).name), types)


def save(model: Model, path: str | os.PathLike[str], types: Types | None = None) -> None:
    """Write a model to a file: beside the old one first, then in its place, so that it is never half written."""
    text = to_text(to_data(model, types))
    target = Path(os.path.realpath(path))
    beside = target.with_name(f".{target.name}.{secrets.token_hex(4)}.tmp")
    try:
        _write(text, beside, target)
    except (OSError, UnicodeError) as fault:
        raise FileError(_cannot(target.name, "written", fault)) from None
    finally:
        beside.unlink(missing_ok=True)


def to_data(model: Model, types: Types | None = None) -> dict[str, Any]:
    """The model as plain data, ready for JSON."""
    return _data.to_data(model, _known(types))


def from_data(data: Any, types: Types | None = None) -> Model:
    """The model that plain data describe."""
    return _data.from_data(data, _known(types))


def schema(types: Types | None = None) -> dict[str, Any]:
    """The JSON Schema of model files, every type with its parameters."""
    from multibond.graph.schema import json_schema

    return json_schema(_known(types))


def to_text(data: dict[str, Any]) -> str:
    """Data as the text of a file: an entry a line, in the order of the data."""
    return f"{_block(data, '')}\n"


def _known(types: Types | None) -> Types:
    # The catalogue stands above this room, which knows no type by itself: it is looked up when nobody names another.
    return import_module("multibond.catalogue").CATALOGUE if types is None else types


# -- text --------------------------------------------------------------------------------------------------------------


def _block(data: dict[str, Any], indent: str) -> str:
    """A model's data: an entry a line, and within lists and tables an item a line."""
    inner = f"{indent}  "
    lines = []
    for key, value in data.items():
        if isinstance(value, list) and value:
            items = [f"{inner}  {_item(item, inner + '  ')}" for item in value]
            lines.append(f"{inner}{_line(key)}: [\n{_commas(items)}\n{inner}]")
        elif isinstance(value, dict) and value:
            items = [f"{inner}  {_line(name)}: {_line(item)}" for name, item in value.items()]
            lines.append(f"{inner}{_line(key)}: {{\n{_commas(items)}\n{inner}}}")
        else:
            lines.append(f"{inner}{_line(key)}: {_line(value)}")
    return f"{{\n{_commas(lines)}\n{indent}}}"


def _item(item: Any, indent: str) -> str:
    return _block(item, indent) if isinstance(item, dict) and "components" in item else _line(item)


def _commas(lines: list[str]) -> str:
    return ",\n".join(lines)


def _line(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False)


def _parse(text: str, name: str) -> Any:
    doubled: list[str] = []

    def table(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        made = dict(pairs)
        if len(made) < len(pairs):
            keys = [key for key, _ in pairs]
            doubled.extend(key for key in made if keys.count(key) > 1)
        return made

    try:
        data = json.loads(text, object_pairs_hook=table)
    except RecursionError:
        raise FileError(_data.too_deep()) from None
    except json.JSONDecodeError as fault:
        fact = f"Line {fault.lineno}, column {fault.colno}: {fault.msg[:1].lower()}{fault.msg[1:]}."
        raise FileError(Finding(f"{name!r} is not JSON.", fact, "Correct the text there.")) from None
    except ValueError as fault:
        raise FileError(Finding(f"{name!r} is not JSON.", f"{fault}.", "Shorten the number.")) from None
    fact = "One object holds it twice, and only one of both could be meant."
    raise_findings(
        FileError, [Finding(f"{name!r} says {key!r} twice.", fact, "Remove one of the two.", (key,)) for key in doubled]
    )
    return data


# -- disk --------------------------------------------------------------------------------------------------------------


def _read(path: Path) -> str:
    try:
        size = path.stat().st_size
        content = path.read_bytes() if size <= LARGEST else b""
    except FileNotFoundError:
        raise FileError(_missing(path)) from None
    except (OSError, ValueError) as fault:
        raise FileError(_cannot(path.name, "read", fault)) from None
    if size > LARGEST:
        fact = f"It has {size / 1e6:.0f} MB; the limit is {LARGEST / 1e6:.0f} MB."
        raise FileError(Finding(f"{path.name!r} is too large for a model.", fact, "Is it the right file?"))
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as fault:
        fact = f"Byte {fault.start} is no UTF-8."
        raise FileError(Finding(f"{path.name!r} is not text.", fact, "Is it a model file? Save it as UTF-8.")) from None


def _write(text: str, beside: Path, target: Path) -> None:
    with open(beside, "x", encoding="utf-8", newline="\n") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    if target.exists():
        os.chmod(beside, target.stat().st_mode & 0o7777)
    os.replace(beside, target)


def _missing(path: Path) -> Finding:
    there = sorted(other.name for other in path.parent.glob(f"*{SUFFIX}")) if path.parent.is_dir() else []
    models = f"Models there: {', '.join(there[:6])}." if there else "There is no model there."
    return Finding(f"there is no file {str(path)!r}.", models, "Check the name and the folder.")


def _cannot(name: str, verb: str, fault: Exception) -> Finding:
    reason = getattr(fault, "strerror", None) or str(fault)
    return Finding(f"{name!r} cannot be {verb}.", f"{reason}.", "Check the name, the folder and its permissions.")
