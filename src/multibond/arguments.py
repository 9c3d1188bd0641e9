"""Why a call does not fit: what is missing or unknown, and which argument is not of the kind that the call takes."""

from __future__ import annotations

import inspect
import sys
import types
from collections.abc import Callable, Mapping, Sequence
from difflib import get_close_matches
from numbers import Integral, Real
from typing import Annotated, Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

import numpy as np

from multibond.errors import Finding, WrongArgument, with_article

NUMBERS, ROW = "numbers", "numbers in a row"
Numbers = Annotated[Any, NUMBERS]
"""A number, an array of them, or numbers by name."""
Row = Annotated[Any, NUMBERS, ROW]
"""A number or an array of them."""

WORDS: dict[Any, str] = {
    float: "a number",
    int: "a whole number",
    str: "text",
    bool: "True or False",
    type(None): "None",
    Callable: "a function",
    Mapping: "a dict",
    Sequence: "a list",
}
"""What the kinds that stand in signatures are called."""


def misfit(call: Callable[..., Any], name: str, given: Sequence[Any], named: Mapping[str, Any]) -> WrongArgument | None:
    """What is wrong with the arguments of a call; None where they are all right."""
    signature = inspect.signature(call)
    own = next(iter(signature.parameters), "") in ("self", "cls")
    listed = [p for p in signature.parameters.values() if p.name not in ("self", "cls")]
    values = list(given[1:] if own else given)
    findings = _uncalled(name, listed, values, named)
    if not findings:
        bound = signature.bind(*given, **named).arguments
        findings = [
            _unfit(name, p, hint, value) for p, hint, value in _typed(call, listed, bound) if not fits(value, hint)
        ]
        findings = [Finding(f.problem, f.fact, f"It is called {_shape(name, listed)}.") for f in findings]
    return WrongArgument(*findings) if findings else None


def _uncalled(name: str, listed: list[inspect.Parameter], values: list[Any], named: Mapping[str, Any]) -> list[Finding]:
    """Arguments that are missing, given twice, too many, or not known."""
    places = [p for p in listed if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    kinds = {p.kind for p in listed}
    shape = f"It is called {_shape(name, listed)}."
    known = [p.name for p in listed]
    taken = [p.name for p in places[: len(values)]]
    findings = []
    for word in named if inspect.Parameter.VAR_KEYWORD not in kinds else ():
        if word not in known:
            near = get_close_matches(word, known, n=1, cutoff=0.5)
            findings.append(Finding(f"{name} has no argument {word!r}.", shape, _say(near, known)))
        elif word in taken:
            findings.append(Finding(f"{name} was given {word} twice.", shape, "Give it once, by place or by name."))
    if len(values) > len(places) and inspect.Parameter.VAR_POSITIONAL not in kinds:
        count = f"{len(values)} where it takes {len(places)}"
        findings.append(
            Finding(f"{name} was given too many arguments by place: {count}.", shape, "Leave out or name some.")
        )
    variadic = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    needed = [p.name for p in listed if p.default is p.empty and p.kind not in variadic]
    missing = [word for word in needed if word not in taken and word not in named]
    if missing:
        findings.append(
            Finding(f"{name} misses {' and '.join(map(repr, missing))}.", shape, f"Give {missing[0]} as well.")
        )
    return findings


def _say(near: list[str], known: list[str]) -> str:
    return f"Nearest: {near[0]!r}." if near else f"It takes {', '.join(known) or 'none'}."


def _shape(name: str, listed: list[inspect.Parameter]) -> str:
    """A call as one would write it, without defaults and types."""
    if name.endswith("]"):
        return name.replace("…", listed[0].name)
    name, words, starred = name.removesuffix("(…)"), [], False
    for p in listed:
        if p.kind is p.KEYWORD_ONLY and not starred:
            words.append("*")
        starred = starred or p.kind in (p.KEYWORD_ONLY, p.VAR_POSITIONAL)
        words.append({p.VAR_POSITIONAL: "*", p.VAR_KEYWORD: "**"}.get(p.kind, "") + p.name)
    return f"{name}({', '.join(words)})"


def _typed(call: Any, listed: list[inspect.Parameter], bound: Mapping[str, Any]) -> list[tuple[str, Any, Any]]:
    """Name, annotation and value of each argument that was given; for collecting arguments, of each collected one."""
    found: list[tuple[str, Any, Any]] = []
    for p in listed:
        if p.name not in bound or p.annotation is p.empty or bound[p.name] is p.default:
            continue
        hint, value = _hint(call, p.annotation), bound[p.name]
        if p.kind is p.VAR_POSITIONAL:
            found += [(p.name, hint, each) for each in value]
        elif p.kind is p.VAR_KEYWORD:
            found += [(word, hint, each) for word, each in value.items()]
        else:
            found.append((p.name, hint, value))
    return found


def _hint(call: Any, annotation: Any) -> Any:
    """What an annotation stands for; anything where its names are not known at run time."""
    space = types.SimpleNamespace(__annotations__={"it": annotation})
    try:
        return get_type_hints(space, getattr(inspect.unwrap(call), "__globals__", {}), include_extras=True)["it"]
    except (NameError, TypeError):
        return Any


def fits(value: Any, hint: Any) -> bool:
    """Whether a value is of the kind that an annotation tells."""
    origin, parts = get_origin(hint), get_args(hint)
    if hint is Any:
        return True
    if isinstance(hint, TypeVar):
        return fits(value, hint.__bound__) if isinstance(hint.__bound__, type) else True
    if origin is Annotated:
        named = isinstance(value, Mapping) and ROW in hint.__metadata__
        return NUMBERS not in hint.__metadata__ or (_are_numbers(value) and not named)
    if origin in (Union, types.UnionType):
        return any(fits(value, part) for part in parts)
    if origin is Literal:
        return any(value is part or (type(value) is type(part) and value == part) for part in parts)
    if hint is float:
        number = isinstance(value, Real | np.number) or (isinstance(value, np.ndarray) and value.ndim == 0)
        return number and (not isinstance(value, int) or abs(value) <= sys.float_info.max)
    if hint is int:
        return isinstance(value, Integral) and not isinstance(value, bool)
    if hint is None:
        return value is None
    if origin is not None:
        return callable(value) if origin is Callable else isinstance(value, origin) and _holds(value, origin, parts)
    return isinstance(value, hint) if isinstance(hint, type) else True


def _are_numbers(value: Any) -> bool:
    if isinstance(value, Mapping):
        return bool(value) and all(map(_are_numbers, value.values()))
    if isinstance(value, str | bytes) or value is None:
        return False
    try:
        np.asarray(value, float)
    except (TypeError, ValueError, OverflowError):
        return False
    return True


def _holds(value: Any, origin: Any, parts: tuple[Any, ...]) -> bool:
    """Whether what a list, a tuple or a dict holds is of the right kind too."""
    if origin is tuple and Ellipsis not in parts:
        return len(value) == len(parts) and all(fits(each, part) for each, part in zip(value, parts, strict=True))
    if isinstance(value, Mapping) and len(parts) == 2:
        return all(fits(k, parts[0]) and fits(v, parts[1]) for k, v in value.items())
    if isinstance(value, Sequence) and not isinstance(value, str) and parts:
        return all(fits(each, parts[0]) for each in value)
    return True


def _unfit(name: str, argument: str, hint: Any, value: Any) -> Finding:
    try:
        shown = repr(value)
    except Exception:  # a value of the user's that cannot be shown
        shown = f"what it was given, {with_article(type(value).__name__)}"
    shown = shown if len(shown) <= 60 else f"{shown[:57]}..."
    if (inner := _unfit_within(hint, value)) is not None:
        wanted, item = inner
        fact = f"It holds {_words(wanted)}; {item!r} is {_word(type(item))}."
        return Finding(f"{name}: {argument} cannot be {shown}.", fact, "")
    fact = f"It takes {_words(hint)}; this is {_word(type(value))}."
    return Finding(f"{name}: {argument} cannot be {shown}.", fact, "")


def _unfit_within(hint: Any, value: Any) -> tuple[Any, Any] | None:
    """What does not belong into a dict or list that is right by itself: what it should hold, and what it holds."""
    origin, parts = get_origin(hint), get_args(hint)
    if origin in (Union, types.UnionType) or not isinstance(origin, type) or not isinstance(value, origin) or not parts:
        return None
    if isinstance(value, Mapping) and len(parts) == 2:
        pairs = [(part, item) for both in value.items() for part, item in zip(parts, both, strict=True)]
    elif isinstance(value, Sequence) and not isinstance(value, str) and origin is not tuple:
        pairs = [(parts[0], item) for item in value]
    else:
        return None
    return next(((part, item) for part, item in pairs if not fits(item, part)), None)


def _words(hint: Any) -> str:
    """An annotation as one would say it."""
    origin, parts = get_origin(hint), get_args(hint)
    if origin is Annotated:
        return "numbers"
    if origin in (Union, types.UnionType):
        *first, last = list(dict.fromkeys(_words(part) for part in parts))
        return f"{', '.join(first)} or {last}" if first else last
    if origin is Literal:
        return " or ".join(repr(part) for part in parts)
    return _word(origin or hint)


def _word(kind: Any) -> str:
    if kind in WORDS:
        return WORDS[kind]
    if isinstance(kind, type) and issubclass(kind, Mapping):
        return WORDS[Mapping]
    named = getattr(kind, "__name__", str(kind))
    return "a path" if named == "PathLike" else with_article(named) if named[:1].isupper() else f"{_an(named)} {named}"


def _an(word: str) -> str:
    return "an" if word[:1] in "aeiou" else "a"
