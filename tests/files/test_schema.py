"""The published JSON Schema says the same as the reader."""

from __future__ import annotations

import copy
import json
from typing import Any

import pytest

from multibond.catalogue import CATALOGUE
from multibond.examples import EXAMPLES
from multibond.graph.file import from_data, to_data

from .json_schema import SCHEMA, fits
from .samples import nested
from .test_broken import BROKEN, GOOD

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


def test_the_schema_is_json() -> None:
    assert json.loads(json.dumps(SCHEMA, allow_nan=False)) == SCHEMA
    assert set(CATALOGUE) <= set(SCHEMA["$defs"])


def test_the_schema_tells_units_defaults_and_stories() -> None:
    revolute = SCHEMA["$defs"]["spatial.Revolute"]
    assert revolute["description"].startswith("A hinge")
    damping = revolute["properties"]["parameters"]["properties"]["damping"]
    assert (damping["description"], damping["default"]) == ("in N.m.s/rad", 0.0)
    assert damping["anyOf"][0] == {"$ref": "#/$defs/Quantity"} and "guess" in str(damping["anyOf"][1])
    assert SCHEMA["$defs"]["spatial.Body"]["properties"]["parameters"]["required"] == ["mass"]


@pytest.mark.parametrize("name", EXAMPLES)
def test_examples_fit(name: str) -> None:
    assert fits(to_data(EXAMPLES[name]()), SCHEMA)


def test_nested_models_fit() -> None:
    assert fits(to_data(nested()), SCHEMA)


@pytest.mark.parametrize(("name", "change"), [row[:2] for row in BROKEN], ids=[row[0] for row in BROKEN])
def test_broken_files_do_not_fit(name: str, change: Any) -> None:
    data = copy.deepcopy(GOOD)
    assert fits(data, SCHEMA) and from_data(data)
    change(data)
    assert fits(data, SCHEMA) == (name in BY_LOOKING_UP)
