"""The palette: an entry for every type, the user's own included, that says enough to show, put down and wire up."""

from __future__ import annotations

import json
from html import escape
from typing import Any

import numpy as np
from tests.gather import gather
from typer.testing import CliRunner

import multibond as mb
from multibond.catalogue import CATALOGUE
from multibond.cli import app
from multibond.graph.file import from_data
from multibond.graph.port import FramePort, PlanarFramePort, PowerPort, SignalPort
from multibond.own import ClassVar, LawWriter, Number, OnePort, component, parameter

from . import user_types

ENTRIES = {entry["type"]: entry for entry in mb.palette()}
KEYS = {"type", "group", "code", "kind", "story", "doc", "parameters", "values", "ports", "icon"}


def item_of(entry: dict[str, Any], types: Any = None) -> Any:
    """A component with the values to begin with, opened from a file as a sheet would put it down."""
    data = {"format": "multibond", "version": 1, "name": "m"}
    part = {"name": "it", "type": entry["type"], "parameters": entry["values"]}
    return from_data({**data, "components": [part]}, types=types).components[0]


def test_every_type_has_an_entry() -> None:
    assert set(ENTRIES) == set(CATALOGUE)
    assert json.loads(json.dumps(list(ENTRIES.values()), allow_nan=False)) == list(ENTRIES.values())


def test_entries_say_enough() -> None:
    gather(CATALOGUE, says_enough)


def says_enough(name: str) -> None:
    entry, kind = ENTRIES[name], CATALOGUE[name]
    assert set(entry) == KEYS
    assert entry["group"] == (name.partition(".")[0] if "." in name else entry["group"])
    assert entry["code"] and entry["story"] and entry["doc"].startswith(entry["story"])
    assert entry["icon"].startswith("<svg") and f">{escape(entry['code'])}<" in entry["icon"]
    assert sorted(p["name"] for p in entry["parameters"]) == sorted(kind.parameters())
    for told in entry["parameters"]:
        about = kind.parameters()[told["name"]]
        assert (told["unit"], told["sign"], told["structural"]) == (about.unit, about.sign, about.structural)
        assert (told["start"], told["live"], tuple(told["formula"])) == (about.start, about.live, about.formula)


def test_what_entries_begin_with_can_be_put_down() -> None:
    gather(CATALOGUE, can_be_put_down)


def can_be_put_down(name: str) -> None:
    """The values make a component whose ports are those of the entry."""
    item = item_of(ENTRIES[name])
    assert type(item) is CATALOGUE[name]
    assert [(p["name"], p["kind"]) for p in ENTRIES[name]["ports"]] == [(p.name, KIND[type(p)]) for p in item.ports()]
    needed = {p["name"] for p in ENTRIES[name]["parameters"] if p["needed"]}
    assert needed <= set(ENTRIES[name]["values"])


KIND = {PowerPort: "power", SignalPort: "signal", FramePort: "frame", PlanarFramePort: "planar frame"}


def test_entries_in_full() -> None:
    motor = ENTRIES["electrical.DCMotor"]
    assert (motor["group"], motor["kind"], motor["code"]) == ("electrical", "part", "DCMotor")
    assert [(p["name"], p["kind"], p["domain"], p["size"]) for p in motor["ports"]] == [
        ("pin_p", "power", "electrical", 1),
        ("pin_n", "power", "electrical", 1),
        ("flange", "power", "rotation", 1),
    ]
    coil = next(p for p in motor["parameters"] if p["name"] == "inductance")
    assert (coil["unit"], coil["needed"], coil["sign"], coil["shape"]) == ("H", True, "positive", [])
    source = ENTRIES["MSe"]
    assert [(p["name"], p["kind"], p["direction"]) for p in source["ports"]] == [
        ("port", "power", "out"),
        ("effort", "signal", "in"),
    ]
    assert ENTRIES["Motion"]["group"] == "kinematics" and ENTRIES["R"]["group"] == "elements"
    spring = {p["name"]: p for p in ENTRIES["C"]["parameters"]}
    assert spring["energy"]["formula"] == ["q"] and spring["start"]["start"] and spring["compliance"]["shape"] is None
    hinge = ENTRIES["spatial.Revolute"]
    assert [p["kind"] for p in hinge["ports"]][:2] == ["frame", "frame"]


def test_a_users_own_types_have_entries() -> None:
    found = {entry["type"]: entry for entry in mb.palette(user_types)}
    assert set(found) - set(CATALOGUE) == {f"user_types.{n}" for n in ("CubicDamper", "LossyGear", "Flywheel")}
    damper = found["user_types.CubicDamper"]
    assert (damper["group"], damper["code"], damper["kind"]) == ("user_types", "R3", "element")
    assert damper["story"].startswith("A damper that stiffens") and ">R3<" in damper["icon"]
    assert [p["name"] for p in damper["parameters"]] == ["linear", "cubic", "size", "split", "role"]
    assert damper["values"] == {"linear": 1.0}
    wheel = found["user_types.Flywheel"]
    assert [(p["name"], p["domain"]) for p in wheel["ports"]] == [("flange", "rotation")]
    for entry in (damper, wheel, found["user_types.LossyGear"]):
        assert type(item_of(entry, user_types)).__name__ == entry["type"].partition(".")[2]


@component
class Picky(OnePort):
    scale: Number = parameter(shape=None)

    code: ClassVar[str] = "Px"

    def __post_init__(self) -> None:
        super().__post_init__()
        if float(np.ravel(self.scale)[0]) != 0.123:
            raise ValueError("only 0.123 will do")

    def law(self, at: LawWriter) -> None:
        at.zero(at.e() - self.scale * at.f())


def test_a_type_whose_values_cannot_be_guessed_has_an_entry_too() -> None:
    entry = mb.palette({"Picky": Picky})[-1]
    assert (entry["type"], entry["group"], entry["ports"], entry["values"]) == ("Picky", "own", None, {})
    assert entry["icon"].startswith("<svg") and entry["story"] == entry["doc"] == ""


def test_entries_are_ones_own() -> None:
    """Who changes what he was given changes nothing for others."""
    mb.palette()[0]["ports"].clear()
    assert mb.palette()[0]["ports"]


def listed(*words: str) -> str:
    """What the command prints with the user's module."""
    return CliRunner().invoke(app, ["palette", "--with", str(user_types.__file__), *words]).stdout


def test_the_command_lists_them() -> None:
    told = json.loads(listed("--json"))
    assert told["ok"] and [e["type"] for e in told["palette"]][: len(CATALOGUE)] == list(ENTRIES)
    assert "user_types.Flywheel" in {e["type"] for e in told["palette"]}
    text = listed()
    assert "elements:\n  One" in text and "\nuser_types:\n" in text
    line = next(line for line in text.splitlines() if "user_types.CubicDamper" in line)
    assert line.split()[:2] == ["user_types.CubicDamper", "R3"] and line.endswith("power into the element is positive.")


TURNS = {"damping": "N.m.s/rad", "friction": "N.m", "static": "N.m", "stiffness": "N.m/rad", "rest": "rad"}
SLIDES = {"damping": "N.s/m", "friction": "N", "static": "N", "stiffness": "N/m", "rest": "m"}


def test_units_of_what_acts_along_joints_are_those_of_their_freedoms() -> None:
    gather([name for name in CATALOGUE if name.startswith(("spatial.", "planar."))], has_units_of_its_freedoms)


def has_units_of_its_freedoms(name: str) -> None:
    """Turns come first; the domain of the flange tells which freedoms there are."""
    units = {p["name"]: p["unit"] for p in ENTRIES[name]["parameters"]}
    assert not any("effort" in unit or "flow" in unit for unit in units.values())
    domain = next((p["domain"] for p in ENTRIES[name]["ports"] if p["name"] == "flange"), None)
    if domain is None or "rest" not in units:
        return
    both = {word: f"{TURNS[word]}, {SLIDES[word]}" for word in TURNS}
    wanted = {"rotation": TURNS, "translation": SLIDES, "any": both}[domain]
    ends = {"lower": wanted["rest"], "upper": wanted["rest"]}
    assert {word: units[word] for word in (*wanted, *ends) if word in units} == {
        word: unit for word, unit in (wanted | ends).items() if word in units
    }
