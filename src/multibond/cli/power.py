"""`multibond draw --power`: what it needs besides a drawing, and the run that it makes."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from multibond.cli.options import choice, not_negative, positive

if TYPE_CHECKING:
    from multibond.workbench import Model

Power = Annotated[
    bool, typer.Option("--power", help="Bonds as thick as their power: .html plays a run, .svg is a still.")
]
Length = Annotated[float | None, typer.Option("--until", callback=not_negative, help="End of the run, with --power.")]
At = Annotated[float | None, typer.Option("--at", callback=not_negative, help="With --power: a still at this time.")]
Average = Annotated[bool, typer.Option("--average", help="With --power: a still of mean power.")]
ScaleOf = Annotated[str | None, choice(("root", "linear"), "With --power: thickness by its square root, or by itself.")]
Full = Annotated[float | None, typer.Option(callback=positive, help="With --power: watts at the greatest thickness.")]


@dataclass(frozen=True)
class PowerOptions:
    """What was asked for besides the drawing."""

    until: float | None = None
    at: float | None = None
    average: bool = False
    scale: str | None = None
    full: float | None = None

    def require(self, power: bool) -> None:
        """Refuse options without --power, and --power without the time that a run needs."""
        given = [f"--{name}" for name, value in vars(self).items() if value not in (None, False)]
        if given and not power:
            raise typer.BadParameter("only a drawing of power needs it: add --power.", param_hint=given[0])
        if power and self.until is None:
            hint = "power is that of a run: say how long with --until SECONDS."
            raise typer.BadParameter(hint, param_hint="--power")


def power_format(format: str | None, out: Path | None, options: PowerOptions) -> str:
    """The format of a drawing of power: as said, or by the file's ending, else a page for a run and SVG for a still."""
    from multibond.view.power_flow import ENDINGS

    if format is not None or out is None:
        return format or ("html" if options.at is None and not options.average else "svg")
    if out.suffix.lower() not in ENDINGS:
        from multibond.export.place import unknown_ending

        raise unknown_ending(out, tuple(ENDINGS))
    return ENDINGS[out.suffix.lower()]


def power_text(model: Model, options: PowerOptions, form: str, method: str | None, look: dict[str, Any]) -> str:
    """Run the model and draw its power."""
    from multibond.view.power_flow import Request, look_of, power_flow, require_format
    from multibond.workbench import simulate

    request = Request(options.at, options.average, options.scale or "root", options.full)
    require_format(request, form)
    assert options.until is not None
    run = simulate(model, options.until, method=method or "auto")
    return power_flow(run, request, look_of(look)).text(form)
