"""What can be done about a component that is given from both ends: parasitics, multiplier, flip, split, invert."""

from __future__ import annotations

from dataclasses import dataclass

from multibond.elements import Constraint, MSf, Sf
from multibond.elements.couplers import Coupler
from multibond.errors import Finding
from multibond.graph.graph import Bond, Graph
from multibond.structure.causality import Causality
from multibond.structure.propagate import two_way


@dataclass(frozen=True)
class Cure:
    """One way out: "parasitic", "multiplier", "flip", "split" or "invert", the element it acts on, and a sentence."""

    kind: str
    element: str
    text: str


@dataclass(frozen=True)
class Conflict:
    """A component that both ends of a bond give: what is given twice, the culprits, what can be done."""

    bond: str
    component: int
    what: str
    finding: Finding
    culprits: tuple[str, ...]
    cures: tuple[Cure, ...]


def conflicts(graph: Graph, causality: Causality) -> tuple[Conflict, ...]:
    """Every component that is given from both ends, with its culprits and cures."""
    bonds = {b.name: b for b in graph.bonds}
    found = []
    for (name, k), what in sorted(causality.doubled.items()):
        finding = causality.conflicts[name, k]
        culprits = _culprits(graph, causality, bonds[name], what, finding)
        cures = tuple(_cures(graph, causality, bonds[name], what, culprits))
        found.append(Conflict(name, k, what, finding, culprits, cures))
    return tuple(found)


def _culprits(graph: Graph, causality: Causality, bond: Bond, what: str, finding: Finding) -> tuple[str, ...]:
    """The first causes on both sides that give what is given twice, and those that the conflict itself names."""
    story = [step for end in (bond.tail.element, bond.head.element) for step in causality.why(end)]
    first = [step for step in story if not step.after and (step.stroke == step.by) == (what == "flow")]
    named = (*finding.paths, *(step.by for step in first))
    silent = ("one", "zero", "wires")
    return tuple(dict.fromkeys(path for path in named if graph.elements[path].causality not in silent))


def _cures(graph: Graph, causality: Causality, bond: Bond, what: str, culprits: tuple[str, ...]) -> list[Cure]:
    return [
        _parasitic(bond, what),
        *(_multiplier(graph, path) for path in culprits if isinstance(graph.elements[path], Sf | MSf | Constraint)),
        *(_flip(path) for path in culprits if _may_flip(graph, path)),
        *_split(causality, bond),
        *(_invert(path) for path in _one_way(graph, bond, culprits)),
    ]


def _parasitic(bond: Bond, what: str) -> Cure:
    small, junction, kind = ("C", "0-junction", "compliance") if what == "flow" else ("I", "1-junction", "inertia")
    text = f"Put a {junction} with a parasitic {small} and R into the bond: a small {kind} lets both ends differ."
    return Cure("parasitic", bond.name, text)


def _multiplier(graph: Graph, path: str) -> Cure:
    kind = type(graph.elements[path]).__name__
    text = f"Let {kind} {path!r} be a Constraint that takes the flow: its effort becomes a multiplier."
    return Cure("multiplier", path, text)


def _may_flip(graph: Graph, path: str) -> bool:
    lanes = [(b, k) for b in graph.bonds_of(path) for k in range(b.size)]
    words = {graph.elements[path].causality_at(b.end(path).port, k) for b, k in lanes}
    return any(word == "free" or word.split()[0] in ("prefers", "wants") for word in words)


def _flip(path: str) -> Cure:
    return Cure("flip", path, f"Give {path!r} the other causality: prefer={{{path!r}: ...}}.")


def _split(causality: Causality, bond: Bond) -> list[Cure]:
    """Where only some components of a vector bond are given twice."""
    twice = [k for k in range(bond.size) if (bond.name, k) in causality.doubled]
    if len(twice) == bond.size:
        return []
    lanes = ", ".join(str(k + 1) for k in twice)
    return [Cure("split", bond.name, f"Split the bond with a DirectSum: only component {lanes} is given twice.")]


def _one_way(graph: Graph, bond: Bond, culprits: tuple[str, ...]) -> list[str]:
    """Couplers with a square modulus that pass flow one way only and have a part in the conflict."""
    near = dict.fromkeys((*culprits, bond.tail.element, bond.head.element))
    return [path for path in near if _square(graph, path) and two_way(graph.elements[path]) == "none"]


def _square(graph: Graph, path: str) -> bool:
    return isinstance(graph.elements[path], Coupler) and len({b.size for b in graph.bonds_of(path)}) == 1


def _invert(path: str) -> Cure:
    return Cure("invert", path, f"Invert {path!r}: turn it round, with the inverse modulus, where that exists.")
