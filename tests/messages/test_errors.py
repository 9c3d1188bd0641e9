"""Every broken machine is refused with its type, the user's own names and a cure; nothing is lost."""

import pytest
from tests.gather import gather

from multibond.errors import Finding

from . import (
    broken_assemblies,
    broken_elements,
    broken_joints,
    broken_loops,
    broken_runs,
    broken_space,
    broken_wiring,
)
from .broken import BROKEN, Broken
from .mechanisms import MENDED

FILES = (
    broken_assemblies,
    broken_elements,
    broken_joints,
    broken_loops,
    broken_runs,
    broken_space,
    broken_wiring,
)
"""Importing them fills the list."""


@pytest.mark.parametrize("case", BROKEN, ids=lambda case: case.name)
def test_error_names_the_parts_and_a_cure(case: Broken) -> None:
    """In three lines a finding."""
    with pytest.raises(case.error) as caught:
        case.do()
    text = str(caught.value)
    assert [name for name in case.names if name not in text] == []
    assert case.cure in text.split("\n")[-1]
    gather(caught.value.findings, has_three_lines)


def has_three_lines(finding: Finding) -> None:
    lines = str(finding).split("\n")
    assert len(lines) == 3 or "^" in str(finding)  # a formula is shown with its fault pointed at
    assert all(line.strip().endswith(".") for line in (lines[0], *lines[2:]))
    assert "singular matrix" not in str(finding)


def test_there_are_many_of_them_and_each_is_another() -> None:
    assert len({case.name for case in BROKEN}) == len(BROKEN) > 180


@pytest.mark.parametrize("name", MENDED)
def test_the_cure_of_a_broken_mechanism_works(name: str) -> None:
    assert MENDED[name]() is not None


def test_more_than_fifty_mechanisms_are_broken_and_mended() -> None:
    assert len(MENDED) > 90
