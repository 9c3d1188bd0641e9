"""What the strokes begin with: sources and one-way couplers, the joints of the tree, then constraints where they can.

Each stage puts what one element fixes; what follows from it is for `propagate`.
"""

from __future__ import annotations

from multibond.elements import FreeMotion
from multibond.errors import CausalityError, Finding
from multibond.graph.graph import Bond
from multibond.structure.floats import IMPOSED, follows, parasitic
from multibond.structure.propagate import Assignment, two_way
from multibond.structure.rings import closes_ring
from multibond.structure.solvable import Structure
from multibond.structure.tree import motion_of

PASSING = ("wires", "transformer", "zero")
"""What leads a flow on."""
SOFT = ("free", "wants effort", "wants flow", "prefers effort")
"""Resistors and springs: their flow would follow from an effort."""


def put_fixed(state: Assignment, path: str) -> None:
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


def put_tree_flows(state: Assignment, path: str) -> None:
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
        _put_all(state, path, state.tree.role.get(path, "cut") != "cut" and not driven)
    elif kind == "constraint":
        owner = motion_of(state.graph, path)
        if owner is not None and getattr(item, "method", "") != IMPOSED:
            _put_all(state, path, state.tree.role[owner] != "cut" and not _passed_on(state, path, owner))


def _passed_on(state: Assignment, path: str, owner: str) -> bool:
    """Whether a path is held by what a joint's angles give: their rates mix its flows, and pass one way only."""
    motion = state.graph.elements[owner]
    given = [state.gives(b, path, k) is False for b in state.graph.bonds_of(path) for k in range(b.size)]
    return isinstance(motion, FreeMotion) and motion.motion.mixed and all(given)


def _put_all(state: Assignment, path: str, gives_flow: bool) -> None:
    for bond in state.graph.bonds_of(path):
        for k in range(bond.size):
            state.put(bond, path, k, gives_flow, path)


def put_constraints(state: Assignment, path: str) -> None:
    """A constraint of its own imposes the flow where it can; elsewhere it is a multiplier."""
    for bond in state.graph.bonds_of(path):
        for k in range(bond.size):
            if state.word(path, bond, k) == "constraint" and state.gives(bond, path, k) is None:
                if (bond.name, k) in state.asked:
                    state.put(bond, path, k, False, path)
                else:
                    _impose(state, path, bond, k)


def _impose(state: Assignment, path: str, bond: Bond, k: int) -> None:
    mark, lenient, state.lenient = len(state.trail), state.lenient, False
    try:
        state.put(bond, path, k, True, path)
        state.propagate()
        _require_giver(state, path)
        _require_no_ring(state, path)
        _require_states(state, path, mark)
        _require_unbound(state, path)
        state.lenient = lenient
    except CausalityError:
        state.back_to(mark)
        state.lenient = lenient
        state.put(bond, path, k, False, path)


def _require_giver(state: Assignment, path: str) -> None:
    """By C1 a port that passes flow one way only asks the free motion beside a held one for its flow: none is there."""
    owner = motion_of(state.graph, path)
    if owner is None or getattr(state.graph.elements[path], "method", "") != IMPOSED:
        return
    for own in state.graph.bonds_of(owner):
        free = own.other(owner).element
        others = [b for b in state.bonds(free) if b is not own]
        inlets = [b for b in others if state.graph.elements[b.other(free).element].causality in PASSING]
        for k in range(own.size):
            given = any(state.gives(b, free, k) is False for b in others)
            if not given and any(state.gives(b, free, k) for b in inlets):
                raise CausalityError(Finding(f"nothing gives the flow of {owner!r}.", "C1", "Use a multiplier."))


def _require_no_ring(state: Assignment, path: str) -> None:
    """Round a ring of bodies a flow that joints impose has no giver."""
    if getattr(state.graph.elements[path], "method", "") == IMPOSED and closes_ring(state, path):
        raise CausalityError(Finding(f"nothing gives the flow round {path!r}.", "A ring.", "Use a multiplier."))


def _require_states(state: Assignment, path: str, mark: int) -> None:
    """What a joint holds is a condition on states: no damper, spring or gyrator may give a flow because of it.

    That flow would follow from efforts of inertias whose rates follow from it; behind a gyrator, as of a motor on the
    flange, from what the rates of its coil leave of a voltage. What slides in dry friction never may, whatever holds:
    its effort says nothing of its flow.
    """
    imposed = getattr(state.graph.elements[path], "method", "") == IMPOSED
    for name, k, _ in state.trail[mark:]:
        bond = state.bond(name)
        for end in (bond.tail.element, bond.head.element):
            refused = _is_soft(state, end, bond, k) if imposed else _slides(state, end, bond, k)
            if refused and state.gives(bond, end, k):
                raise CausalityError(Finding(f"{end!r} would give the flow.", "Its effort is unknown.", "Multiplier."))


def _require_unbound(state: Assignment, path: str) -> None:
    """What blocks with others may leave the last one nothing to impose: its flow follows from theirs by the junctions.

    All diodes of a bridge block: the currents of three are none, so is that of the fourth.
    """
    if hasattr(state.graph.elements[path], "modes") and not Structure(state.graph).independent(state):
        raise CausalityError(Finding(f"the flow of {path!r} follows from others.", "They block.", "Use a multiplier."))


def _is_soft(state: Assignment, path: str, bond: Bond, k: int) -> bool:
    item = state.graph.elements[path]
    return state.word(path, bond, k) in SOFT or item.power == "lost" or item.causality == "gyrator"


def _slides(state: Assignment, path: str, bond: Bond, k: int) -> bool:
    """Whether an element with modes has its effort from its mode."""
    return state.word(path, bond, k) == "wants effort" and hasattr(state.graph.elements[path], "modes")
