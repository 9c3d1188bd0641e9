"""Frames of opened models: in the graph again, in files, through edits, and by every method."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import multibond as mb
from multibond import planar as pl
from multibond import spatial as sp
from multibond.errors import FileError, ModelError, ParameterError, StartError
from multibond.examples import crane_crab, planar_loop, slider_crank
from multibond.graph.expand import expand
from multibond.graph.file import from_data, to_data
from multibond.graph.graph import Graph
from multibond.graph.grouping import group
from multibond.rewrite.floating import join_floating

FREEING = ("multiplier", "zcp", "rc")
SOFT = mb.Parasitic(stiffness=1e5, damping=1e3, turning_stiffness=1e4, turning_damping=1e2)


def pendulum() -> mb.Model:
    model = mb.Model("pendulum")
    world, hip = model.add(sp.World()), model.add(sp.Revolute("hip", "z", angle=0.3))
    rod, foot = model.add(sp.Rod("rod", (0.5, 0, 0))), model.add(sp.Body("foot", 1.0, (0.1, 0.1, 0.1)))
    model.connect(world.frame, hip.frame_a)
    model.connect(hip.frame_b, rod.frame_a)
    model.connect(rod.frame_b, foot.frame)
    return model


def swing() -> mb.Model:
    model = mb.Model("swing")
    world, hip = model.add(pl.World()), model.add(pl.Revolute("hip", angle=0.3))
    rod, foot = model.add(pl.Rod("rod", (0.5, 0))), model.add(pl.Body("foot", 1.0, 0.1))
    model.connect(world.frame, hip.frame_a)
    model.connect(hip.frame_b, rod.frame_a)
    model.connect(rod.frame_b, foot.frame)
    return model


MACHINES = {"pendulum": pendulum, "swing": swing, "slider crank": slider_crank, "planar loop": planar_loop}


def poses(graph: Graph) -> list[tuple[str, ...]]:
    """What the frames of a graph and their signals are called."""
    frames = [(f.name, f.attitude, f.position) for f in graph.frames]
    return frames + [(f.name, f.position, f.angle) for f in graph.planes]


def names_of(graph: Graph) -> list[str]:
    return [f.name for f in (*graph.frames, *graph.planes)]


@pytest.mark.parametrize("name", MACHINES)
@pytest.mark.parametrize("ending", ["", "mbg", "yaml"])
def test_an_opened_graph_has_the_frames_of_the_machine(name: str, ending: str, tmp_path: Path) -> None:
    model = MACHINES[name]()
    opened = model.open()
    if ending:
        mb.save(opened, tmp_path / f"opened.{ending}")
        loaded = mb.load(tmp_path / f"opened.{ending}")
        assert loaded.sheet.frames == opened.sheet.frames
        opened = loaded
    graph, plain = expand(opened), join_floating(expand(model))
    assert poses(graph) == poses(plain) and poses(graph)
    assert {s.name for s in graph.signals} >= {n for _, *names in poses(graph) for n in names} & {
        s.name for s in plain.signals
    }
    assert poses(expand(opened.open())) == poses(plain)


@pytest.mark.parametrize("name", ["pendulum", "swing", "slider crank"])
@pytest.mark.parametrize("method", FREEING)
def test_opened_models_run_by_every_method(name: str, method: str, tmp_path: Path) -> None:
    model = MACHINES[name]()
    mb.save(model.open(), tmp_path / "opened.mbg")
    soft = {"parasitic": SOFT} if method == "rc" else {}
    first, second = (
        mb.simulate(mb.compile(each, method, **soft), 0.01) for each in (model, mb.load(tmp_path / "opened.mbg"))
    )
    one, other = first.states([0.0, 0.01]), second.states([0.0, 0.01])
    assert one.shape == other.shape
    assert np.abs(one - other).max() <= 1e-8 * max(1.0, np.abs(one).max())


def test_the_motion_of_a_frame_has_its_name_in_an_opened_model() -> None:
    for model, asked in (
        (pendulum(), "foot.frame.rotation.f"),
        (pendulum(), "foot.frame.position"),
        (swing(), "foot.frame.plane.f"),
        (swing(), "foot.frame.angle"),
    ):
        value = mb.simulate(model, 0.1)[asked](0.1)
        assert mb.simulate(model.open(), 0.1)[asked](0.1) == pytest.approx(value, abs=1e-9)


# -- edits -------------------------------------------------------------------------------------------------------------


def test_a_renamed_element_stays_a_member() -> None:
    opened = pendulum().open()
    opened.rename("hip-frame_a-rotation", "turning")
    frame = next(f for f in expand(opened).frames if f.rotation == "turning")
    assert frame.name == "hip.frame_a"
    mb.compile(opened, "multiplier")


def test_in_another_model_frames_stand_under_its_name() -> None:
    robot, opened = mb.Model("robot"), pendulum().open()
    robot.add(opened, name="leg")
    assert poses(expand(robot)) == [tuple(f"leg.{n}" for n in names) for names in poses(expand(opened))]
    mb.compile(robot, "zcp")


def test_a_frame_goes_with_its_junction() -> None:
    opened = pendulum().open()
    opened.remove("hip-frame_b-rotation")
    assert names_of(expand(opened)) == ["foot.frame", "hip.frame_a"]
    opened.undo()
    assert names_of(expand(opened)) == ["foot.frame", "hip.frame_a", "hip.frame_b"]


def test_a_signal_is_read_elsewhere_where_its_port_goes() -> None:
    opened = pendulum().open()
    (told,) = {opened.sheet.components[opened.sheet.frames["hip.frame_b"]["position"].component].name}
    opened.remove(told)
    (left,) = {opened.sheet.components[opened.sheet.frames["hip.frame_b"]["position"].component].name}
    assert {told, left} == {"hip-motion", "rod-shift"}
    assert names_of(expand(opened)) == ["foot.frame", "hip.frame_a", "hip.frame_b"]


def test_a_body_that_has_lost_its_rod_is_free() -> None:
    opened = pendulum().open()
    for item in opened.components:
        if item.name.startswith("rod-"):
            opened.remove(item.name)
    assert "position" not in opened.sheet.frames["foot.frame"]
    run = mb.simulate(opened, 0.5)
    assert run["foot.frame.position"](0.5)[1] == pytest.approx(-0.5 * 9.81 * 0.25, rel=1e-3)


def test_frames_that_are_bonded_are_one() -> None:
    opened = pendulum().open()
    opened.bond("hip-frame_a-rotation", "hip-frame_b-rotation")
    assert names_of(expand(opened)) == ["foot.frame", "hip.frame_a"]


def test_a_frame_that_is_none_any_more_is_left_out() -> None:
    opened = pendulum().open()
    opened.remove("hip-frame_b-rotation")
    opened.add(mb.Zero("hip-frame_b-rotation"))
    assert "hip.frame_b" not in names_of(expand(opened))


@pytest.mark.parametrize("other", ["hip-frame_a-rotation", "foot-frame-rotation"])
def test_a_junction_is_the_member_of_one_frame(other: str) -> None:
    data = to_data(pendulum().open())
    data["frames"]["hip.frame_b"]["translation"] = other
    assert "hip.frame_b" not in names_of(expand(from_data(data)))


def test_groups_take_their_frames_along() -> None:
    opened = pendulum().open()
    group(opened, [c.name for c in opened.components], "all")
    assert names_of(expand(opened)) == ["all.foot.frame", "all.hip.frame_a", "all.hip.frame_b"]
    mb.compile(opened, "multiplier")
    opened.undo()
    group(opened, [c.name for c in opened.components if c.name.startswith(("foot", "rod"))], "leg")
    assert names_of(expand(opened)) == ["hip.frame_a", "hip.frame_b", "leg.foot.frame"]
    mb.compile(opened, "multiplier")


def test_a_frame_across_the_border_of_a_group_is_left_out() -> None:
    opened = pendulum().open()
    group(opened, ["foot-frame-rotation", "foot-mass"], "part")
    assert names_of(expand(opened)) == ["hip.frame_a", "hip.frame_b"]


def test_frames_of_parts_keep_their_names_beside_opened_ones() -> None:
    opened = pendulum().open()
    foot, shoe = opened.add(sp.Body("foot", 1.0, (0.1, 0.1, 0.1))), opened.add(sp.Rod("shoe", (0.1, 0, 0)))
    opened.connect(foot.frame, shoe.frame_a)
    assert names_of(expand(opened)) == ["foot.frame", "foot.frame_2", "hip.frame_a", "hip.frame_b", "shoe.frame_b"]


def test_a_part_of_a_machine_tells_no_frames() -> None:
    assert pendulum().open("hip").sheet.frames == {} == swing().open("hip").sheet.frames


# -- without frames ----------------------------------------------------------------------------------------------------

NO_FRAME = """bodies cannot be set free here.
  Where 'hip' ends the graph tells no frame: it has scalar bonds, is drawn by hand, or comes from an old file.
  Use method 'auto' or 'minimal', or open the machine of parts to depth 2."""


def without_frames(model: mb.Model) -> Any:
    """The model as it was saved before files told frames."""
    return from_data({key: entry for key, entry in to_data(model).items() if key not in ("frames", "planes")})


@pytest.mark.parametrize("build", [pendulum, swing])
@pytest.mark.parametrize("method", FREEING)
def test_scalar_bonds_and_old_files_are_refused_by_name(build: Any, method: str) -> None:
    for model in (build().open(depth=3), without_frames(build().open())):
        with pytest.raises(ModelError) as told:
            mb.compile(model, method)
        assert str(told.value) == NO_FRAME and told.value.findings[0].paths == ("hip",)


@pytest.mark.parametrize("build", [pendulum, swing])
@pytest.mark.parametrize("method", ["auto", "minimal"])
def test_they_run_by_the_other_methods(build: Any, method: str) -> None:
    angle = mb.simulate(build(), 0.2)["hip.angle"](0.2)
    for model in (build().open(depth=3), without_frames(build().open())):
        assert mb.simulate(mb.compile(model, method), 0.2)["hip.angle"](0.2) == pytest.approx(angle, abs=1e-8)


def test_a_world_without_its_frame_is_told() -> None:
    opened = pendulum().open()
    del opened.sheet.frames["hip.frame_a"]
    with pytest.raises(ModelError, match="bodies cannot be set free here"):
        mb.compile(opened, "multiplier")


# -- files -------------------------------------------------------------------------------------------------------------


def data_of(model: mb.Model) -> dict[str, Any]:
    return json.loads(json.dumps(to_data(model)))


def test_the_entries_of_a_file() -> None:
    assert data_of(pendulum().open())["frames"]["hip.frame_b"] == {
        "rotation": "hip-frame_b-rotation",
        "translation": "hip-frame_b-translation",
        "attitude": "hip-motion.attitude_b",
        "position": "hip-motion.position_b",
    }
    assert data_of(swing().open())["planes"]["hip.frame_b"] == {
        "plane": "hip-frame_b-plane",
        "position": "hip-motion.position_b",
        "angle": "hip-motion.angle_b",
    }
    for model in (pendulum(), crane_crab().open(), pendulum().open(depth=3)):
        assert not {"frames", "planes"} & data_of(model).keys()


BROKEN = {
    "no such component": ({"rotation": "hop-frame_b-rotation"}, "which is not there"),
    "no such port": ({"position": "hip-motion.place"}, "which is not there"),
    "no junction": ({"rotation": "hip-motion"}, "bonds of a frame cannot meet in 'hip-motion'"),
    "no signal": ({"position": "hip-frame_b-rotation.any"}, "a signal cannot end at"),
    "no port": ({"position": "hip-motion"}, "which is not there"),
    "unknown member": ({"rotations": "hip-frame_b-rotation"}, "has an unknown entry 'rotations'"),
    "no text": ({"rotation": 3}, "cannot have 3"),
}


@pytest.mark.parametrize("name", BROKEN)
def test_what_is_wrong_with_a_frame_is_told(name: str) -> None:
    change, words = BROKEN[name]
    data = copy.deepcopy(data_of(pendulum().open()))
    data["frames"]["hip.frame_b"] |= change
    with pytest.raises(FileError, match=words) as told:
        from_data(data)
    assert all("frames" in str(f) for f in told.value.findings)


# -- stops -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("ending", ["mbg", "yaml"])
@pytest.mark.parametrize("depth", [2, 3])
def test_a_stop_begins_where_its_joint_does(ending: str, depth: int, tmp_path: Path) -> None:
    model = pendulum()
    model.set("hip.angle", 1.6)
    model.set("hip.lower", 1.5)
    mb.save(model.open(depth=depth), tmp_path / f"opened.{ending}")
    loaded = mb.load(tmp_path / f"opened.{ending}")
    assert mb.simulate(loaded, 0.3)["hip.angle"](0.3) == pytest.approx(mb.simulate(model, 0.3)["hip.angle"](0.3))


def test_a_stop_on_its_own_begins_at_zero() -> None:
    model = mb.Model("wall")
    v = model.add(mb.One("v"))
    model.bond(v, mb.I("mass", 1.0))
    model.bond(v, mb.Stop("wall", lower=0.1, upper=0.5))
    with pytest.raises(StartError, match="'wall' starts beyond its stops"):
        mb.compile(model)
    with pytest.raises(ParameterError, match="Stop 'wall' starts beyond its limits"):
        mb.Stop("wall", lower=0.1, start=0.0)
