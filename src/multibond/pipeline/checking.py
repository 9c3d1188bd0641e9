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
from multibond.graph.edge import ends_of
from multibond.graph.expand import expand
from multibond.graph.loose import notes
from multibond.graph.model import Model, Sheet
from multibond.pipeline.staging import causality, stages

Made = TypeVar("Made")
Fault = tuple[type[MultibondError], Finding]


@public
@dataclass(frozen=True)
class Checked:
    """A model without a fault: what was found on the way, and notes on what may be an oversight; prints itself."""

    model: str
    components: int
    states: int
    report: tuple[str, ...]
    notes: tuple[str, ...]

    def __str__(self) -> str:
        head = f"{self.model}: no fault. {self.components} components, {self.states} states."
        return "\n".join((head, *(f"  {line}" for line in self.report), *(f"note: {line}" for line in self.notes)))

    __repr__ = __str__


def check(model: Model) -> Checked:
    """Raise all faults of all stages as one error; without a fault tell what was found, with notes on oversights.

    >>> print(check(arm))
    """
    found: list[Fault] = [(ModelError, finding) for finding in faults(model)]
    whole: list[Fault] = []
    made = None if found else _attempt(lambda: stages(model), whole)
    if made is None:
        for part in _separate(model):
            found += [fault for fault in _faults_of(part, found) if fault not in found]
        found = found or whole
        kinds = {kind for kind, _ in found}
        raise (kinds.pop() if len(kinds) == 1 else ModelError)(*(finding for _, finding in found))
    report = (str(made.tree), str(made.reduced.redundancy), *made.start.moved)
    return Checked(model.name, len(model.components), made.dae.nx, report, (*notes(model), *made.zeros))


def _faults_of(part: Model, known: list[Fault]) -> Iterator[Fault]:
    """The faults of one separate part of a machine beyond those that are known."""
    names = {item.name for item in part.components}
    spoilt = {name for _, finding in known for name in _concerned(finding.paths) if name in names}
    if inert_faults(part.sheet):
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
    return [_part(model, {n for n in root if find(n) == top}) for top in sorted({find(n) for n in root})]


def _part(model: Model, numbers: set[int]) -> Model:
    part, sheet = Model(model.name, size=model.size), model.sheet
    kept = {n: item for n, item in sheet.components.items() if n in numbers}
    edges = tuple(e for e in sheet.edges if all(at.component in numbers for at in ends_of(e)))
    exposed = {name: at for name, at in sheet.exposed.items() if at.component in numbers}
    part.sheet = replace(Sheet(), components=kept, edges=edges, exposed=exposed, next_id=sheet.next_id)
    return part
