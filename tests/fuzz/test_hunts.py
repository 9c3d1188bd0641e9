"""Some programs and drawings made by chance; all 10,000 of each are commands: see `programs.py`, `drawings.py`."""

from __future__ import annotations

import pytest

from . import drawings, programs
from .trial import hunt


@pytest.mark.slow
def test_programs_meet_only_our_own_errors() -> None:
    tally = hunt(programs.attempt, range(100), 11, seconds=programs.SECONDS)
    print(dict(tally.outcomes), tally.slowest)
    assert not tally.failures, "\n".join(tally.failures)
    assert len(tally.outcomes) > 4


@pytest.mark.slow
def test_drawings_are_made_or_refused() -> None:
    tally = hunt(drawings.attempt, range(20), 12, seconds=drawings.SECONDS)
    print(dict(tally.outcomes), tally.slowest)
    assert not tally.failures, "\n".join(tally.failures)
    assert any(outcome.startswith(("1", "8")) for outcome in tally.outcomes)


def test_a_case_is_the_same_whenever_it_is_made() -> None:
    assert [programs.attempt(3, k) for k in range(5)] == [programs.attempt(3, k) for k in range(5)]
