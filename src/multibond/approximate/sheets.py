"""A model with something left out or held: copies of it, changed at any level of its sub-models."""

from __future__ import annotations

from dataclasses import replace
from typing import TypeVar

import numpy as np

from multibond.elements.blocks import Block, Constant
from multibond.elements.sensors import De, Df
from multibond.errors import Finding, ModelError, unknown_name
from multibond.graph.component import Component, Element
from multibond.graph.edge import At, PowerBond, SignalLink, ends_of
from multibond.graph.junctions import Junction
from multibond.graph.model import Model, Sheet, Submodel
from multibond.graph.port import SignalPort

AnyModel = TypeVar("AnyModel", bound=Model)


def with_sheet(model: AnyModel, sheet: Sheet) -> AnyModel:
    """A model of the same name and size with this content."""
    twin = type(model)(model.name, size=model.size)
    twin.sheet = sheet
    return twin


def component_at(sheet: Sheet, path: str, owner: str) -> Component:
    """The component at a path through sub-models; what stands inside other parts cannot be reached."""
    name, dot, rest = path.partition(".")
    number = sheet.number_of(name)
    if number is None:
        raise unknown_name(f"Model {owner!r}", name, (c.name for c in sheet.components.values()))
    item = sheet.components[number]
    if not dot:
        return item
    if isinstance(item, Submodel):
        return component_at(item.sheet, rest, name)
    raise ModelError(
        Finding(
            f"{path!r} cannot be changed by itself.",
            f"It is drawn inside {type(item).__name__} {name!r}.",
            "Open the model first: model.open() has every element by itself.",
            (path,),
        )
    )


def without(sheet: Sheet, path: str) -> Sheet:
    """The sheet without one component, and without the bonds and signals that ended at it."""
    name, dot, rest = path.partition(".")
    builder = Model()
    builder.sheet = sheet
    if not dot:
        builder.remove(name)
        return builder.sheet
    number = sheet.number_of(name)
    assert number is not None
    item = sheet.components[number]
    assert isinstance(item, Submodel)
    inner = replace(item, sheet=without(item.sheet, rest), library=None)
    if not inner.sheet.components:
        return without(sheet, name)
    edges = tuple(e for e in sheet.edges if not any(_lost(inner, number, at) for at in ends_of(e)))
    return replace(sheet, components={**sheet.components, number: inner}, edges=edges)


def _lost(part: Submodel, number: int, at: At) -> bool:
    """Whether an edge ended at a port that a sub-model exposes no longer."""
    return at.component == number and at.port.partition("[")[0] not in part.sheet.exposed


def held(sheet: Sheet, path: str, value: np.ndarray) -> Sheet:
    """The sheet with a constant in place of what was led to a signal inlet, `name.port`, of the model itself."""
    name, _, port = path.rpartition(".")
    number = sheet.number_of(name)
    assert number is not None
    edges = (_not_to(e, At(number, port)) if isinstance(e, SignalLink) else e for e in sheet.edges)
    kept = tuple(e for e in edges if e is not None)
    source = Constant(_new_name(sheet, f"{name}_{port}"), value)
    link = SignalLink((At(sheet.next_id, "y"), At(number, port)))
    components = {**sheet.components, sheet.next_id: source}
    return replace(sheet, components=components, edges=(*kept, link), next_id=sheet.next_id + 1)


def _not_to(link: SignalLink, target: At) -> SignalLink | None:
    ends = tuple(at for at in link.ends if at != target)
    return replace(link, ends=ends) if len(ends) > 1 else None


def _new_name(sheet: Sheet, name: str) -> str:
    taken = {c.name for c in sheet.components.values()}
    return next(n for n in (name, *(f"{name}_{k}" for k in range(2, len(taken) + 3))) if n not in taken)


def source_of(sheet: Sheet, path: str) -> str | None:
    """The variable that is led to a signal inlet `name.port`, or None."""
    name, _, port = path.rpartition(".")
    target = At(sheet.number_of(name) or 0, port)
    for edge in sheet.edges:
        if isinstance(edge, SignalLink) and not edge.equality and target in edge.ends[1:]:
            return f"{sheet.components[edge.ends[0].component].name}.{edge.ends[0].port}"
    return None


def tidied(sheet: Sheet, before: Sheet) -> Sheet:
    """The sheet without what serves nothing any more: junctions without bonds, blocks and sensors without readers.

    before: as it was when all was there; what had no readers then is there to be looked at, and stays.
    """
    while True:
        idle = [c.name for k, c in sheet.components.items() if _idle(sheet, k) and not _idle(before, k)]
        if not idle:
            return sheet
        for name in idle:
            sheet = without(sheet, name)


def _idle(sheet: Sheet, number: int) -> bool:
    item = sheet.components.get(number)
    if isinstance(item, Junction):
        ends = {at.component for e in sheet.edges if isinstance(e, PowerBond) for at in ends_of(e)}
        return number not in ends | {at.component for at in sheet.exposed.values()}
    return isinstance(item, Block | De | Df) and not _is_read(sheet, number, item)


def _is_read(sheet: Sheet, number: int, item: Element) -> bool:
    """Whether any of the signals that an element gives is led on or exposed."""
    outlets = {p.name for p in item.ports() if isinstance(p, SignalPort) and p.direction == "out"}
    ends = [at for e in sheet.edges if isinstance(e, SignalLink) for at in e.ends]
    used = {at.port.partition("[")[0] for at in (*ends, *sheet.exposed.values()) if at.component == number}
    return bool(outlets & used)
