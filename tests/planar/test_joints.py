"""Every joint of the plane: power passes through, tree and cut move alike, reactions obey Newton and Euler."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import multibond as mb
from multibond import planar as pl
from multibond.library.planar.joint import InPlane
from multibond.solve.solution import Solution

Make = Callable[[np.random.Generator], InPlane]
JOINTS: dict[str, Make] = {
    "Revolute": lambda r: pl.Revolute("it", angle=r.uniform(-1, 1), speed=r.uniform(-1, 1), damping=0.3, torque=0.4),
    "Prismatic": lambda r: pl.Prismatic("it", r.uniform(-1, 1, 2), 0.4, r.uniform(-1, 1), damping=0.3, force=0.7),
    "Telescope": lambda r: pl.Telescope("it", vector=r.uniform(0.1, 1, 2), elongation=0.9, speed=0.4, stiffness=9.0),
    "Free": lambda r: pl.Free("it", r.uniform(-1, 1, 2), 0.3, r.uniform(-1, 1, 2), -0.7, force=(0.2, 0.5, -0.3)),
    "Bushing": lambda r: pl.Bushing(
        "it", r.uniform(-1, 1, 2), 0.3, stiffness=(4.0, 30.0, 20.0), rest=(0.1, 0.2, 0.3), damping=(0.2, 0.5, 0.4)
    ),
    "Weld": lambda _: pl.Weld("it"),
    "any, slide and turn": lambda r: pl.Joint(
        "it", True, [r.uniform(-1, 1, 2)], coordinates=(0.3, 0.5), speeds=(1.0, -0.4), force=(0.5, 0.2), damping=0.2
    ),
    "any, both slides": lambda r: pl.Joint(
        "it", False, [(0.6, 0.8), (-0.8, 0.6)], coordinates=(0.3, 0.5), speeds=(1.0, -0.4), damping=(0.2, 0.3)
    ),
    "any, slides and turn": lambda r: pl.Joint("it", True, "yx", coordinates=(0.3, 0.5, 0.1), speeds=(1.0, -0.4, 0.2)),
}
GRAVITY = np.array([0.3, -9.81])


def two_bodies(make: Make, seed: int) -> mb.Model:
    """A floating body, the joint, and a second body, all with random figures."""
    rng, model = np.random.default_rng(seed), mb.Model("pair")
    joint, world = model.add(make(rng)), model.add(pl.World(gravity=GRAVITY))
    space = model.add(pl.Free("space", velocity=rng.uniform(-1, 1, 2), angular_velocity=1.7))
    arm = model.add(pl.Rod("arm", rng.uniform(-1, 1, 2), 0.6))
    first = model.add(pl.Body("first", 2.0, 0.3, rng.uniform(-0.3, 0.3, 2)))
    second = model.add(pl.Body("second", 1.0, 0.2, rng.uniform(-0.3, 0.3, 2)))
    model.connect(world.frame, space.frame_a)
    model.connect(space.frame_b, first.frame, arm.frame_a)
    model.connect(arm.frame_b, joint.frame_a)
    model.connect(joint.frame_b, second.frame)
    return model


def own_power(run: Solution, t: float) -> float:
    """What the joint's own elements bring."""
    signs = {"drive": 1, "damper": -1, "spring": -1} | {f"spring_{k}": -1 for k in (1, 2, 3)}
    there = [name for name in signs if f"it.{name}" in run.system.dae.graph.elements]
    return float(sum(signs[name] * run[f"it.{name}.power"](t) for name in there))


@pytest.mark.parametrize("method", ["auto", "multiplier"])
@pytest.mark.parametrize("seed", [3, 5])
@pytest.mark.parametrize("name", JOINTS)
def test_a_joint_passes_power_on(name: str, seed: int, method: str) -> None:
    run = mb.simulate(two_bodies(JOINTS[name], seed), 0.3, method=method).check()
    for t in (0.0, 0.3):
        into = run["it.lever.a.e"](t) @ run["it.frame_a.plane.f"](t)
        out = run["it.total.e"](t) @ run["it.frame_b.plane.f"](t)
        assert into + own_power(run, t) == pytest.approx(out, abs=1e-9 * max(1.0, abs(into), abs(out)))
        for held in ("it.hold_rotation.f", "it.hold_translation.f"):
            if held in run.names:
                np.testing.assert_allclose(run[held](t), 0.0, atol=1e-9)
    assert run.energy().residual < 1e-8


@pytest.mark.parametrize("name", JOINTS)
def test_tree_and_cut_move_alike(name: str) -> None:
    model, t = two_bodies(JOINTS[name], 21), np.linspace(0.0, 0.5, 11)
    first, second = (mb.simulate(model, 0.5, rtol=1e-11, method=m) for m in ("auto", "multiplier"))
    free = ["coordinates", "speeds"] if first.system.dae.graph.elements["it.motion"].motion.freedoms else []
    for what in ("frame_b.position", "frame_b.angle", "reaction_force", "reaction_torque", *free):
        np.testing.assert_allclose(first[f"it.{what}"](t), second[f"it.{what}"](t), atol=1e-8, err_msg=what)


def rate(run: Solution, name: str, t: float) -> np.ndarray:
    """Rate of a variable along a run, by differences of fourth order."""
    h = 1e-3
    before2, before, after, after2 = run[name](np.array([t - 2 * h, t - h, t + h, t + 2 * h]))
    return (before2 - 8 * before + 8 * after - after2) / (12 * h)


@pytest.mark.parametrize("method", ["auto", "multiplier"])
@pytest.mark.parametrize("name", JOINTS)
def test_reactions_obey_newton_and_euler(name: str, method: str) -> None:
    """What side a exerts on side b, at b's origin, in a's axes: with its weight it moves the second body."""
    model, t = two_bodies(JOINTS[name], 34), 0.2
    body, run = model["second"], mb.simulate(model, 0.4, rtol=1e-11, method=method)
    a, b = (float(run[f"it.frame_{s}.angle"](t)) for s in "ab")
    turn_a, turn_b = (np.array([[np.cos(x), -np.sin(x)], [np.sin(x), np.cos(x)]]) for x in (a, b))
    force, torque = turn_a @ run["it.reaction_force"](t), float(run["it.reaction_torque"](t))
    moved = rate(run, "second.velocity", t)
    np.testing.assert_allclose(force, body.mass * (moved[:2] - GRAVITY), atol=1e-7)
    centre = turn_b @ body.centre
    assert torque == pytest.approx(body.inertia * moved[2] + centre[0] * force[1] - centre[1] * force[0], abs=1e-7)


@pytest.mark.parametrize("name", JOINTS)
def test_the_joint_stands_where_its_coordinates_say(name: str) -> None:
    """b stands at the end of the slides, along axes fixed in a, and is turned by the angle."""
    run, t = mb.simulate(two_bodies(JOINTS[name], 8), 0.4, rtol=1e-11), 0.3
    kind = run.system.dae.graph.elements["it.motion"].motion
    q = np.atleast_1d(run["it.coordinates"](t)) if kind.freedoms else np.zeros(0)
    a = float(run["it.frame_a.angle"](t))
    away = run["it.frame_b.position"](t) - run["it.frame_a.position"](t)
    place = np.array([[np.cos(a), np.sin(a)], [-np.sin(a), np.cos(a)]]) @ away
    np.testing.assert_allclose(place, kind.slide_axes[:, :2].T @ q[kind.turns :], atol=1e-9)
    assert run["it.frame_b.angle"](t) - a == pytest.approx(q[0] if kind.turns else 0.0, abs=1e-9)


@pytest.mark.parametrize("method", ["auto", "multiplier"])
def test_angles_go_on_counting_over_full_turns(method: str) -> None:
    model = mb.Model("spin")
    world, hinge = model.add(pl.World(gravity=(0.0, 0.0))), model.add(pl.Revolute("hinge", angle=1.0, speed=-9.0))
    wheel = model.add(pl.Body("wheel", 1.0, 0.5))
    model.connect(world.frame, hinge.frame_a)
    model.connect(hinge.frame_b, wheel.frame)
    run = mb.simulate(model, 3.0, method=method)
    t = np.linspace(0.0, 3.0, 16)
    np.testing.assert_allclose(run["hinge.angle"](t), 1.0 - 9.0 * t, atol=1e-8)


def test_a_weld_closes_a_loop_after_a_full_turn() -> None:
    """Four hinges go round once; what is held is the angle but for whole turns."""
    model = mb.Model("ring")
    world = model.add(pl.World())
    end = world.frame
    for k in range(4):
        rod, bend = model.add(pl.Rod(f"rod_{k}", (1.0, 0.0))), model.add(pl.Revolute(f"bend_{k}", angle=np.pi / 2))
        model.connect(end, rod.frame_a)
        model.connect(rod.frame_b, bend.frame_a)
        end = bend.frame_b
    weld = model.add(pl.Weld("weld"))
    model.connect(end, weld.frame_a)
    model.connect(weld.frame_b, world.frame)
    bob = model.add(pl.Body("bob", 1.0, 0.1))
    model.connect("rod_1.frame_b", bob.frame)
    run = mb.simulate(model, 0.2).check()
    np.testing.assert_allclose(run["bob.position"](0.0), (1.0, 1.0), atol=1e-9)
    total = sum(run[f"bend_{k}.angle"](0.2) for k in range(4))
    assert total == pytest.approx(2 * np.pi, abs=1e-9)


def test_stops_friction_and_drives_are_those_of_space() -> None:
    """A slider on a slope of 3 in 4 holds by friction until a push, and then runs to its stop."""
    model = mb.Model("slope")
    world = model.add(pl.World())
    rail = model.add(
        pl.Prismatic("rail", (4.0, 3.0), 0.0, friction=7.0, static=8.0, lower=-0.5, force="where(t > 0.5, -5, 0)")
    )
    block = model.add(pl.Body("block", 1.0))
    model.connect(world.frame, rail.frame_a)
    model.connect(rail.frame_b, block.frame)
    run = mb.simulate(model, 2.0).check()
    assert run["rail.position"](0.5) == pytest.approx(0.0, abs=1e-9)
    fall = 9.81 * 0.6 + 5.0 - 7.0
    assert run["rail.position"](0.9) == pytest.approx(-0.5 * fall * 0.4**2, abs=1e-6)
    assert run["rail.position"](2.0) == pytest.approx(-0.5, abs=1e-6)
