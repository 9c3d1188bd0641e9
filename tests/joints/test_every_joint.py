"""Every joint in twenty random mechanisms with loops through it: freedoms, conditions, power, methods, cuts.

For each joint four arrangements of bodies and joints are compiled by every exact method, and with their loops cut
elsewhere, each time from parts added in another order; five sets of numbers follow for each (all frames, so axes too,
masses, inertias, loads, starts). A loop through a free joint closes nothing: it is here so that it does no harm either.
The arrangements take turns (see `rotation.py`).
"""

from __future__ import annotations

import numpy as np
import pytest
from tests.rotation import tenth

import multibond as mb

from .kinds import PLANAR, SPATIAL
from .numbers import Numbers, conditions, draw, rank, relative, speeds
from .plans import COMPOUND, Plan, planar_plan, spatial_plan
from .trial import EXACT, T, Trial, Values, flat

ARRANGEMENTS, SETS = (1, 2, 3, 4), 5
CASES = [("space", name) for name in (*SPATIAL, *COMPOUND)] + [("plane", name) for name in PLANAR]


LIMITS = {"motion": 1e-8, "force": 1e-8, "cut": 1e-9}
"""Errors that rounding and steps leave in a well-conditioned run; power and what is held are exact to 1e-9."""
NOISE = 1e-7
"""The most that a run may change with its tolerance, however badly conditioned."""


def is_force(name: str) -> bool:
    """Whether a name stands for a reaction."""
    return "reaction" in name or name.endswith(".force")


def size_of(name: str, reference: np.ndarray) -> float:
    """The size of a variable along a run; below a centimetre or a tenth of a newton absolute errors count."""
    return max(0.1 if is_force(name) else 0.01, float(np.abs(reference).max()))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("where", "name", "seed"), tenth([(*case, seed) for case in CASES for seed in ARRANGEMENTS], of="joints in loops")
)
def test_every_joint_in_random_loops(where: str, name: str, seed: int) -> None:
    trial, worst = Trial(arranged(where, name, seed), seed), {}
    for k in range(SETS):
        made = draw(trial.plan, 100 * seed + k)
        values = {method: trial.read(run, method) for method, run in trial.runs(made).items()}
        check_freedoms(trial, made, values["auto"])
        errors = differences(values)
        for what, error in (*errors.items(), *by_hand(trial, made, values["auto"])):
            worst[what] = max(worst.get(what, 0.0), error)
        over = {what: error for what, error in errors.items() if error > LIMITS[what]}
        if over:
            allowed = noise(trial, made, values)
            print(f"set {k}, badly conditioned: errors {over}, a tenth of what is allowed {allowed}")
            assert all(error <= 10 * allowed[what] for what, error in over.items())
            assert max(allowed.values()) <= NOISE
    print(f"{where}, {name}, arrangement {seed}, {SETS} sets:", {k: f"{v:.1e}" for k, v in worst.items()})
    assert worst["power"] <= 1e-9 and worst["held"] <= 1e-9


def arranged(where: str, name: str, seed: int) -> Plan:
    """The arrangement of bodies and joints that a seed gives."""
    return spatial_plan(name, seed) if where == "space" else planar_plan(name, seed)


def differences(values: dict[str, Values]) -> dict[str, float]:
    """Largest errors of every method and of other cuts against the first, as parts of each variable's size."""
    worst = dict.fromkeys(LIMITS, 0.0)
    for method in (*EXACT[1:], "cut"):
        for what, error in apart(values[method], values["auto"], method == "cut"):
            worst[what] = max(worst[what], error)
    return worst


def noise(trial: Trial, made: Numbers, values: dict[str, Values]) -> dict[str, float]:
    """How much the runs change where steps are ten times less exact: the errors that each of them has by itself."""
    companions = {method: trial.read(run, method) for method, run in trial.runs(made, rtol=1e-11).items()}
    worst = dict.fromkeys(LIMITS, 0.0)
    for method, found in values.items():
        for what, error in apart(companions[method], found, method == "cut"):
            for also in LIMITS if method == "auto" else (what,):  # all others are compared with it
                worst[also] = max(worst[also], error)
    return worst


def apart(found: Values, reference: Values, cut: bool) -> list[tuple[str, float]]:
    """By kind of variable how far two runs are apart."""
    errors = []
    for name, values in reference.items():
        away = found[name] - values
        if name.endswith("frame.angle"):  # which way round the loop it is counted decides full turns
            away = np.arctan2(np.sin(away), np.cos(away))
        what = "force" if is_force(name) else "cut" if cut else "motion"
        errors.append((what, float(np.abs(away).max()) / size_of(name, values)))
    return errors


def check_freedoms(trial: Trial, made: Numbers, values: Values) -> None:
    """Freedoms told by every method are 6n (in the plane 3n) less the rank of the conditions written by hand."""
    plan, systems = trial.plan, trial.systems
    for k in (0, len(T) - 1):
        bodies = {body: trial.pose(values, body, k) for body in range(plan.bodies + 1)}
        rows = conditions(plan, made, bodies, coordinates(plan, values, k))
        freedoms = plan.size * plan.bodies - rank(rows)[0]
        for method in ("auto", "cut", "multiplier", "zcp"):
            reduced = systems[method].reduced
            own = sum(s.size for s in reduced.dae.states if s.kind == "flow" or s.name == "p")
            assert own - reduced.redundancy.rank == freedoms, method
        assert len(systems["minimal"].origin.velocities) == freedoms


def coordinates(plan: Plan, values: Values, k: int) -> dict[str, np.ndarray]:
    """Coordinates of all joints at the k-th time; a weld has none."""
    return {e.name: values[f"{e.name}.coordinates"][k] if e.type.kind.freedoms else np.zeros(0) for e in plan.edges}


def by_hand(trial: Trial, made: Numbers, values: Values) -> list[tuple[str, float]]:
    """At every time: no motion in held directions, poses by the coordinates, and power only along free directions."""
    found, plan = [], trial.plan
    for k in range(len(T)):
        bodies = {body: trial.pose(values, body, k) for body in range(plan.bodies + 1)}
        q, twist = coordinates(plan, values, k), trial.twist(made, values, k)
        moved = conditions(plan, made, bodies, q) @ flat(plan, twist)
        found.append(("held", float(np.abs(moved).max())))
        for edge in plan.edges:
            at_a, at_b, rows = relative(plan, made, edge, bodies)
            away, expected = at_a.back @ at_b, edge.type.kind.pose(q[edge.name])
            found.append(("held", max(np.abs(away.R - expected.R).max(), np.abs(away.p - expected.p).max())))
            if edge.type.kind.freedoms:
                u = speeds(edge.type.kind, q[edge.name], rows @ twist)
                found.append(("held", float(np.abs(u - values[f"{edge.name}.speeds"][k]).max())))
            if not edge.whole and all(edge.name not in pair for pair in plan.couplings):
                found.append(("power", power_error(trial, made, values, edge.name, k, rows @ twist)))
    return found


def power_error(trial: Trial, made: Numbers, values: Values, joint: str, k: int, twist: np.ndarray) -> float:
    """What the reaction does to the relative motion, less what the joint's own drive, damper and spring bring."""
    edge = next(e for e in trial.plan.edges if e.name == joint)
    force, torque = values[f"{joint}.reaction_force"][k], values[f"{joint}.reaction_torque"][k]
    if trial.plan.plane:
        force, torque = np.array([*force, 0.0]), np.array([0.0, 0.0, torque.item()])
    bodies = {body: trial.pose(values, body, k) for body in (edge.a, edge.b)}
    at_a, at_b, _ = relative(trial.plan, made, edge, bodies | {0: trial.pose(values, 0, k)})
    given = force @ twist[3:] + torque @ (at_a.R.T @ at_b.R @ twist[:3])
    if not edge.type.kind.freedoms:
        return abs(given)
    u, q, own = values[f"{joint}.speeds"][k], values[f"{joint}.coordinates"][k], 0.0
    drive = np.atleast_1d(made.values.get(f"{joint}.{edge.type.drive}", 0.0))
    own = float(np.sum(drive * u)) - float(made.values.get(f"{joint}.damping", 0.0) * u @ u)
    stiffness, rest = (np.asarray(made.values.get(f"{joint}.{w}", 0.0)) for w in ("stiffness", "rest"))
    own -= float(np.sum(stiffness * (q - rest) * u)) if np.any(stiffness) else 0.0
    return abs(given - own) / max(1.0, abs(given))


def test_the_seeds_give_loops_that_move() -> None:
    """Every plan is a loop through the joint with at least one freedom left, and the plans of a joint differ."""
    for where, name in CASES:
        plans = [arranged(where, name, seed) for seed in ARRANGEMENTS]
        for seed, plan in zip(ARRANGEMENTS, plans, strict=True):
            made = draw(plan, 100 * seed)
            left = plan.size * plan.bodies - rank(conditions(plan, made, made.bodies, made.q))[0]
            print(where, name, plan.bodies, "bodies", [f"{e.name} {e.type.part.__name__}" for e in plan.edges], left)
            assert left >= 1 and (plan.rods or any(e.closing for e in plan.edges))
        assert len({tuple((e.a, e.b, e.type.part, str(e.type.fixed)) for e in plan.edges) for plan in plans}) > 1
    assert mb.count(Trial(spatial_plan("Revolute", 2), 2).drawing.model()).mobility >= 1
