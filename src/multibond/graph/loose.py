"""What is no fault but most often an oversight: a loose flange, degrees typed as radians, a size beside the model's."""

from __future__ import annotations

import math
from collections.abc import Iterator

from multibond.graph.component import Component, Element
from multibond.graph.edge import ends_of
from multibond.graph.inert import Inert
from multibond.graph.model import Model, Sheet, Submodel
from multibond.graph.port import FramePort, PlanarFramePort, PowerPort
from multibond.graph.start import start_vector
from multibond.units import ROTATION, TRANSLATION

DEGREES = "degrees?"
TURNS = 2
"""A start angle of more turns than these is asked about."""


def notes(model: Model) -> list[str]:
    """A sentence for each oversight, also in models within; flanges of joints may stay open."""
    loose = [f"{path} is connected to nothing" for path in _loose(model.sheet, "")]
    return [*loose, *_in_degrees(model.sheet, ""), *_other_sizes(model.sheet, model.size, "")]


def _in_degrees(sheet: Sheet, prefix: str) -> Iterator[str]:
    """Start angles of many turns, which were most likely meant as degrees."""
    for item in sheet.components.values():
        if isinstance(item, Submodel):
            yield from _in_degrees(item.sheet, f"{prefix}{item.name}.")
        for name, about in item.parameters().items():
            value = getattr(item, name)
            if not (about.start and about.unit == "rad") or value is None:
                continue
            far = float(max(start_vector(value).values.ravel(), key=abs, default=0.0))
            if (said := many_turns(f"{prefix}{item.name}.{name}", far)) is not None:
                yield said


def many_turns(name: str, angle: float) -> str | None:
    """What is told of a start angle of many turns; None for others."""
    if abs(angle) <= TURNS * 2 * math.pi:
        return None
    said = f"{name} is {angle:g} rad, {abs(angle) / (2 * math.pi):.3g} turns"
    return f"{said}; {DEGREES} {angle:g} degrees are mb.deg({angle:g})"


def _other_sizes(sheet: Sheet, size: int | None, prefix: str) -> Iterator[str]:
    """Elements whose size is not the model's, which then counts for all that is bonded to them."""
    for item in sheet.components.values():
        if isinstance(item, Submodel):
            yield from _other_sizes(item.sheet, item.size, f"{prefix}{item.name}.")
        own = _own_size(item) if isinstance(item, Element) else None
        if size is not None and own not in (None, size):
            yield f"{prefix}{item.name} has {own} component{'s' if own != 1 else ''}, the model {int(size)}"


def _own_size(item: Element) -> int | None:
    """The size of an element as told, or as the values of one with one port have it; couplers change sizes."""
    ports = item.ports()
    single = len(ports) == 1 and isinstance(ports[0], PowerPort)
    return item.size_hint() if single else item.size


def _loose(sheet: Sheet, prefix: str) -> Iterator[str]:
    used = {(at.component, at.port) for edge in sheet.edges for at in ends_of(edge)}
    used |= {(at.component, at.port) for at in sheet.exposed.values()}
    for number, item in sheet.components.items():
        if isinstance(item, Submodel):
            yield from _loose(item.sheet, f"{prefix}{item.name}.")
        else:
            yield from (f"{prefix}{item.name}.{port}" for port in _flanges(item) if (number, port) not in used)


def _flanges(item: Component) -> list[str]:
    """The flanges of a part; those of joints only are there in case someone wants them."""
    ports = item.ports()
    if isinstance(item, Element | Inert) or any(isinstance(p, FramePort | PlanarFramePort) for p in ports):
        return []
    return [p.name for p in ports if isinstance(p, PowerPort) and p.domain in (ROTATION, TRANSLATION)]
