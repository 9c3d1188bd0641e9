"""Power on a drawing: a band under every bond, as thick as its power is strong, with an arrow head in its direction."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from multibond.view.geometry import Box, Point, direction
from multibond.view.legend import Entry, inked
from multibond.view.marks import Cluster, Drawing, Ink, Line, Mark
from multibond.view.palette import AGAINST, ALONG, IDLE, INK, SOFT
from multibond.view.power_scale import Scale, watts
from multibond.view.scene import Scene

PLACES = (0.5, 0.36, 0.64, 0.25, 0.75)
CORE = "core"
"""The class of the lines that a band stands for."""
ROUNDING = 1e-9
"""Power below this part of the full scale is told as none."""
LONG = 70.0
"""Legs of a path from this length on have an arrow head of their own."""


@dataclass(frozen=True)
class Way:
    """The way of power on paper: of a bond, or of a wire between parts.

    arrowed: the bond has a half-arrow, so that power can go against it. taken: texts that stand on it. says: what one
    reads when pointing at it, before the numbers. courses: where power goes, or comes from, that runs from tail to head
    and the other way, in words for wires, which have no half-arrow that would tell.
    """

    name: str
    points: tuple[Point, ...]
    says: str = ""
    arrowed: bool = True
    taken: tuple[Box, ...] = ()
    courses: tuple[str, str] = ("", "")


def power_drawing(
    scene: Scene, ways: Sequence[Way], scale: Scale, powers: Sequence[float] | None = None, note: str = ""
) -> Drawing:
    """A scene with the powers of its ways  [W], from tail to head, as thick bands; note: a line below it.

    Without powers all bands and lines are there for a page to put power on.
    """
    shown = [0.0] * len(ways) if powers is None else powers
    whole = inked(replace(scene, note=note), legend_entries(scale, any(way.arrowed for way in ways)))
    faint = {} if powers is None else {w.name: scale.faint(power) for w, power in zip(ways, powers, strict=True)}
    bands = [band(way, power, scale) for way, power in zip(ways, shown, strict=True)]
    heads = [course(way, power, scale) for way, power in zip(ways, shown, strict=True)]
    wires = [Cluster("bond", way.name, (Line(way.points, Ink(SOFT, 1.2), CORE),)) for way in ways if not way.arrowed]
    lines = [k for k, mark in enumerate(whole.marks) if isinstance(mark, Cluster) and _is_line(mark)]
    first, after = (lines[0], lines[-1] + 1) if lines else (0, 0)
    below, among, above = whole.marks[:first], (*wires, *whole.marks[first:after]), whole.marks[after:]
    return replace(whole, marks=(*below, *bands, *(_toned(mark, faint) for mark in among), *heads, *above))


def _is_line(mark: Cluster) -> bool:
    return mark.kind.partition(" ")[0] in ("signal", "wire", "bond")


def _toned(mark: Mark, faint: dict[str, bool]) -> Mark:
    """A bond in grey where it carries hardly anything; else its lines give way to its band, which also has its text."""
    if not (isinstance(mark, Cluster) and mark.kind == "bond"):
        return mark
    plain = [m for m in mark.marks if isinstance(m, Line) and not m.kind]
    lines = plain[: max(len(plain) - 1, 1)]  # the last one is the barb
    marks = [replace(m, kind=CORE) if m in lines else m for m in mark.marks]
    if faint.get(mark.name):
        marks = [_grey(m) if isinstance(m, Line) and m.kind != "stroke" else m for m in marks]
    elif mark.name in faint:
        marks = [m for m in marks if not (isinstance(m, Line) and m.kind == CORE)]
    return replace(mark, marks=tuple(marks), says="")


def _grey(line: Line) -> Line:
    return replace(line, ink=replace(line.ink, colour=IDLE))


def band(way: Way, power: float, scale: Scale) -> Cluster:
    """The band under a bond; where hardly any power goes it is clear, and only tells the number when pointed at."""
    colour = AGAINST if way.arrowed and power < 0.0 else ALONG
    ink = Ink(IDLE, 4.0, flat=True, opacity=0.0) if scale.faint(power) else Ink(colour, scale.width(power), flat=True)
    return Cluster("power", way.name, (Line(way.points, ink, "band"),), f"{way.says}: {_told(way, power, scale)}")


def _told(way: Way, power: float, scale: Scale) -> str:
    """A power in words: signed along a half-arrow, with its direction on a wire."""
    if abs(power) <= ROUNDING * scale.full:
        return watts(0.0)
    return watts(power) if way.arrowed else f"{watts(abs(power))} {way.courses[power < 0.0]}".rstrip()


def course(way: Way, power: float, scale: Scale) -> Cluster:
    """The arrow heads on a band, in the direction of the power; none where there is hardly any."""
    if scale.faint(power):
        return Cluster("course", way.name, ())
    return Cluster("course", way.name, heads(way, math.copysign(1.0, power), scale.width(power)))


def heads(way: Way, sign: float, width: float) -> tuple[Line, ...]:
    """Arrow heads along a way, or against it for sign -1."""
    size = 2.4 + 0.16 * width
    found = []
    for (x, y), (dx, dy) in head_places(way):
        dx, dy = sign * dx, sign * dy
        wings = [(x + size * (-0.5 * dx + k * dy), y + size * (-0.5 * dy - k * dx)) for k in (1.0, -1.0)]
        found.append(Line((wings[0], (x + 0.5 * size * dx, y + 0.5 * size * dy), wings[1]), Ink(INK, 1.5), "head"))
    return tuple(found)


def head_places(way: Way) -> list[tuple[Point, Point]]:
    """Where arrow heads stand, each with the direction of its leg: on the longest leg and on other long ones."""
    legs = sorted(pairwise(way.points), key=lambda leg: -round(math.dist(*leg), 3))
    found = []
    for a, b in [leg for k, leg in enumerate(legs) if k == 0 or math.dist(*leg) >= LONG]:
        spots = [(a[0] + k * (b[0] - a[0]), a[1] + k * (b[1] - a[1])) for k in PLACES]
        free = [s for s in spots if not any(Box(*s, 8.0, 8.0).overlaps(box) for box in way.taken)]
        found.append(((free or spots)[0], direction(a, b)))
    return found


def legend_entries(scale: Scale, arrowed: bool) -> list[Entry]:
    """Watts at some thicknesses, the colours, and what is grey."""
    across = ((4.0, 0.0), (40.0, 0.0))
    entries: list[Entry] = []
    for power in scale.samples():
        line = Line(across, Ink(ALONG, scale.width(power), flat=True), "band")
        entries.append(([Cluster("sample", f"{power:.6g}", (line,))], watts(power)))
    strong = scale.full / 4
    for sign, text in ((1.0, "power with the half-arrow"), (-1.0, "power against the half-arrow")):
        if scale.full > 0.0 and arrowed:
            sample = Way("", across)
            marks = [*band(sample, sign * strong, scale).marks, *course(sample, sign * strong, scale).marks]
            entries.append((marks, text))
    grey = f"less than {watts(scale.least)}" if scale.full > 0.0 else "no power"
    return [*entries, ([Line(across, Ink(IDLE, 1.3))], grey)]
