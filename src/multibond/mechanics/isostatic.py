"""Joint sets that hold a mechanism without redundancy: which joints to make freer, and into what.

Every joint may be exchanged for a freer one of a known kind (a hinge for a universal joint, a ball or a bush, a slider
for a bush). Freed directions must be redundant: the rank of all constraints, with all bodies free, stays as it was in
each of several positions, so the mobility does. Each set that is proposed is built and counted again.

>>> for found in isostatic(slider_crank): print(found)
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from multibond.border import public
from multibond.equations.consistent import sample_states
from multibond.errors import MultibondError
from multibond.graph.component import Component, Guess
from multibond.graph.edge import Connection
from multibond.graph.model import Model
from multibond.graph.start import StartVector
from multibond.library.spatial import Cylindrical, Joint, Prismatic, Revolute, Spherical, Universal
from multibond.pipeline import Stages, stages
from multibond.rotation import across
from multibond.structure.tree import held_by

MOST = 3
"""So many sets are proposed at most."""
TOLERANCE = 1e-8
POSITIONS = 4


@public
@dataclass(frozen=True)
class JointSet:
    """A set of joints without redundancy: by name the new joint, and the model built with them."""

    joints: dict[str, Component]
    model: Model

    def __str__(self) -> str:
        return ", ".join(f"{name}: {_told(joint)}" for name, joint in self.joints.items())


def _told(joint: Component) -> str:
    axes = {n: np.round(getattr(joint, n), 6).tolist() for n in ("axis", "second_axis") if n in joint.parameters()}
    if isinstance(joint, Joint):
        axes = {n: np.round(getattr(joint, n), 6).tolist() for n in ("turns", "slides")}
    listed = ", ".join(f"{name} {value}" for name, value in axes.items())
    return f"{type(joint).__name__} ({listed})" if listed else type(joint).__name__


@public
@dataclass(frozen=True)
class Option:
    """A freer joint for one of the model: what it keeps of the rows that hold rotation and translation."""

    joint: str
    fresh: Component
    rotation: np.ndarray
    translation: np.ndarray
    freed: int


def isostatic(model: Model) -> tuple[JointSet, ...]:
    """Up to three sets of freer joints that leave no constraint redundant and the mobility as it is.

    Empty where nothing is redundant, or where no exchange of joints without a load on their flange helps.
    """
    made = stages(model, "multiplier")
    if not made.reduced.redundancy.dropped:
        return ()
    G = _constraints(made)
    options = [option for name in _exchangeable(model) for option in _options(model[name])]
    found: list[JointSet] = []
    for order in _orders(options):
        chosen = _greedy(G, order)
        fresh = {option.joint: option.fresh for option in chosen}
        if chosen and all(_kinds(fresh) != _kinds(other.joints) for other in found):
            changed = _verified(model, made, fresh)
            found += [JointSet(fresh, changed)] if changed is not None else []
        if len(found) == MOST:
            break
    return tuple(found)


def _kinds(joints: dict[str, Component]) -> dict[str, str]:
    return {name: _told(joint) for name, joint in joints.items()}


# -- rows --------------------------------------------------------------------------------------------------------------


def _constraints(made: Stages) -> list[dict[tuple[str, str], np.ndarray]]:
    """The rows of every joint by (joint, "rotation" or "translation"), at several assembled positions."""
    dae, shape = made.dae, made.reduced.shape
    places = [u for u in dae.unknowns if u.kind == "multiplier"]
    found = []
    for x in [made.start.x, *sample_states(dae, shape, made.start.x, dae.parameter_values, POSITIONS)]:
        rows = np.asarray(shape.flow_conditions(0.0, x, dae.parameter_values)[1])[:, shape.flows]
        table, start = {}, 0
        for place in places:
            table[dae.graph.owner(place.path), held_by(dae.graph, place.path)] = rows[start : start + place.size]
            start += place.size
        found.append(table)
    return found


def _rank(table: dict[tuple[str, str], np.ndarray]) -> tuple[int, int]:
    """Number and rank of the rows."""
    parts = [part for part in table.values() if part.size]
    if not parts:
        return 0, 0
    rows = np.vstack(parts)
    values = np.linalg.svd(rows, compute_uv=False)
    return rows.shape[0], int((values > TOLERANCE * values[0]).sum())


def _freed(table: dict[tuple[str, str], np.ndarray], option: Option) -> dict[tuple[str, str], np.ndarray]:
    kept = {"rotation": option.rotation, "translation": option.translation}
    changed = {
        (option.joint, what): K @ table[option.joint, what] for what, K in kept.items() if (option.joint, what) in table
    }
    return table | changed


def _greedy(G: list[dict[tuple[str, str], np.ndarray]], order: Sequence[Option]) -> list[Option]:
    """Take every option in turn that frees redundant directions only, until none is redundant; else nothing."""
    ranks = [_rank(table)[1] for table in G]
    rank = max(ranks)
    chosen: list[Option] = []
    for option in order:
        if _rank(G[0])[0] == rank:
            break
        if any(option.joint == other.joint for other in chosen) or _rank(G[0])[0] - option.freed < rank:
            continue
        trial = [_freed(table, option) for table in G]
        if [_rank(table)[1] for table in trial] == ranks:
            G, chosen = trial, [*chosen, option]
    return chosen if _rank(G[0])[0] == rank else []


# -- joints ------------------------------------------------------------------------------------------------------------


def _exchangeable(model: Model) -> list[str]:
    """Joints by name whose flange nothing is connected to."""
    used = {(at.component, at.port) for e in model.sheet.edges if isinstance(e, Connection) for at in e.ends}
    return sorted(
        item.name for k, item in model.sheet.components.items() if (k, "flange") not in used and _options_of(item)
    )


def _options_of(item: Component) -> bool:
    """Whether a joint can be exchanged: of a known kind, and with nothing but a damper along its motions."""
    if not isinstance(item, Revolute | Prismatic | Cylindrical | Universal):
        return False
    words = ("torque", "force", "driven", "lower", "upper")
    loads = [getattr(item, word) for word in words if word in item.parameters()]
    acting = [getattr(item, word) for word in ("stiffness", "friction") if word in item.parameters()]
    return all(load is None for load in loads) and not any(np.any(value) for value in acting)


def _options(item: Any) -> Iterator[Option]:
    """Freer joints in the place of one, each with what it keeps; dampers stay along the old motions."""
    name, d = item.name, np.asarray(item.damping, float)
    whole2, whole3, none2, none3 = np.eye(2), np.eye(3), np.zeros((0, 2)), np.zeros((0, 3))
    if isinstance(item, Universal):
        if not d.any():
            yield Option(name, Spherical(name), np.zeros((0, 1)), whole3, 1)
        return
    first, second = across(item.axis)
    sides, about = np.array([first, second]), np.outer(item.axis, item.axis)
    if isinstance(item, Revolute):
        spin = _along(item.speed, item.axis)
        ball = Spherical(name, _attitude(item), spin, damping=d * about)
        yield Option(name, ball, none2, whole3, 2)
        both = _beside(item.speed)
        bush = Cylindrical(name, item.axis, _guess(item.angle), speeds=both, damping=(d, 0.0))
        yield Option(name, bush, whole2, sides, 1)
        for k, side in enumerate((first, second)):
            fresh = Universal(name, item.axis, side, _guess(item.angle, 1), both, damping=(d, 0.0))
            yield Option(name, fresh, whole2[[1 - k]], whole3, 1)
    if isinstance(item, Prismatic):
        ball = Joint(name, turns="xyz", slides=[item.axis], damping=(0.0, 0.0, 0.0, d))
        yield Option(name, ball, none3, whole2, 3)
        slid = None if item.speed is None else (0.0, item.speed)
        bush = Cylindrical(name, item.axis, None, _guess(item.position), slid, damping=(0.0, d))
        yield Option(name, bush, sides, whole2, 1)
    if isinstance(item, Cylindrical) and not d.any():
        yield Option(name, Joint(name, turns="xyz", slides=[item.axis]), none2, whole2, 2)


def _beside(speed: Any) -> Any:
    """A speed with that of a new freedom, zero, beside it."""
    return None if speed is None else (speed, 0.0)


def _along(speed: Any, axis: np.ndarray) -> Any:
    """The speed of a hinge as a vector, guessed where it is guessed."""
    if speed is None:
        return None
    return Guess(_number(speed) * axis) if isinstance(speed, StartVector) else _number(speed) * axis


def _number(start: Any) -> float:
    """The number of a start value, guessed or not."""
    return float(np.asarray(start.value if isinstance(start, StartVector) else start))


def _attitude(item: Revolute) -> Any:
    """The start angle of a hinge as a quaternion that may be moved."""
    if item.angle is None:
        return None
    half = 0.5 * _number(item.angle)
    return Guess([np.cos(half), *(np.sin(half) * item.axis)])


def _guess(value: Any, zeros: int = 0) -> Any:
    """A start value that may be moved, with zeros for what is new."""
    if value is None:
        return None
    return Guess([_number(value), *[0.0] * zeros] if zeros else _number(value))


def _orders(options: list[Option]) -> Iterator[list[Option]]:
    """Orders in which to try: few joints changed, forwards and backwards; bushes first; universal joints first."""

    def by(key: Callable[[Option], Any]) -> list[Option]:
        return sorted(options, key=key)

    names = sorted({option.joint for option in options}, reverse=True)
    yield by(lambda o: (-o.freed, o.joint))
    yield by(lambda o: (-o.freed, names.index(o.joint)))
    yield by(lambda o: (not isinstance(o.fresh, Cylindrical), o.freed, o.joint))
    yield by(lambda o: (not isinstance(o.fresh, Universal), o.freed, names.index(o.joint)))
    yield by(lambda o: (not isinstance(o.fresh, Spherical), o.freed, o.joint))


def _verified(model: Model, made: Stages, fresh: dict[str, Component]) -> Model | None:
    """The model with the new joints, counted again: nothing redundant, the same mobility; None where that fails."""
    changed = Model(model.name, size=model.size)
    kept = {k: fresh.get(item.name, item) for k, item in model.sheet.components.items()}
    changed.sheet = replace(model.sheet, components=kept)
    try:
        again = stages(changed, "multiplier")
    except MultibondError:
        return None
    same = _mobility(again) == _mobility(made)
    return changed if same and not again.reduced.redundancy.dropped else None


def _mobility(made: Stages) -> int:
    return sum(s.size for s in made.dae.states if s.kind == "flow") - made.reduced.redundancy.rank
