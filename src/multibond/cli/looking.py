"""Commands that look at a model: check, draw, equations, explain."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer

from multibond.cli.answers import say, told
from multibond.cli.opening import opened
from multibond.cli.options import AsJson, Depth, File, Method, Set, Until, With, choice, positive
from multibond.cli.power import At, Average, Full, Length, Power, PowerOptions, ScaleOf, power_format, power_text

Out = Annotated[Path | None, typer.Option("-o", "--output", "--out", help="Where to write, instead of printing.")]


def check(file: File, changes: Set = None, modules: With = None, as_json: AsJson = False) -> None:
    """Tell every fault of a model: its file, its connections, its causality, its start; note what was left open."""
    with told(as_json):
        from multibond.pipeline import check as check_model

        found = check_model(opened(file, changes, modules))
        say(as_json, {**asdict(found), "report": list(found.report), "notes": list(found.notes)}, str(found))


def draw(
    file: File,
    kind: Annotated[str | None, choice(("word", "multibond", "scalar", "causal", "block"), "What is drawn.")] = None,
    depth: Depth = None,
    method: Annotated[str | None, typer.Option(help="The graph as this method changes it.")] = None,
    highlight: Annotated[list[str] | None, typer.Option(help="An element, part or bond; may be repeated.")] = None,
    variables: Annotated[bool, typer.Option("--variables", help="Letters of effort and flow.")] = False,
    simple: Annotated[bool, typer.Option("--simple", help="Scalar bonds as one would draw them by hand.")] = False,
    signals: Annotated[bool, typer.Option("--signals/--no-signals", help="Lines of signals, or only power.")] = True,
    step: Annotated[int | None, typer.Option(help="Of the strokes, the first so many.", min=0)] = None,
    fold: Annotated[list[str] | None, typer.Option(metavar="NAME", help="A group as one box; may be repeated.")] = None,
    fold_all: Annotated[bool, typer.Option("--fold-all", help="Every group as one box.")] = False,
    width: Annotated[
        float | None, typer.Option(callback=positive, help="Width in px, into which it is wrapped.")
    ] = None,
    format: Annotated[str | None, choice(("svg", "tikz", "html"), "Else as the file's ending says.")] = None,
    power: Power = False,
    until: Length = None,
    at: At = None,
    average: Average = False,
    scale: ScaleOf = None,
    full: Full = None,
    out: Out = None,
    changes: Set = None,
    modules: With = None,
    as_json: AsJson = False,
) -> None:
    """Draw a model as SVG or TikZ: parts, vector bonds, scalar bonds, causality, a block diagram, or power in a run."""
    options = PowerOptions(until, at, average, scale, full)
    options.require(power)
    look: dict[str, Any] = {"kind": kind, "depth": depth, "highlight": highlight or (), "variables": variables}
    more = {"simple": simple or None, "signals": None if signals else False, "step": step}
    more |= {"fold": fold_all or tuple(fold or ()) or None, "width": width}
    look |= {name: value for name, value in more.items() if value is not None}
    with told(as_json):
        from multibond.view.draw import draw as draw_model

        if power:
            form = power_format(format, out, options)
            if out is not None:
                from multibond.export.place import require_place

                require_place(out)
            text = power_text(opened(file, changes, modules), options, form, method, look)
            return _give(text, form, out, as_json)
        form = _form(format, out)
        _give(draw_model(opened(file, changes, modules), method=method, format=form, **look), form, out, as_json)


def _form(format: str | None, out: Path | None) -> str:
    """The format asked for, or that of the file's ending."""
    from multibond.view.draw import ENDINGS, format_of

    if format is None and out is not None and out.suffix.lower() not in ENDINGS:
        from multibond.export.place import unknown_ending

        raise unknown_ending(out, ENDINGS)
    return format or format_of(out)


def equations(
    file: File,
    part: Annotated[str | None, typer.Option(metavar="NAME", help="Elements of this part only.")] = None,
    latex: Annotated[bool, typer.Option("--latex", help="A LaTeX file instead of text.")] = False,
    method: Method = "auto",
    changes: Set = None,
    modules: With = None,
    out: Out = None,
    as_json: AsJson = False,
) -> None:
    """Print the equations: what each element contributes, and the reduced system that is solved."""
    with told(as_json):
        from multibond.view.equations import equations as write_equations

        made = write_equations(opened(file, changes, modules), part, method=method)
        if as_json and out is None:
            return say(True, made.to_dict() | {"latex": made.latex()})
        _give(made.document() if latex else made.text(), "equations", out, as_json)


def explain(
    file: File,
    until: Until = 10.0,
    method: Method = "auto",
    changes: Set = None,
    modules: With = None,
    as_json: AsJson = False,
) -> None:
    """Explain a model: freedoms, states, loops, redundancies, index, solver, cost."""
    with told(as_json):
        from multibond.view.explain import explain as explain_model

        made = explain_model(opened(file, changes, modules), until=until, method=method)
        say(as_json, made.to_dict(), str(made))


def _give(text: str, what: str, out: Path | None, as_json: bool) -> None:
    """Print a text, or write it to a file and say so."""
    if out is None:
        return say(as_json, {what: text}, text)
    from multibond.export.place import put_text

    put_text(out, text)
    say(as_json, {"written": [str(out)]}, f"wrote {out}")
