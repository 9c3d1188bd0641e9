"""The options of `run` that say what an animation shows."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from multibond.cli.options import positive
from multibond.view.camera import SIDES

PANEL = "Animation"
VIEWS = ("auto", *SIDES)


def _seen_from(value: str | None) -> str | tuple[float, float] | None:
    """A view by its name, or two angles as in 30,20."""
    if value is None or value in VIEWS:
        return value
    try:
        yaw, pitch = (float(part) for part in value.split(","))
    except ValueError:
        raise typer.BadParameter(f"it must be one of {', '.join(VIEWS)}, or two angles such as 30,20.") from None
    return yaw, pitch


def _flag(name: str, text: str) -> Any:
    return typer.Option(name, help=text, rich_help_panel=PANEL)


def _number(text: str) -> Any:
    return typer.Option(callback=positive, help=text, rich_help_panel=PANEL)


Animate = Annotated[
    Path | None,
    typer.Option(metavar="FILE", help="Write an animation: .html (a page), .gif or .mp4.", rich_help_panel=PANEL),
]
Frames = Annotated[bool, _flag("--frames", "Show the axes of all frames.")]
Forces = Annotated[bool, _flag("--forces", "Show arrows of what is applied: springs, dampers, loads, drives, weights.")]
Constraints = Annotated[bool, _flag("--constraints", "Show arrows of what the joints hold.")]
ArrowScale = Annotated[float | None, _number("Factor on the length of these arrows.")]
Fps = Annotated[float | None, _number("Pictures a second.")]
Speed = Annotated[float | None, _number("Seconds of the run in a second of the film.")]
View = Annotated[
    str | None,
    typer.Option(
        metavar=f"[{'|'.join(VIEWS)}|YAW,PITCH]",
        callback=_seen_from,
        autocompletion=lambda: list(VIEWS),
        help="From which side a machine is seen; angles in degrees.",
        rich_help_panel=PANEL,
    ),
]


@dataclass(frozen=True)
class Filming:
    """Where an animation goes, and its options by name."""

    path: Path
    options: dict[str, Any]

    def require_possible(self) -> None:
        """Refuse what cannot be written or shown before the run, not after it."""
        from multibond.export.film import require_film
        from multibond.view.showing import showing

        require_film(self.path, showing(self.options).fps)


def filming(path: Path | None, **options: Any) -> Filming | None:
    """The animation that is wanted, if any; its options alone are wrong usage."""
    given = {name: value for name, value in options.items() if value}
    if path is None and given:
        words = ", ".join(f"--{name.replace('_', '-')}" for name in given)
        raise typer.BadParameter(f"{words} tells how an animation looks: name its file with --animate.")
    return None if path is None else Filming(path, given)
