"""Every part of a family has its turn, and which one it is can be had again."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from tests import rotation
from tests.rotation import EVERY, share, tenth

FOLDER = Path(__file__).parent
FAMILY = list(range(37))
COMMITS = [f"{k:040x}" for k in range(200)]


def test_ten_shares_are_the_family(monkeypatch: pytest.MonkeyPatch) -> None:
    found = []
    for k in range(10):
        monkeypatch.setenv("ROTATION", str(k))
        assert share("springs") == k
        found += tenth(FAMILY, of="springs")
    assert sorted(found) == FAMILY
    monkeypatch.setenv("ROTATION", "all")
    assert share("springs") == EVERY and tenth(FAMILY, of="springs") == FAMILY


def test_the_commit_decides_for_each_family_by_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    """Within some two hundred commits every share comes up, and two families do not go hand in hand."""
    seen = []
    for commit in COMMITS:
        monkeypatch.setenv("ROTATION", commit)
        seen.append((share("springs"), share("dampers")))
        assert tenth(FAMILY, of="springs") == FAMILY[seen[-1][0] :: 10]
    assert {a for a, _ in seen} == {b for _, b in seen} == set(range(10))
    assert sum(a == b for a, b in seen) < 50


def test_without_the_variable_it_is_the_commit_that_is_checked_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ROTATION", raising=False)
    monkeypatch.setattr(rotation, "commit", lambda: COMMITS[7])
    by_commit = share("springs")
    assert COMMITS[7] in rotation.header()
    monkeypatch.setenv("ROTATION", COMMITS[7])
    assert share("springs") == by_commit


def test_a_variable_of_its_own_speaks_for_one_family(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ROTATION", "3")
    monkeypatch.setenv("SPRINGS", "all")
    assert share("springs") == EVERY and share("dampers") == 3
    monkeypatch.setenv("SPRINGS", "7")
    assert tenth(FAMILY, of="springs") == FAMILY[7::10]


def test_without_a_repository_the_first_share_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ROTATION", raising=False)
    monkeypatch.setattr(rotation, "commit", lambda: "")
    assert share("springs") == 0 and "no commit" in rotation.header()


def test_a_small_family_never_is_empty(monkeypatch: pytest.MonkeyPatch) -> None:
    for wish in ("3", "9", *COMMITS[:20]):
        monkeypatch.setenv("ROTATION", wish)
        assert len(tenth("abc", of="springs")) == 1
        assert tenth([], of="nothing") == []


def test_the_commit_is_the_repositorys() -> None:
    told = subprocess.run(["git", "rev-parse", "HEAD"], cwd=FOLDER, capture_output=True, text=True)
    assert rotation.commit() == (told.stdout.strip() if told.returncode == 0 else "")


def test_parts_in_random_order_are_the_suite() -> None:
    """The same tests in each part whatever the order; another seed is another order."""

    def listed(**environment: str) -> list[str]:
        command = [sys.executable, "-m", "pytest", "-q", "--collect-only", "-p", "no:cacheprovider", str(FOLDER)]
        done = subprocess.run(command, env=os.environ | environment, capture_output=True, text=True, cwd=FOLDER)
        return [line for line in done.stdout.splitlines() if "::" in line]

    whole, parts = listed(), [listed(PART=f"{k}/2", ORDER="3") for k in range(2)]
    assert sorted(parts[0] + parts[1]) == sorted(whole) and all(parts)
    other = listed(PART="0/2", ORDER="4")
    assert other != parts[0] == listed(PART="0/2", ORDER="3") and sorted(other) == sorted(parts[0])
