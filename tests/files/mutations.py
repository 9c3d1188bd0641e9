"""Valid model files, and ways to spoil them: byte by byte, word by word, entry by entry."""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import multibond as mb
from multibond.examples import EXAMPLES
from multibond.graph import json_text, yaml_text
from multibond.graph.file import save, to_data

from .samples import nested
from .test_inert import FILE as BOXES
from .test_library import leg, robot


@dataclass(frozen=True)
class Case:
    """A spoilt file: how it was made, what it is called, what stands in it."""

    level: str
    suffix: str
    content: bytes


WORDS = [
    *("null", "true", "false", "NaN", "Infinity", "-Infinity", ".nan", ".inf", "-0", "1e999", "1e-999", "-1", "0", "3"),
    *("1e308", "0.5", "1e-3", "9" * 40, "9" * 5000, "2.5", "1_000", "0x1f", "2024-01-01", "yes", "~", '""', '"x"'),
    *("{", "}", "[", "]", ":", ",", '"', "'", "\\", "\n", "\t", " ", "-", "#", "|", ">", "%", "@", "`", "---", "..."),
    *("&a", "*a", "!!python/object/apply:os.system", "!!binary", "!x", "<<", "? ", "- ", "%YAML 1.2", "\ufeff", "\0"),
    *("Model", "file", "parts/leg.mbg", "../leg.mbg", "/dev/zero", "loop.mbg", "self.mbg", "spatial.Body", "my.Own"),
    *("format", "version", "name", "size", "type", "parameters", "components", "connections", "bonds", "signals"),
    *("equalities", "exposed", "layout", "names", "from", "to", "guess", "formula", "frame", "any", "world.frame"),
    *("__class__", "__init__", "\\ud800", "\\u0000", "\u202e", "\U0001f916", "a.b.c", "hip.frame_a[0]", "value[1]"),
    *('{"guess": 1}', '{"formula": "sin(t)"}', '{"formula": "(((("}', '{"formula": "t**t**t"}', "[[1, 2], [3]]"),
]
"""What stands in files, and what should not."""

VALUES: list[Any] = [
    *(None, True, False, 0, 1, -1, 3, 10**30, 10**400, 0.5, -0.0, 1e308, 1e-320, float("nan"), float("inf")),
    *("", "x", "y", "Model", "One", "spatial.Revolute", "my.Own", "world", "world.frame", "a.b", "\0", "\u202e", "é"),
    *([], [[]], [0], [1.0, 2.0, 3.0], [[1.0, 0.0], [0.0, 1.0]], ["world.frame"], ["x", "y"], [None], [0.1] * 50),
    *({}, {"guess": 0.1}, {"guess": "x"}, {"formula": "t"}, {"formula": "sin("}, {"formula": 3}, {"formula": "q**2"}),
    *({"name": "x", "type": "One"}, {"name": "x", "type": "Model", "components": []}, {"from": "x", "to": "y"}),
    *({"name": "part", "type": "Model", "file": "parts/leg.mbg"}, {"name": "m", "type": "Model", "file": "self.mbg"}),
    {"name": "part", "type": "Model", "file": "parts/leg.mbg", "parameters": {"foot.mass": 3.0}},
]


LARGEST = 100_000
"""Bytes of the largest case: what is repeated over and over grows, and YAML takes some microseconds a byte."""


@cache
def bases() -> tuple[dict[str, Any], ...]:
    """The data of valid files: all examples, a nested machine, boxes, library parts, formulas."""
    drive = mb.Model("drive", size=3)
    flow = drive.add(mb.One("flow"))
    drive.bond(mb.Se("mains", "325*sin(2*pi*50*t)"), flow)
    drive.bond(flow, mb.R("brush", effort="3*f**3"))
    drive.bond(flow, mb.C("spring", energy="0.5*q**2"))
    uses = json.loads(json_text.to_text(to_data(robot(leg()))))
    uses["components"][1:] = [
        {"name": "left", "type": "Model", "file": "parts/leg.mbg"},
        {"name": "right", "type": "Model", "file": "parts/leg.mbg", "parameters": {"foot.mass": 2.0}},
    ]
    examples = [to_data(make()) for make in EXAMPLES.values()]
    return (*examples, to_data(nested()), BOXES, to_data(drive), uses)


@cache
def _weights() -> list[float]:
    return [1.0 / len(json.dumps(data)) for data in bases()]


def _base(rng: Random) -> dict[str, Any]:
    """One of the valid files; a large one more seldom, in proportion to the time it takes."""
    return rng.choices(bases(), _weights())[0]


def furnish(folder: Path) -> None:
    """The files that references may lead to."""
    (folder / "parts").mkdir()
    save(leg(), folder / "parts" / "leg.mbg")
    (folder / "loop.mbg").symlink_to(folder / "loop.mbg")


def spoilt(rng: Random) -> Case:
    """A valid file with something wrong, or not."""
    level = rng.choice(list(LEVELS))
    suffix = rng.choice((".mbg", ".yaml"))
    content = LEVELS[level](rng, suffix)
    while len(content) > LARGEST:
        content = LEVELS[level](rng, suffix)
    return Case(level, suffix, content)


# -- levels ------------------------------------------------------------------------------------------------------------


def text_of(data: Any, suffix: str) -> str:
    """Data as text, also where our own writers would refuse it."""
    try:
        return (yaml_text if suffix == ".yaml" else json_text).to_text(data)
    except (ValueError, AttributeError):
        return json.dumps(data)


def _bytes(rng: Random, suffix: str) -> bytes:
    content = bytearray(text_of(_base(rng), suffix).encode())
    for _ in range(rng.choice((1, 1, 2, 4, 16))):
        at, length = rng.randrange(len(content) + 1), rng.choice((1, 1, 2, 8, 64))
        piece = content[at : at + length]
        kind = rng.randrange(6)
        if kind == 0:
            content[at : at + length] = b""
        elif kind == 1:
            content[at:at] = rng.randbytes(length)
        elif kind == 2:
            content[at : at + length] = rng.randbytes(len(piece))
        elif kind == 3:
            content[at:at] = piece * rng.choice((1, 2, 50))
        elif kind == 4 and piece:
            content[at] ^= 1 << rng.randrange(8)
        else:
            other = rng.randrange(len(content) + 1)
            content[other:other] = piece
    return bytes(content)


def _tokens(rng: Random, suffix: str) -> bytes:
    tokens = re.findall(r"[\w.+-]+|\s+|.", text_of(_base(rng), suffix))
    for _ in range(rng.choice((1, 1, 2, 5))):
        at, other = rng.randrange(len(tokens)), rng.randrange(len(tokens))
        kind = rng.randrange(5)
        if kind == 0:
            tokens[at] = ""
        elif kind == 1:
            tokens[at] = rng.choice(WORDS)
        elif kind == 2:
            tokens.insert(at, rng.choice(WORDS) * rng.choice((1, 1, 1, 200)))
        elif kind == 3:
            tokens[at], tokens[other] = tokens[other], tokens[at]
        else:
            tokens[at:at] = tokens[other : other + rng.choice((1, 5, 20))]
    return "".join(tokens).encode("utf-8", "surrogatepass")


def _structure(rng: Random, suffix: str) -> bytes:
    data: Any = copy.deepcopy(_base(rng))
    for _ in range(rng.choice((1, 1, 1, 2, 3))):
        places = _places(data)
        holder, key = rng.choice(places)
        kind = rng.randrange(10)
        if kind == 0:
            del holder[key]
        elif kind == 1:
            holder[key] = copy.deepcopy(rng.choice(VALUES))
        elif kind == 2:
            holder[key] = copy.deepcopy(_at(rng.choice(places)))
        elif kind == 3:
            _insert(rng, holder, copy.deepcopy(rng.choice(VALUES)))
        elif kind == 4:
            _insert(rng, holder, copy.deepcopy(_at(rng.choice(places))))
        elif kind == 5:
            holder[key] = _deep(holder[key], rng.choice((1, 3, 60, 120)))
        else:
            holder[key] = _nudged(rng, holder[key])
        if not data:
            break
    return text_of(data, suffix).encode("utf-8", "surrogatepass")


LEVELS: dict[str, Callable[[Random, str], bytes]] = {"bytes": _bytes, "tokens": _tokens, "structure": _structure}


def _places(data: Any) -> list[tuple[Any, Any]]:
    """Every holder in the data with every key of it."""
    found, open_ = [], [data]
    while open_:
        holder = open_.pop()
        keys = list(holder) if isinstance(holder, dict) else range(len(holder))
        found += [(holder, key) for key in keys]
        open_ += [holder[key] for key in keys if isinstance(holder[key], dict | list)]
    return found


def _at(place: tuple[Any, Any]) -> Any:
    holder, key = place
    try:
        return holder[key]
    except LookupError:
        return None


def _insert(rng: Random, holder: Any, value: Any) -> None:
    if isinstance(holder, list):
        holder.insert(rng.randrange(len(holder) + 1), value)
    else:
        holder[rng.choice((*holder, "x", "file", "size", "names", "parameters", ""))] = value


def _deep(value: Any, levels: int) -> Any:
    for k in range(levels):
        value = [value] if k % 2 else {"components": value}
    return value


def _nudged(rng: Random, value: Any) -> Any:
    """A value of the same kind, but another one."""
    if isinstance(value, str):
        at = rng.randrange(len(value) + 1)
        return value[:at] + rng.choice(("", "x", ".", "[0]", " ", "é", "\0")) + value[at + rng.randrange(2) :]
    if isinstance(value, list) and value:
        return rng.choice((value[1:], value * 2, value[::-1], value * 100 if len(value) < 10 else value))
    if isinstance(value, dict) and value:
        return dict(reversed(list(value.items())))
    if isinstance(value, int | float) and abs(value) < 1e300:
        return rng.choice((-value, value * 10, value + 0.5, str(value), [value], value * 1e300))
    return value
