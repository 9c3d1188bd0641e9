"""Every broken machine is refused with its type, the user's own names and a cure; nothing is lost."""

import pytest

from multibond.errors import MultibondError

from .broken import BROKEN, Broken


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
        assert len(lines) == 3
        assert all(line.strip().endswith(".") for line in lines)
        assert "singular matrix" not in str(finding)
