"""YAML says the same as JSON, to the last digit, and nothing that JSON could not say."""

from __future__ import annotations

import io
import json
import math
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from ruamel.yaml import YAML

import multibond as mb
from multibond import spatial as sp
from multibond.errors import FileError
from multibond.examples import EXAMPLES
from multibond.graph.file import load, save, to_data
from multibond.graph.yaml_text import parse, to_text

from .samples import content, nested

BY_HAND = """\
# A pendulum, written by hand.
format: multibond
version: 1
name: pendulum      # no quotes needed
components:
- {name: world, type: spatial.World}
- name: hip
  type: spatial.Revolute
  parameters:
    angle: {guess: 5e-1}
    damping: 1e-3
- name: foot
  type: 'spatial.Body'
  parameters: {mass: 2, centre: [0, -.5, +0.]}
connections:
- [world.frame, hip.frame_a]
- - hip.frame_b
  - "foot.frame"
"""


def test_a_model_written_by_hand(tmp_path: Path) -> None:
    path = tmp_path / "pendulum.yml"
    path.write_text(BY_HAND, encoding="utf-8")
    model = mb.load(path)
    assert float(model["hip"].damping) == 1e-3 and model["hip"].angle == 0.5  # type: ignore[arg-type]
    assert model["foot"].centre.tolist() == [0.0, -0.5, 0.0]  # type: ignore[attr-defined]
    mb.check(model)


@pytest.mark.parametrize("name", EXAMPLES)
@pytest.mark.parametrize("suffix", [".yaml", ".yml", ".YAML"])
def test_examples_come_back(name: str, suffix: str, tmp_path: Path) -> None:
    model, first, second = EXAMPLES[name](), tmp_path / f"first{suffix}", tmp_path / f"second{suffix}"
    save(model, first)
    found = load(first)
    save(found, second)
    assert content(found) == content(model)
    assert first.read_bytes() == second.read_bytes()
    assert not first.read_text(encoding="utf-8").startswith("{")


def test_everything_a_file_can_hold_comes_back(tmp_path: Path) -> None:
    save(nested(), tmp_path / "robot.yaml")
    assert content(load(tmp_path / "robot.yaml")) == content(nested())


def test_the_text_can_be_read_by_eye() -> None:
    model = mb.Model("a drive: on/off", size=3)
    model.bond(mb.Se("push", 12.0), model.add(mb.One("on")), size=3)
    model.add(sp.Revolute("hip", axis="x", angle=mb.Guess(1e-5), damping=0.25))
    model.connect(model.add(sp.World()).frame, "hip.frame_a")
    model.place("hip", 10, 1e22)
    assert to_text(to_data(model)) == (
        "format: multibond\n"
        "version: 1\n"
        'name: "a drive: on/off"\n'
        "size: 3\n"
        "components:\n"
        '  - name: "on"\n'
        "    type: One\n"
        "  - name: push\n"
        "    type: Se\n"
        "    parameters:\n"
        "      effort: 12.0\n"
        "  - name: hip\n"
        "    type: spatial.Revolute\n"
        "    parameters:\n"
        "      axis: x\n"
        "      angle:\n"
        "        guess: 1.0e-05\n"
        "      damping: 0.25\n"
        "  - name: world\n"
        "    type: spatial.World\n"
        "connections:\n"
        "  - [world.frame, hip.frame_a]\n"
        "bonds:\n"
        '  - {from: push, to: "on", size: 3}\n'
        "layout:\n"
        "  hip: [10.0, 1.0e+22]\n"
    )


plain = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)


@given(st.dictionaries(st.text(), plain, max_size=5))
def test_all_plain_data_come_back(data: dict[str, Any]) -> None:
    assert _exact(parse(to_text(data), "x") if data else {}) == _exact(data)


@given(st.dictionaries(st.text(), plain, min_size=1, max_size=5))
def test_another_reader_finds_the_same(data: dict[str, Any]) -> None:
    reader = YAML(typ="safe", pure=True)
    assert _exact(reader.load(io.StringIO(to_text(data)))) == _exact(data)


def test_long_keys_come_back() -> None:
    long = {"k" * 999: 1, "l" * 1000: [1], "m: " * 700: {"n" * 5000: {"o" * 2000: [{"p" * 1500: None}]}}}
    data = {"a": long, **long, "type": [{"type": "x", **long}, [long]]}
    assert parse(to_text(data), "x") == data
    assert YAML(typ="safe", pure=True).load(io.StringIO(to_text(data))) == data


@given(plain)
def test_json_is_yaml(data: Any) -> None:
    text = json.dumps(data, ensure_ascii=True)
    if "\\ud" not in text:  # YAML writes letters beyond 65535 in another way
        assert _exact(parse(text, "x")) == _exact(data)


def _exact(value: Any) -> Any:
    """Data in which 1, 1.0 and True differ, as do 0.0 and -0.0."""
    if isinstance(value, dict):
        return {key: _exact(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_exact(item) for item in value]
    return type(value), value, math.copysign(1, value) if isinstance(value, float) else None


WORDS: list[tuple[str, Any]] = [
    ("1e-3", 1e-3),
    ("1E3", 1e3),
    ("-2.5e+07", -2.5e7),
    (".5", 0.5),
    ("5.", 5.0),
    ("+3", 3),
    ("010", 10),
    ("0x1f", "0x1f"),
    ("1_000", "1_000"),
    ("12:30:45", "12:30:45"),
    ("2024-01-31", "2024-01-31"),
    ("2024-01-31T12:00:00Z", "2024-01-31T12:00:00Z"),
    ("yes", "yes"),
    ("off", "off"),
    ("true", True),
    ("False", False),
    ("null", None),
    ("~", None),
    ("", None),
    ("'1e-3'", "1e-3"),
    ('"true"', "true"),
    ("one two", "one two"),
    ("=", "="),
]


@pytest.mark.parametrize(("text", "value"), WORDS, ids=[row[0] for row in WORDS])
def test_what_a_word_means(text: str, value: Any) -> None:
    assert _exact(parse(f"a: {text}", "x")) == _exact({"a": value})
    assert _exact(parse(f"- {text}", "x")) == _exact([value])


def test_keys_are_always_text() -> None:
    assert parse("1: a\ntrue: b\n2024-01-31: c", "x") == {"1": "a", "true": "b", "2024-01-31": "c"}


FAULTS: list[tuple[str, str, list[str]]] = [
    ("tag", "a: !!python/object/apply:os.system [ls]", ["'x' uses a tag", "Line 1, column 4: a model", "Remove"]),
    ("own tag", "a: !mine 3", ["'x' uses a tag, '!mine'", "Line 1, column 4", "Remove"]),
    ("binary", "a: !!binary aGk=", ["'x' uses a tag", "Line 1, column 4", "Remove"]),
    ("anchor", "a: &b 3", ["'x' uses an anchor or alias, 'b'", "Line 1, column 4", "Write the values out"]),
    ("alias", "a: 1\nb: *a", ["'x' uses an anchor or alias, 'a'", "Line 2, column 4", "Write the values out"]),
    ("twice", "a: 1\nb:\n  c: 1\n  c: 2", ["'x' says 'c' twice", "line 4, column 3", "Remove one"]),
    ("documents", "a: 1\n---\nb: 2", ["'x' holds two documents", "Line 2, column 1", "a file of its own"]),
    ("list as key", "? [a]\n: 1", ["'x' has a key that is no word", "Line 1, column 3", "a word before the colon"]),
    ("open list", "a: [1,\n  2", ["'x' is not YAML", "Line 2, column 4: expected ',' or ']'", "Correct"]),
    ("tab", "a:\n\t- 1", ["'x' is not YAML", "Line 2, column 1: found character '\\t'", "Correct"]),
    ("colons", "a: b: c", ["'x' is not YAML", "Line 1, column 5: mapping values are not allowed", "Correct"]),
    ("control", "a: b\n\x01", ["'x' is not YAML", "At line 2, column 1: special characters", "Correct"]),
    ("no letter", 'a: "\\UFFFFFFFF"', ["'x' is not YAML", "After line 1, column 2", "Correct"]),
    ("half a letter", 'a: "\\ud800"', ["'x' holds what is no text", "Line 1, column 4", "Correct"]),
    ("digits", f"a: {'1' * 5000}", ["'x' holds a number that is too long", "Line 1, column 4", "Shorten"]),
    ("version", "%YAML 3.0\n---\na: 1", ["'x' is not YAML", "Line 1, column 1", "Correct"]),
]


@pytest.mark.parametrize(("text", "told"), [row[1:] for row in FAULTS], ids=[row[0] for row in FAULTS])
def test_what_is_not_read(text: str, told: list[str]) -> None:
    with pytest.raises(FileError) as caught:
        parse(text, "x")
    lines = str(caught.value).split("\n")
    assert len(lines) == 3
    for line, words in zip(lines, told, strict=True):
        assert words in line and line.endswith(".")


def test_all_faults_are_told_at_once() -> None:
    with pytest.raises(FileError) as caught:
        parse("a: &a 1\nb: *a\na: !!str 2\nc: [", "x")
    problems = [finding.problem for finding in caught.value.findings]
    assert [p.split(",")[0] for p in problems] == [
        "'x' says 'a' twice.",
        "'x' uses a tag",
        "'x' is not YAML.",
        "'x' uses an anchor or alias",
    ]


def test_a_bomb_of_aliases_is_one_fault(tmp_path: Path) -> None:
    """Nothing is multiplied out, and thousands of aliases are told once, with the place of the first."""
    lines = ["a0: &a0 [x, x]"] + [f"a{k}: &a{k} {{*a{k - 1} : *a{k - 1}, <<: *a0}}" for k in range(1, 400)]
    path = tmp_path / "bomb.yaml"
    path.write_text("\n".join(lines), encoding="utf-8")
    with pytest.raises(FileError) as caught:
        load(path)
    assert str(caught.value).splitlines() == [
        "'bomb.yaml' uses an anchor or alias, 'a0', and 1596 more.",
        "  Line 1, column 5: a model file is plain data.",
        "  Write the values out.",
    ]


@pytest.mark.parametrize(
    "text", ["[" * 3000, "- " * 3000, "{a: " * 3000, "".join(f"{' ' * k}a:\n" for k in range(200))]
)
def test_nesting_has_a_floor(text: str) -> None:
    with pytest.raises(FileError, match=r"nested too deep\.\n.* 50 deep: line \d+, column \d+\."):
        parse(text, "x")


def test_faults_of_the_content_have_their_place(tmp_path: Path) -> None:
    path = tmp_path / "pendulum.yaml"
    path.write_text(BY_HAND.replace("1e-3", "much").replace("mass: 2", "mas: .nan"), encoding="utf-8")
    with pytest.raises(FileError) as caught:
        load(path)
    assert [finding.fact for finding in caught.value.findings] == [
        "It must be a number, not text, at components[1].parameters.damping.",
        "Nearest: 'mass'. It stands at components[2].parameters.",
        "There is no such entry in components[2].parameters.",
    ]
    path.write_text(BY_HAND.replace("1e-3", ".inf"), encoding="utf-8")
    with pytest.raises(FileError, match=r"It must be finite, at components\[1\]\.parameters\.damping\."):
        load(path)
