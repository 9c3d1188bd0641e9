"""The page that plays power over a run: one self-contained HTML file with the drawing, its numbers and its controls."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from multibond.units import DOMAINS
from multibond.view.bond_values import Carried
from multibond.view.framed import framed, short
from multibond.view.marks import Drawing
from multibond.view.palette import AGAINST, ALONG, IDLE
from multibond.view.power_drawing import head_places
from multibond.view.power_scale import THIN, Scale, round_below
from multibond.view.power_subject import Pieces, Subject
from multibond.view.svg import to_svg

WATCHED = 12.0
"""About how many seconds a run plays at the speed that a page begins with."""


@dataclass(frozen=True)
class Film:
    """A drawing, whose lines it shows, the times of its pictures  [s], what the lines carry then, and the scale."""

    drawing: Drawing
    subject: Subject
    times: np.ndarray
    carried: list[Carried]
    scale: Scale


def page(film: Film) -> str:
    """The page as text."""
    return framed("power", f"{film.drawing.title}: power", data_of(film), to_svg(film.drawing))


def data_of(film: Film) -> dict[str, Any]:
    """What the page holds: times, the scale, and for each bond its power, efforts and flows, one row a time."""
    scale, subject = film.scale, film.subject
    bonds = [
        {
            "name": way.name,
            "says": way.says,
            "arrow": way.arrowed,
            "courses": way.courses,
            "places": [[round(v, 2) for v in (*at, *towards)] for at, towards in head_places(way)],
            "size": carried.effort.shape[1],
            "pieces": _units(pieces, carried.effort.shape[1]),
            "p": short(carried.power),
            "e": short(carried.effort),
            "f": short(carried.flow),
        }
        for way, pieces, carried in zip(subject.ways, subject.pieces, film.carried, strict=True)
    ]
    return {
        "t": short(film.times, 9),
        "scale": {"full": scale.full, "widest": scale.widest, "root": scale.root, "least": scale.least, "thin": THIN},
        "colours": {"along": ALONG, "against": AGAINST, "idle": IDLE},
        "speed": round_below((float(film.times[-1]) - float(film.times[0])) / WATCHED),
        "bonds": bonds,
    }


def _units(pieces: Pieces, size: int) -> list[list[Any]]:
    """For each piece its number of components and the words and units of effort and flow."""
    found = []
    for name, count in pieces:
        domain = DOMAINS.get(name, DOMAINS["any"])
        units = ("", "") if domain.name == "any" else (domain.effort_unit, domain.flow_unit)
        found.append([count or size, domain.effort, units[0], domain.flow, units[1]])
    return found
