"""Ctrl-C never gets lost: one line says what was interrupted, and a press that was swallowed is heeded."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

from multibond.errors import Interrupted


class Press:
    """Whether Ctrl-C was pressed: libraries in C now and then swallow the exception that it raises."""

    def __init__(self, doing: str) -> None:
        self.doing, self.seen = doing, False

    def heed(self) -> None:
        """Raise what was swallowed."""
        if self.seen:
            self.seen = False
            raise Interrupted(f"interrupted while {self.doing}.")

    def heard(self, told: Callable[[float], None] | None) -> Callable[[float], None]:
        """A function that is told the time of a run, and heeds the press before."""

        def tell(time: float) -> None:
            if self.seen:
                self.seen = False
                raise KeyboardInterrupt
            if told is not None:
                told(time)

        return tell


@contextmanager
def interruptible(doing: str) -> Iterator[Press]:
    """Say in one line what Ctrl-C has interrupted, unless that is said already.

    >>> with interruptible("compiling") as press:
    ...     system = compiled(model)
    ...     press.heed()
    """
    press = Press(doing)
    before = _listen(press)
    try:
        yield press
    except Interrupted:
        raise
    except KeyboardInterrupt:
        raise Interrupted(f"interrupted while {doing}.") from None
    finally:
        if before is not None:
            signal.signal(signal.SIGINT, before)


def _listen(press: Press) -> Callable[[int, FrameType | None], object] | None:
    """Note presses from now on, before whoever listened so far hears of them; nothing where Ctrl-C is not Python's."""
    before = signal.getsignal(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or not callable(before):
        return None
    listener = before

    def note(number: int, frame: FrameType | None) -> None:
        press.seen = True
        listener(number, frame)

    signal.signal(signal.SIGINT, note)
    return before
