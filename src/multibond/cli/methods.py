"""The commands `compare`, `count` and `advise`: methods side by side, freedoms joint by joint, which method to take."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from multibond.cli.answers import say, told
from multibond.cli.opening import opened
from multibond.cli.options import AsJson, File, Set, Until, With, one_of, positive
from multibond.rewrite.method import METHODS
from multibond.rewrite.parasitic import Parasitic

Methods = Annotated[
    list[str] | None,
    typer.Option(
        "--method",
        metavar=f"[{'|'.join(METHODS)}]",
        help="A method to compare; may be repeated; all where none is named.",
        callback=lambda given: [one_of(METHODS)(word) for word in given or ()],
        autocompletion=lambda: list(METHODS),
    ),
]
Depths = Annotated[
    list[int] | None, typer.Option("--depth", min=2, max=3, help="2 vector, 3 scalar bonds; both where none is named.")
]
Tolerance = Annotated[float, typer.Option(callback=positive, help="Relative tolerance of the runs.")]
Stiffness = Annotated[
    float, typer.Option(callback=positive, help="Of springs in the place of constraints, in N/m and N.m/rad.")
]
Damping = Annotated[
    float, typer.Option(callback=positive, help="Of dampers beside these springs, in N.s/m and N.m.s/rad.")
]
Plot = Annotated[Path | None, typer.Option(metavar="PATH", help="Draw the errors over time to this file.")]


def compare(
    file: File,
    until: Until = 1.0,
    methods: Methods = None,
    depths: Depths = None,
    rtol: Tolerance = 1e-9,
    stiffness: Stiffness = Parasitic.stiffness,
    damping: Damping = Parasitic.damping,
    plot: Plot = None,
    changes: Set = None,
    modules: With = None,
    as_json: AsJson = False,
) -> None:
    """Run a model by every method, with vector and scalar bonds, and print what they cost and how far they agree."""
    with told(as_json):
        from multibond.view.compare import compare as compared

        model = opened(file, changes, modules)
        soft = Parasitic(stiffness, damping, stiffness, damping)
        made = compared(model, until, methods=methods or METHODS, depths=depths or (2, 3), rtol=rtol, parasitic=soft)
        if plot is not None:
            made.plot(plot)
        written = {"written": [str(plot)]} if plot is not None else {}
        say(as_json, made.to_dict() | written if as_json else {}, *([] if as_json else [str(made)]))


def count(file: File, changes: Set = None, modules: With = None, as_json: AsJson = False) -> None:
    """Count freedoms joint by joint, and tell the mobility by rank and the redundant constraints."""
    with told(as_json):
        from multibond.view.count import count as counted

        made = counted(opened(file, changes, modules))
        say(as_json, made.to_dict() if as_json else {}, *([] if as_json else [str(made)]))


def advise(file: File, changes: Set = None, modules: With = None, as_json: AsJson = False) -> None:
    """Tell which method suits a model, and why."""
    with told(as_json):
        from dataclasses import asdict

        from multibond.view.causality_report import causality

        made = causality(opened(file, changes, modules)).advice
        say(as_json, asdict(made) if as_json else {}, *([] if as_json else [str(made)]))
