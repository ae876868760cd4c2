"""Progress on the terminal: a spinner or bar a task, on stderr, gone from the way of results on stdout."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, Progress, SpinnerColumn, TaskID, TextColumn, TimeElapsedColumn


class RichProgress:
    """`froude.base.progress.Progress` drawn by rich; nested tasks stand below each other."""

    def __init__(self) -> None:
        """Nothing is drawn until the first task."""
        columns = (
            SpinnerColumn(),
            TextColumn("{task.description}"),
            BarColumn(bar_width=24),
            TimeElapsedColumn(),
        )
        self._bars = Progress(*columns, console=Console(stderr=True), transient=False)
        self._open = 0

    @contextmanager
    def task(self, label: str, total: float | None = None) -> Iterator[_Line]:
        """Show a task while the block runs; a mark stays when it ended well."""
        if self._open == 0:
            self._bars.start()
        self._open += 1
        number = self._bars.add_task(label, total=total)
        try:
            yield _Line(self._bars, number, label)
            size = total if total is not None else 1
            self._bars.update(number, total=size, completed=size)
        finally:
            self._bars.stop_task(number)
            self._open -= 1
            if self._open == 0:
                self._bars.stop()


class _Line:
    """One task's line."""

    def __init__(self, bars: Progress, number: TaskID, label: str) -> None:
        self._bars, self._number, self._label = bars, number, label

    def advance(self, by: float = 1) -> None:
        """Count units as done."""
        self._bars.advance(self._number, by)

    def say(self, text: str) -> None:
        """Put words behind the label."""
        self._bars.update(self._number, description=f"{self._label}  [dim]{text}[/dim]")
