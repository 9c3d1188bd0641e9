"""Formulas in files: written as text, read back exactly, refused with their place."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import multibond as mb
from multibond.errors import FileError
from multibond.graph.file import from_data, to_data, to_text

from .test_schema import SCHEMA, fits

FORMULAS: dict[str, Any] = {
    "325*sin(314.1592653589793*t)": 325 * mb.sin(2 * mb.pi * 50 * mb.t),
    "where(t > 1 and t < 2, 0.1, 1e-300)": mb.where((mb.t > 1) & (mb.t < 2), 0.1, 1e-300),
    "[0, 0.3333333333333333*t, t**2]": [0, (1 / 3) * mb.t, "t^2"],
    "-t%pi": lambda t: -t % mb.pi,
    "table(t, [0, 0.1, 0.7], [0.3333333333333333, 2, -1], smooth, extend)": mb.Table(
        [0, 0.1, 0.7], [1 / 3, 2, -1], True, "extend"
    ),
    "table2(t, abs(t), [0, 1], [0, 2], [[1, 2], [3, 4]])": lambda t: mb.Table2([0, 1], [0, 2], [[1, 2], [3, 4]])(
        t, abs(t)
    ),
}


def machine(effort: Any) -> mb.Model:
    """A pushed mass."""
    model = mb.Model("cart")
    model.bond(mb.Se("push", effort), mb.I("mass", np.ones(3) if isinstance(effort, list) else 1.0))
    return model


def data_of(effort: Any) -> dict[str, Any]:
    """A file with one source, given as JSON data."""
    push = {"name": "push", "type": "Se", "parameters": {"effort": effort}}
    return {"format": "multibond", "version": 1, "name": "cart", "components": [push]}


@pytest.mark.parametrize("text", FORMULAS)
def test_a_formula_comes_back_exactly(text: str, tmp_path: Path) -> None:
    model = machine(FORMULAS[text])
    push = model["push"]
    assert to_data(model)["components"][0]["parameters"] == {"effort": {"formula": text}}
    assert fits(to_data(model), SCHEMA)
    mb.save(model, tmp_path / "first.mbg")
    again = mb.load(tmp_path / "first.mbg")
    mb.save(again, tmp_path / "second.mbg")
    assert again["push"].effort == push.effort
    assert (tmp_path / "first.mbg").read_bytes() == (tmp_path / "second.mbg").read_bytes()


def test_a_loaded_formula_gives_the_same_run(tmp_path: Path) -> None:
    model = mb.Model("cart")
    speed = model.add(mb.One("speed"))
    model.bond(mb.Se("push", mb.Table([0, 0.2, 1], [1, 3, -1], smooth=True)), speed)
    model.bond(speed, mb.I("mass", 1.0))
    mb.save(model, tmp_path / "cart.mbg")
    runs = [mb.simulate(m, 1.0)["mass.p"](1.0) for m in (model, mb.load(tmp_path / "cart.mbg"))]
    assert runs[0] == runs[1]


def test_large_tables_fit_into_a_file() -> None:
    x = np.arange(5000) / 7
    model = machine(mb.Table(x, np.sin(x)))
    again = from_data(json.loads(to_text(to_data(model))))
    assert again["push"].effort == model["push"].effort


def test_numbers_stay_numbers() -> None:
    assert to_data(machine(12.0))["components"][0]["parameters"] == {"effort": 12.0}
    assert from_data(data_of([1.0, 2.0]))["push"].effort.tolist() == [1.0, 2.0]


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"formula": "3*sn(t)"}, ("3*sn(t)\n    ^ 'sn' is no function", "'sin'")),
        ({"formula": "3*(t"}, ("3*(t\n      ^ An operator, ',' or ')' is expected; the formula ends here.",)),
        ({"formula": "2*time"}, ("2*time\n    ^ 'time' is not known.", "Known: t.")),
        ({"formula": "t**1e9"}, ("absurd exponent",)),
        ({"formula": "sin(" * 101 + "t" + ")" * 101}, ("too large", "100 levels")),
        ({"formula": "t + " * 3000 + "t"}, ("too long", "10000")),
        ({"formula": "table(t, [0, 0], [1, 2])"}, ("do not increase in x",)),
        ({"formula": 3}, ('a formula is written {"formula": "2*t"}',)),
        ("3*t", ("it must be a number, not text",)),
    ],
)
def test_a_broken_formula_is_told_with_its_place(given: Any, words: tuple[str, ...]) -> None:
    data = data_of(given)
    kept = copy.deepcopy(data)
    with pytest.raises(FileError) as caught:
        from_data(data)
    text = str(caught.value)
    assert all(word.lower() in text.lower() for word in words)
    assert "components[0].parameters.effort" in text
    assert caught.value.paths == ("push",)
    assert data == kept


def test_every_broken_formula_is_told() -> None:
    data = data_of({"formula": "3*("})
    data["components"] += [{"name": "pull", "type": "Sf", "parameters": {"flow": {"formula": "x + y"}}}]
    with pytest.raises(FileError) as caught:
        from_data(data)
    assert [finding.paths for finding in caught.value.findings] == [("push",), ("pull",), ("pull",)]


def test_the_schema_knows_formulas() -> None:
    effort = SCHEMA["$defs"]["Se"]["properties"]["parameters"]["properties"]["effort"]
    assert effort["anyOf"][-1]["properties"]["formula"]["description"] == "a formula of t"
    for good in ({"formula": "t"}, 3.0, [1.0, 2.0]):
        assert fits(data_of(good), SCHEMA)
    for bad in ({"formula": 3}, {"formula": "t", "more": 1}, {}, "0.5"):
        assert not fits(data_of(bad), SCHEMA)


def test_a_law_is_a_formula_and_nothing_else() -> None:
    model = mb.Model("valve")
    model.add(mb.R("orifice", effort=lambda f: 3 * f * abs(f)))
    data = to_data(model)
    assert data["components"][0]["parameters"] == {"effort": {"formula": "3*f*abs(f)"}}
    assert fits(data, SCHEMA)
    assert from_data(data)["orifice"].effort == model["orifice"].effort
    for bad in (3.0, [1.0], "3*f", {"formula": ["f"]}):
        data["components"][0]["parameters"] = {"effort": bad}
        assert not fits(data, SCHEMA)
        with pytest.raises(FileError, match=r"(?i)a formula is written {\"formula\": \"2\*f\"}"):
            from_data(data)


def test_a_formula_where_numbers_are_wanted_is_refused() -> None:
    data = data_of(0.0)
    data["components"] += [{"name": "mass", "type": "spatial.Body", "parameters": {"mass": {"formula": "t"}}}]
    with pytest.raises(FileError, match=r"component 'mass': mass cannot be .*formula"):
        from_data(data)


def test_a_formula_too_long_for_a_file_is_not_written() -> None:
    long = sum((mb.sin(k * mb.t) / (k + 0.123456789) for k in range(1, 600)), mb.t)
    with pytest.raises(FileError, match="component 'push', effort: the formula is too long") as caught:
        to_data(machine(long))
    assert caught.value.paths == ("push",)
