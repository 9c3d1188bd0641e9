"""Guesses choose the branch, by geometry alone: not by names, not by order, not by what was left out."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from tests.solve.machines_to_start import ROD, places, slider_crank

import multibond as mb
from multibond import planar as pl
from multibond import rotational as ro
from multibond import spatial as sp
from multibond import translational as tr
from multibond.equations.consistent import angle_states
from multibond.errors import StartError
from multibond.examples import EXAMPLES
from multibond.solve import branches

G = mb.Guess


# -- branches ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("library", "guess", "far"), [(sp, 0.15, 0), (sp, -0.2, 1), (pl, 0.15, 0), (pl, -0.2, 1)])
def test_the_guessed_piston_chooses_the_branch(library: Any, guess: float, far: int) -> None:
    found = mb.assemble(slider_crank(3.0, G(guess), library=library))
    assert found["G.position"] == pytest.approx(places(3.0)[far], abs=1e-12) and found["A.angle"] == 3.0


@pytest.mark.parametrize("how", [{"names": "GBCA"}, {"names": "dcba", "turned": True}, {"turned": True}])
def test_the_branch_does_not_hang_on_names_or_order(how: dict[str, Any]) -> None:
    """Also where nothing is guessed, and where the guess can be met on two mirrored branches."""
    a, _, _, g = how.get("names", "ABCG")
    for crank, piston in ((3.0, G(0.15)), (2.0, None), (None, G(0.15))):
        plain, other = mb.assemble(slider_crank(crank, piston)), mb.assemble(slider_crank(crank, piston, **how))
        for one, two in (("A.angle", f"{a}.angle"), ("G.position", f"{g}.position")):
            np.testing.assert_allclose(other[two], plain[one], atol=1e-9)


def test_what_is_free_moves_before_what_is_guessed() -> None:
    """The crank is free, so that the piston stays at its guess to the last digit."""
    system = mb.compile(slider_crank(None, G(0.15)))
    found = mb.assemble(slider_crank(None, G(0.15)))
    assert found["G.position"] == pytest.approx(0.15, abs=1e-12)
    angle = abs(found["A.angle"])
    assert min(abs(place - 0.15) for place in places(angle)) < 1e-9
    assert any("is equally near" in line and "A.angle" in line for line in system.report)


@pytest.mark.parametrize("library", [sp, pl])
def test_a_guess_between_two_branches_is_told(library: Any) -> None:
    """What is not given decides then, and is said to do so; not where one is nearer to the guess."""
    place = places(math.pi / 2)[0]
    for guess, count in ((0.0, 1), (0.01, 0), (-0.01, 0)):
        system = mb.compile(slider_crank(math.pi / 2, G(guess), library=library))
        told = [line for line in system.report if "is equally near" in line]
        assert len(told) == count
        assert all(line.endswith("is equally near to what is guessed") and f"{-place:.6g}" in line for line in told)
    assert not any("equally" in line for line in mb.compile(slider_crank(math.pi / 2, library=library)).report)


def hung(quaternion: Any) -> mb.Model:
    """A body on a ball joint."""
    model = mb.Model("hung")
    model.add(sp.World())
    model.add(sp.Spherical("ball", quaternion=quaternion))
    model.add(sp.Body("bob", 1.0, (0.1, 0.2, 0.3), (0.0, -0.5, 0.0)))
    model.connect("world.frame", "ball.frame_a")
    model.connect("ball.frame_b", "bob.frame")
    return model


@pytest.mark.parametrize("library", [sp, pl])
def test_what_a_search_finds_full_turns_away_is_told_without_them(
    library: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    def winding(*asked: Any) -> tuple[np.ndarray, float]:
        z, error = close(*asked)
        z[angles] += 2 * math.pi * np.arange(1, len(angles) + 1)
        return z, error

    plain, close = mb.compile(slider_crank(3.0, G(0.15), library=library)), branches.close
    angles = [k for k in angle_states(plain.dae) if plain.x0[k] != 3.0]
    monkeypatch.setattr(branches, "close", winding)
    wound = mb.compile(slider_crank(3.0, G(0.15), library=library))
    assert angles and wound.state_names == plain.state_names
    np.testing.assert_allclose(wound.x0, plain.x0, atol=1e-9)


@pytest.mark.parametrize(
    ("quaternion", "turns"), [(G((-0.9, 0.1, 0.0, 0.0)), True), ((G(-1.0), 0.1, None, None), False)]
)
def test_an_attitude_is_read_on_the_side_of_its_guess_unless_a_number_of_it_is_given(
    quaternion: Any, turns: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    searches, run = [], branches._Search.run
    monkeypatch.setattr(branches._Search, "run", lambda search: searches.append(search) or run(search))
    x = mb.compile(hung(quaternion)).x0
    here, there = x, np.concatenate([-x[:4], x[4:]])
    (search,) = searches
    np.testing.assert_array_equal(search._unwound(here), here)
    np.testing.assert_array_equal(search._unwound(there), here if turns else there)


def test_an_attitude_that_is_given_in_part_is_not_turned_to_the_side_of_its_guess() -> None:
    """The same attitude has two quaternions; which of them it is here one fixed number says."""
    system = mb.compile(hung((G(-1.0), 0.1, None, None)))
    np.testing.assert_allclose(system.x0[:4], (-math.sqrt(0.99), 0.1, 0.0, 0.0), atol=1e-9)
    assert not [line for line in system.report if "equally near" in line]


@pytest.mark.parametrize("crank", [G(3.0), G(-3.0), G(9.0)])
def test_what_is_found_lies_within_half_a_turn_of_its_guess(crank: Any) -> None:
    found = mb.assemble(slider_crank(crank, 0.11))
    assert abs(found["A.angle"] - float(crank.value)) < math.pi
    assert min(abs(place - 0.11) for place in places(found["A.angle"])) < 1e-9


def test_a_guess_out_of_reach_goes_as_far_as_it_can() -> None:
    found = mb.assemble(slider_crank(None, G(5.0)))
    assert found["G.position"] == pytest.approx(0.3, abs=1e-9)


def test_a_start_that_closes_is_not_moved() -> None:
    crank, place = 0.5, places(0.5)[0]
    joint = -math.asin(0.1 * math.sin(crank) / ROD) - crank
    system = mb.compile(slider_crank(G(crank), G(place)))
    assert mb.assemble(slider_crank(G(crank), G(place)))["A.angle"] == pytest.approx(crank, abs=1e-10)
    model = slider_crank(G(crank), G(place))
    model.set("B.angle", G(joint))
    given = mb.compile(model)
    state = dict(zip(given.state_names, given.x0, strict=True))
    assert not [line for line in given.report if "set to" in line]
    known = {"A.motion.q": crank, "B.motion.q": joint, "G.motion.q": place}
    for name in known.keys() & state.keys():
        assert state[name] == pytest.approx(known[name], abs=1e-15)
    assert not any("equally" in line for line in (*system.report, *given.report))


# -- parameters --------------------------------------------------------------------------------------------------------


def sprung(stiffness: Any = G(100.0), **hip: Any) -> mb.Model:
    """A pendulum with a spring from its end to a wall."""
    model = mb.Model("sprung")
    model.add(sp.World())
    model.add(sp.Revolute("hip", **hip))
    model.add(sp.Body("foot", 2.0, inertia=(0.1, 0.1, 0.1), centre=(0, -0.5, 0), points=((0, -0.5, 0),)))
    model.add(sp.Fixed("wall", (-1.0, -0.5, 0.0)))
    model.add(sp.Spring("spring", stiffness, 0.3))
    model.connect("world.frame", "hip.frame_a")
    model.connect("hip.frame_b", "foot.frame")
    model.connect("wall.frame", "spring.frame_a")
    model.connect("foot.frame_1", "spring.frame_b")
    return model


def resting_stiffness(angle: float, acceleration: float = 0.0) -> float:
    """By moments about the hinge: weight, spring and inertia."""
    end = 0.5 * np.array([math.sin(angle), -math.cos(angle)])
    line = np.array([-1.0, -0.5]) - end
    length = float(np.hypot(*line))
    moment = float(end[0] * line[1] - end[1] * line[0]) / length * (length - 0.3)
    return (0.6 * acceleration + 2.0 * 9.81 * end[0]) / moment


@pytest.mark.parametrize("how", [{}, {"method": "minimal"}, {"method": "multiplier"}, {"method": "zcp"}, {"depth": 3}])
def test_a_stiffness_is_found_for_a_start_at_rest(how: dict[str, Any]) -> None:
    """As with InitSpringConstant of the Modelica library: angle, speed and acceleration are given."""
    system = mb.compile(sprung(angle=-0.3, speed=0.0, acceleration=0.0), **how)
    expected = resting_stiffness(-0.3)
    place = system.dae.parameter_places["spring.stiffness"].start
    assert system.parameters[place] == pytest.approx(expected, rel=1e-10)
    assert f"spring.stiffness set to {expected:.6g}" in system.report
    run = mb.simulate(system, 0.5)
    np.testing.assert_allclose(run["hip.angle"].values, -0.3, atol=1e-7)


def test_a_stiffness_for_an_acceleration_after_a_change() -> None:
    system = mb.with_parameters(mb.compile(sprung(angle=-0.3, steady=True)), {"hip.angle": -0.35})
    assert f"spring.stiffness set to {resting_stiffness(-0.35):.6g}" in system.report
    changes = {"spring.stiffness": G(9.0), "hip.speed": 0.0, "hip.acceleration": 1.5}
    other = mb.with_parameters(mb.compile(sprung(50.0, angle=-0.3)), changes)
    assert f"spring.stiffness set to {resting_stiffness(-0.3, 1.5):.6g}" in other.report


def test_a_parameter_moves_last() -> None:
    """Where the angle is free or guessed it moves, and the stiffness is told to keep its guess."""
    report = mb.compile(sprung(angle=G(-0.3), steady=True)).report
    assert any(line.startswith("spring.stiffness keeps its guess of 100") for line in report)


def test_a_parameter_that_cannot_be_is_refused() -> None:
    with pytest.raises(StartError, match="no possible value of") as caught:
        mb.compile(sprung(angle=0.3, steady=True))
    assert f"{resting_stiffness(0.3):.6g}" in str(caught.value)


def test_what_is_found_must_be_possible_for_its_part() -> None:
    """The moment of inertia about the hinge would be larger than those about the other axes together."""
    model = flanged(0.0, None)
    for name, value in {"a.speed": 0.0, "a.acceleration": 1.0, "a.torque": 3.0, "b.torque": 0.0}.items():
        model.set(name, value)
    model.set("a_body.inertia", (0.1, 0.1, G(0.1)))
    with pytest.raises(StartError, match="what is guessed gives this start: Body 'a_body'"):
        mb.compile(model)


@pytest.mark.parametrize("how", [{}, {"method": "minimal"}, {"depth": 3}])
def test_the_length_of_a_rod_closes_a_loop(how: dict[str, Any]) -> None:
    model = slider_crank(0.5, 0.3)
    model.set("rod.vector", (G(0.2), 0, 0))
    length = math.hypot(0.3 - 0.1 * math.cos(0.5), 0.1 * math.sin(0.5))
    assert f"rod.vector set to {length:.6g}, 0, 0" in mb.compile(model, **how).report


def test_a_length_is_no_infinite_lever() -> None:
    """An acceleration also fades where the lever grows without end; the place in balance is meant."""
    model = mb.Model("lever")
    model.add(sp.World())
    model.add(sp.Revolute("hip", angle=0.4, steady=True, torque=1.0))
    model.add(sp.Body("foot", 1.5, inertia=(0.1, 0.2, 0.15), centre=(0.1, G(-0.3), 0.0)))
    model.connect("world.frame", "hip.frame_a")
    model.connect("hip.frame_b", "foot.frame")
    height = (0.1 * math.cos(0.4) - 1.0 / (1.5 * 9.81)) / math.sin(0.4)
    assert f"foot.centre set to 0.1, {height:.6g}, 0" in mb.compile(model).report


def example_with(name: str, path: str, value: Any) -> mb.Model:
    model = EXAMPLES[name]()
    model.set(path, value)
    return model


@pytest.mark.parametrize(
    ("name", "path", "value"),
    [
        ("four_bar", "rocker_rod.vector", (0.7, 0.0, 0.0)),
        ("planar_loop", "left_bar.vector", (0.0, -3.0, 0.0)),
        ("electric_circuit", "capacitor.compliance", [[0.045, -0.025], [-0.025, 0.075]]),
        ("slider_crank", "guide.friction", 0.0),
        ("four_bar", "C.stiffness", 0.0),
    ],
)
def test_what_need_not_move_keeps_its_guess_to_the_last_digit(name: str, path: str, value: Any) -> None:
    """Vectors, matrices of any sign, and zeros, with which the equations are those of the machine without it."""
    plain, guessed = mb.compile(EXAMPLES[name]()), mb.compile(example_with(name, path, G(value)))
    assert next(line for line in guessed.report if line.startswith(path)).startswith(f"{path} keeps its guess")
    assert guessed.state_names == plain.state_names
    np.testing.assert_allclose(guessed.x0, plain.x0, atol=1e-9)


@pytest.mark.parametrize("names", ["dm", "md"])
def test_a_parameter_that_has_to_vanish_is_no_negative_one(names: str) -> None:
    """Where the motion asks for no damping the rounding of what is found decides nothing."""
    model = flanged(0.0, None)
    model.set("a.damping", G(0.1))
    model.set("a.speed", 1.0)
    model.set("a.acceleration", 0.0)
    model.rename("a_body", names)
    system = mb.compile(model)
    assert "a.damping set to 0" in system.report


def geared(ratio: Any) -> mb.Model:
    """Two shafts whose given speeds ask for a ratio of 0.5."""
    model = mb.Model("geared")
    ends = [model.add(ro.Torque("drive", 1.0)), model.add(ro.Inertia("a", 2.0, speed=1.0))]
    gear, load = model.add(ro.Gear("gear", ratio)), model.add(ro.Inertia("b", 3.0, speed=2.0))
    brake, wall = model.add(ro.Damper("brake", 0.5)), model.add(ro.Fixed("wall"))
    model.connect(*(end.flange for end in ends), gear.flange_a)
    model.connect(gear.flange_b, load.flange, brake.flange_a)
    model.connect(brake.flange_b, wall.flange)
    return model


def test_analyses_see_the_parameters_found() -> None:
    found, given = (mb.transfer(geared(ratio), "drive.torque", "b.rotor.f") for ratio in (G(1.0), 0.5))
    for one, two in zip(found.coefficients({}), given.coefficients({}), strict=True):
        np.testing.assert_allclose(one, two, atol=1e-12)


def test_opening_a_machine_takes_what_was_found() -> None:
    model = sprung(angle=-0.3, steady=True)
    opened = model.open(depth=2)["spring-spring"]
    assert 1.0 / float(opened.compliance) == pytest.approx(resting_stiffness(-0.3), rel=1e-9)


# -- flanges -----------------------------------------------------------------------------------------------------------


def flanged(a: Any, b: Any, between: mb.Component | None = None, *, second: str = "turn") -> mb.Model:
    """Two joints on the world whose flanges are joined, directly or by a part with two flanges."""
    model = mb.Model("flanged")
    model.add(sp.World())
    model.add(sp.Revolute("a", angle=a))
    model.add(sp.Revolute("b", angle=b) if second == "turn" else sp.Prismatic("b", position=b))
    for name in "ab":
        model.add(sp.Body(f"{name}_body", 1.0, inertia=(0.1, 0.1, 0.1)))
        model.connect("world.frame", f"{name}.frame_a")
        model.connect(f"{name}.frame_b", f"{name}_body.frame")
    if between is None:
        model.connect("a.flange", "b.flange")
        return model
    model.add(between)
    ends = ("flange_pinion", "flange_rack") if second != "turn" else ("flange_a", "flange_b")
    model.connect("a.flange", f"{between.name}.{ends[0]}")
    model.connect(f"{between.name}.{ends[1]}", "b.flange")
    return model


def told(model: mb.Model, **how: Any) -> list[str]:
    return [line for line in mb.compile(model, **how).report if "turn together" in line]


@pytest.mark.parametrize("how", [{}, {"method": "minimal"}, {"method": "multiplier"}, {"method": "zcp"}, {"depth": 3}])
def test_an_offset_of_joined_flanges_is_told(how: dict[str, Any]) -> None:
    line = "'a.angle' starts at 0.5 and 'b.angle' at 0 though their flanges turn together; the offset of 0.5 stays"
    assert told(flanged(0.5, 0.0), **how) == [line]
    assert told(flanged(0.5, 0.5), **how) == []


def test_the_offset_stays_in_a_run() -> None:
    model = flanged(0.5, 0.2)
    model.set("a.speed", 3.0)
    run = mb.simulate(model, 1.0)
    np.testing.assert_allclose(run["a.angle"].values - run["b.angle"].values, 0.3, atol=1e-9)


@pytest.mark.parametrize(("a", "b"), [(0.5, None), (None, 0.5), (G(0.5), None)])
def test_a_joint_that_is_not_given_follows_its_partner(a: Any, b: Any) -> None:
    found = mb.assemble(flanged(a, b))
    assert found["a.angle"] == found["b.angle"] == 0.5 and not told(flanged(a, b))


def in_pairs(cls: Any, a: dict[str, Any], b: dict[str, Any]) -> mb.Model:
    """Two joints of several freedoms on the world whose flanges are joined."""
    model = mb.Model("pairs")
    model.add(sp.World())
    for name, values in (("a", a), ("b", b)):
        model.add(cls(name, **values))
        model.add(sp.Body(f"{name}_body", 1.0, inertia=(0.1, 0.1, 0.1)))
        model.connect("world.frame", f"{name}.frame_a")
        model.connect(f"{name}.frame_b", f"{name}_body.frame")
    model.connect("a.flange", "b.flange")
    return model


@pytest.mark.parametrize("how", [{}, {"method": "minimal"}, {"method": "zcp"}, {"depth": 3}])
def test_each_freedom_of_joined_flanges_by_itself(how: dict[str, Any]) -> None:
    model = in_pairs(sp.Universal, {"angles": (0.5, 0.1)}, {"angles": (0.0, None)})
    line = (
        "'a.angles[0]' starts at 0.5 and 'b.angles[0]' at 0 though their flanges turn together; the offset of 0.5 stays"
    )
    assert told(model, **how) == [line]
    np.testing.assert_allclose(mb.assemble(model)["b.angles"], (0.0, 0.1), atol=1e-14)


def test_turns_and_slides_of_joined_flanges() -> None:
    model = in_pairs(sp.Planar, {"angle": 0.5, "position": (0.1, 0.2)}, {"position": (None, 0.3)})
    found = mb.assemble(model)
    names = ("b.angle", "b.position_1", "b.position_2")
    np.testing.assert_allclose([found[name] for name in names], (0.5, 0.1, 0.3), atol=1e-14)
    (line,) = told(model)
    assert line.startswith("'a.position_2' starts at 0.2 and 'b.position_2' at 0.3") and "the offset of 0.1" in line


@pytest.mark.parametrize("method", ["auto", "multiplier"])
def test_angles_of_cut_joints_count_up_to_full_turns_and_slides_do_not(method: str) -> None:
    """A cut that may slide along its axis too; its flange leads to a wheel that stands a turn further."""
    model = EXAMPLES["four_bar"]()
    model.remove("C")
    model.add(sp.Cylindrical("C", "z"))
    model.connect("rocker_rod.frame_b", "C.frame_a")
    model.connect("C.frame_b", "coupler_rod.frame_b")
    model.add(sp.Cylindrical("wheel", "z", angle=math.pi, position=4.0))
    model.add(sp.Body("disc", 1.0, inertia=(0.1, 0.1, 0.1)))
    model.connect("world.frame", "wheel.frame_a")
    model.connect("wheel.frame_b", "disc.frame")
    model.connect("wheel.flange", "C.flange")
    turn, slide = told(model, method=method)
    expected = 2 * math.pi + float(mb.assemble(model)["C.angle"]) - math.pi
    assert f"the offset of {expected:.6g} stays" in turn
    assert "'C.position' at 0" in slide and "the offset of 4 stays" in slide


def test_gears_and_racks_relate_positions() -> None:
    assert mb.assemble(flanged(0.5, None, ro.Gear("gear", -2.0)))["b.angle"] == pytest.approx(-0.25, abs=1e-14)
    assert mb.assemble(flanged(None, 0.5, ro.Gear("gear", -2.0)))["a.angle"] == pytest.approx(-1.0, abs=1e-14)
    line = told(flanged(0.5, 0.5, ro.Gear("gear", -2.0)))
    assert len(line) == 1 and "at a ratio of -0.5; the offset of 0.75 stays" in line[0]
    rack = tr.Rack("rack", 0.3)
    assert mb.assemble(flanged(0.5, None, rack, second="slide"))["b.position"] == pytest.approx(0.15, abs=1e-14)


@pytest.mark.parametrize("how", [{}, {"method": "zcp"}, {"depth": 3}])
def test_a_sensor_in_the_shaft_joins_its_flanges(how: dict[str, Any]) -> None:
    line = "'a.angle' starts at 0.5 and 'b.angle' at 0 though their flanges turn together; the offset of 0.5 stays"
    assert told(flanged(0.5, 0.0, ro.TorqueSensor("cell")), **how) == [line]
    assert mb.assemble(flanged(None, 0.5, ro.TorqueSensor("cell")))["a.angle"] == 0.5


@pytest.mark.parametrize(("inwards", "more", "place"), [(False, False, 0.5), (True, False, -0.5), (False, True, 0.0)])
def test_a_junction_of_two_flanges_joins_them_by_its_arrows(inwards: bool, more: bool, place: float) -> None:
    """A 0-junction hands on a flow, or turns it round; with a third bond it leaves both free."""
    model = mb.Model("joined")
    model.add(sp.World())
    node = model.add(mb.Zero("node"))
    for name, angle in (("a", 0.5), ("b", None)):
        model.add(sp.Revolute(name, angle=angle))
        model.add(sp.Body(f"{name}_body", 1.0, inertia=(0.1, 0.1, 0.1)))
        model.connect("world.frame", f"{name}.frame_a")
        model.connect(f"{name}.frame_b", f"{name}_body.frame")
    model.bond("a.flange", node)
    model.bond("b.flange", node) if inwards else model.bond(node, "b.flange")
    if more:
        model.bond(node, mb.C("spring", 0.1))
    assert mb.assemble(model)["b.angle"] == pytest.approx(place, abs=1e-14)


def test_lanes_that_change_places_join_flanges() -> None:
    """Both angles of a Cardan joint, one after the other, are those of two hinges."""
    model = mb.Model("split")
    model.add(sp.World())
    joints = [sp.Universal("cross", angles=(0.3, None)), sp.Revolute("one"), sp.Revolute("two", angle=-0.2)]
    for joint in joints:
        model.add(joint)
        model.add(sp.Body(f"{joint.name}_body", 1.0, inertia=(0.1, 0.1, 0.1)))
        model.connect("world.frame", f"{joint.name}.frame_a")
        model.connect(f"{joint.name}.frame_b", f"{joint.name}_body.frame")
    model.add(mb.Permutation("swap", (1, 0)))
    model.add(mb.DirectSum("sum", 1, 1))
    model.bond("cross.flange", "swap")
    model.bond("swap", "sum.whole")
    model.bond("sum.part_1", "two.flange")
    model.bond("sum.part_2", "one.flange")
    found = mb.assemble(model)
    np.testing.assert_allclose([found["one.angle"], *found["cross.angles"]], (0.3, 0.3, -0.2), atol=1e-14)


def test_speeds_that_contradict_are_refused() -> None:
    model = flanged(0.5, 0.5)
    model.set("a.speed", 1.0)
    model.set("b.speed", 2.0)
    with pytest.raises(StartError, match="the given speeds contradict one another"):
        mb.compile(model)
