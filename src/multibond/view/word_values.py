"""What the wires and bonds between parts carry: the balance where their ports meet, shared out along the wires."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from multibond.graph.component import Component, Element
from multibond.graph.edge import At, Connection, Edge, PowerBond
from multibond.graph.expand import port_roots
from multibond.graph.exposed import element_end
from multibond.graph.graph import Bond, Graph
from multibond.graph.model import Model, Sheet
from multibond.graph.port import FramePort, PowerPort
from multibond.view.balance import along
from multibond.view.bond_values import Carried
from multibond.view.layered import Link
from multibond.view.words import word_links


@dataclass(frozen=True)
class Meeting:
    """The simulated graph and the values of its bonds, seen from the model's parts.

    roots: the junction that each port of a part has become. drawn: the bonds that the user drew, with the components at
    tail and head.
    """

    sheet: Sheet
    graph: Graph
    values: Mapping[str, Carried]
    roots: Mapping[str, str]
    drawn: Mapping[str, tuple[str, str]] = field(default_factory=dict)

    def junctions(self, at: At) -> tuple[str, ...]:
        """The junctions behind a port: two for a frame, none for a signal."""
        item = self.sheet.components[at.component]
        port = next((p for p in item.ports() if p.name == at.port), None)
        members = port.members if isinstance(port, FramePort) else (port,)
        found = [self.roots.get(f"{item.name}.{m.name}") for m in members if isinstance(m, PowerPort)]
        return tuple(path for path in found if path in self.graph.elements)

    def owner(self, bond: Bond, junction: str) -> str:
        """Whose a bond is at a junction of ports; of one that the user drew, the part at this end."""
        if bond.name in self.drawn:
            return self.drawn[bond.name][bond.into(junction)]
        other = bond.other(junction).element
        if other not in self.roots.values():
            return other.partition(".")[0]
        sides = [{p.partition(".")[0] for p, root in self.roots.items() if root == end} for end in (junction, other)]
        return min(sides[0] & sides[1], default="")

    def given(self, junction: str) -> tuple[dict[str, np.ndarray], np.ndarray]:
        """What each part puts into a junction of the effort or flow that balances, and the one that all share."""
        one = self.graph.elements[junction].causality == "one"
        found: dict[str, np.ndarray] = {}
        common = np.zeros(0)
        for bond in self.graph.bonds_of(junction):
            carried, owner = self.values[bond.name], self.owner(bond, junction)
            balanced, common = (carried.effort, carried.flow) if one else (carried.flow, carried.effort)
            found[owner] = found.get(owner, 0.0) + (balanced if bond.into(junction) else -balanced)
        return found, common


def word_values(model: Model, graph: Graph, values: Mapping[str, Carried]) -> list[Carried | None]:
    """For every link of the word bond graph, in its order, what it carries from tail to head; None for signals.

    Of a frame the rotation comes first. Wires that form a loop at one junction share what cannot be told apart.
    """
    meeting = Meeting(model.sheet, graph, values, port_roots(model))
    links, _ = word_links(model.sheet)
    bonds = _bonds(meeting, links)
    meeting = replace(meeting, drawn={name: (links[k][1].tail, links[k][1].head) for k, name in bonds.items()})
    found: list[Carried | None] = [values[bonds[k]] if k in bonds else None for k in range(len(links))]
    groups: dict[tuple[str, ...], list[int]] = {}
    for k, (edge, _) in enumerate(links):
        if isinstance(edge, Connection) and (junctions := meeting.junctions(edge.ends[0])):
            groups.setdefault(junctions, []).append(k)
    for junctions, numbers in groups.items():
        pieces = [_shared(meeting, junction, [links[k][1] for k in numbers]) for junction in junctions]
        for j, k in enumerate(numbers):
            found[k] = Carried(*(np.hstack([getattr(p[j], word) for p in pieces]) for word in ("effort", "flow")))
    return found


def together(values: Sequence[Carried]) -> Carried:
    """What wires that begin at one dot carry together: where they share their flow efforts add up, else flows do."""
    first = values[0]
    if len(values) == 1:
        return first
    if all(np.array_equal(value.flow, first.flow) for value in values):
        return Carried(np.sum([value.effort for value in values], axis=0), first.flow)
    return Carried(first.effort, np.sum([value.flow for value in values], axis=0))


def _shared(meeting: Meeting, junction: str, wires: list[Link]) -> list[Carried]:
    """What the wires at one junction carry."""
    given, common = meeting.given(junction)
    runs = along([(wire.tail, wire.head) for wire in wires], given)
    one = meeting.graph.elements[junction].causality == "one"
    return [Carried(run, common) if one else Carried(common, run) for run in runs]


def _bonds(meeting: Meeting, links: list[tuple[Edge, Link]]) -> dict[int, str]:
    """By the number of a link the name of the bond that a user's bond has become."""
    found: dict[int, str] = {}
    for k, (edge, _) in enumerate(links):
        if isinstance(edge, PowerBond):
            ends = [_path(meeting, at) for at in (edge.tail, edge.head)]
            same = [b.name for b in meeting.graph.bonds if [b.tail.element, b.head.element] == ends]
            found[k] = next(name for name in same if name not in found.values())
    return found


def _path(meeting: Meeting, at: At) -> str:
    item: Component = meeting.sheet.components[at.component]
    inner = element_end(item, item.name, at.port)
    if isinstance(item, Element) or inner is not None:
        return inner.element if inner is not None else item.name
    return meeting.roots[f"{item.name}.{at.port}"]
