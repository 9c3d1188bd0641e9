"""Small systems whose fields, matrices and forces are worked out by hand, one for each case."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import multibond as mb
from multibond.examples import slider_crank, sliding_swing
from multibond.statespace.space import StateSpace

from .agreement import space_of
from .models import ladder, mixed, motor_arm, pendulum, skate, through_damper, through_gyrator


def isostatic() -> mb.Model:
    return slider_crank(joints="isostatic")  # type: ignore[return-value]


def value(space: StateSpace, **states: float) -> np.ndarray:
    """A state by names (dots as double underscores)."""
    given = {name.replace("__", "."): number for name, number in states.items()}
    assert set(given) == set(space.state_names)
    return np.array([given[name] for name in space.state_names])


def test_case_14_by_hand() -> None:
    """mass p = m v is tied to a point with damper R and spring q/C: the rope pulls the mass with R v + q/C.

    The rope's effort counts as what the constraint puts into the 0-junction, so the mass feels it with a minus.
    """
    space = space_of(through_damper)
    assert space.case == "14"
    x, t = value(space, mass__p=1.4, spring__q=0.03), 0.7
    pull = 0.7 * (1.4 / 2.0) + 0.03 / 0.05
    assert space.constraint_forces(x, t=t)["rope"][0] == pytest.approx(pull, rel=1e-14)
    rates = dict(zip(space.state_names, space.derivative(x, t=t), strict=True))
    assert rates["mass.p"] == pytest.approx(3 * np.sin(1.4) - pull, rel=1e-14)
    assert rates["spring.q"] == pytest.approx(0.7, rel=1e-14)
    found = space.matrices(x, t=t)
    assert found["T_LE"][0, 0] == pytest.approx(-1 / 0.7) and found["R"][0, 0] == pytest.approx(1 / 0.7)
    assert [c.name for c in space.conditions] == ["fields linear, F constant", "T_LE regular"]


def test_resistances_in_an_algebraic_loop() -> None:
    """Thévenin: behind the node stand 12 V · 5/7 and 2 · 5/7 ohm; J_LL is not zero and (1 - J_LL R) is inverted."""
    space = space_of(ladder)
    voltage = (12 + np.sin(0.3)) * 5 / 7 - (10 / 7 + 1.0) * (0.2 / 0.3)
    assert space.derivative([0.2], t=0.3)[0] == pytest.approx(voltage, rel=1e-13)
    assert np.abs(space.matrices()["J_LL"]).max() == 1.0


def test_constraints_joined_by_a_gyrator() -> None:
    """e_1 = g f_2 and e_2 = g f_1 between two masses: m1 p' = -g v2, m2 p' = g v1, with T_LE = J_Cu2 skew."""
    space = space_of(through_gyrator)
    x = value(space, m1__p=1.2, m2__p=0.3)
    rates = dict(zip(space.state_names, space.derivative(x), strict=True))
    assert rates["m1.p"] == pytest.approx(-0.4 * 0.3 / 0.5, rel=1e-14)
    assert rates["m2.p"] == pytest.approx(0.4 * 1.2 / 2.0, rel=1e-14)
    found = space.matrices(x)
    assert space.case == "14" and found["R"].size == 0
    np.testing.assert_allclose(np.abs(found["T_LE"]), [[0.0, 2.5], [2.5, 0.0]])
    np.testing.assert_allclose(found["T_LE"], found["J_Cu2"])


def test_the_mixed_case_by_hand() -> None:
    """m1 and m2 move as one; the damper takes R v; the rod carries what m2 needs."""
    space = space_of(mixed)
    assert space.case == "mixed"
    v, q, t = 0.6, 0.01, 0.4
    x = value(space, m1__p=2.0 * v, m2__p=0.5 * v, spring__q=q)
    drag = 0.7 * v
    a = (3 * np.cos(t) - drag - q / 0.05) / 2.5
    forces = space.constraint_forces(x, t=t)
    assert forces["pull"][0] == pytest.approx(drag, rel=1e-13)
    assert forces["rigid"][0] == pytest.approx(0.5 * a + drag + q / 0.05, rel=1e-13)
    rates = dict(zip(space.state_names, space.derivative(x, t=t), strict=True))
    assert rates["m1.p"] == pytest.approx(2.0 * a, rel=1e-13)
    assert rates["m2.p"] == pytest.approx(0.5 * a, rel=1e-13)
    assert rates["spring.q"] == pytest.approx(v, rel=1e-13)
    found = space.matrices(x, t=t)
    np.testing.assert_allclose(found["H4"], [[-2.0, 2.0], [2.0, -2.5]], atol=1e-13)
    np.testing.assert_allclose(found["T_LE"], [[-1 / 0.7, 0.0], [0.0, 0.0]], atol=1e-13)


def test_rows_that_only_split_in_combination() -> None:
    """A skate with drag R along its runner: across the runner it holds, so T_LE has rank one in turned axes.

    Along the runner m u' = -R u; across it the turning at the rate w takes the force m u w.
    """
    space = space_of(skate)
    assert space.case == "mixed" and space.rank == 1
    a, w, u = 0.7, 1.5, 2.0
    along, across = np.array([np.cos(a), np.sin(a)]), np.array([-np.sin(a), np.cos(a)])
    p = 3.0 * u * along
    names = {"yaw.p": 0.2 * w, "mass.p[0]": p[0], "mass.p[1]": p[1], "angle.q": a}
    x = np.array([names[name] for name in space.state_names])
    force = -0.9 * u * along + 3.0 * u * w * across
    np.testing.assert_allclose(space.constraint_forces(x)["runner"], force, atol=1e-13)
    rates = dict(zip(space.state_names, space.derivative(x), strict=True))
    np.testing.assert_allclose([rates["mass.p[0]"], rates["mass.p[1]"]], force, atol=1e-13)
    T_LE = space.matrices(x)["T_LE"]
    np.testing.assert_allclose(T_LE, -np.outer(along, along) / 0.9, atol=1e-14)


def test_case_15_by_hand() -> None:
    """A pendulum in its plane: the hinge carries the weight and the centripetal force of the centre of mass.

    With the centre at c = (0, -L) in the body and angle a: J' a'' = -m g L sin(a), J' = J + m L²; F = m (r'' - g).
    """
    m, J, L, g, a, w = 1.3, 0.15, 0.5, 9.81, 0.5, 2.0
    model = mb.Model("plane")
    world = model.add(mb.spatial.World())
    hip = model.add(mb.spatial.Revolute("hip", axis="z", angle=a, speed=w))
    bob = model.add(mb.spatial.Body("bob", mass=m, inertia=(0.1, 0.1, J), centre=(0.0, -L, 0.0)))
    model.connect(world.frame, hip.frame_a)
    model.connect(hip.frame_b, bob.frame)
    space = mb.statespace(model)
    turning = -m * g * L * np.sin(a) / (J + m * L**2)
    across, along = np.array([np.cos(a), np.sin(a), 0.0]), np.array([-np.sin(a), np.cos(a), 0.0])
    force = m * (L * turning * across + L * w**2 * along + np.array([0.0, g, 0.0]))
    found = space.constraint_forces(space.x0)
    np.testing.assert_allclose(found["hip.hold_translation"], force, atol=1e-12)
    np.testing.assert_allclose(found["hip.hold_rotation"], 0.0, atol=1e-12)
    assert space.resultants(space.x0)["hip"]["force"] == pytest.approx(np.linalg.norm(force), rel=1e-13)
    rates = dict(zip(space.state_names, space.derivative(space.x0), strict=True))
    assert rates["bob.inertia.p[2]"] == pytest.approx(J * turning, rel=1e-13)


def by_field(space: StateSpace) -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for entry in space.fields:
        found.setdefault(entry.field, set()).add(f"{entry.path}[{entry.component}]")
    return found


def test_fields_say_who_lies_where_and_why() -> None:
    space = space_of(mixed)
    assert by_field(space) == {
        "X_i1": {"m1[0]", "spring[0]"}, "X_i2": {"m2[0]"}, "R": {"oil[0]"}, "U1": {"push[0]"},
        "U2": {"pull[0]", "rigid[0]"},
    }  # fmt: skip
    why = {entry.path: entry.why for entry in space.fields}
    assert "constraint 'rigid' fixes its flow" in why["m2"] and "no constraint fixes" in why["m1"]


def test_a_body_with_one_turn_is_a_scalar_beside_vectors() -> None:
    """Wang's first body: its inertia is one number; the hinge it turns on is kept, the others are opened."""
    space = space_of(sliding_swing)
    fields = by_field(space)
    assert "turning.rotor[0]" in fields["X_i1"] | fields["X_i2"]
    assert {"J1.hold_rotation[1]", "J1.hold_translation[2]"} <= fields["U1"]
    assert {n.split(".")[0] for n in fields["U2"]} == {"J2", "J3"}
    assert {n.split("[")[0] for n in fields["EJS"]} == {"m1.gyroscopic", "m2.gyroscopic"}
    assert space.rows["i1"].size == 3 + 1  # three freedoms and the spring
    assert space.rows["i2"].size == space.rows["u2"].size == 10


def test_electrical_and_mechanical_storages_share_one_vector() -> None:
    """Coil, rotor, shaft and bodies; the gyrator of the motor stands in J between coil and rotor."""
    space = space_of(motor_arm)
    names = [name.split(".p")[0].split(".q")[0] for name in space.state_names]
    J = space.J()
    coil, rotor = names.index("motor.coil"), names.index("motor.rotor")
    assert J[coil, rotor] == pytest.approx(-0.1) and J[rotor, coil] == pytest.approx(0.1)
    shaft = names.index("shaft.spring")
    assert abs(J[shaft, rotor]) == pytest.approx(1.0)


@pytest.mark.parametrize(
    "make", [pendulum, mixed, sliding_swing, motor_arm, isostatic],
    ids=["pendulum", "mixed", "swing", "motor", "crank"],
)  # fmt: skip
def test_constraints_give_the_dependent_motion_from_the_independent_one(make: Callable[[], mb.Model]) -> None:
    space = space_of(make)
    rng = np.random.default_rng(8)
    X = rng.standard_normal(space.order.size)
    found = space.matrices(np.concatenate([X, space.x0[X.size :]]))
    dependent = found["N"].T @ found["J_Ci2"] @ found["F_i2"]
    assert dependent.shape[0] == dependent.shape[1] and np.linalg.cond(dependent) < 1e6


def test_the_named_matrices_make_the_state_equations() -> None:
    """(14a), (14b) and (15c) from the dictionary of matrices, as a reader of the paper would write them."""
    space = space_of(sliding_swing)
    x = space.x0
    m, n1 = space.matrices(x), space.independent
    X1, X2 = x[:n1], x[n1 : space.order.size]
    U1 = space.known_sources(x)
    rest = m["H1"] @ X1 + m["H2"] @ X2 + m["H3"] @ U1
    U2 = -np.linalg.solve(m["H4"], rest)
    forces = np.concatenate(list(space.constraint_forces(x).values()))
    assert all(np.abs(forces - u).min() < 1e-10 for u in U2)
    rates = space.derivative(x)
    first = m["T_i1i1"] @ X1 + m["T_i1i2"] @ X2 + m["T_i1u1"] @ U1 + m["T_i1u2"] @ U2
    second = m["T_i2i1"] @ X1 + m["T_i2i2"] @ X2 + m["T_i2u1"] @ U1 + m["T_i2u2"] @ U2
    np.testing.assert_allclose(np.concatenate([first, second]), rates[: space.order.size], atol=1e-10)
    np.testing.assert_allclose(m["A1"], np.linalg.inv(np.eye(6) - m["J_EE"] @ m["R_E"]), atol=1e-14)
    np.testing.assert_allclose(m["R_E"], -m["R_E"].T, atol=0)


def test_inputs_are_changed_by_name() -> None:
    model = mb.Model("driven")
    v = model.add(mb.One("v"))
    stick, force = model.add(mb.blocks.Input("stick", 2.0)), model.add(mb.MSe("force"))
    model.signal(stick.y, force.effort)
    model.bond(force, v)
    model.bond(v, mb.I("mass", 4.0))
    space = mb.statespace(model)
    assert space.inputs == ("stick",) and space.case == "unconstrained"
    assert space.derivative([0.0])[0] == 2.0
    assert space.derivative([0.0], {"stick": -3.0})[0] == -3.0
    assert space.derivative([0.0], [5.0])[0] == 5.0
    with pytest.raises(KeyError, match="stik"):
        space.derivative([0.0], {"stik": 1.0})
