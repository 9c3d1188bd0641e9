"""What is written comes back to the last digit, and writing it again gives the same bytes."""

from __future__ import annotations

import json
import os
from dataclasses import fields
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import multibond as mb
from multibond import spatial as sp
from multibond.catalogue import CATALOGUE
from multibond.errors import FileError
from multibond.examples import EXAMPLES
from multibond.expr import SX
from multibond.graph import file as files
from multibond.graph.component import Component, Guess
from multibond.graph.file import from_data, load, save, to_data, to_text
from multibond.graph.model import Model

from .samples import content, nested, sample, values


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


@pytest.mark.parametrize("guesses", [False, True])
@pytest.mark.parametrize("matrices", [False, True])
@pytest.mark.parametrize("name", CATALOGUE)
def test_every_type_keeps_every_value(name: str, guesses: bool, matrices: bool, tmp_path: Path) -> None:
    item = sample(CATALOGUE[name], guesses=guesses, matrices=matrices)
    model = Model("one")
    model.add(item)
    found = around(model, tmp_path)["sample"]
    assert values(found) == values(item)
    entry = to_data(model)["components"][0]
    assert entry["type"] == name
    assert set(entry.get("parameters", {})) == set(item.parameters())


@pytest.mark.parametrize("name", CATALOGUE)
def test_every_type_has_only_parameters_that_a_file_holds(name: str) -> None:
    kind = CATALOGUE[name]
    assert {f.name for f in fields(kind)} == {"name", *kind.parameters()}


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
    class Own(sp.Body):
        """A type of one's own."""

    model = Model("m")
    model.add(Own("mine", mass=1.0))
    model.add(mb.R("formula", SX.sym("r")))
    with pytest.raises(FileError) as caught:
        to_data(model)
    assert str(caught.value) == (
        "component 'mine' has a type that no file knows.\n"
        "  Own is not in the catalogue.\n"
        "  Enter the type into the list ALL of its library.\n"
        "component 'formula': resistance cannot be SX(r).\n"
        "  It is a formula of symbols, and a file holds numbers.\n"
        "  Give a possible value for resistance."
    )


def test_own_types_can_be_named() -> None:
    class Own(sp.Body):
        """A type of one's own."""

    types: dict[str, type[Component]] = {**CATALOGUE, "mine.Own": Own}
    model = Model("m")
    model.add(Own("one", mass=1.0))
    assert type(from_data(to_data(model, types), types)["one"]) is Own


# -- disk --------------------------------------------------------------------------------------------------------------


def test_a_failed_save_leaves_the_old_file_and_no_other(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "m.mbg"
    save(EXAMPLES["pendulum"](), path)
    before = path.read_bytes()

    def fail(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(files.os, "replace", fail)
    with pytest.raises(FileError, match=r"'m\.mbg' cannot be written\.\n  No space left on device\."):
        save(EXAMPLES["rlc"](), path)
    assert path.read_bytes() == before
    assert [p.name for p in tmp_path.iterdir()] == ["m.mbg"]


def test_saving_keeps_permissions_and_follows_links(tmp_path: Path) -> None:
    path, link = tmp_path / "m.mbg", tmp_path / "link.mbg"
    save(EXAMPLES["pendulum"](), path)
    path.chmod(0o640)
    link.symlink_to(path)
    save(EXAMPLES["rlc"](), link)
    assert link.is_symlink() and path.stat().st_mode & 0o777 == 0o640
    assert load(path).name == load(link).name == "rlc"
    assert os.listdir(tmp_path).count("m.mbg") == 1


def test_saving_into_no_folder_says_so(tmp_path: Path) -> None:
    with pytest.raises(FileError, match="cannot be written"):
        save(EXAMPLES["rlc"](), tmp_path / "none" / "m.mbg")


def test_a_byte_order_mark_is_no_fault(tmp_path: Path) -> None:
    path = tmp_path / "m.mbg"
    path.write_bytes(b"\xef\xbb\xbf" + to_text(to_data(EXAMPLES["rlc"]())).encode())
    assert load(path).name == "rlc"
