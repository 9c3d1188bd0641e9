"""The array does what it is for."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests import rotation

from .covering import MACHINES, Pair, can_be, cases, exclusive, missing, pairs_of, wanted_on
from .features import ALL, GROUPS, MECHANISMS, mechanism_of
from .known import NOT_YET, SLOW, allowed
from .laws import LAWS, table


def test_every_pair_is_met_on_three_machines() -> None:
    _, left = missing(cases())
    print(f"{len(cases())} cases on {len(MECHANISMS)} machines meet {len(left)} pairs of {len(ALL)} features")
    assert not {p for p, n in left.items() if n > 0}, "python -m tests.crossings.covering adds what is missing"


def test_only_what_is_told_is_not_met_on_three_machines() -> None:
    """Pairs that three machines cannot have exclude each other, or are refused everywhere."""
    wanted = {name: wanted_on(name) for name in MECHANISMS}
    pairs = {p for p in pairs_of(ALL) if not exclusive(p)}
    few = {p for p in pairs if sum(p in each for each in wanted.values()) < MACHINES}
    refused = {p for p in few if not any(allowed(name, frozenset(p)) for name in MECHANISMS)}
    assert few - refused <= FEW, sorted(few - refused - FEW)


FEW: set[Pair] = set()
"""Pairs that fewer machines can have; each wants its reason here."""


def test_cases_are_allowed_and_can_be_built() -> None:
    seen = set()
    for case in cases():
        assert can_be(case) and mechanism_of(case).bars
        assert all(sum(name in case.features for name in GROUPS[g]) == 1 for g in ("method", "depth", "solver"))
        seen.add(case.id)
    assert len(seen) == len(cases()) and {*NOT_YET, *SLOW} <= seen


def test_each_feature_has_its_laws_on_each_machine() -> None:
    assert set(LAWS) == set(ALL)
    text = table()
    for name in MECHANISMS:
        assert name in text


def test_the_turn_of_a_tenth_can_be_chosen(monkeypatch: pytest.MonkeyPatch) -> None:
    items = list(range(57))
    monkeypatch.delenv("CROSSINGS", raising=False)
    assert rotation.tenth(items, of="crossings") == rotation.tenth(items, of="crossings")
    monkeypatch.setenv("CROSSINGS", "all")
    assert rotation.tenth(items, of="crossings") == items
    found = []
    for part in range(10):
        monkeypatch.setenv("CROSSINGS", str(part))
        found += rotation.tenth(items, of="crossings")
    assert sorted(found) == items
    monkeypatch.setenv("ROTATION", "13")
    assert rotation.share("anything") == 3 and rotation.share("anything", 7) == 6
    assert Path(rotation.__file__).name == "rotation.py"
