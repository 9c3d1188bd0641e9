"""Tables in the README and the pages are what the catalogue and the formulas say; what the pages tell is so."""

from __future__ import annotations

import re
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType

import pytest

import multibond as mb
from multibond import electrical as el
from multibond.catalogue import APART, CATALOGUE, MODELICA, elsewhere
from multibond.errors import ModelError, UnknownName
from multibond.formula.operations import FUNCTIONS
from multibond.graph.component import Guess
from multibond.graph.file import from_data, to_data
from multibond.graph.schema import KEYS
from multibond.view.entries import named_entries, palette

ROOT = Path(__file__).parents[2]
FORMAT = (ROOT / "docs" / "file-format.md").read_text(encoding="utf-8")


def script() -> ModuleType:
    """The script that writes the tables."""
    spec = spec_from_file_location("tables_of_pages", ROOT / "docs" / "tables.py")
    assert spec is not None and spec.loader is not None
    made = module_from_spec(spec)
    spec.loader.exec_module(made)
    return made


TABLES = script()


@pytest.mark.parametrize("page", TABLES.TABLES)
def test_tables_are_not_stale(page: str) -> None:
    text = (ROOT / page).read_text(encoding="utf-8")
    assert TABLES.renewed(page) == text, "run python docs/tables.py"


def test_what_once_was_wrong_is_right() -> None:
    rows = TABLES.parts()
    assert "| `SpringDamper` | `frame_a frame_b` | `length spring_force damper_force` |" in rows
    assert "| `Torque` | `flange input` | `speed` |" in rows
    assert "| `Rack` | `flange_pinion flange_rack` | `torque speed force velocity` |" in rows
    assert "| `Cylinder` | `port_a flange` |" in rows


def test_the_page_of_the_format_has_every_entry_and_no_other() -> None:
    told = set(re.findall(r"^\| `(\w+)` \|", FORMAT, re.MULTILINE))
    entries = {*KEYS["file"], *KEYS["part"]}
    assert told == entries
    assert all(f"`{key}`" in FORMAT for keys in KEYS.values() for key in keys)


def test_the_file_on_the_page_opens(tmp_path: Path) -> None:
    whole, use = re.findall(r"```yaml\n(.*?)```", FORMAT, re.DOTALL)
    (tmp_path / "pendulum.yaml").write_text(whole)
    model = mb.load(tmp_path / "pendulum.yaml", strict=True)
    assert isinstance(model["hip"].angle, Guess) and mb.simulate(model, 0.1).t[-1] == 0.1
    (tmp_path / "parts").mkdir()
    leg = mb.Model("leg")
    leg.add(mb.spatial.Body("foot", 1.0, (0.1, 0.1, 0.1)))
    mb.save(leg, tmp_path / "parts" / "leg.mbg")
    (tmp_path / "robot.yaml").write_text(f"format: multibond\nversion: 1\nname: robot\ncomponents:\n{use}")
    assert mb.load(tmp_path / "robot.yaml")["left"].sheet.components[0].mass == 2.0


@pytest.mark.parametrize("name", FUNCTIONS)
def test_every_function_is_told_and_is_there(name: str) -> None:
    page = (ROOT / "docs" / "formulas.md").read_text(encoding="utf-8")
    assert f"`{name}(" in page and hasattr(mb, TABLES.SPELT.get(name, name))


# -- names of others ---------------------------------------------------------------------------------------------------


def test_names_of_modelica_lead_to_types_that_are_there() -> None:
    assert all(ours and set(ours) <= set(CATALOGUE) for ours in MODELICA.values())
    own = {name.rpartition(".")[2].lower() for name in CATALOGUE}
    assert not {name for name in MODELICA if name in {n.rpartition(".")[2] for n in CATALOGUE}} and own
    assert elsewhere("Modelica.Mechanics.MultiBody.Parts.FixedTranslation") == ("spatial.Rod", "planar.Rod")
    assert elsewhere("fixedtranslation") == elsewhere("FixedTranslation") and elsewhere("Nothing") == ()


@pytest.mark.parametrize("name", APART)
def test_what_has_no_counterpart_is_said_so(name: str) -> None:
    assert name in MODELICA
    with pytest.raises(UnknownName, match=re.escape(APART[name])):
        named_entries(palette(), f"Some.Library.{name}")
    data = {"format": "multibond", "version": 1, "name": "m", "components": [{"name": "it", "type": name}]}
    with pytest.raises(ModelError, match=re.escape(APART[name])):
        mb.compile(from_data(data))


@pytest.mark.parametrize(
    "name",
    ["Rotor1D", "Mounting1D", "BevelGear1D", "JointRRR", "JointUPS", "SlidingMass", "TorqueSource", "mI", "mC", "mR"],
)
def test_names_that_had_no_good_answer_have_one(name: str) -> None:
    assert elsewhere(f"Modelica.{name}")


def test_the_palette_and_boxes_suggest_what_is_meant() -> None:
    with pytest.raises(UnknownName, match=r"Nearest: 'spatial\.Rod', 'planar\.Rod'\."):
        named_entries(palette(), "FixedTranslation")
    data = {"format": "multibond", "version": 1, "name": "m"}
    entry = {"name": "arm", "type": "Modelica.Mechanics.MultiBody.Parts.FixedTranslation"}
    with pytest.raises(ModelError, match=r"'spatial\.Rod'"):
        mb.compile(from_data({**data, "components": [entry]}))


# -- names of before ---------------------------------------------------------------------------------------------------


def test_a_former_name_is_understood_and_said_everywhere() -> None:
    with pytest.warns(FutureWarning, match="'initial_current' is called 'current' now"):
        coil = el.Inductor("coil", 0.1, initial_current=2.0)
    assert coil.current == 2.0 and coil.initial_current == 2.0
    with pytest.warns(FutureWarning):
        assert coil.replace(initial_current=3.0).current == 3.0
    model = mb.Model("m")
    model.add(coil)
    with pytest.warns(FutureWarning):
        model.set("coil.initial_current", 4.0)
    assert model["coil"].current == 4.0
    old = to_data(model)
    assert old["components"][0]["parameters"] == {"inductance": 0.1, "current": 4.0}
    old["components"][0]["parameters"] = {"inductance": 0.1, "initial_current": 5.0}
    with pytest.warns(FutureWarning):
        assert from_data(old)["coil"].current == 5.0


def test_a_former_name_is_understood_by_a_compiled_system() -> None:
    model = mb.Model("m")
    coil, load, ground = (
        model.add(el.Inductor("coil", 0.1)),
        model.add(el.Resistor("load", 1.0)),
        model.add(el.Ground()),
    )
    model.connect(coil.pin_p, load.pin_p)
    model.connect(coil.pin_n, load.pin_n, ground.pin)
    system = mb.compile(model)
    with pytest.warns(FutureWarning):
        changed = mb.with_parameters(system, {"coil.initial_current": 2.0})
    assert mb.simulate(changed, 0.1)["coil.current"](0.0) == pytest.approx(2.0)
    assert changed.code is system.code


def test_start_values_are_called_as_what_they_set() -> None:
    starts = {f"{n}.{p}" for n, kind in CATALOGUE.items() for p, about in kind.parameters().items() if about.start}
    assert not [name for name in starts if "initial" in name]
