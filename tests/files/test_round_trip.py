"""What is written comes back to the last digit, and writing it again gives the same bytes."""

from __future__ import annotations

import json
from dataclasses import fields
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.gather import gather

import multibond as mb
from multibond import spatial as sp
from multibond.catalogue import CATALOGUE
from multibond.errors import FileError
from multibond.examples import EXAMPLES
from multibond.expr import SX
from multibond.graph.component import Guess
from multibond.graph.file import from_data, load, save, to_data, to_text
from multibond.graph.model import Model

from .json_schema import SCHEMA, fits
from .samples import GROUPS, content, members, nested, samples, values


def again(model: Model) -> Model:
    """Through the text of a file and back."""
    return from_data(json.loads(to_text(to_data(model))))


def around(model: Model, folder: Path) -> Model:
    """Through a file, twice, and the two files must be equal."""
    first, second = folder / "first.mbg", folder / "second.mbg"
    save(model, first)
    found = load(first)
    save(found, second)
    assert first.read_bytes() == second.read_bytes()
    return found


@pytest.mark.parametrize("group", GROUPS)
def test_every_type_keeps_every_value(group: str, tmp_path: Path) -> None:
    """With starts given and guessed, and with matrices where they may stand; and what is written obeys the schema."""
    cases = product(members(group), (False, True), (False, True))
    gather(cases, lambda case: keeps_every_value(*case, tmp_path))


def keeps_every_value(name: str, guesses: bool, matrices: bool, folder: Path) -> None:
    kind, written = CATALOGUE[name], set()
    for item in samples(kind, guesses=guesses, matrices=matrices):
        model = Model("one")
        model.add(item)
        found = around(model, folder)["sample"]
        assert values(found) == values(item)
        data = to_data(model)
        assert fits(data, SCHEMA)
        (entry,) = data["components"]
        assert entry["type"] == name
        written |= set(entry.get("parameters", {}))
    assert written == set(kind.parameters())


def test_every_type_has_only_parameters_that_a_file_holds() -> None:
    def same(kind: type) -> None:
        assert {f.name for f in fields(kind) if f.init} == {"name", *kind.parameters()}

    gather(CATALOGUE.values(), same)


@pytest.mark.parametrize("name", EXAMPLES)
def test_examples_come_back(name: str, tmp_path: Path) -> None:
    model = EXAMPLES[name]()
    assert content(around(model, tmp_path)) == content(model)


def test_nested_models_bonds_signals_layout_come_back(tmp_path: Path) -> None:
    model = nested()
    assert content(around(model, tmp_path)) == content(model)


def test_defaults_are_not_written() -> None:
    model = Model("m")
    model.add(sp.World())
    model.add(sp.Revolute("hip", axis="z", damping=0))
    assert to_data(model)["components"] == [
        {"name": "world", "type": "spatial.World"},
        {"name": "hip", "type": "spatial.Revolute"},
    ]


def test_axes_are_letters_where_they_can_be() -> None:
    model = Model("m")
    model.add(sp.Revolute("hip", axis="-x"))
    assert to_data(model)["components"][0]["parameters"] == {"axis": "-x"}


def test_a_guess_stays_a_guess() -> None:
    model = Model("m")
    model.add(sp.Prismatic("guide", position=Guess(1.2)))
    assert to_data(model)["components"][0]["parameters"] == {"position": {"guess": 1.2}}
    found = again(model)["guide"]
    assert isinstance(found.position, Guess) and found.position == 1.2


numbers = st.floats(allow_nan=False, allow_infinity=False)


@given(st.lists(numbers, min_size=1, max_size=6))
def test_numbers_come_back_to_the_last_digit(given_values: list[float]) -> None:
    model = Model("m")
    model.add(mb.Se("source", given_values))
    found = again(model)["source"].effort
    assert isinstance(found, np.ndarray)
    assert found.tobytes() == np.array(given_values).tobytes()


@given(st.tuples(*[st.floats(-1e3, 1e3).map(lambda v: v + 1e-3)] * 3).filter(lambda v: np.linalg.norm(v) > 1e-6))
def test_axes_come_back_to_the_last_digit(axis: tuple[float, float, float]) -> None:
    model = Model("m")
    item = model.add(sp.Revolute("hip", axis=axis))
    assert values(again(model)["hip"]) == values(item)


def test_a_loaded_machine_moves_the_same() -> None:
    model = EXAMPLES["slider_crank"]()
    first, second = mb.compile(model), mb.compile(again(model))
    assert first.x0.tobytes() == second.x0.tobytes()
    assert first.derivative(first.x0).tobytes() == second.derivative(second.x0).tobytes()


def test_a_loaded_model_has_nothing_to_undo_and_goes_on() -> None:
    model = again(EXAMPLES["pendulum"]())
    before = content(model)
    model.undo()
    assert content(model) == before
    model.add(sp.Body("one_more", mass=1.0))
    model.undo()
    assert content(model) == before


def test_expressions_without_symbols_are_written_as_numbers() -> None:
    model = Model("m")
    model.add(mb.R("r", SX([[1.0, 0.0], [0.0, 2.0]])))
    assert to_data(model)["components"][0]["parameters"] == {"resistance": [[1.0, 0.0], [0.0, 2.0]]}


def test_what_no_file_can_hold_is_refused_all_at_once() -> None:
    model = Model("m")
    model.add(mb.R("formula", SX.sym("r")))
    model.add(mb.R("another", SX.sym("q")))
    with pytest.raises(FileError) as caught:
        to_data(model)
    assert str(caught.value) == "\n".join(
        f"component {name!r}: resistance cannot be SX({symbol}).\n"
        "  It is a formula of symbols, and a file holds numbers.\n"
        "  Give a possible value for resistance."
        for name, symbol in (("formula", "r"), ("another", "q"))
    )


@pytest.mark.parametrize("size", [None, 1, 3])
def test_the_size_of_a_model_comes_back(size: int | None, tmp_path: Path) -> None:
    inner = mb.Model("inner", size=size)
    inner.bond(mb.Se("push", 1.0), inner.add(mb.One("flow")))
    model = mb.Model("outer", size=size)
    model.add(inner)
    for suffix in (".mbg", ".yaml"):
        save(model, tmp_path / f"m{suffix}")
        found = mb.load(tmp_path / f"m{suffix}")
        assert found.size == size and found["inner"].size == size  # type: ignore[attr-defined]
        assert found.size is None or type(found.size) is int


def test_a_model_of_a_size_runs_the_same_from_its_file(tmp_path: Path) -> None:
    top = mb.Model("top", size=3)
    flow = top.add(mb.One("w"))
    top.bond(mb.Se("push", 2.0), flow)
    top.bond(flow, mb.I("rotor", 0.5))
    save(top, tmp_path / "top.mbg")
    first, second = mb.compile(top), mb.compile(load(tmp_path / "top.mbg"))
    assert first.n == 3
    assert first.derivative(first.x0).tobytes() == second.derivative(second.x0).tobytes()


@pytest.mark.parametrize("depth", [2, 3])
@pytest.mark.parametrize("suffix", [".mbg", ".yml"])
def test_household_names_of_an_opened_machine_come_back(depth: int, suffix: str, tmp_path: Path) -> None:
    opened = mb.Model.open(mb.load(_written("pendulum", tmp_path)), depth=depth)
    assert opened.sheet.names
    save(opened, tmp_path / f"opened{suffix}")
    found = mb.load(tmp_path / f"opened{suffix}")
    assert found.sheet.names == opened.sheet.names
    assert to_data(found) == to_data(opened)
    name = next(c.name for c in found.components if any(v.startswith(f"{c.name}.") for v in found.sheet.names.values()))
    found.rename(name, "renamed")
    again_found = again(found)
    assert again_found.sheet.names == found.sheet.names != opened.sheet.names


def _written(example: str, folder: Path) -> Path:
    save(EXAMPLES[example](), folder / "example.mbg")
    return folder / "example.mbg"


def test_a_byte_order_mark_is_no_fault(tmp_path: Path) -> None:
    path = tmp_path / "m.mbg"
    path.write_bytes(b"\xef\xbb\xbf" + to_text(to_data(EXAMPLES["rlc"]())).encode())
    assert load(path).name == "rlc"
