"""Broken files: every fault at once, with its place, the fact and the cure; never half a model."""

from __future__ import annotations

import copy
import json
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from multibond.errors import FileError
from multibond.graph.file import from_data, load, to_data, to_text
from multibond.graph.model import Model
from multibond.graph.place import MOST

from .samples import nested

GOOD: dict[str, Any] = {
    "format": "multibond",
    "version": 1,
    "name": "arm",
    "components": [
        {"name": "world", "type": "spatial.World"},
        {"name": "hip", "type": "spatial.Revolute", "parameters": {"angle": 0.5}},
        {"name": "foot", "type": "spatial.Body", "parameters": {"mass": 1.0}},
    ],
    "connections": [["world.frame", "hip.frame_a"], ["hip.frame_b", "foot.frame"]],
}

Change = Callable[[dict[str, Any]], Any]


def hip(**parameters: Any) -> Change:
    """Other parameters for the hip."""
    return lambda data: data["components"][1].update(parameters=parameters)


def put(key: str, value: Any) -> Change:
    """Another entry at the top level."""
    return lambda data: data.update({key: value})


def entry(index: int, **values: Any) -> Change:
    """Other entries of a component."""
    return lambda data: data["components"][index].update(values)


def drop(*steps: Any) -> Change:
    """Remove what stands at a place."""

    def change(data: Any) -> None:
        for step in steps[:-1]:
            data = data[step]
        del data[steps[-1]]

    return change


BROKEN: list[tuple[str, Change, str]] = [
    (
        "no format",
        drop("format"),
        "this is no multibond model.\n"
        '  It does not say "format": "multibond" at the top level.\n'
        "  Open a file written by multibond, or add the entry.",
    ),
    (
        "newer version",
        put("version", 2),
        "this file is of a newer format.\n  It says version 2; this multibond reads 1.\n  Install a newer multibond.",
    ),
    (
        "older version",
        put("version", 0),
        "this file is of an older format.\n"
        "  It says version 0; this multibond reads 1.\n"
        "  Open it with the multibond that wrote it, and save it anew.",
    ),
    (
        "version in words",
        put("version", "1.0"),
        "this version of the file format is not known.\n"
        "  It says version '1.0'; this multibond reads 1.\n"
        '  Write "version": 1.',
    ),
    (
        "version that is no count",
        put("version", True),
        "this version of the file format is not known.\n"
        "  It says version True; this multibond reads 1.\n"
        '  Write "version": 1.',
    ),
    (
        "no version",
        drop("version"),
        "this version of the file format is not known.\n"
        "  It says no version; this multibond reads 1.\n"
        '  Write "version": 1.',
    ),
    (
        "unknown parameter",
        hip(dampng=1.0),
        "component 'hip': Revolute has no parameter 'dampng'.\n"
        "  Nearest: 'damping'. It stands at components[1].parameters.\n"
        "  Correct or remove it.",
    ),
    (
        "text for a number",
        hip(damping="much"),
        "component 'hip': damping cannot be 'much'.\n"
        "  It must be a number, not text, at components[1].parameters.damping.\n"
        "  Give a possible value for damping.",
    ),
    (
        "digits in quotes",
        hip(angle="0.5"),
        "component 'hip': angle cannot be '0.5'.\n"
        "  It must be a number, not text, at components[1].parameters.angle.\n"
        "  Give a possible value for angle.",
    ),
    (
        "a length for an angle",
        hip(angle="30 mm"),
        "component 'hip': angle cannot be '30 mm'.\n"
        "  The unit 'mm' measures something else, at components[1].parameters.angle.\n"
        "  Give a possible value for angle.",
    ),
    (
        "not a number",
        hip(angle=float("nan")),
        "component 'hip': angle cannot be nan.\n"
        "  It must be finite, at components[1].parameters.angle.\n"
        "  Give a possible value for angle.",
    ),
    (
        "a number beyond all floats",
        hip(angle=10**400),
        "component 'hip': angle cannot be 10000000000000000000000000000000000000 ….\n"
        "  It must be finite, at components[1].parameters.angle.\n"
        "  Give a possible value for angle.",
    ),
    (
        "a guess of what is no start value",
        hip(axis={"guess": 1.0}),
        "component 'hip': axis cannot be {'guess': 1.0}.\n"
        "  It cannot be guessed; start values can, and numbers that may change in a run,"
        " at components[1].parameters.axis.\n"
        "  Give a possible value for axis.",
    ),
    (
        "no axis",
        hip(axis=[0, 0, 0]),
        "component 'hip': axis cannot be [0, 0, 0].\n"
        "  An axis is 'x', 'y', 'z' or three numbers, not all zero, at components[1].parameters.axis.\n"
        "  Give a possible value for axis.",
    ),
    (
        "an impossible value",
        hip(damping=-1),
        "Revolute 'hip': damping cannot be -1.0.\n"
        "  It must not be negative (in N.m.s/rad).\n"
        "  Give a possible value for damping.",
    ),
    (
        "rows of different lengths",
        entry(2, parameters={"mass": 1.0, "inertia": [[1, 2], [3]]}),
        "component 'foot': inertia cannot be [[1, 2], [3]].\n"
        "  All rows of a matrix need the same number of numbers, at components[2].parameters.inertia.\n"
        "  Give a possible value for inertia.",
    ),
    (
        "a parameter that has no default",
        entry(2, parameters={}),
        "component 'foot': Body needs mass.\n"
        "  There is no such entry in components[2].parameters.\n"
        "  Add it; there is no default.",
    ),
    (
        "half a size",
        put("components", [{"name": "sum", "type": "DirectSum", "parameters": {"first": 1.5}}]),
        "component 'sum': first cannot be 1.5.\n"
        "  It must be a whole number, at components[0].parameters.first.\n"
        "  Give a possible value for first.\n",
    ),
    (
        "a count beyond all machines",
        put("components", [{"name": "sum", "type": "One", "parameters": {"size": 10**9}}]),
        "component 'sum': size cannot be 1000000000.\n"
        "  A count goes up to 1000, at components[0].parameters.size.\n"
        "  Give a possible value for size.\n",
    ),
    (
        "a matrix beyond all machines",
        put("components", [{"name": "field", "type": "R", "parameters": {"resistance": [[1.0]] * 1001}}]),
        "component 'field': resistance cannot be [[1.0], [1.0], [1.0], [1.0], [1.0], [1 ….\n"
        "  A matrix has at most 1000 rows and columns, at components[0].parameters.resistance.\n"
        "  Give a possible value for resistance.\n",
    ),
    (
        "a name with a dot",
        entry(0, name="the.world"),
        "'the.world' cannot be the name of a World.\n"
        "  Names are made of letters, digits, '_' and '-'; the dot separates levels.\n"
        "  Choose another name.\n",
    ),
    (
        "two of one name",
        entry(2, name="hip"),
        "two components are named 'hip'.\n  They are components[1] and components[2].\n  Give each its own name.\n",
    ),
    (
        "connection to no component",
        put("connections", [["world.frame", "hop.frame_a"]]),
        "connections[0] ends at 'hop.frame_a', which is not there.\n"
        "  Nearest: 'hip'.\n"
        "  Name a component of this model.",
    ),
    (
        "connection to no port",
        put("connections", [["world.frame", "hip.frame_c"]]),
        "connections[0] ends at 'hip.frame_c', which is not there.\n"
        "  Revolute 'hip' has the ports frame_a, frame_b, flange, coordinate.\n"
        "  Name one of its ports.",
    ),
    (
        "connection of two kinds",
        put("connections", [["world.frame", "hip.flange"]]),
        "cannot connect 'world.frame' to 'hip.flange'.\n"
        "  'world.frame' is a mechanical frame; 'hip.flange' is a rotation port of 1. It stands at connections[0].\n"
        "  Connect ports of one kind, or put a converting part between them.",
    ),
    (
        "connection of a port to itself",
        put("connections", [["world.frame", "hip.frame_a"], ["hip.frame_b", "hip.frame_b"]]),
        "cannot connect 'hip.frame_b' to itself.\n"
        "  The connection names it 2 times, among 2 ends. It stands at connections[1].\n"
        "  Name the port that 'hip.frame_b' is to be joined to, each port once.",
    ),
    (
        "bond to a part without its port",
        put("bonds", [{"from": "world", "to": "hip.flange"}]),
        "bonds[0] ends at 'world', which is not there.\n  World 'world' has the ports frame.\n  Name one of its ports.",
    ),
    (
        "exposed port that is not there",
        put("exposed", {"top": "hip.frame"}),
        "exposed.top ends at 'hip.frame', which is not there.\n"
        "  Revolute 'hip' has the ports frame_a, frame_b, flange, coordinate.\n"
        "  Name one of its ports.",
    ),
    (
        "layout of nothing",
        put("layout", {"hop": [0, 0]}),
        "layout places 'hop', which is not there.\n  Nearest: 'hip'.\n  Correct or remove the entry.",
    ),
    (
        "missing entry",
        drop("components", 1, "type"),
        "component 'hip' has no entry 'type'.\n  It must stand at components[1].\n  Add 'type'.",
    ),
    (
        "unknown entry",
        entry(1, parameter={}),
        "component 'hip' has an unknown entry 'parameter'.\n"
        "  Nearest: 'parameters'. It stands at components[1].\n"
        "  Correct or remove it.",
    ),
    (
        "exposed under a name with a dot",
        put("exposed", {"top.most": "hip.frame_a"}),
        "exposed has a port 'top.most'.\n"
        "  Names are made of letters, digits, '_' and '-'; the dot separates levels.\n"
        "  Choose another name.",
    ),
    (
        "one component of a frame",
        put("connections", [["world.frame[0]", "hip.frame_a"]]),
        "connections[0] ends at 'world.frame[0]', which is not there.\n"
        "  World 'world' has the ports frame.\n"
        "  Name one of its ports.",
    ),
    (
        "a household name of nothing",
        put("names", {"hip.angle": "hop.q"}),
        "names.hip.angle stands for 'hop.q', which is not there.\n  Nearest: 'hip'.\n  Correct or remove the entry.",
    ),
    (
        "a size beyond all machines",
        put("size", 10**30),
        "the model cannot have 1000000000000000000000000000000 at size.\n"
        "  It should be less than or equal to 1000.\n"
        "  Correct the value.",
    ),
    (
        "unknown entry of a bond",
        put("bonds", [{"from": "hip.flange", "to": "hip.flange", "sise": 1}]),
        "the model has an unknown entry 'sise'.\n  Nearest: 'size'. It stands at bonds[0].\n  Correct or remove it.",
    ),
    (
        "wrong kind of entry",
        put("connections", [["world.frame", 3]]),
        "the model cannot have 3 at connections[0][1].\n  It should be a valid string.\n  Correct the value.",
    ),
    (
        "no list",
        put("components", {"hip": {}}),
        "the model cannot have {'hip': {}} at components.\n  It should be a valid list.\n  Correct the value.",
    ),
    (
        "component that is no object",
        put("components", ["hip"]),
        "components[0] cannot have 'hip' at components[0].\n  It should be a valid object.\n  Correct the value.",
    ),
    (
        "infinite layout",
        put("layout", {"hip": [0.0, float("inf")]}),
        "the model cannot have inf at layout.hip[1].\n  It should be a finite number.\n  Correct the value.",
    ),
]


@pytest.mark.parametrize(("change", "text"), [row[1:] for row in BROKEN], ids=[row[0] for row in BROKEN])
def test_broken_files_say_what_is_wrong(change: Change, text: str) -> None:
    data = copy.deepcopy(GOOD)
    from_data(data)
    change(data)
    with pytest.raises(FileError) as caught:
        from_data(data)
    assert text.rstrip("\n") in str(caught.value)
    if not text.endswith("\n"):
        assert str(caught.value) == text, "one fault, one finding"


def test_all_faults_are_told_at_once() -> None:
    data = copy.deepcopy(GOOD)
    data["colour"] = "red"
    data["components"][1]["parameters"] = {"damping": "x", "angel": 1}
    data["components"][2]["mass"] = 2
    data["connections"].append(["nobody.frame", "world.frame"])
    data["layout"] = {"nothing": [0, 0]}
    with pytest.raises(FileError) as caught:
        from_data(data)
    problems = [finding.problem for finding in caught.value.findings]
    assert sorted(problems) == [
        "component 'foot' has an unknown entry 'mass'.",
        "component 'hip': Revolute has no parameter 'angel'.",
        "component 'hip': damping cannot be 'x'.",
        "connections[2] ends at 'nobody.frame', which is not there.",
        "layout places 'nothing', which is not there.",
        "the model has an unknown entry 'colour'.",
    ]
    assert caught.value.paths == ("foot", "hip")


def test_faults_in_models_within_models_have_their_path() -> None:
    data = to_data(nested())
    inner = data["components"][1]
    inner["components"][1]["parameters"]["mass"] = -1
    inner["connections"].append(["hip.flange", "shin.frame"])
    with pytest.raises(FileError) as caught:
        from_data(data)
    assert caught.value.findings[0].problem == "Body 'shin': mass cannot be -1.0."
    assert caught.value.paths == ("leg.shin",)
    inner["components"][1]["parameters"]["mass"] = 1
    with pytest.raises(FileError) as caught:
        from_data(data)
    assert caught.value.paths == ("leg.hip.flange", "leg.shin.frame")


@pytest.mark.parametrize("text", ["-90deg", "-90 deg", "-90°", "-90.0 deg"])
def test_degrees_are_read(text: str) -> None:
    data = copy.deepcopy(GOOD)
    hip(lower=text)(data)
    assert getattr(from_data(data)["hip"], "lower") == math.radians(-90)  # noqa: B009 - a component of any type


@pytest.mark.parametrize("text", ["30 dm", "deg", "1e3 degrees", "0.5"])
def test_other_text_is_no_angle(text: str) -> None:
    data = copy.deepcopy(GOOD)
    hip(angle=text)(data)
    with pytest.raises(FileError, match="Give a possible value for angle"):
        from_data(data)


# -- text and disk -----------------------------------------------------------------------------------------------------


def broken(tmp_path: Path, text: str | bytes) -> str:
    """The text of the error that a file gives."""
    path = tmp_path / "arm.mbg"
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    with pytest.raises(FileError) as caught:
        load(path)
    return str(caught.value)


def test_text_that_is_not_json(tmp_path: Path) -> None:
    assert broken(tmp_path, '{"format": "multibond",\n "version" 1}') == (
        "'arm.mbg' is not JSON.\n  Line 2, column 12: expecting ':' delimiter.\n  Correct the text there."
    )
    for empty in ("", " \n\t", "\ufeff"):
        assert broken(tmp_path, empty) == "'arm.mbg' is empty.\n  There is no text in it.\n  Is it the right file?"
    assert broken(tmp_path, '{"a":\n [' + "1" * 5000 + "]}") == (
        "'arm.mbg' holds a number that is too long.\n"
        "  It has more than 4300 digits: line 2, column 3.\n"
        "  Shorten the number."
    )
    assert broken(tmp_path, b'{"a": 1}\0').startswith("'arm.mbg' is not JSON.\n  Line 1, column 9: extra data.")


def test_bytes_that_are_not_text(tmp_path: Path) -> None:
    assert broken(tmp_path, b'{"name": "\xff"}') == (
        "'arm.mbg' is not text.\n  Byte 10 is no UTF-8.\n  Is it a model file? Save it as UTF-8."
    )


def test_json_of_something_else(tmp_path: Path) -> None:
    for text in ("[]", "3", '"multibond"', "null", "{}"):
        assert broken(tmp_path, text).startswith("this is no multibond model.")


def test_a_key_that_stands_twice(tmp_path: Path) -> None:
    text = to_text(GOOD).replace('{"mass": 1.0}', '{"mass": 1.0, "mass": 2.0}')
    assert broken(tmp_path, text) == (
        "'arm.mbg' says 'mass' twice.\n"
        "  One object holds it twice, and only one of both could be meant: line 8, column 74.\n"
        "  Remove one of the two."
    )


def test_every_key_that_stands_twice_is_told_with_its_place(tmp_path: Path) -> None:
    text = '{"a": {"b": 1, "c": {"b": 2}, "b": 3},\n "x:": "a", "\\u0061": [{"q": "\\\\\\"q", "q": 0}]}'
    told = broken(tmp_path, text)
    assert [line.rpartition(": ")[2] for line in told.split("\n") if ": line" in line] == [
        "line 1, column 31.",
        "line 2, column 13.",
        "line 2, column 39.",
    ]


def test_half_a_letter_is_no_text(tmp_path: Path) -> None:
    good = to_text({**GOOD, "name": "\U0001f916"}).replace("\U0001f916", "\\ud83e\\udd16")
    (tmp_path / "good.mbg").write_text(good, encoding="utf-8")
    assert load(tmp_path / "good.mbg").name == "\U0001f916"
    assert broken(tmp_path, good.replace("\\udd16", "")) == (
        "'arm.mbg' holds what is no text.\n"
        "  Half a letter (\\ud800 to \\udfff without its other half): line 4, column 11.\n"
        "  Correct the text there."
    )


def within(levels: int) -> Model:
    """Models within models."""
    model = Model("inner")
    for _ in range(levels):
        outer = Model("outer")
        outer.add(model)
        model = outer
    return model


def test_nesting_has_a_floor(tmp_path: Path) -> None:
    assert from_data(to_data(within(50))).name == "outer"
    with pytest.raises(FileError, match="nested too deep"):
        to_data(within(51))
    data = to_data(within(50))
    with pytest.raises(FileError, match="nested too deep"):
        from_data({**data, "components": [{"name": "top", "type": "Model", "components": data["components"]}]})
    for deep in ("[" * 100_000, '{"a":' * 5000, json.dumps([[json.loads("[" * 300 + "]" * 300)], "[["])):
        assert broken(tmp_path, deep).startswith("the model is nested too deep.")
    assert "50 deep: line 3, column 106." in broken(tmp_path, '["[[{",\n"",\n' + "[" * 2000)


def test_what_a_class_quotes_is_cut_short() -> None:
    entry = {"name": "foot", "type": "spatial.Body", "parameters": {"mass": 1.0, "centre": [0.0] * 1000}}
    with pytest.raises(FileError) as caught:
        from_data({**GOOD, "components": [entry], "connections": []})
    lines = str(caught.value).split("\n")
    assert lines[0].startswith("Body 'foot': centre cannot be [0.0, 0.0") and lines[0].endswith(" ….")
    assert max(map(len, lines)) <= 402 and "It needs 3 numbers" in lines[1]


def test_data_that_hold_themselves_are_refused() -> None:
    ring: list[Any] = []
    ring += [ring, ring, {"again": ring}]
    with pytest.raises(FileError, match="nested too deep"):
        from_data({**GOOD, "layout": ring})


def test_a_file_that_is_wrong_throughout_is_left_early() -> None:
    many = [{**GOOD, "components": [0] * 100_000}, {**GOOD, "connections": [["x.y", "z.w"]] * 100_000}]
    many.append({**GOOD, "layout": {str(k): ["x", "y"] for k in range(100_000)}})
    many.append({**GOOD, "components": [{"name": "a", "type": "Model", "components": [{}] * 100_000}]})
    for data in many:
        with pytest.raises(FileError) as caught:
            from_data(data)
        assert len(caught.value.findings) == MOST + 1
        assert str(caught.value.findings[-1]) == (
            "there may be more faults.\n  The first 200 are listed.\n  Correct these first."
        )


# -- whatever comes ----------------------------------------------------------------------------------------------------

anything = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=5)
    | st.sampled_from(["x", "world.frame"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)


def places(data: Any) -> list[tuple[Any, Any]]:
    """Every holder in the data with every key of it."""
    keys = list(data) if isinstance(data, dict) else list(range(len(data))) if isinstance(data, list) else []
    return [place for key in keys for place in ((data, key), *places(data[key]))]


@settings(max_examples=300, deadline=None)
@given(st.data())
def test_whatever_stands_in_a_file_loads_or_is_refused(draw: st.DataObject) -> None:
    data = to_data(nested())
    for _ in range(draw.draw(st.integers(1, 3))):
        holder, key = draw.draw(st.sampled_from(places(data)))
        if draw.draw(st.booleans()):
            holder[key] = draw.draw(anything)
        else:
            del holder[key]
    try:
        model = from_data(data)
    except FileError as error:
        assert all(finding.problem and finding.fact and finding.cure for finding in error.findings)
    else:
        assert to_data(from_data(to_data(model))) == to_data(model)
