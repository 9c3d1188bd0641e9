"""A selection becomes a part: the same motion, ports where something crossed its border, exact undo, many uses."""

from __future__ import annotations

import random
from dataclasses import astuple
from pathlib import Path

import numpy as np
import pytest
from tests.compiled import run_of

import multibond as mb
from multibond import blocks, rotational
from multibond import spatial as sp
from multibond.errors import ModelError, MultibondError, UnknownName, WiringError
from multibond.examples import EXAMPLES, crane_crab, disc, slider_crank
from multibond.examples.crane_crab import PARTS as CRAB
from multibond.graph.file import from_data, to_data
from multibond.graph.model import Submodel
from multibond.graph.port import FramePort, PowerPort, SignalPort


def grouped_crab() -> mb.Model:
    return crane_crab(grouped=True)


def ports(part: Submodel) -> dict[str, type]:
    return {port.name: type(port) for port in part.ports()}


# -- the crane crab ----------------------------------------------------------------------------------------------------


def test_the_crane_crab_moves_the_same_raw_and_grouped() -> None:
    """Bit for bit: grouping changes no equation, and here no order either (Zimmer and Cellier, Figs 9 to 11).

    The energies are sums over elements in the order of their names, which are others: alike to the last digits.
    """
    raw, parts, t = mb.simulate(crane_crab(), 10.0), mb.simulate(grouped_crab(), 10.0), np.linspace(0.0, 10.0, 401)
    pairs = {
        "position.q": "prismatic.position.q",
        "angle.q": "revolute.angle.q",
        "trolley.f": "prismatic.trolley.f",
        "hub.f": "revolute.hub.f",
        "mass.e": "load.mass.e",
        "frame.p": "carriage.frame.p",
    }
    for old, new in pairs.items():
        assert np.array_equal(raw[old](t), parts[new](t)), old
    assert astuple(parts.energy()) == pytest.approx(astuple(raw.energy()), rel=1e-14)


def test_the_parts_of_the_crane_crab() -> None:
    model = grouped_crab()
    assert [c.name for c in model.components] == ["wall", *CRAB]
    assert {name: set(ports(model[name])) for name in CRAB} == {
        "prismatic": {"slide_whole"},
        "carriage": {"cart"},
        "revolute": {"joint_whole", "hook", "angle_value"},
        "rod": {"rod_a", "rod_b", "rod_modulus_u"},
        "load": {"bob"},
    }
    strokes, raw = mb.causality(model), mb.causality(crane_crab())
    assert {(path.rpartition(".")[2], lanes) for path, lanes in strokes.dependent} == set(raw.dependent)


def test_the_crane_crab_survives_files(tmp_path: Path) -> None:
    t = np.linspace(0.0, 3.0, 61)
    expected = mb.simulate(crane_crab(), 3.0)["angle.q"](t)
    for suffix in (".mbg", ".yaml"):
        mb.save(grouped_crab(), tmp_path / f"crab{suffix}")
        again = mb.load(tmp_path / f"crab{suffix}")
        assert np.array_equal(mb.simulate(again, 3.0)["revolute.angle.q"](t), expected)
        mb.save(again, tmp_path / f"again{suffix}")
        assert (tmp_path / f"again{suffix}").read_bytes() == (tmp_path / f"crab{suffix}").read_bytes()


def test_undo_and_redo_are_exact() -> None:
    model = crane_crab()
    before = model.sheet
    for name, members in CRAB.items():
        mb.group(model, members, name)
    after = model.sheet
    for _ in CRAB:
        model.undo()
    assert model.sheet is before
    for _ in CRAB:
        model.redo()
    assert model.sheet is after


# -- any selection of any machine --------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", EXAMPLES)
@pytest.mark.parametrize("seed", [1, pytest.param(2, marks=pytest.mark.slow)])
def test_any_selection_of_any_example(name: str, seed: int) -> None:
    """Half of the components, chosen at random, as a part: every state of the plain model at the end of a run."""
    model, plain = EXAMPLES[name](), run_of(name, 0.05)
    members = [c.name for c in model.components]
    chosen = set(random.Random(f"{name}{seed}").sample(members, max(1, len(members) // 2)))
    mb.group(model, chosen, "part")
    assert {c.name for c in model.components} == ({*members} - chosen) | {"part"}
    states = list(
        dict.fromkeys(s.partition("[")[0].replace(".motion.u", ".motion.f") for s in plain.system.state_names)
    )
    inside = [f"part.{state}" if state.partition(".")[0] in chosen else state for state in states]
    assert to_data(from_data(to_data(model))) == to_data(model)
    expected = plain.values(states, [0.05])
    found = mb.simulate(model, 0.05).values(inside, [0.05])
    assert np.abs(found - expected).max(initial=0.0) < 1e-9 * max(1.0, np.abs(expected).max(initial=0.0))


def test_all_of_a_model_is_a_part_without_ports() -> None:
    model = disc()
    part = mb.group(model, [c.name for c in model.components], "part")
    assert part.ports() == () and not model.sheet.edges
    assert mb.simulate(model, 0.5)["part.angle.q"](0.5) == mb.simulate(disc(), 0.5)["angle.q"](0.5)


def test_a_group_of_groups() -> None:
    model, t = crane_crab(), np.linspace(0.0, 2.0, 41)
    for name, members in CRAB.items():
        mb.group(model, members, name)
    mb.group(model, ["revolute", "rod", "load"], "pendulum")
    assert set(ports(model["pendulum"])) == {"revolute_joint_whole"}
    expected = mb.simulate(crane_crab(), 2.0)["angle.q"](t)
    assert np.array_equal(mb.simulate(model, 2.0)["pendulum.revolute.angle.q"](t), expected)


# -- the border --------------------------------------------------------------------------------------------------------


def test_joined_frames_keep_one_port_for_all() -> None:
    """Three frames meet at the ground; two of them go inside, stay joined there, and share one port."""
    model = slider_crank()
    mb.group(model, ["O", "guide", "crank"], "drive")
    kinds = ports(model["drive"])
    assert set(kinds.values()) == {FramePort}
    assert [name for name in kinds if "frame_a" in name and name.startswith(("O", "guide"))] == ["O_frame_a"]
    t = np.linspace(0.0, 1.0, 21)
    expected = mb.simulate(slider_crank(), 1.0)["O.angle"](t)
    assert np.abs(mb.simulate(model, 1.0)["drive.O.angle"](t) - expected).max() < 1e-9


def servo() -> mb.Model:
    """A shaft whose torque follows a signal of its own speed and of the time."""
    model = mb.Model("servo")
    shaft, torque = model.add(rotational.Inertia("shaft", 0.2)), model.add(rotational.Torque("torque"))
    tacho, goal = model.add(rotational.SpeedSensor("tacho")), model.add(blocks.Sine("goal", 2.0))
    error, gain = model.add(blocks.Sum("error", "+-")), model.add(blocks.Gain("gain", 3.0))
    watch = model.add(blocks.Probe("watch"))
    model.connect(shaft.flange, torque.flange, tacho.flange)
    model.signal(goal.y, error.u_1)
    model.signal(tacho.speed, error.u_2, watch.u)
    model.signal(error.y, gain.u)
    model.signal(gain.y, torque.input)
    return model


@pytest.mark.parametrize(
    "members",
    [
        ["error", "gain"],
        ["error", "gain", "watch"],
        ["tacho", "watch"],
        ["shaft", "tacho"],
        ["goal"],
        ["torque", "gain"],
    ],
)
def test_signals_across_the_border(members: list[str]) -> None:
    """Sources and targets of signals on either side, one source with targets on both."""
    model = servo()
    part = mb.group(model, members, "part")
    assert any(isinstance(p, SignalPort) for p in part.ports())
    path = "part.shaft.speed" if "shaft" in members else "shaft.speed"
    assert abs(mb.simulate(model, 2.0)[path](2.0) - mb.simulate(servo(), 2.0)["shaft.speed"](2.0)) < 1e-12


def test_one_component_of_a_signal_across_the_border() -> None:
    """`tilt` reads component 1 of a sensor that has gone into the part."""
    model = mb.Model("m", size=2)
    v = model.add(mb.One("v"))
    sensor, force = model.add(mb.Dq("sensor", start=(1.0, 2.0))), model.add(mb.MSe("force", size=1))
    split, gain = model.add(mb.DirectSum("split", 1, 1)), model.add(blocks.Gain("gain", -3.0))
    model.bond(v, mb.I("mass", 1.0))
    model.bond(v, sensor)
    model.bond(split.whole, v)
    model.bond(force, split.part_1)
    model.bond(mb.Se("none", 0.0, size=1), split.part_2)
    model.signal("sensor.value[0]", gain.u)
    model.signal(gain.y, force.effort)
    expected = mb.simulate(model, 1.0)["sensor.q"](1.0)
    assert expected == pytest.approx([np.cos(np.sqrt(3.0)), 2.0], abs=1e-8)
    part = mb.group(model, ["v", "mass", "sensor"], "part")
    assert set(ports(part)) == {"v", "sensor_value"}
    assert mb.simulate(model, 1.0)["part.sensor.q"](1.0) == pytest.approx(expected, abs=1e-12)


def test_names_of_ports() -> None:
    model = crane_crab()
    part = mb.group(model, CRAB["rod"], "rod", ports={"top": "rod.a", "end": "rod.b", "angle": "rod_modulus.u"})
    assert {p.name for p in part.ports()} == {"top", "end", "angle"}
    assert isinstance(next(p for p in part.ports() if p.name == "top"), PowerPort)
    assert str(part.top) == "rod.top"


def test_exposed_ports_stay_exposed() -> None:
    model = mb.Model("leg")
    hip, foot = model.add(sp.Revolute("hip", angle=0.3)), model.add(sp.Body("foot", mass=1.0, centre=(0, -0.5, 0)))
    model.connect(hip.frame_b, foot.frame)
    model.expose("top", hip.frame_a)
    mb.group(model, ["hip"], "joint")
    robot = mb.Model("robot")
    world, leg = robot.add(sp.World()), robot.add(model)
    robot.connect(world.frame, leg.top)
    assert mb.simulate(robot, 0.5)["leg.joint.hip.angle"](0.0) == 0.3


def test_places_on_the_drawing_go_along() -> None:
    model = crane_crab()
    model.place("bob", 1.0, 2.0)
    model.place("mass", 3.0, 2.0)
    model.place("cart", 9.0, 9.0)
    mb.group(model, CRAB["load"], "load")
    assert model.sheet.layout == {"cart": (9.0, 9.0), "load": (2.0, 2.0)}
    assert model["load"].sheet.layout == {"bob": (1.0, 2.0), "mass": (3.0, 2.0)}
    assert "<svg" in mb.draw(model) and "<svg" in mb.draw(model, depth=2)


# -- library parts -----------------------------------------------------------------------------------------------------


def pendulum_part(folder: Path | None = None) -> mb.Model:
    """A pendulum cut out of a model of one, as a part."""
    model = mb.Model("swing")
    world = model.add(sp.World())
    hinge, bob = model.add(sp.Revolute("hinge", angle=0.4)), model.add(sp.Body("bob", mass=1.0, centre=(0, -1, 0)))
    rod = model.add(sp.Rod("rod", (0, -1, 0)))
    model.connect(world.frame, hinge.frame_a)
    model.connect(hinge.frame_b, bob.frame, rod.frame_a)
    mb.group(model, ["hinge", "bob", "rod"], "pendulum", ports={"top": "hinge.frame_a"})
    return mb.wrap(model, "pendulum", None if folder is None else folder / "pendulum.mbg")


@pytest.mark.parametrize("filed", [False, True])
def test_a_wrapped_part_is_used_many_times(filed: bool, tmp_path: Path) -> None:
    """Three of them on one world, the third heavier: all swing alike, as gravity has it."""
    part = pendulum_part(tmp_path if filed else None)
    model = mb.Model("row")
    world = model.add(sp.World())
    for name in ("left", "middle", "right"):
        model.connect(world.frame, model.add(part, name=name).top)
    model.set("right.bob.mass", 3.0)
    mb.save(model, tmp_path / "row.mbg")
    assert ('"file": "pendulum.mbg"' in (tmp_path / "row.mbg").read_text()) == filed
    run = mb.simulate(mb.load(tmp_path / "row.mbg"), 2.0)
    assert run["left.hinge.angle"](2.0) == pytest.approx(run["middle.hinge.angle"](2.0), abs=1e-12)
    assert run["left.hinge.angle"](2.0) == pytest.approx(run["right.hinge.angle"](2.0), abs=1e-9)


def test_a_wrapped_multibond_graph_is_used_twice() -> None:
    """The rod and load of the crane crab, elements only, hung twice from one hook of a pendulum."""
    model, t = crane_crab(), np.linspace(0.0, 2.0, 21)
    mb.group(model, [*CRAB["rod"], *CRAB["load"]], "arm", ports={"top": "rod.a", "angle": "rod_modulus.u"})
    arm = mb.wrap(model, "arm")
    assert isinstance(arm, mb.Model) and type(arm) is type(model)
    second = model.add(arm, name="second")
    model.bond("hook", second.top)
    model.signal("angle.value", second.angle)
    for path in ("arm.mass.inertia", "second.mass.inertia"):
        model.set(path, (0.5, 0.5, 0.0))
    for path in ("arm.weight.effort", "second.weight.effort"):
        model.set(path, (0.0, -0.5 * 9.81, 0.0))
    expected = mb.simulate(crane_crab(), 2.0)["angle.q"](t)
    assert np.abs(mb.simulate(model, 2.0)["angle.q"](t) - expected).max() < 1e-8


def test_a_model_uses_the_file_that_its_part_was_wrapped_in(tmp_path: Path) -> None:
    model = crane_crab()
    mb.group(model, CRAB["load"], "load")
    before = model.sheet
    mb.wrap(model, "load", tmp_path / "load.mbg")
    mb.save(model, tmp_path / "crab.mbg")
    assert '"file": "load.mbg"' in (tmp_path / "crab.mbg").read_text()
    t = np.linspace(0.0, 1.0, 11)
    expected = mb.simulate(crane_crab(), 1.0)["angle.q"](t)
    assert np.array_equal(mb.simulate(mb.load(tmp_path / "crab.mbg"), 1.0)["angle.q"](t), expected)
    model.undo()
    assert model.sheet is before


# -- faults ------------------------------------------------------------------------------------------------------------


def said(kind: type[MultibondError], attempt) -> str:
    with pytest.raises(kind) as caught:
        attempt()
    return str(caught.value)


def test_faults_of_a_selection_change_nothing() -> None:
    model = crane_crab()
    before = model.sheet
    text = said(ModelError, lambda: mb.group(model, [], "cart.1"))
    assert "'cart.1' would be empty." in text and "'cart.1' cannot be the name of a part." in text
    assert "'cart' is taken in 'crane_crab'." in said(ModelError, lambda: mb.group(model, ["bob"], "cart"))
    assert "has no 'bobb'" in said(UnknownName, lambda: mb.group(model, ["bobb"], "load"))
    outside = said(ModelError, lambda: mb.group(model, ["bob"], "load", ports={"end": "cart.any"}))
    assert "'end' cannot be the name of a port of 'cart'." in outside
    assert "'bob' is no sub-model." in said(ModelError, lambda: mb.wrap(model, "bob"))
    assert "has no 'load'" in said(UnknownName, lambda: mb.wrap(model, "load"))
    assert model.sheet is before


UNKNOWN = {
    "format": "multibond",
    "version": 1,
    "name": "robot",
    "components": [
        {"name": "drive", "type": "my_parts.Motor", "parameters": {"gain": 1.5}},
        {"name": "plain", "type": "Gadget"},
        {"name": "flow", "type": "One"},
        {"name": "travel", "type": "Dq"},
    ],
    "bonds": [{"from": "drive.shaft", "to": "flow", "size": 3}, {"from": "flow", "to": "travel"}],
    "signals": [["drive.value[2]", "plain.in"], ["travel.value", "drive"]],
    "connections": [["drive.tip", "plain.tip"]],
}
"""Two boxes of unknown types; one signal names no port."""


def test_unknown_types_go_along_unharmed() -> None:
    model = from_data(UNKNOWN)
    part = mb.group(model, ["plain"], "part")
    assert {p.name for p in part.ports()} == {"plain_in", "plain_tip"}
    again = from_data(to_data(model))
    assert to_data(again) == to_data(model)
    assert again["part"].sheet.components[0].type_name == "Gadget"
    before = model.sheet
    text = said(WiringError, lambda: mb.group(model, ["drive", "part"], "all"))
    assert text.startswith("'drive' cannot go into the part.") and model.sheet is before


def test_a_part_may_take_the_name_of_a_member() -> None:
    model = crane_crab()
    assert mb.group(model, ["bob", "mass", "weight"], "bob").name == "bob"
    assert mb.simulate(model, 0.1)["bob.mass.f"](0.1).shape == (3,)


def test_a_port_that_nothing_is_led_to_is_named() -> None:
    model = mb.Model("lonely", size=3)
    parts = crane_crab()
    mb.group(parts, CRAB["rod"], "rod")
    rod = mb.wrap(parts, "rod")
    model.bond(mb.Sf("wall", 0.0), model.add(rod).rod_a)
    text = said(ModelError, lambda: mb.check(model))
    assert "nothing is led to port 'rod_b' of 'rod'." in text
    assert "nothing is led to port 'rod_modulus_u' of 'rod'." in text
    assert "'rod_a'" not in text


def test_ports_of_elements_are_bonded_and_not_connected() -> None:
    model = grouped_crab()
    model.add(mb.wrap(model, "load"), name="second")
    model.connect("second.bob", "load.bob")
    assert "'second.bob' cannot be connected." in said(WiringError, lambda: mb.expand(model))
