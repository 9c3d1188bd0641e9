"""What is no fault but most often an oversight: a flange of a shaft, gear or spring that leads nowhere."""

from __future__ import annotations

from collections.abc import Iterator

from multibond.graph.component import Component, Element
from multibond.graph.edge import ends_of
from multibond.graph.inert import Inert
from multibond.graph.model import Model, Sheet, Submodel
from multibond.graph.port import FramePort, PlanarFramePort, PowerPort
from multibond.units import ROTATION, TRANSLATION


def notes(model: Model) -> list[str]:
    """A sentence for each loose flange, also in models within; those of joints may stay open."""
    return [f"{path} is connected to nothing" for path in _loose(model.sheet, "")]


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
