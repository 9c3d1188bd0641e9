"""How commands answer: text or JSON on standard output, faults in three lines on stderr and exit code 1."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from typing import Any

import click
import typer

from multibond.border import internal_error, named_by_system
from multibond.errors import Finding, MultibondError, UnknownEnding
from multibond.errors import told as listed


def print_json(value: Any) -> None:
    """One JSON value on standard output."""
    typer.echo(json.dumps(value, indent=2, ensure_ascii=False, allow_nan=False))


def answer(kind: type[Exception] = MultibondError, findings: Sequence[Finding] = ()) -> dict[str, Any]:
    """How every answer in JSON begins."""
    return {"ok": not findings, "findings": [{"error": kind.__name__, **asdict(finding)} for finding in findings]}


def say(as_json: bool, facts: dict[str, Any], *lines: str) -> None:
    """Give the facts as JSON, or else the lines."""
    if as_json:
        return print_json(answer() | facts)
    for line in lines:
        typer.echo(line)


@contextmanager
def told(as_json: bool = False) -> Iterator[None]:
    """Tell faults in the user's words instead of a traceback, and leave with exit code 1 (2 for an unknown ending)."""
    try:
        yield
        return
    except MultibondError as error:
        kind, findings = type(error), list(error.findings)
    except KeyboardInterrupt as stop:
        typer.echo(str(stop).partition(";")[0].rstrip(".") or "interrupted", err=True)
        raise typer.Exit(130) from None
    except (BrokenPipeError, typer.Exit, typer.Abort, click.ClickException):
        raise
    except Exception as fault:
        own = named_by_system(fault) or internal_error(fault, "this command")
        kind, findings = type(own), list(own.findings)
    if as_json:
        print_json(answer(kind, findings))
    leave_if(kind, findings)


def leave_if(kind: type[Exception], findings: Sequence[Finding]) -> None:
    """Print findings on stderr and leave with exit code 1, or 2 for wrong usage; go on where there is none."""
    if not findings:
        return
    from rich.text import Text

    from multibond.view.terminal import console

    screen = console(stderr=True)
    for finding in listed(findings):
        screen.print(Text.assemble((kind.__name__, "bold red"), f": {str(finding).rstrip()}"))
    raise typer.Exit(2 if issubclass(kind, UnknownEnding) else 1)
