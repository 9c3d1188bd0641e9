"""The element that CONTRIBUTING.md shows moves into a copy of the house and passes the tests of every element there."""

from __future__ import annotations

import ast
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
OF_ELEMENTS = (
    "tests/laws/test_elements.py",
    "tests/files/test_round_trip.py",
    "tests/files/test_schema.py",
    "tests/graph/test_palette.py",
    "tests/examples/test_elements_page.py",
    "tests/view/test_tikz.py",
)
"""The tests that go over the list of all elements: one by one (by its name), or over the whole catalogue."""
ITS_OWN = "CubicDamper or type or entries or entry or schema or every_row or letter"
IMPORT = "from multibond.elements.cubic import CubicDamper"
ROW = '| R that stiffens | e = linear f + cubic f³ | `mb.CubicDamper("shoe", 0.4, 0.1)` |\n'


def shown() -> str:
    """The module that the page shows."""
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    (found,) = [code for code in re.findall(r"```python\n(.*?)```", text, re.DOTALL) if "class CubicDamper" in code]
    return found


def in_the_house(module: str) -> str:
    """The module with its imports from the rooms below, which `multibond.own` only gathers."""
    own = ast.parse((ROOT / "src" / "multibond" / "own.py").read_text())
    rooms = {n.name: node.module for node in own.body if isinstance(node, ast.ImportFrom) for n in node.names}
    wanted = [n.name for node in ast.parse(module).body if isinstance(node, ast.ImportFrom) for n in node.names]
    lines = [f"from {rooms[name]} import {name}" for name in wanted]
    return re.sub(r"from multibond\.own import [^\n]*\n", "\n".join(lines) + "\n", module, count=1)


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the house in which the element stands where the page says: module, list, public names, row."""
    copied = tmp_path_factory.mktemp("house")
    for name in ("src", "tests", "docs"):
        shutil.copytree(ROOT / name, copied / name, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "pyproject.toml", copied)
    package = copied / "src" / "multibond"
    (package / "elements" / "cubic.py").write_text(in_the_house(shown()))
    put(
        package / "elements" / "__init__.py",
        "\nALL = (\n",
        f"\n{IMPORT}\n\nALL = (\n",
    )
    put(package / "elements" / "__init__.py", "\n)\nKINEMATIC", "\n    CubicDamper,\n)\nKINEMATIC")
    put(package / "__init__.py", "\n__all__ = [\n", f'\n{IMPORT}\n\n__all__ = [\n    "CubicDamper",\n')
    put(copied / "docs" / "elements.md", "| G | ", f"{ROW}| G | ")
    return copied


def put(path: Path, old: str, new: str) -> None:
    """Change a text at its one place."""
    text = path.read_text(encoding="utf-8")
    assert text.count(old) == 1, f"{path.name}: {old!r}"
    path.write_text(text.replace(old, new), encoding="utf-8")


def tried(house: Path, *command: str) -> str:
    """What a command prints in the copy; it must end well."""
    environment = os.environ | {"PYTHONPATH": str(house / "src")}
    done = subprocess.run(command, cwd=house, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-8000:] + done.stderr[-2000:]
    return done.stdout


@pytest.mark.slow
def test_the_element_passes_the_tests_of_every_element(house: Path) -> None:
    told = tried(house, sys.executable, "-m", "pytest", "-v", "-p", "no:cacheprovider", *OF_ELEMENTS, "-k", ITS_OWN)
    for test in (
        "test_power_is_stored_or_passed_on[CubicDamper]",
        "test_no_port_hides_behind_a_parameter[CubicDamper]",
    ):
        assert test in told
    for test in ("test_every_type_keeps_every_value[]", "test_entries_say_enough", "test_every_row_has_code"):
        assert test in told
    assert re.search(r"\d+ passed", told) and "failed" not in told


@pytest.mark.slow
def test_its_imports_point_down(house: Path) -> None:
    linter = "import sys; from importlinter.cli import lint_imports_command; sys.exit(lint_imports_command())"
    assert "0 broken" in tried(house, sys.executable, "-c", linter)
