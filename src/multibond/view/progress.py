"""How far a run is: a bar in the terminal, shown once the run has lasted a while."""

from __future__ import annotations

from time import perf_counter
from types import TracebackType
from typing import Any, Self


class Bar:
    """Called with the time reached  [s]; shows a bar on stderr from `after` seconds of waiting on.

    >>> with Bar(10.0) as bar:
    ...     simulate(model, 10.0, progress=bar)
    """

    def __init__(self, until: float, after: float = 0.0) -> None:
        self._until, self._after = until, after
        self._began = perf_counter()
        self._shown: Any = None
        self._task: Any = None

    def __enter__(self) -> Self:
        return self

    def __call__(self, time: float) -> None:
        """Tell the time reached."""
        if self._shown is None and perf_counter() - self._began >= self._after:
            self._show()
        if self._shown is not None:
            self._shown.update(self._task, completed=time, description=f"{time:.4g} s of {self._until:g} s")

    def _show(self) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

        columns = (TextColumn("{task.description}"), BarColumn(), TimeRemainingColumn())
        console = Console(stderr=True)
        someone = console.is_terminal or console.is_jupyter
        self._shown = Progress(*columns, console=console, transient=True, disable=not someone)
        self._task = self._shown.add_task("", total=self._until)
        self._shown.start()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._shown is not None:
            self._shown.stop()
