"""Bicausality: where an output is given and an input is sought, some bonds carry effort and flow the same way.

In the causal graph an input is sought by turning a causal path round: every variable on it is now given by the element
that gave its successor (Gawthrop, 1995; Ngwompo and others, 1996). Several inputs need as many disjoint paths. A bond
whose effort and flow then both come from one end is bicausal.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from multibond.analysis.ends import InputEnd
from multibond.analysis.paths import Path, Web, disjoint, order_of, reach, web_of
from multibond.analysis.signals import Signals, bond_name
from multibond.errors import Finding, StructureError
from multibond.graph.graph import Graph
from multibond.structure.causality import HEAD, TAIL, Causality


@dataclass(frozen=True)
class GivenEnd:
    """A component of an output that is given: its name, the sensor that reads it, and the node there."""

    name: str
    element: str
    node: int


@dataclass(frozen=True)
class BicausalBond:
    """A component of a bond whose effort and flow come from one end."""

    bond: str
    name: str
    component: int
    giver: str

    def __str__(self) -> str:
        return f"{self.name}: effort and flow both from {self.giver!r}"


@dataclass(frozen=True)
class Turned:
    """Causal paths that are turned round, and the bonds that become bicausal.

    givers: by bond and component who then gives the effort and who the flow.
    """

    paths: tuple[tuple[str, ...], ...]
    orders: tuple[int, ...]
    bonds: tuple[BicausalBond, ...]
    givers: dict[tuple[str, int], tuple[str, str]]


def turn_round(signals: Signals, sought: Sequence[InputEnd], outputs: Sequence[GivenEnd]) -> Turned:
    """Turn disjoint paths from the inputs to the outputs round.

    Refuses where there are not enough of them.
    """
    web = web_of(signals)
    starts, ends = [end.node for end in sought], [[out.node] for out in outputs]
    paths = disjoint(web, starts, ends)
    if len(paths) < len(starts):
        raise StructureError(*_refused(signals, web, sought, outputs, len(paths)))
    names = tuple(tuple(dict.fromkeys(signals.nodes[k].name for k in path)) for path in paths)
    reader = {out.node: out.element for out in outputs}
    givers = _givers(signals, paths, reader)
    return Turned(names, tuple(order_of(web, path) for path in paths), _bonds(signals, givers), givers)


def _bonds(signals: Signals, givers: dict[tuple[str, int], tuple[str, str]]) -> tuple[BicausalBond, ...]:
    found: list[BicausalBond] = []
    for bond in signals.graph.bonds:
        name = bond_name(signals.graph, bond)
        for k in range(bond.size):
            effort, flow = givers.get((bond.name, k), ("", ""))
            if effort and effort == flow:
                found.append(BicausalBond(bond.name, f"{name}[{k}]" if bond.size > 1 else name, k, effort))
    return tuple(found)


def _givers(signals: Signals, paths: Sequence[Path], reader: dict[int, str]) -> dict[tuple[str, int], tuple[str, str]]:
    """By bond and component the ends that give effort and flow; those that something else gives are left out."""
    giver = {k: node.owner for k, node in enumerate(signals.nodes)}
    for path in paths:
        for here, onward in pairwise(path):
            giver[here] = signals.nodes[onward].owner
        giver[path[-1]] = reader[path[-1]]
    at = {node.name: k for k, node in enumerate(signals.nodes)}
    found: dict[tuple[str, int], tuple[str, str]] = {}
    for bond in signals.graph.bonds:
        name = bond_name(signals.graph, bond)
        for k in range(bond.size):
            tail = f"[{k}]" if bond.size > 1 else ""
            nodes = [at.get(f"{name}.{letter}{tail}") for letter in "ef"]
            if None in nodes or (bond.name, k) in signals.causality.doubled:
                continue
            effort, flow = (giver[n] for n in nodes if n is not None)
            if {effort, flow} <= {bond.tail.element, bond.head.element}:
                found[bond.name, k] = effort, flow
    return found


def turned_strokes(signals: Signals, turned: Turned) -> Causality:
    """The strokes of the graph with the paths turned round: at the ends that give the flow."""
    old, graph = signals.causality, signals.graph
    flow_from = {name: list(ends) for name, ends in old.flow_from.items()}
    for bond in graph.bonds:
        for k in range(bond.size):
            if (bond.name, k) in turned.givers:
                flow_from[bond.name][k] = TAIL if turned.givers[bond.name, k][1] == bond.tail.element else HEAD
    made = replace(old, flow_from={name: tuple(ends) for name, ends in flow_from.items()}, graph=graph)
    both = {(bond.bond, bond.component) for bond in turned.bonds}
    return replace(made, dependent=_late(graph, made, both))


def _late(graph: Graph, strokes: Causality, both: set[tuple[str, int]]) -> tuple[tuple[str, tuple[int, ...]], ...]:
    """Storages that are in derivative causality then."""
    found = []
    for path, item in sorted(graph.elements.items()):
        lanes = [(b, k, item.causality_at(b.end(path).port, k)) for b in graph.bonds_of(path) for k in range(b.size)]
        late = tuple(
            i
            for i, (b, k, word) in enumerate(lanes)
            if word.startswith("prefers")
            and (b.name, k) not in both
            and strokes.gives_flow(b, path, k) != (word == "prefers flow")
        )
        found += [(path, late)] if late else []
    return tuple(found)


def _refused(
    signals: Signals, web: Web, sought: Sequence[InputEnd], outputs: Sequence[GivenEnd], count: int
) -> list[Finding]:
    """Why an inversion is not possible: inputs without any path, or paths that all pass one place."""
    findings: list[Finding] = []
    ends = {out.node: out.name for out in outputs}
    for end in sought:
        if not reach(web.after, [end.node]) & set(ends):
            names = ", ".join(repr(n) for n in ends.values())
            fact = f"No causal path leads from {end.name!r} to {names}."
            findings.append(Finding(f"{end.name!r} cannot be found.", fact, _CURE, (end.path,)))
    for node, name in ends.items():
        if not reach(web.before, [node]) & {end.node for end in sought}:
            names = ", ".join(repr(end.name) for end in sought)
            fact = f"No causal path leads to it from {names}."
            findings.append(Finding(f"{name!r} cannot be prescribed.", fact, _CURE, (signals.nodes[node].owner,)))
    if findings:
        return findings
    fact = (
        f"Only {count} causal path{'s' if count != 1 else ''} without a common variable lead{'s' if count == 1 else ''}"
    )
    names = ", ".join(repr(end.name) for end in sought)
    problem = f"{names} cannot all be found from {', '.join(repr(out.name) for out in outputs)}."
    return [Finding(problem, f"{fact} from the inputs to the outputs.", _CURE, tuple(end.path for end in sought))]


_CURE = "Prescribe an output that the input reaches, one for each input."
