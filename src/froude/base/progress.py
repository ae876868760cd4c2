"""Progress of long work as a seam: a terminal shows it, a pipe does not, a test counts it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Protocol, TypeVar

Result = TypeVar("Result")


class Task(Protocol):
    """One line of progress."""

    def advance(self, by: float = 1) -> None:
        """Count `by` more units as done."""
        ...

    def say(self, text: str) -> None:
        """Change the words beside the bar."""
        ...

    def result(self, text: str) -> None:
        """Say what came of it; unlike what `say` shows, it stays."""
        ...


class Progress(Protocol):
    """Something that can show what is going on."""

    def task(self, label: str, total: float | None = None) -> AbstractContextManager[Task]:
        """A context manager that gives a `Task`; without a total the bar only moves.

        Args:
            label: what is being done, in a few words.
            total: units in the whole work, as `Task.advance` counts them; None where nobody knows.
        """
        ...


def counting(task: Task, words: Callable[[Result], str] | None = None) -> Callable[[Result], None]:
    """What `parallel.map` may call with each result: it counts as a unit of a task.

    Args:
        words: the figures of a result, shown beside the count; None for the count alone.
    """

    def done(result: Result) -> None:
        if words is not None:
            task.say(words(result))
        task.advance()

    return done


class _SilentTask:
    __slots__ = ()

    def advance(self, by: float = 1) -> None:
        """Nothing is shown."""

    def say(self, text: str) -> None:
        """Nothing is shown."""

    def result(self, text: str) -> None:
        """Nothing is shown."""


class Silent:
    """Shows nothing: the default of the Python API and of tests."""

    __slots__ = ()

    @contextmanager
    def task(self, label: str, total: float | None = None) -> Iterator[Task]:  # noqa: ARG002 - the seam's words
        """A task that shows nothing."""
        yield _SilentTask()


class Within:
    """Shows the words of inner tasks next to the label of the outer task."""

    __slots__ = ("_outer",)

    def __init__(self, task: Task) -> None:
        self._outer = task

    @contextmanager
    def task(self, label: str, total: float | None = None) -> Iterator[Task]:  # noqa: ARG002 - the seam's words
        """A task without a line of its own."""
        yield _Inner(self._outer)


class _Inner(_SilentTask):
    __slots__ = ("_outer",)

    def __init__(self, outer: Task) -> None:
        self._outer = outer

    def say(self, text: str) -> None:
        """Next to the label of the outer task."""
        self._outer.say(text)

    def result(self, text: str) -> None:
        """As of the outer task."""
        self._outer.result(text)
