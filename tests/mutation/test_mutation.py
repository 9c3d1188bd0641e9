"""No sign in any law can be flipped unnoticed, and the search for such signs notices what it should."""

from __future__ import annotations

import ast
import importlib
import subprocess
import sys
from pathlib import Path

import pytest

from .mutants import enumerate_mutants, source

SCRIPT = Path(__file__).with_name("run.py")
INERTIA = r"I\.law: other sign"


def hunt(*options: str) -> subprocess.CompletedProcess[str]:
    """Run the script."""
    return subprocess.run([sys.executable, SCRIPT, *options], capture_output=True, text=True, check=False)


@pytest.mark.slow
def test_no_flipped_sign_survives() -> None:
    found = hunt()
    print(found.stdout, found.stderr)
    assert found.returncode == 0
    assert "survivors: none" in found.stdout


def test_a_flipped_inertia_is_noticed() -> None:
    """The package as it is passes, p + I f does not."""
    found = hunt("--only", INERTIA, "--tests", "laws/test_elements")
    assert "as it is: passes" in found.stdout and "survivors: none" in found.stdout, found.stdout + found.stderr
    assert found.returncode == 0


def test_a_survivor_is_reported() -> None:
    """Tests of rotations know nothing of inertias, by number, energy or law."""
    found = hunt("--only", INERTIA, "--tests", "signs_rotation")
    assert "as it is: passes" in found.stdout and "survivors: 3" in found.stdout, found.stdout + found.stderr
    assert found.returncode == 1


def test_every_mutant_differs_from_the_source() -> None:
    mutants = enumerate_mutants()
    assert len(mutants) > 350
    for mutant in mutants[::12]:
        assert ast.unparse(mutant.tree()) != ast.unparse(ast.parse(source(mutant.file))), mutant


def test_remembered_killers_exist(monkeypatch: pytest.MonkeyPatch) -> None:
    """A test that was renamed would spoil the round it stands in: the table is then to be written anew."""
    monkeypatch.syspath_prepend(SCRIPT.parent)
    battery, killers = (importlib.import_module(name) for name in ("battery", "killers"))
    command = [sys.executable, "-m", "pytest", *battery.OPTIONS, "--collect-only", *battery.TESTS]
    listed = subprocess.run(command, capture_output=True, text=True, check=False).stdout.splitlines()
    assert len(listed) > 300
    assert {name for by in killers.table().values() for names in by.values() for name in names} <= set(listed)
