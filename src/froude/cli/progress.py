"""Progress on stderr: on a terminal a line a task that changes in place, elsewhere a line a step that stays."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, Progress, SpinnerColumn, TaskID, TextColumn, TimeElapsedColumn
from rich.table import Column

from froude.cli.terminal import visible

_WIDE = 100
"""Columns from which there is room for a bar beside the words."""
_EVERY_S = 4.0
"""How often a long step says where it is, where lines stay; the innermost of those at work does."""
_QUIET_S = 1.0
"""Steps that take less are not worth a line; and how often a step is asked whether it has said something."""


class RichProgress:
    """`froude.base.progress.Progress` drawn by rich; nested tasks stand below each other."""

    def __init__(self) -> None:
        """Nothing is drawn until the first task."""
        console = Console(stderr=True)
        text = Column(no_wrap=True, overflow="ellipsis")
        columns = (
            SpinnerColumn(),
            # Without markup: a path or a name may hold `[b]`.
            TextColumn("{task.description}", markup=False, table_column=text),
            TextColumn("{task.fields[said]}", style="dim", markup=False, table_column=text.copy()),
            *((BarColumn(bar_width=24),) if console.width >= _WIDE else ()),
            TimeElapsedColumn(),
        )
        self._bars = Progress(*columns, console=console, transient=False)
        self._open = 0

    @contextmanager
    def task(self, label: str, total: float | None = None) -> Iterator[_Line]:
        """Show a task while the block runs; a mark stays when it ended well.

        Args:
            total: units in the whole work; None where nobody knows, and the bar only moves.
        """
        if self._open == 0:
            self._bars.start()
        self._open += 1
        number = self._bars.add_task(visible(label), total=total, said="")
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
        self._bars.update(self._number, said=visible(text))

    def result(self, text: str) -> None:
        """A line above the bars."""
        self._bars.console.print(visible(text), markup=False, highlight=False)


class LineProgress:
    """The same where lines stay, as in the log of a CI job: one when a step begins, one now and then, one at its end.

    Args:
        clock: seconds on any clock.
        timer: made with seconds, a function and its arguments, which it calls then unless it is cancelled.
    """

    def __init__(
        self,
        write: Callable[[str], None] | None = None,
        clock: Callable[[], float] = time.monotonic,
        timer: Callable[..., threading.Timer] = threading.Timer,
    ) -> None:
        self._write = write or _to_stderr
        self._clock = clock
        self._timer = timer
        self._open: list[_Step] = []

    @contextmanager
    def task(self, label: str, total: float | None = None) -> Iterator[_Step]:
        """Say that a step begins, and that it ended.

        Args:
            total: units in the whole work; None where nobody knows.
        """
        step = _Step(label, total, self._write, self._clock)
        self._open.append(step)
        beat = _Heartbeat(step, self._timer, lambda: self._open[-1] is step)
        try:
            yield step
        finally:
            beat.stop()
            self._open.remove(step)
        taken_s = self._clock() - step.begun_s
        if taken_s >= _QUIET_S:
            self._write(f"{label}: done in {taken_s:,.1f} s")


class _Step:
    """One task, of which lines tell."""

    def __init__(
        self, label: str, total: float | None, write: Callable[[str], None], clock: Callable[[], float]
    ) -> None:
        self._label, self._total, self._write, self._clock = label, total, write, clock
        self.begun_s = self._said_s = clock()
        self._done, self._text = 0.0, ""

    def begin(self) -> None:
        """Say that it has begun."""
        self._said_s = self._clock()
        self._write(f"{self._label} ...")

    def advance(self, by: float = 1) -> None:
        """Count units as done."""
        self._done += by
        self.say_where()

    def say(self, text: str) -> None:
        """What the next line says of where the work is: so that it goes with the share that is counted then."""
        self._text = text

    def result(self, text: str) -> None:
        """A line, at once."""
        self._write(text)

    def say_where(self) -> None:
        """A line, unless there was one a moment ago."""
        now_s = self._clock()
        share = f"{min(1.0, self._done / self._total):.0%}" if self._total else ""
        if now_s - self._said_s < _EVERY_S:
            return
        self._said_s = now_s
        words = ", ".join(part for part in (share, self._text) if part) or "at work"
        self._write(f"{self._label}: {words} ({now_s - self.begun_s:,.0f} s)")


class _Heartbeat:
    """Lines of a step that says nothing itself: one when it is long enough to have any, one now and then.

    Args:
        innermost: whether no other step is at work within it, whose lines say enough.
    """

    def __init__(
        self, step: _Step, timer: Callable[..., threading.Timer], innermost: Callable[[], bool]
    ) -> None:
        self._step, self._make, self._innermost = step, timer, innermost
        self._lock = threading.Lock()
        self._ended = False
        self._timer = self._wait(_QUIET_S, step.begin)

    def stop(self) -> None:
        """Say nothing more."""
        with self._lock:
            self._ended = True
            self._timer.cancel()

    def _wait(self, seconds: float, then: Callable[[], None]) -> threading.Timer:
        timer = self._make(seconds, self._ring, (then,))
        timer.daemon = True
        timer.start()
        return timer

    def _ring(self, say: Callable[[], None]) -> None:
        with self._lock:
            if not self._ended:
                say()
                self._timer = self._wait(_QUIET_S, self._say_where)

    def _say_where(self) -> None:
        if self._innermost():
            self._step.say_where()


def _to_stderr(line: str) -> None:
    print(visible(line), file=sys.stderr, flush=True)
