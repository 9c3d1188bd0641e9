"""The command `causality`: what the strokes of a model tell, how they were put, and the paths of signals."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from multibond.cli.answers import say, told
from multibond.cli.opening import opened
from multibond.cli.options import AsJson, File, Method, Set, With, changes
from multibond.errors import Finding, ModelError

if TYPE_CHECKING:
    from multibond.workbench import Model

Steps = Annotated[bool, typer.Option("--steps", help="Print how the strokes were put, one after the other.")]
Why = Annotated[str | None, typer.Option(metavar="NAME", help="Why the strokes of a bond or an element are there.")]
From = Annotated[str | None, typer.Option("--from", metavar="NAME", help="With --to: causal paths from this element.")]
To = Annotated[str | None, typer.Option("--to", metavar="NAME", help="What acts on this variable, and what does not.")]
Prefer = Annotated[
    list[str] | None,
    typer.Option(metavar="NAME=WORD", callback=changes, help="Ask for a causality: coil=derivative; may be repeated."),
]
Depth = Annotated[int, typer.Option(min=2, max=3, help="2 multibonds, 3 scalar bonds.")]


def causality(
    file: File,
    method: Method = "auto",
    depth: Depth = 2,
    steps: Steps = False,
    why: Why = None,
    start: From = None,
    end: To = None,
    prefer: Prefer = None,
    settings: Set = None,
    modules: With = None,
    as_json: AsJson = False,
) -> None:
    """Tell what the strokes say: derivative causality, loops, zero-order paths, conflicts, index, a method."""
    with told(as_json):
        from multibond.view.causality_report import causality as causality_of

        model = opened(file, settings, modules)
        if start is not None or end is not None:
            return _print_paths(model, start, end, depth, as_json)
        wishes = {name: str(word) for name, word in prefer or ()}
        made = causality_of(model, method=method, depth=depth, prefer=wishes)
        if steps or why is not None:
            told_steps = made.steps if why is None else made.why(why)
            return say(as_json, {"steps": [str(step) for step in told_steps]}, *map(str, told_steps))
        say(as_json, made.to_dict() if as_json else {}, *([] if as_json else [made.report()]))


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
