"""One check of a model through all its stages: wiring, sizes, signals, causality, structure, start; all faults at once.

Each separate part of a machine is followed as far as its faults allow: a later stage speaks of it only where what is
wrong already cannot be the reason.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import TypeVar

from multibond.border import public
from multibond.errors import Finding, ModelError, MultibondError
from multibond.graph.check import faults, inert_faults
from multibond.graph.component import Component
from multibond.graph.edge import At, Edge, ends_of
from multibond.graph.expand import expand
from multibond.graph.loose import notes
from multibond.graph.model import Model, Sheet
from multibond.pipeline.staging import causality, stages
from multibond.report import Report

Made = TypeVar("Made")
Fault = tuple[type[MultibondError], Finding]


@public
@dataclass(frozen=True)
class Checked(Report):
    """A model without a fault: what was found on the way, and notes on what may be an oversight; prints itself."""

    model: str
    components: int
    states: int
    report: tuple[str, ...]
    notes: tuple[str, ...]

    def description(self) -> list[str]:
        """What was found, and the notes."""
        head = f"{self.model}: no fault. {self.components} components, {self.states} states."
        return [head, *(f"  {line}" for line in self.report), *(f"note: {line}" for line in self.notes)]

    def __repr__(self) -> str:
        return str(self)


def check(model: Model) -> Checked:
    """Raise all faults of all stages as one error; without a fault tell what was found, with notes on oversights.

    >>> print(check(arm))
    """
    found: list[Fault] = [(ModelError, finding) for finding in faults(model)]
    whole: list[Fault] = []
    made = None if found else _attempt(lambda: stages(model), whole)
    if made is None:
        known = {finding for _, finding in found}
        spoilt = {name for finding in known for name in _concerned(finding.paths)}
        parts = _separate(model)
        for part in parts if found or len(parts) > 1 else ():
            fresh = [fault for fault in _faults_of(part, spoilt) if fault[1] not in known]
            found += fresh
            known |= {finding for _, finding in fresh}
        found = found or whole
        kinds = {kind for kind, _ in found}
        raise (kinds.pop() if len(kinds) == 1 else ModelError)(*(finding for _, finding in found))
    report = (str(made.tree), str(made.reduced.redundancy), *made.start.moved)
    return Checked(model.name, len(model.components), made.dae.nx, report, (*notes(model), *made.zeros))


def _faults_of(part: Model, concerned: set[str]) -> Iterator[Fault]:
    """The faults of one separate part of a machine beyond those of the components that faults concern already."""
    spoilt = concerned & {item.name for item in part.components}
    if (spoilt and len(part.components) == 1) or inert_faults(part.sheet):
        return
    found: list[Fault] = []
    graph = _attempt(lambda: expand(part), found)
    if graph is not None:
        _attempt(lambda: causality(graph) if spoilt else stages(part), found)
    yield from (fault for fault in found if not spoilt & _concerned(fault[1].paths))


def _attempt(stage: Callable[[], Made], found: list[Fault]) -> Made | None:
    """What a stage gives, or None; its faults are added to those found."""
    try:
        return stage()
    except MultibondError as error:
        found += [(type(error), finding) for finding in error.findings]
        return None


def _concerned(paths: Iterable[str]) -> set[str]:
    """The components of the model itself that paths lead into."""
    return {path.partition(".")[0] for path in paths}


def _separate(model: Model) -> list[Model]:
    """The parts of a machine that nothing connects, each as a model of its own."""
    root = {number: number for number in model.sheet.components}

    def find(number: int) -> int:
        while root[number] != number:
            number = root[number]
        return number

    for edge in model.sheet.edges:
        first, *others = [find(at.component) for at in ends_of(edge)]
        for other in others:
            root[find(other)] = find(first)
    sheet = model.sheet
    parts = {
        top: replace(Sheet(), next_id=sheet.next_id, shared=sheet.shared, units=sheet.units)
        for top in sorted(map(find, root))
    }
    kept: dict[int, dict[int, Component]] = {top: {} for top in parts}
    edges: dict[int, list[Edge]] = {top: [] for top in parts}
    exposed: dict[int, dict[str, At]] = {top: {} for top in parts}
    for number, item in sheet.components.items():
        kept[find(number)][number] = item
    for edge in sheet.edges:
        edges[find(ends_of(edge)[0].component)].append(edge)
    for name, at in sheet.exposed.items():
        exposed[find(at.component)][name] = at
    return [
        _part(model, replace(part, components=kept[top], edges=tuple(edges[top]), exposed=exposed[top]))
        for top, part in parts.items()
    ]


def _part(model: Model, sheet: Sheet) -> Model:
    part = Model(model.name, size=model.size)
    part.sheet = sheet
    return part
