"""States of a state space and of compiled systems into one another: the same motion in other variables."""

from __future__ import annotations

from typing import TYPE_CHECKING

import casadi as ca
import numpy as np

from multibond.arguments import Numbers
from multibond.elements import FreeMotion
from multibond.equations.dae import Dae, Place, Whole
from multibond.equations.observe import Observer
from multibond.errors import Finding, ModelError
from multibond.expr import SX, Function, column, square
from multibond.lower.system import System
from multibond.rotation import quaternion_symbolic
from multibond.statespace.fields import Member, divided
from multibond.statespace.structure import Displacement, Ground

if TYPE_CHECKING:
    from multibond.statespace.space import StateSpace


def seen_from(ground: Ground, dae: Dae, whole: Whole) -> tuple[SX, SX]:
    """X and q as expressions of the variables of a compiled system."""
    observer = Observer(dae, whole)
    X = [_stored(ground, observer, member) for member in ground.of("i")]
    q = [_displaced(ground, observer, d) for d in ground.displacements]
    return column(X), column(q)


def _stored(ground: Ground, observer: Observer, member: Member) -> SX:
    """The energy variable; a compliance that follows a displacement has none there, so it comes from its effort."""
    (name,) = member.law.states
    known = f"{member.path}.{name}"
    if known in observer._cells or observer.dae.place_of_state(member.path, name) is not None:
        return observer.expression(known)
    F = Function("F", [ground.p], [ca.densify(member.matrix)])(ground.p_values)
    return divided(SX(ca.sparsify(F)), observer.expression(f"{member.path}.e"))


def _displaced(ground: Ground, observer: Observer, d: Displacement) -> SX:
    if f"{d.path}.{d.name}" in observer._cells:
        return observer.expression(f"{d.path}.{d.name}")
    hit = ground.released.graph.signal_at(d.path, "position_b")
    assert hit is not None  # only the Free joints of released bodies are unknown to a compiled system
    frame = hit[0].name.removesuffix(".position")
    attitude, position = observer.expression(f"{frame}.attitude"), observer.expression(f"{frame}.position")
    return column([quaternion_symbolic(square(attitude)), position])


def at_states(ground: Ground, system: System, times: np.ndarray, states: np.ndarray) -> list[tuple]:
    """(X, q) at states of a compiled system, one row a time."""
    whole = system.reduced.whole
    X, q = seen_from(ground, system.dae, whole)
    look = Function("look", [whole.t, whole.x, whole.y, whole.p], [ca.densify(X), ca.densify(q)])
    y = system.unknowns(times, states)
    found = [look(t, x, y[:, k], system.parameters) for k, (t, x) in enumerate(zip(times, states, strict=True))]
    return [tuple(np.asarray(part).ravel() for part in parts) for parts in found]


def from_system(space: StateSpace, system: System, x: Numbers, t: float = 0.0) -> np.ndarray:
    """The state that a compiled system of the same model has at x; several rows of states give several rows."""
    states, times = (
        np.atleast_2d(np.asarray(x, float)),
        np.broadcast_to(np.asarray(t, float), np.atleast_2d(x).shape[:1]),
    )
    rows = [np.concatenate([X[space.order], q]) for X, q in at_states(space.structure.ground, system, times, states)]
    return rows[0] if np.ndim(x) == 1 else np.array(rows)


def to_system(space: StateSpace, system: System, x: Numbers, t: float = 0.0) -> np.ndarray:
    """The state of a compiled system of the same model; flows come from the momenta."""
    flows = space._by_path("read", space._moment(x, None, t).inputs("read"))
    found = np.empty(system.n)
    for place in system.dae.states:
        found[place.start : place.stop] = _value(space.structure.ground, place, flows, [t, *space._split(x, None)])
    return found


def _value(ground: Ground, place: Place, flows: dict[str, np.ndarray], at: list) -> np.ndarray:
    law = ground.speech.laws.get(place.path)
    if law is None:
        raise ModelError(_foreign(place.path))
    if place.kind == "flow" and place.path in flows:
        return flows[place.path]
    if isinstance(law.item, FreeMotion):
        expression = ground.speech.put(law.writer.outputs["q"])
    elif place.name in law.states:
        expression = law.states[place.name]
    else:
        raise ModelError(_foreign(place.path))
    value = np.asarray(Function("v", ground.arguments, [ca.densify(expression)])(*at)).ravel()
    return value[list(place.lanes)] if place.lanes else value


def _foreign(path: str) -> Finding:
    return Finding(
        f"the system has a state {path!r} that this state space does not know.",
        "They were made from different models, or from different forms of one.",
        "Compile the same model.",
        (path,),
    )
