"""Causality: for every component of every bond, which end gives the flow and which the effort.

Sequential assignment: what is fixed (sources, sensors, one-way couplers), then the tree's joints (their free flow is a
state, their held flow is imposed), then storages in integral causality, then the motions of free bodies where no
inertia gives their flow, then resistors, then what is left. After each choice everything that follows from it is
propagated. Ties go by path, so the order of adding parts never matters.
Sensors are left out until the end.
Where no assignment is free of conflicts, some components are given from both ends, and their agreement is an equation:
whether it can be kept is found with the numbers (`equations.reduce`), which then tells the conflict or solves it.

The stroke stands at the end that gives the flow.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from multibond.border import public
from multibond.errors import CausalityError, Finding
from multibond.graph.graph import Bond, Graph
from multibond.structure.choices import (
    Decide,
    all_choices,
    decide_by_numbers,
    decide_by_search,
    decide_leniently,
    wished,
)
from multibond.structure.given import put_constraints, put_fixed, put_tree_flows
from multibond.structure.propagate import HEAD, TAIL, Assignment, goes_one_way
from multibond.structure.sensors import without_sensors
from multibond.structure.solvable import Structure
from multibond.structure.tree import Tree
from multibond.structure.wishes import not_to_be_had, require_possible, wanted

if TYPE_CHECKING:
    from multibond.structure.reasons import Step


@public
@dataclass(frozen=True)
class Causality:
    """Who gives the flow on each component of each bond, and why.

    flow_from: by bond name, for each component `TAIL` or `HEAD`.
    reason: by (bond, component), the path of the element whose choice led there.
    doubled: components that both ends give, and what: "flow" or "effort"; conflicts: for each of them the reason.
    via: by (bond, component), the element at whose rule the stroke was put, in the order of putting.
    wishes: what was asked for by the user; missed: those that could not be had.
    """

    flow_from: dict[str, tuple[int, ...]]
    reason: dict[tuple[str, int], str]
    dependent: tuple[tuple[str, tuple[int, ...]], ...]
    arbitrary: tuple[str, ...]
    doubled: dict[tuple[str, int], str] = field(default_factory=dict)
    conflicts: dict[tuple[str, int], Finding] = field(default_factory=dict)
    via: dict[tuple[str, int], str] = field(default_factory=dict)
    wishes: Mapping[str, str] = field(default_factory=dict)
    missed: tuple[Finding, ...] = ()
    graph: Graph | None = field(default=None, repr=False, compare=False)

    @property
    def mixed(self) -> tuple[str, ...]:
        """Vector bonds whose components do not all have their stroke at the same end."""
        return tuple(sorted(name for name, sides in self.flow_from.items() if len(set(sides)) > 1))

    @property
    def divided(self) -> tuple[str, ...]:
        """Transformers that are passed against their one way: they hold only while their modulus does not vanish."""
        graph = self.graph
        if graph is None or not self.wishes:
            return ()
        one_way = [p for p, item in graph.elements.items() if goes_one_way(item)]
        inlets = [(path, bond) for path in one_way for bond in graph.bonds_of(path) if bond.end(path).port == "a"]
        return tuple(sorted({path for path, bond in inlets if self.gives_flow(bond, path)}))

    @property
    def steps(self) -> tuple[Step, ...]:
        """How the strokes were put, one after the other, each with its reason."""
        from multibond.structure.reasons import steps

        return steps(self)

    def why(self, name: str) -> tuple[Step, ...]:
        """The steps that led to the strokes of a bond, or of all bonds of an element, from the first cause on."""
        from multibond.structure.reasons import why

        return why(self, name)

    def gives_flow(self, bond: Bond, element: str, component: int = 0) -> bool:
        """Whether the element gives the flow on this component of the bond."""
        if (bond.name, component) in self.doubled:
            return self.doubled[bond.name, component] == "flow"
        return self.flow_from[bond.name][component] == (TAIL if bond.tail.element == element else HEAD)

    def report(self) -> str:
        """Findings in words."""
        lines = [
            f"{path}: derivative causality in component {', '.join(str(k) for k in lanes)}"
            for path, lanes in self.dependent
        ]
        lines += [f"{name}: chosen freely (algebraic loop)" for name in self.arbitrary]
        lines += [f"{name}: mixed causality" for name in self.mixed]
        lines += [f"{name}: its {what}[{k}] is given from both ends" for (name, k), what in self.doubled.items()]
        return "\n".join(lines) or "all storages in integral causality, no algebraic loop"


def assign(graph: Graph, tree: Tree, prefer: Mapping[str, str] | None = None) -> Causality:
    """Assign causality to every component of every bond, or say why that cannot be done.

    prefer: what the user wants, by element (`"coil"`) or component (`"coil[0]"`): "integral" or "derivative" for
    storages, "gives effort" or "gives flow" for any element that may do either. Wishes go before all other choices, and
    before the one way of scalar transformers with a modulus that may vanish: `divided` names those that are passed
    against it, where 1/modulus counts.
    """
    wishes = dict(prefer or {})
    require_possible(graph, wishes)
    plain, restore = without_sensors(graph)
    found = _found(plain, tree, wishes)
    if wishes and (found.doubled or _missed(plain, found, wishes)):
        found = _with_division(plain, tree, wishes) or found
    for step in reversed(restore):
        step(found.flow_from, found.doubled)
    return replace(found, wishes=wishes, missed=_missed(graph, found, wishes), graph=graph)


def _with_division(graph: Graph, tree: Tree, wishes: Mapping[str, str]) -> Causality | None:
    """Strokes that keep every wish by passing scalar transformers against their direction; none where that fails.

    What is solved for there has no place in the conditions on flows that joints and constraints bring.
    """
    if any(item.causality in ("motion", "constraint") for item in graph.elements.values()):
        return None
    try:
        state = Assignment(graph, tree, asked=_effort_asked(graph, wishes), divided=True)
        found = _assign(graph, state, wishes, decide_by_search)
    except CausalityError:
        return None
    return None if _missed(graph, found, wishes) else found


def _missed(graph: Graph, found: Causality, wishes: Mapping[str, str]) -> tuple[Finding, ...]:
    """Wishes that could not be had, with what stands against them."""
    lost = [(b, path, k) for b, path, k, flow in wanted(graph, wishes) if found.gives_flow(b, path, k) != flow]
    causes = [found.reason.get((b.name, k), b.other(path).element) for b, path, k in lost]
    return tuple(not_to_be_had(*lane, cause) for lane, cause in zip(lost, causes, strict=True))


def _found(graph: Graph, tree: Tree, wishes: Mapping[str, str]) -> Causality:
    """By search, then by search with numbers; where both fail, some components are given from both ends.

    A search that closes a mesh between elements that block is tried with numbers too: another choice may open it.
    """
    asked, first, meshed = _effort_asked(graph, wishes), None, None
    for decide in (decide_by_search, decide_by_numbers, decide_leniently):
        if meshed is not None and decide is decide_leniently:
            return meshed
        state = Assignment(graph, tree, lenient=decide is decide_leniently, asked=asked)
        try:
            found = _assign(graph, state, wishes, decide)
        except CausalityError as conflict:
            first = first or conflict
            continue
        if decide is not decide_by_search or not found.arbitrary or not _blocks(graph):
            return found
        if Structure(graph).independent(state):
            return found
        meshed = found
    raise first or AssertionError


def _blocks(graph: Graph) -> bool:
    """Whether something with modes lets no flow pass, as an open switch."""
    moded = [(path, item) for path, item in graph.elements.items() if hasattr(item, "modes")]
    lanes = ((item, b.end(path).port, k) for path, item in moded for b in graph.bonds_of(path) for k in range(b.size))
    return any(item.causality_at(port, k) == "constraint" for item, port, k in lanes)


def _effort_asked(graph: Graph, wishes: Mapping[str, str]) -> frozenset[tuple[str, int]]:
    """Components on which the user wants an element to give the effort."""
    return frozenset((bond.name, k) for bond, _, k, flow in wanted(graph, wishes) if not flow)


def _assign(graph: Graph, state: Assignment, wishes: Mapping[str, str], decide: Decide) -> Causality:
    paths = sorted(graph.elements)
    for stage in (put_fixed, put_tree_flows, put_constraints):
        for path in paths:
            stage(state, path)
            if not state.lenient:
                state.propagate()
        state.propagate()
    choices = wished(state, wishes) + all_choices(state, paths)
    arbitrary = decide(state, choices)
    flow = {name: tuple(values) for name, values in state.flow.items()}
    dependent = _dependent(graph, state)
    free = tuple(dict.fromkeys(arbitrary))
    return Causality(flow, state.reason, dependent, free, state.doubled, state.conflicts, state.via)


def _dependent(graph: Graph, state: Assignment) -> tuple[tuple[str, tuple[int, ...]], ...]:
    found = []
    for path, _ in sorted(graph.elements.items()):
        if graph.signal_at(path, "displacement"):
            continue
        components = [(b, k, state.word(path, b, k)) for b in graph.bonds_of(path) for k in range(b.size)]
        lanes = tuple(
            i
            for i, (b, k, word) in enumerate(components)
            if word.startswith("prefers") and state.gives(b, path, k) != (word == "prefers flow")
        )
        if lanes:
            found.append((path, lanes))
    return tuple(found)
