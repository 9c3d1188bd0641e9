"""How far a run is: a bar in a terminal, a line in a notebook, shown once the run has lasted a while."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from time import perf_counter
from types import TracebackType
from typing import Any, Self

from multibond.view.terminal import plain

PATIENCE = 1.0
"""Seconds after which a run shows how far it is, where nobody has asked for it."""


def shown(
    until: float, progress: bool | Callable[[float], None] | None
) -> AbstractContextManager[Callable[[float], None] | None]:
    """What is told the time while a run lasts: what was given, a bar, or nothing where nobody waits."""
    if progress is None:
        someone = threading.current_thread() is threading.main_thread() and not plain()
        return Bar(until, PATIENCE) if someone else nullcontext()
    return Bar(until) if progress is True else nullcontext(progress or None)


class Bar:
    """Called with the time reached  [s]; shows a bar on stderr from `after` seconds of waiting on.

    >>> with Bar(10.0) as bar:
    ...     simulate(model, 10.0, progress=bar)
    """

    def __init__(self, until: float, after: float = 0.0) -> None:
        self._until, self._after = until, after
        self._began = perf_counter()
        self._shown: _Line | _Terminal | None = None

    def __enter__(self) -> Self:
        return self

    def __call__(self, time: float) -> None:
        """Tell the time reached."""
        if self._shown is None and perf_counter() - self._began >= self._after:
            self._shown = _display(self._until)
        if self._shown is not None:
            self._shown.tell(time, f"{time:.4g} s of {self._until:g} s")

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._shown is not None:
            self._shown.end()


class _Line:
    """One line that is written over, for notebooks: rich would need widgets there."""

    def tell(self, time: float, words: str) -> None:
        sys.stderr.write(f"\r{words}  ")
        sys.stderr.flush()

    def end(self) -> None:
        sys.stderr.write("\r" + 40 * " " + "\r")
        sys.stderr.flush()


class _Terminal:
    """A bar of rich, which leaves nothing behind; nothing at all where there is no terminal."""

    def __init__(self, console: Any, until: float) -> None:
        from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

        columns = (TextColumn("{task.description}"), BarColumn(), TimeRemainingColumn())
        self._progress = Progress(*columns, console=console, transient=True, disable=not console.is_terminal)
        self._task = self._progress.add_task("", total=until)
        self._progress.start()

    def tell(self, time: float, words: str) -> None:
        self._progress.update(self._task, completed=time, description=words)

    def end(self) -> None:
        self._progress.stop()


def _display(until: float) -> _Line | _Terminal:
    """What shows the progress where this runs."""
    from rich.console import Console

    console = Console(stderr=True)
    return _Line() if console.is_jupyter else _Terminal(console, until)
