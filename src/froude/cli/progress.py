"""Progress on the terminal: a spinner or bar a task, on stderr, gone from the way of results on stdout."""

from __future__ import annotations

import sys
import time
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
            # Without markup: a path or a name may hold `[b]`.
            TextColumn("{task.description}", markup=False),
            TextColumn("{task.fields[said]}", style="dim", markup=False),
            BarColumn(bar_width=24),
            TimeElapsedColumn(),
        )
        self._bars = Progress(*columns, console=Console(stderr=True), transient=False)
        self._open = 0

    @contextmanager
    def task(self, label: str, total: float | None = None) -> Iterator[_Line]:
        """Show a task while the block runs; a mark stays when it ended well.

        Args:
            label: what is being done, in a few words.
            total: units in the whole work; None where nobody knows, and the bar only moves.
        """
        if self._open == 0:
            self._bars.start()
        self._open += 1
        number = self._bars.add_task(label, total=total, said="")
        try:
            yield _Line(self._bars, number)
            size = total if total is not None else 1
            self._bars.update(number, total=size, completed=size)
        finally:
            self._bars.stop_task(number)
            self._open -= 1
            if self._open == 0:
                self._bars.stop()


class _Line:
    """One task's line."""

    def __init__(self, bars: Progress, number: TaskID) -> None:
        self._bars, self._number = bars, number

    def advance(self, by: float = 1) -> None:
        """Count units as done."""
        self._bars.advance(self._number, by)

    def say(self, text: str) -> None:
        """Put words behind the label."""
        self._bars.update(self._number, said=text)


class LineProgress:
    """`froude.base.progress.Progress` in a log: a line when a task begins, one for each step, one when it ends well."""

    @contextmanager
    def task(self, label: str, total: float | None = None) -> Iterator[_Words]:
        """Log a task while the block runs.

        Args:
            label: what is being done, in a few words.
            total: not shown.
        """
        del total
        begun = time.monotonic()
        _log(label)
        yield _Words(label)
        _log(f"{label}: done in {time.monotonic() - begun:.1f} s")


class _Words:
    """One task in a log: what it says goes into a line of its own, unless it says it twice."""

    def __init__(self, label: str) -> None:
        self._label, self._last = label, ""

    def advance(self, by: float = 1) -> None:
        """Units are not logged."""

    def say(self, text: str) -> None:
        """Log the words without their numbers: a count that goes up is no new step."""
        plain = "".join(c for c in text if not (c.isdigit() or c in ".,"))
        if plain != self._last:
            self._last = plain
            _log(f"{self._label}: {text}")


def _log(text: str) -> None:
    print(text, file=sys.stderr, flush=True)
