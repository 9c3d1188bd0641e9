"""What an animation is asked to show, and how: checked once, then passed on whole."""

from __future__ import annotations

import math
from dataclasses import dataclass, fields
from typing import Any

from multibond.errors import Finding, ModelError, raise_findings, unknown_name
from multibond.view.camera import SIDES

FEWEST, MOST = 400, 3000  # pictures in a page: short runs can be slowed down, long ones are interpolated
QUICKEST_GIF = 50.0
"""Pictures a second above which browsers play a GIF slowly, as they take its pauses for a mistake."""


@dataclass(frozen=True)
class Showing:
    """Options of an animation.

    frames: the axes of all frames, with their names; forces: arrows of what is applied (springs, dampers, loads,
    drives, weights); constraints: arrows of what joints hold. arrow_scale: factor on the length of these arrows.
    names, trails: of bodies and joints, and the ways of the bodies. view: "auto" (the plane from the front, space
    obliquely), "front", "side", "top", "oblique", or two angles: turned about up, tilted to the eye  [degrees].
    fps: pictures a second (30; 25 in a GIF, 60 in a page). speed: seconds of the run in a second of the film (1; a run
    of less than a second or more than a minute takes five seconds). size: width and height of a film  [pixels]. title:
    over the picture.
    """

    frames: bool = False
    forces: bool = False
    constraints: bool = False
    arrow_scale: float = 1.0
    names: bool = True
    trails: bool = True
    view: Any = "auto"
    fps: float | None = None
    speed: float | None = None
    size: tuple[int, int] = (720, 540)
    title: str = ""

    def __post_init__(self) -> None:
        raise_findings(ModelError, [*self._number_faults(), *self._flag_faults(), *self._shape_faults()])

    @property
    def roles(self) -> tuple[str, ...]:
        """Which loads are wanted."""
        return (*(("force",) if self.forces else ()), *(("constraint",) if self.constraints else ()))

    def angles(self, planar: bool) -> tuple[float, float]:
        """Yaw and pitch  [degrees]."""
        if self.view == "auto":
            return SIDES["front" if planar else "oblique"]
        return SIDES[self.view] if isinstance(self.view, str) else (float(self.view[0]), float(self.view[1]))

    def pace(self, seconds: float) -> float:
        """Seconds of the run in a second of the film."""
        return self.speed or (1.0 if 1.0 <= seconds <= 60.0 else seconds / 5.0) or 1.0

    # -- checks --------------------------------------------------------------------------------------------------------

    def _number_faults(self) -> list[Finding]:
        meanings = {
            "fps": "It is the number of pictures a second.",
            "speed": "It is the time of the run that passes in a second of the film.",
            "arrow_scale": "It is a factor on the length of the arrows.",
        }
        given = {name: getattr(self, name) for name in meanings}
        return [
            Finding(f"{name} cannot be {value!r}.", meanings[name], "Give a positive number.")
            for name, value in given.items()
            if value is not None and not _positive(value)
        ]

    def _flag_faults(self) -> list[Finding]:
        given = {name: getattr(self, name) for name in ("frames", "forces", "constraints", "names", "trails")}
        return [
            Finding(f"{name} cannot be {value!r}.", "It is shown or it is not.", "Give True or False.")
            for name, value in given.items()
            if not isinstance(value, bool)
        ]

    def _shape_faults(self) -> list[Finding]:
        found = []
        if self.view != "auto" and not (self.view in SIDES if isinstance(self.view, str) else _pair(self.view)):
            words = ", ".join(repr(word) for word in ("auto", *SIDES))
            found.append(Finding(f"view cannot be {self.view!r}.", f"It is {words}, or two angles.", "Choose one."))
        if not (_pair(self.size) and all(isinstance(n, int) and 64 <= n <= 4096 for n in self.size)):
            fact = "It is width and height in pixels, from 64 to 4096 each."
            found.append(Finding(f"size cannot be {self.size!r}.", fact, "Give for example (720, 540)."))
        return found


def showing(options: dict[str, Any]) -> Showing:
    """Options by name; an unknown one is told with the nearest."""
    known = tuple(field.name for field in fields(Showing))
    for name in options:
        if name not in known:
            raise unknown_name("an animation", name, known, offer=f"Its options: {', '.join(known)}.")
    given: dict[str, Any] = {name: value for name, value in options.items() if value is not None}
    return Showing(**given)


def require_gif_rate(fps: float) -> None:
    """Refuse what browsers would play slowly."""
    if fps > QUICKEST_GIF:
        fact = f"Browsers play a GIF of more than {QUICKEST_GIF:g} pictures a second slowly."
        raise ModelError(Finding(f"fps cannot be {fps:g} in a GIF.", fact, "Give fewer, or write an .mp4 file."))


def _positive(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value) and value > 0


def _pair(value: Any) -> bool:
    try:
        return len(value) == 2 and all(math.isfinite(float(part)) for part in value)
    except (TypeError, ValueError):
        return False
