"""Random numbers for a plan: an assembled position, velocities that the loops allow, masses, springs and dampers.

All by hand: positions go from the world along the joints, loops close because their last frame is put where it has to
be, and velocities are taken from the null space of the conditions.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from .geometry import HOME, Kind, Pose, point_rows, rank, relative_rows, turn, xyz_angles
from .kinds import axes
from .plans import Edge, Plan

CLEAR = 0.04
"""Positions where the smallest singular value of the conditions is below this part of the largest are drawn again."""
FLAT = [2, 3, 4]
"""Of a body's six velocities those in the plane: ω about z, v along x and y."""


@dataclass
class Numbers:
    """A position: poses of the bodies (0 is the world), frames on bodies a and b and coordinates of every joint.

    values: every run-time number and start value by its path. ratios: of couplings and gears. reach: rods' ends.
    """

    bodies: dict[int, Pose]
    places: dict[str, Pose] = field(default_factory=dict)
    tips: dict[str, Pose] = field(default_factory=dict)
    q: dict[str, np.ndarray] = field(default_factory=dict)
    u: dict[str, np.ndarray] = field(default_factory=dict)
    ratios: dict[str, tuple[float, float]] = field(default_factory=dict)
    values: dict[str, Any] = field(default_factory=dict)


def draw(plan: Plan, seed: int) -> Numbers:
    """Random numbers in a position that is far from singular ones."""
    rng = np.random.default_rng([seed, *plan.name.encode()])
    for _ in range(500):
        made = _position(plan, rng)
        rows = conditions(plan, made, made.bodies, made.q)
        if rank(rows)[1] > CLEAR:
            break
    else:
        raise AssertionError(f"{plan.name}: no clear position")
    _move(plan, made, rows, rng)
    _load(plan, made, rng)
    return made


def _pose(plan: Plan, rng: np.random.Generator) -> Pose:
    p = rng.uniform(-0.6, 0.6, 3)
    if plan.plane:
        return Pose(turn(np.array([0.0, 0.0, 1.0]), rng.uniform(-1, 1)), p * [1, 1, 0])
    return Pose(np.linalg.det(Q := axes(rng)) * Q, p)


def _position(plan: Plan, rng: np.random.Generator) -> Numbers:
    made = Numbers({0: HOME})
    made.ratios = {name: (1.0, float(rng.uniform(0.5, 1.5))) for name, *_ in plan.couplings}
    for edge in plan.edges:
        made.places[edge.name] = _place(plan, made, edge, rng)
        made.q[edge.name] = edge.type.kind.draw(rng)
        if edge.type.factor != 1.0:  # a telescope has a length
            made.q[edge.name] = edge.type.factor * rng.uniform(0.7, 1.3, 1)
        if edge.name == "it.wheel_b":
            made.ratios["it"] = (1.0, -float(rng.uniform(0.5, 1.5)))
            made.q[edge.name] = -made.q["it.wheel_a"] / made.ratios["it"][1]
        end = made.bodies[edge.a] @ made.places[edge.name] @ edge.type.kind.pose(made.q[edge.name])
        if edge.closing:
            made.tips[edge.name] = made.bodies[edge.b].back @ end
        else:
            made.bodies[edge.b], made.tips[edge.name] = end, HOME
    for name, _, _ in plan.rods:
        made.places[name], made.tips[name] = _pose(plan, rng), _pose(plan, rng)
    return made


def _place(plan: Plan, made: Numbers, edge: Edge, rng: np.random.Generator) -> Pose:
    """Where a joint's frame a stands on its body; both wheels of a gear share their bearing."""
    if edge.name == "it.wheel_b":
        return made.places["it.wheel_a"]
    found = _pose(plan, rng)
    return Pose(np.eye(3), found.p) if edge.whole == "tip" else found


# -- conditions on velocities ------------------------------------------------------------------------------------------


def relative(plan: Plan, made: Numbers, edge: Edge, bodies: dict[int, Pose]) -> tuple[Pose, Pose, np.ndarray]:
    """Both frames of a joint, and its relative twist from the twists of all bodies."""
    at_a, at_b = bodies[edge.a] @ made.places[edge.name], bodies[edge.b] @ made.tips[edge.name]
    a = point_rows(edge.a, plan.bodies, bodies[edge.a], at_a)
    b = point_rows(edge.b, plan.bodies, bodies[edge.b], at_b)
    return at_a, at_b, relative_rows(a, b, at_a, at_b)


def speeds(kind: Kind, q: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """The free speeds of a joint from its relative twist, or rows of it."""
    return np.linalg.pinv(kind.directions(q)) @ rows


def conditions(plan: Plan, made: Numbers, bodies: dict[int, Pose], q: dict[str, np.ndarray]) -> np.ndarray:
    """Rows that vanish times the velocities of all bodies, of joints, rods and what couples joints."""
    found, free = [], {}
    for edge in plan.edges:
        _, _, rows = relative(plan, made, edge, bodies)
        found.append(edge.type.kind.held(q[edge.name]) @ rows)
        free[edge.name] = speeds(edge.type.kind, q[edge.name], rows)
    for name, i, j in plan.rods:
        at_a, at_b = bodies[i] @ made.places[name], bodies[j] @ made.tips[name]
        along = (at_b.p - at_a.p) / np.linalg.norm(at_b.p - at_a.p)
        ends = [point_rows(k, plan.bodies, bodies[k], at)[3:] for k, at in ((j, at_b), (i, at_a))]
        found.append((along @ (ends[0] - ends[1]))[None])
    pairs = {name: both for name, *both in plan.couplings} | {"it": ["it.wheel_a", "it.wheel_b"]}
    found += [sum(r * free[joint] for r, joint in zip(made.ratios[n], pairs[n], strict=True)) for n in made.ratios]
    rows = np.vstack(found)
    return rows[:, [6 * k + c for k in range(plan.bodies) for c in FLAT]] if plan.plane else rows


def _move(plan: Plan, made: Numbers, rows: np.ndarray, rng: np.random.Generator) -> None:
    """Random velocities that obey all conditions, and the speeds of the joints with them."""
    kept = np.linalg.svd(rows)[2][rank(rows)[0] :]
    v = kept.T @ (kept @ rng.standard_normal(rows.shape[1]))
    if plan.plane:
        whole = np.zeros(6 * plan.bodies)
        whole[[6 * k + c for k in range(plan.bodies) for c in FLAT]] = v
        v = whole
    for edge in plan.edges:
        kind, q = edge.type.kind, made.q[edge.name]
        made.u[edge.name] = speeds(kind, q, relative(plan, made, edge, made.bodies)[2] @ v)


# -- masses and loads --------------------------------------------------------------------------------------------------


def _load(plan: Plan, made: Numbers, rng: np.random.Generator) -> None:
    """Fill in what the parts need: frames, bodies, a spring to the world, and what acts along the joints."""
    values, n = made.values, 2 if plan.plane else 3
    values["world.gravity"] = rng.uniform(-7, 7, n)
    for k in range(1, plan.bodies + 1):
        points = rng.uniform(-0.4, 0.4, (6, 3))
        J = sum(0.3 * (p @ p * np.eye(3) - np.outer(p, p)) for p in points)
        values[f"body{k}.mass"] = rng.uniform(0.5, 2.0)
        values[f"body{k}.inertia"] = J[2, 2] if plan.plane else J
        values[f"body{k}.centre"] = rng.uniform(-0.3, 0.3, n)
    values["spring.stiffness"], values["spring.rest"] = rng.uniform(20, 60), rng.uniform(0.2, 0.6)
    inner = ("it.ball", "it.wheel_b")
    placed = [(k, v) for k, v in made.places.items() if k not in inner]
    for name, pose in [*placed, *((f"{k}_tip", v) for k, v in made.tips.items() if v is not HOME)]:
        values |= _frame(plan, name.replace(".", "-"), pose)
    for edge in plan.edges:
        values |= {f"{edge.name.partition('.')[0]}.{k}": v for k, v in _along(edge, made, rng).items()}
    values |= _compound(plan, made, rng)


def _frame(plan: Plan, name: str, pose: Pose) -> dict[str, Any]:
    if plan.plane:
        angle = np.arctan2(pose.R[1, 0], pose.R[0, 0])
        return {f"at_{name}.vector": pose.p[:2], f"at_{name}.angle": angle}
    return {f"at_{name}.vector": pose.p, f"at_{name}.angles": xyz_angles(pose.R)}


def _along(edge: Edge, made: Numbers, rng: np.random.Generator) -> dict[str, Any]:
    found, n = edge.type.begin(made.q[edge.name], made.u[edge.name]), edge.type.kind.freedoms
    if edge.whole:
        return {"vector": made.places[edge.name].p} if edge.whole == "tip" else found if edge.first else {}
    if edge.type.damped:
        found["damping"] = rng.uniform(0.1, 0.6)
    if edge.type.single:
        found |= {"stiffness": rng.uniform(1, 8), "rest": rng.uniform(-0.5, 0.5)}
    elif edge.type.part.__name__ == "Bushing":
        found |= {"stiffness": rng.uniform(5, 20, 3), "rest": rng.uniform(-0.3, 0.3, 3)}
    if edge.type.drive:
        found[edge.type.drive] = rng.uniform(-1, 1, n) if n > 1 else rng.uniform(-1, 1)
    return found


def _compound(plan: Plan, made: Numbers, rng: np.random.Generator) -> dict[str, Any]:
    """Values of rods, gears and couplings."""
    found: dict[str, Any] = {}
    for name, i, j in plan.rods:
        ends = [(made.bodies[k] @ at).p for k, at in ((i, made.places[name]), (j, made.tips[name]))]
        found |= {f"{name}.length": np.linalg.norm(ends[1] - ends[0]), f"{name}.mass": rng.uniform(0.2, 0.5)}
    for name, *joints in plan.couplings:
        ratios = made.ratios[name]
        offset = sum(r * made.q[joint][0] for r, joint in zip(ratios, joints, strict=True))
        found |= {f"{name}.ratios": np.array(ratios), f"{name}.offset": offset}
    if plan.name == "Gear":
        found["it.ratio"] = -made.ratios["it"][1]
    if plan.name == "UniversalSpherical":
        found["it.mass"] = rng.uniform(0.2, 0.5)
    return found
