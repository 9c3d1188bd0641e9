"""A shared parameter keeps its unit: one of the same kind is converted, one that measures something else refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import multibond as mb
from multibond import spatial as sp
from multibond.errors import FileError, MultibondError
from multibond.graph.file import from_data, to_data
from multibond.graph.model import Model
from multibond.graph.sheet import Submodel

ELSE = "measures something else"


def leg(length: Any = "30 cm") -> mb.Model:
    """A rod below a port; its centre is the shared parameter L, downwards."""
    model = mb.Model("leg")
    L = model.parameter("L", length)
    hip, foot = model.add(sp.Revolute("hip", angle=0.3)), model.add(sp.Body("foot", 1.0, centre=(0, -L, 0)))
    model.connect(hip.frame_b, foot.frame)
    model.expose("top", hip.frame_a)
    return model


def walker(part: mb.Model) -> mb.Model:
    model = mb.Model("walker")
    world, one = model.add(sp.World()), model.add(part, name="one")
    model.connect(world.frame, one.top)
    return model


def within(model: Any, name: str) -> float:
    """The parameter L of a part."""
    part = model[name]
    assert isinstance(part, Submodel)
    return part.sheet.shared["L"]


def set_after_number(value: str) -> float:
    model = leg(0.3)  # no unit was typed: it is read from the centre of the body
    model.set("L", value)
    return model.parameters["L"]


def set_after_text(value: str) -> float:
    model = leg()
    model.set("L", 0.5)
    model.set("L", value)
    return model.parameters["L"]


def set_in_a_part(value: str) -> float:
    model = walker(leg())
    model.set("one.L", value)
    return within(model, "one")


def set_at_run_time(value: str) -> float:
    found = mb.with_parameters(mb.compile(walker(leg())), {"one.L": value}).recipe.model
    assert isinstance(found, Model)
    return within(found, "one")


def set_after_a_file(value: str) -> float:
    model = from_data(to_data(leg()))
    model.set("L", value)
    return model.parameters["L"]


def set_after_grouping(value: str) -> float:
    model = leg()
    mb.group(model, ["foot"], "shank")
    model.set("shank.L", value)
    return within(model, "shank")


def given_in_a_file(value: str) -> float:
    data = to_data(walker(leg()))
    data["components"][1]["given"] = {"L": value}
    return within(from_data(data), "one")


WAYS = (
    set_after_number,
    set_after_text,
    set_in_a_part,
    set_at_run_time,
    set_after_a_file,
    set_after_grouping,
    given_in_a_file,
)


@pytest.mark.parametrize("way", WAYS, ids=lambda way: way.__name__)
def test_a_unit_that_measures_something_else_is_refused(way: Any) -> None:
    assert way("400 mm") == pytest.approx(0.4, rel=1e-15)
    with pytest.raises(MultibondError, match=f"the parameter 'L' cannot be '30 deg'.*\n.*{ELSE}"):
        way("30 deg")


def test_a_temperature_may_be_typed_in_celsius() -> None:
    model = mb.Model("stove")
    model.parameter("T", "20 degC")
    model.set("T", "30 degC")
    assert model.parameters["T"] == pytest.approx(303.15)


@pytest.mark.parametrize("ending", [".mbg", ".yaml"])
def test_files_keep_the_unit_and_those_of_old_go_on(ending: str, tmp_path: Path) -> None:
    path = tmp_path / f"leg{ending}"
    mb.save(leg(), path)
    assert mb.load(path).sheet.units == {"L": "cm"}
    old = to_data(leg())
    del old["units"]
    assert from_data(old).sheet.units == {}
    assert from_data({**old, "parameters": {"L": "30 cm"}}).sheet.units == {"L": "cm"}


def test_a_part_from_a_file_stays_one(tmp_path: Path) -> None:
    mb.save(leg(), tmp_path / "leg.mbg")
    model = walker(mb.load(tmp_path / "leg.mbg"))
    model.set("one.L", "40 cm")
    mb.save(model, tmp_path / "walker.mbg")
    assert '"file": "leg.mbg", "parameters": {"L": 0.4}' in (tmp_path / "walker.mbg").read_text()


@pytest.mark.parametrize(
    ("entries", "text"),
    [
        ({"units": {"L": "foo"}}, "cannot measure 'L' in 'foo'.*\n.*not known, at units.L"),
        ({"units": {"K": "m"}}, "cannot measure 'K' in 'm'.*\n.*Known: L"),
        ({"units": {"L": 3}}, "cannot have 3 at units.L"),
        ({"units": 3}, "cannot have 3 at units"),
        ({"parameters": {"L": "30 deg"}, "units": {"L": "m"}}, ELSE),
        ({"parameters": {"L": "30 foo"}}, "the unit 'foo' is not known".replace("the", "The")),
    ],
)
def test_faults_in_files(entries: dict[str, Any], text: str) -> None:
    with pytest.raises(FileError, match=text):
        from_data({**to_data(leg()), **entries})


def test_undo_takes_the_unit_back() -> None:
    model = leg(0.3)
    model.set("L", "3 m")
    model.undo()
    assert model.sheet.units == {}
