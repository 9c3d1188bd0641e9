"""Every component of a start is free, guessed or fixed by itself: in trees, at cuts, at all depths, by all methods."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.solve.machines_to_start import end_of_links, two_links

import multibond as mb
from multibond import electrical as el
from multibond import planar as pl
from multibond import spatial as sp
from multibond.errors import FileError, MultibondError, ParameterError
from multibond.graph.file import from_data, to_data
from multibond.graph.start import FIXED, FREE, GUESSED, joined, start_vector

G = mb.Guess
KINDS = {"fixed": lambda v: v, "guessed": lambda v: G(v + 0.05), "free": lambda v: None}
TARGET = (0.7, 0.3)
MIXTURES = [
    ("fixed", "guessed", "free"),
    ("free", "fixed", "guessed"),
    ("guessed", "free", "fixed"),
    ("fixed", "fixed", "guessed"),
    ("guessed", "guessed", "guessed"),
]
"""Orthogonal: each kind at each number, each two kinds beside one another."""


# -- the representation ------------------------------------------------------------------------------------------------


def test_components_of_a_list_keep_their_kind() -> None:
    given = sp.Joint("j", turns="z", slides="xy", coordinates=(G(0.1), None, 0.3)).coordinates
    assert given.kinds.tolist() == [GUESSED, FREE, FIXED]
    np.testing.assert_array_equal(given.values, [0.1, 0.0, 0.3])
    assert repr(given) == "(Guess(0.1), None, 0.3)"
    assert sp.Universal("u", angles=(G(0.1), G(0.2))).angles == G((0.1, 0.2))
    assert sp.Universal("u", angles=(None, None)).angles is None


def test_parts_of_a_start_are_joined_component_by_component() -> None:
    q = sp.Free("f", position=(G(0.0), 1, 0)).start_values()["q"]
    assert q.kinds.tolist() == [FREE] * 4 + [GUESSED, FIXED, FIXED] and q.values.tolist() == [1, 0, 0, 0, 0, 1, 0]
    assert joined([(None, (0.0,)), (None, (1.0,))]) is None


def test_what_is_computed_from_a_guess_is_a_guess() -> None:
    shifted = 2 * (G((0.5, 0.7)) - 0.2)
    assert shifted.guessed.all() and np.allclose(shifted.values, (0.6, 1.0))
    assert (start_vector(1.0) + G(2.0)).guessed.all()
    with pytest.raises(TypeError):
        np.sin(G(0.3))


@pytest.mark.parametrize(
    "make",
    [
        lambda: sp.Revolute("h", axis=G((0, 0, 1))),
        lambda: sp.Revolute("h", method=G(1)),
        lambda: sp.Revolute("h", steady=G(1)),
        lambda: sp.Revolute("h", driven=G(1)),
        lambda: mb.I("h", 1.0, size=G(1)),
    ],
)
def test_a_guess_where_none_can_stand_is_refused(make: Any) -> None:
    with pytest.raises(ParameterError, match="It cannot be guessed"):
        make()


def test_guesses_may_be_typed_with_units() -> None:
    assert sp.Revolute("j", angle=G("30 deg")).angle == G(math.radians(30.0))
    given = sp.Universal("j", angles=(G("30 deg"), "20 deg")).angles
    assert given.kinds.tolist() == [GUESSED, FIXED] and np.allclose(given.values, np.radians((30.0, 20.0)), atol=1e-15)
    assert sp.Universal("j", angles=G(("30 deg", 0.2))).angles == G((math.radians(30.0), 0.2))
    assert sp.Spring("s", G("2.5 kN/m")).stiffness == G(2500.0)
    with pytest.raises(ParameterError) as caught:
        sp.Spring("s", G("2.5 kN"))
    assert str(caught.value) == (
        "Spring 's': stiffness cannot be Guess('2.5 kN').\n"
        "  The unit 'kN' measures something else (in N/m).\n"
        "  Give a possible value for stiffness."
    )
    data = to_data(two_links(sp.Revolute("tip")))
    tip = next(c for c in data["components"] if c["name"] == "tip")
    tip["parameters"] = {"angle": {"guess": "30 deg"}}
    assert from_data(data)["tip"].angle == G(math.radians(30.0))
    tip["parameters"] = {"angle": {"guess": "30 kg"}}
    with pytest.raises(FileError, match="measures something else"):
        from_data(data)


def in_model(does: Any) -> Any:
    model = mb.Model("m")
    return lambda: does(model, model.parameter("L", 0.3))


@pytest.mark.parametrize(
    ("does", "fact"),
    [
        (lambda: mb.sin(G(0.3)), "what is computed of it would be a plain number"),
        (lambda: mb.maximum(G(0.3), 0.1), "what is computed of it would be a plain number"),
        (lambda: G(2.0) * mb.t, "a Guess cannot be part of an expression"),
        (in_model(lambda m, length: length + G(2.0)), "a Guess cannot be part of an expression"),
        (lambda: G((G(0.1), 0.2)), "no guesses, expressions or entries left out"),
        (in_model(lambda m, length: m.parameter("k", G(2.0))), "the shared parameter 'k' cannot be guessed"),
        (in_model(lambda m, length: m.set("L", (G(2.0), 1.0))), "the shared parameter 'L' cannot be guessed"),
    ],
)
def test_a_guess_never_becomes_a_number_unseen(does: Any, fact: str) -> None:
    with pytest.raises(MultibondError, match=fact):
        does()


# -- the end of a chain ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("angle", [G(1.0), None])
def test_the_place_of_a_tip_is_exact_whatever_its_angle(angle: Any) -> None:
    """The first line of the report: the place given, the angle guessed or left out."""
    found = mb.assemble(two_links(sp.Planar("tip", "z", position=TARGET, angle=angle)))
    np.testing.assert_allclose(end_of_links(found)[:2], TARGET, atol=1e-12)
    np.testing.assert_allclose([found["tip.position_1"], found["tip.position_2"]], TARGET, atol=1e-12)


@pytest.mark.parametrize(("x", "y", "angle"), MIXTURES)
@pytest.mark.parametrize("library", [sp, pl], ids=["space", "plane"])
def test_any_mixture_at_a_cut(library: Any, x: str, y: str, angle: str) -> None:
    """Fixed numbers hold exactly; guesses that can be met are met, here those of places that the links reach."""
    values = [KINDS[kind](v) for kind, v in zip((angle, x, y), (1.1, *TARGET), strict=True)]
    slot = {"turns": "z" if library is sp else True, "slides": "xy"}
    given = None if all(v is None for v in values) else values
    found = mb.assemble(two_links(library.Joint("tip", **slot, coordinates=given), library=library))
    end = end_of_links(found)
    for kind, k in ((x, 0), (y, 1), (angle, 2)):
        if kind == "fixed":
            assert abs(end[k] - (*TARGET, 1.1)[k]) < 1e-12


@pytest.mark.parametrize("how", [{"method": "minimal"}, {"method": "multiplier"}, {"method": "zcp"}, {"depth": 3}])
def test_methods_and_depths_begin_alike(how: dict[str, Any]) -> None:
    model = two_links(pl.Joint("tip", turns=True, slides="xy", coordinates=(None, 0.7, G(0.2))), library=pl)
    plain, other = mb.assemble(model), mb.simulate(mb.compile(model, **how), 1e-6)
    for name in ("hip.angle", "elbow.angle"):
        np.testing.assert_allclose(other[name](0.0), plain[name], atol=1e-11)


@pytest.mark.parametrize("depth", [2, 3])
def test_opened_graphs_begin_alike(depth: int) -> None:
    model = two_links(sp.Joint("tip", turns="z", slides="xy", coordinates=(None, 0.7, G(0.2))))
    opened, plain = (np.sort(mb.compile(m).x0) for m in (model.open(depth=depth), model))  # states are named otherwise
    np.testing.assert_allclose(opened, plain, atol=1e-10)


def test_a_joint_of_the_tree_keeps_what_is_fixed() -> None:
    """The hip is a Planar joint of the tree here: one slide fixed, one guessed, the turn free."""
    model = mb.Model("tree")
    model.add(sp.World())
    model.add(sp.Joint("hip", turns="z", slides="xy", coordinates=(None, 0.25, G(-0.1)), speeds=(G(2.0), None, 0.5)))
    model.add(sp.Body("rod", 1.0, inertia=(0.1, 0.1, 0.1), points=((0.5, 0, 0),)))
    model.add(sp.Spherical("end"))
    model.add(sp.Fixed("wall", (0.6, 0.2, 0.0)))
    model.connect("world.frame", "hip.frame_a")
    model.connect("hip.frame_b", "rod.frame")
    model.connect("rod.frame_1", "end.frame_a")
    model.connect("wall.frame", "end.frame_b")
    found = mb.assemble(model)
    turn, x, y = found["hip.coordinates"]
    assert x == 0.25 and abs(x + 0.5 * math.cos(turn) - 0.6) < 1e-12 and abs(y + 0.5 * math.sin(turn) - 0.2) < 1e-12
    assert abs(y + 0.1) < abs(0.2 + 0.5 * math.sin(abs(turn)) + 0.1)  # the nearer of both places on the line
    w, vx, vy = found["hip.speeds"]
    assert vy == 0.5
    np.testing.assert_allclose([vx - 0.5 * w * math.sin(turn), vy + 0.5 * w * math.cos(turn)], 0.0, atol=1e-12)


# -- attitudes ---------------------------------------------------------------------------------------------------------


def free_body(**start: Any) -> np.ndarray:
    model = mb.Model("free")
    model.add(sp.World())
    model.add(sp.Free("free", **start))
    model.add(sp.Body("body", 1.0, inertia=(1, 2, 3)))
    model.connect("world.frame", "free.frame_a")
    model.connect("free.frame_b", "body.frame")
    return mb.compile(model).x0[:7]


def test_position_and_attitude_are_given_apart() -> None:
    np.testing.assert_allclose(free_body(position=(G(0.5), 1, None)), [1, 0, 0, 0, 0.5, 1, 0], atol=1e-14)
    np.testing.assert_allclose(free_body(quaternion=(2, 0, 0, 0)), [1, 0, 0, 0, 0, 0, 0], atol=1e-14)
    np.testing.assert_allclose(free_body(quaternion=G((0, 3, 0, 4))), [0, 0.6, 0, 0.8, 0, 0, 0], atol=1e-14)


def test_part_of_an_attitude_leaves_the_rest_of_its_length_to_the_others() -> None:
    np.testing.assert_allclose(free_body(quaternion=(None, 0.6, 0, 0))[:4], [0.8, 0.6, 0, 0], atol=1e-14)
    np.testing.assert_allclose(free_body(quaternion=(G(0.1), 0.6, G(0.1), 0))[[1, 3]], [0.6, 0.0], atol=0)
    with pytest.raises(ParameterError, match="length of its fixed numbers"):
        sp.Spherical("ball", quaternion=(None, 0.9, 0.9, 0))


# -- storages ----------------------------------------------------------------------------------------------------------


def two_capacitors(first: Any, second: Any) -> Any:
    model = mb.Model("rc")
    model.add(el.VoltageSource("source", 5.0))
    model.add(el.Resistor("r", 10.0))
    model.add(el.Capacitor("one", 1e-3, voltage=first))
    model.add(el.Capacitor("two", 2e-3, voltage=second))
    model.add(el.Ground("ground"))
    model.connect("source.pin_p", "r.pin_p")
    model.connect("r.pin_n", "one.pin_p", "two.pin_p")
    model.connect("one.pin_n", "two.pin_n", "source.pin_n", "ground.pin")
    run = mb.simulate(model, 1e-3)
    return [float(run[f"{name}.voltage"](0.0)) for name in ("one", "two")]


@pytest.mark.parametrize(("first", "second", "voltage"), [(G(1.0), 3.0, 3.0), (3.0, G(1.0), 3.0), (G(2.0), None, 2.0)])
def test_guessed_storages_give_way_to_fixed_ones(first: Any, second: Any, voltage: float) -> None:
    np.testing.assert_allclose(two_capacitors(first, second), voltage, atol=1e-9)


def test_guessed_accelerations_are_wished_for() -> None:
    """Fixed angle and speed leave nothing to move; a free angle goes where the pendulum accelerates so."""

    def start(angle: Any) -> float:
        model = mb.Model("pendulum")
        model.add(sp.World())
        model.add(sp.Revolute("hip", angle=angle, speed=0.0, acceleration=G(-3.0)))
        model.add(sp.Body("foot", 2.0, inertia=(0.1, 0.1, 0.1), centre=(0, -0.5, 0)))
        model.connect("world.frame", "hip.frame_a")
        model.connect("hip.frame_b", "foot.frame")
        return float(mb.compile(model).x0[0])

    assert start(0.1) == 0.1
    assert start(None) == pytest.approx(math.asin(3.0 * 0.6 / (2.0 * 9.81 * 0.5)), abs=1e-9)


@pytest.mark.parametrize(
    ("component", "started"),
    [
        (mb.blocks.SecondOrder("b", frequency=1.0, start=G(0.3), start_rate=0.1), {"state": (G(0.3), 0.1)}),
        (mb.blocks.SampledDelay("b", 0.1, samples=2, start=G(0.3)), {"state": (G(0.3), G(0.3))}),
        (mb.blocks.SampledDelay("b", 0.1, size=2, start=(G(0.3), None)), {"state": (G(0.3), None)}),
        (mb.IC("b", energy="0.5*p**2*(1+q**2)+0.5*q**2", start=(G(0.3), 0.2)), {"q": (G(0.3),), "p": (0.2,)}),
        (mb.IC("b", energy="0.5*p**2*(1+q**2)+0.5*q**2", start=(None, G(0.0))), {"q": (None,), "p": (G(0.0),)}),
    ],
    ids=str,
)
def test_starts_that_are_put_together_keep_every_kind(component: Any, started: dict[str, Any]) -> None:
    found = component.start_values()
    assert found.keys() == started.keys()
    for name, values in started.items():
        kinds = [FREE if v is None else GUESSED if isinstance(v, G) else FIXED for v in values]
        numbers = [0.0 if v is None else float(v.value if isinstance(v, G) else v) for v in values]
        assert found[name].kinds.tolist() == kinds
        np.testing.assert_array_equal(found[name].values, numbers)


def test_a_guessed_area_is_no_missing_side() -> None:
    ports = [port.name for port in mb.hydraulic.Cylinder("ram", area=1e-3, annulus=G(0.0)).ports()]
    assert ports == ["port_a", "port_b", "flange"]


# -- files and changes -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("ending", ["mbg", "yaml"])
def test_files_keep_every_kind(tmp_path: Path, ending: str) -> None:
    tip = sp.Joint("tip", turns="z", slides="xy", coordinates=(None, 0.7, G(0.2)), damping=(G(0.1), 0.2, 0.3))
    model = two_links(tip)
    path = tmp_path / f"links.{ending}"
    mb.save(model, path)
    again = mb.load(path)
    assert again["tip"].coordinates == tip.coordinates and again["tip"].damping == tip.damping
    np.testing.assert_array_equal(mb.compile(again).x0, mb.compile(model).x0)
    if ending == "mbg":
        told = next(c for c in json.loads(path.read_text())["components"] if c["name"] == "tip")["parameters"]
        assert told["coordinates"] == [None, 0.7, {"guess": 0.2}]
        assert told["damping"] == [{"guess": 0.1}, 0.2, 0.3]


def test_a_number_left_out_of_a_run_time_number_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "links.mbg"
    mb.save(two_links(sp.Joint("tip", turns="z", slides="xy", damping=(0.1, 0.2, 0.3))), path)
    path.write_text(path.read_text().replace("0.1,", "null,", 1).replace("[0.1", "[null", 1))
    with pytest.raises(FileError, match="must be a number, not null"):
        mb.load(path)


def test_changes_keep_every_kind() -> None:
    model = two_links(sp.Joint("tip", turns="z", slides="xy", coordinates=(None, 0.7, 0.3)))
    system = mb.with_parameters(mb.compile(model), {"tip.coordinates": (None, 0.6, G(0.5))})
    model.set("tip.coordinates", (None, 0.6, G(0.5)))
    np.testing.assert_allclose(system.x0, mb.compile(model).x0, atol=1e-12)


# -- speeds that are not given -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("how", [{"cuts": ["hip"]}, {"cuts": ["elbow"]}, {"method": "minimal"}, {"method": "zcp"}])
def test_free_speeds_do_not_hang_on_the_cut_or_the_method(how: dict[str, Any]) -> None:
    """All joints count, those at cuts too: what is not given moves as little as it can."""
    held = {"turns": True, "slides": "xy", "coordinates": (None, 0.7, G(0.2)), "speeds": (None, None, G(1.0))}
    model = two_links(pl.Joint("tip", **held), library=pl)
    names = ("hip.speeds", "elbow.speeds", "tip.speeds")

    def speeds(**options: Any) -> np.ndarray:
        run = mb.simulate(mb.compile(model, **options), 1e-6)
        return np.concatenate([np.ravel(run[name](0.0)) for name in names])

    plain, other = speeds(cuts=["tip"]), speeds(**how)
    np.testing.assert_allclose(other, plain, atol=1e-8)
    assert plain[4] == pytest.approx(1.0, abs=1e-9)
    found = mb.assemble(model)
    slopes = _slopes_of_two_links(found["hip.angle"], found["elbow.angle"])
    weights, up = slopes[:4].T @ slopes[:4], slopes[4]
    least = np.linalg.solve(weights, up)
    np.testing.assert_allclose(plain[:2], least / (up @ least), atol=1e-7)


def _slopes_of_two_links(hip: float, elbow: float) -> np.ndarray:
    """How fast all five coordinates change by hip and elbow."""
    both = hip + elbow
    end = [[-0.5 * math.sin(hip) - 0.5 * math.sin(both), -0.5 * math.sin(both)]]
    end += [[0.5 * math.cos(hip) + 0.5 * math.cos(both), 0.5 * math.cos(both)]]
    return np.array([[1, 0], [0, 1], [1, 1], *end])


def test_a_free_speed_of_minimal_coordinates_is_zero() -> None:
    """Its states are momenta; the nearest momentum is not the nearest speed."""
    model = mb.Model("card")
    model.add(sp.World())
    model.add(sp.Universal("card", angles=(0.2, None), speeds=(None, G(0.3))))
    model.add(sp.Body("body", 1.5, inertia=(0.1, 0.2, 0.15), centre=(0.1, 0.2, 0.1)))
    model.connect("world.frame", "card.frame_a")
    model.connect("card.frame_b", "body.frame")
    system = mb.compile(model, method="minimal")
    np.testing.assert_allclose(mb.simulate(system, 1e-6)["card.speeds"](0.0), [0.0, 0.3], atol=1e-12)
    assert not [line for line in system.report if "inertia.p" in line]
