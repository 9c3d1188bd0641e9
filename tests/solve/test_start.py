"""Start values of every kind: free, guessed, fixed position, speed, acceleration, steady; what was moved is told."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import multibond as mb
from multibond import planar as pl
from multibond import spatial as sp
from multibond.equations.consistent import manifold
from multibond.errors import ParameterError, StartError
from multibond.examples import four_bar, motor_pendulum, slider_crank
from multibond.graph.start import FIXED, FREE, GUESSED, StartVector
from multibond.own import Inside, Part, component, parameter
from multibond.solve import initial
from multibond.solve.given import attitude
from multibond.solve.relax import relax

MASS, MOMENT, LENGTH, G = 2.0, 0.1, 0.5, 9.81
ABOUT = MOMENT + MASS * LENGTH**2


def pendulum(**hip: object) -> mb.Model:
    model = mb.Model("pendulum")
    world, joint = model.add(sp.World()), model.add(sp.Revolute("hip", **hip))
    body = model.add(sp.Body("foot", mass=MASS, inertia=(MOMENT,) * 3, centre=(0, -LENGTH, 0)))
    model.connect(world.frame, joint.frame_a)
    model.connect(joint.frame_b, body.frame)
    return model


@component
class Flowing(Part):
    """Two masses that are told their flow, on a loss; hard: the first has p + p³ for its flow, the second 2 p."""

    hard: float = parameter(structural=True)
    flow: Any = parameter(unit="flow", shape=None, start=True)

    def build(self, inside: Inside) -> None:
        law: dict[str, Any] = {"flow": "[p[0] + p[0]**3, 2*p[1]]"} if self.hard else {"inertia": (2.0, 3.0)}
        v, mass = inside.add(mb.One("v", size=2)), inside.add(mb.I("mass", size=2, **law))
        inside.bond(v, mass)
        inside.bond(v, inside.add(mb.R("loss", 0.5, size=2)))
        inside.start(mass, flow=self.flow)


def test_an_acceleration_decides_the_angle() -> None:
    system = mb.compile(pendulum(acceleration=-3.0, speed=0.7, angle=mb.Guess(0.2)))
    angle = math.asin(3.0 * ABOUT / (MASS * G * LENGTH))
    np.testing.assert_allclose(system.x0, [angle, 0.7], atol=1e-12)
    assert "hip.angle set to 0.184532" in system.report


def test_the_branch_nearest_the_guess() -> None:
    """The same acceleration is had on the other side of the circle too."""
    system = mb.compile(pendulum(acceleration=-3.0, angle=mb.Guess(3.0), speed=0.0))
    np.testing.assert_allclose(system.x0[0], math.pi - math.asin(3.0 * ABOUT / (MASS * G * LENGTH)), atol=1e-12)


def test_an_acceleration_decides_the_speed() -> None:
    system = mb.compile(pendulum(acceleration=-3.0, angle=0.1, damping=0.5))
    speed = (3.0 * ABOUT - MASS * G * LENGTH * math.sin(0.1)) / 0.5
    np.testing.assert_allclose(system.x0, [0.1, speed], atol=1e-11)
    assert system.x0[0] == 0.1


def test_an_acceleration_decides_the_current() -> None:
    """What drives the joint is found where position and speed are given."""
    model = motor_pendulum()
    model.set("hinge.angle", 0.3)
    model.set("hinge.acceleration", 2.0)
    system = mb.compile(model)
    torque = 0.014 * 2.0 + 0.3 * G * 0.2 * math.sin(0.3)
    np.testing.assert_allclose(system.x0[2] / 5e-3, torque / 0.1, rtol=1e-12)
    assert system.x0[0] == 0.3 and system.x0[1] == 0.0
    np.testing.assert_allclose(system.accelerations()["hinge"], 2.0, rtol=1e-12)


def test_steady_under_a_torque() -> None:
    system = mb.compile(pendulum(steady=True, torque=4.0))
    np.testing.assert_allclose(system.x0, [math.asin(4.0 / (MASS * G * LENGTH)), 0.0], atol=1e-12)


def test_what_an_acceleration_leaves_open() -> None:
    """Nothing where the speed is given too; else any angle will do, with its speed."""
    assert mb.assemble(pendulum(steady=True, torque=4.0)).undecided == 0
    assert mb.assemble(pendulum(acceleration=-3.0, damping=0.5)).undecided == 1
    assert mb.assemble(pendulum(speed=1.0)).undecided == 1


def test_steady_beside_a_cart_that_is_pushed() -> None:
    """The load of an accelerated crab hangs aslant: tan(angle) = -a/g, where the force moves all masses."""
    model, push = mb.Model("crab"), 7.0
    world, rail = model.add(sp.World()), model.add(sp.Prismatic("rail", position=0.0, speed=1.0, force=push))
    cart, hinge = model.add(sp.Body("cart", mass=3.0)), model.add(sp.Revolute("hinge", steady=True))
    load = model.add(sp.Body("load", mass=1.5, centre=(0, -0.8, 0)))
    model.connect(world.frame, rail.frame_a)
    model.connect(rail.frame_b, cart.frame, hinge.frame_a)
    model.connect(hinge.frame_b, load.frame)
    system = mb.compile(model)
    a = push / 4.5
    state = dict(zip(system.state_names, system.x0, strict=True))
    np.testing.assert_allclose(state["hinge.motion.q"], math.atan(-a / G), atol=1e-12)
    np.testing.assert_allclose(system.accelerations()["rail"], a, rtol=1e-12)
    assert state["rail.motion.u"] == 1.0


@pytest.mark.parametrize(("joint", "wish"), [("O", -40.0), ("B", 20.0), ("C", 20.0), ("D", 20.0)])
def test_acceleration_of_any_joint_of_a_loop(joint: str, wish: float) -> None:
    """At a fixed crank angle the speed is found, also from the acceleration of the joint at which the loop is cut."""
    model = four_bar()
    model.set("O.speed", mb.Guess(3.0))
    model.set(f"{joint}.acceleration", wish)
    system = mb.compile(model)
    np.testing.assert_allclose(system.accelerations()[joint], wish, atol=1e-8)
    state = dict(zip(system.state_names, system.x0, strict=True))
    assert state["O.motion.q"] == math.radians(60.0)
    assert np.abs(np.asarray(system.reduced.shape.flow_conditions(0.0, system.x0, system.parameters)[0])).max() < 1e-12


def test_a_steady_loop() -> None:
    """Where a torque at the crank holds the bars: nothing moves, and the weights ask for just this torque."""
    model = four_bar(speed=0.0)
    model.set("O.angle", mb.Guess(1.0))
    model.set("O.speed", None)
    model.set("O.torque", 2.0)
    model.set("O.steady", True)
    system = mb.compile(model)
    np.testing.assert_allclose(system.derivative(system.x0), 0.0, atol=1e-9)
    np.testing.assert_allclose(system.inverse_dynamics(None, {"O": 0.0})["O"], 2.0, atol=1e-9)


def test_a_ball_joint_with_a_guessed_attitude() -> None:
    """Steady with a guess: it hangs, whatever the guess, and the quaternion keeps its length."""
    model = mb.Model("ball")
    world = model.add(sp.World())
    turned = mb.Guess((0.9, 0.3, 0.1, 0.3))
    ball = model.add(sp.Spherical("ball", quaternion=turned, steady=True))
    body = model.add(sp.Body("bob", mass=1.0, inertia=(0.1, 0.05, 0.1), centre=(0, -0.4, 0)))
    model.connect(world.frame, ball.frame_a)
    model.connect(ball.frame_b, body.frame)
    system = mb.compile(model)
    np.testing.assert_allclose(system.derivative(system.x0), 0.0, atol=1e-10)
    w, x, y, z = system.x0[:4]
    np.testing.assert_allclose([w * w + x * x + y * y + z * z, x, z], [1.0, 0.0, 0.0], atol=1e-12)


@pytest.mark.parametrize(
    ("joint", "place"),
    [
        (sp.Cylindrical("j", driven=(None, "0.3+0.1*t"), angle=0.2), (0.2, 0.3)),
        (pl.Free("j", driven=(None, "0.3+0.1*t", None), position=(None, 0.4), angle=0.2), (0.2, 0.3, 0.4)),
    ],
    ids=["space", "plane"],
)
def test_a_freedom_that_is_led_begins_on_its_path_and_others_where_they_are_given(joint: Any, place: Any) -> None:
    library = sp if isinstance(joint, sp.Cylindrical) else pl
    inertia = 0.1 if library is pl else (0.1, 0.1, 0.1)
    model = mb.Model("led")
    for part in (library.World(), library.Revolute("hip", angle=0.6, speed=0.7), joint):
        model.add(part)
    for name in ("thigh", "shank"):
        model.add(library.Body(name, 1.0, inertia))
    model.connect("world.frame", "hip.frame_a")
    model.connect("hip.frame_b", "thigh.frame", "j.frame_a")
    model.connect("j.frame_b", "shank.frame")
    system = mb.compile(model)
    found = dict(zip(system.state_names, system.x0, strict=True))
    assert (found["hip.motion.q"], found["hip.motion.u"]) == (0.6, 0.7)
    places = [value for name, value in found.items() if name.startswith("j.motion.q")]
    np.testing.assert_allclose(places, place, atol=1e-12)


@pytest.mark.parametrize("inwards", [True, False])
@pytest.mark.parametrize("depth", [2, 3])
def test_a_field_that_follows_another_holds_what_it_is_said_to_hold(depth: int, inwards: bool) -> None:
    """Both fields ∂H/∂p = p (1 + q²) have one flow: with p = 0.4 at q = 0.5 the other has 0.5 / 1.09 at q = 0.3."""
    starts = {"first": (0.3, mb.Guess(0.1)), "second": (0.5, 0.4)}
    model = fields("One", "i", "c", "0.5*p^2*(1+q^2)+0.5*q^2", starts, inwards)
    run = mb.simulate(mb.compile(model, depth=depth), 0.1)
    found = [float(run[f"{name}.{what}"](0.0)) for name in ("first", "second") for what in "qp"]
    np.testing.assert_allclose(found, (0.3, 0.5 / 1.09, 0.5, 0.4), atol=1e-12)


@pytest.mark.parametrize("inwards", [True, False])
def test_a_displaced_field_that_follows_another_holds_what_it_is_said_to_hold(inwards: bool) -> None:
    """The same for ∂H/∂q = q (1 + p²), one effort."""
    starts = {"first": (mb.Guess(0.1), 0.3), "second": (0.4, 0.5)}
    run = mb.simulate(fields("Zero", "c", "i", "0.5*q^2*(1+p^2)+0.5*p^2", starts, inwards), 0.1)
    found = [float(run[f"{name}.{what}"](0.0)) for name in ("first", "second") for what in "qp"]
    np.testing.assert_allclose(found, (0.5 / 1.09, 0.3, 0.4, 0.5), atol=1e-12)


def fields(junction: str, joined: str, free: str, energy: str, starts: dict[str, Any], inwards: bool) -> mb.Model:
    """Two fields of one effort or flow, each with a loss at its other port; their half-arrows point in or out."""
    model = mb.Model("fields")
    node = model.add(getattr(mb, junction)("node"))
    for name, start in starts.items():
        model.add(mb.IC(name, energy=energy, start=start))
        side = model.add(mb.One(f"{name}_side"))
        model.bond(*((node, f"{name}.{joined}") if inwards else (f"{name}.{joined}", node)))
        model.bond(side, f"{name}.{free}")
        model.bond(side, mb.R(f"{name}_loss", 1.0))
    return model


@pytest.mark.parametrize(
    ("hard", "flow", "momentum"), [(0.0, (1.5, -1.0), (3.0, -3.0)), (1.0, (2.0, -3.0), (1.0, -1.5))]
)
def test_a_vector_of_masses_begins_with_its_flow(hard: float, flow: Any, momentum: Any) -> None:
    """p = I f component by component; p + p³ = 2 at p = 1."""
    model = mb.Model("masses")
    model.add(Flowing("part", hard, flow))
    np.testing.assert_allclose(mb.simulate(model, 0.1)["part.mass.p"](0.0), momentum, atol=1e-12)


def test_a_dependent_mass_with_a_law_holds_what_the_other_has() -> None:
    """p + p³ = 2 at p = 1 is the flow of 2 kg that hold 4 kg.m/s, whichever depends on the other."""
    for first, second in (("heavy", "z_hard"), ("z_heavy", "hard")):
        model = mb.Model("two")
        v = model.add(mb.One("v"))
        model.bond(v, mb.I(first, 2.0, start=mb.Guess(1.0)))
        model.bond(v, mb.I(second, flow="p + p**3", start=1.0))
        run = mb.simulate(model, 0.1)
        assert (float(run[f"{first}.p"](0.0)), float(run[f"{second}.p"](0.0))) == pytest.approx((4.0, 1.0), abs=1e-12)


def test_springs_close_what_newton_does_not(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where no position is found, the place to which springs pull counts if it is better."""
    lost = initial.assembled

    def nothing(at: Any, free: Any) -> Any:
        return replace(lost(at, free), z=at.joined(at.given.x, at.p), error=1.0)

    expected = mb.compile(four_bar()).x0
    monkeypatch.setattr(initial, "assembled", nothing)
    np.testing.assert_allclose(mb.compile(four_bar()).x0, expected, atol=1e-8)


@pytest.mark.parametrize("given", [(FREE, FIXED, FREE, FREE), (FIXED, GUESSED, FREE, FIXED), (GUESSED,) * 4])
def test_an_attitude_given_in_part_has_length_one(given: tuple[int, ...]) -> None:
    started = attitude(sp.Spherical("ball").motion(), StartVector((0.1, 0.6, 0.2, 0.3), given))
    assert np.square(started.values).sum() == pytest.approx(1.0, abs=1e-15)
    fixed = np.array(given) == FIXED
    np.testing.assert_array_equal(started.values[fixed], np.array((0.1, 0.6, 0.2, 0.3))[fixed])


@pytest.mark.parametrize("given", [{"start": 1.4}, {"start": mb.Guess(1.4)}])
def test_one_start_value_stands_for_every_component_of_a_storage(given: dict[str, float]) -> None:
    model = mb.Model("masses", size=3)
    node, mass = model.add(mb.One("node")), model.add(mb.I("mass", 2.0, **given))
    model.bond(node, mass)
    np.testing.assert_allclose(mb.compile(model).x0, 1.4, atol=1e-12)


def test_an_acceleration_beside_a_path_counts_what_the_path_adds() -> None:
    """A sledge of 2 kg is pulled by 0.2 m of spring to a cart that is led: seen from the world, -5 m/s² is 50 N/m."""
    model = mb.Model("pulled")
    world = model.add(pl.World())
    led = model.add(pl.Prismatic("led", "x", driven="0.3*t^2"))
    free = model.add(pl.Prismatic("free", "x", position=0.2, speed=0.0))
    seen = model.add(pl.Prismatic("seen", "x", acceleration=-5.0))
    spring = model.add(pl.Spring("spring", mb.Guess(10.0)))
    cart, sledge = model.add(pl.Body("cart", 1.0, 0.1)), model.add(pl.Body("sledge", 2.0, 0.1))
    model.connect(world.frame, led.frame_a, seen.frame_a)
    model.connect(led.frame_b, cart.frame, free.frame_a, spring.frame_a)
    model.connect(free.frame_b, sledge.frame, spring.frame_b, seen.frame_b)
    system = mb.compile(model, cuts=["seen"])
    assert "spring.stiffness set to 50" in system.report
    t = np.array([0.0, 1e-3])
    speed = mb.simulate(system, 0.01)["seen.speed"](t)
    assert (speed[1] - speed[0]) / 1e-3 == pytest.approx(-5.0, abs=1e-3)


def test_accelerations_of_a_free_body() -> None:
    """A spring between world and body: its stretch is found from the acceleration, speeds as given."""
    model = mb.Model("free")
    world = model.add(sp.World(gravity=(0, 0, 0)))
    free = model.add(
        sp.Free("free", position=mb.Guess((0.7, 0.1, 0.0)), velocity=(0.0, 2.0, 0.0), acceleration=(-5.0, 0.0, 0.0))
    )
    body, spring = model.add(sp.Body("body", mass=2.0, inertia=(1, 1, 1))), model.add(sp.Spring("spring", 40.0, 0.5))
    model.connect(world.frame, free.frame_a, spring.frame_a)
    model.connect(free.frame_b, body.frame, spring.frame_b)
    run = mb.simulate(model, 0.1)
    np.testing.assert_allclose(run["body.position"](0.0), [0.5 + 5.0 * 2.0 / 40.0, 0.0, 0.0], atol=1e-10)
    np.testing.assert_allclose(run["body.velocity"](0.0), [0.0, 2.0, 0.0], atol=1e-12)


def test_other_depths_start_alike() -> None:
    model = pendulum(acceleration=-3.0, speed=0.0, angle=mb.Guess(0.2))
    expected = mb.compile(model).x0
    for depth in (2, 3):
        np.testing.assert_allclose(mb.compile(model.open(depth=depth)).x0, expected, atol=1e-12)


def test_too_much_is_given() -> None:
    with pytest.raises(StartError) as error:
        mb.compile(pendulum(acceleration=-3.0, angle=0.1, speed=0.0))
    assert str(error.value).splitlines()[0] == "the acceleration at the start of 'hip' cannot be had."
    assert "With hip.angle, hip.speed, hip.acceleration as given" in str(error.value)
    assert error.value.paths == ("hip",)


def test_out_of_reach() -> None:
    """Gravity gives at most m g l / I."""
    with pytest.raises(StartError, match="'hip' cannot be had"):
        mb.compile(pendulum(acceleration=-30.0, speed=0.0))


def test_only_the_joint_that_fails_is_named() -> None:
    model = mb.Model("two")
    world = model.add(sp.World())
    for name, given in (("good", {"acceleration": -3.0, "speed": 0.0}), ("bad", {"acceleration": -3.0, "angle": 0.1})):
        joint = model.add(sp.Revolute(name, **given))
        body = model.add(sp.Body(f"{name}_body", mass=MASS, inertia=(MOMENT,) * 3, centre=(0, -LENGTH, 0)))
        model.connect(world.frame, joint.frame_a)
        model.connect(joint.frame_b, body.frame)
    with pytest.raises(StartError) as error:
        mb.compile(model)
    assert error.value.paths == ("bad",)


def test_steady_is_no_speed() -> None:
    with pytest.raises(ParameterError, match="Revolute 'hip' cannot be steady"):
        sp.Revolute("hip", steady=True, speed=1.0)


def test_relaxation_assembles_too() -> None:
    """A slider crank 2 mm wrong: springs in the place of constraints bring it together, as Newton's method does."""
    model = slider_crank()
    model.set("O.angle", 0.4)
    model.set("guide.position", mb.Guess(1.182))
    exact, relaxed = mb.assemble(model), mb.assemble(model, method="relax")
    position = 0.2 * math.cos(0.4) + math.sqrt(1 - (0.2 * math.sin(0.4)) ** 2)
    for found in (exact, relaxed):
        np.testing.assert_allclose(found["guide.position"], position, atol=1e-12)
        assert found["O.angle"] == 0.4 and found.mobility == 1 and found.undecided == 0


def test_relaxation_goes_downhill() -> None:
    """From anywhere the gaps end no larger than they were, with the crank held."""
    system = mb.compile(four_bar())
    shape, p = manifold(system.dae, system.reduced.whole), system.parameters
    fixed = np.zeros(system.n, bool)
    fixed[0] = True
    rng, closed = np.random.default_rng(4), 0
    for _ in range(20):
        x = system.x0 + rng.normal(size=system.n) * 2.0
        before = np.linalg.norm(np.asarray(shape.position_conditions(0.0, x, p)[0]))
        after, error = relax(shape, x, p, fixed)
        value = np.asarray(shape.position_conditions(0.0, after, p)[0])
        assert np.linalg.norm(value) <= before and after[0] == x[0]
        assert error == np.abs(value).max()
        closed += error < 1e-10
    assert closed >= 15


def test_a_loop_that_cannot_close_is_named() -> None:
    model = four_bar(coupler=0.05)
    for method in ("auto", "relax"):
        with pytest.raises(StartError, match="joint 'C' does not close"):
            mb.assemble(model, method=method)


# -- what is left open -------------------------------------------------------------------------------------------------


def told_gap(model: mb.Model, **wishes: int) -> str:
    """The gap of a machine that cannot be assembled, as it is told."""
    with pytest.raises(StartError) as caught:
        mb.compile(model, **wishes)
    return str(caught.value).split("a gap of ")[1].split(";")[0]


def short_crank(joints: str, angle: float) -> mb.Model:
    """A slider-crank whose rod of 0.1 m does not reach the guide from a crank of 0.3 m."""
    model = slider_crank(joints=joints, crank=0.3, rod=0.1)
    model.set("O.angle", angle)
    return model


@pytest.mark.parametrize("joints", ["hyperstatic", "isostatic"])
@pytest.mark.parametrize("angle", [math.pi / 6, 1.0, math.pi / 2, -2.0])
def test_the_gap_of_a_short_rod_is_its_distance_from_the_guide(joints: str, angle: float) -> None:
    assert told_gap(short_crank(joints, angle)) == f"{0.3 * abs(math.sin(angle)) - 0.1:.3g} m"


def test_the_gap_is_the_same_in_scalar_bonds() -> None:
    assert told_gap(short_crank("hyperstatic", math.pi / 6), depth=3) == "0.05 m"


def test_given_angles_stay_while_the_gap_is_told() -> None:
    tree, cut = short_crank("hyperstatic", math.pi / 6), short_crank("hyperstatic", math.pi / 6)
    tree.set("B.angle", 0.4)
    assert told_gap(tree) == f"{0.15 + 0.1 * math.sin(math.pi / 6 + 0.4):.3g} m"
    cut.set("C.angle", 0.5)
    assert told_gap(cut) == f"{0.15 - 0.1 * math.sin(0.5):.3g} m"


@pytest.mark.parametrize("tilt", [0.1, 0.5])
def test_bearings_that_only_are_askew_leave_an_angle(tilt: float) -> None:
    model = mb.Model("shaft")
    world, wall = model.add(sp.World()), model.add(sp.Fixed("wall", (1, 0, 0), angles=tilt))
    one, two = (model.add(sp.Revolute(name, axis="x")) for name in ("one", "two"))
    shaft = model.add(sp.Body("shaft", 1.0, (1, 1, 1), points=((1, 0, 0),)))
    model.connect(world.frame, one.frame_a)
    model.connect(one.frame_b, shaft.frame)
    model.connect(shaft.frame_1, two.frame_b)
    model.connect(wall.frame, two.frame_a)
    assert told_gap(model) == f"{tilt:.3g} rad"
