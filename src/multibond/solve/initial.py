"""Start: a state that assembles the machine, as near as possible to what the user gave, and what had to be moved.

Given values are exact, guesses and what is not given may move. Positions first (least change, Newton with exact
derivatives, a few fresh tries, springs in the place of constraints), then flows, then accelerations where given.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import casadi as ca
import numpy as np

from multibond.elements import C, Driver, FreeMotion, I, MSf, Sf
from multibond.elements.kinematics import TURNS
from multibond.elements.motions import MotionKind
from multibond.elements.storage import inverse_of, law_at
from multibond.equations.consistent import Manifold, manifold, neutral
from multibond.equations.dae import Dae, Place, Whole
from multibond.equations.household import state_names
from multibond.equations.observe import Observer
from multibond.equations.reduce import Reduced
from multibond.equations.writing import port_sign
from multibond.errors import Finding, StartError
from multibond.expr import SX, Function, column, matrix
from multibond.formula import Formula
from multibond.graph.component import Guess
from multibond.solve.accelerate import TOLERANCE as REACHED
from multibond.solve.accelerate import Wish, not_reached, reach
from multibond.solve.open_loops import nearest_position, widest_gap
from multibond.solve.poles import require_no_pole
from multibond.solve.relax import relax
from multibond.solve.stops import require_between_stops

TOLERANCE = 1e-10


SET = " set to "


@dataclass(frozen=True)
class Start:
    """A consistent state and, in words, what was moved to get there."""

    x: np.ndarray
    moved: tuple[str, ...]
    stored: dict[tuple[str, str], np.ndarray] = field(default_factory=dict)
    """What dependent storages were said to hold; a machine with modes begins from there with a jump."""


@dataclass
class Given:
    """What the user gave: values in the state, which of them are exact, and conditions on what is not a state."""

    x: np.ndarray
    fixed: np.ndarray
    positions: list[SX]
    flows: list[SX]
    names: list[str]
    loose: bool = False
    wishes: list[Wish] = field(default_factory=list)
    stored: dict[tuple[str, str], np.ndarray] = field(default_factory=dict)


def assemble_start(dae: Dae, whole: Whole, p: np.ndarray, *, loose: bool = False) -> np.ndarray:
    """Positions that close every loop with the given values exact, or say which joints cannot meet."""
    given = collect(dae, whole, p, loose)
    shape = manifold(dae, whole, column(given.positions))
    x, error = _assemble(shape, given, p)
    if error > TOLERANCE:
        raise StartError(_cannot_meet(dae, whole, given, x, p))
    require_no_pole(dae, x)
    return x


def relaxed_start(dae: Dae, whole: Whole, p: np.ndarray) -> Start:
    """The start by springs in the place of constraints; speeds as their rates allow, accelerations left out."""
    given = collect(dae, whole, p, False)
    shape = manifold(dae, whole, column(given.positions), column(given.flows))
    x, error = relax(shape, given.x, p, given.fixed)
    if error > TOLERANCE:
        raise StartError(_cannot_meet(dae, whole, given, x, p))
    x, error = shape.settle_flows(x, p, given.fixed)
    if error > TOLERANCE * max(1.0, float(np.abs(x).max(initial=0.0))):
        raise StartError(_cannot_move(dae, given, error))
    return Start(x, _moved(dae, given.x, x, given.fixed))


def given_start(dae: Dae, whole: Whole, p: np.ndarray) -> np.ndarray:
    """The state that was given, joints apart where they do not meet there; what was not given stays at zero."""
    return collect(dae, whole, p, True).x


def find_start(r: Reduced, p: np.ndarray, *, loose: bool = False) -> Start:
    """Find the start state: positions and flows that obey the constraints, hidden conditions included.

    loose: what is given for dependent storages is no condition on the others, because a jump follows.
    """
    dae, whole = r.dae, r.whole
    given = collect(dae, whole, p, loose)
    flows = _solved(r, column(given.flows), given)
    shape = manifold(dae, whole, column([*given.positions, r.hidden_positions]), column([flows, r.hidden_flows]))
    before = given.x.copy()
    x, error = _assemble(shape, given, p)
    if error > TOLERANCE:
        unbalanced = r.hidden_positions.numel() and _closes(dae, whole, given, p)
        raise StartError(_no_balance(r) if unbalanced else _cannot_meet(dae, whole, given, x, p))
    x, error = shape.settle_flows(x, p, given.fixed)
    if error > TOLERANCE * max(1.0, float(np.abs(x).max(initial=0.0))) and not loose:
        raise StartError(_cannot_move(dae, given, error))
    if given.wishes:
        x = _with_accelerations(r, shape, given, x, p)
    require_no_pole(dae, x)
    require_between_stops(dae, whole, x, p)
    x = _followed(dae, whole, x, p)
    return Start(x, _moved(dae, before, x, given.fixed), given.stored)


def _with_accelerations(r: Reduced, shape: Manifold, given: Given, x: np.ndarray, p: np.ndarray) -> np.ndarray:
    """The nearest state in which the given accelerations hold too."""
    found = reach(r, shape, given.wishes, x, p, given.fixed)
    if found.error > REACHED:
        alone = [w for w in given.wishes if reach(r, shape, [w], x, p, given.fixed).error > REACHED]
        free = int((~given.fixed).sum())
        raise StartError(not_reached(given.wishes, alone, found.error, given.names, free))
    return found.x


def _followed(dae: Dae, whole: Whole, x: np.ndarray, p: np.ndarray) -> np.ndarray:
    """The state in which what follows the turns of cut joints begins where their coordinates are."""
    places = [place for place in dae.states if place.name == TURNS]
    if not places:
        return x
    observer, x = Observer(dae, whole), x.copy()
    for place in places:
        q = Function("q", [whole.t, whole.x, whole.p], [observer.expression(f"{place.path}.q")])
        x[place.start : place.stop] = np.asarray(q(0.0, x, p)).ravel()[: place.size]
    return x


def _solved(r: Reduced, conditions: SX, given: Given) -> SX:
    """Conditions of states alone: what they say of algebraic loops is expressed by the states."""
    if not conditions.numel() or not ca.depends_on(conditions, r.whole.y):
        return conditions
    if r.implicit or r.factors is None:
        names = tuple(name.rpartition(".")[0] for name in given.names)
        fact = "A storage among them follows the others through laws that no formula solves."
        cure = "Give the start of the other storages; this one follows."
        raise StartError(Finding(f"not all of {', '.join(given.names)} can be given.", fact, cure, names))
    at_rest = ca.substitute(r.y, r.z, SX.zeros(r.z.numel())) if r.z.numel() else r.y
    return ca.substitute(conditions, r.whole.y, ca.densify(at_rest))


def _assemble(shape: Manifold, given: Given, p: np.ndarray) -> tuple[np.ndarray, float]:
    x, error = shape.settle_positions(given.x, p, given.fixed)
    rng = np.random.default_rng(7)
    best = (x, error)
    for spread in (0.1, 0.3, 1.0, 1.0, 2.0, 2.0):
        if best[1] <= TOLERANCE:
            break
        guess = given.x.copy()
        free = np.array([k for k in shape.positions if not given.fixed[k]], int)
        guess[free] += spread * rng.standard_normal(free.size)
        x, error = shape.settle_positions(guess, p, given.fixed)
        if error < best[1]:
            best = (x, error)
    for begin in (given.x, best[0]) if best[1] > TOLERANCE else ():
        found = relax(shape, begin, p, given.fixed)
        best = found if found[1] < best[1] else best
    return best


def collect(dae: Dae, whole: Whole, p: np.ndarray, loose: bool) -> Given:
    """What the user gave for the start."""
    given = Given(neutral(dae), np.zeros(dae.nx, bool), [], [], [], loose)
    observer = Observer(dae, whole)
    for path, values in sorted(dae.graph.starts.items()):
        for name, value in values.items():
            if value is not None:
                _take(given, observer, p, path, name, value)
    for path, item in dae.graph.of_type(FreeMotion):
        assert isinstance(item, FreeMotion)
        _lead(given, dae, path, item)
    return given


def _lead(given: Given, dae: Dae, path: str, item: FreeMotion) -> None:
    """Coordinates that have a path begin where it does; at a cut the gap to it says so."""
    place, lanes = dae.place_of_state(path, "q"), item.led_lanes
    if place is not None and lanes:
        at = [place.start + k for k in lanes]
        given.x[at] = np.ravel(np.asarray(item.path.evaluate({"t": 0.0}), float))
        given.fixed[at] = True


def _take(given: Given, observer: Observer, p: np.ndarray, path: str, name: str, value: Any) -> None:
    """Use one given value: in the state where it is one, as a condition elsewhere."""
    dae = observer.dae
    number = np.atleast_1d(np.asarray(value, float))
    exact = not isinstance(value, Guess)
    if name == "a":
        if exact:
            joint = dae.graph.joint(path)
            given.wishes.append(Wish(joint, observer.expression(f"{path}.f"), number))
            given.names.append(f"{joint}.acceleration")
        return
    item = dae.graph.elements[path]
    if name in ("q", "u") and isinstance(item, FreeMotion):
        turns = dae.place_of_state(path, TURNS) if name == "q" else None
        if turns is not None:
            given.x[turns.start : turns.stop] = number[: turns.size]
        place = dae.place_of_state(path, name)
        number = _unit(item.motion, number) if name == "q" else number
        if place is not None:
            _put(given, place, number[list(place.lanes)] if place.lanes else number, exact)
        elif exact and name == "q":
            given.positions.append(item.motion.apart(observer.expression(f"{path}.q"), SX(number)))
        elif exact:
            given.flows.append(observer.expression(f"{path}.f") - SX(number))
    else:
        _take_storage(given, observer, p, path, name, number)
    if exact:
        given.names.append(_household_name(dae, path, name))


def _household_name(dae: Dae, path: str, name: str) -> str:
    """What the user calls a start value: `O.angle` for the coordinate of joint O."""
    if name == "state":
        return f"{path}.start"
    target = f"{path}.{'f' if name in ('u', 'flow') else name}"
    plain = ("coordinates", "speeds")
    found = [a for a, t in dae.graph.aliases.items() if t == target and not a.endswith(plain)]
    spoken = {"q": "coordinates", "u": "speeds"}.get(name, name)
    return min(found, default=f"{dae.graph.joint(path)}.{spoken}")


def _put(given: Given, place: Place, number: np.ndarray, exact: bool) -> None:
    given.x[place.start : place.stop] = number
    given.fixed[place.start : place.stop] |= exact


def _unit(kind: MotionKind, number: np.ndarray) -> np.ndarray:
    """Quaternions are given up to their length."""
    if not kind.quaternion:
        return number
    return np.concatenate([number[:4] / np.linalg.norm(number[:4]), number[4:]])


def _take_storage(given: Given, observer: Observer, p: np.ndarray, path: str, name: str, number: np.ndarray) -> None:
    """Start of a storage: its state, or its flow or effort; of a dependent one a condition, or what it holds."""
    dae = observer.dae
    element = dae.graph.elements[path]
    sizes = {"port": sum(b.size for b in dae.graph.bonds_of(path))}
    states = element.states(sizes)
    state = name if name in states else next(iter(states))
    whole = np.broadcast_to(number, (states[state],)) if number.size == 1 else number
    if name in ("flow", "effort") and isinstance(element, I | C):
        whole = _held(dae, p, element, whole)
    place = dae.place_of_state(path, state)
    if place is not None:
        _put(given, place, whole[list(place.lanes)] if place.lanes else whole, True)
    if place is not None and not place.lanes:
        return
    if given.loose:
        given.stored[path, state] = whole
    elif isinstance(element, I | C):
        given.flows.append(_dependent(observer, p, path, element, whole))
    elif not ca.depends_on(held := observer.expression(f"{path}.{state}"), observer.whole.y):
        given.flows.append(held - SX(np.array(whole)))


def _dependent(observer: Observer, p: np.ndarray, path: str, element: I | C, number: np.ndarray) -> SX:
    """What a dependent storage is said to hold, as a condition on the flow or effort that others give it."""
    bond = observer.dae.graph.bonds_of(path)[0]
    if isinstance(element, I):
        law, given = element.inertia, port_sign(path, element, bond) * observer.expression(f"{path}.f")
    else:
        law, given = element.compliance, observer.expression(f"{path}.e")
    if law is None:
        return given - SX(law_at(element, number))
    return SX(observer.dae.number(matrix(law, number.size), p)) @ given - SX(np.array(number))


def _held(dae: Dae, p: np.ndarray, element: I | C, number: np.ndarray) -> np.ndarray:
    """The state of a storage with a given flow or effort."""
    law = element.inertia if isinstance(element, I) else element.compliance
    if law is not None:
        return dae.number(matrix(law, number.size), p) @ number
    return inverse_of(element, number)


def is_moved(line: str) -> bool:
    """Whether a line tells what was moved at the start."""
    return SET in line


def _moved(dae: Dae, before: np.ndarray, after: np.ndarray, fixed: np.ndarray) -> tuple[str, ...]:
    lines, named = [], state_names(dae)
    for place in dae.states:
        index = list(place.range)
        change = np.abs(after[index] - before[index]).max(initial=0.0)
        if change > 1e-9 and not fixed[index].all():
            numbers = ", ".join(f"{v:.6g}" for v in after[index])
            lines.append(f"{named[place.path, place.name]}{SET}{numbers}")
    return tuple(lines)


def _loop_joints(dae: Dae) -> list[str]:
    return sorted({dae.graph.joint(path) for path in (*dae.tree.cuts, *dae.tree.order)})


def _cannot_meet(dae: Dae, whole: Whole, given: Given, x: np.ndarray, p: np.ndarray) -> Finding:
    """The fault of joints that do not meet, told in the nearest position."""
    x = nearest_position(dae, whole, given.positions, [given.x, x], p, given.fixed)
    gap, joints = widest_gap(dae, whole, x, p), _loop_joints(dae)
    told = f" with {', '.join(given.names)} as given" if given.names else ""
    left = f"The nearest position{told} leaves a gap of {gap}" if gap else f"There is no position{told}"
    return Finding(
        f"the machine cannot be assembled: joint {gap.joint!r} does not close."
        if gap
        else "the given positions contradict one another.",
        f"{left}; the loop: {', '.join(joints)}.",
        "Check the lengths and axes of the loop, or give fewer start values (a Guess may be moved).",
        tuple(joints),
    )


def _closes(dae: Dae, whole: Whole, given: Given, p: np.ndarray) -> bool:
    """Whether the joints meet where massless parts need not be in balance."""
    return _assemble(manifold(dae, whole, column(given.positions)), given, p)[1] <= TOLERANCE


def _no_balance(r: Reduced) -> Finding:
    """Massless parts move at once to where efforts balance; here there is no such place."""
    joints = tuple(dict.fromkeys(r.dae.graph.joint(r.dae.unknown_place(k).path) for k in r.mended))
    fact = "They have no inertia there, and with the start values as given the efforts balance in no position."
    cure = "Give what moves there a mass or an inertia, attach a damper or spring, or remove the effort."
    return Finding(f"nothing balances the efforts at {', '.join(map(repr, joints))}.", fact, cure, joints)


def _cannot_move(dae: Dae, given: Given, error: float) -> Finding:
    joints, names = _loop_joints(dae), ", ".join(given.names) or "these"
    if not joints:
        fact = f"With {names} as given, storages that share a flow or an effort disagree by {error:.3g}."
        cure = "Give fewer start values; the others follow from them."
        paths = tuple(name.rpartition(".")[0] for name in given.names)
        return Finding("the given start values contradict one another.", fact, cure, paths)
    driven = _speed_sources(dae)
    told = [f"with {names} as given"] if given.names or not driven else []
    told += [f"driven by {', '.join(map(repr, driven))}"] if driven else []
    opening = ", ".join(told)
    fact = f"{opening[:1].upper()}{opening[1:]}, the constraints are violated by {error:.3g} (m/s or rad/s)."
    cure = f"Give fewer speeds{' or drives' if driven else ''}; the others follow from them."
    return Finding("the given speeds contradict one another.", fact, cure, tuple(joints))


def _speed_sources(dae: Dae) -> list[str]:
    """What fixes a speed from outside: sources at flanges, and joints with a path of their own."""

    def moves(item: object) -> bool:
        flow = item.flow if isinstance(item, Sf) else None
        return flow is None or isinstance(flow, Formula) or not SX(flow).is_zero()

    sources = [path for path, item in dae.graph.of_type((Sf, MSf)) if moves(item)]
    paths = dict.fromkeys(dae.graph.owner(path) for path, _ in dae.graph.of_type(Driver))
    return [*(dae.graph.owner(path) for path in sources), *paths]
