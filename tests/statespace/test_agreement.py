"""Every case against the compiled system of the same model, which knows nothing of fields and junction structures."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import pytest

import multibond as mb
from multibond.errors import ModelError
from multibond.examples import disc, euler_top, heavy_top, hydraulic_cylinder, slider_crank, sliding_swing
from multibond.lower.system import System
from multibond.statespace.space import StateSpace
from multibond.workbench import at_depth

from .agreement import agree, looks, space_of
from .models import (
    braked_hinge,
    disc_with_constraint,
    flying,
    ladder,
    mixed,
    motor_arm,
    pendulum,
    skate,
    spun_rotor,
    through_damper,
    through_gyrator,
)

Make = Callable[[], Any]

MODELS: dict[str, tuple[Make, str]] = {
    "hydraulic cylinder": (hydraulic_cylinder, "unconstrained"),
    "top in scalar bonds, a ring of gyrators": (lambda: at_depth(euler_top(), 3), "unconstrained"),
    "ladder of resistors": (ladder, "unconstrained"),
    "through a damper": (through_damper, "14"),
    "through a gyrator": (through_gyrator, "14"),
    "two masses and a damper": (mixed, "mixed"),
    "hinge and brake": (braked_hinge, "mixed"),
    "skate": (skate, "mixed"),
    "pendulum": (pendulum, "15"),
    "a body on a spring": (lambda: flying(tail=False), "unconstrained"),
    "a body on a spring, with a tail": (flying, "15"),
    "heavy top": (heavy_top, "15"),
    "three bodies, swing": (sliding_swing, "15"),
    "three bodies, along the arm": (lambda: sliding_swing(swing_axis="x"), "15"),
    "motor and arm": (motor_arm, "15"),
    "isostatic slider crank": (lambda: slider_crank(joints="isostatic", gravity=9.81), "15"),
    "disc": (lambda: disc_with_constraint(scalar=False), "15"),
    "spun rotor": (spun_rotor, "15"),
}


@cache
def made(name: str) -> tuple[StateSpace, System]:
    """The state space of a model and its compiled system."""
    make = MODELS[name][0]
    return space_of(make), mb.compile(make(), form="line")


def hold_against(space: StateSpace, system: System) -> float:
    """Rates, forces and constraints at random states; returns the largest force seen."""
    largest = 0.0
    for look in looks(space, system):
        agree(space.derivative(look.x, t=look.t), look.rates, 1e-10)
        forces = space.constraint_forces(look.x, t=look.t)
        assert set(forces) == set(look.forces)
        for path, force in forces.items():
            agree(force, look.forces[path], 1e-10)
            largest = max(largest, float(np.abs(force).max()))
        for flow in space.violation(look.x, t=look.t).values():
            assert np.abs(flow).max() < 1e-9
    return largest


@pytest.mark.parametrize("name", MODELS)
def test_rates_and_forces_are_those_of_the_compiled_system(name: str) -> None:
    space, system = made(name)
    assert space.case == MODELS[name][1]
    assert hold_against(space, system) > 1e-3 or space.case == "unconstrained"


@pytest.mark.parametrize("name", ["pendulum", "three bodies, swing", "motor and arm", "spun rotor"])
def test_also_where_all_joints_are_cut(name: str) -> None:
    """Method "multiplier" has free bodies too, with velocities for states: another formulation of the same."""
    space, _ = made(name)
    hold_against(space, mb.compile(MODELS[name][0](), "multiplier", form="line"))


@pytest.mark.parametrize("name", MODELS)
def test_the_junction_structure_is_skew(name: str) -> None:
    """It stores and loses nothing: outputs times inputs vanish whatever the outputs, in any state, consistent or not.

    Quaternions keep their length, as their rotation would turn into a stretch.
    """
    space, rng = made(name)[0], np.random.default_rng(1)
    for _ in range(5):
        x = space.x0 + 0.3 * rng.standard_normal(space.x0.size)
        for start in [k for k, n in enumerate(space.state_names) if n.endswith("motion.q[0]")]:
            if space.state_names[start].endswith("free.motion.q[0]"):
                x[start : start + 4] /= np.linalg.norm(x[start : start + 4])
        J = space.J(x, t=float(rng.uniform(0, 2)))
        assert J.shape[0] == J.shape[1] and np.abs(J).max() >= 1.0
        assert np.abs(J + J.T).max() <= 1e-14 * np.abs(J).max()


@pytest.mark.parametrize("name", MODELS)
def test_states_go_there_and_back(name: str) -> None:
    space, system = made(name)
    agree(space.from_system(system, system.x0), space.x0, 1e-13)
    for look in looks(space, system, count=3):
        agree(space.to_system(system, look.x, look.t), look.system_x, 1e-11)


def test_a_loop_inside_the_junction_structure() -> None:
    """Four scalar transformers make a rotation, a causal loop; the compiled disc has it drawn the other way round.

    It also has a zero flow source in the hole where the state space has a constraint effort.
    """
    space = mb.statespace(disc_with_constraint(scalar=True))
    system = mb.compile(disc(scalar=True, inverted=True, stiffness=30.0), form="line")
    assert space.case == "15"
    for look in looks(space, system):
        agree(space.derivative(look.x, t=look.t), look.rates, 1e-10)
        agree(space.constraint_forces(look.x, t=look.t)["hole"], look.forces["hole"], 1e-10)
    x = space.x0.copy()
    x[space.state_names.index("angle.q")] = np.pi / 2
    J = space.J(x)
    assert np.abs(J + J.T).max() < 1e-15 and np.abs(J).max() == pytest.approx(1.0)


def test_several_states_at_once() -> None:
    space, system = made("pendulum")
    states = np.array([system.x0, system.x0 + np.array([0.2, -0.1])])
    rows = space.from_system(system, states, np.array([0.0, 1.0]))
    assert rows.shape == (2, space.x0.size)
    np.testing.assert_array_equal(rows[1], space.from_system(system, states[1], 1.0))


def test_another_form_of_the_model_is_named() -> None:
    """Method "multiplier" also frees the arm, which the state space keeps on its hinge."""
    space, system = made("three bodies, swing")[0], mb.compile(sliding_swing(), "multiplier")
    with pytest.raises(ModelError, match="does not know"):
        space.to_system(system, space.x0)
