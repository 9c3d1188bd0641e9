"""The command `causality`: what the strokes of a model tell, how they were put, and the paths of signals."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from multibond.cli.answers import answer, leave_if, print_json, say, told
from multibond.cli.opening import opened
from multibond.cli.options import AsJson, File, Method, Set, With, changes
from multibond.errors import CausalityError, Finding, ModelError

if TYPE_CHECKING:
    from multibond.view.causality_report import CausalReport
    from multibond.workbench import Model

Steps = Annotated[bool, typer.Option("--steps", help="Print how the strokes were put, one after the other.")]
Why = Annotated[str | None, typer.Option(metavar="NAME", help="Why the strokes of a bond or an element are there.")]
From = Annotated[str | None, typer.Option("--from", metavar="NAME", help="With --to: causal paths from this element.")]
To = Annotated[str | None, typer.Option("--to", metavar="NAME", help="What acts on this variable, and what does not.")]
Prefer = Annotated[
    list[str] | None,
    typer.Option(metavar="NAME=WORD", callback=changes, help="Ask for a causality: coil=derivative; may be repeated."),
]
Between = Annotated[
    tuple[str, str] | None,
    typer.Option("--path", metavar="INPUT OUTPUT", help="Causal paths between two names; lit up with -o."),
]
Out = Annotated[Path | None, typer.Option("-o", "--output", "--out", help="Draw the causal graph: .svg, .tex, .tikz.")]
Play = Annotated[Path | None, typer.Option(metavar="PAGE", help="An HTML page that plays how the strokes were put.")]
Depth = Annotated[int, typer.Option(min=2, max=3, help="2 multibonds, 3 scalar bonds.")]


def causality(
    file: File,
    method: Method = "auto",
    depth: Depth = 2,
    steps: Steps = False,
    why: Why = None,
    start: From = None,
    end: To = None,
    between: Between = None,
    prefer: Prefer = None,
    play: Play = None,
    out: Out = None,
    settings: Set = None,
    modules: With = None,
    as_json: AsJson = False,
) -> None:
    """Tell what the strokes say: derivative causality, loops, zero-order paths, conflicts, index, a method."""
    with told(as_json):
        from multibond.view.causality_report import causality as causality_of

        model = opened(file, settings, modules)
        start, end = between or (start, end)
        wishes = {name: str(word) for name, word in prefer or ()}
        if out is None and (start is not None or end is not None):
            return _print_paths(model, start, end, depth, as_json)
        made = causality_of(model, method=method, depth=depth, prefer=wishes)
        if out is not None or play is not None:
            return _write(made, (start, end), out, play, as_json)
        if steps or why is not None:
            told_steps = made.steps if why is None else made.why(why)
            return say(as_json, {"steps": [str(step) for step in told_steps]}, *map(str, told_steps))
        _tell(made, as_json)


def _tell(made: CausalReport, as_json: bool) -> None:
    """All findings; a conflict or a fault leaves with exit code 1."""
    findings = list(dict.fromkeys((*(conflict.finding for conflict in made.conflicts), *made.faults)))
    if as_json:
        print_json(answer(CausalityError, findings) | made.to_dict())
    else:
        say(False, {}, made.report())
    leave_if(CausalityError, findings)


def _write(
    made: CausalReport, ends: tuple[str | None, str | None], out: Path | None, play: Path | None, as_json: bool
) -> None:
    """The drawing, with the shortest path where two names are given, and the page that plays the steps."""
    from multibond.export.place import put_text
    from multibond.view.draw import format_of

    start, end = ends
    found = made.paths(start, end, most=1) if start is not None and end is not None else ()
    if start is not None and not found:
        fact = f"No causal path leads from {start!r} to {end!r}."
        raise ModelError(Finding("there is no path to draw.", fact, "Say --path INPUT OUTPUT with other names."))
    if out is not None:
        put_text(out, made.draw(found, format=format_of(out)))
    if play is not None:
        put_text(play, made.play())
    written = [str(path) for path in (out, play) if path is not None]
    facts = {"written": written, "path": [str(path) for path in found]}
    findings = list(dict.fromkeys(made.strokes.conflicts.values()))
    if as_json:
        print_json(answer(CausalityError, findings) | facts)
    else:
        say(False, {}, *(f"wrote {path}" for path in written), *facts["path"])
    leave_if(CausalityError, findings)


def _print_paths(model: Model, start: str | None, end: str | None, depth: int, as_json: bool) -> None:
    """The paths between two names, or what has no path to one."""
    from multibond.view.causality_report import irrelevant, paths

    if end is None:
        fact = f"Only its beginning, {start!r}, is given."
        raise ModelError(Finding("a causal path needs an end.", fact, "Say --to NAME as well."))
    if start is None:
        idle = irrelevant(model, end, depth=depth)
        return say(as_json, {"irrelevant": list(idle)}, *(f"{path}: no causal path to {end}" for path in idle))
    found = paths(model, start, end, depth=depth)
    facts: list[dict[str, Any]] = [
        {"text": str(path), "order": path.order, "bonds": [list(bond) for bond in path.bonds]} for path in found
    ]
    say(as_json, {"paths": facts}, *(map(str, found) if found else [f"no causal path from {start} to {end}"]))
