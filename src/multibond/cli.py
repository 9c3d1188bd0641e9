"""The command line: `multibond run`, `check`, `draw`, `examples`, `schema`.

Exit codes: 0 well, 1 a fault of the model or the run (told in three lines on stderr), 2 wrong usage.
Whatever a command does not need is not imported: a run from a file should be done before one gets impatient.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from multibond.errors import FileError, Finding, MultibondError, SimulationError, unknown_name

if TYPE_CHECKING:
    from multibond.graph.model import Model
    from multibond.lower.system import System
    from multibond.solve.solution import Solution

app = typer.Typer(
    name="multibond",
    help="Multibond graphs: simulate, check and draw machines from model files.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)

ROWS = 24
"""Rows of the table of end values; --json and --out give all."""


class Method(StrEnum):
    """How constraints are treated."""

    AUTO = "auto"
    MULTIPLIER = "multiplier"
    RC = "rc"


class Solver(StrEnum):
    """How time is advanced."""

    AUTO = "auto"
    DOP853 = "dop853"
    DOPRI5 = "dopri5"
    RODAS5P = "rodas5p"
    RK4 = "rk4"


def main() -> None:
    """Entry point of the command `multibond`."""
    app(prog_name="multibond")


def _version(wanted: bool) -> None:
    if wanted:
        from multibond import __version__

        typer.echo(f"multibond {__version__}")
        raise typer.Exit


def _not_negative(value: float | None) -> float | None:
    if value is not None and not (math.isfinite(value) and value >= 0):
        raise typer.BadParameter("it must be a number, not negative.")
    return value


def _positive(value: float | None) -> float | None:
    if value is not None and not (math.isfinite(value) and value > 0):
        raise typer.BadParameter("it must be a positive number.")
    return value


File = Annotated[Path, typer.Argument(metavar="FILE", help="A model file (.mbg).", show_default=False)]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON instead of text.")]


Version = Annotated[bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")]


@app.callback()
def _options(version: Version = False) -> None:
    """Multibond graphs: simulate, check and draw machines from model files."""


# -- commands ----------------------------------------------------------------------------------------------------------


@app.command()
def run(
    file: File,
    until: Annotated[float, typer.Option(callback=_not_negative, help="End time in seconds.")] = 10.0,
    method: Annotated[Method, typer.Option(help="How constraints are treated.")] = Method.AUTO,
    solver: Annotated[Solver, typer.Option(help="How time is advanced.")] = Solver.AUTO,
    rtol: Annotated[float, typer.Option(callback=_positive, help="Relative tolerance.")] = 1e-9,
    step: Annotated[float | None, typer.Option(callback=_positive, help="Step of rk4 in seconds.")] = None,
    plot: Annotated[list[str] | None, typer.Option(metavar="NAME", help="Variable to plot; may be repeated.")] = None,
    out: Annotated[Path | None, typer.Option(help="Folder for results, or a .csv file.")] = None,
    points: Annotated[int, typer.Option(min=2, help="Number of equally spaced times in the .csv file.")] = 1001,
    animate: Annotated[Path | None, typer.Option(metavar="FILE.html", help="Write an animation.")] = None,
    as_json: AsJson = False,
) -> None:
    """Simulate a model and print how it went and where it ended."""
    with _told(as_json):
        from multibond.graph.file import load
        from multibond.pipeline import compile, simulate

        model = load(file)
        system = compile(model, method.value)
        names = plot or []
        for name in names:
            system.observer.expression(name)
        solution = simulate(system, until, solver=solver.value, rtol=rtol, step=step)
        written = _write_table(solution, names, _csv_path(file, out), points)
        written += _write_figure(solution, names, _figure_path(file, out)) if names else []
        written += _write_animation(solution, animate) if animate else []
        summary = _summary(model, solution, names) | {"written": written}
        findings = [_stopped(solution)] if solution.status.failed else []
        _print_json(_answer(SimulationError, findings) | summary) if as_json else _print_summary(summary)
        _leave_if(SimulationError, findings)


@app.command()
def check(file: File, as_json: AsJson = False) -> None:
    """Tell every fault of a model: its file, its connections, its causality, its start."""
    with _told(as_json):
        from multibond.graph.check import check as check_model
        from multibond.graph.file import load
        from multibond.pipeline import stages

        model = load(file)
        check_model(model)
        made = stages(model)
        facts = {
            "model": model.name,
            "components": len(model.components),
            "states": made.dae.nx,
            "report": [str(made.tree), str(made.reduced.redundancy), *made.start.moved],
        }
        if as_json:
            return _print_json(_answer(MultibondError, []) | facts)
        typer.echo(f"{model.name}: no fault. {facts['components']} components, {facts['states']} states.")
        for line in facts["report"]:
            typer.echo(f"  {line}")


@app.command()
def draw(
    file: File,
    depth: Annotated[int | None, typer.Option(min=1, max=3, help="1 parts, 2 multibonds, 3 scalar bonds.")] = None,
    out: Annotated[Path | None, typer.Option("-o", "--out", help="SVG file; standard output where not given.")] = None,
) -> None:
    """Draw a model as SVG."""
    with _told():
        from multibond.graph.file import load
        from multibond.view.draw import draw as draw_model

        svg = draw_model(load(file), depth=depth)
        if out is None:
            return typer.echo(svg)
        out.write_text(svg, encoding="utf-8")
        typer.echo(f"wrote {out}")


@app.command()
def examples(
    name: Annotated[str | None, typer.Argument(help="Which example; without it all.", show_default=False)] = None,
    to: Annotated[Path | None, typer.Option(metavar="DIR", help="Folder to write to.")] = None,
    force: Annotated[bool, typer.Option("--force", help="Write over files that are there.")] = False,
    as_json: AsJson = False,
) -> None:
    """List the examples, or write one or all of them as model files."""
    with _told(as_json):
        from multibond.examples import EXAMPLES

        if name is not None and name not in EXAMPLES:
            raise unknown_name("the list of examples", name, EXAMPLES, offer="`multibond examples` lists them all.")
        if name is None and to is None:
            return _list_examples(EXAMPLES, as_json)
        folder = to or Path()
        chosen = {name: EXAMPLES[name]} if name is not None else EXAMPLES
        written = _write_examples(chosen, folder, force)
        if as_json:
            return _print_json({"ok": True, "written": written})
        for path in written:
            typer.echo(f"wrote {path}")


@app.command()
def schema() -> None:
    """Print the JSON Schema of model files, with every type and its parameters."""
    from multibond.graph.file import schema as schema_of_files

    _print_json(schema_of_files())


# -- examples ----------------------------------------------------------------------------------------------------------


def _list_examples(known: dict[str, Callable[[], Model]], as_json: bool) -> None:
    told = {name: (make.__doc__ or "").strip().split("\n")[0] for name, make in known.items()}
    if as_json:
        return _print_json(told)
    width = max(map(len, told), default=0)
    for name, story in told.items():
        typer.echo(f"{name:{width}}  {story}")


def _write_examples(chosen: dict[str, Callable[[], Model]], folder: Path, force: bool) -> list[str]:
    from multibond.graph.file import SUFFIX, save

    paths = {name: folder / f"{name}{SUFFIX}" for name in chosen}
    if there := [path for path in paths.values() if path.exists() and not force]:
        cure = "Say --force to write over it."
        raise FileError(*(Finding(f"{str(p)!r} is there already.", "It may hold changes.", cure) for p in there))
    folder.mkdir(parents=True, exist_ok=True)
    for name, make in chosen.items():
        save(make(), paths[name])
    return [str(path) for path in paths.values()]


# -- results -----------------------------------------------------------------------------------------------------------


def _csv_path(file: Path, out: Path | None) -> Path | None:
    if out is None:
        return None
    return out if out.suffix.lower() == ".csv" else out / f"{file.stem}.csv"


def _figure_path(file: Path, out: Path | None) -> Path:
    return (_csv_path(file, out) or Path(file.name)).with_suffix(".png")


def _write_table(solution: Solution, names: Sequence[str], path: Path | None, points: int) -> list[str]:
    """The named variables, or all states, at equally spaced times."""
    if path is None:
        return []
    import csv

    import numpy as np

    times = np.linspace(solution.t[0], solution.t[-1], points)
    values = solution.values(list(names), times) if names else solution.states(times)
    header = _columns(solution.system, names) if names else _state_labels(solution.system)
    path.parent.mkdir(parents=True, exist_ok=True)
    with open(path, "w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["time", *header])
        writer.writerows(np.column_stack([times, values]).tolist())
    return [str(path)]


def _write_figure(solution: Solution, names: Sequence[str], path: Path) -> list[str]:
    from multibond.view.plot import plot

    path.parent.mkdir(parents=True, exist_ok=True)
    plot(solution, *names, path=path)
    return [str(path)]


def _write_animation(solution: Solution, path: Path) -> list[str]:
    from multibond.view.animate import animate

    path.parent.mkdir(parents=True, exist_ok=True)
    animate(solution, path)
    return [str(path)]


def _columns(system: System, names: Sequence[str]) -> list[str]:
    """A name for each component of each variable."""
    sizes = {name: system.observer.expression(name).numel() for name in names}
    return [n if sizes[n] == 1 else f"{n}[{k}]" for n in names for k in range(sizes[n])]


def _state_labels(system: System) -> list[str]:
    """The states by household name where a part gives one."""
    general = (".coordinates", ".speeds")
    nice = {inner: alias for alias, inner in system.dae.graph.aliases.items() if not alias.endswith(general)}
    labels = []
    for place in system.dae.states:
        path = f"{place.path}.{place.name}"
        label = nice.get(f"{place.path}.f" if place.name == "u" else path, path)
        labels += [label] if place.size == 1 else [f"{label}[{k}]" for k in range(place.size)]
    return labels


def _summary(model: Model, solution: Solution, names: Sequence[str]) -> dict[str, Any]:
    system, work = solution.system, solution.trajectory.statistics
    labels = _columns(system, names) if names else _state_labels(system)
    values = solution.values(list(names), solution.t[-1:])[0] if names else solution.trajectory.x[-1]
    return {
        "model": model.name,
        "time": float(solution.t[-1]),
        "method": system.method,
        "solver": solution.trajectory.method,
        "status": solution.status.sentence,
        "steps": work.accepted,
        "rejected": work.rejected,
        "evaluations": work.evaluations,
        "end": {label: _number(value) for label, value in zip(labels, values, strict=True)},
        "energy_residual": _energy_residual(solution),
        "report": list(system.report),
    }


def _energy_residual(solution: Solution) -> float | None:
    """What the energy audit leaves unexplained; nothing to audit where no step was made or the run broke off."""
    if solution.status.failed or solution.t.size < 2:
        return None
    return _number(solution.energy().residual)


def _number(value: Any) -> float | None:
    number = float(value)
    return number if math.isfinite(number) else None


def _stopped(solution: Solution) -> Finding:
    return Finding(
        f"the run stopped at {solution.t[-1]:.6g} s.",
        solution.status.sentence,
        "Look at the variables just before; loosen --rtol, or try --solver rodas5p for stiff models.",
    )


# -- printing ----------------------------------------------------------------------------------------------------------


def _print_json(value: Any) -> None:
    typer.echo(json.dumps(value, indent=2, ensure_ascii=False, allow_nan=False))


def _print_summary(summary: dict[str, Any]) -> None:
    from rich.box import SIMPLE
    from rich.console import Console
    from rich.table import Table

    console = Console(highlight=False, markup=False, soft_wrap=True)
    work = f"{summary['steps']} steps, {summary['rejected']} rejected, {summary['evaluations']} evaluations"
    console.print(f"{summary['model']}: {summary['time']:g} s, {work} ({summary['method']}, {summary['solver']})")
    table = Table(box=SIMPLE, show_edge=False, pad_edge=False)
    table.add_column("variable", no_wrap=True)
    table.add_column(f"at {summary['time']:g} s", justify="right", no_wrap=True)
    for name, value in list(summary["end"].items())[:ROWS]:
        table.add_row(name.replace("[", r"\["), "not finite" if value is None else f"{value:.9g}")
    console.print(table)
    if len(summary["end"]) > ROWS:
        console.print(f"… and {len(summary['end']) - ROWS} more; --json prints all")
    if summary["energy_residual"] is not None:
        console.print(f"energy residual: {summary['energy_residual']:.3g}")
    for line in summary["report"]:
        console.print(line)
    for path in summary["written"]:
        console.print(f"wrote {path}")


@contextmanager
def _told(as_json: bool = False) -> Iterator[None]:
    """Tell faults in the user's words instead of a traceback, and leave with exit code 1."""
    try:
        yield
        return
    except MultibondError as error:
        kind, findings = type(error), list(error.findings)
    except BrokenPipeError:
        raise
    except (ValueError, ArithmeticError, OSError, ImportError) as fault:
        lines = [line.strip() for line in (*str(fault).split("\n"), "", "")]
        kind, findings = type(fault), [Finding(lines[0], lines[1], lines[2])]
    if as_json:
        _print_json(_answer(kind, findings))
    _leave_if(kind, findings)


def _answer(kind: type[Exception], findings: Sequence[Finding]) -> dict[str, Any]:
    """How every answer in JSON begins."""
    return {"ok": not findings, "findings": [{"error": kind.__name__, **asdict(finding)} for finding in findings]}


def _leave_if(kind: type[Exception], findings: Sequence[Finding]) -> None:
    """Print findings on stderr and leave with exit code 1; go on where there is none."""
    if not findings:
        return
    from rich.console import Console
    from rich.text import Text

    console = Console(stderr=True, soft_wrap=True)
    for finding in findings:
        console.print(Text.assemble((kind.__name__, "bold red"), f": {str(finding).rstrip()}"))
    raise typer.Exit(1)
