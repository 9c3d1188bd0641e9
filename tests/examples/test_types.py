"""What the README and the pages show is right in the eyes of type checkers, which know the package (`py.typed`)."""

from __future__ import annotations

import json
import subprocess
import sys
from importlib.resources import files
from pathlib import Path

import pytest

from .test_pages import DOCS, PAGES, blocks

ROOT = Path(__file__).parents[2]
KNOWN = """
from typing import assert_type
import multibond as mb
from multibond import spatial as sp
from multibond.graph.port import PortRef

arm = mb.Model("arm")
hip = arm.add(sp.Revolute("hip"))
assert_type(hip, sp.Revolute)
assert_type(hip.frame_a, PortRef)
assert_type(mb.simulate(arm, 1.0), mb.Run)
"""
WRONG = """
import multibond as mb
mb.simulate(mb.Model("arm"), until="soon")
"""


@pytest.fixture(scope="module")
def code(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the code of each page in a file, one that asks what is known, and one that is wrong."""
    folder = tmp_path_factory.mktemp("code")
    for page in (ROOT / "README.md", *(DOCS / name for name in PAGES)):
        (folder / f"{page.stem.replace('-', '_')}.py").write_text("\n".join(blocks(page)), encoding="utf-8")
    (folder / "known.py").write_text(KNOWN)
    (folder / "wrong.py").write_text(WRONG)
    return folder


def lines(call: list[str], folder: Path) -> list[str]:
    """What a checker prints."""
    return subprocess.run(call, cwd=folder, capture_output=True, text=True).stdout.splitlines()


@pytest.mark.slow
def test_mypy_is_content(code: Path) -> None:
    (code / "mypy.ini").write_text(f"[mypy]\nmypy_path = {ROOT / 'src'}\nfollow_imports = silent\ncache_dir = .mypy\n")
    found = lines([sys.executable, "-m", "mypy", "."], code)
    assert [line.partition(":")[0] for line in found if " error: " in line] == ["wrong.py"], "\n".join(found)


@pytest.mark.slow
def test_pyright_is_content(code: Path) -> None:
    config = {"extraPaths": [str(ROOT / "src")], "pythonVersion": "3.11", "typeCheckingMode": "basic"}
    (code / "pyrightconfig.json").write_text(json.dumps(config))
    found = lines([sys.executable, "-m", "pyright", "--pythonpath", sys.executable], code)
    assert [Path(line.split(":")[0].strip()).name for line in found if " error: " in line] == ["wrong.py"], found


def test_the_package_says_that_it_is_typed() -> None:
    assert (files("multibond") / "py.typed").is_file()
