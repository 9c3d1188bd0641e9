"""A limit on the processor time of one case: what creeps is a fault as well."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

SECONDS, SHORT = 60.0, 10.0


class OutOfTime(AssertionError):
    """A case that takes longer than any of its kind."""


@contextmanager
def limited(seconds: float = SECONDS) -> Iterator[None]:
    """Raise where the block takes more processor time; libraries may turn the alarm into an error of their own."""
    rung: list[bool] = []

    def late(number: int, frame: FrameType | None) -> None:
        rung.append(True)
        raise OutOfTime(f"not finished after {seconds:g} s of processor time")

    before = signal.signal(signal.SIGPROF, late)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    except Exception as error:
        if rung and not isinstance(error, OutOfTime):
            raise OutOfTime(f"not finished after {seconds:g} s of processor time") from error
        raise
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0.0)
        signal.signal(signal.SIGPROF, before)
