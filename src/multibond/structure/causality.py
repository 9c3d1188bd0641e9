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

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from multibond.errors import CausalityError, Finding
from multibond.graph.graph import Bond, Graph
from multibond.structure.floats import IMPOSED, follows, massless, parasitic
from multibond.structure.neighbours import ends_key
from multibond.structure.propagate import HEAD, TAIL, Assignment, goes_one_way, two_way
from multibond.structure.sensors import without_sensors
from multibond.structure.solvable import Structure
from multibond.structure.tree import Tree
from multibond.structure.wishes import not_to_be_had, require_possible, wanted

if TYPE_CHECKING:
    from multibond.structure.reasons import Step

PASSING = ("wires", "transformer", "zero")
"""What leads a flow on."""
MOST_TRIES = 500
"""After so many conflicts among free choices the first one stands."""


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
            f"{path}: derivative causality in component {', '.join(str(k + 1) for k in lanes)}"
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
        found = _assign(graph, state, wishes, _decide)
    except CausalityError:
        return None
    return None if _missed(graph, found, wishes) else found


def _missed(graph: Graph, found: Causality, wishes: Mapping[str, str]) -> tuple[Finding, ...]:
    """Wishes that could not be had, with what stands against them."""
    lost = [(b, path, k) for b, path, k, flow in wanted(graph, wishes) if found.gives_flow(b, path, k) != flow]
    causes = [found.reason.get((b.name, k), b.other(path).element) for b, path, k in lost]
    return tuple(not_to_be_had(*lane, cause) for lane, cause in zip(lost, causes, strict=True))


def _found(graph: Graph, tree: Tree, wishes: Mapping[str, str]) -> Causality:
    """By search, then by search with numbers; where both fail, some components are given from both ends."""
    asked, first = _effort_asked(graph, wishes), None
    for lenient, decide in ((False, _decide), (False, _decide_by_numbers), (True, _decide_leniently)):
        try:
            return _assign(graph, Assignment(graph, tree, lenient=lenient, asked=asked), wishes, decide)
        except CausalityError as conflict:
            first = first or conflict
    raise first or AssertionError


def _effort_asked(graph: Graph, wishes: Mapping[str, str]) -> frozenset[tuple[str, int]]:
    """Components on which the user wants an element to give the effort."""
    return frozenset((bond.name, k) for bond, _, k, flow in wanted(graph, wishes) if not flow)


def _assign(graph: Graph, state: Assignment, wishes: Mapping[str, str], decide: Decide) -> Causality:
    paths = sorted(graph.elements)
    for stage in (_fixed, _tree_flows, _constraints):
        for path in paths:
            stage(state, path)
            if not state.lenient:
                state.propagate()
        state.propagate()
    choices = _wished(state, wishes) + _choices(state, paths)
    arbitrary = decide(state, choices)
    flow = {name: tuple(values) for name, values in state.flow.items()}
    dependent = _dependent(graph, state)
    free = tuple(dict.fromkeys(arbitrary))
    return Causality(flow, state.reason, dependent, free, state.doubled, state.conflicts, state.via)


def _set_open(state: Assignment, path: str, gives_flow: bool, *, force: bool = False) -> None:
    for bond in state.graph.bonds_of(path):
        for k in range(bond.size):
            if force or state.gives(bond, path, k) is None:
                state.put(bond, path, k, gives_flow, path)


def _word(state: Assignment, path: str, bond: Bond, k: int) -> str:
    """The causality that the element asks for at one component of one bond."""
    return state.graph.elements[path].causality_at(bond.end(path).port, k)


def _fixed(state: Assignment, path: str) -> None:
    """Sources, sensors, couplers that pass one way only, and what yields in the place of a constraint."""
    element = state.graph.elements[path]
    kind = element.causality
    if path in state.pivots:
        state.draw_from(path)
        return
    told = kind == "prefers effort" and state.graph.signal_at(path, "displacement")
    yields = bool(told) or parasitic(element)
    for port, bond in state.ports[path].items():
        for k in range(bond.size):
            word = element.causality_at(port, k)
            if word in ("gives effort", "gives flow") or yields:
                state.put(bond, path, k, word == "gives flow", path)
            elif kind in ("transformer", "gyrator") and two_way(element) == "none" and not _divided(state, path):
                state.put(bond, path, k, kind == "transformer" and port == "b", path)


def _divided(state: Assignment, path: str) -> bool:
    """Whether a transformer may be passed against its direction: a scalar one, where that was asked for."""
    scalar = all(bond.size == 1 for bond in state.ports[path].values())
    return state.divided and scalar and state.graph.elements[path].causality == "transformer"


def _tree_flows(state: Assignment, path: str) -> None:
    """In the tree the free flow of a joint is a state and its held flow is imposed; at a cut both are read.

    Where a source on the joint's flange drives it already, its free flow is read too. Free bodies wait for what their
    inertias give; constraints of the method "zcp" for what they can impose.
    """
    item = state.graph.elements[path]
    kind = item.causality
    if kind == "motion":
        if follows(item):
            return
        driven = any(state.gives(b, path, k) is False for b in state.graph.bonds_of(path) for k in range(b.size))
        _set_open(state, path, state.tree.role.get(path, "cut") != "cut" and not driven, force=True)
    elif kind == "constraint":
        owner = _motion_of(state.graph, path)
        if owner is not None and getattr(item, "method", "") != IMPOSED:
            _set_open(state, path, state.tree.role[owner] != "cut", force=True)


def _motion_of(graph: Graph, path: str) -> str | None:
    """The joint whose gap a constraint holds."""
    hit = graph.signal_at(path, "gap")
    if hit is None:
        return None
    return next((end.element for end in hit[0].ends if graph.elements[end.element].causality == "motion"), None)


def _constraints(state: Assignment, path: str) -> None:
    """A constraint of its own imposes the flow where it can; elsewhere it is a multiplier."""
    for bond in state.graph.bonds_of(path):
        for k in range(bond.size):
            if _word(state, path, bond, k) == "constraint" and state.gives(bond, path, k) is None:
                if (bond.name, k) in state.asked:
                    state.put(bond, path, k, False, path)
                else:
                    _impose(state, path, bond, k)


def _impose(state: Assignment, path: str, bond: Bond, k: int) -> None:
    mark, lenient, state.lenient = len(state.trail), state.lenient, False
    try:
        state.put(bond, path, k, True, path)
        state.propagate()
        _require_giver(state, path, mark)
        state.lenient = lenient
    except CausalityError:
        state.back_to(mark)
        state.lenient = lenient
        state.put(bond, path, k, False, path)


def _require_giver(state: Assignment, path: str, mark: int) -> None:
    """By C1 a port that passes flow one way only asks the free motion beside a held one for its flow: none is there.

    Dampers and springs are no givers: their flow would follow from efforts of inertias whose rates follow from it.
    """
    owner = _motion_of(state.graph, path)
    if owner is None or getattr(state.graph.elements[path], "method", "") != IMPOSED:
        return
    bonds = {bond.name: bond for bond in state.graph.bonds}
    for bond, k in ((bonds[name], k) for name, k, _ in state.trail[mark:]):
        for end in (bond.tail.element, bond.head.element):
            soft = state.graph.elements[end].power == "lost" or _word(state, end, bond, k) == "prefers effort"
            if soft and state.gives(bond, end, k):
                raise CausalityError(Finding(f"only {end!r} gives the flow of {owner!r}.", "C1", "Use a multiplier."))
    for own in state.graph.bonds_of(owner):
        free = own.other(owner).element
        others = [b for b in state.bonds(free) if b is not own]
        inlets = [b for b in others if state.graph.elements[b.other(free).element].causality in PASSING]
        for k in range(own.size):
            given = any(state.gives(b, free, k) is False for b in others)
            if not given and any(state.gives(b, free, k) for b in inlets):
                raise CausalityError(Finding(f"nothing gives the flow of {owner!r}.", "C1", "Use a multiplier."))


@dataclass
class _Choice:
    """A component that may go either way, and the way it should go first."""

    bond: Bond
    element: str
    component: int
    gives_flow: bool
    free: bool = False


@dataclass
class _Decision:
    """A choice made: where the trail and the list of choices stood, and whether it is the second way already."""

    choice: _Choice
    mark: int
    index: int
    second: bool = False


Decide = Callable[[Assignment, list[_Choice]], list[str]]
"""Makes the choices in order; returns the bonds of those that were free."""
LEVELS = (("prefers flow", "prefers effort"), ("motion",), ("massless",), ("wants effort", "wants flow"), ("free",))
"""Storages in integral causality, free bodies where no inertia moves them, then inertias of zero behind those, then
laws that are explicit one way only, then linear resistors."""


def _choices(state: Assignment, paths: list[str]) -> list[_Choice]:
    """All components that may go either way, in the order in which they are decided."""
    levels: list[list[_Choice]] = [[] for _ in LEVELS]
    floats = any(follows(item) for item in state.graph.elements.values())
    for path in paths:
        for i, (bond, k) in enumerate((b, k) for b in state.graph.bonds_of(path) for k in range(b.size)):
            word = _word(state, path, bond, k)
            flow = word in ("prefers flow", "wants flow", "motion")
            if floats and massless(state.graph.elements[path], i):
                word = "massless"
            for level, words in zip(levels, LEVELS, strict=True):
                if word in words:
                    level.append(_Choice(bond, path, k, flow))
    bonds = sorted(state.graph.bonds, key=lambda b: (*ends_key(state.graph, b), b.name))
    rest = [_Choice(b, b.tail.element, k, True, True) for b in bonds for k in range(b.size)]
    return [choice for level in levels for choice in level] + rest


def _wished(state: Assignment, wishes: Mapping[str, str]) -> list[_Choice]:
    return [_Choice(bond, path, k, flow) for bond, path, k, flow in wanted(state.graph, wishes)]


def _decide(state: Assignment, choices: list[_Choice]) -> list[str]:
    """Make the choices in order; a conflict takes back the latest one that can go the other way."""
    made: list[_Decision] = []
    first: CausalityError | None = None
    index = tries = 0
    while index < len(choices):
        choice = choices[index]
        if state.gives(choice.bond, choice.element, choice.component) is not None:
            index += 1
            continue
        decision = _Decision(choice, len(state.trail), index)
        while not _attempt(state, decision):
            tries += 1
            first = first or state.conflict
            while decision.second:
                if not made or tries > MOST_TRIES:
                    raise first if first is not None else AssertionError
                decision = made.pop()
            state.back_to(decision.mark)
            decision = _Decision(decision.choice, decision.mark, decision.index, second=True)
        made.append(decision)
        index = decision.index + 1
    return [d.choice.bond.name for d in made if d.choice.free]


def _decide_by_numbers(state: Assignment, choices: list[_Choice]) -> list[str]:
    """Make the choices in order, each in the first way after which the junction structure can still be completed."""
    structure, free = Structure(state.graph), []
    if not structure.completable(state):
        raise _hopeless(state)
    for index, choice in enumerate(choices):
        if state.gives(choice.bond, choice.element, choice.component) is not None:
            continue
        for second in (False, True):
            mark = len(state.trail)
            if _attempt(state, _Decision(choice, mark, index, second)):
                if structure.completable(state):
                    break
                state.back_to(mark)
        else:
            raise _hopeless(state)
        free += [choice.bond.name] if choice.free else []
    return free


def _hopeless(state: Assignment) -> CausalityError:
    """What is said where no choice is left; the search by strokes has said more already."""
    told = Finding("the strokes cannot be completed.", "What is given contradicts itself.", "Remove a source.")
    return state.conflict or CausalityError(told)


def _decide_leniently(state: Assignment, choices: list[_Choice]) -> list[str]:
    """Make the choices in order; what leads to a conflict both ways is given from both ends."""
    free: list[str] = []
    for index, choice in enumerate(choices):
        if state.gives(choice.bond, choice.element, choice.component) is not None:
            continue
        mark, state.lenient = len(state.trail), False
        done = any(_attempt(state, _Decision(choice, mark, index, second)) for second in (False, True))
        state.lenient = True
        if not done and not _attempt(state, _Decision(choice, mark, index)):
            raise state.conflict or AssertionError
        free += [choice.bond.name] if choice.free else []
    return free


def _attempt(state: Assignment, decision: _Decision) -> bool:
    """Carry a decision out; false where it leads to a conflict."""
    choice = decision.choice
    try:
        state.put(choice.bond, choice.element, choice.component, choice.gives_flow != decision.second, choice.element)
        state.propagate()
    except CausalityError as error:
        state.conflict = error
        state.back_to(decision.mark)
        return False
    return True


def _dependent(graph: Graph, state: Assignment) -> tuple[tuple[str, tuple[int, ...]], ...]:
    found = []
    for path, _ in sorted(graph.elements.items()):
        if graph.signal_at(path, "displacement"):
            continue
        components = [(b, k, _word(state, path, b, k)) for b in graph.bonds_of(path) for k in range(b.size)]
        lanes = tuple(
            i
            for i, (b, k, word) in enumerate(components)
            if word.startswith("prefers") and state.gives(b, path, k) != (word == "prefers flow")
        )
        if lanes:
            found.append((path, lanes))
    return tuple(found)
