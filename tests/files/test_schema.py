"""The published JSON Schema says the same as the reader."""

from __future__ import annotations

import copy
import json
import re
from typing import Any

import pytest

from multibond.catalogue import CATALOGUE
from multibond.examples import EXAMPLES
from multibond.graph.file import from_data, schema, to_data
from multibond.graph.model import Model

from .samples import nested, samples
from .test_broken import BROKEN, GOOD

SCHEMA = schema()
KINDS = {"object": dict, "array": list, "string": str, "boolean": bool, "null": type(None)}
BY_LOOKING_UP = {
    "an impossible value",
    "two of one name",
    "connection to no component",
    "connection to no port",
    "connection of two kinds",
    "connection of a port to itself",
    "bond to a part without its port",
    "exposed port that is not there",
    "exposed under a name with a dot",
    "one component of a frame",
    "a household name of nothing",
    "layout of nothing",
    "rows of different lengths",
    "a matrix beyond all machines",
    "a count beyond all machines",
    "no axis",
    "not a number",
    "text for a number",
    "a length for an angle",
    "a number beyond all floats",
    "infinite layout",
}
"""Faults that no schema can see: they need other entries, or floats."""


def fits(value: Any, rule: Any) -> bool:
    """Whether a value obeys a JSON Schema, as far as ours uses the language."""
    if isinstance(rule, bool):
        return rule
    if "$ref" in rule and not fits(value, SCHEMA["$defs"][rule["$ref"].removeprefix("#/$defs/")]):
        return False
    if "anyOf" in rule and not any(fits(value, each) for each in rule["anyOf"]):
        return False
    if ("const" in rule and value != rule["const"]) or ("enum" in rule and value not in rule["enum"]):
        return False
    if "type" in rule and not of_type(value, rule["type"]):
        return False
    if isinstance(value, dict):
        return fits_object(value, rule)
    if isinstance(value, list):
        size = rule.get("minItems", 0) <= len(value) <= rule.get("maxItems", len(value))
        return size and all(fits(item, rule.get("items", True)) for item in value)
    if isinstance(value, str):
        return len(value) >= rule.get("minLength", 0) and re.search(rule.get("pattern", ""), value) is not None
    return "minimum" not in rule or value is None or value >= rule["minimum"]


def fits_object(value: dict[str, Any], rule: dict[str, Any]) -> bool:
    """The rules for the entries of an object."""
    known, other = rule.get("properties", {}), rule.get("additionalProperties", True)
    names = all(fits(key, rule.get("propertyNames", True)) for key in value)
    needed = all(key in value for key in rule.get("required", ()))
    return names and needed and all(fits(item, known.get(key, other)) for key, item in value.items())


def of_type(value: Any, word: str) -> bool:
    """Whether a value is of a kind of JSON."""
    if word in ("number", "integer"):
        whole = word == "number" or float(value) == int(value) if isinstance(value, int | float) else False
        return whole and not isinstance(value, bool)
    return isinstance(value, KINDS[word])


def test_the_schema_is_json() -> None:
    assert json.loads(json.dumps(SCHEMA, allow_nan=False)) == SCHEMA
    assert set(CATALOGUE) <= set(SCHEMA["$defs"])


def test_the_schema_tells_units_defaults_and_stories() -> None:
    revolute = SCHEMA["$defs"]["spatial.Revolute"]
    assert revolute["description"].startswith("A hinge")
    assert revolute["properties"]["parameters"]["properties"]["damping"] == {
        "$ref": "#/$defs/Quantity",
        "description": "in N.m.s/rad",
        "default": 0.0,
    }
    assert SCHEMA["$defs"]["spatial.Body"]["properties"]["parameters"]["required"] == ["mass"]


@pytest.mark.parametrize("name", EXAMPLES)
def test_examples_fit(name: str) -> None:
    assert fits(to_data(EXAMPLES[name]()), SCHEMA)


@pytest.mark.parametrize("guesses", [False, True])
@pytest.mark.parametrize("matrices", [False, True])
@pytest.mark.parametrize("name", CATALOGUE)
def test_every_type_fits(name: str, guesses: bool, matrices: bool) -> None:
    for item in samples(CATALOGUE[name], guesses=guesses, matrices=matrices):
        model = Model("one")
        model.add(item)
        assert fits(to_data(model), SCHEMA)


def test_nested_models_fit() -> None:
    assert fits(to_data(nested()), SCHEMA)


@pytest.mark.parametrize(("name", "change"), [row[:2] for row in BROKEN], ids=[row[0] for row in BROKEN])
def test_broken_files_do_not_fit(name: str, change: Any) -> None:
    data = copy.deepcopy(GOOD)
    assert fits(data, SCHEMA) and from_data(data)
    change(data)
    assert fits(data, SCHEMA) == (name in BY_LOOKING_UP)
