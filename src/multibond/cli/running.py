"""The command `run`: simulate, print how it went and where it ended, write results."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from multibond.cli.answers import answer, leave_if, print_json, told
from multibond.cli.filming import (
    Animate,
    ArrowScale,
    Constraints,
    Filming,
    Forces,
    Fps,
    Frames,
    Speed,
    View,
    filming,
)
from multibond.cli.opening import opened
from multibond.cli.options import AsJson, File, Method, Set, Solver, Until, With, positive
from multibond.errors import Finding, SimulationError

if TYPE_CHECKING:
    from multibond.lower.system import System
    from multibond.workbench import Run

ROWS = 24
"""Rows of the table of end values; --json and --output give all."""

AUDITED = 200_000
"""Steps above which the energy is not audited: that would take longer than the run."""

Names = Annotated[list[str] | None, typer.Option("--variable", "-v", metavar="NAME", help="Print and save only these.")]
Plots = Annotated[list[str] | None, typer.Option(metavar="NAME", help="Variable to plot; may be repeated.")]
Output = Annotated[
    list[Path] | None,
    typer.Option("-o", "--output", help="Results: .nc, .parquet, .csv or .mat; may be repeated."),
]
Points = Annotated[int | None, typer.Option(min=2, help="Equally spaced times in the results, instead of the steps.")]
Audit = Annotated[bool, typer.Option("--audit", help="Check energy, momentum, constraints and steps.")]
HowTrue = Annotated[bool, typer.Option("--accuracy", help="Estimate the errors, by a second run with smaller steps.")]
PowerFlow = Annotated[Path | None, typer.Option(metavar="FILE.html", help="Write a page of power flow.")]


def run(
    file: File,
    until: Until = 10.0,
    method: Method = "auto",
    solver: Solver = "auto",
    rtol: Annotated[float, typer.Option(callback=positive, help="Relative tolerance.")] = 1e-9,
    step: Annotated[float | None, typer.Option(callback=positive, help="Length of fixed steps in seconds.")] = None,
    changes: Set = None,
    modules: With = None,
    names: Names = None,
    output: Output = None,
    points: Points = None,
    plot: Plots = None,
    figure: Annotated[Path | None, typer.Option(metavar="FILE.png", help="Where the plot goes.")] = None,
    animate: Animate = None,
    frames: Frames = False,
    forces: Forces = False,
    constraints: Constraints = False,
    arrow_scale: ArrowScale = None,
    view: View = None,
    fps: Fps = None,
    speed: Speed = None,
    power_flow: PowerFlow = None,
    audit: Audit = False,
    accuracy: HowTrue = False,
    as_json: AsJson = False,
) -> None:
    """Simulate a model and print how it went and where it ended."""
    film = filming(
        animate, frames=frames, forces=forces, constraints=constraints, arrow_scale=arrow_scale, view=view, fps=fps,
        speed=speed,
    )  # fmt: skip
    with told(as_json):
        from multibond.pipeline import compile
        from multibond.solve.origin import sources

        model = opened(file, changes, modules)
        picture = figure or Path(f"{file.stem}.png")
        pages = [power_flow] if power_flow else []
        _require_places([*(output or []), *([picture] if plot else []), *pages], output or [])
        _require_page(power_flow)
        if film:
            film.require_possible()
        system = compile(model, method)
        for name in (*(names or ()), *(plot or ())):
            sources(system, [name])[0].observer.expression(name)
        made, findings = _simulated(system, until, solver, rtol, step, quiet=as_json)
        written = _written(made, names, output or [], points, plot or [], picture, film)
        if power_flow:
            made.power_flow(power_flow)
            written.append(str(power_flow))
        summary = _summary(model.name, made, names or plot) | {"written": written}
        summary["energy_residual"] = None if findings else _energy_residual(made)
        reports = {"audit": made.audit() if audit else None, "accuracy": made.accuracy(names) if accuracy else None}
        asked = {name: report for name, report in reports.items() if report is not None}
        summary |= {name: report.to_dict() for name, report in asked.items()}
        print_json(answer(SimulationError, findings) | summary) if as_json else _print_summary(summary)
        for report in asked.values() if not as_json else ():
            typer.echo(str(report))
        leave_if(SimulationError, findings)


def _require_places(paths: Sequence[Path], results: Sequence[Path]) -> None:
    """Refuse what cannot be written before the run, not after it."""
    from multibond.export.files import require_format
    from multibond.export.place import require_place

    for path in paths:
        require_format(path) if path in results else require_place(path)


def _require_page(path: Path | None) -> None:
    """Refuse endings that are no page's: the run is played, and a picture cannot do that."""
    if path is not None and path.suffix.lower() not in (".html", ".htm"):
        from multibond.export.place import unknown_ending

        raise unknown_ending(path, (".html", ".htm"))


def _simulated(
    system: System, until: float, solver: str, rtol: float, step: float | None, *, quiet: bool
) -> tuple[Run, list[Finding]]:
    """The run, and where it stopped early why; the trajectory so far is kept."""
    from multibond.workbench import Run, simulate

    try:
        return simulate(system, until, solver=solver, rtol=rtol, step=step, progress=False if quiet else None), []
    except SimulationError as error:
        if not isinstance(error.run, Run):
            raise
        return error.run, list(error.findings)


def _written(
    made: Run, names: Sequence[str] | None, output: Sequence[Path], points: int | None,
    plot: Sequence[str], picture: Path, film: Filming | None,
) -> list[str]:  # fmt: skip
    paths: list[Path] = []
    if output:
        from multibond.export.files import write
        from multibond.export.table import tabulate

        table = tabulate(made, names or None, points)
        paths += [path for target in output for path in write(target, table, made.record)]
    if plot:
        made.plot(*plot, path=picture)
        paths.append(picture)
    if film:
        made.animate(film.path, **film.options)
        paths.append(film.path)
    return [str(path) for path in paths]


# -- the summary -------------------------------------------------------------------------------------------------------


def _summary(model: str, made: Run, names: Sequence[str] | None) -> dict[str, Any]:
    from multibond.equations.household import state_names
    from multibond.export.table import tabulate

    record = made.record
    wanted = list(names) if names else list(dict.fromkeys(state_names(made.system.dae).values()))
    end = tabulate(made, wanted, made.t[-1:]).flat
    return {
        "model": model,
        "time": record.end,
        "method": record.method,
        "solver": record.solver,
        "reason": record.reason,
        "status": record.status,
        "steps": record.statistics["accepted"],
        "rejected": record.statistics["rejected"],
        "evaluations": record.statistics["evaluations"],
        "end": {column.name: _number(column.values[0]) for column in end},
        "units": {column.name: column.unit for column in end if column.unit},
        "hits": [asdict(hit) for hit in made.hits],
        "report": list(made.system.report),
        "record": record.to_dict(),
    }


def _energy_residual(made: Run) -> float | None:
    """What the energy audit leaves unexplained; None where no step was made, or too many."""
    return None if not 2 <= made.t.size <= AUDITED else _number(made.energy().residual)


def _number(value: Any) -> float | None:
    number = float(value)
    return number if math.isfinite(number) else None


def _print_summary(summary: dict[str, Any]) -> None:
    from rich.box import SIMPLE
    from rich.table import Table

    from multibond.view.terminal import console as terminal

    console = terminal()
    work = f"{summary['steps']} steps, {summary['rejected']} rejected, {summary['evaluations']} evaluations"
    console.print(f"{summary['model']}: {summary['time']:g} s, {work} ({summary['method']}, {summary['solver']})")
    table = Table(box=SIMPLE, show_edge=False, pad_edge=False)
    table.add_column("variable", no_wrap=True)
    table.add_column(f"at {summary['time']:g} s", justify="right", no_wrap=True)
    table.add_column("unit", no_wrap=True)
    for name, value in list(summary["end"].items())[:ROWS]:
        number = "not finite" if value is None else f"{value:.9g}"
        table.add_row(name, number, summary["units"].get(name, ""))
    console.print(table)
    if len(summary["end"]) > ROWS:
        console.print(f"… and {len(summary['end']) - ROWS} more; --json prints all")
    if summary["energy_residual"] is not None:
        console.print(f"energy residual: {summary['energy_residual']:.3g}")
    if summary["hits"]:
        last = summary["hits"][-1]
        console.print(f"{len(summary['hits'])} hits on stops, the last at {last['time']:.6g} s on {last['path']}")
    for line in summary["report"]:
        console.print(line)
    for path in summary["written"]:
        console.print(f"wrote {path}")
