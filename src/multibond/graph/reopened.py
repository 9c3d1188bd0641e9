"""What a model with other numbers gives for its start, without opening all of it again."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from multibond.graph.component import Component, Element, Part
from multibond.graph.expand import Draft, open_part
from multibond.graph.graph import Graph
from multibond.graph.origin import LOOSE
from multibond.graph.sharing import same
from multibond.graph.sheet import Sheet, Submodel
from multibond.graph.start import StartVector


def seeks(sheet: Sheet) -> bool:
    """Whether parameters of a model, or of models inside, are guessed, and so unknowns of the start."""
    return any(seeks(item.sheet) if isinstance(item, Submodel) else _seeks(item) for item in sheet.components.values())


def _seeks(item: Component) -> bool:
    numeric = (name for name, about in item.parameters().items() if about.numeric)
    return any(isinstance(getattr(item, name), StartVector) for name in numeric)


def starts_of(old: Sheet, new: Sheet, graph: Graph) -> dict[str, dict[str, Any]]:
    """The start values of a graph whose model has become another sheet; those that it has where none has changed."""
    starts = graph.starts
    for path, item in _changed(old, new, ""):
        starts = {key: value for key, value in starts.items() if not _is_inside(key, path, graph)}
        starts |= _given(item, path, graph)
    return starts


def _changed(old: Sheet, new: Sheet, prefix: str) -> Iterator[tuple[str, Component]]:
    """Components of which a start value has changed, with their paths."""
    for number, item in new.components.items():
        before, path = old.components[number], f"{prefix}{item.name}"
        if before is item:
            continue
        if isinstance(item, Submodel) and isinstance(before, Submodel):
            yield from _changed(before.sheet, item.sheet, f"{path}.")
        elif isinstance(item, Element) and isinstance(before, Element):
            if not _alike(before.start_values(), item.start_values()):
                yield path, item
        elif not all(same(getattr(before, name), getattr(item, name)) for name in starting(item)):
            yield path, item


def _alike(one: dict[str, Any], other: dict[str, Any]) -> bool:
    return one.keys() == other.keys() and all(same(value, other[name]) for name, value in one.items())


def _is_inside(element: str, part: str, graph: Graph) -> bool:
    """Whether an element is a part, or was drawn by it."""
    origin = graph.origin(element)
    return (element == part or origin.part == part) and origin.role != LOOSE


def starting(item: Component) -> list[str]:
    """The names of a component's parameters that are start values."""
    return [name for name, about in item.parameters().items() if about.start]


def _given(item: Component, path: str, graph: Graph) -> dict[str, dict[str, Any]]:
    """The start values that a component gives to the elements inside of it, by their paths: it alone is opened."""
    if isinstance(item, Element):
        return {path: values} if (values := item.start_values()) else {}
    draft = Draft(surroundings=dict(graph.surroundings))
    if isinstance(item, Part):
        open_part(item, path, draft)
    return draft.starts
