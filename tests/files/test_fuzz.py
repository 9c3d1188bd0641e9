"""Some of the spoilt files of `fuzz.py`; all 100,000 are a command: python tests/files/fuzz.py."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.fuzz.trial import Hanging, limited
from tests.rotation import tenth

from . import fuzz
from .mutations import Case, bases, furnish, text_of

SEED, COUNT = 20240, 2000


@pytest.mark.slow
def test_spoilt_files_are_opened_or_refused_and_nothing_else_happens() -> None:
    fuzz.warm_up()
    numbers = tenth(range(COUNT), of="spoilt files")
    tally = fuzz.run(numbers, SEED)
    print(f"seed {SEED}: {dict(tally.outcomes)}, longest {tally.slowest}")
    assert not tally.failures, "\n".join(tally.failures)
    opened = sum(count for outcome, count in tally.outcomes.items() if " opened, " in outcome)
    count = len(numbers)
    assert sum(tally.outcomes.values()) == count and count * 0.03 < opened < count * 0.6


@pytest.mark.parametrize("suffix", [".mbg", ".yaml"])
def test_the_files_are_valid_before_they_are_spoilt(suffix: str, tmp_path: Path) -> None:
    furnish(tmp_path)
    for data in bases():
        assert fuzz.attempt(Case("whole", suffix, text_of(data, suffix).encode()), tmp_path).startswith("opened")


def test_the_guards_see_what_they_are_there_for(tmp_path: Path) -> None:
    fuzz.warm_up()
    with pytest.raises(fuzz.Trespass, match="open"), fuzz.watched():
        (tmp_path / "x").write_text("x")
    with pytest.raises(fuzz.Trespass, match="import"), fuzz.watched():
        import this  # noqa: F401
    with pytest.raises(fuzz.Trespass, match="compile"), fuzz.watched():
        eval("1 + 1")
    with pytest.raises(Hanging), limited(0.05):
        while True:
            pass
    (tmp_path / "x").write_text("x")


def test_a_case_is_the_same_whenever_it_is_made() -> None:
    assert [fuzz.case_of(3, k) for k in range(50)] == [fuzz.case_of(3, k) for k in range(50)]
    assert len({fuzz.case_of(3, k).content for k in range(50)}) == 50
