"""Library parts: a model in a file of its own, used many times in others, with inner parameters changed by each use."""

from __future__ import annotations

import copy
import json
import os
from pathlib import Path
from typing import Any

import pytest

import multibond as mb
from multibond import spatial as sp
from multibond.errors import FileError, ModelError
from multibond.graph import shelf
from multibond.graph.file import from_data, load, save, schema, to_data, to_text

from .samples import content
from .test_schema import fits

EMPTY: dict[str, Any] = {"format": "multibond", "version": 1, "name": "m", "components": []}


def leg() -> mb.Model:
    """A hinge with a foot."""
    model = mb.Model("leg")
    hip = model.add(sp.Revolute("hip", angle=0.3))
    foot = model.add(sp.Body("foot", mass=1.0, inertia=(0.1, 0.1, 0.1), centre=(0, -0.5, 0)))
    model.connect(hip.frame_b, foot.frame)
    model.expose("top", hip.frame_a)
    return model


def robot(part: mb.Model) -> mb.Model:
    """Two legs of one kind, the right one heavier."""
    model = mb.Model("robot")
    world, left, right = model.add(sp.World()), model.add(part, name="left"), model.add(part, name="right")
    model.connect(world.frame, left.top, right.top)
    model.set("right.foot.mass", 2.0)
    return model


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A leg in parts/, and a robot that uses it twice."""
    (tmp_path / "parts").mkdir()
    save(leg(), tmp_path / "parts" / "leg.mbg")
    save(robot(mb.load(tmp_path / "parts" / "leg.mbg")), tmp_path / "robot.mbg")
    return tmp_path


def components(path: Path) -> list[dict[str, Any]]:
    """The entries of a JSON file."""
    return json.loads(path.read_text(encoding="utf-8"))["components"]


def write(path: Path, *entries: dict[str, Any], **more: Any) -> Path:
    """A model file with these components."""
    path.write_text(to_text({**EMPTY, "components": list(entries), **more}), encoding="utf-8")
    return path


def use(file: Any, name: str = "part", **parameters: Any) -> dict[str, Any]:
    """An entry that uses a file."""
    return {"name": name, "type": "Model", "file": file, **({"parameters": parameters} if parameters else {})}


def refused(path: Path) -> FileError:
    """The error that opening a file gives."""
    with pytest.raises(FileError) as caught:
        load(path)
    return caught.value


# -- use ---------------------------------------------------------------------------------------------------------------


def test_a_use_is_written_as_a_reference(folder: Path) -> None:
    assert components(folder / "robot.mbg")[1:] == [
        {"name": "left", "type": "Model", "file": "parts/leg.mbg"},
        {"name": "right", "type": "Model", "file": "parts/leg.mbg", "parameters": {"foot.mass": 2.0}},
    ]
    assert fits(json.loads((folder / "robot.mbg").read_text(encoding="utf-8")), schema())


@pytest.mark.parametrize("suffix", [".mbg", ".yaml"])
def test_a_reference_comes_back_and_is_kept(suffix: str, folder: Path) -> None:
    found = mb.load(folder / "robot.mbg")
    expected = robot(leg())
    assert content(found) == content(expected)
    save(found, folder / f"first{suffix}")
    save(mb.load(folder / f"first{suffix}"), folder / "second.mbg")
    assert (folder / "second.mbg").read_bytes() == (folder / "robot.mbg").read_bytes()


def test_a_robot_of_library_parts_moves_like_one_drawn_out(folder: Path) -> None:
    used, drawn = mb.compile(mb.load(folder / "robot.mbg")), mb.compile(robot(leg()))
    assert used.x0.tobytes() == drawn.x0.tobytes()
    assert used.derivative(used.x0).tobytes() == drawn.derivative(drawn.x0).tobytes()


def test_a_changed_file_changes_every_use_but_what_the_use_gives(folder: Path) -> None:
    heavier = leg()
    heavier.set("foot.mass", 7.0)
    heavier.set("hip.damping", 0.5)
    save(heavier, folder / "parts" / "leg.mbg")
    found = mb.load(folder / "robot.mbg")
    values = to_data(found)["components"]
    assert [entry["components"][1]["parameters"]["mass"] for entry in values[1:]] == [7.0, 2.0]
    assert [entry["components"][0]["parameters"]["damping"] for entry in values[1:]] == [0.5, 0.5]


def test_what_a_use_gives_stays_given_where_the_file_has_the_same(folder: Path) -> None:
    changed = leg()
    changed.set("foot.mass", 2.0)
    save(changed, folder / "parts" / "leg.mbg")
    save(mb.load(folder / "robot.mbg"), folder / "again.mbg")
    assert (folder / "again.mbg").read_bytes() == (folder / "robot.mbg").read_bytes()


def test_every_kind_of_value_can_be_changed(folder: Path) -> None:
    model = robot(mb.load(folder / "parts" / "leg.mbg"))
    model.set("left.hip.axis", (1.0, 2.0, 2.0))
    model.set("left.hip.angle", mb.Guess(0.25))
    model.set("left.foot.centre", (0.1, 0.2, 0.3))
    model.set("left.hip.torque", 0.0)
    model.set("right.hip.angle", -0.0)
    save(model, folder / "other.mbg")
    assert components(folder / "other.mbg")[1]["parameters"] == {
        "hip.axis": [1 / 3, 2 / 3, 2 / 3],
        "hip.angle": {"guess": 0.25},
        "hip.torque": 0.0,
        "foot.centre": [0.1, 0.2, 0.3],
    }
    assert content(mb.load(folder / "other.mbg")) == content(model)
    model.set("left.hip.torque", None)
    save(model, folder / "other.mbg")
    assert "hip.torque" not in components(folder / "other.mbg")[1]["parameters"]


def test_values_of_one_component_are_changed_together(folder: Path) -> None:
    """The axes of a universal joint stand at right angles, so that neither could be turned alone."""
    one = mb.Model("leg")
    one.add(sp.Universal("joint", axis=(1, 2, 2), second_axis=(2, 1, -2)))
    save(one, folder / "parts" / "leg.mbg")
    path = write(folder / "m.mbg", use("parts/leg.mbg", **{"joint.axis": "y", "joint.second_axis": "z"}))
    inner = to_data(mb.load(path))["components"][0]["components"][0]
    assert inner["parameters"] == {"axis": "y", "second_axis": "z"}
    assert len(refused(write(path, use("parts/leg.mbg", **{"joint.axis": "y"}))).findings) == 1


def test_a_part_within_a_part_within_a_part(folder: Path) -> None:
    body = mb.Model("body", size=3)
    body.add(mb.load(folder / "robot.mbg"), name="walker")
    save(body, folder / "body.yaml")
    machine = mb.Model("machine")
    machine.add(mb.load(folder / "body.yaml"), name="first")
    machine.set("first.walker.left.foot.mass", 9.0)
    save(machine, folder / "machine.mbg")
    assert components(folder / "machine.mbg") == [use("body.yaml", "first", **{"walker.left.foot.mass": 9.0})]
    found = mb.load(folder / "machine.mbg")
    assert content(found) == content(machine)
    assert found["first"].size == 3  # type: ignore[attr-defined]


def test_what_a_reference_cannot_say_is_written_out(folder: Path) -> None:
    part = mb.load(folder / "parts" / "leg.mbg")
    part.add(sp.Body("toe", mass=0.1))
    save(robot(part), folder / "other.mbg")
    assert all("components" in entry for entry in components(folder / "other.mbg")[1:])
    assert content(mb.load(folder / "other.mbg")) == content(robot(part))


def test_a_part_saved_to_its_own_file_stays_a_reference(folder: Path) -> None:
    part = mb.load(folder / "parts" / "leg.mbg")
    part.add(sp.Body("toe", mass=0.1))
    save(part, folder / "parts" / "leg.mbg")
    save(robot(part), folder / "other.mbg")
    assert all("file" in entry for entry in components(folder / "other.mbg")[1:])
    assert content(mb.load(folder / "other.mbg")) == content(robot(part))


def test_a_part_from_elsewhere_is_written_out(folder: Path) -> None:
    found = mb.load(folder / "robot.mbg")
    save(found, folder / "parts" / "inner.mbg")
    assert components(folder / "parts" / "inner.mbg")[1] == use("leg.mbg", "left")
    (folder / "beside").mkdir()
    save(found, folder / "beside" / "robot.mbg")
    assert all("components" in entry for entry in components(folder / "beside" / "robot.mbg")[1:])
    assert content(mb.load(folder / "beside" / "robot.mbg")) == content(found)
    assert all("components" in entry for entry in to_data(found)["components"][1:])


def test_no_file_is_made_to_contain_itself(folder: Path) -> None:
    found = mb.load(folder / "robot.mbg")
    save(found, folder / "parts" / "leg.mbg")
    assert content(mb.load(folder / "parts" / "leg.mbg")) == content(found)
    outer = mb.Model("outer")
    outer.add(found, name="robot")
    save(outer, folder / "parts" / "leg.mbg")
    assert content(mb.load(folder / "parts" / "leg.mbg")) == content(outer)


def test_a_file_is_read_once(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[str] = []

    def counted(path: Path) -> Any:
        read.append(path.name)
        return original(path)

    original = shelf.read_data
    monkeypatch.setattr(shelf, "read_data", counted)
    write(folder / "many.mbg", *(use("parts/leg.mbg", f"leg{k}") for k in range(20)))
    mb.load(folder / "many.mbg")
    assert read == ["many.mbg", "leg.mbg"]


def test_boxes_inside_a_part_can_be_changed(folder: Path) -> None:
    write(folder / "part.mbg", {"name": "drive", "type": "my.Motor", "parameters": {"gain": 1, "sign": -1}})
    path = write(folder / "m.mbg", use("part.mbg", **{"drive.gain": [2, "x"], "drive.new": None}), size=None)
    found = mb.load(path)
    assert found["part"].sheet.components[0].given == {"gain": [2, "x"], "sign": -1, "new": None}  # type: ignore
    save(found, folder / "again.mbg")
    assert components(folder / "again.mbg") == components(path)
    with pytest.raises(ModelError, match=r"component 'part\.drive' is of an unknown type 'my\.Motor'\."):
        mb.check(found)


def test_plain_data_with_a_folder(folder: Path) -> None:
    data = json.loads((folder / "robot.mbg").read_text(encoding="utf-8"))
    assert content(from_data(data, folder=folder)) == content(robot(leg()))
    with pytest.raises(FileError) as caught:
        from_data(data)
    assert str(caught.value.findings[0]) == (
        "component 'left' cannot be opened.\n"
        "  It stands in 'parts/leg.mbg', and nobody has said in which folder.\n"
        "  Open the model from its file."
    )


# -- faults ------------------------------------------------------------------------------------------------------------

OUTSIDE = [
    "/etc/passwd",
    "/tmp/leg.mbg",
    "../leg.mbg",
    "parts/../parts/leg.mbg",
    "parts/../../leg.mbg",
    "..",
    ".",
    "parts",
    "parts/leg.txt",
    "parts\\leg.mbg",
    "C:leg.mbg",
    "file:parts/leg.mbg",
    "https://host/leg.mbg",
    "leg\0.mbg",
    "leg\n.mbg",
    "out/leg.mbg",
    "out.mbg",
]


@pytest.mark.parametrize("file", OUTSIDE)
def test_no_path_leads_out_of_the_folder(file: str, folder: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    other = tmp_path_factory.mktemp("other")
    save(leg(), other / "leg.mbg")
    (folder / "out").symlink_to(other)
    (folder / "out.mbg").symlink_to(other / "leg.mbg")
    error = refused(write(folder / "m.mbg", use(file)))
    assert [f.problem for f in error.findings] == [f"component 'part' cannot be taken from {file!r}."]
    assert error.paths == ("part",)


def test_the_text_of_a_path_that_leads_out(folder: Path) -> None:
    assert str(refused(write(folder / "m.mbg", use("../leg.mbg")))) == (
        "component 'part' cannot be taken from '../leg.mbg'.\n"
        "  A library part is a file (.mbg, .json, .yaml, .yml) in the folder of the opened model or below it.\n"
        "  Give a path such as 'parts/leg.mbg'."
    )


def test_a_link_within_the_folder_is_a_file_like_others(folder: Path) -> None:
    (folder / "link.mbg").symlink_to(folder / "parts" / "leg.mbg")
    assert content(mb.load(write(folder / "m.mbg", use("link.mbg", "leg"))))["components"] == [content(leg())]


def test_a_part_that_is_not_there(folder: Path) -> None:
    assert str(refused(write(folder / "m.mbg", use("parts/lag.mbg")))) == (
        "component 'part' stands in 'parts/lag.mbg', which is not there.\n"
        "  Models there: leg.mbg.\n"
        "  Check the name and the folder."
    )


def test_a_path_that_is_too_long(folder: Path) -> None:
    for file in ("a" * 300 + ".mbg", "b" * 300 + "/a.mbg", "c/" * 3000 + "a.mbg"):
        error = refused(write(folder / "m.mbg", use(file)))
        assert len(error.findings) == 1 and error.paths == ("part",) and len(str(error)) < 1000


def test_a_file_that_contains_itself(folder: Path) -> None:
    error = refused(write(folder / "a.mbg", use("a.mbg")))
    assert str(error) == (
        "'a.mbg' contains itself in component 'part'.\n  a.mbg → a.mbg.\n  Take one of these files out of the other."
    )
    write(folder / "a.mbg", use("b.yaml", "b"))
    (folder / "b.yaml").write_text(
        "{format: multibond, version: 1, name: b, components: [{name: c, type: Model, file: parts/c.mbg}]}"
    )
    write(folder / "parts" / "c.mbg", use("leg.mbg", "leg"))
    mb.load(folder / "a.mbg")
    (folder / "parts" / "c.mbg").unlink()
    os.link(write(folder / "c.mbg", use("a.mbg", "a")), folder / "parts" / "c.mbg")
    (folder / "parts" / "a.mbg").symlink_to(folder / "a.mbg")
    error = refused(folder / "a.mbg")
    assert str(error) == (
        "in 'parts/c.mbg': 'a.mbg' contains itself in component 'a'.\n"
        "  a.mbg → b.yaml → c.mbg → a.mbg.\n"
        "  Take one of these files out of the other."
    )
    assert error.paths == ("b.c.a",)


def test_faults_of_a_part_are_told_once_with_their_file(folder: Path) -> None:
    write(folder / "parts" / "bad.mbg", {"name": "hip", "type": "spatial.Revolute", "parameters": {"angel": 1}}, x=1)
    write(folder / "middle.mbg", use("parts/bad.mbg", "a"), use("parts/bad.mbg", "b"))
    path = write(folder / "m.mbg", use("middle.mbg"), use("middle.mbg", "second"), {"name": "x", "type": 3})
    error = refused(path)
    assert [f.problem for f in error.findings] == [
        "component 'x' cannot have 3 at components[2].type.",
        "in 'parts/bad.mbg': the model has an unknown entry 'x'.",
        "in 'parts/bad.mbg': component 'hip': Revolute has no parameter 'angel'.",
    ]
    assert error.paths == ("x", "part.a", "part.a.hip")
    (folder / "parts" / "bad.mbg").write_text("{", encoding="utf-8")
    assert [f.problem for f in refused(path).findings][1:] == ["in 'parts/bad.mbg': 'bad.mbg' is not JSON."]
    (folder / "parts" / "bad.mbg").unlink()
    (folder / "parts" / "bad.mbg").symlink_to(folder / "parts" / "bad.mbg")
    assert "Too many levels of symbolic links." in str(refused(path))


CHANGES: list[tuple[dict[str, Any], str, str]] = [
    ({"foot.mass": -1}, "Body 'foot': mass cannot be -1.0.", "part.foot"),
    ({"foot.mas": 1}, "component 'part.foot': Body has no parameter 'mas'.", "part.foot"),
    ({"fot.mass": 1}, "component 'part' has no 'fot.mass' to change.\n  Nearest: 'foot'.", "part"),
    ({"foot": 1}, "component 'part' has no 'foot' to change.", "part"),
    ({"": 1}, "component 'part' has no '' to change.", "part"),
    ({"foot.mass.x": 1}, "component 'part' has no 'foot.mass.x' to change.", "part"),
    (
        {"foot.mass": "x"},
        "mass cannot be 'x'.\n  It must be a number, not text, at components[0].parameters.foot.mass.",
        "part.foot",
    ),
    ({"foot.name": "x"}, "component 'part.foot': Body has no parameter 'name'.", "part.foot"),
]


@pytest.mark.parametrize(("change", "text", "path"), CHANGES, ids=[str(row[0]) for row in CHANGES])
def test_changes_that_cannot_be_made(change: dict[str, Any], text: str, path: str, folder: Path) -> None:
    error = refused(write(folder / "m.mbg", use("parts/leg.mbg", **change)))
    assert len(error.findings) == 1 and text in str(error) and error.paths == (path,)


def test_wrong_entries_of_a_use(folder: Path) -> None:
    entry = use("parts/leg.mbg")
    for wrong in ({"size": 3}, {"components": []}, {"file": 3}, {"file": ""}, {"file": None}, {"parameters": []}):
        error = refused(write(folder / "m.mbg", {**entry, **wrong}))
        assert len(error.findings) == 1 and error.paths == ("part",)
        assert not fits({**EMPTY, "components": [{**entry, **wrong}]}, schema())


def test_parts_within_parts_have_a_floor(folder: Path) -> None:
    write(folder / "l50.mbg", {"name": "one", "type": "One"})
    for k in range(50):
        write(folder / f"l{k}.mbg", use(f"l{k + 1}.mbg"))
    assert load(folder / "l0.mbg").library.height == 51  # type: ignore[union-attr]
    assert "nested too deep" in str(refused(write(folder / "top.mbg", use("l0.mbg"))))
    backwards = [use(f"l{k}.mbg", f"part{k}") for k in range(50, -1, -1)]
    assert "nested too deep" in str(refused(write(folder / "top.mbg", *backwards)))


def test_a_few_small_files_cannot_fill_the_memory(folder: Path) -> None:
    write(folder / "l20.mbg", {"name": "one", "type": "One"})
    for k in range(20):
        write(folder / f"l{k}.mbg", *(use(f"l{k + 1}.mbg", f"part{j}") for j in range(10)))
    assert str(refused(folder / "l0.mbg")).startswith(
        "in 'l14.mbg': 'l14.mbg' is too large for a model.\n"
        "  With all library parts it has 2.11e+06 components; the limit is 1e+06.\n"
    )
    assert load(folder / "l15.mbg").library.count == 211_110  # type: ignore[union-attr]


def test_a_model_of_many_exposed_ports_within_models_is_opened_at_once() -> None:
    names = [f"p{k}" for k in range(10)]
    data: dict[str, Any] = {
        **copy.deepcopy(EMPTY),
        "components": [{"name": "box", "type": "my.Box"}],
        "exposed": {name: f"box.{name}" for name in names},
    }
    for _ in range(40):
        inner = {"name": "inner", "type": "Model"} | {k: data[k] for k in ("components", "exposed")}
        data = {**EMPTY, "components": [inner], "exposed": {name: f"inner.{name}" for name in names}}
    assert [p.name for p in from_data(data)["inner"].ports()] == names
