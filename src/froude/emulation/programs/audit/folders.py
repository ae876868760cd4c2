"""Which folders of a log are known to be there, so that it is known who may make one by the way.

A file or folder that is created makes all folders above it that are missing, and they belong to whoever was first. So an
operation that creates something also changes the topmost folder above it that nobody in the log has made or used before.
"""

from __future__ import annotations

from collections.abc import Iterator


class Folders:
    """The folders above what was created so far."""

    def __init__(self) -> None:
        self._seen: dict[str, int] = {}
        self._gone: dict[str, int] = {}
        self._now = 0

    def missing(self, path: str) -> str | None:
        """The topmost folder above a path that may not be there yet; all of them are taken to be from here on.

        Args:
            path: of what is created.
        """
        self._now += 1
        topmost, gone = None, -1
        for folder in _above(path):
            gone = max(gone, self._gone.get(folder, -1))
            if topmost is None and self._seen.get(folder, -1) <= gone:
                topmost = folder
            self._seen[folder] = self._now
        return topmost

    def gone(self, path: str) -> None:
        """What was at a path and below it is not there any more, or is something else.

        Args:
            path: that was deleted, or renamed.
        """
        self._now += 1
        self._gone[path] = self._now


def _above(path: str) -> Iterator[str]:
    """The folders above a path, from the top, without the root, which is always there."""
    end = path.find("/", 1)
    while end > 0:
        yield path[:end]
        end = path.find("/", end + 1)
