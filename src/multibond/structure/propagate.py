"""What follows from a stroke: the rules of junctions, couplers and direct sums, and the conflicts they can meet."""

from __future__ import annotations

from collections import deque
from typing import Any

from multibond.elements import Driver, Sf
from multibond.elements.couplers import Coupler
from multibond.errors import CausalityError, Finding
from multibond.expr import SX
from multibond.formula import Formula
from multibond.graph.component import Element
from multibond.graph.graph import Bond, Graph
from multibond.graph.junctions import Wires
from multibond.graph.port import PowerPort
from multibond.structure.first_causes import first_causes, open_end
from multibond.structure.neighbours import neighbours
from multibond.structure.pivots import Lane, Pivots, all_pivots
from multibond.structure.tree import Tree, held_by

FREE, TAIL, HEAD = 0, 1, 2
MOST = 6
"""So many culprits are named in one sentence."""


class Assignment:
    """The state of an assignment in progress; only `assign` uses it.

    lenient: a component that is claimed from both ends is no conflict: both ends give its flow (or both its effort),
    and that the two agree becomes an equation. `doubled` says for such a component what is given twice, `conflicts`
    what has to be said if the equation cannot be kept. asked: components on which constraints are to be multipliers.
    divided: scalar transformers may be passed against their direction too, by dividing by their modulus.
    """

    def __init__(
        self,
        graph: Graph,
        tree: Tree,
        *,
        lenient: bool = False,
        asked: frozenset[tuple[str, int]] = frozenset(),
        divided: bool = False,
    ) -> None:
        self.divided = divided
        self.graph, self.tree, self.lenient, self.asked = graph, tree, lenient, asked
        self.doubled: dict[tuple[str, int], str] = {}
        self.conflicts: dict[tuple[str, int], Finding] = {}
        self.flow = {b.name: [FREE] * b.size for b in graph.bonds}
        self.reason: dict[tuple[str, int], str] = {}
        self.via: dict[tuple[str, int], str] = {}
        self.queue: deque[str] = deque()
        self.waiting: set[str] = set()
        self.trail: list[tuple[str, int, bool]] = []
        self.conflict: CausalityError | None = None
        self.ports = {path: dict(sorted(_port_bonds(graph, path).items())) for path in graph.elements}
        self.pivots = all_pivots(graph)
        self.touched = {path: set(range(max(b.size for b in at.values()))) for path, at in self.ports.items() if at}
        """By element the components on which something is new since its conclusions were drawn."""
        self._sorted: dict[str, list[Bond]] = {}
        self._named = {b.name: b for b in graph.bonds}
        self.frames = {name for f in (*graph.frames, *graph.planes) for name in f.junctions}

    # -- reading --

    def gives(self, bond: Bond, element: str, k: int) -> bool | None:
        """True when the element gives flow on component k, False when it takes it, None when open."""
        if (bond.name, k) in self.doubled:
            return self.doubled[bond.name, k] == "flow"
        value = self.flow[bond.name][k]
        if value == FREE:
            return None
        return value == (TAIL if bond.tail.element == element else HEAD)

    def word(self, path: str, bond: Bond, k: int) -> str:
        """The causality that the element asks for at one component of one bond."""
        return self.graph.elements[path].causality_at(bond.end(path).port, k)

    def bond(self, name: str) -> Bond:
        """The bond of a name."""
        return self._named[name]

    def bonds(self, path: str) -> list[Bond]:
        """The bonds at a junction, in an order that does not depend on how it was drawn."""
        if path not in self._sorted:
            self._sorted[path] = neighbours(self.graph, path)
        return self._sorted[path]

    # -- writing --

    def put(self, bond: Bond, element: str, k: int, gives_flow: bool, why: str) -> None:
        """Let the element give (or take) the flow on component k."""
        if self.gives(bond, element, k) == gives_flow:
            return
        want = TAIL if (bond.tail.element == element) == gives_flow else HEAD
        have = self.flow[bond.name][k]
        if have == FREE:
            self.flow[bond.name][k] = want
            self.reason[bond.name, k] = why
            self.via[bond.name, k] = element
            self.trail.append((bond.name, k, False))
            for end in (bond.tail.element, bond.head.element):
                self.touched[end].add(k)
                if end not in self.waiting:
                    self.waiting.add(end)
                    self.queue.append(end)
            return
        conflict = self._conflict(bond, k, "flow" if gives_flow else "effort", element)
        if not self.lenient or not self._may_double(bond, k):
            raise CausalityError(conflict)
        self.doubled[bond.name, k] = "flow" if gives_flow else "effort"
        self.conflicts[bond.name, k] = conflict
        self.trail.append((bond.name, k, True))

    def _may_double(self, bond: Bond, k: int) -> bool:
        """Frames and joints have constraints of their own for what is given twice."""
        ends = (bond.tail.element, bond.head.element)
        bound = any(e in self.frames or self.graph.elements[e].causality in ("motion", "constraint") for e in ends)
        return not bound and (bond.name, k) not in self.doubled

    def _conflict(self, bond: Bond, k: int, twice: str, element: str) -> Finding:
        culprits = first_causes(self, [(bond.name, k)], element)
        ends = (bond.tail.element, bond.head.element)
        kinds = {self.graph.elements[e].causality: e for e in ends}
        component = f" (component {k})" if bond.size > 1 else ""
        names = _listed(self.graph, culprits)
        nowhere = open_end(self, culprits, self.graph.elements)
        if nowhere is not None:
            return nowhere
        if self._is_driven(kinds.get("zero", "")):
            return self._driven_twice(kinds["zero"])
        for kind, what in (("one", "flow"), ("zero", "effort")):
            if kind in kinds:
                report = _set_twice if twice == what else _never_set
                return report(kinds[kind], what, component, names, culprits)
        return Finding(
            f"the bond between {ends[0]!r} and {ends[1]!r} is driven from both sides{component}.",
            f"{names} impose contradictory directions on it.",
            self._joint_cure(culprits) or "Remove one of them, or put a C or an R between them.",
            (*culprits, *ends),
        )

    def _joint_cure(self, culprits: tuple[str, ...]) -> str:
        """What helps where sources of speed and what a joint holds are in conflict; nothing where no joint is."""
        joints = [self.graph.owner(path) for path in culprits if held_by(self.graph, path)]
        if not joints:
            return ""
        sources = [path for path, item in self.graph.of_type(Sf) if not SX(_number(vars(item)["flow"])).is_zero()]
        named = ", ".join(repr(path) for path in sources) or "them"
        joint = repr(joints[0]) if any(path in sources for path in culprits) else "a joint"
        remove = f"Remove {'' if len(sources) == 1 else 'one of '}{named}"
        return f"{remove}, or drive {joint} by its own `driven`, which every method takes."

    def _is_driven(self, path: str) -> bool:
        """Whether a 0-junction is that of a joint that has a path of its own."""
        return bool(self._drivers(path))

    def _drivers(self, path: str) -> list[str]:
        ends = (b.other(path).element for b in self.graph.bonds_of(path))
        return [end for end in ends if isinstance(self.graph.elements[end], Driver)]

    def _driven_twice(self, path: str) -> Finding:
        """A joint with a path of its own, and a source that fixes its speed as well."""
        joint = self.graph.owner(self._drivers(path)[0])
        reasons = {self.reason.get((b.name, k), "") for b in self.graph.bonds_of(path) for k in range(b.size)}
        others = sorted(r for r in reasons if r and self.graph.owner(r) != joint)
        by = ", ".join(repr(name) for name in others) or "something at its flange"
        fact = f"It follows a path of its own (driven), and {by} fixes its speed as well."
        return Finding(f"{joint!r} is driven twice.", fact, "Leave out driven, or the source.", (joint, *others))

    def back_to(self, mark: int) -> None:
        """Forget everything assigned since the trail had this length."""
        for name, k, doubled in self.trail[mark:]:
            for end in (self._named[name].tail.element, self._named[name].head.element):
                self.touched[end].add(k)
            if doubled:
                del self.doubled[name, k], self.conflicts[name, k]
            else:
                self.flow[name][k] = FREE
                del self.reason[name, k], self.via[name, k]
        del self.trail[mark:]
        self.queue.clear()
        self.waiting.clear()

    # -- propagation --

    def propagate(self) -> None:
        """Draw every conclusion from what is assigned."""
        while self.queue:
            path = self.queue.popleft()
            self.waiting.discard(path)
            self.draw_from(path)

    def draw_from(self, path: str) -> None:
        """Draw the conclusions of one element."""
        rule = _by_bases if path in self.pivots else _RULES.get(self.graph.elements[path].causality)
        if rule is not None:
            rule(self, path)


def _port_bonds(graph: Graph, path: str) -> dict[str, Bond]:
    return {b.end(path).port: b for b in graph.bonds_of(path)}


def _listed(graph: Graph, culprits: tuple[str, ...]) -> str:
    """Culprits with their types, as they are spoken."""
    *first, last = [f"{_kind(graph, path)} {path!r}" for path in culprits[:MOST]]
    return f"{', '.join(first)} and {last}" if first else last


def _kind(graph: Graph, path: str) -> str:
    return type(graph.elements[path]).__name__ if path in graph.elements else "element"


def _junction(state: Assignment, path: str) -> None:
    """1-junction: exactly one bond brings the flow. 0-junction: exactly one bond takes it (and brings the effort)."""
    one = state.graph.elements[path].causality == "one"
    bonds = state.bonds(path)
    touched = state.touched.get(path, set())
    for k in range(bonds[0].size if bonds else 0) if state.doubled else sorted(touched):
        status = [state.gives(b, path, k) for b in bonds]
        strong = [b for b, s in zip(bonds, status, strict=True) if s is not None and s != one]
        open_ = [b for b, s in zip(bonds, status, strict=True) if s is None]
        if len(strong) > 1 and not state.lenient:
            raise CausalityError(_junction_conflict(state, path, strong, k, one))
        for b in strong[1:]:
            state.put(b, path, k, one, state.reason[strong[0].name, k])
        if strong:
            for b in open_:
                state.put(b, path, k, one, state.reason[strong[0].name, k])
        elif len(open_) == 1:
            other = next((state.reason[b.name, k] for b in bonds if (b.name, k) in state.reason), path)
            state.put(open_[0], path, k, not one, other)
        elif not open_ and state.lenient:
            state.put(bonds[0], path, k, not one, state.reason[bonds[-1].name, k])
        elif not open_:
            raise CausalityError(_nothing_decides(state, path, one))
        touched.discard(k)


def _junction_conflict(state: Assignment, path: str, strong: list[Bond], k: int, one: bool) -> Finding:
    culprits = first_causes(state, [(b.name, k) for b in strong[1:]], path)
    component = f" (component {k})" if strong[0].size > 1 else ""
    names = _listed(state.graph, culprits)
    return open_end(state, culprits, state.graph.elements) or _set_twice(
        path, "flow" if one else "effort", component, names, culprits
    )


def _number(flow: Any) -> Any:
    """A flow that is given as a formula is none that is known to be zero."""
    return 1.0 if isinstance(flow, Formula) else flow


def _set_twice(path: str, what: str, component: str, names: str, culprits: tuple[str, ...]) -> Finding:
    junction, lost = ("1", "effort") if what == "flow" else ("0", "flow")
    return Finding(
        f"the {what} of {junction}-junction {path!r} is set twice{component}.",
        f"{names} fix it from two sides, so no {lost} can be found there.",
        "Remove one of them, or put a C or an R between them.",
        (path, *culprits),
    )


def _never_set(path: str, what: str, component: str, names: str, culprits: tuple[str, ...]) -> Finding:
    junction, other = ("1", "efforts") if what == "flow" else ("0", "flows")
    return Finding(
        f"nothing sets the {what} of {junction}-junction {path!r}{component}.",
        f"{names} impose {other} from all sides.",
        f"Attach {'an I, an Sf or an R' if what == 'flow' else 'a C, an Se or an R'}, or remove one source.",
        (path, *culprits),
    )


def _nothing_decides(state: Assignment, path: str, one: bool) -> Finding:
    what = "flow" if one else "effort"
    ends = ", ".join(repr(b.other(path).element) for b in state.graph.bonds_of(path))
    return Finding(
        f"nothing sets the {what} of {'1' if one else '0'}-junction {path!r}.",
        f"All its neighbours ({ends}) wait for it.",
        f"Attach {'an I, an Sf or an R' if one else 'a C, an Se or an R'}.",
        (path,),
    )


def _transformer(state: Assignment, path: str) -> None:
    """Flow passes through; component by component where the modulus is diagonal or a lever, else all at once."""
    element = state.graph.elements[path]
    ports = state.ports[path]
    if len(ports) < 2:
        return
    a, b = ports["a"], ports["b"]
    if _componentwise(element):
        for k in range(a.size):
            for x, y in ((a, b), (b, a)):
                given = state.gives(x, path, k)
                if given is not None:
                    state.put(y, path, k, not given, state.reason[x.name, k])
        return
    for x, y in ((a, b), (b, a)):
        known = [(k, state.gives(x, path, k)) for k in range(x.size) if state.gives(x, path, k) is not None]
        if known:
            k0, given = known[0]
            why = state.reason[x.name, k0]
            for k in range(x.size):
                state.put(x, path, k, bool(given), why)
            for k in range(y.size):
                state.put(y, path, k, not given, why)


def _gyrator(state: Assignment, path: str) -> None:
    """Flow given at one port means flow given at the other."""
    ports = state.ports[path]
    if len(ports) < 2:
        return
    a, b = ports["a"], ports["b"]
    for x, y in ((a, b), (b, a)):
        for k in range(x.size):
            given = state.gives(x, path, k)
            if given is not None:
                for j in [k] if _componentwise(state.graph.elements[path]) else range(y.size):
                    state.put(y, path, j, given, state.reason[x.name, k])


def _by_bases(state: Assignment, path: str) -> None:
    """What a coupler gives is a base of its modulus: what all bases with these strokes have in common follows."""
    pivots, ports = state.pivots[path], state.ports[path]
    inside: list[Lane] = []
    outside: list[Lane] = []
    for lane in _known_first(state, path, pivots):
        bond, k = ports[lane[0]], lane[1]
        given = state.gives(bond, path, k)
        may_enter, may_stay_out = pivots.independent([*inside, lane]), pivots.spanned_without([*outside, lane])
        if given is None and may_enter and may_stay_out:
            continue
        wanted = may_enter if given is None else pivots.inside(lane, given)
        enters = may_enter if wanted else not may_stay_out
        if given is None or enters != wanted:
            why = _cause(state, path, lane) if given is None else path
            state.put(bond, path, k, pivots.gives_flow(lane, enters), why)
        (inside if enters else outside).append(lane)


def _known_first(state: Assignment, path: str, pivots: Pivots) -> list[Lane]:
    """The lanes of a coupler, those with strokes first."""
    ports = state.ports[path]
    return sorted(pivots.lanes, key=lambda lane: state.gives(ports[lane[0]], path, lane[1]) is None)


def _cause(state: Assignment, path: str, lane: Lane) -> str:
    """Whose choice decides a lane of a coupler: that of another lane, or its modulus where no base leaves it open."""
    ports, pivots = state.ports[path], state.pivots[path]
    if not (pivots.independent([lane]) and pivots.spanned_without([lane])):
        return path
    names = [state.reason.get((ports[port].name, k), path) for port, k in pivots.lanes if (port, k) != lane]
    return next((name for name in names if name != path), path)


def _wires(state: Assignment, path: str) -> None:
    """Components keep their causality where they are only led on."""
    ports, item = state.ports[path], state.graph.elements[path]
    if not isinstance(item, Wires) or len(ports) < sum(isinstance(p, PowerPort) for p in item.ports()):
        return
    for one, other in item.wires({name: bond.size for name, bond in ports.items()}):
        for (x, i), (y, j) in ((one, other), (other, one)):
            given = state.gives(ports[x], path, i)
            if given is not None:
                state.put(ports[y], path, j, not given, state.reason[ports[x].name, i])


_RULES = {"one": _junction, "zero": _junction, "transformer": _transformer, "gyrator": _gyrator, "wires": _wires}


def _componentwise(element: Element) -> bool:
    return two_way(element) in ("divide", "lever") or max(_power_sizes(element)) == 1


def goes_one_way(item: Element) -> bool:
    """Whether a transformer passes flow one way only, as its modulus comes as a signal and may vanish."""
    by_numbers = isinstance(item, Coupler) and item.by_component()
    return item.causality == "transformer" and two_way(item) == "none" and not by_numbers


def two_way(element: Element) -> str:
    """How a coupler's modulus can be inverted."""
    return element.two_way() if isinstance(element, Coupler) else "none"


def _power_sizes(element: Element) -> list[int]:
    return [p.size or element.size or 1 for p in element.ports() if isinstance(p, PowerPort)]
