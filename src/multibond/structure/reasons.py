"""Why a stroke stands where it stands: the steps of the assignment in order, each with its reason.

>>> for step in causality.steps: print(step)
1. bond 'battery->current': stroke at 'current', because Se 'battery' gives the effort.
2. bond 'current->coil': stroke at 'coil', because I 'coil' is in integral causality.
3. bond 'current->winding': stroke at 'current', because 1-junction 'current' has its flow from 'coil'.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from multibond.elements.couplers import Coupler
from multibond.errors import unknown_name
from multibond.graph.graph import Bond
from multibond.structure.pivots import all_pivots
from multibond.structure.propagate import TAIL, two_way

if TYPE_CHECKING:
    from multibond.structure.causality import Causality

Lane = tuple[str, int]


@dataclass(frozen=True)
class Step:
    """One step: the stroke of some components of a bond is put at an element.

    number: its place in the order; by: the element whose rule puts it; cause: the element whose choice led there;
    after: the numbers of the steps that it follows from.
    """

    number: int
    bond: str
    components: tuple[int, ...]
    stroke: str
    by: str
    cause: str
    because: str
    after: tuple[int, ...] = ()
    size: int = 1

    def __str__(self) -> str:
        some = f" (component {', '.join(str(k) for k in self.components)})" if self.size > 1 else ""
        some = "" if len(self.components) == self.size else some
        return f"{self.number}. bond {self.bond!r}{some}: stroke at {self.stroke!r}, because {self.because}."


def steps(causality: Causality) -> tuple[Step, ...]:
    """Every stroke in the order in which it was put; equal steps of several components are one."""
    return _Story(causality).steps


def why(causality: Causality, name: str) -> tuple[Step, ...]:
    """The steps that led to the strokes of a bond or an element, from the first cause on."""
    story = _Story(causality)
    known = {s.bond for s in story.steps}
    own = {name} if name in known else {b.name for b in story.graph.bonds_of(name)}
    if not own:
        raise unknown_name("the graph", name, [*known, *story.graph.elements], offer="Name a bond or an element.")
    wanted, queue = set(), [s for s in story.steps if s.bond in own]
    by_number = {s.number: s for s in story.steps}
    while queue:
        step = queue.pop()
        if step.number not in wanted:
            wanted.add(step.number)
            queue += [by_number[k] for k in step.after]
    return tuple(by_number[k] for k in sorted(wanted))


class _Story:
    """The strokes of a graph, told in order."""

    def __init__(self, causality: Causality) -> None:
        assert causality.graph is not None
        self.causality, self.graph = causality, causality.graph
        self.bonds = {b.name: b for b in self.graph.bonds}
        self.divided = frozenset(causality.divided)
        self.order: dict[Lane, int] = {}
        self.pivots = all_pivots(self.graph)
        single = [self._step(lane) for lane in self._lanes()]
        self.steps = tuple(self._numbered(_joined(single)))

    def _lanes(self) -> Iterable[Lane]:
        """Components in the order of their strokes; those of sensors follow from the rest."""
        put = [lane for lane in self.causality.via if lane[0] in self.bonds]
        rest = [(name, k) for name in sorted(self.bonds) for k in range(self.bonds[name].size)]
        return dict.fromkeys((*put, *rest))

    def _step(self, lane: Lane) -> Step:
        name, k = lane
        bond, self.order[lane] = self.bonds[name], len(self.order)
        side = bond.tail if self.causality.flow_from[name][k] == TAIL else bond.head
        by = self.causality.via.get(lane, "")
        by = by if by in (bond.tail.element, bond.head.element) else self._sensor(bond)
        because, parents = self._because(by, bond, k)
        after = tuple(self.order[p] for p in parents if p in self.order)
        if lane in self.causality.doubled:
            because += f", though its {self.causality.doubled[lane]} is given from both ends"
        return Step(-1, name, (k,), side.element, by, self.causality.reason.get(lane, by), because, after, bond.size)

    def _sensor(self, bond: Bond) -> str:
        """The end that reads, of a bond whose stroke was put after all others."""
        words = {e.element: self.graph.elements[e.element].causality for e in (bond.tail, bond.head)}
        return next((p for p, word in words.items() if word not in ("one", "zero")), bond.tail.element)

    def _numbered(self, groups: list[list[Step]]) -> list[Step]:
        """Groups as steps with their numbers, and those that they follow from."""
        number = {(s.bond, k): i + 1 for i, group in enumerate(groups) for s in group for k in s.components}
        lanes = list(self.order)
        found = []
        for i, group in enumerate(groups):
            after = sorted({number[lanes[p]] for s in group for p in s.after} - {i + 1})
            components = tuple(sorted(k for s in group for k in s.components))
            found.append(replace(group[0], number=i + 1, components=components, after=tuple(after)))
        return found

    # -- reasons -------------------------------------------------------------------------------------------------------

    def _because(self, by: str, bond: Bond, k: int) -> tuple[str, list[Lane]]:
        """Why an element puts a stroke, and the strokes that it follows from."""
        item = self.graph.elements[by]
        name = f"{type(item).__name__} {by!r}"
        if item.causality in ("one", "zero"):
            return self._junction(by, bond, k)
        if isinstance(item, Coupler):
            return self._coupler(by, bond, k, name)
        if item.causality == "wires":
            others = [(b.name, j) for b in self.graph.bonds_of(by) for j in range(b.size) if b is not bond]
            return f"{name} only leads on what comes from the other side", [p for p in others if p in self.order]
        word = item.causality_at(bond.end(by).port, k)
        return _own_reason(word, name, self._gives_flow(bond, by, k), self._wish(by)), []

    def _wish(self, path: str) -> bool:
        return any(name.partition("[")[0] == path for name in self.causality.wishes)

    def _gives_flow(self, bond: Bond, path: str, k: int) -> bool:
        """Where the stroke stands, also where both ends give the same."""
        return (self.causality.flow_from[bond.name][k] == TAIL) == (bond.tail.element == path)

    def _junction(self, by: str, bond: Bond, k: int) -> tuple[str, list[Lane]]:
        one = self.graph.elements[by].causality == "one"
        what, name = ("flow", f"1-junction {by!r}") if one else ("effort", f"0-junction {by!r}")
        others = [b for b in self.graph.bonds_of(by) if b is not bond]
        strong = [b for b in others if self._gives_flow(b, by, k) != one and (b.name, k) in self.order]
        if self._gives_flow(bond, by, k) == one and strong:
            return f"{name} has its {what} from {strong[0].other(by).element!r}", [(strong[0].name, k)]
        told = [(b.name, k) for b in others if (b.name, k) in self.order]
        if len(told) == len(others):
            return f"no other bond brings {name} its {what}", told
        return f"the {what} of {name} may come from here as well as from elsewhere (a free choice)", []

    def _coupler(self, by: str, bond: Bond, k: int, name: str) -> tuple[str, list[Lane]]:
        item = self.graph.elements[by]
        told = [(b.name, j) for b in self.graph.bonds_of(by) for j in range(b.size) if (b.name, j) in self.order]
        told = [lane for lane in told if lane != (bond.name, k)]
        if by in self.divided:
            return f"{name} is passed against its one way for the sake of a wish, dividing by its modulus", told[:1]
        if isinstance(item, Coupler) and item.by_component():
            return self._by_component(by, bond, k, name, told)
        if two_way(item) == "none":
            way = "flow passes from a to b only" if item.causality == "transformer" else "flow enters at both ports"
            return f"the modulus of {name} is not square or may vanish, so {way}", []
        if not told:
            return f"{name} may pass the flow either way (a free choice)", []
        passes = "passes the flow on" if item.causality == "transformer" else "turns flow into effort at both ports"
        return f"{name} {passes}", told[:1]

    def _by_component(self, by: str, bond: Bond, k: int, name: str, told: list[Lane]) -> tuple[str, list[Lane]]:
        """A matrix gives a base: a stroke follows from others, from its zeros alone, or was free."""
        pivots, at = self.pivots[by], {b.end(by).port: b for b in self.graph.bonds_of(by)}
        lanes = {(at[port].name, j): (port, j) for port, j in pivots.lanes}
        inside = [x for x in told if pivots.inside(lanes[x], self._gives_flow(self.bonds[x[0]], by, x[1]))]
        own = lanes[bond.name, k]
        enters = pivots.inside(own, self._gives_flow(bond, by, k))
        others = [lanes[x] for x in told if (x in inside) != enters]
        fits = pivots.spanned_without([*others, own]) if enters else pivots.independent([*others, own])
        if fits:
            return f"{name} may pass it either way (a free choice)", []
        if not told:
            return f"the modulus of {name} leaves no other way", []
        what = "flow" if self._gives_flow(bond, by, k) else "effort"
        after = [x for x in told if lanes[x] in others]
        return f"{name} gives the {what}, the only one that its modulus can be solved for besides", after


def _own_reason(word: str, name: str, gives_flow: bool, wished: bool) -> str:
    """Why an element that closes a bond puts its stroke."""
    what = "flow" if gives_flow else "effort"
    asked = ", as asked for" if wished else ""
    if word.startswith("prefers"):
        integral = gives_flow == (word == "prefers flow")
        return f"{name} is in {'integral' if integral else 'derivative'} causality{asked}"
    if word in ("gives effort", "gives flow"):
        return f"{name} gives the {what}"
    if word == "motion":
        return f"the free flow of {name} is a state" if gives_flow else f"{name} only reads the flow"
    if word == "constraint":
        return f"{name} imposes the flow" if gives_flow else f"the flow of {name} is given, its effort is a multiplier"
    if word.startswith("wants"):
        return f"the law of {name} is written for its {word.removeprefix('wants ')}{asked}"
    return f"{name} may give either, and gives the {what}{asked or ' (a free choice)'}"


def _joined(single: list[Step]) -> list[list[Step]]:
    """Steps of several components of a bond that say the same and follow each other, together."""
    groups: list[list[Step]] = []
    for step in single:
        last = groups[-1][0] if groups else None
        if last and (last.bond, last.stroke, last.because) == (step.bond, step.stroke, step.because):
            groups[-1].append(step)
        else:
            groups.append([step])
    return groups
