"""Arrows of forces and torques against Newton, Euler and closed forms, over whole runs and in world axes."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from scipy.interpolate import CubicSpline

import multibond as mb
from multibond.examples import heavy_top
from multibond.examples import slider_crank as boudon
from multibond.view.loads import Load, loads_of
from multibond.view.machine import Machine, machine_of

from .loaded import CRANK, FLAT, LOADED, loaded, planar_crank, screwed

ROLES = ("force", "constraint")
LONG, COUNT = 0.5, 1001
INNER = slice(20, -20)  # a spline knows less of the rate at its ends


MACHINES = {
    "slider crank": (lambda: boudon(gravity=9.81), CRANK, "auto"),
    "isostatic slider crank": (lambda: boudon(joints="isostatic", gravity=9.81), CRANK, "auto"),
    "slider crank, minimal": (lambda: boudon(gravity=9.81), CRANK, "minimal"),
    "heavy top": (heavy_top, {}, "auto"),
    "all kinds of loads": (loaded, LOADED, "auto"),
    "screw": (screwed, {"nut": (0.1, 0.2, 0.3)}, "auto"),
    "plane": (planar_crank, FLAT, "auto"),
}
"""Machines, inertias of their bodies about the centres, methods."""
SLOW = {"slider crank, minimal"}


@cache
def staged(name: str) -> tuple[mb.Run, Machine, tuple[Load, ...]]:
    build, _, method = MACHINES[name]
    run = mb.simulate(build(), LONG, method=method, rtol=1e-11, atol=1e-13)
    machine = machine_of(run, np.linspace(0.0, LONG, COUNT))
    return run, machine, loads_of(run, machine, ROLES)


def one(loads: tuple[Load, ...], name: str, kind: str, role: str) -> Load:
    (found,) = [x for x in loads if (x.name, x.kind, x.role) == (name, kind, role)]
    return found


def fixed_to(machine: Machine, name: str) -> set[int]:
    """Frames that move with a body, itself among them: those that keep their distances to it."""
    home = next(body.frame for body in machine.bodies if body.name == name)
    found, before = {home}, set()
    while found != before:
        before = set(found)
        found |= {k for rod in machine.rods if set(rod.ends) & found for k in rod.ends}
    return found


def on_body(machine: Machine, loads: tuple[Load, ...], name: str) -> tuple[np.ndarray, np.ndarray]:
    """Sum of all arrows on a body: force, and torque about the world's origin; opposites act where the arrow stands."""
    frames, force, torque = fixed_to(machine, name), np.zeros((COUNT, 3)), np.zeros((COUNT, 3))
    for load in loads:
        sign = (load.on in frames) - (load.against in frames)
        force += sign * load.values * (load.kind == "force")
        arm = machine.place(load.on, load.point)
        torque += sign * (load.values if load.kind == "torque" else np.cross(arm, load.values))
    return force, torque


def momenta(run: mb.Run, machine: Machine, name: str, inertia: object) -> tuple[np.ndarray, np.ndarray]:
    """Momentum and angular momentum about the world's origin, from positions and speeds alone."""
    t, body = machine.times, next(b for b in machine.bodies if b.name == name)
    speed, place, R = (
        run[f"{name}.velocity"](t),
        machine.place(body.frame, body.centre),
        machine.attitudes[:, body.frame],
    )
    if machine.planar:
        velocity = np.column_stack([speed[:, :2], 0 * t])
        spin = np.column_stack([0 * t, 0 * t, inertia * speed[:, 2]])
    else:
        velocity = speed
        spin = np.einsum("tij,tj->ti", R, np.array(inertia) * run[f"{name}.angular_velocity"](t))
    return body.mass * velocity, np.cross(place, body.mass * velocity) + spin


@pytest.mark.parametrize(
    "name", [pytest.param(k, marks=[pytest.mark.slow] if k in SLOW else []) for k in MACHINES if MACHINES[k][1]]
)
def test_arrows_on_a_body_change_its_momenta(name: str) -> None:
    """Newton and Euler, body by body and component by component; the rates by splines of speeds."""
    inertias = MACHINES[name][1]
    run, machine, loads = staged(name)
    assert {body.name for body in machine.bodies} == set(inertias)
    for body, inertia in inertias.items():
        for told, held in zip(on_body(machine, loads, body), momenta(run, machine, body, inertia), strict=True):
            rate = CubicSpline(machine.times, held, axis=0).derivative()(machine.times)
            scale = max(float(np.abs(rate).max()), 1.0)
            np.testing.assert_allclose(told[INNER], rate[INNER], atol=2e-6 * scale, err_msg=body)


def test_the_support_of_a_heavy_top() -> None:
    """The tip carries m (a - g), and no torque, as it is a ball."""
    run, machine, loads = staged("heavy top")
    assert {(x.name, x.kind) for x in loads} == {("tip", "force"), ("top", "force")}
    mass = machine.bodies[0].mass
    velocity = CubicSpline(machine.times, run["top.velocity"](machine.times), axis=0)
    wanted = mass * (velocity.derivative()(machine.times) - machine.gravity)
    np.testing.assert_allclose(one(loads, "tip", "force", "constraint").values[INNER], wanted[INNER], atol=2e-5)


def test_what_acts_along_a_freedom_is_applied_and_the_rest_is_held() -> None:
    run, machine, loads = staged("isostatic slider crank")
    t = machine.times
    np.testing.assert_allclose(one(loads, "O", "torque", "force").values, np.tile([0, 0, 10.0], (t.size, 1)), atol=1e-8)
    guide = one(loads, "guide", "force", "force").values
    np.testing.assert_allclose(guide[:, 0], -5.0 * run["guide.speed"](t), atol=1e-8)
    np.testing.assert_allclose(guide[:, 1:], 0.0, atol=1e-8)
    np.testing.assert_allclose(one(loads, "guide", "force", "constraint").values[:, 0], 0.0, atol=1e-8)
    assert not [x for x in loads if (x.name, x.kind, x.role) == ("C", "torque", "constraint")]  # a ball holds none


def test_a_cardan_joint_holds_across_both_axes() -> None:
    run, machine, loads = staged("all kinds of loads")
    held, damped = (one(loads, "U", "torque", role).values for role in ("constraint", "force"))
    on = one(loads, "U", "torque", "force").on
    first, second = np.tile([1.0, 0.0, 0.0], (machine.times.size, 1)), machine.attitudes[:, on] @ [0.0, 1.0, 0.0]
    speeds = run["U.speeds"](machine.times)
    for axis, speed in ((first, speeds[:, 0]), (second, speeds[:, 1])):
        np.testing.assert_allclose(np.sum(axis * held, axis=1), 0.0, atol=1e-8)
        np.testing.assert_allclose(np.sum(axis * damped, axis=1), -0.2 * speed, atol=1e-8)


def test_a_screw_holds_without_doing_work() -> None:
    _, machine, loads = staged("screw")
    force, torque = (one(loads, "spindle", kind, "constraint").values for kind in ("force", "torque"))
    np.testing.assert_allclose(torque[:, 2] + 0.3 / (2 * np.pi) * force[:, 2], 0.0, atol=1e-8)
    driven = one(loads, "spindle", "torque", "force").values
    np.testing.assert_allclose(driven[:, 2], 2 * np.sin(5 * machine.times), atol=1e-8)


def test_springs_pull_their_ends_together_and_weights_hang_at_centres() -> None:
    _, machine, loads = staged("plane")
    (a, b) = [x for x in loads if x.name == "spring"]
    way = machine.place(b.on) - machine.place(a.on)
    length = np.linalg.norm(way, axis=1, keepdims=True)
    pull = 50.0 * (length - 0.4) * way / length
    np.testing.assert_allclose(a.values, pull, atol=1e-8)
    np.testing.assert_allclose(b.values, -pull, atol=1e-8)
    weight = one(loads, "rod", "force", "force")
    assert weight.point == (0.3, 0.02, 0.0) and np.allclose(weight.values, (0.0, -9.81, 0.0))


def test_only_what_is_asked_for_is_told() -> None:
    run, machine, loads = staged("plane")
    for role in ROLES:
        found = loads_of(run, machine, (role,))
        assert [(x.name, x.kind) for x in found] == [(x.name, x.kind) for x in loads if x.role == role]
    assert loads_of(run, machine, ()) == ()
