"""The commands `assemble`, `equilibrium` and `sweep`: positions of a machine without a run."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from multibond.cli.answers import say, told
from multibond.cli.opening import opened
from multibond.cli.options import AsJson, File, Set, With, choice

ROWS = 24
"""Rows of a printed sweep; --json and --output give all."""

How = Annotated[str, choice(("auto", "relax"), "Newton's method, or springs in the place of constraints.")]
Names = Annotated[list[str] | None, typer.Option("--variable", "-v", metavar="NAME", help="Print and save only these.")]
Output = Annotated[Path | None, typer.Option("-o", "--output", metavar="FILE.csv", help="Where the table goes.")]
Figure = Annotated[Path | None, typer.Option("--figure", metavar="FILE.png", help="Where a plot goes.")]


def assemble(
    file: File, method: How = "auto", changes: Set = None, modules: With = None, as_json: AsJson = False
) -> None:
    """Find the start of a machine: positions and speeds of all joints, and what was moved."""
    with told(as_json):
        from multibond.mechanics import assemble as assembled

        found = assembled(opened(file, changes, modules), method=method)
        say(as_json, found.to_dict(), str(found))


def equilibrium(file: File, changes: Set = None, modules: With = None, as_json: AsJson = False) -> None:
    """Find where a machine stays at rest, downhill from its start, and whether it is stable there."""
    with told(as_json):
        from multibond.mechanics import equilibrium as at_rest

        found = at_rest(opened(file, changes, modules))
        say(as_json, found.to_dict(), str(found))


def sweep(
    file: File,
    coordinate: Annotated[str, typer.Argument(metavar="COORDINATE", help="Coordinate of a joint, such as O.angle.")],
    start: Annotated[float, typer.Option("--from", help="First value, in rad or m.")] = 0.0,
    end: Annotated[float, typer.Option("--to", help="Last value, in rad or m.")] = 6.283185307179586,
    steps: Annotated[int, typer.Option(min=1, help="Number of steps between them.")] = 100,
    names: Names = None,
    output: Output = None,
    figure: Figure = None,
    changes: Set = None,
    modules: With = None,
    as_json: AsJson = False,
) -> None:
    """Lead a joint through its range without dynamics: positions, and speeds for a unit speed of the joint."""
    with told(as_json):
        import numpy as np

        from multibond.export.place import require_place
        from multibond.mechanics import sweep as swept

        model = opened(file, changes, modules)
        for place in (p for p in (output, figure) if p is not None):
            require_place(place)
        found = swept(model, coordinate, np.linspace(start, end, steps + 1))
        heads, rows = found.table(names or ())
        written = [str(found.save(output, names or ()))] if output else []
        if figure:
            found.plot(*(names or ()), path=figure)
            written.append(str(figure))
        dead = {name: list(values) for name, values in found.dead_points.items()}
        facts = {
            "columns": heads, "rows": rows.tolist(), "limits": list(found.limits), "dead_points": dead,
            "written": written,
        }  # fmt: skip
        say(as_json, facts, *_lines(heads, rows[:: max(1, len(rows) // ROWS)].tolist()), *found.limits,
            *(f"{name} stands still at {coordinate} = {_list(values)}" for name, values in dead.items()),
            *(f"wrote {path}" for path in written))  # fmt: skip


def _list(values: list[float]) -> str:
    return ", ".join(f"{value:.9g}" for value in values)


def _lines(heads: list[str], rows: list[list[float]]) -> list[str]:
    """Columns of equal width."""
    width = [max(14, len(head) + 2) for head in heads]
    lines = ["".join(head.rjust(w) for head, w in zip(heads, width, strict=True))]
    return lines + ["".join(f"{value:.6g}".rjust(w) for value, w in zip(row, width, strict=True)) for row in rows]
