"""What has a run folder and a life: a daemon, or a cluster of them, that `with` starts and ends.

A folder that was named stays; a temporary one is removed at the end, unless what went wrong names a log in it.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import ClassVar, Self, TypeVar

from froude.base.errors import TargetError
from froude.base.files import stated_os_errors
from froude.base.scratch import Scratch

_Part = TypeVar("_Part")


class RunFolder:
    """The folder of one thing that runs."""

    def __init__(self, purpose: str, wanted: Path | str | None) -> None:
        """Nothing is made yet.

        Args:
            purpose: a word in the name of a temporary one, such as `cluster`.
            wanted: a folder that stays; None for a temporary one.
        """
        self._purpose = purpose
        self._wanted = wanted
        self._scratch: Scratch | None = None

    def make(self) -> Path:
        """Make it, for its owner alone; its absolute path.

        Raises:
            MissingError: the path cannot be a folder; no space, or no right to write there.
        """
        if self._wanted is None:
            self._scratch = Scratch(self._purpose)
            return self._scratch.folder
        folder = Path(self._wanted).absolute()
        with stated_os_errors(folder):
            folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        return folder

    def leave(self, *, keep: bool) -> bool:
        """Remove a temporary one; harmless where there is none.

        Args:
            keep: leave it for people to look at.

        Returns:
            Whether it is gone.
        """
        if self._scratch is None:
            return False
        self._scratch.keep() if keep else self._scratch.remove()
        return not keep


class Startable(ABC):
    """Something that `with` starts and ends; what it leaves after a `TargetError` is kept, since that names a log."""

    called: ClassVar[str]
    """In errors."""

    @abstractmethod
    def start(self) -> None:
        """Start, and wait until it answers.

        Raises:
            TargetError: it failed; with its own last error.
        """

    @abstractmethod
    def stop(self, *, keep: bool = False) -> None:
        """End every process; remove the folder unless it was named or `keep`. Harmless when nothing runs."""

    def _started(self, part: _Part | None) -> _Part:
        """A part that is there once it was started.

        Raises:
            TargetError: it was not.
        """
        if part is None:
            raise TargetError("was not started", file=self.called)
        return part

    @contextmanager
    def _coming_up(self) -> Iterator[None]:
        """Stop again where it does not come up."""
        try:
            yield
        except BaseException as error:
            self.stop(keep=isinstance(error, TargetError))
            raise

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        self.stop(keep=kind is TargetError)
