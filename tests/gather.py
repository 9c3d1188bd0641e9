"""Many small cases in one test, which tells of all that fail and not of the first alone."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeVar

Case = TypeVar("Case")


def gather(cases: Iterable[Case], check: Callable[[Case], object]) -> None:
    """Check every case; the errors of those that fail are raised together, each with its case."""
    failed, count = [], 0
    for case in cases:
        count += 1
        try:
            check(case)
        except Exception as error:
            error.add_note(f"case: {case}")
            failed.append(error)
    assert count, "there are no cases"
    if failed:
        raise ExceptionGroup(f"{len(failed)} of {count} cases fail", failed)
