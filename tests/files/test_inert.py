"""Unknown types become inert boxes: listed, drawn, moved and saved back unchanged, but never run."""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any

import pytest

import multibond as mb
from multibond import spatial as sp
from multibond.errors import FileError, ModelError, MultibondError
from multibond.graph.file import from_data, load, save, to_data, to_text
from multibond.graph.inert import Inert, Socket

FILE: dict[str, Any] = {
    "format": "multibond",
    "version": 1,
    "name": "robot",
    "size": None,
    "components": [
        {"name": "world", "type": "spatial.World"},
        {
            "name": "drive",
            "type": "my_parts.Motor",
            "parameters": {
                "gain": 1,
                "ratio": 1.0,
                "table": [[0.1, 1e-300], [], {"a": None, "ü": True}],
                "large": 10**100,
                "text": "yes: \u2028",
                "minus": -0.0,
                "none": {},
            },
        },
        {"name": "plain", "type": "Gadget"},
        {
            "name": "leg",
            "type": "Model",
            "size": None,
            "components": [{"name": "hip", "type": "spatial.Revolut", "parameters": {}}],
            "exposed": {"top": "hip.frame_a"},
            "layout": {"hip": [1.0, 2.0]},
        },
        {"name": "flow", "type": "One"},
        {"name": "travel", "type": "Dq"},
    ],
    "connections": [["world.frame", "drive.base", "leg.top"], ["drive.tip", "plain.tip"]],
    "bonds": [{"from": "drive.shaft", "to": "flow", "size": 3}, {"from": "flow", "to": "travel"}],
    "signals": [["drive.value[2]", "plain.in"], ["travel.value", "drive"]],
    "equalities": [["plain.pose", "drive.pose"]],
    "exposed": {"out": "plain.out-let"},
    "layout": {"drive": [0.0, 1.0]},
    "names": {"drive.speed": "drive.shaft.f"},
}


def test_a_file_comes_back_byte_by_byte(tmp_path: Path) -> None:
    first, second = tmp_path / "first.mbg", tmp_path / "second.mbg"
    first.write_text(to_text(FILE), encoding="utf-8")
    save(load(first), second)
    assert first.read_bytes() == second.read_bytes()
    save(load(first), tmp_path / "third.yaml")
    save(load(tmp_path / "third.yaml"), second)
    assert first.read_bytes() == second.read_bytes()


def test_a_box_has_the_ports_that_the_file_names() -> None:
    model = from_data(FILE)
    drive, plain = model["drive"], model["plain"]
    assert isinstance(drive, Inert) and isinstance(plain, Inert)
    assert [p.name for p in drive.ports()] == ["base", "tip", "value", "pose", "shaft"]
    assert [p.name for p in plain.ports()] == ["tip", "in", "pose", "out-let"]
    assert all(isinstance(port, Socket) for port in model["leg"].ports())
    assert plain.given is None and drive.type_name == "my_parts.Motor"
    assert repr(drive) == "Inert('drive', type_name='my_parts.Motor')"


def test_a_box_keeps_its_values_whatever_happens_to_the_data() -> None:
    data = copy.deepcopy(FILE)
    model = from_data(data)
    data["components"][1]["parameters"]["table"].clear()
    written = to_data(model)
    assert written == FILE
    written["components"][1]["parameters"]["table"].clear()
    assert to_data(model) == FILE


def test_a_model_with_boxes_can_be_edited_and_undone() -> None:
    model = from_data(FILE)
    model.rename("drive", "motor")
    model.connect("motor.base", "world.frame")
    model.add(sp.Revolute("knee"))
    model.connect("motor.tip", "knee.frame_a")
    changed = to_data(model)
    assert changed["components"][1] == {**FILE["components"][1], "name": "motor"}
    assert changed["connections"][-1] == ["motor.tip", "knee.frame_a"]
    for _ in range(4):
        model.undo()
    assert to_data(model) == FILE
    model.remove("drive")
    assert [c.name for c in model.components] == ["world", "plain", "leg", "flow", "travel"]


@pytest.mark.parametrize("word", ["my\0_parts", "my parts", "x; rm", "\u202e"])
def test_what_is_no_module_is_offered_as_none(word: str) -> None:
    """The name of a type stands in a file, so anything may stand there: it is shown in quotes, or not at all."""
    data = {"format": "multibond", "version": 1, "name": "m", "components": [{"name": "a", "type": f"{word}.Motor"}]}
    with pytest.raises(ModelError) as caught:
        mb.check(from_data(data))
    assert str(caught.value).endswith("Give the module that defines it, with types= or --with.")
    assert str(caught.value).replace("\n", "").isprintable()


def test_a_model_with_boxes_is_drawn() -> None:
    picture = mb.draw(from_data(FILE))
    assert "my_parts.Motor" in picture and "Gadget" in picture


TEXT = (
    "component 'drive' is of an unknown type 'my_parts.Motor'.\n"
    "  It is an inert box: kept as it is, but without a law.\n"
    "  Give the module that defines it: types=my_parts, or --with my_parts.\n"
    "component 'plain' is of an unknown type 'Gadget'.\n"
    "  It is an inert box: kept as it is, but without a law.\n"
    "  Give the module that defines it, with types= or --with.\n"
    "component 'leg.hip' is of an unknown type 'spatial.Revolut'.\n"
    "  It is an inert box: kept as it is, but without a law. Nearest: 'spatial.Revolute'.\n"
    "  Correct the name of the type."
)


def test_a_check_names_every_box_its_type_and_the_cure() -> None:
    model = from_data(FILE)
    with pytest.raises(ModelError) as caught:
        mb.check(model)
    assert str(caught.value) == TEXT
    assert caught.value.paths == ("drive", "plain", "leg.hip")


def test_all_that_needs_a_law_refuses_a_box() -> None:
    model = from_data(FILE)
    for do in (
        mb.compile,
        mb.causality,
        mb.expand,
        lambda m: mb.simulate(m, 1.0),
        lambda m: mb.draw(m, depth=2),
        lambda m: mb.draw(m, depth=3),
    ):
        with pytest.raises(MultibondError, match=r"component 'drive' is of an unknown type 'my_parts\.Motor'\."):
            do(model)
    with pytest.raises(ModelError, match=r"component 'leg\.hip' is of an unknown type"):
        mb.expand(from_data({**FILE, "components": FILE["components"][3:4], **NOTHING}))


NOTHING: dict[str, Any] = {
    **{key: [] for key in ("connections", "bonds", "signals", "equalities")},
    **{key: {} for key in ("exposed", "layout", "names")},
}


def test_unknown_types_can_be_refused(tmp_path: Path) -> None:
    path = tmp_path / "robot.mbg"
    path.write_text(to_text(FILE), encoding="utf-8")
    with pytest.raises(FileError) as caught:
        mb.load(path, strict=True)
    assert str(caught.value) == TEXT


def test_the_plain_name_of_a_part_leads_to_its_library() -> None:
    components = [{"name": "hip", "type": "Revolute"}]
    with pytest.raises(ModelError, match=r"Nearest: 'planar\.Revolute', 'spatial\.Revolute'"):
        mb.check(from_data({**FILE, "components": components, **NOTHING}))


BROKEN: list[tuple[str, dict[str, Any], str]] = [
    (
        "what does not fit beside a box",
        {"connections": [["drive.x", "world.frame", "flow.any"]]},
        "'flow.any' cannot be connected.",
    ),
    ("no port", {"connections": [["drive", "world.frame"]]}, "connections[0] ends at 'drive', which is not there."),
    ("odd port", {"connections": [["drive.a b", "world.frame"]]}, "connections[0] ends at 'drive.a b', which is not"),
    ("part of a frame", {"connections": [["drive.a.b", "world.frame"]]}, "connections[0] ends at 'drive.a.b', which"),
    ("target with index", {"signals": [["drive.a", "plain.b[1]"]]}, "signals[0] ends at 'plain.b[1]', which is not"),
    ("odd index", {"signals": [["drive.a[-1]", "plain.b"]]}, "signals[0] ends at 'drive.a[-1]', which is not there."),
]


@pytest.mark.parametrize(("change", "text"), [row[1:] for row in BROKEN], ids=[row[0] for row in BROKEN])
def test_faults_at_a_box(change: dict[str, Any], text: str) -> None:
    with pytest.raises(FileError) as caught:
        from_data({**FILE, **change})
    assert text in str(caught.value)


@pytest.mark.parametrize("value", [float("nan"), float("inf"), [1.0, {"a": [-float("inf")]}]])
def test_a_box_keeps_no_number_that_no_file_can_hold(value: Any) -> None:
    data = copy.deepcopy(FILE)
    data["components"][1]["parameters"] = {"gain": value}
    with pytest.raises(FileError) as caught:
        from_data(data)
    assert "It must be finite, at components[1].parameters.gain" in str(caught.value)
    assert caught.value.paths == ("drive",)
