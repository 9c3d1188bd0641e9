"""What every force of space does to the bodies at its ends: by hand, and by Newton and Euler from their motion."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import multibond as mb
from multibond import spatial as sp
from multibond.graph.component import Part
from multibond.solve.solution import Solution

from .floating import GRAVITY, POSITION, Moment, floating, moment, rate

GIVEN = np.array([1.0, -2.0, 3.0])
DISTANCE = float(np.linalg.norm(POSITION["b"] - POSITION["a"]))
T = 0.2
Wrench = tuple[np.ndarray, np.ndarray]
NOTHING = np.zeros(3)


def pulled(force: float, at: Moment) -> Wrench:
    """On b: a tension along the line."""
    return -force * at.unit, NOTHING


def bushing(at: Moment) -> Wrench:
    """Springs and dampers along a's axes; those of turning by the work of the rotation vector, by differences."""
    p = at.R["a"].T @ at.line
    force = -np.diag([30.0, 0.0, 50.0]) @ (p - [0.1, 0.0, 0.2]) - np.array([1.0, 2.0, 3.0]) * at.seen
    stiffness, R_AB = np.diag([2.0, 0.0, 4.0]), at.R["a"].T @ at.R["b"]

    def energy(turn: np.ndarray) -> float:
        twist = Rotation.from_matrix(R_AB @ Rotation.from_rotvec(turn).as_matrix()).as_rotvec()
        return 0.5 * twist @ stiffness @ twist

    h = 1e-4
    slope = [(energy(h * e) - energy(-h * e)) / (2 * h) for e in np.eye(3)]
    return at.R["a"] @ force, -at.R["b"] @ (slope + np.array([0.1, 0.2, 0.0]) * at.turning)


MOUNT = sp.Bushing(
    "it",
    stiffness=(30.0, 0.0, 50.0),
    damping=(1.0, 2.0, 3.0),
    turn_stiffness=(2.0, 0.0, 4.0),
    turn_damping=(0.1, 0.2, 0.0),
    rest=(0.1, 0.0, 0.2),
)
INNER: dict[str, tuple[Part, Callable[[Solution, Moment], Wrench]]] = {
    "spring": (sp.Spring("it", 30.0, rest=0.4), lambda run, at: pulled(30 * (np.linalg.norm(at.line) - 0.4), at)),
    "spring without length": (sp.Spring("it", 30.0), lambda run, at: (-30 * at.line, NOTHING)),
    "damper": (sp.Damper("it", 5.0), lambda run, at: pulled(5 * at.stretching, at)),
    "both": (
        sp.SpringDamper("it", 30.0, 5.0, 0.4),
        lambda run, at: pulled(30 * (np.linalg.norm(at.line) - 0.4) + 5 * at.stretching, at),
    ),
    "both without length": (
        sp.SpringDamper("it", 30.0, 5.0),
        lambda run, at: (-30 * at.line - 5 * at.stretching * at.unit, NOTHING),
    ),
    "without length and damping": (sp.SpringDamper("it", 30.0, 0.0), lambda run, at: (-30 * at.line, NOTHING)),
    "in series": (sp.SpringDamperSeries("it", 30.0, 5.0, 0.2), lambda run, at: pulled(30 * run["it.stretch"](T), at)),
    "along a line": (sp.LineForce("it", "4*cos(t)"), lambda run, at: pulled(4 * np.cos(T), at)),
    "bushing": (MOUNT, lambda run, at: bushing(at)),
    "force in a": (sp.Force("it", GIVEN), lambda run, at: (at.R["a"] @ GIVEN, NOTHING)),
    "force in b": (sp.Force("it", GIVEN, "frame_b"), lambda run, at: (at.R["b"] @ GIVEN, NOTHING)),
    "force in the world": (sp.Force("it", GIVEN, "world"), lambda run, at: (GIVEN, NOTHING)),
    "torque in a": (sp.Torque("it", GIVEN), lambda run, at: (NOTHING, at.R["a"] @ GIVEN)),
    "torque in b": (sp.Torque("it", GIVEN, "frame_b"), lambda run, at: (NOTHING, at.R["b"] @ GIVEN)),
    "torque in the world": (sp.Torque("it", GIVEN, "world"), lambda run, at: (NOTHING, GIVEN)),
    "attraction": (
        sp.Attraction("it", 2.0, 3.0, constant=0.5),
        lambda run, at: pulled(3.0 / (at.line @ at.line), at),
    ),
    "pool": (sp.GravityPool("it", (2.0, 3.0), 0.5), lambda run, at: pulled(3.0 / (at.line @ at.line), at)),
}
OUTER: dict[str, tuple[Part, Callable[[Moment], Wrench]]] = {
    "force in the world": (sp.WorldForce("it", GIVEN), lambda at: (GIVEN, NOTHING)),
    "force in the frame": (sp.WorldForce("it", GIVEN, "frame"), lambda at: (at.R["b"] @ GIVEN, NOTHING)),
    "torque in the world": (sp.WorldTorque("it", GIVEN), lambda at: (NOTHING, GIVEN)),
    "torque in the frame": (sp.WorldTorque("it", GIVEN, "frame"), lambda at: (NOTHING, at.R["b"] @ GIVEN)),
}


@pytest.mark.parametrize("name", INNER)
def test_a_force_between_two_bodies(name: str) -> None:
    """On b as said; on a the same backwards, at the same point; and the energy balances."""
    part, wanted = INNER[name]
    run = mb.simulate(floating(part), 2 * T, rtol=1e-11).check()
    at = moment(run, T)
    force, torque = wanted(run, at)
    print(f"force {force}, torque {torque}, residual {run.energy().residual:.1e}")
    np.testing.assert_allclose(at.force("b"), force, atol=1e-7)
    np.testing.assert_allclose(at.force("a"), -force, atol=1e-7)
    np.testing.assert_allclose(at.torque("b"), torque, atol=1e-7)
    np.testing.assert_allclose(at.torque("a"), -torque - np.cross(at.line, force), atol=1e-7)
    assert run.energy().residual < 1e-9


@pytest.mark.parametrize("name", OUTER)
def test_a_force_from_outside(name: str) -> None:
    part, wanted = OUTER[name]
    run = mb.simulate(floating(part), 2 * T, rtol=1e-11).check()
    at = moment(run, T)
    force, torque = wanted(at)
    np.testing.assert_allclose(at.force("b"), force, atol=1e-7)
    np.testing.assert_allclose(at.torque("b"), torque, atol=1e-7)
    np.testing.assert_allclose([at.force("a"), at.torque("a")], np.zeros((2, 3)), atol=1e-7)
    assert run.energy().residual < 1e-9


@pytest.mark.parametrize("kind", [sp.WorldForce, sp.WorldTorque, sp.Force, sp.Torque])
def test_a_value_may_be_a_formula_or_a_signal(kind: type[Part]) -> None:
    told = floating(kind("it", ("sin(t)", "2*t", 3)))  # type: ignore[call-arg]
    led = floating(kind("it"))  # type: ignore[call-arg]
    block = led.add(mb.blocks.Function("given", ("sin(t)", "2*t", 3)))
    led.signal(block.y, "it.input")
    runs = [mb.simulate(model, 0.4) for model in (told, led)]
    np.testing.assert_allclose(runs[0]["it.applied"](T), [np.sin(T), 2 * T, 3.0], atol=1e-12)
    for name in ("a.position", "b.position", "b.angular_velocity"):
        np.testing.assert_allclose(runs[0][name](0.4), runs[1][name](0.4), atol=1e-9)


def test_a_line_force_may_be_a_signal() -> None:
    model = floating(sp.LineForce("it"))
    model.signal(model.add(mb.blocks.Constant("given", 4.0)).y, "it.input")
    run = mb.simulate(model, 0.4, rtol=1e-11)
    at = moment(run, T)
    np.testing.assert_allclose(at.force("b"), -4.0 * at.unit, atol=1e-7)


def test_flows_inside_count_along_their_half_arrows() -> None:
    """What each transformer of the inner graphs hands on."""
    parts = (sp.Force("it", GIVEN, "frame_b"), sp.LineForce("it", 4.0, 0.6, 0.3))
    between, line = (mb.simulate(floating(part), 2 * T) for part in parts)
    at, on = moment(between, T), moment(line, T)
    R, R_BA = at.R["a"], at.R["b"].T @ at.R["a"]
    expected = {
        "to_frame.b.f": R.T @ (at.v["b"] - at.v["a"]),
        "lever.b.f": np.cross(at.w["a"], R.T @ at.line),
        "lever.a.f": at.w["a"],
        "turn.a.f": R_BA @ at.w["a"],
        "turn.b.f": at.w["a"],
        "turned.a.f": R_BA @ at.seen,
        "turned.b.f": at.seen,
    }
    for name, value in expected.items():
        np.testing.assert_allclose(between[f"it.{name}"](T), value, atol=1e-9, err_msg=name)
    expected = {"project.b.f": on.stretching, "share_a.b.f": 0.7 * on.v["a"], "share_b.b.f": 0.3 * on.v["b"]}
    for name, value in expected.items():
        np.testing.assert_allclose(line[f"it.{name}"](T), value, atol=1e-9, err_msg=name)


REPORTS: dict[str, tuple[Part, Callable[[Moment], dict[str, object]]]] = {
    "damper": (sp.Damper("it", 5.0), lambda at: {"force": 5 * at.stretching}),
    "spring without length": (sp.Spring("it", 30.0), lambda at: {"spring.f": at.v["b"] - at.v["a"]}),
    "both": (
        sp.SpringDamper("it", 30.0, 5.0, 0.4),
        lambda at: {"spring_force": 30 * (np.linalg.norm(at.line) - 0.4), "damper_force": 5 * at.stretching},
    ),
    "with mass": (
        sp.SpringWithMass("it", 30.0, 0.6, 5.0, 0.4),
        lambda at: {"spring_force": 30 * (np.linalg.norm(at.line) - 0.4), "damper_force": 5 * at.stretching},
    ),
    "along a line": (sp.LineForce("it", 4.0), lambda at: {"force": 4.0, "tension.f": at.stretching}),
    "bushing": (
        MOUNT,
        lambda at: {
            "displacement": at.R["a"].T @ at.line,
            "twist": Rotation.from_matrix(at.R["a"].T @ at.R["b"]).as_rotvec(),
            "spring_force": [30, 0, 50] * (at.R["a"].T @ at.line - [0.1, 0.0, 0.2]),
            "spring_torque": [2, 0, 4] * Rotation.from_matrix(at.R["a"].T @ at.R["b"]).as_rotvec(),
            "damper.e": [1, 2, 3] * at.seen,
            "turn_damper.e": [0.1, 0.2, 0.0] * at.turning,
        },
    ),
    "in series": (sp.SpringDamperSeries("it", 30.0, 5.0, 0.2), lambda at: {}),
    "force": (sp.Force("it", GIVEN), lambda at: {"applied": GIVEN, "force.f": at.seen}),
    "torque": (sp.Torque("it", GIVEN, "frame_b"), lambda at: {"applied": GIVEN, "torque.f": at.turning}),
    "attraction": (
        sp.Attraction("it", 2.0, 3.0, 0.5),
        lambda at: {"pull": -3.0 * at.unit / (at.line @ at.line), "pull.f": at.v["b"] - at.v["a"]},
    ),
}


@pytest.mark.parametrize("name", REPORTS)
def test_what_forces_report(name: str) -> None:
    part, wanted = REPORTS[name]
    run = mb.simulate(floating(part), 2 * T, rtol=1e-10)
    for what, value in wanted(moment(run, T)).items():
        np.testing.assert_allclose(run[f"it.{what}"](T), value, atol=1e-8, err_msg=what)
    if name == "in series":
        assert run["it.stretch"](0.0) == pytest.approx(0.2) and run["it.force"](0.0) == pytest.approx(6.0)
        assert run["it.damper.f"](T) == pytest.approx(run["it.force"](T) / 5.0)
        assert run["it.spring.f"](T) == pytest.approx(moment(run, T).stretching - run["it.damper.f"](T))
    if name == "bushing":
        np.testing.assert_allclose(run["it.turn_spring.f"](T), rate(run, "it.twist", T), atol=1e-7)


# -- masses on lines ---------------------------------------------------------------------------------------------------


def on_the_way(at: Moment, mass: float, fraction: float) -> tuple[np.ndarray, np.ndarray]:
    """What a mass on the line does to the ends a and b."""
    rest = mass * (GRAVITY - (1 - fraction) * at.acceleration["a"] - fraction * at.acceleration["b"])
    return (1 - fraction) * rest, fraction * rest


MASSES: dict[str, tuple[Part, tuple[float, float, float]]] = {
    "spring": (sp.SpringWithMass("it", 30.0, 0.6, damping=5.0, rest=0.4, fraction=0.3), (30.0, 5.0, 0.4)),
    "without length": (sp.SpringWithMass("it", 30.0, 0.6, damping=5.0, fraction=0.3), (30.0, 5.0, 0.0)),
    "without damping": (sp.SpringWithMass("it", 30.0, 0.6, fraction=0.3), (30.0, 0.0, 0.0)),
    "force": (sp.LineForce("it", 4.0, 0.6, 0.3), (0.0, 0.0, 0.0)),
}
"""Parts with a mass on their line; their stiffness, damping and rest."""


@pytest.mark.parametrize("name", MASSES)
def test_a_mass_on_the_line(name: str) -> None:
    part, (stiffness, damping, rest) = MASSES[name]
    run = mb.simulate(floating(part), 2 * T, rtol=1e-11).check()
    at = moment(run, T)
    pulls = stiffness * (np.linalg.norm(at.line) - rest), damping * at.stretching
    tension = 4.0 if name == "force" else sum(pulls)
    near, far = on_the_way(at, 0.6, 0.3)
    np.testing.assert_allclose(at.force("a"), tension * at.unit + near, atol=1e-7)
    np.testing.assert_allclose(at.force("b"), -tension * at.unit + far, atol=1e-7)
    if name != "force":
        np.testing.assert_allclose([run["it.spring_force"](T), run["it.damper_force"](T)], pulls, atol=1e-9)
        np.testing.assert_allclose(run["it.position"](T), at.p["a"] + 0.3 * at.line, atol=1e-12)
        np.testing.assert_allclose(run["it.velocity"](T), 0.7 * at.v["a"] + 0.3 * at.v["b"], atol=1e-12)
    assert run.energy().residual < 1e-9


@pytest.mark.parametrize("mass", [0.0, 0.9])
@pytest.mark.parametrize("method", ["auto", "multiplier"])
def test_a_rod_between_balls(mass: float, method: str) -> None:
    """A thin rod shares its inertia as 1/3, 1/6, 1/3 between its ends, and its weight by halves."""
    model = floating(sp.SphericalSpherical("it", DISTANCE, mass), together=True)
    run = mb.simulate(model, 2 * T, rtol=1e-11, method=method).check()
    at, tension = moment(run, T), run["it.force"](T)
    assert np.linalg.norm(at.line) == pytest.approx(DISTANCE, abs=1e-9)
    assert abs(at.stretching) < 1e-9
    if mass:
        np.testing.assert_allclose(run["it.mass.f"](T), [*at.v["a"], *at.v["b"]], atol=1e-9)
    for side, other, sign in (("a", "b", 1), ("b", "a", -1)):
        inertial = mass / 6 * (2 * at.acceleration[side] + at.acceleration[other])
        force = sign * tension * at.unit - inertial + 0.5 * mass * GRAVITY
        np.testing.assert_allclose(at.force(side), force, atol=1e-7)
        np.testing.assert_allclose(at.torque(side), NOTHING, atol=1e-7)
    assert run.energy().residual < 1e-9


def test_a_soft_rod_follows_the_stiff_one() -> None:
    model = floating(sp.SphericalSpherical("it", DISTANCE, method="rc"), together=True)
    soft = mb.simulate(model, T).check()
    stiff = mb.simulate(floating(sp.SphericalSpherical("it", DISTANCE), together=True), T)
    np.testing.assert_allclose(soft["b.position"](T), stiff["b.position"](T), atol=1e-5)


def test_a_spring_reports_its_length_and_force() -> None:
    for part in (sp.Spring("it", 30.0), sp.Spring("it", 30.0, rest=0.4)):
        run = mb.simulate(floating(part), T)
        length = np.linalg.norm(moment(run, T / 2).line)
        assert run["it.length"](T / 2) == pytest.approx(length, rel=1e-12)
        assert run["it.force"](T / 2) == pytest.approx(30 * (length - float(part.rest)), rel=1e-12)


@pytest.mark.parametrize(
    "part",
    [
        sp.Spring("spring", 8.0),
        sp.SpringDamper("spring", 8.0, 0.0),
        sp.SpringWithMass("spring", 8.0, 1.0, fraction=0.5),
        sp.SpringWithMass("spring", 8.0, 2.0, fraction=0.0),
    ],
    ids=["spring", "without damping", "with a mass half-way", "with a mass at the wall"],
)
def test_a_spring_without_length_lets_its_ends_meet(part: Part) -> None:
    """A mass that starts at the wall: x = sin(w t) / w, again and again through the wall; also stiffly, and at rest."""
    carried = float(getattr(part, "mass", 0.0)) * float(getattr(part, "fraction", 0.0)) ** 2
    w = np.sqrt(8.0 / (2.0 + carried))
    model = mb.Model("meet")
    world, space = model.add(sp.World(gravity=NOTHING)), model.add(sp.FreeTranslation("it", NOTHING, (1.0, 0, 0)))
    body, spring = model.add(sp.PointMass("body", 2.0)), model.add(part)
    model.connect(world.frame, space.frame_a, spring.frame_a)  # type: ignore[attr-defined]
    model.connect(space.frame_b, body.frame, spring.frame_b)  # type: ignore[attr-defined]
    times = np.linspace(0, 4, 17)
    for solver in ("dop853", "rodas5p"):
        run = mb.simulate(model, 4.0, rtol=1e-10, solver=solver)
        np.testing.assert_allclose(run["body.position[0]"](times), np.sin(w * times) / w, atol=1e-8)
        assert run.energy().residual < 1e-8
    model.set("it.velocity", (0.0, 0.0, 0.0))
    np.testing.assert_array_equal(mb.simulate(model, 1.0)["body.position"](1.0), NOTHING)
