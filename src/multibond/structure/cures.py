"""What can be done about a component that is given from both ends: parasitics, multiplier, flip, split, invert."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from multibond.elements import Constraint, Sf
from multibond.elements.couplers import Coupler
from multibond.errors import CausalityError, Finding
from multibond.graph.component import Element
from multibond.graph.graph import Bond, Graph
from multibond.structure.causality import Causality, assign
from multibond.structure.first_causes import of_the_user
from multibond.structure.propagate import TAIL, two_way
from multibond.structure.tree import Tree

MOST = 8
"""So many culprits of a conflict are tried."""


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


@dataclass(frozen=True)
class Trials:
    """Cures are offered only after they were tried; each tells of an element whether it cures.

    flip: the wish that gives it the other causality, empty where that is no cure; multiplier: as a
    Constraint; invert: as a transformer turned round.
    """

    flip: Callable[[str], str]
    multiplier: Callable[[str], bool]
    invert: Callable[[str], bool]


def conflicts(graph: Graph, causality: Causality, trials: Trials) -> tuple[Conflict, ...]:
    """Every component that is given from both ends, with its culprits and the cures that were tried."""
    bonds = {b.name: b for b in graph.bonds}
    found = []
    for (name, k), what in sorted(causality.doubled.items()):
        finding = causality.conflicts[name, k]
        culprits = _culprits(graph, causality, bonds[name], what, finding)
        cures = tuple(_cures(graph, causality, bonds[name], what, culprits, trials))
        found.append(Conflict(name, k, what, finding, culprits, cures))
    return tuple(found)


def _culprits(graph: Graph, causality: Causality, bond: Bond, what: str, finding: Finding) -> tuple[str, ...]:
    """The first causes on both sides that give what is given twice, and those that the conflict itself names."""
    story = [step for end in (bond.tail.element, bond.head.element) for step in causality.why(end)]
    first = [step for step in story if not step.after and (step.stroke == step.by) == (what == "flow")]
    named = (*finding.paths, *(step.by for step in first))
    silent = ("one", "zero", "wires")
    found = dict.fromkeys(path for path in named if graph.elements[path].causality not in silent)
    return of_the_user(graph, found)


def _cures(
    graph: Graph, causality: Causality, bond: Bond, what: str, culprits: tuple[str, ...], trials: Trials
) -> list[Cure]:
    held = [path for path in culprits if isinstance(graph.elements[path], Sf | Constraint)]
    flips = [(path, trials.flip(path)) for path in culprits[:MOST]]
    return [
        _parasitic(bond, what),
        *(_multiplier(graph, path) for path in held[:MOST] if trials.multiplier(path)),
        *(_flip(path, word) for path, word in flips if word),
        *_split(causality, bond, what),
        *(_invert(path) for path in _one_way(graph, bond, culprits) if trials.invert(path)),
    ]


def _parasitic(bond: Bond, what: str) -> Cure:
    small, junction, kind = ("C", "0-junction", "compliance") if what == "flow" else ("I", "1-junction", "inertia")
    text = f"Put a {junction} with a parasitic {small} and R into the bond: a small {kind} lets both ends differ."
    return Cure("parasitic", bond.name, text)


def _multiplier(graph: Graph, path: str) -> Cure:
    kind = type(graph.elements[path]).__name__
    text = f"Let {kind} {path!r} be a Constraint: where the flow is given already its effort is a multiplier."
    return Cure("multiplier", path, text)


def flip_of(graph: Graph, tree: Tree, causality: Causality, path: str) -> str:
    """The wish that gives an element the other causality, tried on the strokes; empty where it does no good.

    Good is one conflict less, or a storage that becomes a state while no more than one ceases to be.
    """
    word = _other_word(graph, causality, path)
    if not word or causality.wishes.get(path) == word:
        return ""
    wishes = {name: w for name, w in causality.wishes.items() if name.partition("[")[0] != path}
    try:
        tried = assign(graph, tree, wishes | {path: word})
    except CausalityError:
        return ""
    fewer = len(causality.doubled) - len(tried.doubled)
    leads = word == "integral" and fewer == 0 and _late(tried) <= _late(causality)
    missed = any(finding.paths[0] == path for finding in tried.missed)
    return word if (fewer > 0 or leads) and not missed else ""


def _late(causality: Causality) -> int:
    return sum(len(lanes) for _, lanes in causality.dependent)


def _other_word(graph: Graph, causality: Causality, path: str) -> str:
    """What to ask for so that an element that may go either way goes the other one."""
    lanes = [(b, k) for b in graph.bonds_of(path) for k in range(b.size)]
    words = {graph.elements[path].causality_at(b.end(path).port, k).split()[0] for b, k in lanes}
    if "prefers" in words:
        return "integral" if path in dict(causality.dependent) else "derivative"
    if not words & {"free", "wants", "constraint"}:
        return ""
    return "gives effort" if _stroke_at(causality, *lanes[0], path) else "gives flow"


def _stroke_at(causality: Causality, bond: Bond, k: int, path: str) -> bool:
    """Whether the stroke stands at an element, also where both ends give the same."""
    return (causality.flow_from[bond.name][k] == TAIL) == (bond.tail.element == path)


def _flip(path: str, word: str) -> Cure:
    return Cure("flip", path, f"Give {path!r} the other causality: prefer={{{path!r}: {word!r}}}.")


def _split(causality: Causality, bond: Bond, what: str) -> list[Cure]:
    """Where only some components of a vector bond are given twice."""
    twice = [k for k in range(bond.size) if (bond.name, k) in causality.doubled]
    if len(twice) == bond.size:
        return []
    lanes = ", ".join(str(k) for k in twice)
    small = "C" if what == "flow" else "I"
    text = f"Split the bond with a DirectSum, and put the parasitic {small} into component {lanes} alone."
    return [Cure("split", bond.name, text)]


def _one_way(graph: Graph, bond: Bond, culprits: tuple[str, ...]) -> list[str]:
    """Couplers with a square modulus that pass flow one way only and have a part in the conflict."""
    near = dict.fromkeys((*culprits, bond.tail.element, bond.head.element))
    return [path for path in near if _square(graph, path) and _passes_one_way(graph.elements[path])]


def _passes_one_way(item: Element) -> bool:
    return isinstance(item, Coupler) and two_way(item) == "none" and not item.by_component()


def _square(graph: Graph, path: str) -> bool:
    return isinstance(graph.elements[path], Coupler) and len({b.size for b in graph.bonds_of(path)}) == 1


def _invert(path: str) -> Cure:
    return Cure("invert", path, f"Invert {path!r}: turn it round, with the inverse modulus.")
