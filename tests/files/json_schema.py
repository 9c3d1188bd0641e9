"""Whether a file obeys the published JSON Schema, as far as ours uses the language."""

from __future__ import annotations

import re
from typing import Any

from multibond.graph.file import schema

SCHEMA = schema()
KINDS = {"object": dict, "array": list, "string": str, "boolean": bool, "null": type(None)}


def fits(value: Any, rule: Any) -> bool:
    """Whether a value obeys a rule."""
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
