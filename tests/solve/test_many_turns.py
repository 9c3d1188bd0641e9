"""Machines that turn a hundred thousand times, and laws that read the total angle: against closed forms."""

from __future__ import annotations

import copy
import math
import pickle

import casadi as ca
import numpy as np
import pytest
from tests.solve.test_full_turns import four_bar, pendulum, rotor, ulps, within

import multibond as mb
from multibond import blocks
from multibond import planar as pl
from multibond import rotational as ro
from multibond import spatial as sp
from multibond.examples.slider_crank import slider_crank
from multibond.rotation import TURN, without_turns

ENGINE = 100.0 * math.pi
"""3,000 rpm  [rad/s]."""


def hanging(angle: object = None, speed: object = None, **more: object) -> mb.Model:
    """A wheel on a hinge without weight, in the plane."""
    model = mb.Model("wheel")
    world = model.add(pl.World(gravity=(0.0, 0.0)))
    hip, arm = model.add(pl.Revolute("hip", angle=angle, speed=speed, **more)), model.add(pl.Rod("arm", (0.3, 0.0)))  # type: ignore[arg-type]
    foot = model.add(pl.Body("foot", 1.0, 0.41))
    model.connect(world.frame, hip.frame_a)
    model.connect(hip.frame_b, arm.frame_a)
    model.connect(arm.frame_b, foot.frame)
    return model


INERTIA = 0.5
"""Of that wheel about the hinge: 0.41 + 1 · 0.3²  [kg.m²]."""


def gaps(run: mb.Run, times: np.ndarray) -> np.ndarray:
    """How far all constraints are from closing, at times of a run of one piece; one row a time."""
    (piece,) = run.pieces
    system, whole = piece.system, piece.system.reduced.whole
    gap = ca.Function("gap", [whole.t, whole.x, whole.p], [ca.densify(ca.vertcat(whole.gap, whole.imposed_gap))])
    return np.array(
        [
            np.asarray(gap(t, x, system.parameters)).ravel()
            for t, x in zip(times, piece.trajectory.at(times), strict=True)
        ]
    )


def late(until: float) -> np.ndarray:
    """Times all over a run, many of them at its end."""
    return np.concatenate([np.linspace(0.0, until, 301), np.linspace(until - 0.04, until, 300)])


@pytest.mark.slow
@pytest.mark.parametrize(
    ("method", "turns", "close"),
    [("auto", 1e5, 1e-11), ("minimal", 1e5, 1e-11), ("multiplier", 1e4, 1e-10), ("zcp", 1e4, 1e-10)],
)
def test_a_wheel_speeds_up_for_many_turns(method: str, turns: float, close: float) -> None:
    """Angle ½ (M/J) t² under a constant torque, and the weight where that angle has it."""
    until = 100.0
    torque = 2.0 * turns * TURN * INERTIA / until**2
    run = mb.simulate(hanging(0.25, 0.0, torque=torque), until, method=method, rtol=1e-11)
    t = np.linspace(0.0, until, 101)
    angle = 0.25 + 0.5 * torque / INERTIA * t**2
    for told in ("hip.angle", "foot.angle"):
        np.testing.assert_allclose(run[told](t), angle, rtol=close, atol=1e-9)
    np.testing.assert_allclose(run["foot.position"](t)[:, 0], 0.3 * np.cos(run["hip.angle"](t)), rtol=0, atol=1e-9)


@pytest.mark.slow
@pytest.mark.parametrize("drive", [False, True], ids=["free", "driven"])
def test_a_four_bar_runs_for_ten_minutes_at_three_thousand_rpm(drive: bool) -> None:
    """2 · 10⁵ radians: the loop stays closed and the motion keeps its energy, or follows its path."""
    until = 600.0
    model = four_bar(1.0)
    if drive:
        model.set("O.speed", None)
        model.set("O.angle", None)
        model.set("O.driven", f"1 + {ENGINE!r}*t")
    else:
        model.set("O.speed", ENGINE)
    run = mb.simulate(model, until, rtol=1e-7).check()
    t = late(until)
    assert run.t[-1] == until and np.abs(run["O.angle"](until)) > 1.7e5
    assert np.abs(gaps(run, t)).max() < 1e-9
    if drive:
        np.testing.assert_allclose(run["O.angle"](t), 1.0 + ENGINE * t, rtol=0, atol=ulps(2e5))
        first = mb.simulate(model, 0.04, rtol=1e-10)
        s = np.linspace(0.0, 0.02, 50)  # two turns of the crank are 0.04 s
        np.testing.assert_allclose(run["D.angle"](599.0 + s), first["D.angle"](s), atol=1e-7)


@pytest.mark.slow
@pytest.mark.parametrize("drive", [False, True], ids=["free", "driven"])
def test_the_slider_crank_of_the_examples_runs_for_ten_minutes(drive: bool) -> None:
    until = 600.0
    model = slider_crank()
    if drive:
        for name, value in (("O.speed", None), ("O.angle", None), ("O.torque", 0.0), ("O.driven", f"{ENGINE!r}*t")):
            model.set(name, value)
    else:
        for name, value in (("O.speed", ENGINE), ("O.torque", 0.0), ("guide.damping", 0.0), ("C.damping", 0.0)):
            model.set(name, value)
    run = mb.simulate(model, until, rtol=1e-7).check()
    t = late(until)
    assert run.t[-1] == until and np.abs(gaps(run, t)).max() < 1e-9
    q = run["O.angle"](t)
    np.testing.assert_allclose(
        run["guide.position"](t), 0.2 * np.cos(q) + np.sqrt(1.0 - (0.2 * np.sin(q)) ** 2), atol=1e-9
    )
    if drive:
        np.testing.assert_allclose(q, ENGINE * t, rtol=0, atol=ulps(2e5))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("method", "speed"), [("auto", 6300.0), ("minimal", 6300.0), ("multiplier", 126.0), ("zcp", 126.0)]
)
def test_wheels_of_an_irrational_ratio_mesh_on_and_on(method: str, speed: float) -> None:
    """Free of torque angle_a = 1 + ω t and angle_b = angle_a / ratio; the teeth never slip, over 10⁵ and 2000 turns."""
    ratio, model = -math.sqrt(2.0), mb.Model("wheels")
    world = model.add(sp.World(gravity=(0.0, 0.0, 0.0)))
    gear = model.add(sp.Gear("mesh", ratio=ratio, angle=1.0, speed=speed))
    wheels = [model.add(sp.Body(name, 1.0, (0.1, 0.1, 0.2))) for name in ("first", "second")]
    model.connect(world.frame, gear.bearing)
    model.connect(gear.frame_a, wheels[0].frame)
    model.connect(gear.frame_b, wheels[1].frame)
    run = mb.simulate(model, 100.0, method=method, rtol=1e-8).check()
    t = np.linspace(0.0, 100.0, 201)
    a, b = run["mesh.angle_a"](t), run["mesh.angle_b"](t)
    assert speed < 6300.0 or abs(a[-1]) / TURN > 1e5
    np.testing.assert_allclose(a - ratio * b, 0.0, atol=1e-9)
    np.testing.assert_allclose(a, 1.0 + speed * t, rtol=1e-9)


@pytest.mark.parametrize("method", ["auto", "multiplier", "zcp", "minimal"])
@pytest.mark.parametrize("far", [40.0, 1e6])
def test_a_torsion_spring_far_from_zero(method: str, far: float) -> None:
    """Angle rest + A cos(ω t): the spring reads the total angle, whole turns and all, and so does its energy."""
    stiffness, wide = 8.0, 9.0
    run = mb.simulate(hanging(far + wide, 0.0, stiffness=stiffness, rest=far), 3.0, method=method, rtol=1e-11)
    t = np.linspace(0.0, 3.0, 61)
    swing = wide * np.cos(math.sqrt(stiffness / INERTIA) * t)
    np.testing.assert_allclose(run["hip.angle"](t), far + swing, rtol=0, atol=1e-8 + ulps(far))
    np.testing.assert_allclose(run["foot.position"](t)[:, 0], 0.3 * np.cos(far + swing), atol=1e-8 + ulps(far))
    assert run.energy().residual < 1e-9


@pytest.mark.parametrize("method", ["auto", "multiplier", "minimal"])
def test_tables_and_formulas_of_an_angle_see_it_whole(method: str) -> None:
    """A torque read from a table of the hinge's coordinate, and one from a formula of it: each is half of a spring."""
    far, wide = 500.0, 9.0
    model = hanging(far + wide, 0.0)
    law = model.add(blocks.Lookup("law", mb.Table([far - 20.0, far, far + 20.0], [80.0, 0.0, -80.0])))
    other = model.add(blocks.Function("other", f"-4*(u - {far}) + 0*sin(u)"))
    for block in (law, other):
        torque = model.add(ro.Torque(f"by_{block.name}"))
        model.signal(model["hip"].coordinate, block.u)
        model.signal(block.y, torque.input)
        model.connect(model["hip"].flange, torque.flange)
    run, t = mb.simulate(model, 3.0, method=method, rtol=1e-11), np.linspace(0.0, 3.0, 61)
    swing = wide * np.cos(math.sqrt(8.0 / INERTIA) * t)
    np.testing.assert_allclose(run["hip.angle"](t), far + swing, rtol=0, atol=1e-7)


@pytest.mark.parametrize("method", ["auto", "minimal"])
def test_a_stop_stands_at_its_total_angle(method: str) -> None:
    """At 3 rad/s to a stop 30 rad ahead after 10 s, back with half the speed: whatever turns lie between."""
    for first in (0.5, 1e6):
        model = hanging(first, 3.0, upper=first + 30.0, restitution=0.5)
        run = mb.simulate(model, 14.0, method=method, rtol=1e-11)
        assert [hit.time for hit in run.hits] == pytest.approx([10.0], abs=1e-8)
        assert run["hip.speed"](12.0) == pytest.approx(-1.5, rel=1e-9)
        assert run["hip.angle"](12.0) - first == pytest.approx(27.0, abs=1e-8 + ulps(first))


@pytest.mark.parametrize("method", ["auto", "multiplier", "zcp", "minimal"])
@pytest.mark.parametrize("first", [0.5, 1e6])
def test_crossings_of_total_angles_are_found(method: str, first: float) -> None:
    """A level ten turns ahead is crossed once, not at every turn; the state told there is total."""
    events = {"hip.angle": (first + 63.0, 0), "hip.speed": (6.0, 0)}
    run = mb.simulate(hanging(first, 7.0), 10.0, method=method, events=events)
    (crossing,) = run.events
    assert crossing.name == "hip.angle" and crossing.time == pytest.approx(9.0, abs=1e-8)
    if method != "multiplier":
        assert np.abs(crossing.state - (first + 63.0)).min() < 1e-7


def test_angles_at_cuts_count_by_every_name() -> None:
    """A sleeve that turns and slides: its angle, the first of its coordinates, and the coordinates as a whole."""
    model = mb.Model("sleeve")
    world = model.add(sp.World(gravity=(0.0, 0.0, 0.0)))
    sleeve = model.add(sp.Cylindrical("sleeve", axis="x", angle=1.0, speeds=(5.0, 0.2)))
    body = model.add(sp.Body("body", 1.0, (0.1, 0.1, 0.1)))
    model.connect(world.frame, sleeve.frame_a)
    model.connect(sleeve.frame_b, body.frame)
    run, t = mb.simulate(model, 4.0, method="multiplier", events={"sleeve.angle": (15.0, 1)}), np.linspace(0.0, 4.0, 17)
    for told in (run["sleeve.angle"](t), run["sleeve.coordinates[0]"](t), run["sleeve.coordinates"](t)[:, 0]):
        np.testing.assert_allclose(told, 1.0 + 5.0 * t, atol=1e-8)
    assert run["sleeve.angle"](3.5) == pytest.approx(18.5, abs=1e-8)
    assert [crossing.time for crossing in run.events] == pytest.approx([2.8], abs=1e-8)


def test_a_run_goes_on_from_the_end_of_another() -> None:
    """A free run of 2,000 turns in one go and in four, each begun with the states that the one before ended with."""
    whole, x = mb.simulate(rotor(0.5), 40.0, rtol=1e-11), None
    system = mb.compile(rotor(0.5))
    for _ in range(4):
        started = system if x is None else mb.compile(restarted(x))
        run = mb.simulate(started, 10.0, rtol=1e-11)
        x = dict(zip(run.system.state_names, run.states(10.0)[0], strict=True))
    assert x is not None
    assert list(x.values()) == pytest.approx(whole.states(40.0)[0].tolist(), abs=2e-6)


def restarted(x: dict[str, float]) -> mb.Model:
    model = rotor(x["hip.motion.q"])
    model.set("hip.speed", x["hip.motion.u"])
    return model


def test_calls_of_a_system_take_total_angles() -> None:
    """`derivative`, `step`, a mass matrix: from any total angle, and the same a turn further on."""
    system = mb.compile(pendulum(0.4, damping=0.3))
    x = system.x0
    for turns in (1, -7, 160_000_000):
        far = x + np.array([turns * TURN, 0.0])
        near = np.array([without_turns(far[0], turns), x[1]])
        np.testing.assert_allclose(system.derivative(far), system.derivative(near), rtol=1e-12)
        np.testing.assert_allclose(system.mass_matrix(far), system.mass_matrix(near), rtol=1e-12)
        moved = [system.step(each, dt=0.5, substeps=100) for each in (far, near)]
        assert moved[0][1] == pytest.approx(moved[1][1], abs=1e-12)
        assert moved[0][0] - far[0] == pytest.approx(moved[1][0] - near[0], abs=1e-12 + ulps(far[0]))


def test_states_of_a_run_fit_its_system() -> None:
    """What a run far away tells as states gives, in the system that it is of, the rates of the run."""
    run = mb.simulate(hanging(1e6 + 9.0, 0.0, stiffness=8.0, rest=1e6), 1.0, rtol=1e-11)
    for t in (0.0, 0.3, 1.0):
        rates = run.system.derivative(run.states(t)[0])
        assert rates[1] == pytest.approx(-8.0 / INERTIA * (run["hip.angle"](t) - 1e6), rel=1e-8)


def test_runs_far_away_are_copied_and_pickled() -> None:
    run, t = mb.simulate(rotor(1e6), 5.0), np.linspace(0.0, 5.0, 31)
    for again in (copy.deepcopy(run), pickle.loads(pickle.dumps(run))):
        np.testing.assert_array_equal(again["hip.angle"](t), run["hip.angle"](t))
        np.testing.assert_array_equal(again["foot.position"](t), run["foot.position"](t))
        np.testing.assert_array_equal(again.states(t), run.states(t))


def test_angles_are_told_without_a_jump() -> None:
    """Between steps, at their ends and where turns leave the state: as the integral of the speed has them."""
    run = mb.simulate(rotor(0.5), 20.0, rtol=1e-11)
    t = np.sort(np.concatenate([run.t, np.nextafter(run.t[1:], 0.0), np.linspace(0.0, 20.0, 20001)]))
    steps = np.diff(run["hip.angle"](t))
    expected = 0.5 * np.diff(t) * (run["hip.speed"](t)[1:] + run["hip.speed"](t)[:-1])
    np.testing.assert_allclose(steps, expected, atol=1e-7)


def test_a_stepper_goes_on_and_on() -> None:
    """Ten thousand short steps at a total angle of a million go as from the same place within a turn."""
    far = 1e6
    here = [mb.stepper(rotor(a)) for a in (far, within(far))]
    for _ in range(1000):
        for each in here:
            each.step(0.01)
    assert here[0]["hip.speed"] == pytest.approx(here[1]["hip.speed"], abs=1e-9)
    assert here[0]["hip.angle"] - far == pytest.approx(here[1]["hip.angle"] - within(far), abs=1e-9 + ulps(far))
    assert here[0].x[0] == pytest.approx(here[0]["hip.angle"], abs=ulps(far))


@pytest.mark.parametrize("form", ["line", "loops"])
def test_long_chains_keep_whole_turns_apart(form: str) -> None:
    """Twelve links that whirl about, from angles of many turns, as straight-line code and as sweeps."""

    def chain(far: float) -> mb.Model:
        model = mb.Model("chain")
        end = model.add(sp.World()).frame
        for k in range(12):
            angle = far if k % 2 else -far
            joint = model.add(sp.Revolute(f"j{k}", angle=0.1 * k + angle, speed=6.0 * (-1) ** k))
            rod = model.add(sp.Rod(f"r{k}", (0.0, -0.3, 0.0)))
            bob = model.add(sp.Body(f"b{k}", 1.0, (0.01, 0.01, 0.01)))
            model.connect(end, joint.frame_a)
            model.connect(joint.frame_b, rod.frame_a)
            model.connect(rod.frame_b, bob.frame)
            end = rod.frame_b
        return model

    turns = 20.0 * TURN
    runs = [mb.simulate(mb.compile(chain(a), form=form), 0.5, rtol=1e-11) for a in (turns, 0.0)]
    t = np.linspace(0.0, 0.5, 11)
    np.testing.assert_allclose(runs[0]["b11.position"](t), runs[1]["b11.position"](t), atol=1e-7)


@pytest.mark.parametrize("method", ["auto", "multiplier"])
def test_a_screw_goes_its_way_over_all_turns(method: str) -> None:
    """A nut on a screw: its way is the lead times the total angle, over two thousand turns."""
    model = mb.Model("screw")
    world = model.add(sp.World(gravity=(0.0, 0.0, 0.0)))
    screw = model.add(sp.Screw("screw", axis="x", pitch=0.002, angle=1.0, speed=1300.0))
    nut = model.add(sp.Body("nut", 1.0, (0.1, 0.1, 0.1), centre=(0.0, 0.2, 0.0)))
    model.connect(world.frame, screw.frame_a)
    model.connect(screw.frame_b, nut.frame)
    run, t = mb.simulate(model, 10.0, method=method, rtol=1e-10).check(), np.linspace(0.0, 10.0, 51)
    angle = run["screw.angle"](t)
    np.testing.assert_allclose(angle, 1.0 + 1300.0 * t, rtol=1e-9)
    np.testing.assert_allclose(run["screw.frame_b.position"](t)[:, 0], 0.002 * angle / TURN, atol=1e-10)


def test_twists_of_shafts_keep_their_digits() -> None:
    """Two wheels on a stiff shaft that turn 2 · 10⁵ times: the twist is a state of its own, as if they stood still.

    What remains is the tolerance of a step in momenta of 12,600, against a swing of theirs by 0.05.
    """
    twists = []
    for speed in (0.0, 12_600.0):
        model = mb.Model("shaft")
        first, second = (
            model.add(ro.Inertia("first", 1.0, speed=speed + 0.1)),
            model.add(ro.Inertia("second", 1.0, speed=speed)),
        )
        spring = model.add(ro.Spring("shaft", 1e4))
        sensor = model.add(ro.AngleSensor("sensor"))
        model.connect(first.flange, spring.flange_a)
        model.connect(spring.flange_b, second.flange)
        model.connect(second.flange, sensor.flange)
        run = mb.simulate(model, 100.0, rtol=1e-12)
        twists.append(run["shaft.torque"](np.linspace(0.0, 100.0, 1001)))
        swing = math.sqrt(2e4)
        told = 100.0 * (speed + 0.05) - 0.05 / swing * math.sin(swing * 100.0)
        assert run["sensor.angle"](100.0) == pytest.approx(told, rel=1e-9)
    np.testing.assert_allclose(twists[1], twists[0], atol=1e-5 * np.abs(twists[0]).max())
