"""Users' own elements and parts: saved by name, found again when their module is given, and never imported unasked."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest
from typer.testing import CliRunner, Result

import multibond as mb
from multibond import spatial as sp
from multibond.catalogue import CATALOGUE, import_types, with_types
from multibond.cli import app
from multibond.errors import FileError, ModelError
from multibond.graph.component import Component, component, parameter
from multibond.graph.file import from_data, load, save, schema, to_data
from multibond.graph.inert import Inert
from multibond.graph.naming import type_name

from . import own_parts


@component
class Heavy(sp.Body):
    """A body with one value more. margin  [1]"""

    margin: float = parameter(default=0.0)


def circuit(resistor: Component) -> mb.Model:
    """A battery, a coil and whatever dissipates."""
    model = mb.Model("circuit")
    current = model.add(mb.One("current"))
    model.bond(mb.Se("battery", 12.0), current)
    model.bond(current, mb.I("coil", 2e-3))
    model.bond(current, resistor)
    return model


GIVEN = {
    "module": own_parts,
    "class": own_parts.Leak,
    "list": [own_parts.Leak],
    "list of modules": [own_parts, sp],
    "mapping": {"own_parts.Leak": own_parts.Leak},
    "whole catalogue": {**CATALOGUE, "own_parts.Leak": own_parts.Leak},
}


@pytest.mark.parametrize("given", GIVEN.values(), ids=GIVEN)
@pytest.mark.parametrize("suffix", [".mbg", ".yaml"])
def test_an_own_element_is_saved_found_and_runs(given: object, suffix: str, tmp_path: Path) -> None:
    path = tmp_path / f"circuit{suffix}"
    save(circuit(own_parts.Leak("lamp", 1.2)), path)
    found = mb.load(path, types=given)
    assert type(found["lamp"]) is own_parts.Leak
    expected = mb.simulate(circuit(mb.R("lamp", 1.2)), 0.01)["coil.f"](0.01)
    assert mb.simulate(found, 0.01)["coil.f"](0.01) == pytest.approx(expected, rel=1e-9)
    assert expected == pytest.approx(10.0, rel=0.01)


def test_without_its_module_it_is_an_inert_box(tmp_path: Path) -> None:
    path, again = tmp_path / "circuit.mbg", tmp_path / "again.mbg"
    save(circuit(own_parts.Leak("lamp", 1.2)), path)
    found = load(path)
    assert isinstance(found["lamp"], Inert)
    save(found, again)
    assert path.read_bytes() == again.read_bytes()
    with pytest.raises(ModelError) as caught:
        mb.check(found)
    assert str(caught.value) == (
        "component 'lamp' is of an unknown type 'own_parts.Leak'.\n"
        "  It is an inert box: kept as it is, but without a law.\n"
        "  Give the module that defines it: types=own_parts, or --with own_parts."
    )


def test_the_name_of_a_class() -> None:
    class Local(sp.Body):
        """A type made within a function."""

    assert type_name(own_parts.Leak) == "own_parts.Leak"
    assert type_name(Heavy) == "test_own_types.Heavy"
    assert type_name(Local) == "test_own_types.Local"
    model = mb.Model("m")
    model.add(Local("one", mass=1.0))
    model.add(Heavy("two", mass=1.0, margin=1.5))
    found = from_data(to_data(model), types=[Local, Heavy])
    assert type(found["one"]) is Local and type(found["two"]) is Heavy
    assert float(found["two"].margin) == 1.5  # type: ignore[arg-type]


SCRIPT = """
import sys
import multibond as mb
from multibond import spatial as sp
from multibond.graph.component import component, parameter

@component
class Wheel(sp.Body):
    "A wheel."
    radius: float = parameter(default=0.5)

if __name__ == "__main__":
    model = mb.Model("m")
    model.add(Wheel("front", mass=2.0, radius=0.3))
    mb.save(model, sys.argv[1])
    assert type(mb.load(sys.argv[1], types=sys.modules["__main__"])["front"]) is Wheel
    assert type(mb.load(sys.argv[1], types=Wheel)["front"]) is Wheel
"""


def test_a_class_of_a_script_is_called_after_the_script(tmp_path: Path) -> None:
    script, path = tmp_path / "my_bike.py", tmp_path / "bike.mbg"
    script.write_text(SCRIPT, encoding="utf-8")
    done = subprocess.run([sys.executable, script, path], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert to_data(load(path))["components"][0]["type"] == "my_bike.Wheel"
    wheel = load(path, types=import_types(str(script)))["front"]
    assert type(wheel).__name__ == "Wheel" and float(wheel.radius) == 0.3  # type: ignore[arg-type]


def test_a_class_without_a_script(tmp_path: Path) -> None:
    text = SCRIPT.replace("sys.argv[1]", repr(str(tmp_path / "bike.mbg")))
    done = subprocess.run([sys.executable, "-"], input=text, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert to_data(load(tmp_path / "bike.mbg"))["components"][0]["type"] == "__main__.Wheel"


def test_the_catalogue_is_enlarged_and_stays_what_it_was() -> None:
    before = dict(CATALOGUE)
    larger = with_types(own_parts)
    assert set(larger) - set(CATALOGUE) == {"own_parts.Leak", "own_parts.Lamp", "dissipation.R"}
    assert all(larger[name] is kind for name, kind in CATALOGUE.items()) and dict(CATALOGUE) == before
    assert with_types() is CATALOGUE and with_types(None) is CATALOGUE
    assert with_types(own_parts, own_parts.Leak, [own_parts.Lamp]) == larger
    with pytest.raises(TypeError):
        larger["x"] = own_parts.Leak  # type: ignore[index]


def test_the_schema_knows_own_types() -> None:
    rule = schema(own_parts)["$defs"]["own_parts.Leak"]
    assert rule["properties"]["parameters"]["required"] == ["resistance"]
    assert rule["description"].startswith("Dissipates power")
    assert {"$ref": "#/$defs/own_parts.Leak"} in schema(own_parts)["properties"]["components"]["items"]["anyOf"]
    assert "own_parts.Leak" not in schema()["$defs"]


def test_a_name_of_one_s_own_choice() -> None:
    types = {"shed.Leak": own_parts.Leak}
    data = to_data(circuit(own_parts.Leak("lamp", 1.2)), types)
    assert data["components"][-1]["type"] == "shed.Leak"
    assert type(from_data(data, types)["lamp"]) is own_parts.Leak
    assert to_data(circuit(mb.R("lamp", 1.2)), {"shed.Resistor": mb.R})["components"][-1]["type"] == "R"


# -- faults ------------------------------------------------------------------------------------------------------------


def _class(name: str, module: str, base: type[Component] = sp.Body) -> type[Component]:
    return type(name, (base,), {"__module__": module, "__doc__": "A class of another module."})


def test_a_name_that_another_type_has() -> None:
    model = mb.Model("m")
    model.add(_class("Body", "plant.spatial")("one", mass=1.0))  # type: ignore[call-arg]
    with pytest.raises(FileError) as caught:
        to_data(model)
    assert str(caught.value) == (
        "component 'one' is of a type whose name is taken.\n"
        "  There is another 'spatial.Body'.\n"
        '  Give it a name of its own: types={"my.Name": MyClass}.'
    )
    model = mb.Model("m")
    model.add(_class("Foot", "left.parts")("one", mass=1.0))  # type: ignore[call-arg]
    model.add(_class("Foot", "right.parts")("two", mass=1.0))  # type: ignore[call-arg]
    with pytest.raises(FileError, match=r"component 'two' is of a type whose name is taken\.\n.*'parts\.Foot'\."):
        to_data(model)


def test_a_class_that_would_lose_something() -> None:
    from dataclasses import dataclass

    @dataclass(frozen=True, eq=False, repr=False)
    class Loose(sp.Body):
        """A class with a value that is not declared as a parameter."""

        colour: str = "red"

    model = mb.Model("m")
    model.add(Loose("ball", mass=1.0, colour="blue"))
    with pytest.raises(FileError) as caught:
        to_data(model)
    assert str(caught.value) == (
        "component 'ball' cannot be written.\n"
        "  colour of Loose is no parameter, and a file would lose it.\n"
        "  Declare it in the class: colour = parameter(...)."
    )


def test_what_offers_no_types() -> None:
    for given in (3, "own_parts", int, object()):
        with pytest.raises(ModelError, match="offers no types"):
            with_types(given)
    for wrong in ({"x": 3}, {3: own_parts.Leak}, {"x": int}):
        with pytest.raises(ModelError, match="is no type"):
            with_types(wrong)
    with pytest.raises(ModelError, match=r"two types are named 'spatial\.Body'\."):
        with_types({"spatial.Body": own_parts.Leak})
    with pytest.raises(ModelError, match=r"'Model' cannot name \S*own_parts\.Leak\."):
        with_types({"Model": own_parts.Leak})


def test_whatever_an_own_class_raises_is_a_fault_of_the_file() -> None:
    class Fussy(sp.Body):
        """A class that fails in a way of its own."""

        def __post_init__(self) -> None:
            raise RuntimeError("not today")

    entry = {"name": "one", "type": "mine.Fussy", "parameters": {"mass": 1.0}}
    data = {"format": "multibond", "version": 1, "name": "m", "components": [entry]}
    with pytest.raises(FileError) as caught:
        from_data(data, {"mine.Fussy": Fussy})
    assert str(caught.value) == (
        "component 'one': no Fussy can have these values.\n  not today.\n  Correct its parameters."
    )


# -- modules by name and by file ---------------------------------------------------------------------------------------


def test_modules_by_name_and_by_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "random.py").write_text(SCRIPT, encoding="utf-8")
    (tmp_path / "my_shed.py").write_text(SCRIPT, encoding="utf-8")
    import random

    for word in (tmp_path / "random.py", tmp_path / "my_shed.py"):
        module = import_types(str(word))
        assert isinstance(module, ModuleType) and list(with_types(module))[-1] == f"{word.stem}.Wheel"
    assert sys.modules["random"] is random
    monkeypatch.chdir(tmp_path)
    assert "my_shed.Wheel" in with_types(import_types("my_shed"))
    assert import_types("multibond.catalogue").CATALOGUE is CATALOGUE


def test_modules_that_cannot_be_taken(tmp_path: Path) -> None:
    (tmp_path / "wrong.py").write_text("import multibond\n1 / 0\n", encoding="utf-8")
    (tmp_path / "worse.py").write_text("def (\n", encoding="utf-8")
    for word, fact in [
        (str(tmp_path / "wrong.py"), "ZeroDivisionError: division by zero."),
        (str(tmp_path / "worse.py"), "SyntaxError: "),
        (str(tmp_path / "none.py"), "FileNotFoundError: there is no file"),
        ("no_such_module", "ModuleNotFoundError: No module named 'no_such_module'."),
        ("", "ValueError: "),
    ]:
        with pytest.raises(ModelError) as caught:
            import_types(word)
        lines = str(caught.value).split("\n")
        assert lines[0] == f"the types of {word!r} cannot be taken." and lines[1].startswith(f"  {fact}")
        assert lines[2] == "  Give a module that Python finds, or the path of its file."
    assert not any(name.endswith((".wrong", ".worse")) for name in sys.modules)


OWN = str(Path(own_parts.__file__))


def command(*words: object) -> Result:
    """Run a command within this process."""
    return CliRunner().invoke(app, [str(word) for word in words], prog_name="multibond")


@pytest.fixture
def lamp(tmp_path: Path) -> Path:
    """A model file with an element of one's own."""
    path = tmp_path / "lamp.mbg"
    save(circuit(own_parts.Leak("lamp", 1.2)), path)
    return path


@pytest.mark.parametrize("name", ["run", "check", "draw", "equations", "explain"])
def test_commands_take_own_types(name: str, lamp: Path) -> None:
    assert command(name, lamp, "--with", OWN).exit_code == 0
    bare = command(name, lamp)
    if name == "draw":
        assert bare.exit_code == 0 and "own_parts.Leak" in bare.stdout
    else:
        assert bare.exit_code == 1 and bare.stderr.startswith(
            "ModelError: component 'lamp' is of an unknown type 'own_parts.Leak'."
        )


def test_the_command_runs_what_python_runs(lamp: Path) -> None:
    result = command("run", lamp, "--until", 0.01, "--json", "--with", OWN, "-v", "coil.f")
    expected = mb.simulate(circuit(own_parts.Leak("lamp", 1.2)), 0.01)["coil.f"](0.01)
    assert json.loads(result.stdout)["end"]["coil.f"] == pytest.approx(expected, rel=1e-12)


def test_other_commands_take_own_types(lamp: Path, tmp_path: Path) -> None:
    assert command("export", lamp, "--to", tmp_path / "lamp.yaml", "--with", OWN).exit_code == 0
    assert to_data(load(tmp_path / "lamp.yaml")) == to_data(load(lamp))
    assert "own_parts.Leak" in json.loads(command("schema", "--with", OWN).stdout)["$defs"]


def test_a_command_says_which_module_cannot_be_taken(lamp: Path) -> None:
    result = command("check", lamp, "--with", "no_such_module")
    assert result.exit_code == 1
    assert result.stderr.startswith("ModelError: the types of 'no_such_module' cannot be taken.")


def test_opening_a_file_imports_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "trap.py").write_text("raise SystemExit('sprung')\n", encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.chdir(tmp_path)
    entry = {"name": "one", "type": "trap.Door", "parameters": {"__class__": "os.system", "module": "trap"}}
    model = from_data({"format": "multibond", "version": 1, "name": "m", "components": [entry]})
    assert isinstance(model["one"], Inert) and "trap" not in sys.modules
