"""No sign in any law can be flipped unnoticed, and the search for such signs notices what it should."""

from __future__ import annotations

import ast
import importlib
import os
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
    """In what has changed since the last full hunt, and in a tenth of the rest in turn; `make proof` hunts them all."""
    found = hunt("--changed")
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


def test_what_has_changed_since_the_last_full_hunt_is_hunted(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A function that is recorded as it is now rests; one with another text, or a new one, is hunted anew."""
    monkeypatch.syspath_prepend(SCRIPT.parent)
    mutants, passed = (importlib.import_module(name) for name in ("mutants", "passed"))
    everything = mutants.enumerate_mutants()
    monkeypatch.setattr(passed, "TABLE", tmp_path / "passed.json")
    assert passed.changed(everything) == everything
    passed.record(everything[:-1], everything)
    assert {m.function for m in passed.changed(everything)} == {everything[-1].function}
    passed.record(everything, everything)
    assert passed.changed(everything) == []
    told = passed.TABLE.read_text()
    file, function = "elements/storage.py", "I.law"
    own = [m for m in everything if (m.file, m.function) == (file, function)]
    text = mutants.source(file).replace("class I(", "# a remark\nclass I(")
    monkeypatch.setattr(passed, "source", lambda name: text if name == file else mutants.source(name))
    passed.digests.cache_clear()
    assert own and passed.changed(everything) == []
    passed.TABLE.write_text(told.replace(f'"{function}": "', f'"{function}": "0', 1))
    assert passed.changed(everything) == own
    passed.digests.cache_clear()


def test_slices_are_the_whole() -> None:
    whole = hunt("--list").stdout.splitlines()
    parts = [line for k in range(3) for line in hunt("--list", "--slice", f"{k}/3").stdout.splitlines()]
    assert sorted(parts) == sorted(whole)


def test_remembered_killers_exist(monkeypatch: pytest.MonkeyPatch) -> None:
    """A test that was renamed would spoil the round it stands in: the table is then to be written anew."""
    monkeypatch.syspath_prepend(SCRIPT.parent)
    battery, killers = (importlib.import_module(name) for name in ("battery", "killers"))
    command = [sys.executable, "-m", "pytest", *battery.OPTIONS, "--collect-only", *battery.TESTS, *battery.DECISIONS]
    whole = os.environ | {"ROTATION": "all"}
    listed = subprocess.run(command, capture_output=True, text=True, check=False, env=whole).stdout.splitlines()
    assert len(listed) > 300
    assert {name for by in killers.table().values() for names in by.values() for name in names} <= set(listed)
