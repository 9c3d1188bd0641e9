"""Every broken machine is refused with its type, the user's own names and a cure; nothing is lost."""

import pytest

from multibond.errors import MultibondError

from . import broken_elements, broken_runs, broken_space, broken_wiring
from .broken import BROKEN, Broken

FILES = (broken_elements, broken_runs, broken_space, broken_wiring)
"""Importing them fills the list."""


@pytest.mark.parametrize("case", BROKEN, ids=lambda case: case.name)
def test_error_names_the_parts_and_a_cure(case: Broken) -> None:
    with pytest.raises(case.error) as caught:
        case.do()
    text = str(caught.value)
    for name in case.names:
        assert name in text
    assert case.cure in text.split("\n")[-1]


@pytest.mark.parametrize("case", BROKEN, ids=lambda case: case.name)
def test_every_finding_has_three_lines(case: Broken) -> None:
    with pytest.raises(MultibondError) as caught:
        case.do()
    for finding in caught.value.findings:
        lines = str(finding).split("\n")
        assert len(lines) == 3 or "^" in str(finding)  # a formula is shown with its fault pointed at
        assert all(line.strip().endswith(".") for line in (lines[0], *lines[2:]))
        assert "singular matrix" not in str(finding)


def test_there_are_many_of_them_and_each_is_another() -> None:
    assert len({case.name for case in BROKEN}) == len(BROKEN) > 90
