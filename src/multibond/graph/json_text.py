"""Plain data as JSON text, an entry a line, and back. What is wrong with the text is told with its line and column."""

from __future__ import annotations

import json
import re
from typing import Any

from multibond.errors import FileError, Finding
from multibond.graph.place import NESTED, Faults, is_deep, short, too_deep

TEXT = r'"[^"\\]*(?:\\.[^"\\]*)*"'
LONGEST = 4300
"""Digits of the longest number that Python reads."""


def to_text(data: dict[str, Any]) -> str:
    """Data as the text of a file: an entry a line, in the order of the data."""
    return f"{_block(data, '')}\n"


def parse(text: str, name: str) -> Any:
    """The data that a text holds; name: the file, for the error."""
    doubled: list[str] = []

    def table(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        made = dict(pairs)
        if len(made) < len(pairs):
            doubled.append(name)
        return made

    try:
        data = json.loads(text, object_pairs_hook=table)
    except RecursionError:
        raise FileError(too_deep(_deep_place(text))) from None
    except json.JSONDecodeError as fault:
        fact = f"Line {fault.lineno}, column {fault.colno}: {fault.msg[:1].lower()}{fault.msg[1:]}."
        raise FileError(Finding(f"{name!r} is not JSON.", fact, "Correct the text there.")) from None
    except ValueError:
        raise FileError(_long_number(text, name)) from None
    if is_deep(data):
        raise FileError(too_deep(_deep_place(text)))
    faults = Faults()
    if doubled:
        _tell_doubled(text, name, faults)
    if "\\u" in text:
        _tell_halves(text, name, faults)
    if faults:
        raise FileError(*faults)
    return data


def where(text: str, position: int) -> str:
    """A position in a text as "line 3, column 7"."""
    line = text.count("\n", 0, position) + 1
    return f"line {line}, column {position - text.rfind(chr(10), 0, position)}"


# -- writing -----------------------------------------------------------------------------------------------------------


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


# -- faults, looked for only where there is one ------------------------------------------------------------------------


def _tell_doubled(text: str, name: str, faults: Faults) -> None:
    """Every key that one object holds twice."""
    held: list[set[str]] = []
    for token in re.finditer(rf"{TEXT}(?=(\s*:)?)|[{{}}]", text):
        if token[0] == "{":
            held.append(set())
        elif token[0] == "}":
            held.pop()
        elif token[1]:
            key = json.loads(token[0])
            if key in held[-1]:
                tell_twice(key, where(text, token.start()), name, faults)
            held[-1].add(key)


def tell_twice(key: str, at: str, name: str, faults: Faults) -> None:
    """The fault of a table that says something twice."""
    fact = f"One object holds it twice, and only one of both could be meant: {at}."
    faults.tell(f"{name!r} says {short(key)} twice.", fact, "Remove one of the two.", key)


def _tell_halves(text: str, name: str, faults: Faults) -> None:
    """Every text with half of a pair that makes one letter: it could never be written again."""
    for token in re.finditer(TEXT, text):
        if "\\u" in token[0] and not is_text(json.loads(token[0])):
            fact = f"Half a letter (\\ud800 to \\udfff without its other half): {where(text, token.start())}."
            faults.tell(f"{name!r} holds what is no text.", fact, "Correct the text there.")


def is_text(value: str) -> bool:
    """Whether a text can be written to a file."""
    try:
        value.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def _long_number(text: str, name: str) -> Finding:
    found = re.search(rf"\d{{{LONGEST + 1},}}", text)
    fact = f"It has more than {LONGEST} digits: {where(text, found.start() if found else 0)}."
    return Finding(f"{name!r} holds a number that is too long.", fact, "Shorten the number.")


def _deep_place(text: str) -> str:
    """Where the brackets stand too deep within one another."""
    depth = 0
    for token in re.finditer(rf"{TEXT}|[\[{{\]}}]", text):
        depth += (token[0] in "[{") - (token[0] in "]}")
        if depth > NESTED:
            return f": {where(text, token.start())}"
    return ""
