"""The faults seeded by hand still fit the program; `python tests/crossings/seeded.py` tries them all."""

from __future__ import annotations

import pytest

from .hunt import errors
from .seeded import CASES
from .seeds import SEEDS, Seed, read


@pytest.mark.parametrize("seed", SEEDS, ids=lambda seed: seed.what)
def test_a_seed_has_one_place(seed: Seed) -> None:
    assert seed.planted(read(seed.file)) != read(seed.file)
    assert seed.first in CASES


def test_there_are_thirty() -> None:
    assert len({seed.what for seed in SEEDS}) == len(SEEDS) == 30


@pytest.mark.parametrize("text", CASES)
def test_without_a_fault_every_quick_case_passes(text: str) -> None:
    assert not [str(error) for error in errors(text) if error.wrong]
