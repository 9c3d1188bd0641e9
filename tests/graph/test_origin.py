"""Elements know which part drew them: in the graph, unfolded, in files, in groups; old files stand for themselves."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import multibond as mb
from multibond import spatial as sp
from multibond.elements import FreeMotion
from multibond.errors import FileError
from multibond.graph.expand import expand
from multibond.graph.file import from_data, save, to_data
from multibond.graph.grouping import group
from multibond.graph.origin import DRIVE, Form, Origin
from multibond.rewrite import unfolded
from multibond.view.machine import machine_of


def pendulum() -> mb.Model:
    model = mb.Model("pendulum")
    world, hip = model.add(sp.World()), model.add(sp.Revolute("hip", "z", angle=0.3, torque=2.0))
    rod, foot = model.add(sp.Rod("rod", (0.5, 0, 0))), model.add(sp.Body("foot", 1.0, (0.1, 0.1, 0.1)))
    model.connect(world.frame, hip.frame_a)
    model.connect(hip.frame_b, rod.frame_a)
    model.connect(rod.frame_b, foot.frame)
    return model


def test_parts_tell_where_elements_come_from() -> None:
    graph = expand(pendulum())
    assert graph.origin("hip.motion") == Origin("hip", "Revolute")
    assert graph.origin("hip.drive") == Origin("hip", "Revolute", DRIVE)
    assert graph.owner("foot.mass") == "foot" and graph.joint("hip.motion") == "hip"


def test_components_and_what_a_rewrite_makes_belong_to_the_same_part() -> None:
    graph = unfolded(pendulum())
    assert {graph.owner(path) for path in graph.elements if path.startswith("foot.mass")} == {"foot"}
    assert graph.joint("hip.motion") == "hip"
    soft = mb.compile(pendulum(), method="rc").dae.graph
    assert all(soft.owner(path) == "hip" for path in soft.elements if "parasitic" in path)


def test_an_opened_graph_keeps_it_in_its_file(tmp_path: Path) -> None:
    for depth in (2, 3):
        opened = pendulum().open(depth=depth)
        save(opened, tmp_path / "opened.mbg")
        loaded = mb.load(tmp_path / "opened.mbg")
        assert loaded.sheet.origins == opened.sheet.origins
        system = mb.compile(loaded)
        assert system.mechanism.joints == ("hip",) and tuple(system.reactions()) == ("hip",)
        assert system.drives()["hip"] == 2.0
        assert str(system.dae.tree) == "tree: hip; cut: none"


def solids() -> mb.Model:
    model = mb.Model("solids")
    end = model.add(sp.World()).frame
    box = sp.Box("box", (0.5, 0, 0), width=0.1, height=0.2)
    for k, part in enumerate(
        (box, sp.Cylinder("cylinder", (0, 0.4, 0), diameter=0.1), sp.Sphere("ball", diameter=0.3))
    ):
        joint, solid = model.add(sp.Revolute(f"j{k}", angle=0.1 * k)), model.add(part)
        model.connect(end, joint.frame_a)
        model.connect(joint.frame_b, solid.frame_a)
        end = solid.frame_a if part.name == "ball" else solid.frame_b
    return model


def looks(model: mb.Model) -> dict[str, Form | None]:
    machine = machine_of(mb.simulate(model, 1e-3), np.array([0.0, 1e-3]))
    assert machine is not None
    return {body.name: body.form for body in machine.bodies}


def test_solids_keep_their_form_when_opened(tmp_path: Path) -> None:
    """Boxes, cylinders and spheres are shown as such, opened and in files too."""
    model = solids()
    wanted = looks(model)
    kinds = {name: form and (form.kind, form.sizes) for name, form in wanted.items()}
    assert kinds == {"box": ("box", (0.1, 0.2)), "cylinder": ("cylinder", (0.1,)), "ball": ("sphere", (0.3,))}
    assert looks(model.open()) == wanted
    save(model.open(), tmp_path / "solids.mbg")
    assert looks(mb.load(tmp_path / "solids.mbg")) == wanted


@pytest.mark.parametrize("wrong", [{"sizes": [0.1]}, {"across": [0, 0, 0]}, {"kind": "cone"}, {"along": [1.0]}])
def test_a_form_in_a_file_that_is_none(wrong: dict[str, Any]) -> None:
    data = to_data(solids().open())
    entry = next(c for c in data["components"] if c.get("origin", {}).get("form", {}).get("kind") == "box")
    entry["origin"]["form"] |= wrong
    with pytest.raises(FileError):
        from_data(data)


def test_files_without_it_stand_for_themselves() -> None:
    opened = pendulum().open()
    opened.sheet = type(opened.sheet)(**{**vars(opened.sheet), "origins": {}})
    assert mb.compile(opened).mechanism.joints == ("hip-motion",)


def test_models_as_parts_groups_and_removal() -> None:
    robot, opened = mb.Model("robot"), pendulum().open()
    robot.add(opened, name="leg")
    graph = expand(robot)
    assert [graph.joint(path) for path, _ in graph.of_type(FreeMotion)] == ["leg.hip"]
    group(opened, [c.name for c in opened.components if c.name.startswith("hip")], "part")
    graph = expand(opened)
    assert [graph.joint(path) for path, _ in graph.of_type(FreeMotion)] == ["part.hip"]
    opened = pendulum().open()
    opened.remove("hip-drive")
    assert not any(origin.role == DRIVE for origin in opened.sheet.origins.values())
    opened.undo()
    assert any(origin.role == DRIVE for origin in opened.sheet.origins.values())


def test_a_part_with_several_motions_names_each() -> None:
    model = mb.Model("m")
    model.add(sp.World())
    assert expand(model).joint("world.motion") == "world.motion"
