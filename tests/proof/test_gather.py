"""A test of many cases names all that fail."""

from __future__ import annotations

import pytest
from tests.gather import gather


def small(number: int) -> None:
    assert number < 3


def test_all_that_fail_are_named() -> None:
    with pytest.raises(ExceptionGroup, match="2 of 5 cases fail") as caught:
        gather([1, 2, 3, 0, 4], small)
    assert [error.__notes__ for error in caught.value.exceptions] == [["case: 3"], ["case: 4"]]
    assert all(isinstance(error, AssertionError) for error in caught.value.exceptions)


def test_a_family_without_members_proves_nothing() -> None:
    gather([1, 2], small)
    with pytest.raises(AssertionError, match="no cases"):
        gather([], small)
