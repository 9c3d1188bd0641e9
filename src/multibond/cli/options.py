"""The options that several commands share, and the checks of their values: a wrong one is wrong usage (exit code 2)."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from multibond.rewrite.method import METHODS
from multibond.solve.methods import METHODS as SOLVERS

Check = Callable[[Any], Any]


def version(wanted: bool) -> None:
    """Print the version and leave."""
    if wanted:
        from multibond import __version__

        typer.echo(f"multibond {__version__}")
        raise typer.Exit


def not_negative(value: float | None) -> float | None:
    """Refuse negative numbers and what is no number."""
    if value is not None and not (math.isfinite(value) and value >= 0):
        raise typer.BadParameter("it must be a number, not negative.")
    return value


def positive(value: float | None) -> float | None:
    """Refuse what is not a positive number."""
    if value is not None and not (math.isfinite(value) and value > 0):
        raise typer.BadParameter("it must be a positive number.")
    return value


def one_of(known: Sequence[str]) -> Check:
    """Refuse words that are not in a list."""

    def check(value: str | None) -> str | None:
        if value is not None and value not in known:
            raise typer.BadParameter(f"it must be one of {', '.join(known)}.")
        return value

    return check


def changes(given: list[str] | None) -> list[tuple[str, Any]]:
    """Paths and values from `path=value`: a number, a list, a word, or {"guess": 1.2} for a start value."""
    found = []
    for entry in given or []:
        path, equals, value = entry.partition("=")
        if not equals or not path.strip() or not value.strip():
            raise typer.BadParameter(f"{entry!r} is not of the form path=value.")
        found.append((path.strip(), _value(value.strip())))
    return found


def _value(text: str) -> Any:
    """JSON where it is; numbers with commas are a list; anything else is a word."""
    for attempt in (text, f"[{text}]" if "," in text else text):
        try:
            return json.loads(attempt)
        except ValueError:
            continue
    return text


def choice(known: Sequence[str], text: str) -> Any:
    """An option that takes one of a list of words, and completes them."""
    metavar = f"[{'|'.join(known)}]"
    return typer.Option(metavar=metavar, callback=one_of(known), autocompletion=lambda: list(known), help=text)


ALL_SOLVERS = ("auto", *SOLVERS)

File = Annotated[Path, typer.Argument(metavar="FILE", help="A model file (.mbg, .json, .yaml).", show_default=False)]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON instead of text.")]
Version = Annotated[bool, typer.Option("--version", callback=version, is_eager=True, help="Print the version.")]
Force = Annotated[bool, typer.Option("--force", help="Write over a file that is there.")]
Until = Annotated[float, typer.Option(callback=not_negative, help="End time in seconds.")]
Method = Annotated[str, choice(METHODS, "How constraints are treated.")]
Solver = Annotated[str, choice(ALL_SOLVERS, "How time is advanced.")]
Depth = Annotated[int | None, typer.Option(min=1, max=3, help="1 parts, 2 multibonds, 3 scalar bonds.")]
With = Annotated[
    list[str] | None,
    typer.Option("--with", metavar="MODULE", help="A module of own types, or its .py file: this runs its code."),
]
Set = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="PATH=VALUE", callback=changes, help="Change a parameter; may be repeated."),
]
