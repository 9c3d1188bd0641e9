"""No sign in any law can be flipped unnoticed, and the search for such signs notices what it should."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

from .mutants import enumerate_mutants, source

SCRIPT = Path(__file__).with_name("run.py")
INERTIA = r"I\.law: other sign"
OPEN = "|".join(
    (
        "elements/(couplers|dissipation|frames|kinematics|motions|oneport|planar|planes|storage|turnings)",
        "equations/",
        "library/(spatial|planar|wiring|wrapping|electrical/machines|hydraulic/(machines|volumes))",
        "rewrite/",
        "rotation",
    )
)
"""Files in which the last whole hunt is older than their last change: `python tests/mutation/run.py` goes over all."""


def hunt(*options: str) -> subprocess.CompletedProcess[str]:
    """Run the script."""
    return subprocess.run([sys.executable, SCRIPT, *options], capture_output=True, text=True, check=False)


@pytest.mark.slow
def test_no_flipped_sign_survives() -> None:
    found = hunt("--only", f"^(?!{OPEN})")
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
