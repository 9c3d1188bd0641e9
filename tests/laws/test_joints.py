"""Every joint there is: what enters at one frame leaves at the other, but for its own drive and damper."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, partial
from typing import Any

import numpy as np
import pytest
from tests.rotation import tenth

import multibond as mb
from multibond import spatial as sp
from multibond.errors import ParameterError
from multibond.library.spatial.joint import Mobility
from multibond.solve.solution import Solution

from .floating import rate

Make = Callable[[np.random.Generator], Mobility]
FOLLOWS = ("acceleration", "accelerations", "angular_acceleration", "sequence", "angles")
"""Start values that need others, or exclude them."""


def _filled(cls: type[Mobility], rng: np.random.Generator, **given: Any) -> Mobility:
    """A joint with random axes, start values, drive and damper, as many numbers as the class takes."""
    Q, table = np.linalg.qr(rng.standard_normal((3, 3)))[0], cls.parameters()
    values = {name: Q[k] for k, name in enumerate(("axis", "second_axis", "along")) if name in table} | given
    if "along" in table:
        values["along"] = Q[1]
    sought = [n for n, about in table.items() if (about.start or n in ("torque", "force")) and n not in FOLLOWS]
    for name in [*sought, *(["angles"] if "sequence" in given or cls is sp.Universal else [])]:
        if name in given or (name == "quaternion" and "sequence" in given):
            continue
        numbers = rng.uniform(-1.0, 1.0, 7)
        choices = (numbers[0], *(numbers[:k] for k in range(2, 8)))
        values[name] = next(choice for choice in choices if _takes(cls, values, name, choice))
    return cls("it", **values, **({"damping": rng.uniform(0.1, 1.0)} if "damping" in table else {}))


def _takes(cls: type[Mobility], values: dict[str, Any], name: str, value: Any) -> bool:
    try:
        joint = cls("it", **values, **{name: value})
        return name not in ("torque", "force") or np.size(value) == joint.freedoms
    except ParameterError:
        return False


JOINTS: dict[str, Make] = {
    **{cls.__name__: partial(_filled, cls) for cls in sp.PRESETS if cls not in (sp.Weld, sp.Screw)},
    "Screw": partial(_filled, sp.Screw, pitch=0.4),
    "Spherical by angles": partial(_filled, sp.Spherical, sequence="yzx"),
    "Free by Euler angles": partial(_filled, sp.Free, sequence="zxz", angles=(0.3, 0.7, -0.4)),
    "any, one turn in a plane": partial(_filled, sp.Joint, turns=[(1, 2, 2)], slides=[(2, 1, -2), (2, -2, 1)]),
    "any, cross on a rail": partial(_filled, sp.Joint, turns="xz", slides="y"),
    "any, ball in a pipe": partial(_filled, sp.Joint, turns="xyz", slides="z"),
}
SEEDS = (3, 5, 8)


def two_bodies(make: Make, rng: np.random.Generator) -> mb.Model:
    """A floating body, the joint with drive and damper, and a second body, all with random figures."""
    model = mb.Model("pair")
    joint = model.add(make(rng))
    world = model.add(sp.World())
    space = model.add(sp.Free("space", angular_velocity=rng.uniform(-2, 2, 3), velocity=rng.uniform(-1, 1, 3)))
    arm = model.add(sp.Rod("arm", rng.uniform(-1, 1, 3)))
    first = model.add(sp.Body("first", mass=2.0, inertia=(0.3, 0.4, 0.5), centre=rng.uniform(-0.3, 0.3, 3)))
    second = model.add(sp.Body("second", mass=1.0, inertia=(0.2, 0.3, 0.4), centre=rng.uniform(-0.3, 0.3, 3)))
    model.connect(world.frame, space.frame_a)
    model.connect(space.frame_b, first.frame, arm.frame_a)
    model.connect(arm.frame_b, joint.frame_a)
    model.connect(joint.frame_b, second.frame)
    return model


@cache
def run_of(name: str, method: str) -> mb.Run:
    """Half a second of a pair of bodies, run once for all that is looked at."""
    return mb.simulate(two_bodies(JOINTS[name], np.random.default_rng(34)), 0.5, rtol=1e-11, method=method)


def look(run: Solution, t: float, names: list[str]) -> dict[str, np.ndarray]:
    """Values of variables at one time."""
    return {name: np.atleast_1d(run[name](t)) for name in names}


def powers(run: Solution, t: float) -> tuple[float, float, float]:
    """Power into the joint at frame a, out of it at frame b, and brought by its own elements."""
    inlets = ["it.turn.a.e", "it.turn.a.f", "it.lever.a.e", "it.lever.a.f"]
    frames = [f"it.frame_{s}.{m}.f" for s in "ab" for m in ("rotation", "translation")]
    at = look(run, t, [*inlets, *frames, "it.rotation.e", "it.translation.e"])
    turning = at["it.turn.a.e"] @ at["it.turn.a.f"] + at["it.lever.a.e"] @ at["it.lever.a.f"]
    into = turning + at["it.translation.e"] @ at["it.frame_a.translation.f"]
    out = at["it.rotation.e"] @ at["it.frame_b.rotation.f"] + at["it.translation.e"] @ at["it.frame_b.translation.f"]
    elements = run.system.dae.graph.elements
    own = sum(
        sign * look(run, t, [f"it.{name}.power"])[f"it.{name}.power"].item()
        for name, sign in (("drive", 1), ("damper", -1))
        if f"it.{name}" in elements
    )
    return float(into), float(out), float(own)


def check(run: Solution, t: float) -> None:
    """Power balance, and nothing moves in the held directions."""
    into, out, own = powers(run, t)
    print(f"in {into:.6g} W, out {out:.6g} W, own {own:.6g} W, balance {into + own - out:.1e} W")
    assert into + own == pytest.approx(out, abs=1e-9 * max(1.0, abs(into), abs(out)))
    held = [f"it.hold_{what}.f" for what in ("rotation", "translation", "screw")]
    for value in look(run, t, [n for n in held if n in run.names]).values():
        np.testing.assert_allclose(value, 0.0, atol=1e-9)


@pytest.mark.parametrize("method", ["auto", "multiplier"])
@pytest.mark.parametrize(("name", "seed"), [(name, seed) for name in JOINTS for seed in tenth(SEEDS, of=name)])
def test_a_joint_passes_power_on(name: str, seed: int, method: str) -> None:
    """In the tree and as a cut between free bodies, from random starts."""
    run = mb.simulate(two_bodies(JOINTS[name], np.random.default_rng(seed)), 0.3, method=method).check()
    for t in (0.0, 0.3):
        check(run, t)


@pytest.mark.parametrize("name", JOINTS)
def test_tree_and_cut_move_alike(name: str) -> None:
    first, second, t = run_of(name, "auto"), run_of(name, "multiplier"), np.linspace(0.0, 0.5, 11)
    for what in ("frame_b.position", "frame_b.attitude", "reaction_force", "reaction_torque", "speeds"):
        np.testing.assert_allclose(first[f"it.{what}"](t), second[f"it.{what}"](t), atol=1e-8, err_msg=what)


@pytest.mark.parametrize("name", JOINTS)
def test_a_cut_joint_reads_the_coordinates_of_the_tree(name: str) -> None:
    """A quaternion may come with either sign."""
    q, cut = (run_of(name, method)["it.coordinates"](np.linspace(0.0, 0.5, 11)) for method in ("auto", "multiplier"))
    if JOINTS[name](np.random.default_rng(34)).motion().quaternion:
        q, cut = (np.column_stack([v[:, :4] * np.sign(v[:, :1]), v[:, 4:]]) for v in (q, cut))
    np.testing.assert_allclose(q, cut, atol=1e-8)


def test_a_cut_ball_joint_is_read_at_half_a_turn() -> None:
    model = mb.Model("half")
    world = model.add(sp.World(gravity=(0.0, 0.0, 0.0)))
    ball = model.add(sp.Spherical("ball", quaternion=(0.0, 1.0, 0.0, 0.0), angular_velocity=(0.0, 0.0, 0.0)))
    body = model.add(sp.Body("body", mass=1.0, inertia=(1.0, 1.0, 1.0)))
    model.connect(world.frame, ball.frame_a)
    model.connect(ball.frame_b, body.frame)
    for method in ("auto", "multiplier"):
        q = mb.simulate(model, 0.1, method=method)["ball.quaternion"](0.05)
        np.testing.assert_allclose(np.abs(q), [0.0, 1.0, 0.0, 0.0], atol=1e-9)


@pytest.mark.parametrize("method", ["auto", "multiplier"])
@pytest.mark.parametrize("name", JOINTS)
def test_reactions_obey_newton_and_euler(name: str, method: str) -> None:
    """What side a exerts on side b, at b's origin, in a's axes: together with its weight it moves the second body."""
    run, t = run_of(name, method), 0.2
    body = two_bodies(JOINTS[name], np.random.default_rng(34))["second"]
    R_WA, R_WB = (run[f"it.frame_{s}.attitude"](t).reshape(3, 3) for s in "ab")
    force, torque = R_WA @ run["it.reaction_force"](t), R_WA @ run["it.reaction_torque"](t)
    expected = body.mass * (rate(run, "second.velocity", t) - np.array([0.0, -9.81, 0.0]))
    np.testing.assert_allclose(force, expected, atol=1e-7)
    J, w = np.diag(body.inertia), run["second.angular_velocity"](t)
    spin = R_WB @ (J @ rate(run, "second.angular_velocity", t) + np.cross(w, J @ w))
    np.testing.assert_allclose(torque, spin + np.cross(R_WB @ body.centre, force), atol=1e-7)
