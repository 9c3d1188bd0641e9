"""Zimmer and Cellier (2006), Table 3: what the systems keep for ever, and what the table counts."""

from __future__ import annotations

import numpy as np
import pytest

import multibond as mb
from multibond.examples import governor, spatial_four_bar

from . import table3 as own
from .lagrange import G
from .table import within
from .table3_systems import METHODS, SYSTEMS, run_of

BY_METHOD = ["auto", *(pytest.param(method, marks=pytest.mark.slow) for method in METHODS[1:])]


def energy(run: mb.Run, bodies: dict[str, tuple[float, tuple[float, float, float]]], t: np.ndarray) -> np.ndarray:
    """Kinetic energy and that of height, from what bodies tell; each has mass and principal moments."""
    total = np.zeros(t.size)
    for name, (mass, moments) in bodies.items():
        v, w = run[f"{name}.velocity"](t), run[f"{name}.angular_velocity"](t)
        total += 0.5 * mass * (v**2).sum(axis=1) + 0.5 * (w**2 * moments).sum(axis=1)
        total += mass * G * run[f"{name}.position"](t)[:, 1]
    return total


@pytest.mark.parametrize("method", METHODS)
def test_gyroscope_keeps_spin_and_momentum(method: str) -> None:
    """Spin about the arm, energy, angular momentum about the vertical, length of the arm; velocity as by hand."""
    run, t = run_of("gyroscope", method), np.linspace(0.0, 10.0, 401)
    place, speed = run["wheel.position"](t), run["wheel.velocity"](t)
    turned, w = run["wheel.attitude"](t).reshape(-1, 3, 3), run["wheel.angular_velocity"](t)
    momentum = np.cross(place, 2.0 * speed) + np.einsum("tij,tj->ti", turned, w * [0.12, 0.06, 0.06])
    within("spin", w[:, 0], np.full(t.size, 80 * np.pi), 1e-8)
    within(
        "energy", energy(run, {"wheel": (2.0, (0.12, 0.06, 0.06))}, t), np.full(t.size, 0.06 * (80 * np.pi) ** 2), 1e-6
    )
    within("upright momentum", momentum[:, 1], np.zeros(t.size), 1e-8)
    within("length of the arm", np.linalg.norm(place, axis=1), np.full(t.size, 2.0), 1e-11)
    within("velocity", speed, own.gyroscope(t)[:, 3:], 1e-8)


@pytest.mark.parametrize("method", BY_METHOD)
def test_governor_gathers_momentum(method: str) -> None:
    """The torque of 10 N.m is all that acts about the shaft; both sides stay alike."""
    run, t = run_of("governor", method), np.linspace(0.0, 10.0, 201)
    reach = np.linalg.norm(run["left_weight.position"](t)[:, [0, 2]], axis=1)
    within("momentum", (3 * 0.05 + 4.0 * reach**2) * run["shaft.speed"](t), 10.0 * t, 1e-8)
    within("left and right", run["left_low.angle"](t), -run["right_low.angle"](t), 1e-9)
    supplied, lost = run.energy().supplied, run.energy().dissipated
    assert supplied == pytest.approx(10.0 * run["shaft.angle"](10.0), rel=1e-11)
    assert lost > 0.1


@pytest.mark.parametrize("method", BY_METHOD)
def test_four_bar_keeps_its_energy(method: str) -> None:
    """5.19152328 J, as printed."""
    t = np.linspace(0.0, 10.0, 401)
    bodies = dict.fromkeys(("crank", "rod", "post"), (0.5, (0.05, 0.05, 0.05)))
    within("energy", energy(run_of("spatial four-bar", method), bodies, t), np.full(t.size, 5.19152328), 5e-9)


def test_four_bar_has_a_second_branch() -> None:
    """Guessed there, the slide stands on the other side, as far from the ball as on this one."""
    found = mb.assemble(spatial_four_bar(position=-2.1, angle=-2.5))
    assert found["slide.position"] == pytest.approx(-2.2, abs=1e-12)
    assert found["turn.angle"] == pytest.approx(2 * np.arctan(0.3) - np.pi, abs=1e-12)


@pytest.mark.parametrize("method", METHODS)
def test_crane_crab_keeps_its_place(method: str) -> None:
    """Nothing acts along the rail: momentum and so the centre of mass stay."""
    run, t = run_of("crane crab", method), np.linspace(0.0, 10.0, 201)
    momentum = run["cart.momentum"](t)[:, 0] + run["bob.momentum"](t)[:, 0]
    within("momentum", momentum, np.zeros(t.size), 1e-9)
    centre = (2.0 * run["cart.position"](t)[:, 0] + run["bob.position"](t)[:, 0]) / 3.0
    within("centre of mass", centre, np.full(t.size, 1.0 / 3.0), 1e-9)


# -- the table's own counts --------------------------------------------------------------------------------------------


def loop_equations(system: mb.System) -> tuple[int, ...]:
    """Independent equations of positions that each closed loop has at its cut."""
    told, held = mb.explain(system), [u for u in system.dae.unknowns if u.kind == "multiplier"]
    count = {loop.cut: sum(u.size for u in held if u.path.startswith(f"{loop.cut}.")) for loop in told.kinematic_loops}
    return tuple(n - sum(name.startswith(f"{cut} ") for name in told.redundant) for cut, n in count.items())


@pytest.mark.parametrize("name", SYSTEMS)
def test_counts(name: str) -> None:
    """Freedoms, loops and redundant conditions.

    The table's nonlinear equations are those of closed loops: none, 2, {2, 2}, 5. Here the four-bar has 3: it is cut at
    its ball, which leaves as little as can be; cut at the crank's hinge it has the table's 5. None of them is solved
    at every instant: positions of the tree are states, and stay on the loop by their rates and a projection.
    """
    system, case = mb.compile(SYSTEMS[name].build()), SYSTEMS[name]
    told = mb.explain(system)
    print(f"{name}: {told.freedoms} freedoms, loops {loop_equations(system)}, {len(told.redundant)} redundant")
    assert (told.freedoms, loop_equations(system), len(told.redundant)) == (case.freedoms, case.loops, case.redundant)
    assert not told.newton and not told.algebraic_loops
    assert told.order == 2 * told.freedoms


def test_four_bar_cut_as_in_the_table() -> None:
    system = mb.compile(spatial_four_bar(), cuts=["pivot"])
    assert loop_equations(system) == (5,)


def test_four_bar_counted_joint_by_joint() -> None:
    """Between its two hinges is no part, so that link has their names."""
    counted = mb.count(spatial_four_bar())
    assert (counted.naive, counted.mobility, counted.redundant) == (1, 1, 0)
    assert counted.bodies == ("crank", "post", "rod", "tilt-turn")


def test_governor_names_what_is_redundant() -> None:
    """Each loop of plane hinges holds two turns and the way across twice."""
    redundant = mb.explain(governor()).redundant
    assert sorted(redundant) == [
        f"{side}_knee {what}" for side in ("left", "right") for what in ("rotation 0", "rotation 1", "translation 2")
    ]
    assert set(mb.simulate(governor(), 0.1).ambiguous) == {"collar"} | {
        f"{side}_{joint}" for side in ("left", "right") for joint in ("low", "knee", "high")
    }
    counted = mb.count(governor())
    assert (counted.naive, counted.mobility, counted.redundant) == (-4, 2, 6)
