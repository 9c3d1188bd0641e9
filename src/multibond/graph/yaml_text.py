"""Plain data as YAML text for reading by eye and writing by hand, and back.

Only the YAML that says the same as JSON is read: tables, lists, text, numbers, true, false, null. Tags, anchors and
aliases are refused; a date is text, 1e-3 a number, and "yes" the word yes. Faults are told with line and column.
"""

from __future__ import annotations

import json
import re
from typing import Any

from ruamel.yaml import YAML, events
from ruamel.yaml.error import MarkedYAMLError

from multibond.errors import FileError
from multibond.graph.json_text import LONGEST, is_text, tell_twice, where
from multibond.graph.place import NESTED, Faults, short, too_deep

CONSTANTS: dict[str, Any] = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL"), None),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
}
"""Words without quotes that are no text."""

WHOLE = re.compile(r"[-+]?[0-9]+")
NUMBER = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?|[-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN)")
PLAIN = re.compile(r"[A-Za-z_][\w./-]*( [\w./-]+)*", re.ASCII)
"""Text that is written without quotes."""

LONG_KEY = 1000
"""Letters above which YAML does not look for the colon of a key."""

TAKEN = {*CONSTANTS, "yes", "no", "on", "off", "y", "n"}
"""Words that some reader of YAML takes for something else."""


# -- writing -----------------------------------------------------------------------------------------------------------


def to_text(data: dict[str, Any]) -> str:
    """Data as the text of a file, in the order of the data."""
    return "".join(f"{line}\n" for key, value in data.items() for line in _entry(key, value))


def _entry(key: str, value: Any) -> list[str]:
    """A key with its value: on its own line where it is short, else below."""
    if isinstance(value, dict) and value:
        below = [line for name, item in value.items() for line in _entry(name, item)]
    elif isinstance(value, list) and any(isinstance(item, dict | list) for item in value):
        below = [line for item in value for line in _listed(item)]
    else:
        *mark, colon = _key(key)
        return [*mark, f"{colon} {_flow(value)}"]
    return [*_key(key), *(f"  {line}" for line in below)]


def _listed(item: Any) -> list[str]:
    """An item of a list; a component takes a line for each of its entries."""
    if not (isinstance(item, dict) and "type" in item):
        return [f"- {_flow(item)}"]
    lines = [line for key, value in item.items() for line in _entry(key, value)]
    return [f"- {lines[0]}", *(f"  {line}" for line in lines[1:])]


def _flow(value: Any) -> str:
    """A value on one line."""
    if isinstance(value, dict):
        return f"{{{', '.join(' '.join((*_key(key), _flow(item))) for key, item in value.items())}}}"
    if isinstance(value, list):
        return f"[{', '.join(map(_flow, value))}]"
    if isinstance(value, str):
        return _word(value)
    text = json.dumps(value, allow_nan=False)
    return re.sub(r"^(-?\d+)e", r"\1.0e", text)  # 1e-05 is a number to us, but text to readers of YAML 1.1


def _key(text: str) -> list[str]:
    """A key with its colon, on two lines where it is so long that YAML wants a mark before it."""
    word = _word(text)
    return [f"{word}:"] if len(word) < LONG_KEY else [f"? {word}", ":"]


def _word(text: str) -> str:
    """Text as it stands in YAML, in quotes where it could be taken for something else."""
    if PLAIN.fullmatch(text) and text.lower() not in TAKEN:
        return text
    quoted = json.dumps(text, ensure_ascii=False)
    return "".join(c if c.isprintable() and c != "\ufeff" else f"\\U{ord(c):08x}" for c in quoted)


# -- reading -----------------------------------------------------------------------------------------------------------


def parse(text: str, name: str) -> Any:
    """The data that a text holds; name: the file, for the error."""
    builder = _Builder(name)
    try:
        for event in YAML(typ="safe", pure=True).parse(text):
            builder.take(event)
    except FileError:
        raise
    except MarkedYAMLError as fault:
        mark = fault.problem_mark or fault.context_mark
        builder.faults.tell(f"{name!r} is not YAML.", f"{_place(mark)}: {fault.problem}.", "Correct the text there.")
    except Exception as fault:  # whatever the parser stumbles over, the text is to blame
        position = getattr(fault, "position", None)
        at = f"At {where(text, position)}" if isinstance(position, int) else f"After {_place(builder.mark).lower()}"
        reason = getattr(fault, "reason", None) or str(fault).strip().split("\n")[0]
        builder.faults.tell(f"{name!r} is not YAML.", f"{at}: {str(reason)[:80]}.", "Correct the text there.")
    builder.end()
    if builder.faults:
        raise FileError(*builder.faults)
    return builder.data


def _place(mark: Any) -> str:
    return f"Line {mark.line + 1}, column {mark.column + 1}" if mark else "At its end"


class _Builder:
    """Puts plain data together from the events of a YAML text, without recursion, and collects faults."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.data: Any = None
        self.faults = Faults()
        self.mark: Any = None
        self.documents = 0
        self.anchors: list[Any] = []  # all of them are one fault: a file that is built on them has thousands
        self.open: list[tuple[Any, list[str]]] = []  # holders, each with the key that waits for its value

    def take(self, event: Any) -> None:
        """One event."""
        self.mark = event.end_mark
        if isinstance(event, events.DocumentStartEvent):
            self.documents += 1
            if self.documents == 2:
                self._refuse(event, "holds two documents", "Put each model into a file of its own.")
        if isinstance(event, events.NodeEvent) and event.anchor is not None:
            self.anchors.append(event)
        tag = getattr(event, "tag", None)
        if tag is not None:
            self._refuse(event, f"uses a tag, {short(str(tag))}", "Remove the tag.")
        if isinstance(event, events.MappingStartEvent | events.SequenceStartEvent):
            self._begin(event)
        elif isinstance(event, events.MappingEndEvent | events.SequenceEndEvent):
            self.open.pop()
        elif isinstance(event, events.ScalarEvent):
            self._scalar(event)
        elif isinstance(event, events.AliasEvent):
            self._put(event, f"*{len(self.anchors)}")

    def end(self) -> None:
        """Tell what is known at the end of the text only."""
        if self.anchors:
            first = self.anchors[0]
            more = "" if len(self.anchors) == 1 else f", and {len(self.anchors) - 1} more"
            self._refuse(first, f"uses an anchor or alias, {short(first.anchor)}{more}", "Write the values out.")

    def _begin(self, event: Any) -> None:
        if len(self.open) >= NESTED:
            raise FileError(*self.faults, too_deep(f": {_place(event.start_mark).lower()}"))
        holder: Any = {} if isinstance(event, events.MappingStartEvent) else []
        self._put(event, holder)
        self.open.append((holder, []))

    def _scalar(self, event: Any) -> None:
        if not is_text(event.value):
            self._refuse(event, "holds what is no text", "Correct the text there.")
            return self._put(event, "")
        bare = event.style is None or event.style == ""
        expects_key = bool(self.open) and isinstance(self.open[-1][0], dict) and not self.open[-1][1]
        self._put(event, event.value if expects_key or not bare else self._meaning(event))

    def _meaning(self, event: Any) -> Any:
        """What a word without quotes stands for."""
        text = event.value
        if text in CONSTANTS:
            return CONSTANTS[text]
        if not NUMBER.fullmatch(text):
            return text
        if len(text) > LONGEST:
            self._refuse(event, "holds a number that is too long", "Shorten the number.")
            return None
        return int(text) if WHOLE.fullmatch(text) else float(text.replace(".inf", "inf").replace(".nan", "nan"))

    def _put(self, event: Any, value: Any) -> None:
        """Put a value where it belongs: the next item of a list, a key, or the value of the key that waits."""
        if not self.open:
            self.data = value
            return
        holder, waiting = self.open[-1]
        if isinstance(holder, list):
            holder.append(value)
        elif waiting:
            holder[waiting.pop()] = value
        else:
            waiting.append(self._key(event, value, holder))

    def _key(self, event: Any, value: Any, holder: dict[str, Any]) -> str:
        if not isinstance(value, str):
            self._refuse(event, "has a key that is no word", "Write a word before the colon.")
            return f"?{len(holder)}"
        if value in holder:
            tell_twice(value, _place(event.start_mark).lower(), self.name, self.faults)
        return value

    def _refuse(self, event: Any, what: str, cure: str) -> None:
        fact = f"{_place(event.start_mark)}: a model file is plain data."
        self.faults.tell(f"{self.name!r} {what}.", fact, cure)
